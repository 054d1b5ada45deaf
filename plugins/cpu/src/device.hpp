// SPDX-License-Identifier: Apache-2.0
/** The devices: views of the one processor that share its threads and its memory. */
#pragma once

#include <collet/plugin.h>

#include <atomic>
#include <cstdint>
#include <deque>

#include "executor.hpp"
#include "system_info.hpp"

namespace collet::cpu {

/** Most work-items of a group; a kernel loops over them, so nothing in the processor limits it. */
inline constexpr std::uint32_t kMaxGroupItems = 4096;
/** Local memory of a group: a part of the second-level cache of any current processor. */
inline constexpr std::uint64_t kLocalMemoryBytes = 256 * 1024;

class Device {
 public:
  using Handle = collet_plugin_device_t;

  Device(std::uint32_t index, Executor& executor) noexcept : index_(index), executor_(executor) {}

  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  /** The threads that the device's commands share; all devices have the same. */
  [[nodiscard]] Executor& executor() const noexcept { return executor_; }

 private:
  std::uint32_t index_;
  Executor& executor_;
};

/** What the plugin has once per process: options, devices, threads. Never destroyed. */
class System {
 public:
  /** @throws Error MALFORMED for an option that cannot be parsed, each time. */
  [[nodiscard]] static System& instance();

  [[nodiscard]] std::uint32_t device_count() const noexcept {
    return static_cast<std::uint32_t>(devices_.size());
  }
  /** @throws Error NO_SUCH_DEVICE */
  [[nodiscard]] Device& device(std::uint32_t index);
  [[nodiscard]] collet_device_properties_t properties(std::uint32_t index);

  /**
   * Counts memory that is about to be allocated. The kernel would promise more than there is, and
   * end the process when the promise is called in.
   *
   * @throws Error OUT_OF_DEVICE_MEMORY
   */
  void charge(std::uint64_t bytes);
  void discharge(std::uint64_t bytes) noexcept { charged_bytes_.fetch_sub(bytes); }
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return total_bytes_; }

 private:
  System();

  Executor executor_;
  std::deque<Device> devices_;
  std::uint64_t total_bytes_;
  std::atomic<std::uint64_t> charged_bytes_{0};
};

}  // namespace collet::cpu
