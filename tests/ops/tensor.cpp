// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace collet::test {
namespace {

constexpr std::byte kCanary{0xA5};
constexpr std::int64_t kMargin = 64;

std::string text_of(const Index& index) {
  std::ostringstream out;
  out << '[';
  for (const std::int64_t i : index) out << ' ' << i;
  out << " ]";
  return out.str();
}

}  // namespace

collet_layout_t layout_of(collet_type_t type, const Index& sizes, Arrangement arrangement) {
  collet_layout_t layout = {};
  layout.type = type;
  layout.rank = static_cast<std::uint32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), layout.sizes);
  const bool padded = arrangement == Arrangement::kPadded;
  std::int64_t stride = padded ? 2 : 1;
  for (std::uint32_t i = 0; i < layout.rank; ++i) {
    const std::uint32_t d = arrangement == Arrangement::kTransposed ? i : layout.rank - 1 - i;
    layout.strides[d] = arrangement == Arrangement::kReversed ? -stride : stride;
    if (arrangement == Arrangement::kRepeated && i == 0) {
      layout.strides[d] = 0;
    } else {
      stride *= std::max<std::int64_t>(1, sizes[d]);
      if (padded) stride += 3;
    }
  }
  return layout;
}

collet_layout_t immediate_of(collet_type_t type) {
  collet_layout_t layout = {};
  layout.type = type;
  layout.immediate = 1;
  return layout;
}

Index sizes_of(const collet_layout_t& layout) { return {layout.sizes, layout.sizes + layout.rank}; }

void for_each_index(const Index& sizes, const std::function<void(const Index&)>& body) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Index index(sizes.size());
  for (;;) {
    body(index);
    std::size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

Tensor::Tensor(const collet_layout_t& layout) : layout_(layout) {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  for (std::uint32_t d = 0; d < layout.rank; ++d) {
    const std::int64_t reach = layout.strides[d] * std::max<std::int64_t>(0, layout.sizes[d] - 1);
    (reach < 0 ? least : greatest) += reach;
  }
  const auto size = static_cast<std::int64_t>(size_of(layout.type));
  // One element off the alignment of the margin.
  offset_ = kMargin + size - least * size;
  size_bytes_ = offset_ + (greatest + 1) * size + kMargin;
  memory_ = std::make_unique<DeviceMemory>(static_cast<std::uint64_t>(size_bytes_));
  std::fill_n(memory_->data(), size_bytes_, kCanary);
}

collet_plugin_operand_t Tensor::operand() const {
  return {memory_->handle(), static_cast<std::uint64_t>(offset_), {}};
}

std::int64_t Tensor::position(const Index& index) const {
  std::int64_t element = 0;
  for (std::uint32_t d = 0; d < layout_.rank; ++d) {
    const std::size_t from_last = layout_.rank - d;
    if (layout_.sizes[d] != 1) element += layout_.strides[d] * index[index.size() - from_last];
  }
  return offset_ + element * static_cast<std::int64_t>(size_of(layout_.type));
}

Number Tensor::get(const Index& index) const {
  return decode(layout_.type, memory_->data() + position(index));
}

void Tensor::set(const Index& index, Number value) {
  encode(layout_.type, value, memory_->data() + position(index));
}

void Tensor::fill(const std::function<Number(const Index&)>& value) {
  for_each_index(sizes(), [&](const Index& index) {
    set(index, converted(layout_.type, value(index), true));
  });
}

void Tensor::fill_random(std::uint64_t seed, Number scale) {
  Random random(seed);
  fill([&](const Index&) { return random.next() * scale; });
}

std::vector<std::byte> Tensor::bytes() const {
  return {memory_->data(), memory_->data() + size_bytes_};
}

std::string Tensor::damage() const {
  std::vector<bool> is_element(static_cast<std::size_t>(size_bytes_));
  for_each_index(sizes(), [&](const Index& index) {
    const auto first = static_cast<std::size_t>(position(index));
    for (std::size_t i = 0; i < size_of(layout_.type); ++i) is_element[first + i] = true;
  });
  for (std::int64_t i = 0; i < size_bytes_; ++i) {
    if (!is_element[static_cast<std::size_t>(i)] && memory_->data()[i] != kCanary) {
      return "byte " + std::to_string(i - offset_) + " is outside of the elements and was written";
    }
  }
  return {};
}

std::string difference(const Tensor& tensor, const std::function<Number(const Index&)>& expected,
                       const Tolerance& tolerance) {
  std::string result = tensor.damage();
  for_each_index(tensor.sizes(), [&](const Index& index) {
    if (!result.empty()) return;
    const Number wanted = expected(index);
    const Number got = tensor.get(index);
    if (same(got, wanted)) return;
    const Number accepted = tolerance ? tolerance(index, wanted) : 0;
    if (std::fabs(got - wanted) <= accepted) return;
    std::ostringstream out;
    out.precision(20);
    out << name_of(tensor.type()) << text_of(index) << " is " << got << ", expected " << wanted
        << " +- " << accepted;
    result = out.str();
  });
  return result;
}

collet_status_t run_once(const Description& desc,
                         const std::vector<collet_plugin_operand_t>& operands) {
  const TestPlan plan(desc);
  const InlineStream stream;
  const collet_status_t status = plan.run(stream, operands);
  if (status != COLLET_OK) return status;
  return cpu().stream->synchronize(stream.handle(), COLLET_TIMEOUT_INFINITE);
}

}  // namespace collet::test
