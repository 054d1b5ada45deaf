// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "objects.hpp"

namespace collet::test {
namespace {

collet_status_t query(collet_plugin_device_t* /*device*/, const collet_op_desc_t* desc,
                      collet_op_support_t* out_support) {
  return scripted("ops.query", std::to_string(desc->kind), [&] {
    const collet_struct_t head = out_support->base;
    *out_support = script().support;
    out_support->base = head;
    // A careless plugin: the text does not end.
    std::memset(out_support->detail, 'd', sizeof out_support->detail);
    return COLLET_OK;
  });
}

collet_status_t preferred_layout(collet_plugin_device_t* /*device*/, const collet_op_desc_t* desc,
                                 std::uint32_t operand, collet_layout_t* out_layout) {
  return scripted("ops.preferred_layout", std::to_string(operand), [&] {
    *out_layout = desc->operands[operand];
    out_layout->packed = 77;
    return COLLET_OK;
  });
}

collet_status_t create(collet_plugin_device_t* /*device*/, const collet_op_desc_t* desc,
                       collet_plugin_plan_t** out_plan) {
  return scripted("ops.create", std::to_string(desc->kind), [&] {
    *out_plan = new collet_plugin_plan_t{script().name('o')};
    return COLLET_OK;
  });
}

void destroy(collet_plugin_plan_t* plan) {
  const std::unique_ptr<collet_plugin_plan_t> owner(plan);
  script().enter("ops.destroy", plan->name);
}

collet_status_t enqueue(collet_plugin_stream_t* stream, collet_plugin_plan_t* plan,
                        const collet_plugin_operand_t* operands, std::uint32_t operand_count,
                        collet_plugin_memory_t* workspace, std::uint64_t /*offset_bytes*/) {
  return scripted("ops.enqueue", stream->name + ' ' + plan->name, [&] {
    const std::lock_guard lock(script().mutex());
    script().last_arguments.clear();
    for (std::uint32_t i = 0; i < operand_count; ++i) {
      script().last_arguments.push_back(operands[i].offset_bytes);
    }
    script().last_arguments.push_back(workspace != nullptr ? 1 : 0);
    return COLLET_OK;
  });
}

}  // namespace

const collet_plugin_ops_interface_t kOps{
    sizeof(collet_plugin_ops_interface_t), 0, query, preferred_layout, create, destroy, enqueue};

}  // namespace collet::test
