// SPDX-License-Identifier: Apache-2.0
//
// Layouts and views: what operations see of memory. Nothing here calls a device but allocate().
#pragma once

#include <collet/ops.h>

#include <algorithm>
#include <collet/memory.hpp>
#include <collet/stream.hpp>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace collet {

namespace detail {

template <class T>
constexpr collet_type_t find_type() {
  if constexpr (std::same_as<T, bool>) return COLLET_TYPE_BOOL;
  if constexpr (std::same_as<T, float>) return COLLET_TYPE_F32;
  if constexpr (std::same_as<T, double>) return COLLET_TYPE_F64;
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    switch (sizeof(T)) {
      case 1:
        return std::is_signed_v<T> ? COLLET_TYPE_I8 : COLLET_TYPE_U8;
      case 2:
        return std::is_signed_v<T> ? COLLET_TYPE_I16 : COLLET_TYPE_U16;
      case 4:
        return std::is_signed_v<T> ? COLLET_TYPE_I32 : COLLET_TYPE_U32;
      case 8:
        return std::is_signed_v<T> ? COLLET_TYPE_I64 : COLLET_TYPE_U64;
      default:
        break;
    }
  }
  return COLLET_TYPE_NONE;
}

}  // namespace detail

/// The element type of a C++ type, e.g. COLLET_TYPE_F32 for float.
template <class T>
requires(detail::find_type<T>() != COLLET_TYPE_NONE) constexpr collet_type_t type_of() {
  return detail::find_type<T>();
}

/// How the elements of a tensor lie in memory: type, sizes, and strides in elements. A plain value.
class Layout {
 public:
  explicit Layout(const collet_layout_t& raw) : raw_(raw) {}

  const collet_layout_t& get() const noexcept { return raw_; }
  collet_type_t type() const noexcept { return raw_.type; }
  std::uint32_t rank() const noexcept { return raw_.rank; }
  std::int64_t size(std::uint32_t axis) const { return raw_.sizes[checked(axis)]; }
  std::int64_t stride(std::uint32_t axis) const { return raw_.strides[checked(axis)]; }

  std::int64_t element_count() const noexcept {
    std::int64_t count = 1;
    for (std::uint32_t axis = 0; axis < raw_.rank; ++axis) count *= raw_.sizes[axis];
    return count;
  }
  std::uint32_t element_bytes() const noexcept { return collet_type_size_bytes(raw_.type); }

  /// Whether all that an operation sees is the same.
  friend bool operator==(const Layout& a, const Layout& b) noexcept {
    const collet_layout_t& x = a.raw_;
    const collet_layout_t& y = b.raw_;
    return x.type == y.type && x.rank == y.rank && std::equal(x.sizes, x.sizes + x.rank, y.sizes) &&
           std::equal(x.strides, x.strides + x.rank, y.strides) && x.immediate == y.immediate &&
           x.packed == y.packed && x.packed_size_bytes == y.packed_size_bytes;
  }

  /// With two axes exchanged.
  Layout transpose(std::uint32_t axis_a, std::uint32_t axis_b) const {
    Layout result = *this;
    std::swap(result.raw_.sizes[checked(axis_a)], result.raw_.sizes[checked(axis_b)]);
    std::swap(result.raw_.strides[axis_a], result.raw_.strides[axis_b]);
    return result;
  }

  /// With `count` in place of the size of an axis.
  Layout resized(std::uint32_t axis, std::int64_t count) const {
    Layout result = *this;
    result.raw_.sizes[checked(axis)] = count;
    return result;
  }

 private:
  std::uint32_t checked(std::uint32_t axis) const {
    if (axis < raw_.rank) return axis;
    throw std::out_of_range("collet: layout: axis " + std::to_string(axis) +
                            " of a tensor of rank " + std::to_string(raw_.rank));
  }

  collet_layout_t raw_;
};

/// A layout without gaps, the last axis innermost. Throws for more than COLLET_MAX_RANK axes, for
/// negative sizes, and where the size in bytes does not fit in 63 bits.
inline Layout make_contiguous(collet_type_t type, std::span<const std::int64_t> sizes) {
  if (sizes.size() > COLLET_MAX_RANK) {
    throw std::invalid_argument("collet: layout: rank " + std::to_string(sizes.size()) +
                                " is more than " + std::to_string(COLLET_MAX_RANK));
  }
  collet_layout_t raw{};
  raw.type = type;
  raw.rank = static_cast<std::uint32_t>(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    if (sizes[axis] < 0) throw std::invalid_argument("collet: layout: a size is negative");
    raw.sizes[axis] = sizes[axis];
    raw.strides[axis] = stride;
    // Empty tensors have strides too, as if each axis had an element.
    const std::int64_t extent = sizes[axis] > 0 ? sizes[axis] : 1;
    if (stride > INT64_MAX / 16 / extent) throw std::length_error("collet: layout: size overflows");
    stride *= extent;
  }
  return Layout(raw);
}
inline Layout make_contiguous(collet_type_t type, std::initializer_list<std::int64_t> sizes) {
  return make_contiguous(type, std::span(sizes.begin(), sizes.size()));
}

/// Elements of a buffer, as a tensor. Shares the buffer and keeps it alive; copies and the results
/// of its functions are views of the same memory.
struct TensorView {
  Buffer buffer;
  /// Where the element of index 0 lies.
  std::uint64_t offset_bytes = 0;
  Layout layout;

  /// A new tensor without gaps, with undefined content.
  static TensorView allocate(const Stream& stream, collet_type_t type,
                             std::initializer_list<std::int64_t> sizes,
                             const AllocOptions& options = {}) {
    const Layout layout = make_contiguous(type, sizes);
    const auto elements = static_cast<std::uint64_t>(layout.element_count());
    return {stream.allocate(elements * layout.element_bytes(), options), 0, layout};
  }

  /// Where the element of index 0 lies, for copies.
  BufferOffset origin() const noexcept { return buffer.at(offset_bytes); }

  TensorView transpose(std::uint32_t axis_a, std::uint32_t axis_b) const {
    return {buffer, offset_bytes, layout.transpose(axis_a, axis_b)};
  }

  /// The elements `first` to `last` (exclusive) along an axis.
  TensorView slice(std::uint32_t axis, std::int64_t first, std::int64_t last) const {
    if (first < 0 || first > last || last > layout.size(axis)) {
      throw std::out_of_range("collet: slice " + std::to_string(first) + ":" +
                              std::to_string(last) + " of an axis of size " +
                              std::to_string(layout.size(axis)));
    }
    const std::int64_t skipped_bytes = first * layout.stride(axis) * layout.element_bytes();
    return {buffer, offset_bytes + static_cast<std::uint64_t>(skipped_bytes),
            layout.resized(axis, last - first)};
  }
};

}  // namespace collet
