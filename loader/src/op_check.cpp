// SPDX-License-Identifier: Apache-2.0
#include "op_check.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "error.hpp"

namespace collet::loader {
namespace {

[[noreturn]] void invalid(const std::string& what) {
  throw Error(COLLET_ERROR_INVALID_ARGUMENT, "op: " + what);
}

std::string operand_name(std::uint32_t index) { return "operand " + std::to_string(index); }

bool is_arithmetic_type(std::uint32_t type) {
  return type >= COLLET_TYPE_BOOL && type <= COLLET_TYPE_F64;
}

bool is_output(std::uint32_t index) { return index == 0; }

void check_sizes(const collet_layout_t& layout, std::uint32_t index) {
  for (std::uint32_t i = 0; i < layout.rank; ++i) {
    if (layout.sizes[i] < 0) {
      invalid(operand_name(index) + " has a negative size along axis " + std::to_string(i));
    }
  }
}

bool is_empty(const collet_layout_t& layout) {
  return std::find(layout.sizes, layout.sizes + layout.rank, 0) != layout.sizes + layout.rank;
}

// An output names each element once: its strides, sorted, step over what lies below them.
void check_output_strides(const collet_layout_t& layout) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, size
  if (is_empty(layout)) {
    return;
  }
  for (std::uint32_t i = 0; i < layout.rank; ++i) {
    if (layout.sizes[i] > 1) {
      axes.emplace_back(layout.strides[i], layout.sizes[i]);
    }
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (const auto& [stride, size] : axes) {
    if (stride <= reach) {
      invalid("the output's strides make two elements share memory, or are negative");
    }
    reach += stride * (size - 1);
  }
}

OperandExtent strided_extent(const collet_layout_t& layout, std::uint32_t index) {
  const std::uint64_t item = collet_type_size_bytes(layout.type);
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  std::uint64_t elements = 1;
  if (is_empty(layout)) {
    return {};
  }
  for (std::uint32_t i = 0; i < layout.rank; ++i) {
    const auto steps = static_cast<std::uint64_t>(layout.sizes[i] - 1);
    const std::int64_t stride = layout.strides[i];
    const std::uint64_t step =
        stride < 0 ? 0 - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
    std::uint64_t span = 0;
    std::uint64_t& side = stride < 0 ? before : after;
    if (__builtin_mul_overflow(steps, step, &span) || __builtin_add_overflow(side, span, &side) ||
        __builtin_mul_overflow(elements, static_cast<std::uint64_t>(layout.sizes[i]), &elements)) {
      throw Error(COLLET_ERROR_OVERFLOW,
                  "op: " + operand_name(index) + " is too large: its extent overflows");
    }
  }
  // Half of the range is kept free, so that plugins may compute with signed offsets.
  constexpr std::uint64_t kMost = static_cast<std::uint64_t>(INT64_MAX);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(elements, item, &bytes) || bytes > kMost ||
      __builtin_mul_overflow(before, item, &before) || before > kMost / 2 ||
      __builtin_mul_overflow(after, item, &after) || after > kMost / 2 - item) {
    throw Error(COLLET_ERROR_OVERFLOW,
                "op: " + operand_name(index) + " is too large: its extent overflows");
  }
  return {before, after + item, 1, false};
}

OperandExtent check_layout(const collet_layout_t& layout, std::uint32_t index) {
  if (const std::uint32_t type = number_of(layout.type); !is_arithmetic_type(type)) {
    const char* name = type <= COLLET_TYPE_U4 ? collet_type_name(layout.type) : "?";
    invalid(operand_name(index) + " has type " + std::to_string(type) + " (" + name +
            "), which no operation takes");
  }
  if (layout.rank > COLLET_MAX_RANK) {
    invalid(operand_name(index) + " has rank " + std::to_string(layout.rank) + "; the most is " +
            std::to_string(COLLET_MAX_RANK));
  }
  if (layout.immediate > 1) {
    invalid(operand_name(index) + ": immediate is 0 or 1");
  }
  const std::uint32_t alignment = layout.offset_alignment_bytes;
  const std::uint32_t item = collet_type_size_bytes(layout.type);
  if (alignment != 0 && (!std::has_single_bit(alignment) || alignment < item)) {
    invalid(operand_name(index) + ": offset_alignment_bytes " + std::to_string(alignment) +
            " is not a power of two that the element's size divides");
  }
  OperandExtent extent;
  if (layout.immediate == 1) {
    if (is_output(index)) {
      invalid("the output cannot be immediate");
    }
    if (layout.rank != 0 || layout.packed != 0) {
      invalid(operand_name(index) + " is immediate, so that rank and packed must be 0");
    }
    extent.immediate = true;
    return extent;
  }
  check_sizes(layout, index);
  if (layout.packed != 0) {
    extent.after_bytes = layout.packed_size_bytes;
  } else {
    extent = strided_extent(layout, index);
    if (is_output(index)) {
      check_output_strides(layout);
    }
  }
  extent.alignment_bytes = alignment != 0 ? alignment : item;
  return extent;
}

void check_count(const collet_op_desc_t& desc, std::uint32_t count) {
  if (desc.operand_count != count) {
    invalid("this kind has " + std::to_string(count) + " operands, not " +
            std::to_string(desc.operand_count));
  }
}

void check_function(const collet_op_desc_t& desc, std::uint32_t first, std::uint32_t last) {
  if (desc.function < first || desc.function > last) {
    invalid("function " + std::to_string(desc.function) + " does not exist for this kind");
  }
}

void check_same_type(const collet_op_desc_t& desc, std::uint32_t index, std::uint32_t other) {
  if (desc.operands[index].type != desc.operands[other].type) {
    invalid(operand_name(index) + " has type " + collet_type_name(desc.operands[index].type) +
            ", but " + operand_name(other) + " has " + collet_type_name(desc.operands[other].type) +
            "; convert one by COLLET_OP_COPY");
  }
}

void check_memory(const collet_op_desc_t& desc, std::uint32_t index) {
  if (desc.operands[index].immediate != 0) {
    invalid(operand_name(index) + " cannot be immediate in this kind");
  }
}

[[noreturn]] void refuse_size(const collet_op_desc_t& desc, std::uint32_t index, std::uint32_t axis,
                              const std::string& expected) {
  invalid(operand_name(index) + " has size " + std::to_string(desc.operands[index].sizes[axis]) +
          " along axis " + std::to_string(axis) + ", and " + expected);
}

void check_rank(const collet_op_desc_t& desc, std::uint32_t index) {
  if (desc.operands[index].rank != desc.operands[0].rank) {
    invalid(operand_name(index) + " has rank " + std::to_string(desc.operands[index].rank) +
            ", but the output has " + std::to_string(desc.operands[0].rank));
  }
}

// Sizes as the output's; with `broadcast` also 1. Immediates have no sizes.
void check_shape(const collet_op_desc_t& desc, std::uint32_t index, bool broadcast,
                 std::uint32_t axes) {
  const collet_layout_t& in = desc.operands[index];
  const collet_layout_t& out = desc.operands[0];
  if (in.immediate != 0) {
    return;
  }
  check_rank(desc, index);
  for (std::uint32_t i = 0; i < axes; ++i) {
    if (in.sizes[i] != out.sizes[i] && !(broadcast && in.sizes[i] == 1)) {
      refuse_size(desc, index, i,
                  "the output has " + std::to_string(out.sizes[i]) +
                      (broadcast ? "; sizes are equal, or 1" : ""));
    }
  }
}

void check_binary(const collet_op_desc_t& desc) {
  check_count(desc, 3);
  check_function(desc, COLLET_BINARY_ADD, COLLET_BINARY_GREATER_EQUAL);
  check_same_type(desc, 2, 1);
  if (desc.operands[1].immediate != 0 && desc.operands[2].immediate != 0) {
    invalid("only one input of a binary operation may be immediate");
  }
  check_shape(desc, 1, true, desc.operands[0].rank);
  check_shape(desc, 2, true, desc.operands[0].rank);
  const bool comparison = desc.function >= COLLET_BINARY_EQUAL;
  if (!(comparison && desc.operands[0].type == COLLET_TYPE_BOOL)) {
    check_same_type(desc, 0, 1);
  }
}

void check_reduce(const collet_op_desc_t& desc) {
  check_count(desc, 2);
  check_function(desc, COLLET_REDUCTION_SUM, COLLET_REDUCTION_ARGMIN);
  check_memory(desc, 1);
  check_rank(desc, 1);
  const collet_layout_t& out = desc.operands[0];
  const collet_layout_t& in = desc.operands[1];
  const bool index =
      desc.function == COLLET_REDUCTION_ARGMAX || desc.function == COLLET_REDUCTION_ARGMIN;
  if (!index) {
    check_same_type(desc, 0, 1);
  } else if (out.type != COLLET_TYPE_I64) {
    invalid("ARGMAX and ARGMIN have an output of type i64");
  } else if (desc.axis >= in.rank || out.sizes[desc.axis] != 1) {
    invalid("ARGMAX and ARGMIN reduce one axis, given by `axis`, where the output has size 1");
  }
  for (std::uint32_t i = 0; i < in.rank; ++i) {
    const bool reduced = out.sizes[i] == 1 && (!index || i == desc.axis);
    if (!reduced && out.sizes[i] != in.sizes[i]) {
      refuse_size(desc, 0, i,
                  "the input has " + std::to_string(in.sizes[i]) +
                      "; a reduced axis has size 1 in the output");
    }
  }
}

void check_softmax(const collet_op_desc_t& desc) {
  check_count(desc, 2);
  check_function(desc, COLLET_SOFTMAX_PLAIN, COLLET_SOFTMAX_LOG);
  check_memory(desc, 1);
  check_same_type(desc, 1, 0);
  check_shape(desc, 1, false, desc.operands[0].rank);
  if (desc.axis >= desc.operands[0].rank) {
    invalid("axis " + std::to_string(desc.axis) + " is not one of the " +
            std::to_string(desc.operands[0].rank) + " axes");
  }
}

void check_matmul(const collet_op_desc_t& desc) {
  const bool bias = (desc.flags & COLLET_OP_HAS_BIAS) != 0;
  check_count(desc, bias ? 4 : 3);
  check_function(desc, 0, 0);
  const collet_layout_t& c = desc.operands[0];
  const collet_layout_t& a = desc.operands[1];
  const collet_layout_t& b = desc.operands[2];
  if (c.rank < 2) {
    invalid("a matrix product has rank 2 or more, not " + std::to_string(c.rank));
  }
  check_memory(desc, 1);
  check_memory(desc, 2);
  check_shape(desc, 1, true, c.rank - 2);
  check_shape(desc, 2, true, c.rank - 2);
  const std::uint32_t row = c.rank - 2;
  const std::uint32_t column = c.rank - 1;
  if (a.sizes[row] != c.sizes[row]) {
    refuse_size(desc, 1, row, "the output has " + std::to_string(c.sizes[row]) + " rows");
  }
  if (b.sizes[column] != c.sizes[column]) {
    refuse_size(desc, 2, column, "the output has " + std::to_string(c.sizes[column]) + " columns");
  }
  if (b.sizes[row] != a.sizes[column]) {
    refuse_size(desc, 2, row,
                "operand 1 has " + std::to_string(a.sizes[column]) +
                    " columns; inner sizes are "
                    "equal");
  }
  if (bias) {
    check_memory(desc, 3);
    check_shape(desc, 3, true, c.rank);
  }
}

void check_kind(const collet_op_desc_t& desc) {
  switch (desc.kind) {
    case COLLET_OP_FILL:
      check_count(desc, 2);
      check_function(desc, 0, 0);
      if (desc.operands[1].immediate == 0) {
        invalid("the value of a fill, operand 1, is immediate");
      }
      check_same_type(desc, 1, 0);
      return;
    case COLLET_OP_COPY:
      check_count(desc, 2);
      check_function(desc, 0, 0);
      check_memory(desc, 1);
      check_shape(desc, 1, false, desc.operands[0].rank);
      return;
    case COLLET_OP_UNARY:
      check_count(desc, 2);
      check_function(desc, COLLET_UNARY_NEGATE, COLLET_UNARY_GELU);
      check_memory(desc, 1);
      check_same_type(desc, 1, 0);
      check_shape(desc, 1, false, desc.operands[0].rank);
      return;
    case COLLET_OP_BINARY:
      check_binary(desc);
      return;
    case COLLET_OP_REDUCE:
      check_reduce(desc);
      return;
    case COLLET_OP_SOFTMAX:
      check_softmax(desc);
      return;
    case COLLET_OP_MATMUL:
      check_matmul(desc);
      return;
    case COLLET_OP_KIND_MAX:
      return;
  }
}

// Fields that only some kinds read are 0 elsewhere, so that plans are found by all their fields.
void check_unused(const collet_op_desc_t& desc) {
  const bool matmul = desc.kind == COLLET_OP_MATMUL;
  const bool axis = desc.kind == COLLET_OP_SOFTMAX ||
                    (desc.kind == COLLET_OP_REDUCE && desc.function >= COLLET_REDUCTION_ARGMAX);
  check_flags(desc.flags,
              static_cast<std::uint32_t>(COLLET_OP_DETERMINISTIC) |
                  (matmul ? static_cast<std::uint32_t>(COLLET_OP_HAS_BIAS) : 0U),
              "op: flags");
  if (!axis && desc.axis != 0) {
    invalid("axis is 0 in this kind");
  }
  if (!matmul && (desc.alpha != 0 || desc.beta != 0 || desc.activation != COLLET_ACTIVATION_NONE)) {
    invalid("alpha, beta and activation are 0 in all kinds but MATMUL");
  }
}

void check_enumerator(const char* name, std::uint32_t value, std::uint32_t first,
                      std::uint32_t last) {
  if (value < first || value > last) {
    invalid(std::string(name) + " " + std::to_string(value) + " does not exist");
  }
}

// Before anything else looks at them.
void check_enumerators(const collet_op_desc_t& desc) {
  check_enumerator("kind", number_of(desc.kind), COLLET_OP_FILL, COLLET_OP_MATMUL);
  check_enumerator("activation", number_of(desc.activation), COLLET_ACTIVATION_NONE,
                   COLLET_ACTIVATION_SIGMOID);
  check_enumerator("math_mode", number_of(desc.math_mode), COLLET_MATH_STRICT, COLLET_MATH_BF16);
}

}  // namespace

OperandExtents check_op(const collet_op_desc_t& desc) {
  check_enumerators(desc);
  if (desc.operand_count == 0 || desc.operand_count > COLLET_MAX_OPERANDS) {
    invalid("operand_count " + std::to_string(desc.operand_count) + " is not 1 to " +
            std::to_string(COLLET_MAX_OPERANDS));
  }
  require(desc.operands, "desc.operands");
  OperandExtents extents;
  for (std::uint32_t i = 0; i < desc.operand_count; ++i) {
    extents[i] = check_layout(desc.operands[i], i);
  }
  check_kind(desc);
  check_unused(desc);
  return extents;
}

}  // namespace collet::loader
