// SPDX-License-Identifier: Apache-2.0
/** The devices: each has memory and an engine of its own. */
#pragma once

#include <collet/plugin.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "arena.hpp"
#include "engine.hpp"
#include "pinned.hpp"
#include "pool.hpp"
#include "thread_pool.hpp"

namespace collet::sim {

/** Most work-items of a group, and local memory of one: what a small accelerator has. */
inline constexpr std::uint32_t kMaxGroupItems = 1024;
inline constexpr std::uint64_t kLocalMemoryBytes = std::uint64_t{32} * 1024;

/** A device. It lives as long as the process, since its threads do. */
class Device {
 public:
  using Handle = collet_plugin_device_t;

  Device(std::uint32_t index, std::uint64_t memory_bytes, ThreadPool& pool);

  /** Gets memory and starts the engine, the first time. @throws Error UNAVAILABLE */
  void open();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  [[nodiscard]] PinnedRanges& pinned() noexcept { return pinned_; }
  /** The device's memory; it is open. */
  [[nodiscard]] Arena& arena() noexcept { return *arena_; }
  [[nodiscard]] MemoryPool& memory_pool() noexcept { return memory_pool_; }

 private:
  const std::string name_;
  const std::uint64_t memory_bytes_;
  Engine engine_;
  PinnedRanges pinned_;
  MemoryPool memory_pool_;
  std::mutex open_mutex_;
  bool is_started_ = false;
  Arena* arena_ = nullptr;
};

/** What the plugin has once per process. Never destroyed. */
class System {
 public:
  /** @throws Error MALFORMED for an option that cannot be parsed, each time. */
  [[nodiscard]] static System& instance();

  [[nodiscard]] std::uint32_t device_count() const noexcept {
    return static_cast<std::uint32_t>(devices_.size());
  }
  /** @throws Error NO_SUCH_DEVICE */
  [[nodiscard]] Device& device(std::uint32_t index);
  /** @throws Error NO_SUCH_DEVICE */
  [[nodiscard]] collet_device_properties_t properties(std::uint32_t index);

 private:
  System();

  std::uint64_t memory_bytes_;
  ThreadPool pool_;
  std::deque<Device> devices_;
};

}  // namespace collet::sim
