// SPDX-License-Identifier: Apache-2.0
/** The pool of a device: memory that is allocated and freed in the order of streams. */
#pragma once

#include <collet/plugin/pool.h>

#include <collet/sdk/ref.hpp>
#include <cstdint>
#include <list>
#include <mutex>

#include "arena.hpp"

namespace collet::sim {

class Device;
class Stream;

/**
 * Keeps what is freed, for the next allocation that it fits.
 *
 * Its own stream may have a freed block at once, since its commands run in order; others when the
 * stream has come to the free. The device gets a block back when it needs room, or is asked for it.
 */
class MemoryPool {
 public:
  struct Range {
    Arena::Block block;
    /** Where it was freed: a ticket of a stream. */
    plugin::Ref<Stream> stream;
    std::uint64_t ticket = 0;
  };
  /** One, that moves from list to list, so that a free never fails. */
  using Owned = std::list<Range>;

  struct Info {
    std::uint64_t reserved_bytes;
    std::uint64_t used_bytes;
  };

  explicit MemoryPool(Device& device) noexcept;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  ~MemoryPool();

  /** @throws Error OUT_OF_DEVICE_MEMORY */
  [[nodiscard]] Owned allocate(const Stream& stream, std::uint64_t size_bytes,
                               std::uint64_t alignment_bytes);
  void free(Owned range, Stream& stream) noexcept;

  /** Gives back what no stream uses any more; returns how much that is. */
  std::uint64_t trim() noexcept;
  [[nodiscard]] Info info() const noexcept;

 private:
  /** The smallest freed block that the stream may have; nothing if there is none. */
  [[nodiscard]] Owned take(const Stream& stream, std::uint64_t least_bytes,
                           std::uint64_t most_bytes, std::uint64_t alignment_bytes) noexcept;
  [[nodiscard]] Owned find(const Stream& stream, std::uint64_t size_bytes,
                           std::uint64_t alignment_bytes);
  std::uint64_t give_back() noexcept;
  /** The pool itself has ordered what comes after them. */
  void forget_uses(Arena::Block block) noexcept;

  Device& device_;
  mutable std::mutex mutex_;
  Owned freed_;
  std::uint64_t freed_bytes_ = 0;
  std::uint64_t used_bytes_ = 0;
};

/** The table of COLLET_INTERFACE_POOL_V1. */
[[nodiscard]] const collet_plugin_pool_interface_t* pool_interface() noexcept;

}  // namespace collet::sim
