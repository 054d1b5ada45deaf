// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/model.hpp"

#include <algorithm>
#include <atomic>

#include "op_check.hpp"

namespace collet::loader::validate {
namespace {

std::uint32_t next_stream_number() noexcept {
  static std::atomic<std::uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

const char* name_of(collet_op_kind_t kind) noexcept {
  switch (kind) {
    case COLLET_OP_FILL:
      return "fill";
    case COLLET_OP_COPY:
      return "copy";
    case COLLET_OP_UNARY:
      return "unary";
    case COLLET_OP_BINARY:
      return "binary";
    case COLLET_OP_REDUCE:
      return "reduce";
    case COLLET_OP_SOFTMAX:
      return "softmax";
    case COLLET_OP_MATMUL:
      return "matmul";
    case COLLET_OP_KIND_MAX:
      break;
  }
  return "?";
}

// All bytes of an operand without gaps. Of another, its first element: which bytes lie in the gaps
// is not worth a model, and the first element is touched for sure.
Region region_of(const collet_layout_t& layout, const OperandExtent& extent) {
  if (extent.immediate || extent.after_bytes == 0) {
    return {};
  }
  if (layout.packed != 0) {
    return {0, extent.after_bytes};
  }
  std::uint64_t bytes = collet_type_size_bytes(layout.type);
  const std::uint64_t item = bytes;
  for (std::uint32_t axis = 0; axis < layout.rank; ++axis) {
    bytes *= static_cast<std::uint64_t>(layout.sizes[axis]);
  }
  return {0, bytes == extent.after_bytes && extent.before_bytes == 0 ? bytes : item};
}

}  // namespace

Stream::Stream(LayerDevice& on, collet_plugin_stream_t* of_below, const collet_stream_desc_t& desc)
    : Wrapped(on, of_below),
      number(next_stream_number()),
      label(desc.label == nullptr ? "" : desc.label) {}

Plan::Plan(LayerDevice& on, collet_plugin_plan_t* of_below, const collet_op_desc_t& desc)
    : Wrapped(on, of_below), name(name_of(desc.kind)) {
  const OperandExtents extents = check_op(desc);
  for (std::uint32_t i = 0; i < desc.operand_count; ++i) {
    operands.push_back(region_of(desc.operands[i], extents[i]));
  }
  collet_op_support_t support{};
  support.base = {COLLET_STRUCT_OP_SUPPORT, sizeof support, nullptr};
  if (on.below.op->query(on.below.impl, &desc, &support) == COLLET_OK) {
    workspace_bytes = support.workspace_bytes;
  }
}

}  // namespace collet::loader::validate
