// SPDX-License-Identifier: Apache-2.0
// Operations: asking about them, plans, and runs.
#include <collet/ops.h>

#include <array>
#include <cinttypes>
#include <cstdio>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "plan_cache.hpp"

namespace collet::loader {

Plan::Plan(std::shared_ptr<const CompiledPlan> shared)
    : device(&shared->device),
      table(&shared->table),
      impl(shared->impl),
      compiled(std::move(shared)) {}

namespace {

constexpr std::uint64_t kWorkspaceAlignment = 64;

collet_op_desc_t read_op(const collet_op_desc_t* desc) {
  auto own = read_descriptor(desc, COLLET_STRUCT_OP_DESC, "desc");
  own.base = {COLLET_STRUCT_OP_DESC, sizeof own, nullptr};
  return own;
}

COLLET_COLD collet_status_t refuse_operand(const char* function, std::uint32_t index,
                                           const char* what) noexcept {
  char text[128];
  std::snprintf(text, sizeof text, "operand %" PRIu32 " %s", index, what);
  return record_error(function, COLLET_ERROR_INVALID_ARGUMENT, text);
}

COLLET_COLD collet_status_t refuse_extent(const char* function, std::uint32_t index,
                                          const OperandExtent& extent, std::uint64_t offset_bytes,
                                          std::uint64_t size_bytes) noexcept {
  char text[256];
  std::snprintf(text, sizeof text,
                "operand %" PRIu32 " at offset %" PRIu64 " reaches from %" PRIu64
                " bytes before to %" PRIu64 " bytes after it, which leaves its buffer of %" PRIu64
                " bytes",
                index, offset_bytes, extent.before_bytes, extent.after_bytes, size_bytes);
  return record_error(function, COLLET_ERROR_OUT_OF_RANGE, text);
}

COLLET_COLD collet_status_t refuse_operand_device(const char* function, std::uint32_t index,
                                                  const Buffer& buffer,
                                                  const Stream& expected) noexcept {
  char name[32];
  std::snprintf(name, sizeof name, "operand %" PRIu32, index);
  return refuse_device(function, name, buffer, expected);
}

// Translates one operand; returns COLLET_OK or records why not.
collet_status_t bind(const char* function, const Stream& on, std::uint32_t index,
                     const OperandExtent& extent, const collet_operand_t& operand,
                     collet_plugin_operand_t& out) noexcept {
  out = {nullptr, 0, operand.value};
  if (extent.immediate) {
    if (operand.buffer != nullptr) [[unlikely]] {
      return refuse_operand(function, index, "is immediate, but a buffer is given");
    }
    return COLLET_OK;
  }
  const Buffer* buffer = find(operand.buffer);
  if (buffer == nullptr) [[unlikely]] {
    return refuse_handle(function, operand.buffer, Kind::kBuffer);
  }
  if (buffer->device != on.device) [[unlikely]] {
    return refuse_operand_device(function, index, *buffer, on);
  }
  if (operand.offset_bytes < extent.before_bytes ||
      !fits(operand.offset_bytes, extent.after_bytes, *buffer)) [[unlikely]] {
    return refuse_extent(function, index, extent, operand.offset_bytes, buffer->size_bytes);
  }
  if ((operand.offset_bytes & (extent.alignment_bytes - 1)) != 0) [[unlikely]] {
    return refuse_operand(function, index, "lies at an offset that the plan's layout rules out");
  }
  out.memory = buffer->memory;
  out.offset_bytes = buffer->offset_bytes + operand.offset_bytes;
  return COLLET_OK;
}

// The workspace of a run; its memory is nullptr where none is needed.
collet_status_t bind_workspace(const char* function, const Stream& on, const CompiledPlan& plan,
                               collet_buffer_t* workspace, std::uint64_t offset_bytes,
                               collet_plugin_operand_t& out) noexcept {
  out = {nullptr, offset_bytes, {}};
  const std::uint64_t needed = plan.support.workspace_bytes;
  if (workspace == nullptr) {
    return needed == 0 ? COLLET_OK
                       : refuse_argument(function, "the plan needs a workspace, and none is given");
  }
  const Buffer* buffer = find(workspace);
  if (buffer == nullptr) [[unlikely]] {
    return refuse_handle(function, workspace, Kind::kBuffer);
  }
  if (buffer->device != on.device) [[unlikely]] {
    return refuse_device(function, "workspace", *buffer, on);
  }
  if (offset_bytes % kWorkspaceAlignment != 0) [[unlikely]] {
    return refuse_argument(function, "workspace_offset_bytes is not a multiple of 64");
  }
  if (!fits(offset_bytes, needed, *buffer)) [[unlikely]] {
    return refuse_range(function, "workspace", offset_bytes, needed, workspace);
  }
  out.memory = buffer->memory;
  out.offset_bytes += buffer->offset_bytes;
  return COLLET_OK;
}

// What the device answers; a refusal is an answer too.
collet_op_support_t query_support(const Device& device, const collet_op_desc_t& desc) {
  static_cast<void>(check_op(desc));
  try {
    return ask_support(device, desc);
  } catch (const Error& error) {
    if (error.status() != COLLET_ERROR_UNSUPPORTED) {
      throw;
    }
    collet_op_support_t support{};
    error.message().copy(support.detail, sizeof support.detail - 1);
    return support;
  }
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_op_query(collet_device_t* device, const collet_op_desc_t* desc,
                                collet_op_support_t* out_support) {
  return guarded(__func__, [&] {
    require_entry();
    prepare_out(out_support, COLLET_STRUCT_OP_SUPPORT, "out_support");
    const Device& on = need("collet_op_query", device);
    write_out(query_support(on, read_op(desc)), out_support);
  });
}

collet_status_t collet_op_preferred_layout(collet_device_t* device, const collet_op_desc_t* desc,
                                           uint32_t operand, collet_layout_t* out_layout) {
  clear_out(out_layout);
  return guarded(__func__, [&] {
    require_entry();
    require(out_layout, "out_layout");
    const Device& on = need("collet_op_preferred_layout", device);
    const collet_op_desc_t own = read_op(desc);
    static_cast<void>(check_op(own));
    if (operand >= own.operand_count) {
      throw Error(COLLET_ERROR_OUT_OF_RANGE, "operand " + std::to_string(operand) +
                                                 " is not one of the " +
                                                 std::to_string(own.operand_count));
    }
    collet_layout_t layout = own.operands[operand];
    const auto status = on.ops().preferred_layout(on.impl, &own, operand, &layout);
    if (status != COLLET_OK) {
      throw_plugin_error(status, on.backend_name);
    }
    *out_layout = layout;
  });
}

collet_status_t collet_plan_create(collet_device_t* device, const collet_op_desc_t* desc,
                                   collet_plan_t** out_plan) {
  clear_out(out_plan);
  return guarded(__func__, [&] {
    require_entry();
    require(out_plan, "out_plan");
    Device& on = need("collet_plan_create", device);
    create_handle<Plan>(out_plan, on.plans->get(read_op(desc)));
  });
}

collet_status_t collet_plan_retain(collet_plan_t* plan) { return retain_handle(__func__, plan); }

void collet_plan_release(collet_plan_t* plan) { release_handle(plan); }

collet_status_t collet_plan_support(collet_plan_t* plan, collet_op_support_t* out_support) {
  return guarded(__func__, [&] {
    prepare_out(out_support, COLLET_STRUCT_OP_SUPPORT, "out_support");
    write_out(need("collet_plan_support", plan).compiled->support, out_support);
  });
}

collet_status_t collet_stream_run(collet_stream_t* stream, collet_plan_t* plan,
                                  const collet_operand_t* operands, uint32_t operand_count,
                                  collet_buffer_t* workspace, uint64_t workspace_offset_bytes) {
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  const Plan* run = find(plan);
  if (run == nullptr) [[unlikely]] {
    return refuse_handle(__func__, plan, Kind::kPlan);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  if (run->device != on->device) [[unlikely]] {
    return refuse_device(__func__, "plan", *run, *on);
  }
  const CompiledPlan& compiled = *run->compiled;
  if (operands == nullptr || operand_count != compiled.operand_count) [[unlikely]] {
    return refuse_argument(__func__, "operands do not match the plan in number");
  }
  std::array<collet_plugin_operand_t, COLLET_MAX_OPERANDS> bound;
  for (std::uint32_t i = 0; i < operand_count; ++i) {
    const auto status = bind(__func__, *on, i, compiled.extents[i], operands[i], bound[i]);
    if (status != COLLET_OK) [[unlikely]] {
      return status;
    }
  }
  collet_plugin_operand_t scratch;
  const auto status =
      bind_workspace(__func__, *on, compiled, workspace, workspace_offset_bytes, scratch);
  if (status != COLLET_OK) [[unlikely]] {
    return status;
  }
  return finish(__func__, *on->device,
                run->table->enqueue(on->impl, run->impl, bound.data(), operand_count,
                                    scratch.memory, scratch.offset_bytes));
}
