// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <collet/collet.hpp>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace digits {

// Operations that are prepared once, with their plans and their memory, and then run many times in
// the same order. Running only records commands: it waits for nothing and allocates nothing.
class Sequence {
 public:
  explicit Sequence(const collet::Stream& stream) : stream_(stream) {}

  // Memory that lives as long as an operation of the sequence uses it.
  collet::TensorView matrix(std::int64_t rows, std::int64_t columns) const;

  void copy(const collet::TensorView& out, const collet::TensorView& in);
  void unary(collet_unary_t function, const collet::TensorView& out, const collet::TensorView& in);
  void binary(collet_binary_t function, const collet::TensorView& out, const collet::Operand& a,
              const collet::Operand& b);
  void sum(const collet::TensorView& out, const collet::TensorView& in);
  void argmax(const collet::TensorView& out, const collet::TensorView& in, std::uint32_t axis);
  void log_softmax(const collet::TensorView& out, const collet::TensorView& in, std::uint32_t axis);
  // The same inputs give the same bits; so do sum() and log_softmax().
  void matmul(const collet::TensorView& out, const collet::TensorView& a,
              const collet::TensorView& b, collet::ops::MatmulOptions options = {});

  void run() const;

 private:
  struct Step {
    collet::Plan plan;
    std::vector<collet::TensorView> tensors;
    // These refer to `tensors`.
    std::vector<collet::Operand> operands;
  };

  void add(const collet::Plan& plan, std::initializer_list<collet::Operand> operands);

  const collet::Stream& stream_;
  std::vector<Step> steps_;
};

}  // namespace digits
