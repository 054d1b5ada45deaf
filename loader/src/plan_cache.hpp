// SPDX-License-Identifier: Apache-2.0
// Plans of operations, kept by their whole description: making one costs a vendor library
// hundreds of microseconds, finding it costs one.
#pragma once

#include <collet/plugin/ops.h>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "device.hpp"
#include "op_check.hpp"

namespace collet::loader {

// Asks the plugin about a description that check_op() has passed. Throws Error.
collet_op_support_t ask_support(const Device& device, const collet_op_desc_t& desc);

// A plan of a plugin. Immutable; destroyed when neither the cache nor a handle needs it.
struct CompiledPlan {
  CompiledPlan(Device& on, const collet_op_desc_t& desc, const OperandExtents& checked);
  ~CompiledPlan();
  CompiledPlan(const CompiledPlan&) = delete;
  CompiledPlan& operator=(const CompiledPlan&) = delete;

  Device& device;
  const collet_plugin_ops_interface_t& table;
  collet_plugin_plan_t* impl = nullptr;
  std::uint32_t operand_count;
  OperandExtents extents;
  collet_op_support_t support;
};

class PlanCache {
 public:
  explicit PlanCache(Device& device) : device_(device) {}

  // The plan of a description, made if it is not there. Throws Error.
  std::shared_ptr<const CompiledPlan> get(const collet_op_desc_t& desc);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const CompiledPlan>>;

  // Plans kept per device; the least recently used one goes first.
  static constexpr std::size_t kCapacity = 1024;

  std::shared_ptr<const CompiledPlan> find(const std::string& key);

  Device& device_;
  std::mutex mutex_;
  std::list<Entry> recent_;
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
};

}  // namespace collet::loader
