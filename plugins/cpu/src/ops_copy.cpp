// SPDX-License-Identifier: Apache-2.0
//
// FILL and COPY. Elements that keep their type are moved as words of their size, in one of three
// ways: whole runs, single words, or, where input and output are contiguous along different
// dimensions, square tiles that read and write whole cache lines.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "ops_elementwise.hpp"
#include "ops_loop.hpp"

namespace collet::cpu {
namespace {

constexpr std::uint32_t kOut = 0;
constexpr std::uint32_t kIn = 1;

/** Strides count words. */
template <class Word>
void move_run(const Word* in, std::int64_t in_stride, Word* out, std::int64_t out_stride,
              std::int64_t n) {
  if (out_stride == 1 && in_stride == 1) {
    std::memmove(out, in, static_cast<std::size_t>(n) * sizeof(Word));
  } else if (out_stride == 1 && in_stride == 0) {
    std::fill_n(out, n, *in);
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i * out_stride] = in[i * in_stride];
  }
}

template <class Word>
class MovePlan final : public Plan {
 public:
  explicit MovePlan(const Loop& loop) : Plan(kOwnLoops, 0), loop_(loop) {}

  void run(const Run& run) const override {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(Word));
    auto* const out = static_cast<std::byte*>(run.operands[kOut]);
    auto* const in = static_cast<std::byte*>(run.operands[kIn]);
    const std::int64_t out_stride = loop_.inner().steps[kOut] / kSize;
    const std::int64_t in_stride = loop_.inner().steps[kIn] / kSize;
    run.executor.parallel_ranges(
        static_cast<std::uint64_t>(loop_.count()), kParallelGrain,
        [&](std::uint64_t begin, std::uint64_t end) {
          loop_.for_runs(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                         [&](const Offsets& offsets, std::int64_t n) {
                           move_run(reinterpret_cast<const Word*>(in + offsets[kIn]), in_stride,
                                    reinterpret_cast<Word*>(out + offsets[kOut]), out_stride, n);
                         });
        });
  }

 private:
  Loop loop_;
};

/** A plane that lies along rows in the output and along columns in the input. */
struct Transpose {
  /** `row`: contiguous in the input; `column`: contiguous in the output. */
  Dimension row;
  Dimension column;
  Loop planes;
};

template <class Word>
class TransposePlan final : public Plan {
 public:
  explicit TransposePlan(const Transpose& transpose)
      : Plan(kOwnLoops, 0),
        transpose_(transpose),
        strips_((transpose_.row.size + kTile - 1) / kTile) {}

  void run(const Run& run) const override {
    auto* const out = static_cast<std::byte*>(run.operands[kOut]);
    auto* const in = static_cast<std::byte*>(run.operands[kIn]);
    const Loop& planes = transpose_.planes;
    const auto elements_of_strip = static_cast<std::uint64_t>(kTile * transpose_.column.size);
    run.executor.parallel_ranges(
        static_cast<std::uint64_t>(planes.count() * strips_),
        kParallelGrain / elements_of_strip + 1, [&](std::uint64_t begin, std::uint64_t end) {
          for (auto strip = static_cast<std::int64_t>(begin);
               strip < static_cast<std::int64_t>(end); ++strip) {
            const std::int64_t plane = strip / strips_;
            const std::int64_t row = strip % strips_ * kTile;
            planes.for_runs(plane, plane + 1, [&](const Offsets& offsets, std::int64_t /*n*/) {
              move_strip(in + offsets[kIn] + row * transpose_.row.steps[kIn],
                         out + offsets[kOut] + row * transpose_.row.steps[kOut],
                         std::min(kTile, transpose_.row.size - row));
            });
          }
        });
  }

 private:
  /** Words in a cache line, so that no line is read twice. */
  static constexpr std::int64_t kSize = sizeof(Word);
  static constexpr std::int64_t kTile = 64 / kSize;

  void move_strip(const std::byte* in, std::byte* out, std::int64_t rows) const {
    const std::int64_t row_step = transpose_.row.steps[kOut];
    const std::int64_t column_step = transpose_.column.steps[kIn];
    const std::int64_t size = transpose_.column.size;
    std::int64_t column = 0;
    if (rows == kTile) {
      for (; column + kTile <= size; column += kTile) {
        move_tile<kTile>({in + column * column_step, column_step}, {out + column * kSize, row_step},
                         kTile, kTile);
      }
    }
    for (; column < size; column += kTile) {
      move_tile<0>({in + column * column_step, column_step}, {out + column * kSize, row_step}, rows,
                   std::min(kTile, size - column));
    }
  }

  template <class Byte>
  struct Lines {
    Byte* first;
    std::int64_t step;
  };

  /** Of `Fixed` rows and columns, which lets the loops unroll; with 0 of any number. */
  template <std::int64_t Fixed>
  static void move_tile(Lines<const std::byte> in, Lines<std::byte> out, std::int64_t rows,
                        std::int64_t columns) {
    if (Fixed != 0) rows = columns = Fixed;
    alignas(64) Word tile[kTile][kTile];
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto* line = reinterpret_cast<const Word*>(in.first + j * in.step);
      for (std::int64_t i = 0; i < rows; ++i) tile[i][j] = line[i];
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      std::memcpy(out.first + i * out.step, tile[i], static_cast<std::size_t>(columns * kSize));
    }
  }

  Transpose transpose_;
  std::int64_t strips_;
};

/** The plane of a loop that is worth being moved by tiles, if there is one. */
std::optional<Transpose> find_transpose(const Loop& loop, std::int64_t word) {
  const Dimension& column = loop.inner();
  if (column.steps[kOut] != word || column.steps[kIn] == word || column.steps[kIn] == 0) return {};
  std::vector<Dimension> others(loop.dimensions().begin(), loop.dimensions().end() - 1);
  const auto row = std::find_if(others.begin(), others.end(),
                                [&](const Dimension& d) { return d.steps[kIn] == word; });
  // A dimension that the output does not move along would be written twice by a tile.
  if (row == others.end() || row->steps[kOut] == 0) return {};
  const Dimension found = *row;
  others.erase(row);
  return Transpose{found, column, Loop(others, loop.operand_count(), kOut)};
}

template <class Word>
std::unique_ptr<const Plan> make_move_plan(const Loop& loop) {
  if (auto transpose = find_transpose(loop, sizeof(Word)); transpose && loop.count() > 0) {
    return std::make_unique<TransposePlan<Word>>(*transpose);
  }
  return std::make_unique<MovePlan<Word>>(loop);
}

/** In which both types are exact: integers keep all bits, and only one rounding follows. */
Compute compute_between(collet_type_t out, collet_type_t in) {
  const Compute from = compute_of(in);
  // f32 is wide enough for the short floats, but saturation to integers is done in f64.
  return from == kF32 && compute_of(out) != kF32 ? kF64 : from;
}

}  // namespace

std::unique_ptr<const Plan> make_copy_plan(const collet_layout_t& out, const collet_layout_t& in) {
  const std::array<collet_layout_t, 2> operands = {out, in};
  // A true bool may be any byte, and is written as 1.
  if (out.type != in.type || out.type == COLLET_TYPE_BOOL) {
    return make_elementwise_plan(operands, {compute_between(out.type, in.type)});
  }
  const Loop loop({out.sizes, out.rank}, operands);
  switch (type_size(out.type)) {
    case 1:
      return make_move_plan<std::uint8_t>(loop);
    case 2:
      return make_move_plan<std::uint16_t>(loop);
    case 4:
      return make_move_plan<std::uint32_t>(loop);
    default:
      return make_move_plan<std::uint64_t>(loop);
  }
}

}  // namespace collet::cpu
