// SPDX-License-Identifier: Apache-2.0
#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace overlap {
namespace {

constexpr std::size_t kColumns = 80;

using Spans = std::vector<Span>;

std::string row(const char* name, const Spans& spans, std::chrono::nanoseconds scale) {
  std::string cells(kColumns, '.');
  const auto column_of = [&](std::chrono::nanoseconds time) {
    const double place = static_cast<double>(time.count()) / static_cast<double>(scale.count());
    return std::min(static_cast<std::size_t>(place * kColumns), kColumns - 1);
  };
  for (const Span& span : spans) {
    const char digit = static_cast<char>('0' + span.step % 10);
    const std::size_t first = column_of(span.begin);
    // Something that ended where another column begins was not there.
    const std::size_t last = std::max(first, column_of(span.end - std::chrono::nanoseconds(1)));
    std::fill_n(cells.begin() + static_cast<std::ptrdiff_t>(first), last - first + 1, digit);
  }
  return std::string("   ") + name + cells + "\n";
}

void add_events(std::vector<std::string>& events, const char* name, const Spans& spans,
                std::size_t process, int thread) {
  for (const Span& span : spans) {
    const auto microseconds = [](std::chrono::nanoseconds time) {
      return static_cast<double>(time.count()) / 1000;
    };
    std::array<char, 200> event{};
    std::snprintf(event.data(), event.size(),
                  R"({"ph":"X","name":"%s %zu","pid":%zu,"tid":%d,"ts":%.3f,"dur":%.3f})", name,
                  span.step, process, thread, microseconds(span.begin),
                  microseconds(span.end - span.begin));
    events.emplace_back(event.data());
  }
}

}  // namespace

std::chrono::nanoseconds Timeline::length() const {
  return kernels.empty() ? std::chrono::nanoseconds() : kernels.back().end;
}

std::string drawing(const Timeline& timeline, std::chrono::nanoseconds scale) {
  return row("copy    ", timeline.copies, scale) + row("compute ", timeline.kernels, scale);
}

std::string trace_json(const std::vector<Timeline>& timelines) {
  std::vector<std::string> events;
  for (std::size_t process = 0; process < timelines.size(); ++process) {
    const Timeline& timeline = timelines[process];
    events.push_back(R"({"ph":"M","name":"process_name","pid":)" + std::to_string(process) +
                     R"(,"args":{"name":")" + timeline.title + "\"}}");
    add_events(events, "copy", timeline.copies, process, 0);
    add_events(events, "compute", timeline.kernels, process, 1);
  }
  std::string text;
  for (const std::string& event : events) {
    text += (text.empty() ? "{\"traceEvents\":[\n" : ",\n") + event;
  }
  return text + "\n]}\n";
}

}  // namespace overlap
