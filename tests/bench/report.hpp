// SPDX-License-Identifier: Apache-2.0
//
// The output: a table for people, which grows while rows are measured, and JSON for machines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness.hpp"

namespace collet::bench {

class Table {
 public:
  // Prints the head. The columns fit all of these rows.
  explicit Table(const std::vector<Row>& rows);

  void print(const Row& row, const Figures& figures) const;

 private:
  std::size_t name_width_;
  std::size_t unit_width_;
  std::size_t reference_width_;
};

struct Result {
  const Row& row;
  Figures figures;
};

// Throws std::runtime_error if the file cannot be written.
void write_json(const std::string& path, const std::vector<Result>& results);

}  // namespace collet::bench
