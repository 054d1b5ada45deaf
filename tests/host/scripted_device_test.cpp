// SPDX-License-Identifier: Apache-2.0
// HOST-ARG-2: objects of several devices and back ends in one call.
#include <set>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

// Functions that put two objects together.
const std::set<std::string> kJoining = {
    "collet_stream_copy",     "collet_stream_copy_rect",  "collet_stream_write",
    "collet_stream_read",     "collet_stream_fill",       "collet_stream_run",
    "collet_stream_launch",   "collet_stream_wait_event", "collet_event_record",
    "collet_event_elapsed",   "collet_buffer_use_on",     "collet_stream_write_rect",
    "collet_stream_read_rect"};

bool is_wait_event(const HandleUse& use) { return use.function == "collet_stream_wait_event"; }

}  // namespace

TEST_CASE("HOST-ARG-2 objects of two devices are refused by every function that joins them") {
  const ScriptedDevice on;
  Objects here(on.device);
  const Objects there(open_device("scripted:1"));
  for (const HandleUse& use : handle_uses(here)) {
    void* handle = handle_of(there, use.kind);
    if (kJoining.count(use.function) == 0 || handle == nullptr) {
      continue;
    }
    INFO(use.function << ", argument " << use.argument);
    const std::size_t calls = on.script.calls().size();
    if (is_wait_event(use)) {
      CHECK(use.call(handle) == COLLET_OK);
      continue;
    }
    CHECK(use.call(handle) == COLLET_ERROR_WRONG_DEVICE);
    CHECK(message_has("scripted:0"));
    CHECK(message_has("scripted:1"));
    CHECK(on.script.calls().size() == calls);
  }
}

TEST_CASE("HOST-ARG-2 objects of two back ends are refused by every function that joins them") {
  const ScriptedDevice on;
  Objects here(on.device);
  const Objects there(open_device("twin:0"));
  for (const HandleUse& use : handle_uses(here)) {
    if (kJoining.count(use.function) == 0) {
      continue;
    }
    INFO(use.function << ", argument " << use.argument);
    const std::size_t calls = on.script.calls().size();
    const std::size_t twin_calls = Script::of("twin").calls().size();
    CHECK(use.call(handle_of(there, use.kind)) == COLLET_ERROR_WRONG_BACKEND);
    CHECK(message_has("scripted:0"));
    CHECK(message_has("twin:0"));
    CHECK(on.script.calls().size() == calls);
    CHECK(Script::of("twin").calls().size() == twin_calls);
  }
}

TEST_CASE("HOST-ARG-2 the workspace of a run is of its device too") {
  const ScriptedDevice on;
  const Objects here(on.device);
  const Objects there(open_device("scripted:1"));
  const collet_operand_t operands[2]{{here.buffer.get(), 0, {}}, {nullptr, 0, {1.5}}};
  CHECK(COLLET_CALL(collet_stream_run, here.stream.get(), here.plan.get(), operands, 2,
                    there.buffer.get(), 0) == COLLET_ERROR_WRONG_DEVICE);
  CHECK(message_has("workspace"));
}

TEST_CASE("HOST-SEL-6 opening a device again gives the same handle, and opens it once") {
  const ScriptedDevice on;
  CHECK(open_device("scripted") == on.device);
  CHECK(open_device("twin:1,scripted:0") != on.device);
  CHECK(open_device("scripted:0,twin:0") == on.device);
  const Stream stream = make_stream(on.device);
  auto info = out_struct<collet_buffer_info_t>(COLLET_STRUCT_BUFFER_INFO);
  REQUIRE(collet_buffer_info(allocate(stream, 1).get(), &info) == COLLET_OK);
  CHECK(info.device == on.device);
}

TEST_CASE("HOST-ARG-5 a priority is clamped to the device's range") {
  const ScriptedDevice on;
  const auto given = [&](std::int32_t priority) {
    auto desc = stream_desc();
    desc.priority = priority;
    collet_stream_t* made = nullptr;
    REQUIRE(collet_stream_create(on.device, &desc, &made) == COLLET_OK);
    const Stream stream(made);
    auto info = out_struct<collet_stream_info_t>(COLLET_STRUCT_STREAM_INFO);
    REQUIRE(collet_stream_info(made, &info) == COLLET_OK);
    CHECK(info.device == on.device);
    CHECK(info.priority == on.script.last_priority);
    return on.script.last_priority;
  };
  CHECK(given(INT32_MIN) == -3);
  CHECK(given(-3) == -3);
  CHECK(given(1) == 1);
  CHECK(given(3) == 2);
  CHECK(given(INT32_MAX) == 2);
}

}  // namespace collet::test
