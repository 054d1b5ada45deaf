// SPDX-License-Identifier: Apache-2.0
//
// Pinned memory that cannot be touched too early. Stream::write() and Stream::read() take it.
#pragma once

#include <collet/detail/device_uses.hpp>
#include <collet/memory.hpp>
#include <collet/stream.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace collet {

namespace detail {

/// What a PinnedArray shares with the views of it.
struct PinnedMemory {
  Buffer buffer;
  DeviceUses uses;
  unsigned reading_views = 0;
  unsigned writing_views = 0;
};

}  // namespace detail

/// Values in pinned memory in the hands of the host: a contiguous range. As long as it lives, no
/// stream is given the memory to write, nor, where the values are not const, to read. Belongs to
/// one thread.
template <class T>
class [[nodiscard]] HostView {
 public:
  HostView(HostView&& other) noexcept
      : values_(std::exchange(other.values_, {})), memory_(std::move(other.memory_)) {}
  HostView& operator=(HostView&& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~HostView() {
    if (memory_) --count(*memory_);
  }

  T* data() const noexcept { return values_.data(); }
  std::size_t size() const noexcept { return values_.size(); }
  T* begin() const noexcept { return data(); }
  T* end() const noexcept { return data() + size(); }
  T& operator[](std::size_t index) const noexcept { return values_[index]; }

 private:
  template <class Value>
  friend class PinnedArray;

  HostView(std::span<T> values, std::shared_ptr<detail::PinnedMemory> memory) noexcept
      : values_(values), memory_(std::move(memory)) {
    ++count(*memory_);
  }

  static unsigned& count(detail::PinnedMemory& memory) noexcept {
    return std::is_const_v<T> ? memory.reading_views : memory.writing_views;
  }

  std::span<T> values_;
  std::shared_ptr<detail::PinnedMemory> memory_;
};

/// Values in pinned memory, which copies reach without blocking the host. It knows which streams
/// still read or write it: the host gets the values only through views, which wait for what they
/// must, and copies of several streams wait for each other where they must. When it goes, its
/// memory goes once the streams are done, without waiting for them. Moved-from ones are refused
/// with INVALID_HANDLE. Belongs to one thread.
template <class T>
class PinnedArray {
  static_assert(std::is_trivially_copyable_v<T>, "only bytes can be shared with a device");

 public:
  /// `size` values, undefined ones, in memory that belongs to the stream, as by Stream::allocate().
  PinnedArray(const Stream& stream, std::size_t size, const AllocOptions& options = {})
      : memory_(std::make_shared<detail::PinnedMemory>()), size_(size) {
    if (size > SIZE_MAX / sizeof(T)) throw std::length_error("collet: the array is too large");
    AllocOptions pinned = options;
    pinned.kind = COLLET_MEMORY_PINNED;
    memory_->buffer = stream.allocate(size * sizeof(T), pinned);
    values_ = memory_->buffer.template host_view<T>().data();
  }
  PinnedArray(PinnedArray&& other) noexcept
      : memory_(std::move(other.memory_)),
        values_(std::exchange(other.values_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(values_, other.values_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedArray() = default;

  std::size_t size() const noexcept { return size_; }

  /// The values, to read. Blocking: waits for the last copy that wrote them; throws the failure of
  /// that, until they are written again.
  HostView<const T> host_read() const {
    memory().uses.wait_for_write();
    return {{values_, size_}, memory_};
  }

  /// The values, to change. Blocking: waits for all copies from and to them. What has failed says
  /// so on its stream, and to host_read().
  HostView<T> host_write() {
    memory().uses.wait_until_unused();
    return {{values_, size_}, memory_};
  }

 private:
  friend class Stream;

  detail::PinnedMemory& memory() const {
    if (!memory_) throw Error(COLLET_ERROR_INVALID_HANDLE);
    return *memory_;
  }

  std::span<T> part(std::size_t first, std::size_t count) const {
    if (first > size_ || (count != std::dynamic_extent && count > size_ - first)) {
      throw std::out_of_range("collet: the part ends past the pinned array");
    }
    return std::span<T>(values_, size_).subspan(first, count);
  }

  std::shared_ptr<detail::PinnedMemory> memory_;
  T* values_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
void Stream::write(BufferOffset target, const PinnedArray<T>& source, std::size_t first,
                   std::size_t count) const {
  detail::PinnedMemory& memory = source.memory();
  const std::span<T> values = source.part(first, count);
  if (memory.writing_views > 0) {
    throw std::logic_error(
        "collet: the host may still write the pinned array that a stream is to "
        "read; end the view that host_write() has given");
  }
  memory.uses.read_by(
      *this, [&] { enqueue_write(target, std::as_bytes(values)); }, target, memory.buffer);
}

template <class T>
void Stream::read(BufferOffset source, PinnedArray<T>& target, std::size_t first,
                  std::size_t count) const {
  detail::PinnedMemory& memory = target.memory();
  const std::span<T> values = target.part(first, count);
  if (memory.reading_views + memory.writing_views > 0) {
    throw std::logic_error(
        "collet: the host may still use the pinned array that a stream is to "
        "write; end the views that host_read() and host_write() have given");
  }
  memory.uses.write_by(
      *this, [&] { enqueue_read(source, std::as_writable_bytes(values)); }, source, memory.buffer);
}

}  // namespace collet
