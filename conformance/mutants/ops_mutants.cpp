// SPDX-License-Identifier: Apache-2.0
/** Operations: what is planned, and what a run does besides. */
#include <array>

#include "tools.hpp"

namespace collet::mutants {
namespace {

constexpr auto kMatmul = COLLET_OP_MATMUL;

/** A description that a mutant changes before the good plugin sees it. */
struct Changed {
  explicit Changed(const collet_op_desc_t& from) : desc(from) {
    for (std::uint32_t i = 0; i < desc.operand_count; ++i) layouts[i] = from.operands[i];
    desc.operands = layouts.data();
  }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

  collet_op_desc_t desc;
  std::array<collet_layout_t, COLLET_MAX_OPERANDS> layouts;
};

struct PlanNote {
  collet_op_desc_t desc{};
  std::array<collet_layout_t, COLLET_MAX_OPERANDS> layouts{};
};
auto& plans() { return notes<collet_plugin_plan_t, PlanNote, 5>(); }

/** A run that is put off, of each thread. */
struct Waiting {
  collet_plugin_stream_t* stream = nullptr;
  collet_plugin_plan_t* plan = nullptr;
  std::vector<collet_plugin_operand_t> operands;
  collet_plugin_memory_t* workspace = nullptr;
  std::uint64_t offset = 0;
};

Waiting& waiting() {
  static thread_local Waiting run;
  return run;
}

collet_status_t create_and_note(collet_plugin_device_t* device, const collet_op_desc_t* desc,
                                collet_plugin_plan_t** out_plan) {
  const collet_status_t status = good().ops->create(device, desc, out_plan);
  if (status != COLLET_OK) return status;
  PlanNote& note = plans().of(*out_plan);
  note = {};
  note.desc = *desc;
  for (std::uint32_t i = 0; i < desc->operand_count; ++i) note.layouts[i] = desc->operands[i];
  return status;
}

std::int64_t count_of(const collet_layout_t& layout) {
  std::int64_t count = 1;
  for (std::uint32_t i = 0; i < layout.rank; ++i) count *= layout.sizes[i];
  return count;
}

bool has_zero(const collet_op_desc_t& desc) {
  for (std::uint32_t i = 0; i < desc.operand_count; ++i) {
    if (count_of(desc.operands[i]) == 0) return true;
  }
  return false;
}

bool is_contiguous(const collet_layout_t& layout) {
  std::int64_t stride = 1;
  for (std::uint32_t i = layout.rank; i-- > 0;) {
    if (layout.sizes[i] > 1 && layout.strides[i] != stride) return false;
    stride *= layout.sizes[i];
  }
  return true;
}

/** Overwrites one byte of an operand, behind the run. */
void spoil(collet_plugin_stream_t* stream, const collet_plugin_operand_t& operand,
           std::int64_t byte) {
  const std::uint8_t value = 0x5B;
  good().stream->fill(stream, operand.memory,
                      operand.offset_bytes + static_cast<std::uint64_t>(byte), 1, &value, 1);
}

}  // namespace

MUTANT("ops1-claims", "PLUG-OPS-1", "query says NATIVE to a softmax that create refuses") {
  plugin.ops.create = [](auto* device, auto* desc, auto** out_plan) {
    if (desc->kind == COLLET_OP_SOFTMAX && desc->operands[0].type == COLLET_TYPE_F64 &&
        desc->operands[0].sizes[0] == 4) {
      return COLLET_ERROR_UNSUPPORTED;
    }
    return good().ops->create(device, desc, out_plan);
  };
}

MUTANT("ops1-no-reason", "PLUG-OPS-1", "query gives no reason where it says UNSUPPORTED") {
  plugin.ops.query = [](auto* device, auto* desc, auto* out_support) {
    const collet_status_t status = good().ops->query(device, desc, out_support);
    if (desc->kind == COLLET_OP_SOFTMAX && desc->operands[0].sizes[0] == 4 &&
        out_support->base.struct_size >= sizeof(*out_support)) {
      out_support->level = COLLET_OP_UNSUPPORTED;
      out_support->detail[0] = '\0';
    }
    return status;
  };
}

MUTANT("ops2-one-more", "PLUG-OPS-2", "a byte behind a contiguous output is written") {
  plugin.ops.create = create_and_note;
  plugin.ops.enqueue = [](auto* stream, auto* plan, auto* operands, auto count, auto* workspace,
                          auto offset) {
    const collet_status_t status =
        good().ops->enqueue(stream, plan, operands, count, workspace, offset);
    const PlanNote& note = plans().of(plan);
    const collet_layout_t& out = note.layouts[0];
    if (status == COLLET_OK && out.type == COLLET_TYPE_F16 && is_contiguous(out) &&
        count_of(out) == 255) {
      spoil(stream, operands[0], 2 * count_of(out));
    }
    return status;
  };
}

MUTANT("ops3-dropped", "PLUG-OPS-3", "the strides of a transposed or repeated input are dropped") {
  plugin.ops.create = [](auto* device, auto* desc, auto** out_plan) {
    Changed changed(*desc);
    for (std::uint32_t i = 1; i < desc->operand_count; ++i) {
      collet_layout_t& layout = changed.layouts[i];
      if (layout.rank < 3 || is_contiguous(layout)) continue;
      // As far as it stays inside the memory that there is.
      for (std::uint32_t axis = 0; axis < layout.rank; ++axis) {
        if (layout.strides[axis] != 0) layout.strides[axis] = layout.strides[axis] > 0 ? 1 : -1;
      }
    }
    return good().ops->create(device, &changed.desc, out_plan);
  };
}

MUTANT("ops4-refused", "PLUG-OPS-4", "an operation with a size 0 cannot be made") {
  plugin.ops.create = [](auto* device, auto* desc, auto** out_plan) {
    if (has_zero(*desc)) return COLLET_ERROR_INVALID_ARGUMENT;
    return good().ops->create(device, desc, out_plan);
  };
}

MUTANT("ops4-left-alone", "PLUG-OPS-4", "with a size 0 the output is left as it was") {
  plugin.ops.create = create_and_note;
  plugin.ops.enqueue = [](auto* stream, auto* plan, auto* operands, auto count, auto* workspace,
                          auto offset) {
    PlanNote& note = plans().of(plan);
    note.desc.operands = note.layouts.data();
    if (has_zero(note.desc)) return COLLET_OK;
    return good().ops->enqueue(stream, plan, operands, count, workspace, offset);
  };
}

MUTANT("ops5-reads-c", "PLUG-OPS-5", "with beta 0 the output is multiplied by almost nothing",
       also_breaks("PLUG-NUM-3", "PLUG-OPS-2", "PLUG-OPS-3", "PLUG-OPS-6", "PLUG-OPS-7")) {
  plugin.ops.create = [](auto* device, auto* desc, auto** out_plan) {
    Changed changed(*desc);
    const bool is_meant = desc->kind == kMatmul && desc->beta == 0 && !has_zero(*desc) &&
                          desc->operands[0].type == COLLET_TYPE_F32;
    if (is_meant) changed.desc.beta = 1e-30;
    return good().ops->create(device, &changed.desc, out_plan);
  };
}

MUTANT("ops5-beta-ignored", "PLUG-OPS-5", "beta 3 counts as 1") {
  plugin.ops.create = [](auto* device, auto* desc, auto** out_plan) {
    Changed changed(*desc);
    if (desc->kind == kMatmul && desc->beta == 3) changed.desc.beta = 1;
    return good().ops->create(device, &changed.desc, out_plan);
  };
}

MUTANT("ops6-one-block", "PLUG-OPS-6", "runs of a plan that wait use the operands of the latest") {
  plugin.ops.enqueue = [](auto* stream, auto* plan, auto* operands, auto count, auto* workspace,
                          auto offset) {
    // The run before it was put off, and has no operands of its own by now.
    if (waiting().plan == plan) {
      waiting().plan = nullptr;
      good().ops->enqueue(stream, plan, operands, count, workspace, offset);
    } else if (good().stream->query(stream) == COLLET_NOT_READY) {
      waiting() = {stream, plan, {operands, operands + count}, workspace, offset};
      return COLLET_OK;
    }
    return good().ops->enqueue(stream, plan, operands, count, workspace, offset);
  };
  plugin.stream.read = [](auto* stream, auto* dst, auto* src, auto src_offset, auto size,
                          auto flags, auto timeout) {
    const Waiting run = waiting();
    if (run.plan != nullptr && run.stream == stream) {
      waiting().plan = nullptr;
      good().ops->enqueue(stream, run.plan, run.operands.data(),
                          static_cast<std::uint32_t>(run.operands.size()), run.workspace,
                          run.offset);
    }
    return good().stream->read(stream, dst, src, src_offset, size, flags, timeout);
  };
}

MUTANT("ops7-undeclared", "PLUG-OPS-7", "a run needs a workspace where none is declared",
       also_breaks("PLUG-NUM-4", "PLUG-NUM-5", "PLUG-OPS-4", "PLUG-OPS-8")) {
  plugin.ops.create = create_and_note;
  plugin.ops.enqueue = [](auto* stream, auto* plan, auto* operands, auto count, auto* workspace,
                          auto offset) {
    if (workspace == nullptr && plans().of(plan).desc.kind == COLLET_OP_REDUCE &&
        count_of(plans().of(plan).layouts[1]) % 1000 == 0) {
      return COLLET_ERROR_INVALID_ARGUMENT;
    }
    return good().ops->enqueue(stream, plan, operands, count, workspace, offset);
  };
}

MUTANT("ops8-other-bits", "PLUG-OPS-8", "every third deterministic run has another last bit") {
  plugin.ops.create = create_and_note;
  plugin.ops.enqueue = [](auto* stream, auto* plan, auto* operands, auto count, auto* workspace,
                          auto offset) {
    static int runs = 0;
    const collet_status_t status =
        good().ops->enqueue(stream, plan, operands, count, workspace, offset);
    const PlanNote& note = plans().of(plan);
    if ((note.desc.flags & COLLET_OP_DETERMINISTIC) != 0 && ++runs % 3 == 0) {
      spoil(stream, operands[0], 0);
    }
    return status;
  };
}

}  // namespace collet::mutants
