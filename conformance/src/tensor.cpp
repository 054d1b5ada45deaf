// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <algorithm>
#include <cmath>

namespace collet::conformance {
namespace {

constexpr std::int64_t kMargin = 3;

}  // namespace

Tensor::Tensor(collet_type_t type, const Sizes& sizes, std::int64_t margin) {
  layout_.type = type;
  layout_.rank = static_cast<std::uint32_t>(sizes.size());
  count_ = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    layout_.sizes[i] = sizes[i];
    layout_.strides[i] = std::max<std::int64_t>(count_, 1);
    count_ *= sizes[i];
  }
  allocate(margin);
}

void Tensor::allocate(std::int64_t margin) {
  std::int64_t before = 0;
  std::int64_t after = 0;
  for (std::size_t i = 0; i < rank() && count_ > 0; ++i) {
    const std::int64_t span = (layout_.sizes[i] - 1) * layout_.strides[i];
    (span < 0 ? before : after) += std::abs(span);
  }
  const auto item = static_cast<std::int64_t>(size_of(type()));
  offset_ = static_cast<std::uint64_t>((margin + before) * item);
  bytes_ = payload(static_cast<std::size_t>((2 * margin + before + after + 1) * item), 31);
}

Tensor Tensor::transposed() const {
  Tensor out = *this;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < rank(); ++i) {
    out.layout_.strides[i] = stride;
    stride *= std::max<std::int64_t>(layout_.sizes[i], 1);
  }
  out.allocate(kMargin);
  return out;
}

Tensor Tensor::with_gaps(std::int64_t step) const {
  Tensor out = *this;
  std::int64_t stride = step;
  for (std::size_t i = rank(); i-- > 0;) {
    out.layout_.strides[i] = stride;
    stride = stride * std::max<std::int64_t>(layout_.sizes[i], 1) + 1;
  }
  out.allocate(kMargin);
  return out;
}

Tensor Tensor::reversed() const {
  Tensor out = *this;
  for (std::size_t i = 0; i < rank(); ++i) out.layout_.strides[i] = -layout_.strides[i];
  out.allocate(kMargin);
  return out;
}

Tensor Tensor::repeated(std::size_t axis) const {
  Tensor out = *this;
  out.layout_.strides[axis] = 0;
  out.allocate(kMargin);
  return out;
}

Sizes Tensor::index_of(std::int64_t number) const {
  Sizes index(rank());
  for (std::size_t i = rank(); i-- > 0;) {
    index[i] = number % layout_.sizes[i];
    number /= layout_.sizes[i];
  }
  return index;
}

std::size_t Tensor::place_of(std::int64_t number) const {
  std::int64_t elements = 0;
  for (std::size_t i = rank(); i-- > 0;) {
    elements += number % layout_.sizes[i] * layout_.strides[i];
    number /= layout_.sizes[i];
  }
  return static_cast<std::size_t>(static_cast<std::int64_t>(offset_) +
                                  elements * static_cast<std::int64_t>(size_of(type())));
}

Number Tensor::get_broadcast(const Sizes& index) const {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < rank(); ++i) {
    number = number * layout_.sizes[i] + (layout_.sizes[i] == 1 ? 0 : index[i]);
  }
  return get(number);
}

void Tensor::fill_integers(Random& random, std::int64_t most) {
  const bool is_signed = is_float(type()) || type() == COLLET_TYPE_I8 ||
                         type() == COLLET_TYPE_I16 || type() == COLLET_TYPE_I32 ||
                         type() == COLLET_TYPE_I64;
  const std::int64_t lowest = is_signed ? -most : 0;
  for (std::int64_t i = 0; i < count_; ++i) {
    const auto up =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - lowest + 1)));
    set(i, static_cast<Number>(lowest + up));
  }
}

void Tensor::fill_numbers(Random& random, Number scale) {
  constexpr int kBits = 24;
  for (std::int64_t i = 0; i < count_; ++i) {
    const auto bits = static_cast<Number>(random.below(std::uint64_t{1} << (kBits + 1)));
    set(i, (std::ldexp(bits, -kBits) - 1) * scale);
  }
}

void Tensor::fill(Number value) {
  for (std::int64_t i = 0; i < count_; ++i) set(i, value);
}

void Tensor::poison_gaps() {
  const Bytes before = bytes_;
  // All bits set is a NaN of every float type.
  std::fill(bytes_.begin(), bytes_.end(), std::uint8_t{0xFF});
  const std::size_t item = size_of(type());
  for (std::int64_t i = 0; i < count_; ++i) {
    const std::size_t place = place_of(i);
    std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(place), item,
                bytes_.begin() + static_cast<std::ptrdiff_t>(place));
  }
}

}  // namespace collet::conformance
