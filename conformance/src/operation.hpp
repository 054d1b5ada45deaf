// SPDX-License-Identifier: Apache-2.0
/** An operation on tensors of the host, run by the device. */
#pragma once

#include <collet/plugin/ops.h>

#include <optional>
#include <string>
#include <vector>

#include "memory.hpp"
#include "stream.hpp"
#include "tensor.hpp"

namespace collet::conformance {

/** What is computed, and on what. The first tensor is the output. */
class Operation {
 public:
  explicit Operation(collet_op_kind_t kind, std::uint32_t function = 0);

  Operation& axis(std::uint32_t axis);
  Operation& flags(std::uint32_t flags);
  Operation& scale(double alpha, double beta);
  Operation& activation(collet_activation_t activation);
  Operation& operand(Tensor tensor);

  [[nodiscard]] const collet_op_desc_t& desc() const;
  [[nodiscard]] const Tensor& tensor(std::size_t index) const { return tensors_[index]; }
  [[nodiscard]] Tensor& tensor(std::size_t index) { return tensors_[index]; }
  [[nodiscard]] std::size_t tensor_count() const noexcept { return tensors_.size(); }
  /** Such as "reduce 1 of f32[2,3] -> f32[2,1]". */
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Tensor> tensors_;
  mutable std::vector<collet_layout_t> layouts_;
  mutable collet_op_desc_t desc_;
};

/** What the device says about an operation; a failing query ends the case. */
[[nodiscard]] collet_op_support_t query_support(Device& device, const Operation& operation);
/** ops.create as it is. */
collet_status_t try_create_plan(Device& device, const Operation& operation,
                                collet_plugin_plan_t** out_plan);

/** A plan of the device, destroyed with the object. */
class Plan {
 public:
  /** A failure ends the case. */
  Plan(Device& device, const Operation& operation);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan();

  [[nodiscard]] std::uint64_t workspace_bytes() const noexcept { return workspace_bytes_; }
  /** ops.enqueue with the tensors' memories. */
  [[nodiscard]] collet_status_t enqueue(const Stream& stream, const Operation& operation,
                                        const std::vector<Memory>& memories,
                                        const Memory* workspace,
                                        std::uint64_t workspace_offset = 0) const;

 private:
  Device& device_;
  collet_plugin_plan_t* handle_ = nullptr;
  std::uint64_t workspace_bytes_ = 0;
};

/** Memories with the bytes of an operation's tensors. */
[[nodiscard]] std::vector<Memory> upload_tensors(Device& device, const Stream& stream,
                                                 const Operation& operation);

/**
 * Runs operations, and keeps count of those that the device has: a case in which there was none is
 * not supported.
 */
class Operations {
 public:
  explicit Operations(Device& device) : device_(device), stream_(device, 0) {}

  /** The output after a run; nothing where the device declares not to support the operation. */
  [[nodiscard]] std::optional<Tensor> run(const Operation& operation);
  /** Ends the case as not supported if nothing ran. */
  void expect_any() const;

 private:
  Device& device_;
  Stream stream_;
  int runs_ = 0;
};

/** Bytes of `seen` that belong to no element are as in the operation's output. */
void expect_gaps(const Operation& operation, const Tensor& seen, Place place = Place::here());

}  // namespace collet::conformance
