// SPDX-License-Identifier: Apache-2.0
#include "ops_matmul_plan.hpp"

#include <cstring>
#include <utility>

namespace collet::cpu {

MatmulPlan::MatmulPlan(MatmulRecipe recipe)
    : Plan(recipe.implementation, recipe.workspace_bytes),
      recipe_(std::move(recipe)),
      batch_(recipe_.geometry.batch, kRoleCount, kProduct) {}

void MatmulPlan::run(const Run& run) const {
  auto* const workspace = static_cast<std::byte*>(run.workspace);
  Bases bases = {};
  for (const MatmulRole role : {kC, kA, kB})
    bases[role] = static_cast<std::byte*>(run.operands[role]);
  if (recipe_.has_bias) bases[kBias] = static_cast<std::byte*>(run.operands[kBias]);
  for (const MatmulCopy& copy : recipe_.copies) {
    bases[copy.role] = workspace + copy.offset;
    const std::array<void*, 2> operands = {bases[copy.role], run.operands[copy.role]};
    copy.plan->run({run.executor, operands.data(), nullptr});
  }
  if (recipe_.is_turned) std::swap(bases[kA], bases[kB]);
  bases[kProduct] = recipe_.product_offset ? workspace + *recipe_.product_offset : bases[kC];
  run.executor.parallel_for(recipe_.parts.size(),
                            [&](std::uint64_t i) { run_part(recipe_.parts[i], bases, workspace); });
}

void MatmulPlan::run_part(const MatmulPart& part, const Bases& bases, std::byte* workspace) const {
  batch_.for_runs(part.batch_begin, part.batch_end, [&](const Offsets& offsets, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      Bases at = bases;
      for (std::uint32_t role = 0; role < kRoleCount; ++role) {
        if (at[role] != nullptr) at[role] += offsets[role] + i * batch_.inner().steps[role];
      }
      run_one(part, at, workspace);
    }
  });
}

void MatmulPlan::run_one(const MatmulPart& part, const Bases& at, std::byte* workspace) const {
  const auto view = [&](MatmulRole role) {
    const MatrixSteps& steps = recipe_.geometry.steps[role];
    MatrixView result = {at[role], steps.row, steps.column};
    if (result.data != nullptr) result.data += part.row * steps.row + part.column * steps.column;
    return result;
  };
  const MatrixView product = view(kProduct);
  if (part.product != nullptr) {
    // A starts at the part's rows, B at its columns: the other dimension is k.
    const auto& steps = recipe_.geometry.steps;
    part.product->run({at[kA] + part.row * steps[kA].row, at[kB] + part.column * steps[kB].column,
                       view(kBias).data, product.data, workspace + part.scratch_offset});
  } else {
    const auto row_bytes = static_cast<std::size_t>(part.columns * recipe_.geometry.element_size);
    for (std::int64_t row = 0; row < part.rows; ++row) {
      std::memset(product.data + row * product.row_step, 0, row_bytes);
    }
  }
  if (recipe_.epilogue) {
    recipe_.epilogue->run({product, view(kC), view(kBias)}, part.rows, part.columns);
  }
}

}  // namespace collet::cpu
