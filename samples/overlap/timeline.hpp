// SPDX-License-Identifier: Apache-2.0
// What ran when: as lines for people, and as a trace for a browser.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace overlap {

struct Span {
  std::size_t step = 0;
  std::chrono::nanoseconds begin{};
  std::chrono::nanoseconds end{};
};

// One way to feed a device, and when its copies and kernels ran.
struct Timeline {
  std::string title;
  std::vector<Span> copies;
  std::vector<Span> kernels;

  // From the first copy to the last kernel.
  [[nodiscard]] std::chrono::nanoseconds length() const;
};

// Two lines, copies above kernels. A digit is the last one of the step that ran there; all drawings
// of one scale can be compared.
std::string drawing(const Timeline& timeline, std::chrono::nanoseconds scale);

// All of them as trace events, which chrome://tracing and Perfetto show. Each timeline is a
// process.
std::string trace_json(const std::vector<Timeline>& timelines);

}  // namespace overlap
