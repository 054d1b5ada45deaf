// SPDX-License-Identifier: Apache-2.0
// Reads a file of the history of memory; api/docs/memory-history.md describes it. The file may come
// from anywhere.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace collet::cli {

// The text says which line is wrong, and how.
class MalformedHistory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class HistoryKind : std::uint8_t {
  kSegmentAlloc,
  kSegmentFree,
  kAlloc,
  kFreeRequested,
  kFreeCompleted,
  kOutOfMemory
};

struct HistoryEvent {
  HistoryKind kind = HistoryKind::kAlloc;
  std::int64_t time_ns = 0;
  std::size_t pool = 0;
  std::uint64_t segment = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t requested_bytes = 0;
  std::uint32_t stream = 0;
  // Into `tags`.
  std::size_t tag = 0;
  // Into `stacks`.
  std::size_t stack = 0;
};

struct HistoryPool {
  std::string device;
  std::string device_name;
  std::string allocator;
  std::string kind;
};

// A call, as the process that made the history knew it.
struct HistoryFrame {
  std::string module;
  std::uint64_t offset = 0;
  // Empty where it is not known.
  std::string function;
  // "train.cpp:42"; not in the file.
  std::string source;
};

struct History {
  std::string program;
  std::int64_t process = 0;
  std::int64_t started_unix_ms = 0;
  std::uint64_t forgotten_events = 0;
  std::uint64_t lost_events = 0;
  // The first events are not what happened, but what forgotten ones left.
  std::size_t baseline_events = 0;
  std::vector<HistoryPool> pools;
  std::map<std::uint32_t, std::string> streams;
  // The first is for no tag.
  std::vector<std::string> tags;
  std::vector<HistoryFrame> frames;
  // Into `frames`, the innermost first; the first stack is for none.
  std::vector<std::vector<std::size_t>> stacks;
  std::vector<HistoryEvent> events;
};

// Throws MalformedHistory.
History read_history(std::istream& stream);

}  // namespace collet::cli
