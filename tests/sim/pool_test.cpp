// SPDX-License-Identifier: Apache-2.0
#include <collet/plugin/pool.h>

#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
/** The whole of a device in these tests. */
constexpr std::uint64_t kTotal = 8 * kMebi;

[[maybe_unused]] const std::string& kSet = host_options()["memory"] = "8MiB";

const collet_plugin_pool_interface_t& pool() {
  const void* table = nullptr;
  const char* reason = nullptr;
  REQUIRE(plugin().root->device_interface(plugin().device, COLLET_INTERFACE_POOL_V1, &table,
                                          &reason) == COLLET_OK);
  return *static_cast<const collet_plugin_pool_interface_t*>(table);
}

/** Memory of the pool, freed on its stream. NULL if there was none. */
class Pooled {
 public:
  Pooled(const Stream& stream, std::uint64_t size_bytes, std::uint64_t alignment_bytes = 0)
      : stream_(stream) {
    status_ = pool().allocate(stream.handle(), size_bytes, alignment_bytes, &handle_);
  }
  Pooled(const Pooled&) = delete;
  Pooled& operator=(const Pooled&) = delete;
  ~Pooled() { free_on(stream_); }

  void free_on(const Stream& stream) {
    if (handle_ != nullptr) pool().free(handle_, stream.handle());
    handle_ = nullptr;
  }

  [[nodiscard]] collet_status_t status() const { return status_; }
  [[nodiscard]] std::uint64_t address() const {
    std::uint64_t address = 0;
    REQUIRE(status_ == COLLET_OK);
    REQUIRE(plugin().memory->native_pointer(handle_, &address) == COLLET_OK);
    return address;
  }

 private:
  const Stream& stream_;
  collet_status_t status_ = COLLET_OK;
  collet_plugin_memory_t* handle_ = nullptr;
};

std::uint64_t trim() {
  std::uint64_t released_bytes = 0;
  REQUIRE(pool().trim(plugin().device, &released_bytes) == COLLET_OK);
  return released_bytes;
}

std::uint64_t reserved_bytes() {
  std::uint64_t reserved_bytes = 0;
  std::uint64_t used_bytes = 0;
  REQUIRE(pool().info(plugin().device, &reserved_bytes, &used_bytes) == COLLET_OK);
  return reserved_bytes;
}

std::uint64_t address_of_freed(const Stream& stream, std::uint64_t size_bytes) {
  return Pooled(stream, size_bytes).address();
}

TEST_CASE("PLUG-POOL-3 a stream has the same memory again, another one once that has come to it") {
  const Stream stream;
  const Stream other;
  Gate gate;
  gate.shut(stream);
  const std::uint64_t freed = address_of_freed(stream, 1000);
  CHECK(address_of_freed(other, 1000) != freed);
  CHECK(address_of_freed(stream, 1000) == freed);
  CHECK(reserved_bytes() == 2 * 1024);
  CHECK(trim() == 1024);
  gate.open();
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(address_of_freed(other, 1000) == freed);
  REQUIRE(other.synchronize() == COLLET_OK);
  CHECK(trim() == 1024);
  CHECK(reserved_bytes() == 0);
}

TEST_CASE("PLUG-POOL-2 the stream of the free counts, whichever the memory was allocated on") {
  const Stream stream;
  const Stream busy;
  Pooled memory(stream, 1000);
  const std::uint64_t address = memory.address();
  Gate gate;
  gate.shut(busy);
  memory.free_on(busy);
  CHECK(address_of_freed(stream, 1000) != address);
  CHECK(address_of_freed(busy, 1000) == address);
}

TEST_CASE("PLUG-POOL-3 large memory is kept for large allocations while there is room") {
  const Stream stream;
  Gate gate;
  gate.shut(stream);
  const Pooled rest(stream, 4 * kMebi - 1024);
  const std::uint64_t large = address_of_freed(stream, 4 * kMebi);
  const Pooled small(stream, 1000);
  CHECK(small.address() != large);
  CHECK(address_of_freed(stream, 3 * kMebi) == large);
  // Now there is none.
  CHECK(address_of_freed(stream, 5000) == large);
}

TEST_CASE("PLUG-POOL-3 of what fits, the smallest is taken, at the alignment that is asked for") {
  const Stream stream;
  Gate gate;
  gate.shut(stream);
  std::uint64_t small = 0;
  {
    const Pooled first(stream, 2000, 4096);
    const Pooled second(stream, 1500);
    const Pooled third(stream, 1800);
    small = second.address();
    CHECK(small % 4096 != 0);
  }
  CHECK(address_of_freed(stream, 1400) == small);
  CHECK(Pooled(stream, 1400, 4096).address() % 4096 == 0);
  CHECK(Pooled(stream, 1, std::uint64_t{1} << 30).status() == COLLET_ERROR_UNSUPPORTED);
}

TEST_CASE("PLUG-POOL-5 what is free in pieces is joined before an allocation fails") {
  const Stream stream;
  {
    const Pooled one(stream, kTotal / 2);
    const Pooled two(stream, kTotal / 2);
    CHECK(Pooled(stream, 1).status() == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(last_report().message.find("sim:0") != std::string::npos);
  }
  CHECK(Pooled(stream, kTotal).status() == COLLET_OK);
  for (const std::uint64_t impossible : {kTotal + 1, UINT64_MAX, UINT64_MAX / 2 + 1}) {
    CHECK(Pooled(stream, impossible).status() == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  }
  CHECK(reserved_bytes() == 0);
}

}  // namespace
}  // namespace collet::test
