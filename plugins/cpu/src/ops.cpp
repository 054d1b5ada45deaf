// SPDX-License-Identifier: Apache-2.0
#include "ops.hpp"

#include <array>
#include <collet/sdk/guard.hpp>
#include <collet/sdk/handle.hpp>
#include <collet/sdk/structs.hpp>
#include <memory>
#include <utility>

#include "device.hpp"
#include "memory.hpp"
#include "ops_plan.hpp"
#include "ops_types.hpp"
#include "stream.hpp"

namespace collet::cpu {
namespace {

using plugin::from_handle;
using plugin::guarded;

/** Most operands of the operations that this device has. */
constexpr std::uint32_t kMaxOperands = 4;

/** What a handle of a plan stands for. Runs that are enqueued share the plan itself. */
struct PlanObject {
  using Handle = collet_plugin_plan_t;

  const char* name = "";
  std::shared_ptr<const Plan> plan;
  /** The type of each operand that is immediate, else NONE. */
  std::array<collet_type_t, kMaxOperands> immediate = {};
};

const char* name_of(collet_op_kind_t kind) {
  constexpr const char* kNames[] = {"?",      "fill",   "copy",    "unary",
                                    "binary", "reduce", "softmax", "matmul"};
  return kind > 0 && kind <= COLLET_OP_MATMUL ? kNames[kind] : kNames[0];
}

/** A value as an element of a type. */
std::uint64_t element_of_value(const collet_scalar_t& value, collet_type_t type) {
  std::uint64_t element = 0;
  const Compute compute = is_float(type) ? kF64 : compute_of(type);
  kernels().store[compute][type](&value, 1, &element, 1);
  return element;
}

/** The command: everything that a run needs, in one piece that is cheap to move. */
class RunCommand {
 public:
  RunCommand(Executor& executor, const PlanObject& object, const collet_plugin_operand_t* operands,
             std::uint32_t operand_count)
      : executor_(&executor), plan_(object.plan) {
    for (std::uint32_t i = 0; i < operand_count; ++i) {
      if (object.immediate[i] != COLLET_TYPE_NONE) {
        values_[i] = element_of_value(operands[i].value, object.immediate[i]);
      } else {
        addresses_[i] = address(operands[i].memory, operands[i].offset_bytes);
      }
    }
  }

  void use_workspace(collet_plugin_memory_t* memory, std::uint64_t offset_bytes) {
    if (memory != nullptr) workspace_ = address(memory, offset_bytes);
  }

  void operator()() {
    std::array<void*, kMaxOperands> operands = addresses_;
    for (std::uint32_t i = 0; i < kMaxOperands; ++i) {
      if (operands[i] == nullptr) operands[i] = &values_[i];
    }
    plan_->run({*executor_, operands.data(), workspace_});
  }

 private:
  static void* address(collet_plugin_memory_t* memory, std::uint64_t offset_bytes) {
    return from_handle<Memory>(memory)->data() + offset_bytes;
  }

  Executor* executor_;
  std::shared_ptr<const Plan> plan_;
  /** NULL for an immediate. */
  std::array<void*, kMaxOperands> addresses_ = {};
  std::array<std::uint64_t, kMaxOperands> values_ = {};
  void* workspace_ = nullptr;
};

std::unique_ptr<const Plan> plan_for(collet_plugin_device_t* device, const collet_op_desc_t& desc) {
  return make_plan(desc, from_handle<Device>(device)->executor().threads());
}

collet_status_t query(collet_plugin_device_t* device, const collet_op_desc_t* desc,
                      collet_op_support_t* out_support) {
  return guarded([&] {
    collet_op_support_t support = {};
    // What is asked is at most how imprecise a product may be: all of them are exact here.
    support.math_mode = COLLET_MATH_STRICT;
    try {
      const auto plan = plan_for(device, *desc);
      support.level = COLLET_OP_NATIVE;
      support.workspace_bytes = plan->workspace_bytes();
      plugin::copy_text(support.detail, plan->implementation());
    } catch (const plugin::Error& e) {
      if (e.status() != COLLET_ERROR_UNSUPPORTED) throw;
      support.level = COLLET_OP_UNSUPPORTED;
      plugin::copy_text(support.detail, e.what());
    }
    plugin::fill_struct(out_support, support);
  });
}

collet_status_t preferred_layout(collet_plugin_device_t* device, const collet_op_desc_t* desc,
                                 std::uint32_t operand, collet_layout_t* out_layout) {
  return guarded([&] {
    // Only says whether the operation is supported: any layout is as good as another.
    static_cast<void>(plan_for(device, *desc));
    *out_layout = desc->operands[operand];
  });
}

collet_status_t create(collet_plugin_device_t* device, const collet_op_desc_t* desc,
                       collet_plugin_plan_t** out_plan) {
  return guarded([&] {
    auto object = std::make_unique<PlanObject>();
    object->name = name_of(desc->kind);
    object->plan = plan_for(device, *desc);
    for (std::uint32_t i = 0; i < desc->operand_count; ++i) {
      const collet_layout_t& layout = desc->operands[i];
      if (layout.immediate != 0) object->immediate[i] = layout.type;
    }
    *out_plan = plugin::to_handle(object.release());
  });
}

void destroy(collet_plugin_plan_t* plan) { delete from_handle<PlanObject>(plan); }

collet_status_t enqueue(collet_plugin_stream_t* stream, collet_plugin_plan_t* plan,
                        const collet_plugin_operand_t* operands, std::uint32_t operand_count,
                        collet_plugin_memory_t* workspace, std::uint64_t workspace_offset_bytes) {
  return guarded([&] {
    Stream& target = *from_handle<Stream>(stream);
    const PlanObject& object = *from_handle<PlanObject>(plan);
    RunCommand command(target.device().executor(), object, operands, operand_count);
    command.use_workspace(workspace, workspace_offset_bytes);
    target.enqueue({"op", object.name}, std::move(command));
  });
}

constexpr collet_plugin_ops_interface_t kTable = {
    sizeof(collet_plugin_ops_interface_t), 0, query, preferred_layout, create, destroy, enqueue};

}  // namespace

const collet_plugin_ops_interface_t* ops_interface() noexcept { return &kTable; }

}  // namespace collet::cpu
