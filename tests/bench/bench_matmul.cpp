// SPDX-License-Identifier: Apache-2.0
//
// Products of square f32 matrices, against oneDNN called directly with as many threads.
#include "areas.hpp"
#include "onednn_matmul.hpp"
#include "subject.hpp"

namespace collet::bench {
namespace {

// Both sides use the same memory, so that where it lies is not part of the ratio.
Medians multiply(std::int64_t n) {
  const Device device = open_device("cpu");
  const Stream stream(device);
  const TensorView a = make_tensor(stream, {n, n}, 0.5F);
  const TensorView b = make_tensor(stream, {n, n}, 0.25F);
  const TensorView c = make_tensor(stream, {n, n}, 0);
  stream.synchronize();

  const BoundPlan plan(stream, ops::plan_matmul(device, c, a, b), {c, a, b});
  OnednnMatmul reference(n, host_pointer(a), host_pointer(b), host_pointer(c),
                         device.properties().compute_units);
  return take_turns(plan.batch(), reference.batch());
}

double operations(std::int64_t n) {
  const auto size = static_cast<double>(n);
  return 2 * size * size * size;
}

}  // namespace

std::vector<Row> matmul_rows() {
  const char* const reference = "oneDNN, called directly";
  std::vector<Row> rows;
  for (const std::int64_t n : {64, 256, 512, 1024, 2048}) {
    rows.push_back({"matmul/f32/" + std::to_string(n) + "/cpu", "GFLOP/s", reference,
                    [n] { return as_rate(multiply(n), operations(n)); }});
  }
  // Here the difference tells what Collet adds to a call.
  rows.push_back(
      {"matmul/f32_call/64/cpu", "ns", reference, [] { return in_nanoseconds(multiply(64)); }});
  return rows;
}

}  // namespace collet::bench
