// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <collet/collet.hpp>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

struct Mixed {
  std::int32_t first;
  double second;
};

collet::Program kernels() { return collet::default_device().load(TEST_KERNELS); }

TEST_CASE("launch gives values of any plain type to the kernel as they are") {
  const collet::Stream stream;
  const collet::Buffer out = stream.upload(std::vector<double>(6, 0.0));
  stream.launch(kernels().kernel("store_scalars"), collet::Grid{}, out.at(8), std::uint8_t{200},
                0.5F, std::uint64_t{1} << 40, Mixed{-3, 1.25});
  std::array<double, 6> result{};
  stream.read(out, result);
  CHECK(result == std::array{0.0, 200.0, 0.5, 1099511627776.0, -3.0, 1.25});
}

TEST_CASE("launch covers all items, with local memory for each group") {
  const collet::Stream stream;
  std::vector<std::int32_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const collet::Buffer buffer = stream.upload(values);
  stream.launch(kernels().kernel("increment"), collet::grid(values.size(), 64), buffer,
                collet::local(64 * sizeof(std::int32_t)), values.size());
  std::vector<std::int32_t> result(1000);
  stream.read(buffer, result);
  std::iota(values.begin(), values.end(), 1);
  CHECK(result == values);
}

TEST_CASE("launch of a kernel with the wrong arguments throws") {
  const collet::Stream stream;
  const collet::Kernel kernel = kernels().kernel("increment");
  const collet::Buffer buffer = stream.allocate(64);
  CHECK_THROWS_AS(stream.launch(kernel, collet::grid(1), buffer), collet::Error);
  CHECK_THROWS_AS(stream.launch(kernel, collet::grid(1), buffer, collet::local(4), 1.0F),
                  collet::Error);
  CHECK_NOTHROW(stream.launch(kernel, collet::grid(0), buffer, collet::local(4), std::uint64_t{0}));
}

TEST_CASE("grid takes just as many groups as the items need") {
  CHECK(collet::grid(0, 64).groups[0] == 0);
  CHECK(collet::grid(1, 64).groups[0] == 1);
  CHECK(collet::grid(64, 64).groups[0] == 1);
  CHECK(collet::grid(65, 64).groups[0] == 2);
  CHECK(collet::grid(65, 0).group_size[0] == 0);
  CHECK(collet::grid(UINT64_MAX, 64).groups[0] == (std::uint64_t{1} << 58));
}

TEST_CASE("Kernel describes itself, and keeps its program alive") {
  const collet::Kernel kernel = kernels().kernel("increment");
  const collet_kernel_info_t info = kernel.info();
  CHECK(std::string(info.name) == "increment");
  CHECK(info.argument_count == 3);
  CHECK(info.argument_kinds[1] == COLLET_ARGUMENT_LOCAL);
}

TEST_CASE("Program lists its kernels") {
  CHECK(kernels().kernels() == std::vector<std::string>{"store_scalars", "increment"});
}

TEST_CASE("Program a kernel that is not there is an error with its status") {
  try {
    kernels().kernel("incremen");
    FAIL("nothing was thrown");
  } catch (const collet::Error& error) {
    CHECK(error.status() == COLLET_ERROR_NOT_FOUND);
    CHECK(std::string(error.what()).find("increment") != std::string::npos);
  }
}

TEST_CASE("Program a bundle without a format that fits is refused, and a bad image too") {
  const collet::Device device = collet::default_device();
  const std::string text = "no program";
  std::string log = "untouched";
  CHECK_THROWS_AS(collet::Program(device, {{"no-such-format", text.data(), text.size()}}),
                  collet::Error);
  CHECK_THROWS_AS(collet::Program(device, {{COLLET_FORMAT_HOST_SO, text.data(), text.size()}},
                                  {.build_log = &log}),
                  collet::Error);
  CHECK(log != "untouched");
}

TEST_CASE("Device load names a file that it cannot use") {
  const collet::Device device = collet::default_device();
  CHECK_THROWS_AS(device.load("kernels.txt"), std::invalid_argument);
  CHECK_THROWS_WITH(device.load("no_such_file.so"), "no_such_file.so: cannot be read");
}

}  // namespace
