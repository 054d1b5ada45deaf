// SPDX-License-Identifier: Apache-2.0
#include "operation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "call.hpp"
#include "structs.hpp"

namespace collet::conformance {
namespace {

std::string text_of(const Tensor& tensor) {
  std::string text = std::string(name_of(tensor.type())) + "[";
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(tensor.size(i));
  }
  text += "](";
  for (std::size_t i = 0; i < tensor.rank(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(tensor.layout().strides[i]);
  }
  return text + ")";
}

}  // namespace

Operation::Operation(collet_op_kind_t kind, std::uint32_t function)
    : desc_(make_struct<collet_op_desc_t>()) {
  desc_.kind = kind;
  desc_.function = function;
  if (kind == COLLET_OP_MATMUL) desc_.alpha = 1;
}

Operation& Operation::axis(std::uint32_t axis) {
  desc_.axis = axis;
  return *this;
}

Operation& Operation::flags(std::uint32_t flags) {
  desc_.flags = flags;
  return *this;
}

Operation& Operation::scale(double alpha, double beta) {
  desc_.alpha = alpha;
  desc_.beta = beta;
  return *this;
}

Operation& Operation::activation(collet_activation_t activation) {
  desc_.activation = activation;
  return *this;
}

Operation& Operation::operand(Tensor tensor) {
  tensors_.push_back(std::move(tensor));
  return *this;
}

const collet_op_desc_t& Operation::desc() const {
  layouts_.clear();
  for (const Tensor& tensor : tensors_) layouts_.push_back(tensor.layout());
  desc_.operands = layouts_.data();
  desc_.operand_count = static_cast<std::uint32_t>(layouts_.size());
  return desc_;
}

std::string Operation::text() const {
  constexpr const char* kNames[] = {"?",      "fill",   "copy",    "unary",
                                    "binary", "reduce", "softmax", "matmul"};
  std::string text = kNames[std::min<int>(desc_.kind, COLLET_OP_MATMUL)];
  if (desc_.function != 0) text += " " + std::to_string(desc_.function);
  for (std::size_t i = 1; i < tensors_.size(); ++i) {
    text += (i == 1 ? " of " : ", ") + text_of(tensors_[i]);
  }
  return text + " -> " + text_of(tensors_[0]);
}

collet_op_support_t query_support(Device& device, const Operation& operation) {
  auto support = make_struct<collet_op_support_t>();
  expect_ok(call("ops.query", device.ops().query, device.handle(), &operation.desc(), &support),
            "ops.query of " + operation.text());
  return support;
}

collet_status_t try_create_plan(Device& device, const Operation& operation,
                                collet_plugin_plan_t** out_plan) {
  return call("ops.create", device.ops().create, device.handle(), &operation.desc(), out_plan);
}

Plan::Plan(Device& device, const Operation& operation)
    : device_(device), workspace_bytes_(query_support(device, operation).workspace_bytes) {
  expect_ok(try_create_plan(device, operation, &handle_), "ops.create of " + operation.text());
}

Plan::~Plan() {
  note_call("ops.destroy");
  device_.ops().destroy(handle_);
}

collet_status_t Plan::enqueue(const Stream& stream, const Operation& operation,
                              const std::vector<Memory>& memories, const Memory* workspace,
                              std::uint64_t workspace_offset) const {
  std::vector<collet_plugin_operand_t> operands(memories.size());
  for (std::size_t i = 0; i < memories.size(); ++i) {
    operands[i].memory = memories[i].handle();
    operands[i].offset_bytes = operation.tensor(i).offset_bytes();
  }
  return call("ops.enqueue", device_.ops().enqueue, stream.handle(), handle_, operands.data(),
              static_cast<std::uint32_t>(operands.size()),
              workspace == nullptr ? nullptr : workspace->handle(), workspace_offset);
}

std::vector<Memory> upload_tensors(Device& device, const Stream& stream,
                                   const Operation& operation) {
  std::vector<Memory> memories;
  for (std::size_t i = 0; i < operation.tensor_count(); ++i) {
    const Bytes& bytes = operation.tensor(i).bytes();
    memories.emplace_back(device, bytes.size());
    stream.upload(memories.back(), bytes);
  }
  return memories;
}

std::optional<Tensor> Operations::run(const Operation& operation) {
  if (query_support(device_, operation).level != COLLET_OP_NATIVE) return std::nullopt;
  ++runs_;
  const std::vector<Memory> memories = upload_tensors(device_, stream_, operation);
  const Plan plan(device_, operation);
  std::optional<Memory> workspace;
  if (plan.workspace_bytes() > 0) workspace.emplace(device_, plan.workspace_bytes());
  expect_ok(plan.enqueue(stream_, operation, memories, workspace ? &*workspace : nullptr),
            "ops.enqueue of " + operation.text());
  Tensor out = operation.tensor(0);
  out.bytes() = stream_.download(memories[0]);
  return out;
}

void Operations::expect_any() const {
  if (runs_ == 0) not_supported("operations: none of those that the case has");
}

void expect_gaps(const Operation& operation, const Tensor& seen, Place place) {
  Bytes expected = operation.tensor(0).bytes();
  for (std::int64_t i = 0; i < seen.count(); ++i) {
    const std::size_t at = seen.place_of(i);
    std::memcpy(expected.data() + at, seen.bytes().data() + at, size_of(seen.type()));
  }
  expect_bytes(seen.bytes(), expected, "bytes that are no element, after " + operation.text(),
               place);
}

}  // namespace collet::conformance
