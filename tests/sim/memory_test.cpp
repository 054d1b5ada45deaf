// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
/** The whole of a device in these tests. */
constexpr std::uint64_t kTotal = 8 * kMebi;

/** Frees what it allocates. */
class Allocations {
 public:
  explicit Allocations(collet_memory_kind_t kind) : kind_(kind) {
    host_options()["memory"] = "8MiB";
  }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  ~Allocations() { free_all(); }

  collet_status_t add(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 0) {
    collet_plugin_memory_t* memory = nullptr;
    const collet_status_t status =
        plugin().memory->allocate(plugin().device, kind_, size_bytes, alignment_bytes, &memory);
    if (status == COLLET_OK) memories_.push_back(memory);
    return status;
  }
  void free_all() {
    for (collet_plugin_memory_t* memory : memories_) plugin().memory->free(memory);
    memories_.clear();
  }

  [[nodiscard]] std::size_t count() const { return memories_.size(); }
  [[nodiscard]] collet_plugin_memory_t* last() const { return memories_.back(); }
  [[nodiscard]] std::uint64_t last_address() const {
    std::uint64_t address = 0;
    REQUIRE(plugin().memory->native_pointer(last(), &address) == COLLET_OK);
    return address;
  }

 private:
  collet_memory_kind_t kind_;
  std::vector<collet_plugin_memory_t*> memories_;
};

std::uint64_t free_bytes() {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  REQUIRE(plugin().memory->info(plugin().device, &free_bytes, &total_bytes) == COLLET_OK);
  CHECK(total_bytes == kTotal);
  return free_bytes;
}

/** The signal that ends a process which does `body`; 0 if none does. */
int fatal_signal_of(const std::function<void()>& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    // A sanitizer would report the access instead.
    signal(SIGSEGV, SIG_DFL);
    body();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_CASE("MEM a host that reads or writes device memory dies of it") {
  Allocations device(COLLET_MEMORY_DEVICE);
  REQUIRE(device.add(3 * kMebi) == COLLET_OK);
  auto* const address = reinterpret_cast<volatile unsigned char*>(device.last_address());
  for (const std::uint64_t at : {std::uint64_t{0}, kMebi + 17, 3 * kMebi - 1}) {
    CHECK(fatal_signal_of([&] { static_cast<void>(address[at]); }) == SIGSEGV);
    CHECK(fatal_signal_of([&] { address[at] = 1; }) == SIGSEGV);
  }
  // What makes the difference is whose memory it is.
  Allocations pinned(COLLET_MEMORY_PINNED);
  REQUIRE(pinned.add(100) == COLLET_OK);
  auto* const own = reinterpret_cast<volatile unsigned char*>(pinned.last_address());
  CHECK(fatal_signal_of([&] { own[99] = own[0]; }) == 0);
}

TEST_CASE("MEM device memory has no host pointer") {
  Allocations device(COLLET_MEMORY_DEVICE);
  REQUIRE(device.add(64) == COLLET_OK);
  void* pointer = nullptr;
  CHECK(plugin().memory->host_pointer(device.last(), &pointer) == COLLET_ERROR_UNSUPPORTED);
  CHECK(pointer == nullptr);
  CHECK(last_report().message.find("copy it") != std::string::npos);
}

TEST_CASE("PLUG-MEM-1 memory is aligned as its traits say, or as asked") {
  for (const collet_memory_kind_t kind : {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED}) {
    Allocations memories(kind);
    collet_memory_traits_t traits{};
    traits.struct_size = sizeof(traits);
    REQUIRE(plugin().memory->traits(plugin().device, kind, &traits) == COLLET_OK);
    REQUIRE(traits.supported == 1);
    CHECK(traits.max_allocation_bytes == kTotal);
    for (std::uint64_t alignment = 1; alignment <= traits.max_alignment_bytes; alignment *= 2) {
      REQUIRE(memories.add(1, alignment) == COLLET_OK);
      CHECK(memories.last_address() % std::max(alignment, traits.alignment_bytes) == 0);
    }
    CHECK(memories.add(1, 2 * traits.max_alignment_bytes) == COLLET_ERROR_UNSUPPORTED);
  }
}

TEST_CASE("PLUG-MEM-4 device memory can be used to the last byte, and is given back whole") {
  Allocations memories(COLLET_MEMORY_DEVICE);
  REQUIRE(free_bytes() == kTotal);
  std::uint64_t size = 256;
  while (memories.add(size) == COLLET_OK) size = size * 2 % (kMebi + 1) + 256;
  while (memories.add(256) == COLLET_OK) continue;
  CHECK(free_bytes() == 0);
  CHECK(memories.add(0) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(last_report().message.find("sim:0") != std::string::npos);
  CHECK(last_report().message.find("COLLET_SIM_MEMORY") != std::string::npos);
  memories.free_all();
  CHECK(free_bytes() == kTotal);
  CHECK(memories.add(kTotal) == COLLET_OK);
  memories.free_all();
  for (const std::uint64_t impossible : {kTotal + 1, UINT64_MAX, UINT64_MAX - 255}) {
    CHECK(memories.add(impossible) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  }
  CHECK(free_bytes() == kTotal);
}

TEST_CASE("PLUG-MEM-4 pinned memory has a limit of its own") {
  Allocations pinned(COLLET_MEMORY_PINNED);
  while (pinned.add(kMebi) == COLLET_OK) continue;
  CHECK(pinned.count() == 8);
  CHECK(last_report().status == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(free_bytes() == kTotal);
  pinned.free_all();
  CHECK(pinned.add(kTotal) == COLLET_OK);
}

TEST_CASE("PLUG-MEM-2 memories of no bytes are distinct") {
  Allocations memories(COLLET_MEMORY_DEVICE);
  REQUIRE(memories.add(0) == COLLET_OK);
  const std::uint64_t first = memories.last_address();
  REQUIRE(memories.add(0) == COLLET_OK);
  CHECK(memories.last_address() != first);
}

TEST_CASE("PLUG-MEM-6 there is no shared memory") {
  Allocations shared(COLLET_MEMORY_SHARED);
  collet_memory_traits_t traits{};
  traits.struct_size = sizeof(traits);
  traits.supported = 7;
  REQUIRE(plugin().memory->traits(plugin().device, COLLET_MEMORY_SHARED, &traits) == COLLET_OK);
  CHECK(traits.supported == 0);
  CHECK(shared.add(64) == COLLET_ERROR_UNSUPPORTED);
  CHECK(last_report().message.find("shares none") != std::string::npos);
}

TEST_CASE("PLUG-MEM-5 pinned and registered memory is what the device reads and writes") {
  Allocations pinned(COLLET_MEMORY_PINNED);
  REQUIRE(pinned.add(16) == COLLET_OK);
  void* pointer = nullptr;
  REQUIRE(plugin().memory->host_pointer(pinned.last(), &pointer) == COLLET_OK);
  auto* const bytes = static_cast<unsigned char*>(pointer);
  for (unsigned char i = 0; i < 16; ++i) bytes[i] = i;

  std::vector<unsigned char> own(18, 0xEE);
  collet_plugin_memory_t* registered = nullptr;
  REQUIRE(plugin().memory->register_host(plugin().device, own.data() + 1, 16, &registered) ==
          COLLET_OK);
  REQUIRE(plugin().memory->host_pointer(registered, &pointer) == COLLET_OK);
  CHECK(pointer == own.data() + 1);
  const Stream stream;
  REQUIRE(plugin().stream->copy(stream.handle(), registered, 0, pinned.last(), 0, 16) == COLLET_OK);
  REQUIRE(stream.synchronize() == COLLET_OK);
  plugin().memory->free(registered);
  CHECK(own.front() == 0xEE);
  CHECK(own.back() == 0xEE);
  CHECK(std::equal(own.begin() + 1, own.end() - 1, bytes));
}

}  // namespace
}  // namespace collet::test
