// SPDX-License-Identifier: Apache-2.0
/** The devices of OpenCL, and what their objects need of them. */
#pragma once

#include <collet/plugin.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "owned.hpp"
#include "platforms.hpp"

namespace collet::opencl {

/** What a device can do. Fixed, and known without opening it. */
struct Abilities {
  /** Kernels take pointers into memory, at any offset. */
  bool has_svm = false;
  /** The host may use such pointers while the device runs. */
  bool has_fine_svm = false;
  /** So with all memory of the host. */
  bool has_system_svm = false;
  /** Commands can be timed. */
  bool has_clock = false;
  /** Queues have priorities. */
  bool has_priorities = false;
  bool has_spirv = false;
  bool has_properties = false;
  /** Of all memory. */
  std::uint64_t alignment_bytes = 0;
  /** Of offsets at which kernels can be given it. */
  std::uint64_t offset_alignment_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

class Device {
 public:
  using Handle = collet_plugin_device_t;

  Device(std::uint32_t index, ListedDevice listed);

  /** @throws Error UNAVAILABLE if it cannot be used. */
  void open();

  [[nodiscard]] collet_device_properties_t properties() const;
  [[nodiscard]] const Abilities& abilities() const noexcept { return abilities_; }
  [[nodiscard]] cl_device_id id() const noexcept { return listed_.id; }
  /** "opencl:0" */
  [[nodiscard]] std::string name() const;
  /** Tells this device and its driver from all others: what binaries are made for. */
  [[nodiscard]] std::string signature() const;

  // Of an open device:
  [[nodiscard]] cl_context context() const noexcept { return context_.get(); }
  /** A queue in order. @param priority  Within the range that the properties tell. */
  [[nodiscard]] OwnedQueue make_queue(bool measures, std::int32_t priority) const;
  /** A queue for commands that belong to no stream. */
  [[nodiscard]] cl_command_queue service_queue();

  /**
   * Counts memory that is about to be allocated: drivers promise more than there is.
   * @throws Error OUT_OF_DEVICE_MEMORY
   */
  void charge(std::uint64_t bytes);
  void discharge(std::uint64_t bytes) noexcept { charged_bytes_.fetch_sub(bytes); }
  [[nodiscard]] std::uint64_t charged_bytes() const noexcept { return charged_bytes_.load(); }

 private:
  std::uint32_t index_;
  ListedDevice listed_;
  Abilities abilities_;
  std::mutex mutex_;
  /** Made when the device is opened first, and kept: streams may outlive its closing. */
  OwnedContext context_;
  OwnedQueue service_queue_;
  std::atomic<std::uint64_t> charged_bytes_{0};
};

/** The devices of the process. Never destroyed. */
class System {
 public:
  /** Lists the devices at the first call. @throws Error UNAVAILABLE, at each call. */
  [[nodiscard]] static System& instance();

  [[nodiscard]] std::uint32_t device_count() const noexcept {
    return static_cast<std::uint32_t>(devices_.size());
  }
  /** @throws Error NO_SUCH_DEVICE */
  [[nodiscard]] Device& device(std::uint32_t index);

 private:
  System();

  std::deque<Device> devices_;
};

}  // namespace collet::opencl
