// SPDX-License-Identifier: Apache-2.0
//
// Plans: operations that are prepared once and run many times.
#pragma once

#include <collet/ops.h>

#include <array>
#include <cmath>
#include <collet/detail/object.hpp>
#include <collet/device.hpp>
#include <collet/stream.hpp>
#include <collet/tensor.hpp>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace collet {

/// An operand of an operation, as a parameter: a tensor, or a number that is given at each run.
/// Refers to the tensor; does not outlive the call.
class Operand {
 public:
  Operand(const TensorView& tensor) noexcept  // NOLINT(google-explicit-constructor)
      : tensor_(&tensor) {}
  template <std::floating_point Number>
  Operand(Number value) noexcept  // NOLINT(google-explicit-constructor)
      : real_(static_cast<double>(value)), is_real_(true) {}
  template <std::integral Number>
  Operand(Number value)  // NOLINT(google-explicit-constructor)
      : integer_(static_cast<std::int64_t>(value)) {
    // The sum makes an integer of what std::in_range does not take: bool and characters.
    if (!std::in_range<std::int64_t>(value + Number{})) {
      throw std::out_of_range("collet: operand: the value is more than 2^63 - 1");
    }
  }

  /// NULL for a number.
  const TensorView* tensor() const noexcept { return tensor_; }

  /// The number, for an operand of this type.
  collet_scalar_t scalar(collet_type_t type) const {
    const bool wants_real = type >= COLLET_TYPE_F16 && type <= COLLET_TYPE_F64;
    collet_scalar_t scalar{};
    if (wants_real) {
      scalar.f = is_real_ ? real_ : static_cast<double>(integer_);
    } else {
      scalar.i = is_real_ ? exact_integer(type) : integer_;
    }
    return scalar;
  }

 private:
  std::int64_t exact_integer(collet_type_t type) const {
    constexpr double kEnd = 9223372036854775808.0;
    if (real_ >= -kEnd && real_ < kEnd && std::trunc(real_) == real_) {
      return static_cast<std::int64_t>(real_);
    }
    throw std::invalid_argument("collet: operand: " + std::to_string(real_) +
                                " is no value of type " + collet_type_name(type));
  }

  const TensorView* tensor_ = nullptr;
  double real_ = 0;
  std::int64_t integer_ = 0;
  bool is_real_ = false;
};

/// What to compute: collet_op_desc_t with defaults. collet::ops has functions that fill it in.
struct Operation {
  collet_op_kind_t kind;
  /// The output, then the inputs.
  std::span<const collet_layout_t> operands;
  std::uint32_t function = 0;
  std::uint32_t axis = 0;
  /// The same inputs give the same bits, run to run; a device that cannot says UNSUPPORTED.
  bool deterministic = false;
  bool has_bias = false;
  collet_math_mode_t math_mode = COLLET_MATH_STRICT;
  collet_activation_t activation = COLLET_ACTIVATION_NONE;
  double alpha = 0;
  double beta = 0;
};

/// A prepared operation. Copies share the plan. Immutable: any thread, any stream of its device.
class Plan : public detail::Object<collet_plan_t, collet_plan_retain, collet_plan_release> {
 public:
  /// Makes the plan, or finds the one that was made before. Blocking: may compile.
  Plan(const Device& device, const Operation& operation)
      : Object(create(device, operation)),
        layouts_(
            std::make_shared<const Layouts>(operation.operands.begin(), operation.operands.end())),
        workspace_bytes_(support().workspace_bytes) {}

  /// How the device runs it.
  collet_op_support_t support() const {
    collet_op_support_t support = COLLET_OP_SUPPORT_INIT;
    check(collet_plan_support(get(), &support));
    return support;
  }

  /// Records a run on these operands: the output, then the inputs. Throws where a layout is not
  /// the plan's. Workspace is taken from the stream's memory.
  void run(const Stream& stream, std::span<const Operand> operands) const {
    if (operands.size() != layouts_->size()) {
      throw std::invalid_argument("collet: plan: " + std::to_string(operands.size()) +
                                  " operands for a plan with " + std::to_string(layouts_->size()));
    }
    std::array<collet_operand_t, COLLET_MAX_OPERANDS> bound{};
    for (std::size_t i = 0; i < operands.size(); ++i) bound[i] = bind(operands[i], i);
    const Buffer workspace =
        workspace_bytes_ > 0 ? stream.allocate(workspace_bytes_, {.tag = "workspace"}) : Buffer();
    check(collet_stream_run(stream.get(), get(), bound.data(),
                            static_cast<std::uint32_t>(operands.size()), workspace.get(), 0));
    for (const Operand& operand : operands) {
      if (operand.tensor() != nullptr) operand.tensor()->buffer.use_on(stream.get());
    }
  }
  void run(const Stream& stream, std::initializer_list<Operand> operands) const {
    run(stream, std::span(operands.begin(), operands.size()));
  }

 private:
  using Layouts = std::vector<collet_layout_t>;

  static collet_plan_t* create(const Device& device, const Operation& operation) {
    if (operation.operands.size() > COLLET_MAX_OPERANDS) {
      throw std::invalid_argument("collet: plan: no operation has so many operands");
    }
    collet_op_desc_t desc = COLLET_OP_DESC_INIT;
    desc.kind = operation.kind;
    desc.function = operation.function;
    desc.axis = operation.axis;
    if (operation.deterministic) desc.flags |= COLLET_OP_DETERMINISTIC;
    if (operation.has_bias) desc.flags |= COLLET_OP_HAS_BIAS;
    desc.math_mode = operation.math_mode;
    desc.activation = operation.activation;
    desc.alpha = operation.alpha;
    desc.beta = operation.beta;
    desc.operand_count = static_cast<std::uint32_t>(operation.operands.size());
    desc.operands = operation.operands.data();
    collet_plan_t* handle = nullptr;
    check(collet_plan_create(device.get(), &desc, &handle));
    return handle;
  }

  collet_operand_t bind(const Operand& operand, std::size_t index) const {
    const collet_layout_t& planned = (*layouts_)[index];
    const TensorView* tensor = operand.tensor();
    const bool fits =
        tensor == nullptr ? planned.immediate != 0 : tensor->layout == Layout(planned);
    if (!fits) {
      throw std::invalid_argument("collet: plan: operand " + std::to_string(index) +
                                  " has another layout than the plan was made for");
    }
    if (tensor == nullptr) return {nullptr, 0, operand.scalar(planned.type)};
    return {tensor->buffer.get(), tensor->offset_bytes, {}};
  }

  std::shared_ptr<const Layouts> layouts_;
  std::uint64_t workspace_bytes_;
};

}  // namespace collet
