// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

template <class Value>
std::vector<unsigned char> bytes_of(const std::vector<Value>& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(Value));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST_CASE("PLUG-PRG-4 every group of the grid runs once, on memory of the device") {
  Program program(module_image("good"));
  const Stream stream;
  const std::array<std::uint64_t, 3> grid = {5, 3, 2};
  const Memory memory(30 * sizeof(std::uint64_t), 0);
  REQUIRE(launch(stream, program.kernel("count"), grid, {buffer_argument(memory)}) == COLLET_OK);
  REQUIRE(stream.synchronize() == COLLET_OK);
  std::vector<std::uint64_t> expected(30);
  for (std::uint64_t i = 0; i < 30; ++i) expected[i] = 1 + i;
  CHECK(memory.bytes() == bytes_of(expected));
  CHECK(memory.has_canaries());
  // An empty grid is an empty command.
  REQUIRE(launch(stream, program.kernel("count"), {5, 0, 2}, {buffer_argument(memory)}) ==
          COLLET_OK);
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(memory.bytes() == bytes_of(expected));
}

TEST_CASE("PLUG-PRG-5 arguments are copied before the launch returns") {
  Program program(module_image("good"));
  const Stream stream;
  constexpr std::uint32_t kCount = 1000;
  const Memory x(bytes_of(std::vector<float>(kCount, 3)));
  const Memory y(bytes_of(std::vector<float>(kCount, 1)));
  float a = 2;
  std::uint32_t n = kCount;
  Gate gate;
  gate.shut(stream);
  REQUIRE(launch(stream, program.kernel("saxpy"), {4, 1, 1},
                 {buffer_argument(x), buffer_argument(y), scalar_argument(a), scalar_argument(n)},
                 {256, 1, 1}) == COLLET_OK);
  a = 100;
  n = 0;
  // The launch outlives both (PLUG-PRG-7).
  program.destroy();
  gate.open();
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(y.bytes() == bytes_of(std::vector<float>(kCount, 7)));
  CHECK(y.has_canaries());
}

TEST_CASE("PLUG-PRG-2 a group that is larger than the device's fails to build") {
  CHECK(build(module_image("good")).status == COLLET_OK);
  const BuildResult result = build({'n', 'o', ' ', 'E', 'L', 'F'});
  CHECK(result.status == COLLET_ERROR_BUILD_FAILED);
  CHECK(result.log == last_report().message);
  CHECK(build(module_image("half_group")).log.find("1 to 1024 items") != std::string::npos);
}

TEST_CASE("PLUG-STR-6 kernels of two streams can wait for each other") {
  Program program(module_image("good"));
  collet_plugin_kernel_t* const meet = program.kernel("meet");
  const Memory place(sizeof(std::uint64_t), 0);
  const Stream first;
  const Stream second;
  REQUIRE(launch(first, meet, {1, 1, 1}, {buffer_argument(place)}) == COLLET_OK);
  REQUIRE(launch(second, meet, {1, 1, 1}, {buffer_argument(place)}) == COLLET_OK);
  CHECK(first.synchronize() == COLLET_OK);
  CHECK(second.synchronize() == COLLET_OK);
  CHECK(place.bytes() == bytes_of(std::vector<std::uint64_t>{2}));
}

}  // namespace
}  // namespace collet::test
