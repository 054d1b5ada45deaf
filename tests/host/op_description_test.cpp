// SPDX-License-Identifier: Apache-2.0
// HOST-ARG-8: descriptions of operations that contradict themselves, asked of a device.
#include <initializer_list>

#include "fixture.hpp"

namespace collet::test {
namespace {

using Layouts = std::vector<collet_layout_t>;
using Sizes = std::vector<std::int64_t>;

constexpr collet_type_t kF32 = COLLET_TYPE_F32;

struct Description {
  collet_op_kind_t kind;
  Layouts operands;
  std::uint32_t function = 0;
  std::uint32_t axis = 0;
  std::uint32_t flags = 0;
};

// What collet_op_query() answers; the other functions that take a description agree, but for that
// they cannot serve a device which is unable to run it.
collet_status_t answer(const Description& description) {
  collet_op_desc_t desc = op_desc(description.kind, description.operands);
  desc.function = description.function;
  desc.axis = description.axis;
  desc.flags = description.flags;
  if (desc.kind == COLLET_OP_MATMUL) {
    desc.alpha = 1;
  }
  auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
  collet_device_t* device = tested_device();
  const collet_status_t status = COLLET_CALL(collet_op_query, device, &desc, &support);
  collet_plan_t* made = nullptr;
  const collet_status_t created = COLLET_CALL(collet_plan_create, device, &desc, &made);
  const Plan plan(made);
  CHECK((created == status || created == COLLET_ERROR_UNSUPPORTED));
  collet_layout_t layout{};
  const collet_status_t preferred =
      COLLET_CALL(collet_op_preferred_layout, device, &desc, 0, &layout);
  CHECK((preferred == status || preferred == COLLET_ERROR_UNSUPPORTED));
  return status;
}

bool refused(const Description& description, const std::string& part) {
  return answer(description) == COLLET_ERROR_INVALID_ARGUMENT && message_has(part);
}

Layouts unary(const Sizes& out, const Sizes& in) { return {dense(kF32, out), dense(kF32, in)}; }

Layouts triple(const Sizes& c, const Sizes& a, const Sizes& b) {
  return {dense(kF32, c), dense(kF32, a), dense(kF32, b)};
}

Layouts with(Layouts layouts, std::size_t index, void (*change)(collet_layout_t&)) {
  change(layouts.at(index));
  return layouts;
}

constexpr std::uint32_t kRelu = COLLET_UNARY_RELU;
constexpr std::uint32_t kAdd = COLLET_BINARY_ADD;

}  // namespace

TEST_CASE("HOST-ARG-8 a sound description of each kind is taken") {
  CHECK(answer({COLLET_OP_FILL, fill_layouts()}) == COLLET_OK);
  CHECK(answer({COLLET_OP_COPY, unary({2, 3}, {2, 3})}) == COLLET_OK);
  CHECK(answer({COLLET_OP_UNARY, unary({2, 3}, {2, 3}), kRelu}) == COLLET_OK);
  CHECK(answer({COLLET_OP_BINARY, triple({2, 3}, {2, 1}, {1, 3}), kAdd}) == COLLET_OK);
  CHECK(answer({COLLET_OP_REDUCE, unary({2, 1}, {2, 3}), COLLET_REDUCTION_SUM}) == COLLET_OK);
  CHECK(answer({COLLET_OP_SOFTMAX, unary({2, 3}, {2, 3}), COLLET_SOFTMAX_PLAIN, 1}) == COLLET_OK);
  CHECK(answer({COLLET_OP_MATMUL, triple({2, 4}, {2, 3}, {3, 4})}) == COLLET_OK);
}

TEST_CASE("HOST-ARG-8 a number of operands that is not the kind's is refused") {
  CHECK(refused({COLLET_OP_FILL, {dense(kF32, {1})}}, "2 operands"));
  CHECK(refused({COLLET_OP_COPY, triple({1}, {1}, {1})}, "2 operands"));
  CHECK(refused({COLLET_OP_BINARY, unary({1}, {1}), kAdd}, "3 operands"));
  CHECK(refused({COLLET_OP_MATMUL, unary({1, 1}, {1, 1})}, "3 operands"));
  CHECK(refused({COLLET_OP_MATMUL, triple({1, 1}, {1, 1}, {1, 1}), 0, 0, COLLET_OP_HAS_BIAS},
                "4 operands"));
  CHECK(refused({COLLET_OP_FILL, {}}, "operand_count 0"));
  CHECK(refused({COLLET_OP_FILL, Layouts(17, dense(kF32, {1}))}, "operand_count 17"));
}

TEST_CASE("HOST-ARG-8 operands that are NULL are refused") {
  collet_op_desc_t desc = op_desc(COLLET_OP_COPY, {});
  desc.operand_count = 2;
  desc.operands = nullptr;
  collet_plan_t* plan = nullptr;
  CHECK(COLLET_CALL(collet_plan_create, tested_device(), &desc, &plan) ==
        COLLET_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("HOST-ARG-8 a layout of an unknown type or rank is refused") {
  const Layouts sound = unary({2}, {2});
  for (const std::size_t index : {std::size_t{0}, std::size_t{1}}) {
    const std::string name = "operand " + std::to_string(index);
    for (const collet_type_t type :
         {COLLET_TYPE_NONE, COLLET_TYPE_C64, COLLET_TYPE_I4, COLLET_TYPE_MAX}) {
      Layouts layouts = sound;
      layouts[index].type = type;
      CHECK(refused({COLLET_OP_COPY, layouts}, name));
    }
    CHECK(refused({COLLET_OP_COPY, with(sound, index, [](auto& layout) { layout.rank = 9; })},
                  name + " has rank 9"));
    CHECK(refused(
        {COLLET_OP_COPY, with(sound, index, [](auto& layout) { layout.rank = UINT32_MAX; })},
        name));
  }
}

TEST_CASE("HOST-ARG-8 a negative size is refused, also beside a size of 0 and in packed layouts") {
  CHECK(refused({COLLET_OP_COPY, unary({-1}, {-1})}, "negative size"));
  CHECK(refused({COLLET_OP_COPY, unary({0, -5}, {0, -5})}, "negative size"));
  CHECK(refused({COLLET_OP_COPY, unary({-5, 0}, {-5, 0})}, "negative size"));
  CHECK(refused({COLLET_OP_COPY, unary({INT64_MIN}, {INT64_MIN})}, "negative size"));
  Layouts packed = unary({-1}, {-1});
  packed[0].packed = 1;
  packed[1].packed = 1;
  CHECK(refused({COLLET_OP_COPY, packed}, "negative size"));
}

TEST_CASE("HOST-ARG-8 an extent that does not fit 64 bits is an overflow") {
  const auto overflows = [](const Sizes& sizes, const Sizes& strides) {
    Layouts layouts = unary(sizes, sizes);
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      layouts[1].strides[axis] = strides[axis];
    }
    return answer({COLLET_OP_COPY, layouts}) == COLLET_ERROR_OVERFLOW && message_has("operand");
  };
  CHECK(overflows({INT64_MAX}, {1}));
  CHECK(overflows({3}, {INT64_MAX}));
  CHECK(overflows({3}, {INT64_MIN}));
  CHECK(overflows({std::int64_t{1} << 32, std::int64_t{1} << 32}, {0, 0}));
  CHECK(overflows({INT64_MAX / 4 + 1}, {1}));
  CHECK(overflows({2, 2}, {INT64_MAX / 2, INT64_MAX / 2}));
}

TEST_CASE("HOST-ARG-8 an output whose elements share memory is refused") {
  const auto output = [](std::initializer_list<std::int64_t> strides) {
    Layouts layouts = unary({2, 3}, {2, 3});
    std::size_t axis = 0;
    for (const std::int64_t stride : strides) {
      layouts[0].strides[axis++] = stride;
    }
    return Description{COLLET_OP_COPY, layouts};
  };
  CHECK(refused(output({0, 1}), "share memory"));
  CHECK(refused(output({3, 0}), "share memory"));
  CHECK(refused(output({1, 1}), "share memory"));
  CHECK(refused(output({2, 1}), "share memory"));
  CHECK(refused(output({-3, 1}), "negative"));
  CHECK(refused(output({INT64_MIN / 64, 1}), "negative"));
  CHECK(answer(output({1, 2})) == COLLET_OK);
  CHECK(answer(output({100, 7})) == COLLET_OK);
}

TEST_CASE("HOST-ARG-8 an immediate operand stands only where the kind takes one") {
  const auto scalar = immediate(kF32);
  CHECK(refused({COLLET_OP_FILL, {scalar, scalar}}, "output cannot be immediate"));
  CHECK(refused({COLLET_OP_FILL, unary({1}, {1})}, "operand 1"));
  CHECK(refused({COLLET_OP_COPY, {dense(kF32, {1}), scalar}}, "cannot be immediate"));
  CHECK(refused({COLLET_OP_UNARY, {dense(kF32, {1}), scalar}, kRelu}, "cannot be immediate"));
  CHECK(refused({COLLET_OP_REDUCE, {dense(kF32, {1}), scalar}, COLLET_REDUCTION_SUM},
                "cannot be immediate"));
  CHECK(refused({COLLET_OP_SOFTMAX, {dense(kF32, {1}), scalar}, COLLET_SOFTMAX_PLAIN},
                "cannot be immediate"));
  CHECK(refused({COLLET_OP_BINARY, {dense(kF32, {1}), scalar, scalar}, kAdd}, "only one"));
  CHECK(refused({COLLET_OP_MATMUL, {dense(kF32, {1, 1}), scalar, dense(kF32, {1, 1})}},
                "cannot be immediate"));
  CHECK(answer({COLLET_OP_BINARY, {dense(kF32, {2}), scalar, dense(kF32, {2})}, kAdd}) ==
        COLLET_OK);
  const Layouts fill = fill_layouts();
  CHECK(
      refused({COLLET_OP_FILL, with(fill, 1, [](auto& layout) { layout.rank = 1; })}, "immediate"));
  CHECK(refused({COLLET_OP_FILL, with(fill, 1, [](auto& layout) { layout.packed = 1; })},
                "immediate"));
  CHECK(refused({COLLET_OP_FILL, with(fill, 1, [](auto& layout) { layout.immediate = 2; })},
                "immediate"));
}

TEST_CASE("HOST-ARG-8 an alignment that the element's size does not divide is refused") {
  for (const std::uint32_t alignment : {1U, 2U, 3U, 12U, 0xffffffffU}) {
    Layouts layouts = unary({2}, {2});
    layouts[1].offset_alignment_bytes = alignment;
    CHECK(refused({COLLET_OP_COPY, layouts}, "offset_alignment_bytes"));
  }
}

TEST_CASE("HOST-ARG-8 shapes that do not fit together are refused") {
  CHECK(refused({COLLET_OP_COPY, unary({2}, {3})}, "axis 0"));
  CHECK(refused({COLLET_OP_COPY, unary({2}, {1})}, "axis 0"));
  CHECK(refused({COLLET_OP_COPY, unary({2, 1}, {2})}, "rank"));
  CHECK(refused({COLLET_OP_UNARY, unary({2, 3}, {2, 4}), kRelu}, "axis 1"));
  CHECK(refused({COLLET_OP_BINARY, triple({2, 3}, {2, 3}, {2, 2}), kAdd}, "axis 1"));
  CHECK(refused({COLLET_OP_BINARY, triple({1, 3}, {2, 3}, {1, 3}), kAdd}, "axis 0"));
  CHECK(refused({COLLET_OP_REDUCE, unary({2, 2}, {2, 3}), COLLET_REDUCTION_SUM}, "axis 1"));
  CHECK(refused({COLLET_OP_REDUCE, unary({2}, {2, 3}), COLLET_REDUCTION_SUM}, "rank"));
  CHECK(refused({COLLET_OP_SOFTMAX, unary({2}, {3}), COLLET_SOFTMAX_PLAIN}, "axis 0"));
  CHECK(refused({COLLET_OP_SOFTMAX, unary({2}, {2}), COLLET_SOFTMAX_PLAIN, 1}, "axis 1"));
  CHECK(refused({COLLET_OP_SOFTMAX, unary({}, {}), COLLET_SOFTMAX_PLAIN}, "axis 0"));
}

TEST_CASE("HOST-ARG-8 a matrix product whose sizes do not fit together is refused") {
  CHECK(refused({COLLET_OP_MATMUL, triple({4}, {4}, {4})}, "rank"));
  CHECK(refused({COLLET_OP_MATMUL, triple({}, {}, {})}, "rank"));
  CHECK(refused({COLLET_OP_MATMUL, triple({2, 4}, {3, 3}, {3, 4})}, "2 rows"));
  CHECK(refused({COLLET_OP_MATMUL, triple({2, 4}, {2, 3}, {3, 5})}, "4 columns"));
  CHECK(refused({COLLET_OP_MATMUL, triple({2, 4}, {2, 3}, {2, 4})}, "inner sizes"));
  CHECK(refused({COLLET_OP_MATMUL, triple({5, 2, 4}, {4, 2, 3}, {1, 3, 4})}, "axis 0"));
  CHECK(refused({COLLET_OP_MATMUL, triple({2, 4}, {1, 2, 3}, {3, 4})}, "rank"));
  Layouts bias = triple({2, 4}, {2, 3}, {3, 4});
  bias.push_back(dense(kF32, {2, 3}));
  CHECK(refused({COLLET_OP_MATMUL, bias, 0, 0, COLLET_OP_HAS_BIAS}, "operand 3"));
}

TEST_CASE("HOST-ARG-8 types that do not fit together are refused") {
  const auto other = [](collet_layout_t& layout) { layout.type = COLLET_TYPE_F64; };
  CHECK(refused({COLLET_OP_FILL, with(fill_layouts(), 1, other)}, "type"));
  CHECK(refused({COLLET_OP_UNARY, with(unary({2}, {2}), 1, other), kRelu}, "type"));
  CHECK(refused({COLLET_OP_BINARY, with(triple({2}, {2}, {2}), 2, other), kAdd}, "type"));
  CHECK(refused({COLLET_OP_BINARY, with(triple({2}, {2}, {2}), 0, other), kAdd}, "type"));
  CHECK(refused({COLLET_OP_REDUCE, with(unary({1}, {2}), 0, other), COLLET_REDUCTION_SUM}, "type"));
  CHECK(refused({COLLET_OP_REDUCE, unary({1}, {2}), COLLET_REDUCTION_ARGMAX}, "i64"));
  CHECK(answer({COLLET_OP_COPY, with(unary({2}, {2}), 1, other)}) == COLLET_OK);
}

TEST_CASE("HOST-ARG-8 an arg-reduction takes the one axis that it names") {
  Layouts layouts = unary({2, 1}, {2, 3});
  layouts[0].type = COLLET_TYPE_I64;
  CHECK(answer({COLLET_OP_REDUCE, layouts, COLLET_REDUCTION_ARGMAX, 1}) == COLLET_OK);
  CHECK(refused({COLLET_OP_REDUCE, layouts, COLLET_REDUCTION_ARGMAX, 0}, "axis"));
  CHECK(refused({COLLET_OP_REDUCE, layouts, COLLET_REDUCTION_ARGMAX, 2}, "axis"));
  Layouts both = unary({1, 1}, {2, 3});
  both[0].type = COLLET_TYPE_I64;
  CHECK(refused({COLLET_OP_REDUCE, both, COLLET_REDUCTION_ARGMIN, 1}, "axis 0"));
}

TEST_CASE("HOST-ARG-8 a field that the kind does not read is 0") {
  const Layouts layouts = unary({2}, {2});
  CHECK(refused({COLLET_OP_COPY, layouts, 1}, "function"));
  CHECK(refused({COLLET_OP_COPY, layouts, 0, 1}, "axis"));
  CHECK(refused({COLLET_OP_COPY, layouts, 0, 0, COLLET_OP_HAS_BIAS}, "flag"));
  CHECK(refused({COLLET_OP_REDUCE, layouts, COLLET_REDUCTION_SUM, 1}, "axis"));
  collet_op_desc_t desc = op_desc(COLLET_OP_COPY, layouts);
  collet_plan_t* plan = nullptr;
  desc.alpha = 1;
  CHECK(COLLET_CALL(collet_plan_create, tested_device(), &desc, &plan) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("alpha"));
}

TEST_CASE("HOST-ARG-3 an index past the operands is out of range") {
  const Layouts layouts = fill_layouts();
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  collet_layout_t layout{};
  for (const std::uint32_t index : {2U, 16U, UINT32_MAX}) {
    CHECK(COLLET_CALL(collet_op_preferred_layout, tested_device(), &desc, index, &layout) ==
          COLLET_ERROR_OUT_OF_RANGE);
  }
}

}  // namespace collet::test
