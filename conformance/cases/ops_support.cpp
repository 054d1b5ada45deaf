// SPDX-License-Identifier: Apache-2.0
/** Plans: what is supported, threads, workspaces, determinism. */
#include <string>
#include <vector>

#include "conformance.hpp"
#include "reference.hpp"

namespace collet::conformance {
namespace {

/** One description of each kind, for a type. */
std::vector<Operation> catalogue(collet_type_t type) {
  const Tensor vector(type, {4, 6});
  const Tensor column(type, {4, 1});
  const Tensor index(COLLET_TYPE_I64, {4, 1});
  const Tensor truth(COLLET_TYPE_BOOL, {4, 6});
  std::vector<Operation> all;
  all.push_back(Operation(COLLET_OP_COPY).operand(vector).operand(vector));
  for (std::uint32_t f = COLLET_UNARY_NEGATE; f <= COLLET_UNARY_GELU; ++f) {
    all.push_back(Operation(COLLET_OP_UNARY, f).operand(vector).operand(vector));
  }
  for (std::uint32_t f = COLLET_BINARY_ADD; f <= COLLET_BINARY_POWER; ++f) {
    all.push_back(Operation(COLLET_OP_BINARY, f).operand(vector).operand(vector).operand(column));
  }
  for (std::uint32_t f = COLLET_BINARY_EQUAL; f <= COLLET_BINARY_GREATER_EQUAL; ++f) {
    all.push_back(Operation(COLLET_OP_BINARY, f).operand(truth).operand(vector).operand(vector));
  }
  for (std::uint32_t f = COLLET_REDUCTION_SUM; f <= COLLET_REDUCTION_MINIMUM; ++f) {
    all.push_back(Operation(COLLET_OP_REDUCE, f).operand(column).operand(vector));
  }
  for (std::uint32_t f = COLLET_REDUCTION_ARGMAX; f <= COLLET_REDUCTION_ARGMIN; ++f) {
    all.push_back(Operation(COLLET_OP_REDUCE, f).axis(1).operand(index).operand(vector));
  }
  for (std::uint32_t f = COLLET_SOFTMAX_PLAIN; f <= COLLET_SOFTMAX_LOG; ++f) {
    all.push_back(Operation(COLLET_OP_SOFTMAX, f).axis(1).operand(vector).operand(vector));
  }
  all.push_back(Operation(COLLET_OP_MATMUL)
                    .operand(vector)
                    .operand(Tensor(type, {4, 3}))
                    .operand(Tensor(type, {3, 6})));
  return all;
}

void expect_agreement(Device& device, const Operation& operation) {
  const collet_op_support_t support = query_support(device, operation);
  expect(support.level == COLLET_OP_NATIVE || support.level == COLLET_OP_UNSUPPORTED,
         "query answered level " + std::to_string(support.level) + " for " + operation.text());
  const bool is_native = support.level == COLLET_OP_NATIVE;
  expect(is_native || support.detail[0] != '\0',
         "query answered UNSUPPORTED without a reason for " + operation.text());
  collet_plugin_plan_t* plan = nullptr;
  expect_status(try_create_plan(device, operation, &plan),
                is_native ? COLLET_OK : COLLET_ERROR_UNSUPPORTED,
                "ops.create after query said " + std::string(is_native ? "NATIVE" : "UNSUPPORTED") +
                    " to " + operation.text());
  if (is_native) device.ops().destroy(plan);
}

Operation sum_of(std::int64_t count, std::uint32_t flags, Random& random) {
  Tensor in(COLLET_TYPE_F32, {count});
  in.fill_numbers(random);
  return Operation(COLLET_OP_REDUCE, COLLET_REDUCTION_SUM)
      .flags(flags)
      .operand(Tensor(COLLET_TYPE_F32, {1}))
      .operand(in);
}

Operation product_of(std::int64_t size, std::uint32_t flags, Random& random) {
  Tensor a(COLLET_TYPE_F32, {size, size + 7});
  Tensor b(COLLET_TYPE_F32, {size + 7, size + 1});
  a.fill_numbers(random);
  b.fill_numbers(random);
  return Operation(COLLET_OP_MATMUL)
      .flags(flags)
      .operand(Tensor(COLLET_TYPE_F32, {size, size + 1}))
      .operand(a)
      .operand(b);
}

}  // namespace

CONFORMANCE_CASE("PLUG-OPS-1 query and create agree about each operation", clauses("PLUG-OPS-1"),
                 needs(Capability::kOperations),
                 does("Asks for the whole catalogue in each type, and makes the plans.")) {
  Device& device = test.device();
  for (int type = COLLET_TYPE_BOOL; type <= COLLET_TYPE_F64; ++type) {
    for (const Operation& operation : catalogue(static_cast<collet_type_t>(type))) {
      expect_agreement(device, operation);
    }
  }
}

CONFORMANCE_CASE("PLUG-OPS-6 runs of one plan on several threads do not disturb each other",
                 clauses("PLUG-OPS-6"), kStress, needs(Capability::kOperations),
                 does("Four threads run one plan on streams, operands and values of their own.")) {
  Device& device = test.device();
  Random random = test.random();
  for (const Operation& plain : {product_of(24, 0, random), sum_of(5000, 0, random)}) {
    if (query_support(device, plain).level != COLLET_OP_NATIVE) continue;
    const Plan plan(device, plain);
    run_threads(4, [&](std::size_t thread) {
      Random mine(thread + 1);
      const Stream stream(device, kStreamSorts[thread % 2]);
      for (int round = 0; round < 20; ++round) {
        Operation operation = plain;
        for (std::size_t i = 1; i < operation.tensor_count(); ++i) {
          operation.tensor(i).fill_integers(mine, 4);
        }
        const std::vector<Memory> memories = upload_tensors(device, stream, operation);
        const Memory workspace(device, plan.workspace_bytes());
        expect_ok(plan.enqueue(stream, operation, memories, &workspace), "ops.enqueue");
        Tensor out = operation.tensor(0);
        out.bytes() = stream.download(memories[0]);
        expect_result(operation, out);
      }
    });
  }
}

CONFORMANCE_CASE("PLUG-OPS-6 operands are copied before enqueue returns", clauses("PLUG-OPS-6"),
                 needs(Capability::kOperations),
                 does("Enqueues two runs of one plan behind a gate, with different operands.")) {
  Device& device = test.device();
  Random random = test.random();
  Operation first = product_of(9, 0, random);
  if (query_support(device, first).level != COLLET_OP_NATIVE) not_supported("operations: matmul");
  Operation second = first;
  for (std::size_t i = 1; i < 3; ++i) {
    first.tensor(i).fill_integers(random, 3);
    second.tensor(i).fill_integers(random, 3);
  }
  const Stream stream(device);
  const Plan plan(device, first);
  const std::vector<Memory> one = upload_tensors(device, stream, first);
  const std::vector<Memory> two = upload_tensors(device, stream, second);
  const Memory workspace(device, plan.workspace_bytes());
  {
    const Gate gate(stream);
    expect_ok(plan.enqueue(stream, first, one, &workspace), "ops.enqueue");
    expect_ok(plan.enqueue(stream, second, two, &workspace), "ops.enqueue");
  }
  Tensor out = first.tensor(0);
  out.bytes() = stream.download(one[0]);
  expect_result(first, out);
  out.bytes() = stream.download(two[0]);
  expect_result(second, out);
}

CONFORMANCE_CASE("PLUG-OPS-7 a run stays inside the workspace that its plan declares",
                 clauses("PLUG-OPS-7"), needs(Capability::kOperations),
                 does("Gives each run exactly what was declared, NULL where that is nothing, with "
                      "canaries around it.")) {
  Device& device = test.device();
  Random random = test.random();
  constexpr std::uint64_t kAround = 256;
  for (std::int64_t size : {1, 5, 16, 33, 64, 100, 129}) {
    for (const Operation& operation :
         {product_of(size, 0, random), sum_of(size * 1000, 0, random)}) {
      if (query_support(device, operation).level != COLLET_OP_NATIVE) continue;
      const Stream stream(device, 0);
      const std::vector<Memory> memories = upload_tensors(device, stream, operation);
      const Plan plan(device, operation);
      const std::uint64_t declared = plan.workspace_bytes();
      const Memory workspace(device, declared + 2 * kAround);
      const Bytes before = payload(workspace.size(), 55);
      stream.upload(workspace, before);
      expect_ok(plan.enqueue(stream, operation, memories, declared == 0 ? nullptr : &workspace,
                             declared == 0 ? 0 : kAround),
                "ops.enqueue with " + std::to_string(declared) + " bytes of workspace");
      Tensor out = operation.tensor(0);
      out.bytes() = stream.download(memories[0]);
      expect_result(operation, out);
      const Bytes after = stream.download(workspace);
      expect_bytes(part_of(after, 0, kAround), part_of(before, 0, kAround),
                   "bytes before the workspace of " + operation.text());
      expect_bytes(part_of(after, kAround + declared, kAround),
                   part_of(before, kAround + declared, kAround),
                   "bytes behind the workspace of " + operation.text());
    }
  }
}

CONFORMANCE_CASE("PLUG-OPS-8 a deterministic plan gives the same bits at every run",
                 clauses("PLUG-OPS-8"), needs(Capability::kOperations),
                 does("Runs sums and products of random numbers twenty times, from plans made "
                      "anew.")) {
  Device& device = test.device();
  Random random = test.random();
  Operations operations(device);
  for (const Operation& operation : {sum_of(200000, COLLET_OP_DETERMINISTIC, random),
                                     sum_of(333, COLLET_OP_DETERMINISTIC, random),
                                     product_of(65, COLLET_OP_DETERMINISTIC, random)}) {
    const std::optional<Tensor> first = operations.run(operation);
    if (!first) continue;
    for (int i = 0; i < 19; ++i) {
      expect_bytes(operations.run(operation)->bytes(), first->bytes(),
                   "run " + std::to_string(i + 2) + " of " + operation.text());
    }
  }
  operations.expect_any();
}

}  // namespace collet::conformance
