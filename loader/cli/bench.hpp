// SPDX-License-Identifier: Apache-2.0
// `collet bench matmul`: compares devices by products of square f32 matrices, copies apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace collet::cli {

// One size on one device. Times are seconds.
struct MatmulRow {
  std::string device;
  std::string name;
  std::int64_t size = 0;
  // Why there are no times; mostly empty.
  std::string fault;
  // The first product, with all that is prepared for it.
  double warm_up_s = 0;
  // Medians: one product, both operands to the device, and the result back.
  double compute_s = 0;
  double copy_in_s = 0;
  double copy_out_s = 0;

  [[nodiscard]] double gflops() const;
  // Operations for each byte of the three matrices: what decides whether the device's arithmetic or
  // its memory is the limit.
  [[nodiscard]] double intensity() const;
};

// Runs the sizes on the devices of the selectors; without one, on every device there is. Throws
// collet::Error where a selector names nothing.
std::vector<MatmulRow> bench_matmul(const std::vector<std::string>& selectors,
                                    const std::vector<std::int64_t>& sizes);

std::string matmul_text(const std::vector<MatmulRow>& rows);
std::string matmul_json(const std::vector<MatmulRow>& rows);

}  // namespace collet::cli
