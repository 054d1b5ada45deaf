// SPDX-License-Identifier: Apache-2.0
#include "images.hpp"

#include <array>
#include <numeric>

namespace digits {
namespace {

using collet::Stream;
using collet::TensorView;

constexpr auto kInputs = static_cast<std::int64_t>(kPixels);
constexpr auto kScores = static_cast<std::int64_t>(kClasses);

TensorView allocate(const Stream& stream, collet_type_t type, std::int64_t rows,
                    std::int64_t columns) {
  return TensorView::allocate(stream, type, {rows, columns}, {.tag = "images"});
}

}  // namespace

Images::Images(const Stream& stream, std::int64_t count)
    : pixels(allocate(stream, COLLET_TYPE_F32, count, kInputs)),
      labels(allocate(stream, COLLET_TYPE_F32, count, 1)),
      one_hot(allocate(stream, COLLET_TYPE_F32, count, kScores)),
      stream_(stream),
      raw_pixels_(allocate(stream, COLLET_TYPE_U8, count, kInputs)),
      raw_labels_(allocate(stream, COLLET_TYPE_U8, count, 1)),
      convert_(stream) {
  std::array<float, kClasses> digits{};
  std::iota(digits.begin(), digits.end(), 0.0F);
  const TensorView classes = allocate(stream, COLLET_TYPE_F32, 1, kScores);
  stream.write(classes.origin(), digits);

  convert_.copy(pixels, raw_pixels_);
  convert_.binary(COLLET_BINARY_MULTIPLY, pixels, pixels, 1.0 / 16);
  convert_.copy(labels, raw_labels_);
  convert_.binary(COLLET_BINARY_EQUAL, one_hot, labels, classes);
}

std::uint64_t Images::load(const Digits& digits) const {
  stream_.write(raw_pixels_.origin(), digits.pixels);
  stream_.write(raw_labels_.origin(), digits.labels);
  convert_.run();
  return digits.pixels.size() + digits.labels.size();
}

}  // namespace digits
