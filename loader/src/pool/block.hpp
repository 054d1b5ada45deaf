// SPDX-License-Identifier: Apache-2.0
// What a pool divides: segments, which the plugin allocated, and the blocks in them.
#pragma once

#include <collet/plugin/memory.h>

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>
#include <cstdint>
#include <memory>

namespace collet::loader {

class Arena;
struct Segment;
struct StreamState;
struct Tag;

enum class BlockState : std::uint8_t {
  kFree,     // in the free lists of its arena
  kMoving,   // between the free lists and a buffer, or back
  kUsed,     // a buffer's
  kWaiting,  // released, and still used by streams other than its arena's
  kCached    // with its buffer, in a list of blocks of the same size, so that reuse costs little
};

// A range of a segment. The blocks of a segment lie end to end; no two neighbours are free.
// Threads that use different blocks share no line of a cache.
struct alignas(64) Block : boost::intrusive::set_base_hook<>, boost::intrusive::list_base_hook<> {
  Segment* segment = nullptr;
  Block* previous = nullptr;
  Block* next = nullptr;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  BlockState state = BlockState::kFree;
  // Who uses it; may be nullptr.
  const Tag* tag = nullptr;

  [[nodiscard]] bool is_whole_segment() const noexcept {
    return previous == nullptr && next == nullptr;
  }
};

// One allocation of the plugin. It belongs to one arena at a time.
struct Segment : boost::intrusive::list_base_hook<> {
  collet_plugin_memory_t* memory = nullptr;
  // By which the host reaches it, or nullptr.
  void* host = nullptr;
  std::uint64_t size_bytes = 0;
  std::uint64_t alignment_bytes = 0;
  // Counts the segments of a pool.
  std::uint64_t number = 0;
  Arena* arena = nullptr;
  Block* first = nullptr;
  // In whose order it is freed: only of the plugin's pool. The stream lives as long.
  std::shared_ptr<StreamState> stream;
};

}  // namespace collet::loader
