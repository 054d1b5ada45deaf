// SPDX-License-Identifier: Apache-2.0
//
// What a program asks an allocator for, in order: the sizes and the lifetimes, without the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace collet::bench {

struct TraceEvent {
  std::size_t buffer;
  // Of an allocation; none is a release.
  std::optional<std::uint64_t> size_bytes;
};

class MemoryTrace {
 public:
  // Returns the buffer's number, which counts up from 0.
  std::size_t allocate(std::uint64_t size_bytes);
  void release(std::size_t buffer);

  [[nodiscard]] const std::vector<TraceEvent>& events() const { return events_; }
  [[nodiscard]] std::size_t buffer_count() const { return sizes_.size(); }
  [[nodiscard]] std::uint64_t peak_requested_bytes() const { return peak_bytes_; }

 private:
  std::vector<TraceEvent> events_;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t current_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
};

// A buffer of a trace, released at the end of its scope, so that a trace is written as the program
// would be. The trace must outlive it.
class TracedBuffer {
 public:
  TracedBuffer() = default;
  TracedBuffer(MemoryTrace& trace, std::uint64_t size_bytes)
      : trace_(&trace), buffer_(trace.allocate(size_bytes)) {}
  TracedBuffer(TracedBuffer&& other) noexcept
      : trace_(std::exchange(other.trace_, nullptr)), buffer_(other.buffer_) {}
  TracedBuffer& operator=(TracedBuffer&& other) noexcept {
    std::swap(trace_, other.trace_);
    std::swap(buffer_, other.buffer_);
    other.reset();
    return *this;
  }
  TracedBuffer(const TracedBuffer&) = delete;
  TracedBuffer& operator=(const TracedBuffer&) = delete;
  ~TracedBuffer() { reset(); }

  void reset() {
    if (MemoryTrace* trace = std::exchange(trace_, nullptr)) trace->release(buffer_);
  }
  [[nodiscard]] bool is_empty() const { return trace_ == nullptr; }

 private:
  MemoryTrace* trace_ = nullptr;
  std::size_t buffer_ = 0;
};

}  // namespace collet::bench
