// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark is made of: rows that are measured beside their reference, in the same run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace collet::bench {

// What a row measures, and its reference, in the row's unit.
struct Figures {
  double value;
  double reference;
  // Distance of the quartiles of the ratio over all rounds, as a part of its median. 0 for what is
  // counted and not timed.
  double noise = 0;
};

struct Row {
  // "area/what/size/device"
  std::string name;
  std::string unit;
  // What the value is compared with.
  std::string reference;
  std::function<Figures()> measure;
};

// What a row needs is not on this machine. It is said, and is no failure.
class Absent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Does the thing that is timed `calls` times, and returns when all of it is done.
using Batch = std::function<void(std::uint64_t calls)>;

// The loop is made here, so that a batch costs one indirect call and not one for each call.
template <class Call>
Batch repeat(Call call) {
  return [call = std::move(call)](std::uint64_t calls) {
    for (; calls > 0; --calls) {
      call();
      // Memory is as the call left it: the next one is not part of it.
      asm volatile("" : : : "memory");
    }
  };
}

// Nanoseconds of one call.
struct Medians {
  double subject_ns;
  double reference_ns;
  double noise;
};

// Times both batches in turns, so that what disturbs the machine disturbs both.
Medians take_turns(const Batch& subject, const Batch& reference);

// As take_turns(), but times calls one by one, each after a pause in which the thread keeps its
// processor busy: for what is only cheap as long as other threads are awake. What it takes to look
// at the clock is part of the figures.
Medians take_turns_after(std::chrono::nanoseconds pause, const Batch& subject,
                         const Batch& reference);

Figures in_nanoseconds(const Medians& medians);
Figures in_milliseconds(const Medians& medians);

// Work per time; with bytes GB/s, with floating-point operations GFLOP/s.
Figures as_rate(const Medians& medians, double subject_work, double reference_work);
inline Figures as_rate(const Medians& medians, double work) { return as_rate(medians, work, work); }

}  // namespace collet::bench
