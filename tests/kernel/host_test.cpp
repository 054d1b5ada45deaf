// SPDX-License-Identifier: Apache-2.0
//
// What only the host's builds of the kernels show.
#include <collet/collet.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/in_threads.hpp"

namespace {

using collet::test::in_threads;

struct Build {
  const char* backend;
  const char* compiler;
};
constexpr Build kBuilds[] = {{"cpu", "gcc"}, {"cpu", "clang"}, {"sim", "gcc"}, {"sim", "clang"}};

collet::Program load(const Build& build, const std::string& file) {
  return collet::Device::open(build.backend)
      .load(std::string(HOST_KERNELS "/") + build.compiler + "/" + file + ".so");
}

TEST_CASE("a kernel's signature tells the kinds of its arguments, and its size") {
  for (const Build& build : kBuilds) {
    INFO(build.backend << ", " << build.compiler);
    const collet::Program program = load(build, "reduce");
    const collet_kernel_info_t any = program.kernel("block_sum_any").info();
    REQUIRE(any.argument_count == 4);
    CHECK(any.argument_kinds[0] == COLLET_ARGUMENT_BUFFER);
    CHECK(any.argument_kinds[1] == COLLET_ARGUMENT_BUFFER);
    CHECK(any.argument_kinds[2] == COLLET_ARGUMENT_SCALAR);
    CHECK(any.argument_kinds[3] == COLLET_ARGUMENT_LOCAL);
    CHECK(any.required_group[0] == 0);
    const collet_kernel_info_t sized = load(build, "matmul").kernel("matmul").info();
    CHECK(sized.required_group[0] == 16);
    CHECK(sized.required_group[1] == 16);
    CHECK(sized.required_group[2] == 1);
  }
}

TEST_CASE("a launch with another group size, or a value of another size, is refused") {
  for (const Build& build : kBuilds) {
    INFO(build.backend << ", " << build.compiler);
    const collet::Stream stream(collet::Device::open(build.backend));
    const collet::Program program = load(build, "reduce");
    const collet::Buffer x = stream.upload(std::vector<float>(256, 1));
    const collet::Buffer sums = stream.upload(std::vector<float>(1, 0));
    const collet::Kernel sized = program.kernel("block_sum");
    CHECK_THROWS_AS(stream.launch(sized, collet::grid(128, 128), x, sums, std::uint64_t{256}),
                    collet::Error);
    CHECK_THROWS_AS(stream.launch(sized, collet::grid(256, 256), x, sums, 256), collet::Error);
    stream.launch(sized, collet::grid(256, 256), x, sums, std::uint64_t{256});
    std::vector<float> result(1);
    stream.read(sums, result);
    CHECK(result[0] == 256);
  }
}

TEST_CASE("a block that is left by return fails its launch") {
  for (const Build& build : kBuilds) {
    INFO(build.backend << ", " << build.compiler);
    const collet::Stream stream(collet::Device::open(build.backend));
    const collet::Kernel kernel = load(build, "leaving").kernel("leaving");
    const collet::Buffer out = stream.upload(std::vector<int>(64, 0));
    stream.launch(kernel, collet::grid(64, 64), out, 63);
    CHECK_NOTHROW(stream.synchronize());
    try {
      stream.launch(kernel, collet::grid(64, 64), out, 20);
      stream.synchronize();
      FAIL("nothing was thrown");
    } catch (const collet::Error& error) {
      CHECK(error.status() == COLLET_ERROR_COMMAND_FAILED);
      CHECK(std::string(error.what()).find("left by return") != std::string::npos);
    }
  }
}

// Adds up 0..n-1 on a stream of its own, again and again; gives how often that was wrong.
int wrong_sums(const Build& build, const collet::Kernel& kernel, bool background) {
  const collet::Stream stream(collet::Device::open(build.backend), {.background = background});
  std::vector<float> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 100);
  const collet::Buffer values = stream.upload(x);
  int wrong = 0;
  for (int round = 0; round < 40; ++round) {
    const collet::Buffer sums = stream.allocate(4 * sizeof(float));
    stream.launch(kernel, collet::Grid{{4, 1, 1}, {256, 1, 1}}, values, sums,
                  std::uint64_t{x.size()});
    std::vector<float> result(4);
    stream.read(sums, result);
    wrong += result[0] + result[1] + result[2] + result[3] == 30 * 4950 ? 0 : 1;
  }
  return wrong;
}

TEST_CASE("a kernel runs on several streams at once, each group with local memory of its own") {
  for (const Build& build : kBuilds) {
    for (const bool background : {false, true}) {
      INFO(build.backend << ", " << build.compiler);
      const collet::Kernel kernel = load(build, "reduce").kernel("block_sum");
      std::vector<int> wrong(4, -1);
      in_threads(4, [&](int t) {
        wrong[static_cast<std::size_t>(t)] = wrong_sums(build, kernel, background);
      });
      CHECK(wrong == std::vector<int>(4, 0));
    }
  }
}

TEST_CASE("atomics lose nothing between streams that share a buffer") {
  constexpr std::size_t kCount = 20000;
  constexpr int kStreams = 4;
  for (const Build& build : {kBuilds[0], kBuilds[1]}) {
    INFO(build.backend << ", " << build.compiler);
    const collet::Device device = collet::Device::open(build.backend);
    const collet::Kernel kernel = load(build, "histogram").kernel("histogram");
    const collet::Stream first(device);
    const collet::Buffer values = first.upload(std::vector<std::uint8_t>(kCount, 7));
    const collet::Buffer counts = first.upload(std::vector<std::uint32_t>(256, 0));
    first.synchronize();
    in_threads(kStreams, [&](int) {
      const collet::Stream stream(device, {.background = true});
      stream.launch(kernel, collet::Grid{{16, 1, 1}, {64, 1, 1}}, values, counts,
                    std::uint64_t{kCount});
      stream.synchronize();
    });
    std::vector<std::uint32_t> result(256);
    first.read(counts, result);
    CHECK(result[7] == kCount * kStreams);
  }
}

}  // namespace
