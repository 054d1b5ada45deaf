// SPDX-License-Identifier: Apache-2.0
//
// Copies that hide behind compute, and those that do not: four ways to feed a device, measured and
// drawn side by side.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "overlap_kernel.h"
#include "pipeline.hpp"

namespace {

constexpr int kGood = 0;
constexpr int kFailure = 1;
constexpr int kWrongInput = 2;

constexpr const char* kUsage =
    "Usage: overlap [--steps COUNT] [--bytes BYTES] [--trace FILE] [--device DEVICE]\n"
    "Sums COUNT batches (default 20) of BYTES each (default 16000000) on a Collet device, and "
    "shows\n"
    "what becomes of the time to copy them there. FILE gets a trace for chrome://tracing.\n"
    "Exit status: 0 success, 2 wrong usage or device, 1 any other failure.\n";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::uint64_t steps = 20;
  std::uint64_t bytes = 16'000'000;
  std::optional<std::string> trace;
  std::optional<std::string> device;
  bool help = false;
};

std::uint64_t parse_number(std::string_view name, std::string_view text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > most) {
    throw UsageError(std::string(name) + ": expected a whole number from " + std::to_string(least) +
                     " to " + std::to_string(most) + ", found \"" + std::string(text) + '"');
  }
  return number;
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      options.help = true;
      continue;
    }
    if (name != "--steps" && name != "--bytes" && name != "--trace" && name != "--device") {
      throw UsageError("unknown option \"" + std::string(name) + '"');
    }
    if (++i == argc) throw UsageError(std::string(name) + ": expected a value");
    if (name == "--steps") {
      options.steps = parse_number(name, argv[i], 2, 1000);
    } else if (name == "--bytes") {
      options.bytes = parse_number(name, argv[i], sizeof(float), std::uint64_t{1} << 30U);
    } else {
      (name == "--trace" ? options.trace : options.device) = argv[i];
    }
  }
  return options;
}

double milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void check_sums(const overlap::Work& work, const overlap::Run& run) {
  for (std::uint64_t step = 0; step < work.steps; ++step) {
    // Exact: all partial sums are whole numbers below 2^53.
    if (run.sums[step] != overlap::expected_sum(work, step)) {
      throw std::runtime_error("overlap: " + run.timeline.title + ": the sum of step " +
                               std::to_string(step) + " is " + std::to_string(run.sums[step]) +
                               ", not " + std::to_string(overlap::expected_sum(work, step)));
    }
  }
}

std::vector<overlap::Timeline> run_all(const overlap::Work& work) {
  std::vector<overlap::Timeline> timelines;
  const auto add = [&](const char* title, overlap::Run run) {
    run.timeline.title = title;
    check_sums(work, run);
    timelines.push_back(std::move(run.timeline));
  };
  add("pageable, blocking", overlap::run_in_turn(work, false));
  add("pinned, blocking", overlap::run_in_turn(work, true));
  add("pageable, non-blocking", overlap::run_overlapped(work, false));
  add("pinned, non-blocking", overlap::run_overlapped(work, true));
  return timelines;
}

void print(const overlap::Work& work, const std::vector<overlap::Timeline>& timelines) {
  std::printf("%llu steps of %.3f MB on %s (%s)\n", static_cast<unsigned long long>(work.steps),
              static_cast<double>(work.count * sizeof(float)) / 1e6, work.device.id().c_str(),
              work.device.properties().name);
  std::chrono::nanoseconds longest{1};
  for (const overlap::Timeline& timeline : timelines) {
    longest = std::max(longest, timeline.length());
  }
  for (const overlap::Timeline& timeline : timelines) {
    const double total = milliseconds(timeline.length());
    std::printf("\n %-24s %10.3f ms, %8.3f ms a step", timeline.title.c_str(), total,
                total / static_cast<double>(work.steps));
    const double saved = 1 - total / milliseconds(timelines.front().length());
    if (&timeline != &timelines.front()) {
      std::printf(", %.1f %% %s", std::abs(saved) * 100, saved < 0 ? "more" : "less");
    }
    std::printf("\n");
    std::fputs(overlap::drawing(timeline, longest).c_str(), stdout);
  }
}

void save(const std::string& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text << std::flush;
  if (!stream) throw std::runtime_error("overlap: cannot write " + file);
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
    const collet::Program program(device,
                                  {{COLLET_FORMAT_HOST_SO, overlap_kernel, overlap_kernel_size}},
                                  {.label = "overlap"});
    if_it_fails = kFailure;
    const overlap::Work work{device, program.kernel("sum"), options.steps,
                             options.bytes / sizeof(float)};
    const std::vector<overlap::Timeline> timelines = run_all(work);
    print(work, timelines);
    if (options.trace) save(*options.trace, overlap::trace_json(timelines));
    return kGood;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "overlap: %s\n%s", error.what(), kUsage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return if_it_fails;
}
