// SPDX-License-Identifier: Apache-2.0
//
// y = a * x + y with a kernel of one's own: copy in, compute, copy out, check, and time each part.
#include <charconv>
#include <chrono>
#include <collet/collet.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "saxpy_kernel.h"

namespace {

constexpr int kGood = 0;
constexpr int kFailure = 1;
constexpr int kWrongInput = 2;

constexpr const char* kUsage =
    "Usage: saxpy [--n COUNT] [--device DEVICE]\n"
    "Computes y = 2.5 * x + y for COUNT values (default 16777216) on a Collet device.\n"
    "Exit status: 0 success, 2 wrong usage or device, 1 any other failure.\n";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::uint64_t count = std::uint64_t{1} << 24U;
  std::optional<std::string> device;
  bool help = false;
};

std::uint64_t parse_count(std::string_view text) {
  constexpr std::uint64_t kGreatest = std::uint64_t{1} << 30U;
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 1 || count > kGreatest) {
    throw UsageError("--n: expected a whole number from 1 to " + std::to_string(kGreatest) +
                     ", found \"" + std::string(text) + '"');
  }
  return count;
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      options.help = true;
    } else if (name != "--n" && name != "--device") {
      throw UsageError("unknown option \"" + std::string(name) + '"');
    } else if (++i == argc) {
      throw UsageError(std::string(name) + ": expected a value");
    } else if (name == "--n") {
      options.count = parse_count(argv[i]);
    } else {
      options.device = argv[i];
    }
  }
  return options;
}

void print_rate(const char* what, std::uint64_t bytes, std::chrono::nanoseconds duration) {
  const std::chrono::duration<double, std::milli> milliseconds = duration;
  // Bytes per nanosecond are GB/s. A clock may be too coarse for very small copies.
  const double rate = static_cast<double>(bytes) / static_cast<double>(duration.count());
  std::printf("  %-9s %10.3f ms", what, milliseconds.count());
  std::printf(duration.count() > 0 ? "  %7.2f GB/s\n" : "\n", rate);
}

// Every value is exact in float, so that any difference is a fault.
float expected(float a, std::uint64_t i) {
  return a * static_cast<float>(i % 1024) + static_cast<float>(i % 256);
}

int check(float a, const std::vector<float>& y) {
  for (std::uint64_t i = 0; i < y.size(); ++i) {
    if (y[i] == expected(a, i)) continue;
    std::fprintf(stderr, "saxpy: y[%llu] is %g, not %g\n", static_cast<unsigned long long>(i),
                 static_cast<double>(y[i]), static_cast<double>(expected(a, i)));
    return kFailure;
  }
  std::printf("all %llu values are right\n", static_cast<unsigned long long>(y.size()));
  return kGood;
}

int run(const collet::Device& device, const collet::Kernel& saxpy, std::uint64_t count) {
  constexpr float kA = 2.5F;
  std::vector<float> x(count);
  std::vector<float> y(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(i % 1024);
    y[i] = static_cast<float>(i % 256);
  }

  const collet::Stream stream(device);
  const collet::Event start(device, {.timing = true});
  const collet::Event copied_in(device, {.timing = true});
  const collet::Event computed(device, {.timing = true});
  const collet::Event copied_out(device, {.timing = true});

  const collet::Buffer dx = stream.upload(x);
  const collet::Buffer dy = stream.upload(y);
  const collet::Grid grid = collet::grid(count);
  // Changes nothing, but first uses cost more than others.
  stream.launch(saxpy, grid, 0.0F, dx, dy, count);

  stream.record(start);
  stream.write(dx, x);
  stream.write(dy, y);
  stream.record(copied_in);
  stream.launch(saxpy, grid, kA, dx, dy, count);
  stream.record(computed);
  stream.download(dy, y).wait();
  stream.record(copied_out);

  const std::uint64_t bytes = count * sizeof(float);
  std::printf("saxpy of %llu values on %s (%s)\n", static_cast<unsigned long long>(count),
              device.id().c_str(), device.properties().name);
  print_rate("copy in", 2 * bytes, collet::elapsed(start, copied_in));
  print_rate("kernel", 3 * bytes, collet::elapsed(copied_in, computed));
  print_rate("copy out", bytes, collet::elapsed(computed, copied_out));
  return check(kA, y);
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
    // Devices that take no shared objects of the host say so here.
    const collet::Program program(
        device, {{COLLET_FORMAT_HOST_SO, saxpy_kernel, saxpy_kernel_size}}, {.label = "saxpy"});
    if_it_fails = kFailure;
    return run(device, program.kernel("saxpy"), options.count);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "saxpy: %s\n%s", error.what(), kUsage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return if_it_fails;
}
