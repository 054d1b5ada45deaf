// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <collet/sdk/error.hpp>
#include <string>

namespace collet::sim {
namespace {

[[noreturn]] void refuse(std::uint64_t size_bytes) {
  plugin::throw_errno(COLLET_ERROR_UNAVAILABLE, "cannot make device memory of " +
                                                    std::to_string(size_bytes) +
                                                    " bytes (COLLET_SIM_MEMORY sets another size)");
}

class File {
 public:
  explicit File(std::uint64_t size_bytes) : number_(memfd_create("collet-sim", MFD_CLOEXEC)) {
    if (number_ < 0) refuse(size_bytes);
    if (ftruncate(number_, static_cast<off_t>(size_bytes)) == 0) return;
    const int code = errno;
    close(number_);
    errno = code;
    refuse(size_bytes);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(number_); }

  /** Nothing if the system refuses. */
  [[nodiscard]] std::byte* map(std::uint64_t size_bytes, int access) const noexcept {
    void* const view = mmap(nullptr, size_bytes, access, MAP_SHARED | MAP_NORESERVE, number_, 0);
    return view == MAP_FAILED ? nullptr : static_cast<std::byte*>(view);
  }

 private:
  int number_;
};

}  // namespace

Arena::Arena(const Limits& limits) : limits_(limits), blocks_(limits.size_bytes) {
  const std::uint64_t size_bytes = limits.size_bytes;
  const File file(size_bytes);
  host_view_ = file.map(size_bytes, PROT_NONE);
  if (host_view_ == nullptr) refuse(size_bytes);
  device_view_ = file.map(size_bytes, PROT_READ | PROT_WRITE);
  if (device_view_ == nullptr) {
    const int code = errno;
    munmap(host_view_, size_bytes);
    errno = code;
    refuse(size_bytes);
  }
}

std::optional<Arena::Block> Arena::allocate(std::uint64_t size_bytes,
                                            std::uint64_t alignment_bytes) {
  const std::lock_guard lock(mutex_);
  if (size_bytes > limits_.budget_bytes - given_bytes_) return std::nullopt;
  std::optional<Block> block;
  if (limits_.reuses_last && last_freed_offset_ &&
      (*last_freed_offset_ & (alignment_bytes - 1)) == 0) {
    block = blocks_.allocate_at(*last_freed_offset_, size_bytes);
  }
  if (!block) block = blocks_.allocate(size_bytes, alignment_bytes);
  if (block) given_bytes_ += size_bytes;
  peak_bytes_ = std::max(peak_bytes_, given_bytes_);
  return block;
}

void Arena::free(Block block) noexcept {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = (block->offset_bytes + page - 1) & ~(page - 1);
  const std::uint64_t end = (block->offset_bytes + block->size_bytes) & ~(page - 1);
  // Where the kernel cannot, the pages stay: nothing depends on it.
  if (begin < end) static_cast<void>(madvise(device_view_ + begin, end - begin, MADV_REMOVE));
  const std::lock_guard lock(mutex_);
  given_bytes_ -= block->size_bytes;
  last_freed_offset_ = block->offset_bytes;
  blocks_.free(block);
}

std::uint64_t Arena::peak_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

std::uint64_t Arena::free_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return blocks_.free_bytes();
}

std::uint64_t Arena::largest_free_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return blocks_.largest_free_bytes();
}

}  // namespace collet::sim
