// SPDX-License-Identifier: Apache-2.0
/** The devices: each has memory and an engine of its own. */
#pragma once

#include <collet/plugin.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "arena.hpp"
#include "check/checker.hpp"
#include "engine.hpp"
#include "faults/faults.hpp"
#include "pinned.hpp"
#include "pool.hpp"
#include "report/counters.hpp"
#include "settings.hpp"
#include "thread_pool.hpp"
#include "time/timeline.hpp"

namespace collet::sim {

/** Most work-items of a group, and local memory of one: what a small accelerator has. */
inline constexpr std::uint32_t kMaxGroupItems = 1024;
inline constexpr std::uint64_t kLocalMemoryBytes = std::uint64_t{32} * 1024;

/** A device. It lives as long as the process, since its threads do. */
class Device {
 public:
  using Handle = collet_plugin_device_t;

  /** What the devices have in common. */
  struct Shared {
    const Settings& settings;
    ThreadPool& pool;
    Faults& faults;
    /** nullptr where the clock is the real one. */
    Timeline* timeline;
    /** nullptr where nothing is checked. */
    Checker* checker;
  };

  Device(std::uint32_t index, const Shared& shared);

  /** Gets memory and starts the engine, the first time. @throws Error UNAVAILABLE */
  void open();

  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Engine& engine() noexcept { return engine_; }
  /**
   * Notes a call, which comes before it is done.
   *
   * @return What is to become of it.
   *
   * @throws Error DEVICE_LOST, or what a rule makes the call fail with.
   */
  Fault note_call(Kind kind, const char* subject = "");

  /** Makes the device useless for the rest of the process. @param rule  What has asked for it. */
  void lose(std::string_view rule);
  /** @throws Error DEVICE_LOST */
  void throw_if_lost() const {
    if (is_lost()) throw_lost();
  }

  [[nodiscard]] bool is_lost() const noexcept { return is_lost_.load(std::memory_order_acquire); }

  [[nodiscard]] Counters& counters() noexcept { return counters_; }
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
  /** Counts the streams, from 1. */
  [[nodiscard]] std::uint64_t next_stream_number() noexcept { return ++streams_; }
  /** 0 for a device that was never opened. */
  [[nodiscard]] std::uint64_t peak_memory_bytes() const noexcept;

  /** nullptr where the clock is the real one. */
  [[nodiscard]] Timeline* timeline() const noexcept { return timeline_; }
  /** nullptr where nothing is checked. */
  [[nodiscard]] Checker* checker() const noexcept { return checker_; }
  [[nodiscard]] PinnedRanges& pinned() noexcept { return pinned_; }
  /** The device's memory; it is open. */
  [[nodiscard]] Arena& arena() noexcept { return *arena_.load(std::memory_order_relaxed); }
  [[nodiscard]] MemoryPool& memory_pool() noexcept { return memory_pool_; }

 private:
  [[noreturn]] void throw_lost() const;

  const std::uint32_t index_;
  const std::string name_;
  const Arena::Limits memory_;
  Faults& faults_;
  Counters counters_;
  std::atomic<std::uint64_t> streams_{0};
  Timeline* const timeline_;
  Checker* const checker_;
  std::atomic<bool> is_lost_{false};
  /** Set before that. */
  std::string lost_by_;
  std::once_flag loss_;
  Engine engine_;
  PinnedRanges pinned_;
  MemoryPool memory_pool_;
  std::mutex open_mutex_;
  bool is_started_ = false;
  std::atomic<Arena*> arena_{nullptr};
};

/** What the plugin has once per process. Never destroyed. */
class System {
 public:
  /** @throws Error MALFORMED for an option that cannot be parsed, each time. */
  [[nodiscard]] static System& instance();

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const std::deque<Device>& devices() const noexcept { return devices_; }
  [[nodiscard]] std::uint32_t device_count() const noexcept {
    return static_cast<std::uint32_t>(devices_.size());
  }
  /** @throws Error NO_SUCH_DEVICE */
  [[nodiscard]] Device& device(std::uint32_t index);
  /** @throws Error NO_SUCH_DEVICE */
  [[nodiscard]] collet_device_properties_t properties(std::uint32_t index);

 private:
  System();

  const Settings settings_;
  Faults faults_;
  ThreadPool pool_;
  /** Where the clock is virtual. */
  std::unique_ptr<Timeline> timeline_;
  /** Where something is checked. */
  std::unique_ptr<Checker> checker_;
  std::deque<Device> devices_;
};

}  // namespace collet::sim
