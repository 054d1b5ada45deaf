// SPDX-License-Identifier: Apache-2.0
//
// SOFTMAX. Three passes over the axis: the maximum, the sum of the exponentials, the result. A
// row of -inf alone, or with +inf or NaN in it, is NaN, as by the formula.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ops_loop.hpp"
#include "ops_plan.hpp"
#include "ops_types.hpp"

namespace collet::cpu {
namespace {

constexpr std::uint32_t kOut = 0;
constexpr std::uint32_t kIn = 1;
/** Longest piece of a row that is worked on at once; the exponentials of one are kept. */
constexpr std::int64_t kPiece = 4096;
/** Neighbouring rows from which on they are worked on side by side. */
constexpr std::int64_t kManyColumns = 8;
/** Most of them: some pages of each, as neighbouring rows of the input are often far apart. */
constexpr std::int64_t kColumns = 2048;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class SoftmaxPlan final : public Plan {
 public:
  SoftmaxPlan(const collet_op_desc_t& desc, const Loop& rows)
      : Plan(kOwnLoops, 0),
        rows_(rows),
        log_(desc.function == COLLET_SOFTMAX_LOG),
        length_(desc.operands[kOut].sizes[desc.axis]),
        type_{desc.operands[kOut].type, desc.operands[kIn].type},
        size_{type_size(type_[kOut]), type_size(type_[kIn])},
        stride_{desc.operands[kOut].strides[desc.axis], desc.operands[kIn].strides[desc.axis]},
        compute_(compute_of(type_[kIn])),
        by_columns_(rows.inner().size >= kManyColumns && rows.inner().steps[kIn] == size_[kIn] &&
                    stride_[kIn] != 1) {}

  void run(const Run& run) const override {
    if (length_ == 0 || rows_.count() == 0) return;
    const std::uint64_t enough = kParallelGrain / 4 / static_cast<std::uint64_t>(length_) + 1;
    const auto count = static_cast<std::uint64_t>(rows_.count());
    const std::uint64_t wide =
        std::min<std::uint64_t>(kColumns, (count - 1) / run.executor.threads() + 1);
    const std::uint64_t grain = by_columns_ ? std::max(enough, wide) : enough;
    run.executor.parallel_ranges(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
      rows_.for_runs(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                     [&](Offsets at, std::int64_t n) {
                       const std::int64_t most = by_columns_ ? kColumns : 1;
                       for (std::int64_t done = 0; done < n; done += most) {
                         const std::int64_t length = std::min(most, n - done);
                         const Place place = {
                             static_cast<std::byte*>(run.operands[kOut]) + at[kOut],
                             static_cast<const std::byte*>(run.operands[kIn]) + at[kIn]};
                         by_columns_ ? run_columns(place, length) : run_row(place);
                         for (std::uint32_t i : {kOut, kIn}) {
                           at[i] += length * rows_.inner().steps[i];
                         }
                       }
                     });
    });
  }

 private:
  struct Place {
    std::byte* out;
    const std::byte* in;
  };
  /** Not initialised: passes write what they read. */
  template <std::int64_t N>
  struct Values {
    alignas(64) double data[N];
  };

  /** `n` elements as values: where they are, or converted into `buffer`. */
  const void* load(const std::byte* in, std::int64_t stride, std::int64_t n, void* buffer) const {
    if (stride == 1 && type_[kIn] == element_of(compute_)) return in;
    kernels().load[compute_][type_[kIn]](in, stride, n, buffer);
    return buffer;
  }

  /** Lets `make(values)` write `n` values that become elements of the output. */
  template <class Make>
  void store(std::byte* out, std::int64_t stride, std::int64_t n, void* buffer, Make&& make) const {
    if (stride == 1 && type_[kOut] == element_of(compute_)) {
      make(static_cast<void*>(out));
    } else {
      make(buffer);
      kernels().store[compute_][type_[kOut]](buffer, n, out, stride);
    }
  }

  /** Calls `body(values, n, first)` for the pieces of a row. */
  template <class Body>
  void for_pieces(const Place& place, void* buffer, Body&& body) const {
    for (std::int64_t first = 0; first < length_; first += kPiece) {
      const std::int64_t n = std::min(kPiece, length_ - first);
      const std::byte* from = place.in + first * stride_[kIn] * size_[kIn];
      body(load(from, stride_[kIn], n, buffer), n, first);
    }
  }

  void run_row(const Place& place) const {
    const Kernels& k = kernels();
    Values<kPiece> loaded;
    Values<kPiece> exponentials;
    Accumulator max = {-kInfinity};
    for_pieces(place, loaded.data, [&](const void* x, std::int64_t n, std::int64_t /*first*/) {
      k.reduce_row[compute_][COLLET_REDUCTION_MAXIMUM](x, n, &max);
    });
    double sum = 0;
    for_pieces(place, loaded.data, [&](const void* x, std::int64_t n, std::int64_t /*first*/) {
      sum += k.exp_row[compute_](x, n, max.f, exponentials.data);
    });
    const bool kept = length_ <= kPiece;
    for_pieces(place, loaded.data, [&](const void* x, std::int64_t n, std::int64_t first) {
      std::byte* to = place.out + first * stride_[kOut] * size_[kOut];
      store(to, stride_[kOut], n, loaded.data, [&](void* y) {
        if (log_) {
          k.shift_row[compute_](x, n, max.f, std::log(sum), y);
        } else {
          if (!kept) k.exp_row[compute_](x, n, max.f, exponentials.data);
          k.scale_row[compute_](exponentials.data, n, 1 / sum, y);
        }
      });
    });
  }

  /** `n` rows that lie side by side in the input. */
  void run_columns(const Place& place, std::int64_t n) const {
    const Kernels& k = kernels();
    Values<kColumns> loaded;
    Values<kColumns> exponentials;
    std::array<Accumulator, kColumns> max;
    std::array<Accumulator, kColumns> sums = {};
    std::fill_n(max.begin(), n, Accumulator{-kInfinity});
    const auto row = [&](std::int64_t i) {
      return load(place.in + i * stride_[kIn] * size_[kIn], 1, n, loaded.data);
    };
    for (std::int64_t i = 0; i < length_; ++i) {
      k.reduce_columns[compute_][COLLET_REDUCTION_MAXIMUM](row(i), n, max.data());
    }
    for (std::int64_t i = 0; i < length_; ++i) {
      k.exp_columns[compute_](row(i), n, max.data(), sums.data(), exponentials.data);
    }
    std::for_each_n(sums.begin(), n,
                    [&](Accumulator& sum) { sum.f = log_ ? std::log(sum.f) : 1 / sum.f; });
    std::array<Accumulator, kColumns> ignored = {};
    const std::int64_t out_step = rows_.inner().steps[kOut] / size_[kOut];
    for (std::int64_t i = 0; i < length_; ++i) {
      std::byte* to = place.out + i * stride_[kOut] * size_[kOut];
      store(to, out_step, n, loaded.data, [&](void* y) {
        if (log_) {
          k.shift_columns[compute_](row(i), n, max.data(), sums.data(), y);
        } else {
          k.exp_columns[compute_](row(i), n, max.data(), ignored.data(), exponentials.data);
          k.scale_columns[compute_](exponentials.data, n, sums.data(), y);
        }
      });
    }
  }

  Loop rows_;
  bool log_;
  std::int64_t length_;
  std::array<collet_type_t, 2> type_;
  std::array<std::int64_t, 2> size_;
  std::array<std::int64_t, 2> stride_;
  Compute compute_;
  bool by_columns_;
};

}  // namespace

std::unique_ptr<const Plan> make_softmax_plan(const collet_op_desc_t& desc) {
  const collet_layout_t& out = desc.operands[kOut];
  const collet_layout_t& in = desc.operands[kIn];
  if (!is_float(in.type) || in.type != out.type) {
    refuse(joined("softmax is of one float type, not ", type_name(in.type), " to ",
                  type_name(out.type)));
  }
  if (desc.function != COLLET_SOFTMAX_PLAIN && desc.function != COLLET_SOFTMAX_LOG) {
    refuse(joined("there is no softmax ", desc.function));
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
  return std::make_unique<SoftmaxPlan>(desc, Loop(dimensions, 2, kIn));
}

}  // namespace collet::cpu
