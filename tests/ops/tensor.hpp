// SPDX-License-Identifier: Apache-2.0
/** Tensors of any layout in device memory, with canaries around and between their elements. */
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu_plugin.hpp"
#include "numbers.hpp"

namespace collet::test {

using Index = std::vector<std::int64_t>;

/** How sizes become strides. */
enum class Arrangement {
  kContiguous,
  /** The first dimension is innermost. */
  kTransposed,
  /** Rows with gaps between them, and between elements. */
  kPadded,
  /** Last element first, in every dimension. For inputs. */
  kReversed,
  /** All indices of the last dimension share an element. For inputs. */
  kRepeated,
};
inline const std::vector<Arrangement> kOutputArrangements = {
    Arrangement::kContiguous, Arrangement::kTransposed, Arrangement::kPadded};
inline const std::vector<Arrangement> kInputArrangements = {
    Arrangement::kContiguous, Arrangement::kTransposed, Arrangement::kPadded,
    Arrangement::kReversed, Arrangement::kRepeated};

collet_layout_t layout_of(collet_type_t type, const Index& sizes,
                          Arrangement arrangement = Arrangement::kContiguous);
/** A value that is given at each run. */
collet_layout_t immediate_of(collet_type_t type);

Index sizes_of(const collet_layout_t& layout);

/** Calls `body` for every index, the last dimension fastest. */
void for_each_index(const Index& sizes, const std::function<void(const Index&)>& body);

class Tensor {
 public:
  explicit Tensor(const collet_layout_t& layout);
  Tensor(collet_type_t type, const Index& sizes, Arrangement arrangement = Arrangement::kContiguous)
      : Tensor(layout_of(type, sizes, arrangement)) {}

  [[nodiscard]] const collet_layout_t& layout() const { return layout_; }
  [[nodiscard]] collet_type_t type() const { return layout_.type; }
  [[nodiscard]] Index sizes() const { return sizes_of(layout_); }
  [[nodiscard]] collet_plugin_operand_t operand() const;

  /** Dimensions of size 1, and missing first ones, take any index. */
  [[nodiscard]] Number get(const Index& index) const;
  void set(const Index& index, Number value);
  /** Fills with values of the type, near those that `value` gives. */
  void fill(const std::function<Number(const Index&)>& value);
  void fill_random(std::uint64_t seed, Number scale = 1);

  /** The bytes, elements and canaries. */
  [[nodiscard]] std::vector<std::byte> bytes() const;
  /** Empty, or which byte outside of the elements has changed. */
  [[nodiscard]] std::string damage() const;

 private:
  [[nodiscard]] std::int64_t position(const Index& index) const;

  collet_layout_t layout_;
  /** In bytes, of the element of index 0. */
  std::int64_t offset_ = 0;
  std::int64_t size_bytes_ = 0;
  std::unique_ptr<DeviceMemory> memory_;
};

/** Greatest error that is accepted, for an index and what is expected there. */
using Tolerance = std::function<Number(const Index&, Number)>;

/** What difference() gives where there is none. */
inline const std::string kNoDifference;

/** A sentence about the first element that is not as expected, or about damage. */
std::string difference(const Tensor& tensor, const std::function<Number(const Index&)>& expected,
                       const Tolerance& tolerance = {});

/** Runs an operation once on an inline stream. */
collet_status_t run_once(const Description& desc,
                         const std::vector<collet_plugin_operand_t>& operands);

}  // namespace collet::test
