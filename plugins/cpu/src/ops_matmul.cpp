// SPDX-License-Identifier: Apache-2.0
//
// MATMUL is made of up to three steps: inputs that a product cannot use where they are (other
// types, strides without order) are copied into the workspace; parts of the output are
// multiplied; an epilogue adds what the product itself could not.
#include <algorithm>
#include <utility>

#include "ops_matmul_plan.hpp"

namespace collet::cpu {
namespace {

constexpr std::uint64_t kAlignment = 64;
/** Additions and multiplications that are worth a thread of their own. */
constexpr double kFlopsPerPart = 2.5e5;
/** Parts begin at multiples of this many rows or columns, which suits registers. */
constexpr std::int64_t kPartUnit = 16;

/** Step of dimension `d`, counted from the last, in bytes; 0 where the operand does not move. */
std::int64_t step(const collet_layout_t& layout, std::uint32_t from_last) {
  if (layout.immediate != 0 || from_last >= layout.rank) return 0;
  const std::uint32_t d = layout.rank - 1 - from_last;
  return layout.sizes[d] == 1 ? 0 : layout.strides[d] * type_size(layout.type);
}

MatrixSteps matrix_steps(const collet_layout_t& layout) {
  return {step(layout, 1), step(layout, 0)};
}

/** The same sizes without gaps, in another type. */
collet_layout_t dense(const collet_layout_t& layout, collet_type_t type) {
  collet_layout_t result = layout;
  result.type = type;
  std::int64_t stride = 1;
  for (std::uint32_t d = layout.rank; d-- > 0;) {
    result.strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(1, layout.sizes[d]), &stride) ||
        stride > INT64_MAX / 16) {
      refuse("a matrix product whose operand, without its repetitions, fits in no workspace");
    }
  }
  return result;
}

std::int64_t extent_bytes(const collet_layout_t& layout) {
  std::int64_t count = type_size(layout.type);
  for (std::uint32_t d = 0; d < layout.rank; ++d) count *= layout.sizes[d];
  return count;
}

/** Decides how a description is computed. */
class Recipe {
 public:
  Recipe(const collet_op_desc_t& desc, unsigned threads)
      : desc_(desc),
        threads_(threads),
        compute_(compute_of(desc.operands[kC].type)),
        element_(element_of(compute_)),
        size_(type_size(element_)) {
    recipe_.has_bias = (desc.flags & COLLET_OP_HAS_BIAS) != 0;
    std::copy_n(desc.operands, recipe_.has_bias ? 4 : 3, layouts_.begin());
  }

  MatmulRecipe make() {
    check_types();
    const std::uint32_t rank = layouts_[kC].rank;
    geometry().m = layouts_[kC].sizes[rank - 2];
    geometry().n = layouts_[kC].sizes[rank - 1];
    geometry().k = layouts_[kA].sizes[rank - 1];
    geometry().element_size = size_;
    recipe_.implementation = kOwnLoops;
    if (extent_bytes(layouts_[kC]) == 0) return std::move(recipe_);
    if (geometry().k != 0) {
      prepare_input(kA, geometry().m, geometry().k);
      prepare_input(kB, geometry().k, geometry().n);
    }
    choose_product_place();
    collect_steps();
    turn_if_column_major();
    fold_batch_into_rows();
    choose_epilogue();
    divide();
    return std::move(recipe_);
  }

 private:
  MatmulGeometry& geometry() { return recipe_.geometry; }
  MatrixSteps& steps(MatmulRole role) { return geometry().steps[role]; }
  [[nodiscard]] MatrixStrides strides(const MatrixSteps& steps) const {
    return {steps.row / size_, steps.column / size_};
  }

  void check_types() const {
    for (const collet_layout_t& layout : layouts()) {
      if (!is_float(layout.type)) {
        refuse(joined("a matrix product of ", type_name(layout.type),
                      ": it is computed for f16, bf16, f32 and f64"));
      }
      if (compute_of(layout.type) != compute_) {
        refuse("a matrix product of f64 with other types: COPY them to f64 before");
      }
    }
    if (desc_.activation < COLLET_ACTIVATION_NONE || desc_.activation > COLLET_ACTIVATION_SIGMOID) {
      refuse(joined("there is no activation ", static_cast<int>(desc_.activation)));
    }
  }

  [[nodiscard]] std::span<const collet_layout_t> layouts() const {
    return {layouts_.data(), recipe_.has_bias ? std::size_t{4} : std::size_t{3}};
  }

  std::uint64_t reserve(std::uint64_t size_bytes) {
    const std::uint64_t offset = recipe_.workspace_bytes;
    recipe_.workspace_bytes += (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  }

  /** Leaves an input where it is, or has it copied. */
  void prepare_input(MatmulRole role, std::int64_t rows, std::int64_t columns) {
    collet_layout_t& layout = layouts_[role];
    const MatrixStrides as_is = strides(matrix_steps(layout));
    // Our own loops take any strides for A, and rows of B.
    const bool usable = compute_ == kF32 ? is_usable_input(rows, columns, as_is)
                                         : role == kA || is_row_major(rows, columns, as_is);
    if (layout.type == element_ && usable) return;
    const collet_layout_t original = layout;
    layout = dense(original, element_);
    recipe_.copies.push_back({role, reserve(static_cast<std::uint64_t>(extent_bytes(layout))),
                              make_copy_plan(layout, original)});
  }

  /** Products go straight into C if they can lie there and C's old values are not in the way. */
  void choose_product_place() {
    const MatrixStrides c = strides(matrix_steps(layouts_[kC]));
    // Turned around, B would no longer be what our own loops take.
    const bool fits =
        is_row_major(geometry().m, geometry().n, c) ||
        (compute_ == kF32 && is_row_major(geometry().n, geometry().m, {c.column, c.row}));
    const bool adds_itself = compute_ == kF32 && desc_.alpha == 1;
    product_layout_ = layouts_[kC];
    if (layouts_[kC].type == element_ && fits && geometry().k != 0 &&
        (desc_.beta == 0 || adds_itself)) {
      return;
    }
    product_layout_ = dense(layouts_[kC], element_);
    recipe_.product_offset = reserve(static_cast<std::uint64_t>(extent_bytes(product_layout_)));
  }

  [[nodiscard]] bool is_direct() const { return !recipe_.product_offset; }

  void collect_steps() {
    const auto layout_of = [&](std::uint32_t role) -> const collet_layout_t& {
      return role == kProduct ? product_layout_ : layouts_[role];
    };
    for (std::uint32_t role = 0; role < kRoleCount; ++role) {
      geometry().steps[role] = matrix_steps(layout_of(role));
    }
    const collet_layout_t& c = layouts_[kC];
    for (std::uint32_t d = 0; d + 2 < c.rank; ++d) {
      Dimension dimension;
      dimension.size = c.sizes[d];
      for (std::uint32_t role = 0; role < kRoleCount; ++role) {
        dimension.steps[role] = step(layout_of(role), c.rank - 1 - d);
      }
      geometry().batch.push_back(dimension);
    }
  }

  /** Products are written along rows: a C that lies along columns is that of B^T A^T. */
  void turn_if_column_major() {
    if (is_row_major(geometry().m, geometry().n, strides(steps(kProduct)))) return;
    std::swap(geometry().m, geometry().n);
    for (MatrixSteps& of_role : geometry().steps) std::swap(of_role.row, of_role.column);
    std::swap(steps(kA), steps(kB));
    recipe_.is_turned = true;
    for (Dimension& dimension : geometry().batch) {
      std::swap(dimension.steps[kA], dimension.steps[kB]);
    }
  }

  /** Many matrices times one are one tall matrix, if rows follow each other evenly. */
  void fold_batch_into_rows() {
    std::vector<Dimension> rows = geometry().batch;
    Dimension row;
    row.size = geometry().m;
    for (std::uint32_t role = 0; role < kRoleCount; ++role) {
      row.steps[role] = role == kB ? 0 : geometry().steps[role].row;
    }
    rows.push_back(row);
    if (std::any_of(rows.begin(), rows.end(),
                    [](const Dimension& d) { return d.steps[kB] != 0; })) {
      return;
    }
    const Loop folded(rows, kRoleCount, kProduct);
    if (folded.rank() != 1) return;
    const auto folded_strides = [&](MatmulRole role) {
      return strides({folded.inner().steps[role], steps(role).column});
    };
    if (!is_row_major(folded.count(), geometry().n, folded_strides(kProduct)) ||
        !is_row_major(folded.count(), geometry().k, folded_strides(kA))) {
      return;
    }
    geometry().m = folded.count();
    for (const MatmulRole role : {kC, kA, kBias, kProduct}) {
      steps(role).row = folded.inner().steps[role];
    }
    geometry().batch.clear();
  }

  /** oneDNN adds a row of f32, the same for all rows and matrices. */
  bool product_adds_bias() {
    const collet_layout_t& bias = layouts_[kBias];
    if (!recipe_.has_bias || compute_ != kF32 || !is_direct() || desc_.alpha != 1) return false;
    if (bias.type != COLLET_TYPE_F32 || bias.immediate != 0) return false;
    const bool contiguous = geometry().n == 1 || steps(kBias).column == size_;
    const bool repeated = std::all_of(geometry().batch.begin(), geometry().batch.end(),
                                      [](const Dimension& d) { return d.steps[kBias] == 0; });
    return contiguous && repeated && steps(kBias).row == 0;
  }

  void choose_epilogue() {
    bias_in_product_ = product_adds_bias();
    const bool adds_bias = recipe_.has_bias && !bias_in_product_;
    if (is_direct() && desc_.alpha == 1 && desc_.activation == COLLET_ACTIVATION_NONE &&
        !adds_bias) {
      return;
    }
    recipe_.epilogue.emplace(Epilogue::Desc{compute_, desc_.alpha, is_direct() ? 0 : desc_.beta,
                                            desc_.activation, layouts_[kC].type,
                                            adds_bias ? layouts_[kBias].type : COLLET_TYPE_NONE});
  }

  /** Gives each thread of the budget one part: whole matrices, or rows, or columns. */
  void divide() {
    const MatmulGeometry& g = geometry();
    const std::int64_t matrices = Loop(g.batch, kRoleCount, kProduct).count();
    const double flops = 2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) *
                         static_cast<double>(g.k) * static_cast<double>(matrices);
    const auto wanted = static_cast<std::int64_t>(
        std::clamp(flops / kFlopsPerPart, 1.0, static_cast<double>(threads_)));
    const bool by_matrix = matrices >= wanted;
    const bool by_row = !by_matrix && g.m >= g.n;
    const std::int64_t length = by_matrix ? matrices : by_row ? g.m : g.n;
    const std::int64_t unit = by_matrix || wanted == 1 ? 1 : kPartUnit;
    const std::int64_t share = ((length - 1) / wanted / unit + 1) * unit;
    for (std::int64_t begin = 0; begin < length; begin += share) {
      const std::int64_t size = std::min(share, length - begin);
      MatmulPart part = {0, matrices, 0, g.m, 0, g.n, 0, nullptr};
      if (by_matrix) {
        part.batch_begin = begin;
        part.batch_end = begin + size;
      } else if (by_row) {
        part.row = begin;
        part.rows = size;
      } else {
        part.column = begin;
        part.columns = size;
      }
      if (g.k != 0) add_product(part);
      recipe_.parts.push_back(std::move(part));
    }
  }

  /** Parts of one size share a product. */
  void add_product(MatmulPart& part) {
    const auto same = std::find_if(recipe_.parts.begin(), recipe_.parts.end(), [&](const auto& p) {
      return p.rows == part.rows && p.columns == part.columns;
    });
    if (same != recipe_.parts.end()) {
      part.product = same->product;
    } else {
      ProductShape shape;
      shape.m = part.rows;
      shape.n = part.columns;
      shape.k = geometry().k;
      shape.a = strides(steps(kA));
      shape.b = strides(steps(kB));
      shape.c = strides(steps(kProduct));
      shape.has_bias = bias_in_product_;
      shape.beta = is_direct() ? static_cast<float>(desc_.beta) : 0;
      part.product = make_product(compute_, shape);
      recipe_.implementation = part.product->implementation();
    }
    part.scratch_offset = reserve(part.product->scratch_bytes());
  }

  const collet_op_desc_t& desc_;
  unsigned threads_;
  Compute compute_;
  collet_type_t element_;
  std::int64_t size_;
  std::array<collet_layout_t, kRoleCount> layouts_ = {};
  collet_layout_t product_layout_ = {};
  bool bias_in_product_ = false;
  MatmulRecipe recipe_;
};

}  // namespace

std::unique_ptr<const Plan> make_matmul_plan(const collet_op_desc_t& desc, unsigned threads) {
  return std::make_unique<MatmulPlan>(Recipe(desc, threads).make());
}

}  // namespace collet::cpu
