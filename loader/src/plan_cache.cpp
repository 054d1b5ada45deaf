// SPDX-License-Identifier: Apache-2.0
#include "plan_cache.hpp"

#include <type_traits>

#include "descriptor.hpp"
#include "error.hpp"

namespace collet::loader {
namespace {

template <class T>
void append(std::string& key, const T& value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The bytes of every field that the plan depends on, and of no padding.
std::string key_of(const collet_op_desc_t& desc) {
  std::string key;
  append(key, desc.kind);
  append(key, desc.function);
  append(key, desc.axis);
  append(key, desc.flags);
  append(key, desc.math_mode);
  append(key, desc.activation);
  append(key, desc.alpha);
  append(key, desc.beta);
  for (std::uint32_t i = 0; i < desc.operand_count; ++i) {
    const collet_layout_t& layout = desc.operands[i];
    append(key, layout.type);
    append(key, layout.rank);
    append(key, layout.offset_alignment_bytes);
    append(key, layout.immediate);
    append(key, layout.packed);
    append(key, layout.packed_size_bytes);
    for (std::uint32_t axis = 0; axis < layout.rank; ++axis) {
      append(key, layout.sizes[axis]);
      append(key, layout.strides[axis]);
    }
  }
  return key;
}

}  // namespace

collet_op_support_t ask_support(const Device& device, const collet_op_desc_t& desc) {
  collet_op_support_t support{};
  support.base = {COLLET_STRUCT_OP_SUPPORT, sizeof support, nullptr};
  if (const auto status = device.ops().query(device.impl, &desc, &support); status != COLLET_OK) {
    throw_plugin_error(status, device.backend_name);
  }
  terminate(support.detail);
  return support;
}

CompiledPlan::CompiledPlan(Device& on, const collet_op_desc_t& desc, const OperandExtents& checked)
    : device(on),
      table(on.ops()),
      operand_count(desc.operand_count),
      extents(checked),
      support(ask_support(on, desc)) {
  if (support.level == COLLET_OP_UNSUPPORTED) {
    throw Error(COLLET_ERROR_UNSUPPORTED,
                std::string(on.label()) + " cannot run this operation: " + support.detail,
                on.backend_name);
  }
  if (const auto status = table.create(on.impl, &desc, &impl); status != COLLET_OK) {
    throw_plugin_error(status, on.backend_name);
  }
}

CompiledPlan::~CompiledPlan() { table.destroy(impl); }

std::shared_ptr<const CompiledPlan> PlanCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    return nullptr;
  }
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->second;
}

std::shared_ptr<const CompiledPlan> PlanCache::get(const collet_op_desc_t& desc) {
  const OperandExtents extents = check_op(desc);
  std::string key = key_of(desc);
  if (auto plan = find(key)) {
    return plan;
  }
  // Made without the lock: it may take long. Of two threads that make the same plan, the first to
  // come back keeps it.
  auto plan = std::make_shared<const CompiledPlan>(device_, desc, extents);
  std::shared_ptr<const CompiledPlan> evicted;
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    return found->second->second;
  }
  std::list<Entry> entry;
  entry.emplace_front(std::move(key), plan);
  by_key_.emplace(entry.front().first, entry.begin());
  recent_.splice(recent_.begin(), entry);
  if (recent_.size() > kCapacity) {
    by_key_.erase(recent_.back().first);
    evicted = std::move(recent_.back().second);
    recent_.pop_back();
  }
  return plan;
}

}  // namespace collet::loader
