// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <collet/collet.hpp>
#include <cstdint>

#include "digits.hpp"
#include "sequence.hpp"

namespace digits {

// Images on the device. They travel as the bytes of the file; the device makes of them what the
// network takes.
class Images {
 public:
  Images(const collet::Stream& stream, std::int64_t count);

  // Replaces all images. Returns the bytes that were moved.
  std::uint64_t load(const Digits& digits) const;

  // From 0 to 1.
  collet::TensorView pixels;
  collet::TensorView labels;
  // A row for each image, with a 1 in the column of its digit.
  collet::TensorView one_hot;

 private:
  const collet::Stream& stream_;
  collet::TensorView raw_pixels_;
  collet::TensorView raw_labels_;
  Sequence convert_;
};

}  // namespace digits
