// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace collet::bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr int kRounds = 25;
constexpr int kFewestRounds = 5;
// Rounds end early here, for calls that take long.
constexpr milliseconds kRowTime{4000};
// A sample repeats its call for at least so long.
constexpr milliseconds kSampleTime{5};
// Longer than the idle threads of the other side spin before they sleep: those of gcc's OpenMP do
// so for 300,000 pause instructions, which is 10 ms where one takes 140 cycles.
constexpr milliseconds kIdleTime{20};
constexpr milliseconds kWarmTime{3};
constexpr int kCallsAfterPauses = 300;

class Side {
 public:
  explicit Side(const Batch& batch) : batch_(batch) {
    while (time(calls_) < kSampleTime) calls_ *= 2;
  }

  // Nanoseconds per call, with processors, caches and threads for this side alone.
  double sample() {
    std::this_thread::sleep_for(kIdleTime);
    const auto warm = Clock::now() + kWarmTime;
    do {
      batch_(std::max<std::uint64_t>(1, calls_ / kPieces));
    } while (Clock::now() < warm);
    const auto total = static_cast<double>(time(calls_).count());
    samples_.push_back(total / static_cast<double>(calls_));
    return samples_.back();
  }

  [[nodiscard]] const std::vector<double>& samples() const { return samples_; }

 private:
  // Of a sample, to look at the clock between.
  static constexpr std::uint64_t kPieces = 8;

  nanoseconds time(std::uint64_t calls) const {
    const auto start = Clock::now();
    batch_(calls);
    return Clock::now() - start;
  }

  const Batch& batch_;
  std::uint64_t calls_ = 1;
  std::vector<double> samples_;
};

// The value that `quarters` quarters of the others are less than.
double quartile(std::vector<double> values, std::size_t quarters) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * quarters / 4];
}

double median(const std::vector<double>& values) { return quartile(values, 2); }

double quartile_distance(const std::vector<double>& ratios) {
  return (quartile(ratios, 3) - quartile(ratios, 1)) / median(ratios);
}

// Nanoseconds of one call after a pause.
double time_after(nanoseconds pause, const Batch& batch) {
  for (const auto end = Clock::now() + pause; Clock::now() < end;) {
  }
  const auto start = Clock::now();
  batch(1);
  return static_cast<double>(nanoseconds(Clock::now() - start).count());
}

}  // namespace

Medians take_turns(const Batch& subject, const Batch& reference) {
  Side first(subject);
  Side second(reference);
  std::vector<double> ratios;
  const auto end = Clock::now() + kRowTime;
  for (int round = 0; round < kRounds; ++round) {
    if (round >= kFewestRounds && Clock::now() >= end) break;
    const double subject_ns = first.sample();
    ratios.push_back(subject_ns / second.sample());
  }
  return {median(first.samples()), median(second.samples()), quartile_distance(ratios)};
}

Medians take_turns_after(nanoseconds pause, const Batch& subject, const Batch& reference) {
  std::vector<double> subjects, references, ratios;
  for (int call = 0; call < kCallsAfterPauses; ++call) {
    subjects.push_back(time_after(pause, subject));
    references.push_back(time_after(pause, reference));
    ratios.push_back(subjects.back() / references.back());
  }
  return {median(subjects), median(references), quartile_distance(ratios)};
}

Figures in_nanoseconds(const Medians& medians) {
  return {medians.subject_ns, medians.reference_ns, medians.noise};
}

Figures in_milliseconds(const Medians& medians) {
  return {medians.subject_ns / 1e6, medians.reference_ns / 1e6, medians.noise};
}

Figures as_rate(const Medians& medians, double subject_work, double reference_work) {
  return {subject_work / medians.subject_ns, reference_work / medians.reference_ns, medians.noise};
}

}  // namespace collet::bench
