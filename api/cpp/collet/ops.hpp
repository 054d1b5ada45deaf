// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of operations, in pairs: `x(stream, ...)` records a run, and `plan_x(device, ...)`
// makes a plan for hot loops, from tensors of which only the layouts matter. Plans are kept by
// libcollet, so that recording the same operation again is cheap too.
//
// The output may be the same memory as an input of the same layout in unary, binary and softmax.
#pragma once

#include <collet/ops.h>

#include <array>
#include <collet/device.hpp>
#include <collet/plan.hpp>
#include <collet/stream.hpp>
#include <collet/tensor.hpp>
#include <cstdint>
#include <stdexcept>

namespace collet::ops {

namespace detail {

/// A number takes the type of the tensor beside it.
inline collet_layout_t layout_of(const Operand& operand, collet_type_t scalar_type) {
  if (operand.tensor() != nullptr) return operand.tensor()->layout.get();
  collet_layout_t layout{};
  layout.type = scalar_type;
  layout.immediate = 1;
  return layout;
}

}  // namespace detail

// ---- fill, copy
// ----------------------------------------------------------------------------------

inline Plan plan_fill(const Device& device, const TensorView& out) {
  const std::array layouts{out.layout.get(), detail::layout_of(0, out.layout.type())};
  return Plan(device, {.kind = COLLET_OP_FILL, .operands = layouts});
}
/// out = value
inline void fill(const Stream& stream, const TensorView& out, const Operand& value) {
  plan_fill(stream.device(), out).run(stream, {out, value});
}

inline Plan plan_copy(const Device& device, const TensorView& out, const TensorView& in) {
  const std::array layouts{out.layout.get(), in.layout.get()};
  return Plan(device, {.kind = COLLET_OP_COPY, .operands = layouts});
}
/// out[i] = (type of out) in[i]; strides may differ.
inline void copy(const Stream& stream, const TensorView& out, const TensorView& in) {
  plan_copy(stream.device(), out, in).run(stream, {out, in});
}

// ---- elementwise
// ---------------------------------------------------------------------------------

inline Plan plan_unary(const Device& device, collet_unary_t function, const TensorView& out,
                       const TensorView& in) {
  const std::array layouts{out.layout.get(), in.layout.get()};
  return Plan(device, {.kind = COLLET_OP_UNARY,
                       .operands = layouts,
                       .function = static_cast<std::uint32_t>(function)});
}
/// out[i] = f(in[i])
inline void unary(const Stream& stream, collet_unary_t function, const TensorView& out,
                  const TensorView& in) {
  plan_unary(stream.device(), function, out, in).run(stream, {out, in});
}

/// `a` or `b` may be a number; which one does not matter here.
inline Plan plan_binary(const Device& device, collet_binary_t function, const TensorView& out,
                        const Operand& a, const Operand& b) {
  const TensorView* tensor = a.tensor() != nullptr ? a.tensor() : b.tensor();
  if (tensor == nullptr) throw std::invalid_argument("collet: binary: both inputs are numbers");
  const collet_type_t type = tensor->layout.type();
  const std::array layouts{out.layout.get(), detail::layout_of(a, type),
                           detail::layout_of(b, type)};
  return Plan(device, {.kind = COLLET_OP_BINARY,
                       .operands = layouts,
                       .function = static_cast<std::uint32_t>(function)});
}
/// out[i] = f(a[i], b[i]); inputs broadcast, and one of them may be a number.
inline void binary(const Stream& stream, collet_binary_t function, const TensorView& out,
                   const Operand& a, const Operand& b) {
  plan_binary(stream.device(), function, out, a, b).run(stream, {out, a, b});
}

// ---- along axes
// ----------------------------------------------------------------------------------

struct ReduceOptions {
  /// ARGMAX, ARGMIN: the axis.
  std::uint32_t axis = 0;
  bool deterministic = false;
};

inline Plan plan_reduce(const Device& device, collet_reduction_t function, const TensorView& out,
                        const TensorView& in, const ReduceOptions& options = {}) {
  const std::array layouts{out.layout.get(), in.layout.get()};
  return Plan(device, {.kind = COLLET_OP_REDUCE,
                       .operands = layouts,
                       .function = static_cast<std::uint32_t>(function),
                       .axis = options.axis,
                       .deterministic = options.deterministic});
}
/// Reduces the axes where out's size is 1 and in's is not.
inline void reduce(const Stream& stream, collet_reduction_t function, const TensorView& out,
                   const TensorView& in, const ReduceOptions& options = {}) {
  plan_reduce(stream.device(), function, out, in, options).run(stream, {out, in});
}

struct SoftmaxOptions {
  collet_softmax_t function = COLLET_SOFTMAX_PLAIN;
  bool deterministic = false;
};

inline Plan plan_softmax(const Device& device, const TensorView& out, const TensorView& in,
                         std::uint32_t axis, const SoftmaxOptions& options = {}) {
  const std::array layouts{out.layout.get(), in.layout.get()};
  return Plan(device, {.kind = COLLET_OP_SOFTMAX,
                       .operands = layouts,
                       .function = static_cast<std::uint32_t>(options.function),
                       .axis = axis,
                       .deterministic = options.deterministic});
}
/// Softmax, or its logarithm, over an axis.
inline void softmax(const Stream& stream, const TensorView& out, const TensorView& in,
                    std::uint32_t axis, const SoftmaxOptions& options = {}) {
  plan_softmax(stream.device(), out, in, axis, options).run(stream, {out, in});
}

// ---- matrix product
// ------------------------------------------------------------------------------

struct MatmulOptions {
  /// Added; broadcasts to the output. A run of a plan with bias takes it as fourth operand.
  const TensorView* bias = nullptr;
  /// Applied last.
  collet_activation_t activation = COLLET_ACTIVATION_NONE;
  double alpha = 1;
  /// With 0, the output is not read.
  double beta = 0;
  collet_math_mode_t math_mode = COLLET_MATH_STRICT;
  bool deterministic = false;
};

inline Plan plan_matmul(const Device& device, const TensorView& out, const TensorView& a,
                        const TensorView& b, const MatmulOptions& options = {}) {
  const bool has_bias = options.bias != nullptr;
  const std::array layouts{out.layout.get(), a.layout.get(), b.layout.get(),
                           has_bias ? options.bias->layout.get() : collet_layout_t{}};
  return Plan(device, {.kind = COLLET_OP_MATMUL,
                       .operands = std::span(layouts).first(has_bias ? 4 : 3),
                       .deterministic = options.deterministic,
                       .has_bias = has_bias,
                       .math_mode = options.math_mode,
                       .activation = options.activation,
                       .alpha = options.alpha,
                       .beta = options.beta});
}
/// out = activation(alpha a b + beta out + bias), for [..., m, n] = [..., m, k] [..., k, n].
inline void matmul(const Stream& stream, const TensorView& out, const TensorView& a,
                   const TensorView& b, const MatmulOptions& options = {}) {
  const Plan plan = plan_matmul(stream.device(), out, a, b, options);
  if (options.bias != nullptr) {
    plan.run(stream, {out, a, b, *options.bias});
  } else {
    plan.run(stream, {out, a, b});
  }
}

}  // namespace collet::ops
