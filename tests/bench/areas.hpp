// SPDX-License-Identifier: Apache-2.0
//
// All rows, by area. An area is one file, bench_<area>.cpp.
#pragma once

#include <vector>

#include "harness.hpp"

namespace collet::bench {

std::vector<Row> dispatch_rows();
std::vector<Row> launch_rows();
std::vector<Row> kernel_rows();
std::vector<Row> stream_rows();
std::vector<Row> matmul_rows();
std::vector<Row> ops_rows();
std::vector<Row> copy_rows();
std::vector<Row> pool_rows();
std::vector<Row> listing_rows();

}  // namespace collet::bench
