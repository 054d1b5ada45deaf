// SPDX-License-Identifier: Apache-2.0
//
// ARGMAX and ARGMIN: each chunk is first reduced to its extreme, and searched only if that is
// better than what came before.
#include <algorithm>
#include <array>
#include <vector>

#include "ops_loop.hpp"
#include "ops_reduce.hpp"
#include "ops_types.hpp"

namespace collet::cpu {
namespace {

constexpr std::uint32_t kOut = 0;
constexpr std::uint32_t kIn = 1;

class PositionPlan final : public Plan {
 public:
  PositionPlan(const collet_op_desc_t& desc, const Loop& kept)
      : Plan(kOwnLoops, 0),
        kept_(kept),
        length_(desc.operands[1].sizes[desc.axis]),
        stride_(desc.operands[1].strides[desc.axis]),
        type_(desc.operands[1].type),
        compute_(compute_of(type_)),
        extreme_(kernels().reduce_row[compute_][desc.function]) {}

  void run(const Run& run) const override {
    const auto grain =
        kParallelGrain / static_cast<std::uint64_t>(std::max<std::int64_t>(1, length_));
    run.executor.parallel_ranges(
        static_cast<std::uint64_t>(kept_.count()), grain + 1,
        [&](std::uint64_t begin, std::uint64_t end) {
          kept_.for_runs(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                         [&](Offsets at, std::int64_t n) {
                           for (std::int64_t i = 0; i < n; ++i) {
                             const std::int64_t position =
                                 find(static_cast<const std::byte*>(run.operands[kIn]) + at[kIn]);
                             *reinterpret_cast<std::int64_t*>(
                                 static_cast<std::byte*>(run.operands[kOut]) + at[kOut]) = position;
                             for (std::uint32_t k : {kOut, kIn}) at[k] += kept_.inner().steps[k];
                           }
                         });
        });
  }

 private:
  [[nodiscard]] std::int64_t find(const std::byte* in) const {
    const Kernels::Load load = kernels().load[compute_][type_];
    alignas(64) std::array<double, kChunk> values;
    Accumulator best = {};
    std::int64_t position = 0;
    for (std::int64_t done = 0; done < length_; done += kChunk) {
      const std::int64_t n = std::min(kChunk, length_ - done);
      load(in + done * stride_ * type_size(type_), stride_, n, values.data());
      Accumulator extreme = best;
      if (done == 0) load(in, 0, 1, &extreme);
      if (done == 0 && compute_ == kF32) widen(extreme);
      extreme_(values.data(), n, &extreme);
      if (done == 0 || differs(extreme, best)) {
        position = done + kernels().find[compute_](values.data(), n, extreme);
        best = extreme;
      }
      if (is_nan(best)) break;
    }
    return position;
  }

  /** A compute value of type f32, as the accumulator that it starts. */
  static void widen(Accumulator& value) {
    float single = 0;
    std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof single,
                reinterpret_cast<std::byte*>(&single));
    value.f = static_cast<double>(single);
  }

  [[nodiscard]] bool is_float() const { return running_of(compute_) == kF64; }
  [[nodiscard]] bool is_nan(const Accumulator& value) const {
    return is_float() && value.f != value.f;
  }
  [[nodiscard]] bool differs(const Accumulator& a, const Accumulator& b) const {
    return is_float() ? a.f != b.f : a.u != b.u;
  }

  Loop kept_;
  std::int64_t length_;
  std::int64_t stride_;
  collet_type_t type_;
  Compute compute_;
  Kernels::ReduceRow extreme_;
};

}  // namespace

std::unique_ptr<const Plan> make_position_plan(const collet_op_desc_t& desc) {
  const collet_layout_t& out = desc.operands[0];
  const collet_layout_t& in = desc.operands[1];
  if (out.type != COLLET_TYPE_I64) {
    refuse(joined("positions are of type i64, not ", type_name(out.type)));
  }
  std::vector<Dimension> dimensions;
  for (std::uint32_t d = 0; d < in.rank; ++d) {
    if (d == desc.axis) continue;
    Dimension dimension;
    dimension.size = in.sizes[d];
    dimension.steps[kOut] = out.strides[d] * type_size(out.type);
    dimension.steps[kIn] = in.strides[d] * type_size(in.type);
    dimensions.push_back(dimension);
  }
  const Loop kept(dimensions, 2, kOut);
  if (in.sizes[desc.axis] == 0 && kept.count() > 0) {
    refuse("the position of an extreme among no elements: the axis has size 0");
  }
  return std::make_unique<PositionPlan>(desc, kept);
}

}  // namespace collet::cpu
