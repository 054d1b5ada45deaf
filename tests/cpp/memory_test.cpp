// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <collet/memory.hpp>
#include <collet/stream.hpp>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

TEST_CASE("Object copies share, moves leave an empty one, and empty ones are refused") {
  STATIC_REQUIRE(std::is_nothrow_move_constructible_v<collet::Buffer>);
  STATIC_REQUIRE(std::is_nothrow_move_assignable_v<collet::Buffer>);
  const collet::Stream stream;
  collet::Buffer first = stream.allocate(64);
  collet::Buffer second = first;
  CHECK(second.get() == first.get());

  const collet::Buffer moved = std::move(first);
  CHECK(moved.get() == second.get());
  CHECK(!first);  // NOLINT(bugprone-use-after-move): the state is what is tested
  CHECK_THROWS_AS(first.size_bytes(), collet::Error);

  const collet::Buffer& itself = second;
  second = itself;
  CHECK(second.size_bytes() == 64);
}

TEST_CASE("Object the memory lives until the last copy goes") {
  const collet::Stream stream;
  collet_buffer_t* handle = nullptr;
  {
    collet::Buffer last;
    {
      const collet::Buffer first = stream.allocate(16);
      last = first;
      handle = first.get();
    }
    CHECK(last.size_bytes() == 16);
  }
  collet_buffer_info_t info = COLLET_BUFFER_INFO_INIT;
  CHECK(collet_buffer_info(handle, &info) == COLLET_ERROR_INVALID_HANDLE);
}

TEST_CASE("Buffer describes itself") {
  const collet::Stream stream;
  const collet::Buffer buffer = stream.allocate(100, {.alignment_bytes = 256, .tag = "test"});
  CHECK(buffer.size_bytes() == 100);
  CHECK(buffer.device() == stream.device());
  CHECK(buffer.info().kind == COLLET_MEMORY_DEVICE);
  CHECK(buffer.info().alignment_bytes >= 256);
  CHECK(stream.allocate(0).size_bytes() == 0);
}

TEST_CASE("Buffer host_view reaches pinned memory as whole elements") {
  const collet::Stream stream;
  const collet::Buffer pinned = stream.allocate(4 * 5 + 3, {.kind = COLLET_MEMORY_PINNED});
  const std::span<int> values = pinned.host_view<int>();
  REQUIRE(values.size() == 5);
  std::iota(values.begin(), values.end(), 1);
  std::array<int, 5> copy{};
  stream.read(pinned, copy);
  CHECK(copy == std::array{1, 2, 3, 4, 5});
}

TEST_CASE("Buffer register_host lets commands use memory of the caller") {
  std::vector<int> memory{1, 2, 3, 4};
  const collet::Stream stream;
  {
    const auto registered = collet::Buffer::register_host(stream.device(), std::span(memory));
    stream.fill(registered.at(4), 2, 9);
    stream.synchronize();
  }
  CHECK(memory == std::vector{1, 9, 9, 4});
}

}  // namespace
