// SPDX-License-Identifier: Apache-2.0
/** Functions of corresponding elements: conversion, one argument, two arguments. */
#pragma once

#include <collet/ops.h>

#include <memory>
#include <span>

#include "ops_plan.hpp"
#include "ops_types.hpp"

namespace collet::cpu {

/** What happens between loading inputs and storing the output. */
struct ElementFunction {
  Compute compute;
  /** At most one is set; none converts. */
  Kernels::Unary unary = nullptr;
  Kernels::Binary binary = nullptr;
};

/** A plan that applies `function` to the inputs, which follow the output in `operands`. */
[[nodiscard]] std::unique_ptr<const Plan> make_elementwise_plan(
    std::span<const collet_layout_t> operands, const ElementFunction& function);

}  // namespace collet::cpu
