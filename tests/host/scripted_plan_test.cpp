// SPDX-License-Identifier: Apache-2.0
// HOST-OPS: plans are found by their whole description, and what a device without operations says.
#include <functional>
#include <thread>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

using Layouts = std::vector<collet_layout_t>;

// A description with a value in every field.
struct Description {
  collet_op_desc_t desc;
  Layouts layouts;

  Description()
      : layouts({dense(COLLET_TYPE_F32, {2, 3, 4}), dense(COLLET_TYPE_F32, {2, 3, 5}),
                 dense(COLLET_TYPE_F32, {2, 5, 4}), dense(COLLET_TYPE_F32, {2, 3, 4})}) {
    desc = op_desc(COLLET_OP_MATMUL, layouts);
    desc.flags = COLLET_OP_HAS_BIAS;
    desc.alpha = 1;
    desc.beta = 0.5;
  }

  Plan plan(const ScriptedDevice& on) {
    desc.operands = layouts.data();
    desc.operand_count = static_cast<std::uint32_t>(layouts.size());
    collet_plan_t* made = nullptr;
    const auto status = COLLET_CALL(collet_plan_create, on.device, &desc, &made);
    INFO(message());
    REQUIRE(status == COLLET_OK);
    return Plan(made);
  }
};

struct Change {
  const char* field;
  std::function<void(Description&)> apply;
};

// A change of every field that a plan depends on.
std::vector<Change> changes() {
  std::vector<Change> all = {
      {"flags", [](auto& of) { of.desc.flags |= COLLET_OP_DETERMINISTIC; }},
      {"math_mode", [](auto& of) { of.desc.math_mode = COLLET_MATH_TF32; }},
      {"activation", [](auto& of) { of.desc.activation = COLLET_ACTIVATION_RELU; }},
      {"alpha", [](auto& of) { of.desc.alpha = 2; }},
      {"beta", [](auto& of) { of.desc.beta = 0; }},
      {"sign of beta", [](auto& of) { of.desc.beta = -0.0; }},
      {"bias", [](auto& of) { of.desc.flags = 0, of.layouts.pop_back(); }},
      {"inner size", [](auto& of) { of.layouts[1].sizes[2] = of.layouts[2].sizes[1] = 6; }},
      {"rank", [](auto& of) {
         of.layouts = {dense(COLLET_TYPE_F32, {3, 4}), dense(COLLET_TYPE_F32, {3, 5}),
                       dense(COLLET_TYPE_F32, {5, 4}), dense(COLLET_TYPE_F32, {3, 4})};
       }}};
  for (std::size_t operand = 0; operand < 4; ++operand) {
    const auto add = [&](const char* field, auto change) {
      all.push_back({field, [=](Description& of) { change(of.layouts[operand]); }});
    };
    add("type", [](auto& layout) { layout.type = COLLET_TYPE_F16; });
    add("offset_alignment_bytes", [](auto& layout) { layout.offset_alignment_bytes = 32; });
    add("packed", [](auto& layout) { layout.packed = 1; });
    add("other packed", [](auto& layout) { layout.packed = std::uint64_t{1} << 63; });
    add("packed_size_bytes", [](auto& layout) { layout.packed = 1, layout.packed_size_bytes = 8; });
    add("stride 0", [](auto& layout) { layout.strides[0] += 100; });
    add("stride 1", [](auto& layout) { layout.strides[1] += 1, layout.strides[0] += 50; });
    add("stride 2", [](auto& layout) {
      layout.strides[2] = 2, layout.strides[1] *= 2, layout.strides[0] *= 2;
    });
  }
  return all;
}

}  // namespace

TEST_CASE("HOST-OPS-1 the same description gives the same plan, also after it is released") {
  const ScriptedDevice on;
  const Plan first = Description().plan(on);
  const Plan second = Description().plan(on);
  Description().plan(on).reset();
  Description().plan(on).reset();
  CHECK(on.script.count("ops.create") == 1);
  CHECK(on.script.count("ops.destroy") == 0);
}

TEST_CASE("HOST-OPS-1 a description that differs in any field gives another plan") {
  const ScriptedDevice on;
  const Plan plan = Description().plan(on);
  std::size_t made = 1;
  for (const Change& change : changes()) {
    INFO(change.field);
    Description other;
    change.apply(other);
    other.plan(on);
    CHECK(on.script.count("ops.create") == ++made);
    Description again;
    change.apply(again);
    again.plan(on);
    CHECK(on.script.count("ops.create") == made);
  }
  Description().plan(on);
  CHECK(on.script.count("ops.create") == made);
}

TEST_CASE("HOST-OPS-1 kind, function and axis are fields too") {
  const ScriptedDevice on;
  std::size_t made = 0;
  const auto is_new = [&](collet_op_kind_t kind, std::uint32_t function, std::uint32_t axis) {
    const Layouts layouts{dense(COLLET_TYPE_F32, {2, 3}), dense(COLLET_TYPE_F32, {2, 3})};
    collet_op_desc_t desc = op_desc(kind, layouts);
    desc.function = function;
    desc.axis = axis;
    collet_plan_t* plan = nullptr;
    REQUIRE(COLLET_CALL(collet_plan_create, on.device, &desc, &plan) == COLLET_OK);
    collet_plan_release(plan);
    return on.script.count("ops.create") == ++made;
  };
  CHECK(is_new(COLLET_OP_COPY, 0, 0));
  CHECK(is_new(COLLET_OP_UNARY, COLLET_UNARY_EXP, 0));
  CHECK(is_new(COLLET_OP_UNARY, COLLET_UNARY_LOG, 0));
  CHECK(is_new(COLLET_OP_SOFTMAX, COLLET_SOFTMAX_PLAIN, 0));
  // These two differ from the one above in their kind alone.
  CHECK(is_new(COLLET_OP_UNARY, COLLET_SOFTMAX_PLAIN, 0));
  CHECK(is_new(COLLET_OP_REDUCE, COLLET_SOFTMAX_PLAIN, 0));
  CHECK(is_new(COLLET_OP_SOFTMAX, COLLET_SOFTMAX_PLAIN, 1));
  CHECK(is_new(COLLET_OP_SOFTMAX, COLLET_SOFTMAX_LOG, 1));
}

TEST_CASE("HOST-OPS-1 what no plan depends on makes no difference") {
  const ScriptedDevice on;
  Description().plan(on);
  Description other;
  for (collet_layout_t& layout : other.layouts) {
    layout.sizes[COLLET_MAX_RANK - 1] = 99;
    layout.strides[COLLET_MAX_RANK - 1] = 99;
  }
  other.plan(on);
  CHECK(on.script.count("ops.create") == 1);
}

TEST_CASE("HOST-OPS-1 the plans that were used last are kept, and one in use is never destroyed") {
  const ScriptedDevice on;
  const auto fill = [&](std::int64_t size) {
    const auto layouts = fill_layouts(size);
    const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
    collet_plan_t* made = nullptr;
    REQUIRE(collet_plan_create(on.device, &desc, &made) == COLLET_OK);
    return Plan(made);
  };
  Plan held = fill(1);
  fill(2);
  constexpr std::int64_t kMany = 3000;
  for (std::int64_t size = 3; size <= kMany; ++size) {
    fill(size);
    fill(2);
  }
  CHECK(on.script.count("ops.create") == kMany);
  CHECK(on.script.count("ops.destroy o1") == 0);
  CHECK(on.script.count("ops.destroy o2") == 0);
  CHECK(on.script.count("ops.destroy o3") == 1);
  CHECK(on.script.count("ops.destroy") > kMany / 2);
  held.reset();
  CHECK(on.script.count("ops.destroy o1") == 1);
  fill(1);
  CHECK(on.script.count("ops.create") == kMany + 1);
}

TEST_CASE("HOST-OPS-1 threads that make the same plan at once get one") {
  constexpr std::size_t kThreads = 8;
  const ScriptedDevice on;
  std::vector<std::thread> threads;
  std::vector<Plan> plans(kThreads);
  for (Plan& plan : plans) {
    threads.emplace_back([&] {
      const auto layouts = fill_layouts();
      const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
      collet_plan_t* made = nullptr;
      static_cast<void>(collet_plan_create(on.device, &desc, &made));
      plan.reset(made);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Plan& plan : plans) {
    CHECK(plan != nullptr);
  }
  plans.clear();
  CHECK(on.script.count("ops.create") == on.script.count("ops.destroy") + 1);
}

TEST_CASE("HOST-OPS-2 a device without operations says why, by every function") {
  const ScriptedDevice on;
  collet_device_t* device = open_device("scripted:1");
  const auto layouts = fill_layouts();
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  const char* reason = "device 1 was built without it";
  collet_plan_t* plan = nullptr;
  CHECK(COLLET_CALL(collet_plan_create, device, &desc, &plan) == COLLET_ERROR_UNSUPPORTED);
  CHECK(message_has(reason));
  CHECK(message_has("scripted:1"));
  collet_layout_t layout{};
  CHECK(COLLET_CALL(collet_op_preferred_layout, device, &desc, 0, &layout) ==
        COLLET_ERROR_UNSUPPORTED);
  auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
  support.level = COLLET_OP_NATIVE;
  CHECK(COLLET_CALL(collet_op_query, device, &desc, &support) == COLLET_OK);
  CHECK(support.level == COLLET_OP_UNSUPPORTED);
  CHECK(std::string(support.detail).find(reason) != std::string::npos);
  const collet_program_image_t image{"script", "?", 1};
  const collet_program_desc_t program = program_desc(image);
  collet_program_t* made = nullptr;
  CHECK(COLLET_CALL(collet_program_create, device, &program, &made) == COLLET_ERROR_UNSUPPORTED);
  CHECK(message_has(reason));
}

TEST_CASE("HOST-OPS-2 an operation that the device cannot run is unsupported, with its reason") {
  const ScriptedDevice on;
  on.script.support.level = COLLET_OP_UNSUPPORTED;
  const auto layouts = fill_layouts();
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  collet_plan_t* plan = nullptr;
  CHECK(COLLET_CALL(collet_plan_create, on.device, &desc, &plan) == COLLET_ERROR_UNSUPPORTED);
  CHECK(message_has(std::string(251, 'd')));
  CHECK(on.script.count("ops.create") == 0);
  auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
  CHECK(COLLET_CALL(collet_op_query, on.device, &desc, &support) == COLLET_OK);
  CHECK(support.level == COLLET_OP_UNSUPPORTED);
}

TEST_CASE("HOST-ERR-2 a plan that cannot be made gives the plugin's reason, and is tried again") {
  const ScriptedDevice on;
  on.script.fail("ops.create", {COLLET_ERROR_UNSUPPORTED, 9, "SCRIPTED_BUSY", "too wide"});
  const auto layouts = fill_layouts();
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  collet_plan_t* plan = nullptr;
  CHECK(COLLET_CALL(collet_plan_create, on.device, &desc, &plan) == COLLET_ERROR_UNSUPPORTED);
  CHECK(message() == "too wide");
  CHECK(collet_last_error()->native_code == 9);
  CHECK(COLLET_CALL(collet_plan_create, on.device, &desc, &plan) == COLLET_OK);
  collet_plan_release(plan);
}

TEST_CASE("HOST-ARG-8 a description that contradicts itself does not reach the plugin") {
  const ScriptedDevice on;
  const auto layouts = fill_layouts(-1);
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  collet_plan_t* plan = nullptr;
  auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
  collet_layout_t layout{};
  CHECK(collet_plan_create(on.device, &desc, &plan) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(collet_op_query(on.device, &desc, &support) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(collet_op_preferred_layout(on.device, &desc, 0, &layout) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(on.calls_of("ops.") == 0);
}

TEST_CASE("run the workspace that a plan needs must be there, and inside its buffer") {
  const ScriptedDevice on;
  on.script.support.workspace_bytes = 128;
  const Objects objects(on.device);
  const Buffer small = allocate(objects.stream, 64);
  const collet_operand_t operands[2]{{objects.buffer.get(), 16, {}}, {nullptr, 0, {1.5}}};
  const auto run = [&](const Buffer* workspace, std::uint64_t offset) {
    return COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                       workspace != nullptr ? workspace->get() : nullptr, offset);
  };
  CHECK(run(nullptr, 0) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(run(&small, 0) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(run(&objects.other, 192) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(on.script.count("ops.enqueue") == 0);
  CHECK(run(&objects.other, 128) == COLLET_OK);
  CHECK(on.script.last_arguments == std::vector<std::uint64_t>{16, 0, 1});
}

TEST_CASE("plan the layout that a device would like is given as it is") {
  const ScriptedDevice on;
  const auto layouts = fill_layouts();
  const collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
  collet_layout_t layout{};
  CHECK(COLLET_CALL(collet_op_preferred_layout, on.device, &desc, 0, &layout) == COLLET_OK);
  CHECK(layout.packed == 77);
  CHECK(layout.sizes[0] == layouts[0].sizes[0]);
}

}  // namespace collet::test
