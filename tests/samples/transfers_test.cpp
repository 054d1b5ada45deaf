// SPDX-License-Identifier: Apache-2.0
// The buffers and copies of train_digits, in its shapes and order, on each back end: also on those
// that lack operations, where the sample itself cannot run yet.
#include <collet/collet.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "train_digits/adam.hpp"
#include "train_digits/digits.hpp"

namespace digits {
namespace {

using collet::Stream;
using collet::TensorView;

constexpr std::int64_t kBatch = 64;
constexpr auto kInputs = static_cast<std::int64_t>(kPixels);

TensorView matrix(const Stream& stream, collet_type_t type, std::int64_t rows,
                  std::int64_t columns) {
  return TensorView::allocate(stream, type, {rows, columns});
}

template <class T>
std::vector<T> content(const Stream& stream, const TensorView& tensor) {
  std::vector<T> values(static_cast<std::size_t>(tensor.layout.element_count()));
  stream.read(tensor.origin(), values);
  return values;
}

// Pixels as the network takes them: the host converts where the device cannot.
std::vector<float> scaled(const std::vector<std::uint8_t>& pixels) {
  std::vector<float> values;
  values.reserve(pixels.size());
  for (const std::uint8_t pixel : pixels) values.push_back(static_cast<float>(pixel) / 16);
  return values;
}

}  // namespace

TEST_CASE("train_digits its transfers bring every byte to the device, among it, and back") {
  const std::string name = GENERATE("cpu", "sim");
  INFO(name);
  const Split data = split(read_digits(DIGITS_CSV));
  const Stream stream(collet::Device::open(name), {.label = "training"});

  // Images travel as the bytes of the file, and replace those of the epoch before.
  const auto count = static_cast<std::int64_t>(data.train.size());
  const TensorView raw_pixels = matrix(stream, COLLET_TYPE_U8, count, kInputs);
  const TensorView raw_labels = matrix(stream, COLLET_TYPE_U8, count, 1);
  stream.write(raw_pixels.origin(), std::vector<std::uint8_t>(data.train.pixels.size(), 99));
  stream.write(raw_pixels.origin(), data.train.pixels);
  stream.write(raw_labels.origin(), data.train.labels);
  CHECK(content<std::uint8_t>(stream, raw_pixels) == data.train.pixels);
  CHECK(content<std::uint8_t>(stream, raw_labels) == data.train.labels);

  // A step takes its batch, and its step size, out of larger buffers.
  const std::vector<float> pixels = scaled(data.train.pixels);
  const TensorView images = matrix(stream, COLLET_TYPE_F32, count, kInputs);
  stream.write(images.origin(), pixels);
  const auto steps = static_cast<std::size_t>(count / kBatch);
  const std::vector<float> step_sizes = adam_step_sizes(steps);
  const collet::Buffer all_step_sizes = stream.upload(step_sizes);
  const TensorView batch = matrix(stream, COLLET_TYPE_F32, kBatch, kInputs);
  const TensorView step_size = matrix(stream, COLLET_TYPE_F32, 1, 1);
  constexpr auto kValues = static_cast<std::size_t>(kBatch) * kPixels;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto first = static_cast<std::int64_t>(step) * kBatch;
    stream.copy(batch.origin(), images.slice(0, first, first + kBatch).origin(),
                kValues * sizeof(float));
    stream.copy(step_size.origin(), all_step_sizes.at(step * sizeof(float)), sizeof(float));
    const auto* const expected = pixels.data() + step * kValues;
    std::vector<float> seen(kValues);
    std::vector<float> seen_size(1);
    // Two results are under way at once, as in the report of an epoch.
    auto values = stream.download(batch.origin(), seen);
    auto size = stream.download(step_size.origin(), seen_size);
    CHECK(size.wait()[0] == step_sizes[step]);
    values.wait();
    CHECK(seen == std::vector<float>(expected, expected + kValues));
  }
}

}  // namespace digits
