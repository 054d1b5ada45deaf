// SPDX-License-Identifier: Apache-2.0
/** How a MATMUL runs, once everything about it is decided. */
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops_loop.hpp"
#include "ops_matmul_epilogue.hpp"
#include "ops_matmul_product.hpp"
#include "ops_plan.hpp"

namespace collet::cpu {

/** Operands of the description; kProduct is where products go: C, or the workspace. */
enum MatmulRole : std::uint32_t { kC, kA, kB, kBias, kProduct, kRoleCount };
static_assert(kRoleCount <= kMaxLoopOperands);

/** The two matrix dimensions of an operand, in bytes. */
struct MatrixSteps {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

struct MatmulGeometry {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  /** Of the type that is computed in, in bytes. */
  std::int64_t element_size = 0;
  std::array<MatrixSteps, kRoleCount> steps = {};
  /** The leading dimensions, of all roles. */
  std::vector<Dimension> batch;
};

/** A share of the output that one thread computes. */
struct MatmulPart {
  std::int64_t batch_begin = 0;
  std::int64_t batch_end = 0;
  std::int64_t row = 0;
  std::int64_t rows = 0;
  std::int64_t column = 0;
  std::int64_t columns = 0;
  /** Its part of the workspace. */
  std::uint64_t scratch_offset = 0;
  /** None where k is 0: the product is zero. */
  std::shared_ptr<const Product> product;
};

/** An operand that is copied into the workspace first. */
struct MatmulCopy {
  MatmulRole role;
  std::uint64_t offset;
  std::unique_ptr<const Plan> plan;
};

struct MatmulRecipe {
  std::string implementation;
  std::uint64_t workspace_bytes = 0;
  MatmulGeometry geometry;
  std::vector<MatmulCopy> copies;
  std::vector<MatmulPart> parts;
  bool has_bias = false;
  /** C^T = B^T A^T is computed: A and B have changed places after the copies. */
  bool is_turned = false;
  /** Where products go, if not into C. */
  std::optional<std::uint64_t> product_offset;
  std::optional<Epilogue> epilogue;
};

class MatmulPlan final : public Plan {
 public:
  explicit MatmulPlan(MatmulRecipe recipe);

  void run(const Run& run) const override;

 private:
  using Bases = std::array<std::byte*, kRoleCount>;

  void run_part(const MatmulPart& part, const Bases& bases, std::byte* workspace) const;
  void run_one(const MatmulPart& part, const Bases& at, std::byte* workspace) const;

  MatmulRecipe recipe_;
  Loop batch_;
};

}  // namespace collet::cpu
