// SPDX-License-Identifier: Apache-2.0
// What a layer that wants to know about buffers is told by the pools; the plugin's tables only show
// the memory that they lie in.
#pragma once

#include <collet/plugin/memory.h>

#include <cstdint>

namespace collet::loader {

struct Tag;
class UsedBlock;

// Where a buffer lies.
struct BufferPlace {
  collet_plugin_memory_t* memory;
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
};

class BufferWatch {
 public:
  BufferWatch() = default;
  virtual ~BufferWatch() = default;
  BufferWatch(const BufferWatch&) = delete;
  BufferWatch& operator=(const BufferWatch&) = delete;

  // `tag` may be nullptr.
  virtual void allocated(const BufferPlace& place, collet_memory_kind_t kind,
                         const Tag* tag) noexcept = 0;
  // The release is ordered behind the streams of `uses`.
  virtual void released(const BufferPlace& place, const UsedBlock& uses) noexcept = 0;
};

}  // namespace collet::loader
