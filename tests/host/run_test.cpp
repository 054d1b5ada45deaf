// SPDX-License-Identifier: Apache-2.0
// Runs of plans: what is bound to them is checked against the plan.
#include "objects.hpp"

namespace collet::test {
namespace {

// The objects of a device that has operations; ends the case as skipped on another.
Objects objects_with_plan() {
  Objects objects(tested_device());
  if (objects.plan == nullptr) {
    skip("the device has no operations");
  }
  return objects;
}

}  // namespace

TEST_CASE("HOST-ARG-8 operands that do not match the plan in number are refused") {
  const Objects objects = objects_with_plan();
  const std::vector<collet_operand_t> operands(17, {objects.buffer.get(), 0, {}});
  for (const std::uint32_t count : {0U, 1U, 3U, 17U, UINT32_MAX}) {
    CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands.data(),
                      count, nullptr, 0) == COLLET_ERROR_INVALID_ARGUMENT);
  }
}

TEST_CASE("HOST-ARG-8 a buffer for an immediate operand is refused") {
  const Objects objects = objects_with_plan();
  const collet_operand_t operands[2]{{objects.buffer.get(), 0, {}}, {objects.other.get(), 0, {}}};
  CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                    nullptr, 0) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("operand 1 is immediate"));
}

TEST_CASE("HOST-ARG-8 an offset that is no multiple of the element's size is refused") {
  const Objects objects = objects_with_plan();
  for (const std::uint64_t offset : {1U, 2U, 3U, 5U}) {
    const collet_operand_t operands[2]{{objects.buffer.get(), offset, {}}, {nullptr, 0, {1.5}}};
    CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                      nullptr, 0) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(message_has("operand 0"));
  }
}

TEST_CASE("HOST-ARG-8 a workspace at an offset that is no multiple of 64 is refused") {
  const Objects objects = objects_with_plan();
  const collet_operand_t operands[2]{{objects.buffer.get(), 0, {}}, {nullptr, 0, {1.5}}};
  const auto run = [&](std::uint64_t offset) {
    return COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                       objects.other.get(), offset);
  };
  CHECK(run(1) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(run(32) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(run(UINT64_MAX) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(run(UINT64_MAX - 63) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(run(64) == COLLET_OK);
}

TEST_CASE("HOST-ARG-3 an input with negative strides reaches before its offset") {
  const Objects objects = objects_with_plan();
  write(objects.stream, objects.buffer, Bytes(256, 1));
  std::vector<collet_layout_t> layouts{dense(COLLET_TYPE_F32, {4}), dense(COLLET_TYPE_F32, {4})};
  layouts[1].strides[0] = -1;
  const collet_op_desc_t desc = op_desc(COLLET_OP_COPY, layouts);
  collet_plan_t* made = nullptr;
  REQUIRE(collet_plan_create(objects.device, &desc, &made) == COLLET_OK);
  const Plan plan(made);
  const auto run = [&](std::uint64_t offset) {
    const collet_operand_t operands[2]{{objects.other.get(), 0, {}},
                                       {objects.buffer.get(), offset, {}}};
    return COLLET_CALL(collet_stream_run, objects.stream.get(), plan.get(), operands, 2, nullptr,
                       0);
  };
  CHECK(run(0) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(run(8) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(message_has("operand 1"));
  CHECK(run(12) == COLLET_OK);
  CHECK(run(252) == COLLET_OK);
  CHECK(run(256) == COLLET_ERROR_OUT_OF_RANGE);
}

TEST_CASE("HOST-MEM-4 an operation on no elements is an ordinary one") {
  const Objects objects = objects_with_plan();
  const auto layouts = fill_layouts(0);
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  collet_plan_t* made = nullptr;
  REQUIRE(collet_plan_create(objects.device, &desc, &made) == COLLET_OK);
  const Plan plan(made);
  const Buffer empty = allocate(objects.stream, 0);
  const collet_operand_t operands[2]{{empty.get(), 0, {}}, {nullptr, 0, {1.5}}};
  CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), plan.get(), operands, 2, nullptr, 0) ==
        COLLET_OK);
}

TEST_CASE("run it fills its output with the value that it is given") {
  const Objects objects = objects_with_plan();
  write(objects.stream, objects.buffer, Bytes(256, 0xee));
  const collet_operand_t operands[2]{{objects.buffer.get(), 16, {}}, {nullptr, 0, {1.5}}};
  REQUIRE(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                      nullptr, 0) == COLLET_OK);
  Bytes expected(256, 0xee);
  const unsigned char one_and_a_half[4] = {0, 0, 0xc0, 0x3f};
  for (std::size_t i = 16; i < 32; ++i) {
    expected[i] = one_and_a_half[i % 4];
  }
  CHECK(read(objects.stream, objects.buffer, 256) == expected);
}

}  // namespace collet::test
