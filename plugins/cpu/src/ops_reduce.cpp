// SPDX-License-Identifier: Apache-2.0
//
// REDUCE but for positions. The loops over the input are split in those that stay and those that
// are reduced. If a reduced one is innermost, rows become one value each; otherwise rows of
// accumulators take in rows of the input. Work is divided by the shape alone, so that the
// result does not depend on the number of threads.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "ops_loop.hpp"
#include "ops_plan.hpp"
#include "ops_reduce.hpp"
#include "ops_types.hpp"

namespace collet::cpu {
namespace {

constexpr std::uint32_t kOut = 0;
constexpr std::uint32_t kIn = 1;

/** Elements in a piece of a reduction that is divided. */
constexpr std::int64_t kPiece = 65536;
/** Most accumulators of a reduction that is divided: they live on the stack. */
constexpr std::int64_t kMostPartials = 4096;
constexpr std::int64_t kMostPieces = 64;

Accumulator neutral_of(std::uint32_t function, Compute compute) {
  Accumulator value = {};
  const bool product = function == COLLET_REDUCTION_PRODUCT;
  const bool maximum = function == COLLET_REDUCTION_MAXIMUM;
  const bool minimum = function == COLLET_REDUCTION_MINIMUM;
  if (running_of(compute) == kF64) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    value.f = product ? 1 : maximum ? -kInfinity : minimum ? kInfinity : 0;
  } else if (compute == kI64) {
    using Limits = std::numeric_limits<std::int64_t>;
    value.i = product ? 1 : maximum ? Limits::min() : minimum ? Limits::max() : 0;
  } else {
    value.u = product ? 1 : minimum ? std::numeric_limits<std::uint64_t>::max() : 0;
  }
  return value;
}

class ReducePlan final : public Plan {
 public:
  ReducePlan(const collet_op_desc_t& desc, const Loop& kept, const Loop& reduced)
      : Plan(kOwnLoops, 0),
        kept_(kept),
        reduced_(reduced),
        by_rows_(by_rows(kept, reduced)),
        function_(desc.function),
        in_type_(desc.operands[1].type),
        out_type_(desc.operands[0].type),
        compute_(compute_of(in_type_)),
        running_(running_of(compute_)),
        neutral_(neutral_of(function_, compute_)),
        load_(kernels().load[compute_][in_type_]),
        // A mean leaves as f64, so that it is divided before it narrows.
        store_(kernels().store[function_ == COLLET_REDUCTION_MEAN ? kF64 : running_][out_type_]),
        pieces_(pieces()) {}

  void run(const Run& run) const override {
    if (kept_.count() == 0) return;
    if (pieces_ > 1) {
      run_divided(run);
      return;
    }
    const std::int64_t cost = std::max<std::int64_t>(1, reduced_.count());
    const auto grain = static_cast<std::uint64_t>(kPiece / 2 / cost + 1);
    run.executor.parallel_ranges(
        static_cast<std::uint64_t>(kept_.count()), grain,
        [&](std::uint64_t begin, std::uint64_t end) {
          for_kept(begin, end, [&](const Offsets& at, std::int64_t n, std::int64_t /*index*/) {
            std::array<Accumulator, kChunk> sums;
            std::fill_n(sums.begin(), n, neutral_);
            reduce(run, at, n, {0, reduced_.count()}, sums.data());
            store(run, at, n, sums.data());
          });
        });
  }

 private:
  struct Range {
    std::int64_t begin;
    std::int64_t end;
  };

  static bool by_rows(const Loop& kept, const Loop& reduced) {
    const auto step = [](std::int64_t bytes) { return bytes < 0 ? -bytes : bytes; };
    return kept.inner().size == 1 ||
           (reduced.inner().size > 1 &&
            step(reduced.inner().steps[kIn]) <= step(kept.inner().steps[kIn]));
  }

  /** Into how many pieces the reduced elements are divided; a function of the shape alone. */
  [[nodiscard]] std::int64_t pieces() const {
    const std::int64_t outputs = kept_.count();
    if (outputs == 0 || outputs > kMostPartials / 2 || reduced_.count() < 2) return 1;
    const std::int64_t wanted = outputs * reduced_.count() / kPiece;
    return std::clamp(wanted, std::int64_t{1},
                      std::min({kMostPieces, kMostPartials / outputs, reduced_.count()}));
  }

  /** Calls `body(offsets, n, index)` for runs of outputs that fit in a chunk. */
  template <class Body>
  void for_kept(std::uint64_t begin, std::uint64_t end, Body&& body) const {
    auto index = static_cast<std::int64_t>(begin);
    kept_.for_runs(index, static_cast<std::int64_t>(end), [&](Offsets at, std::int64_t n) {
      const std::int64_t most = by_rows_ ? 1 : kChunk;
      for (std::int64_t done = 0; done < n; done += most) {
        const std::int64_t length = std::min(most, n - done);
        body(static_cast<const Offsets&>(at), length, index);
        index += length;
        for (std::uint32_t i : {kOut, kIn}) at[i] += length * kept_.inner().steps[i];
      }
    });
  }

  /** Takes the reduced elements of `range` of `n` neighbouring outputs into `sums`. */
  void reduce(const Run& run, const Offsets& at, std::int64_t n, Range range,
              Accumulator* sums) const {
    const std::int64_t size = type_size(in_type_);
    const Dimension& inner = by_rows_ ? reduced_.inner() : kept_.inner();
    const std::int64_t stride = inner.steps[kIn] / size;
    const bool direct = stride == 1 && in_type_ == element_of(compute_);
    const auto* const in = static_cast<const std::byte*>(run.operands[kIn]) + at[kIn];
    alignas(64) std::array<double, kChunk> buffer;
    const auto loaded = [&](const std::byte* from, std::int64_t length) -> const void* {
      if (direct) return from;
      load_(from, stride, length, buffer.data());
      return buffer.data();
    };
    reduced_.for_runs(range.begin, range.end, [&](const Offsets& offsets, std::int64_t count) {
      const std::byte* from = in + offsets[kIn];
      if (!by_rows_) {
        const std::int64_t step = reduced_.inner().steps[kIn];
        for (std::int64_t i = 0; i < count; ++i, from += step) {
          kernels().reduce_columns[compute_][function_](loaded(from, n), n, sums);
        }
        return;
      }
      for (std::int64_t done = 0; done < count; done += kChunk) {
        const std::int64_t length = direct ? count : std::min(kChunk, count - done);
        kernels().reduce_row[compute_][function_](loaded(from, length), length, sums);
        if (direct) break;
        from += length * stride * size;
      }
    });
  }

  void store(const Run& run, const Offsets& at, std::int64_t n, Accumulator* sums) const {
    if (function_ == COLLET_REDUCTION_MEAN) {
      const auto count = static_cast<double>(reduced_.count());
      for (std::int64_t i = 0; i < n; ++i) {
        const double sum = running_ == kF64   ? sums[i].f
                           : running_ == kI64 ? static_cast<double>(sums[i].i)
                                              : static_cast<double>(sums[i].u);
        sums[i].f = sum / count;
      }
    }
    store_(sums, n, static_cast<std::byte*>(run.operands[kOut]) + at[kOut],
           kept_.inner().steps[kOut] / type_size(out_type_));
  }

  /** Pieces of the reduced elements give rows of accumulators, which are combined in order. */
  void run_divided(const Run& run) const {
    const std::int64_t outputs = kept_.count();
    std::array<Accumulator, kMostPartials> partials;
    std::fill_n(partials.begin(), outputs * pieces_, neutral_);
    run.executor.parallel_for(static_cast<std::uint64_t>(pieces_), [&](std::uint64_t part) {
      const auto piece = static_cast<std::int64_t>(part);
      const std::int64_t length = (reduced_.count() + pieces_ - 1) / pieces_;
      const Range range = {std::min(piece * length, reduced_.count()),
                           std::min((piece + 1) * length, reduced_.count())};
      for_kept(0, static_cast<std::uint64_t>(outputs),
               [&](const Offsets& at, std::int64_t n, std::int64_t index) {
                 reduce(run, at, n, range, partials.data() + piece * outputs + index);
               });
    });
    for (std::int64_t piece = 1; piece < pieces_; ++piece) {
      kernels().reduce_columns[running_][function_](partials.data() + piece * outputs, outputs,
                                                    partials.data());
    }
    for_kept(0, static_cast<std::uint64_t>(outputs),
             [&](const Offsets& at, std::int64_t n, std::int64_t index) {
               store(run, at, n, partials.data() + index);
             });
  }

  Loop kept_;
  Loop reduced_;
  bool by_rows_;
  std::uint32_t function_;
  collet_type_t in_type_;
  collet_type_t out_type_;
  Compute compute_;
  Compute running_;
  Accumulator neutral_;
  Kernels::Load load_;
  Kernels::Store store_;
  std::int64_t pieces_;
};

/** Those loops of the input along which the output moves, or does not. */
Loop loops_that(bool are_reduced, const collet_layout_t& out, const collet_layout_t& in) {
  std::vector<Dimension> dimensions;
  for (std::uint32_t d = 0; d < in.rank; ++d) {
    const bool is_reduced = out.sizes[d] != in.sizes[d];
    if (is_reduced != are_reduced) continue;
    Dimension dimension;
    dimension.size = in.sizes[d];
    dimension.steps[kOut] = is_reduced ? 0 : out.strides[d] * type_size(out.type);
    dimension.steps[kIn] = in.strides[d] * type_size(in.type);
    dimensions.push_back(dimension);
  }
  return Loop(dimensions, 2, kIn);
}

}  // namespace

std::unique_ptr<const Plan> make_reduce_plan(const collet_op_desc_t& desc) {
  const collet_layout_t& out = desc.operands[0];
  const collet_layout_t& in = desc.operands[1];
  if (desc.function == 0 || desc.function >= kReductionCount) {
    refuse(joined("there is no reduction ", desc.function));
  }
  if (desc.function >= COLLET_REDUCTION_ARGMAX) return make_position_plan(desc);
  const Loop kept = loops_that(false, out, in);
  const Loop reduced = loops_that(true, out, in);
  const bool extreme =
      desc.function == COLLET_REDUCTION_MAXIMUM || desc.function == COLLET_REDUCTION_MINIMUM;
  if (extreme && reduced.count() == 0 && kept.count() > 0) {
    refuse("the maximum or minimum of no elements: a reduced axis has size 0");
  }
  return std::make_unique<ReducePlan>(desc, kept, reduced);
}

}  // namespace collet::cpu
