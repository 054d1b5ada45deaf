// SPDX-License-Identifier: Apache-2.0
//
// Two kernels of one's own, in one file for every device: the program carries them inside, or
// compiles a file that is given when it runs.
#include <chrono>
#include <cmath>
#include <collet/collet.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "normalize_kernels.h"

namespace {

constexpr int kGood = 0;
constexpr int kFailure = 1;
constexpr int kWrongInput = 2;

constexpr const char* kUsage =
    "Usage: custom_kernel [--device DEVICE] [--kernels FILE.clt]\n"
    "Makes a vector one long, with the kernels inside, or with those of a file in collet-c.\n"
    "Exit status: 0 success, 2 wrong usage, device or file, 1 any other failure.\n";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::optional<std::string> device;
  std::optional<std::string> kernels;
  bool help = false;
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      options.help = true;
    } else if (name != "--device" && name != "--kernels") {
      throw UsageError("unknown option \"" + std::string(name) + '"');
    } else if (++i == argc) {
      throw UsageError(std::string(name) + ": expected a value");
    } else {
      (name == "--device" ? options.device : options.kernels) = argv[i];
    }
  }
  return options;
}

collet::Program build(const collet::Device& device, const std::optional<std::string>& file) {
  const auto start = std::chrono::steady_clock::now();
  collet::Program program = file ? device.load(*file) : collet::Program(device, normalize_kernels);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  std::printf("%s: built in %.1f ms, with", file ? file->c_str() : "the kernels inside",
              taken.count());
  for (const std::string& name : program.kernels()) std::printf(" %s", name.c_str());
  std::puts("");
  return program;
}

float length_of(const collet::Stream& stream, const collet::Kernel& sum_squares,
                const collet::Buffer& x, std::uint64_t count) {
  // Each group leaves one number; the host adds them.
  constexpr std::uint64_t kGroups = 64;
  std::vector<float> partial(kGroups);
  const collet::Buffer sums = stream.allocate(kGroups * sizeof(float));
  stream.launch(sum_squares, {{kGroups, 1, 1}, {256, 1, 1}}, x, sums, count);
  stream.read(sums, partial);
  double sum = 0;
  for (const float part : partial) sum += static_cast<double>(part);
  return static_cast<float>(std::sqrt(sum));
}

int run(const collet::Device& device, const collet::Program& program) {
  const std::vector<float> x(1'000'000, 3.0F);  // 3000 long
  const std::uint64_t count = x.size();
  const collet::Stream stream(device);
  const collet::Buffer dx = stream.upload(x);
  const collet::Kernel sum_squares = program.kernel("sum_squares");

  const float before = length_of(stream, sum_squares, dx, count);
  stream.launch(program.kernel("scale"), collet::grid(count), dx, 1.0F / before, count);
  const float after = length_of(stream, sum_squares, dx, count);

  std::printf("on %s the vector was %g long, and is %g long now\n", device.id().c_str(),
              static_cast<double>(before), static_cast<double>(after));
  return std::abs(before - 3000.0F) < 0.1F && std::abs(after - 1.0F) < 1e-4F ? kGood : kFailure;
}

}  // namespace

int main(int argc, char** argv) {
  int if_it_fails = kWrongInput;
  try {
    const Options options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(kUsage, stdout);
      return kGood;
    }
    const collet::Device device =
        options.device ? collet::Device::open(*options.device) : collet::default_device();
    // What does not compile says so here, with the line of the file.
    const collet::Program program = build(device, options.kernels);
    if_it_fails = kFailure;
    return run(device, program);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "custom_kernel: %s\n%s", error.what(), kUsage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return if_it_fails;
}
