// SPDX-License-Identifier: Apache-2.0
//
// The back end "fake" of the dispatch rows: functions that do next to nothing, so that what is
// counted is the way to them.
#include <collet/plugin/ops.h>

#include "support/fake_device.hpp"

struct collet_plugin_plan_t {};

namespace {

collet_status_t op_query(collet_plugin_device_t* /*device*/, const collet_op_desc_t* /*desc*/,
                         collet_op_support_t* out_support) {
  out_support->level = COLLET_OP_NATIVE;
  return COLLET_OK;
}

collet_status_t op_preferred_layout(collet_plugin_device_t* /*device*/,
                                    const collet_op_desc_t* desc, std::uint32_t operand,
                                    collet_layout_t* out_layout) {
  *out_layout = desc->operands[operand];
  return COLLET_OK;
}

collet_status_t op_create(collet_plugin_device_t* /*device*/, const collet_op_desc_t* /*desc*/,
                          collet_plugin_plan_t** out_plan) {
  *out_plan = new collet_plugin_plan_t;
  return COLLET_OK;
}

void op_destroy(collet_plugin_plan_t* plan) { delete plan; }

collet_status_t op_enqueue(collet_plugin_stream_t* /*stream*/, collet_plugin_plan_t* /*plan*/,
                           const collet_plugin_operand_t* /*operands*/,
                           std::uint32_t /*operand_count*/, collet_plugin_memory_t* /*workspace*/,
                           std::uint64_t /*workspace_offset_bytes*/) {
  return COLLET_OK;
}

constexpr collet_plugin_ops_interface_t kOps{sizeof(collet_plugin_ops_interface_t),
                                             0,
                                             op_query,
                                             op_preferred_layout,
                                             op_create,
                                             op_destroy,
                                             op_enqueue};

collet_status_t device_count(std::uint32_t* out_count) {
  *out_count = 1;
  return COLLET_OK;
}

collet_status_t device_properties(std::uint32_t /*index*/,
                                  collet_device_properties_t* out_properties) {
  collet::test::fake_properties(COLLET_DEVICE_KIND_SIMULATED, collet::test::kFakeMemoryBytes,
                                out_properties);
  return COLLET_OK;
}

collet_status_t device_interface(collet_plugin_device_t* device, collet_interface_t id,
                                 const void** out_table, const char** out_reason) {
  if (id == COLLET_INTERFACE_OPS_V1) {
    *out_table = &kOps;
    return COLLET_OK;
  }
  return collet::test::fake_device_interface(device, id, out_table, out_reason);
}

constexpr collet_plugin_t kRoot{sizeof(collet_plugin_t),
                                COLLET_ABI_VERSION,
                                "fake",
                                "1.0.0",
                                "Collet's benchmarks",
                                device_count,
                                device_properties,
                                collet::test::fake_device_open,
                                collet::test::fake_device_close,
                                device_interface};

}  // namespace

collet_status_t collet_plugin_query_v1(const collet_host_t* /*host*/,
                                       const collet_plugin_t** out_plugin) {
  *out_plugin = &kRoot;
  return COLLET_OK;
}
