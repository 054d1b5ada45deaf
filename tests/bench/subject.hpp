// SPDX-License-Identifier: Apache-2.0
//
// Collet as the subject of a measurement.
#pragma once

#include <collet/collet.hpp>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"

namespace collet::bench {

// Opens the first device of a back end; throws Absent, with libcollet's reason, where there is
// none.
Device open_device(const std::string& backend);

// Records commands on a stream, and ends when they are complete. `record` returns a status.
template <class Record>
Batch commands(const Stream& stream, Record record) {
  const Batch recorded = repeat([record = std::move(record)] { check(record()); });
  return [stream, recorded](std::uint64_t calls) {
    recorded(calls);
    stream.synchronize();
  };
}

// A plan with its operands bound: what a hot loop keeps.
class BoundPlan {
 public:
  BoundPlan(Stream stream, Plan plan, std::initializer_list<TensorView> operands);

  // Runs the plan. Refers to this object.
  [[nodiscard]] Batch batch() const;

 private:
  Stream stream_;
  Plan plan_;
  std::vector<TensorView> tensors_;
  std::vector<collet_operand_t> operands_;
  Buffer workspace_;
};

// A new f32 tensor in which every element is `value`.
TensorView make_tensor(const Stream& stream, std::initializer_list<std::int64_t> sizes,
                       float value);

// Where the device's memory is host memory: the first byte of the tensor's buffer.
float* host_pointer(const TensorView& tensor);

}  // namespace collet::bench
