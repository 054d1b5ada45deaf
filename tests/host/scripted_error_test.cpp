// SPDX-License-Identifier: Apache-2.0
// HOST-ERR-2: what a plugin reports, and what it does not.
#include <algorithm>
#include <map>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

// The plugin's function behind an exported one.
const std::map<std::string, std::string> kBehind = {
    {"collet_device_memory_info", "memory.info"},
    {"collet_stream_create", "stream.create"},
    {"collet_event_create", "event.create"},
    {"collet_host_register", "memory.register_host"},
    {"collet_op_query", "ops.query"},
    {"collet_op_preferred_layout", "ops.preferred_layout"},
    {"collet_stream_query", "stream.query"},
    {"collet_stream_synchronize", "stream.synchronize"},
    {"collet_stream_failure", "stream.failure"},
    {"collet_stream_reset", "stream.reset"},
    {"collet_stream_annotate", "stream.annotate"},
    {"collet_stream_host_function", "stream.host_function"},
    {"collet_stream_wait_event", "stream.wait_event e1"},
    {"collet_event_record", "event.record"},
    {"collet_buffer_alloc", "memory.allocate"},
    {"collet_stream_copy", "stream.copy"},
    {"collet_stream_copy_rect", "stream.copy_rect"},
    {"collet_stream_write", "stream.write"},
    {"collet_stream_read", "stream.read"},
    {"collet_stream_write_rect", "stream.copy_rect"},
    {"collet_stream_read_rect", "stream.copy_rect"},
    {"collet_stream_fill", "stream.fill"},
    {"collet_stream_run", "ops.enqueue"},
    {"collet_stream_launch", "stream.launch"},
    {"collet_buffer_host_pointer", "memory.host_pointer"},
    {"collet_buffer_native_pointer", "memory.native_pointer"},
    {"collet_event_query", "event.query"},
    {"collet_event_synchronize", "event.synchronize"},
    {"collet_event_elapsed", "event.elapsed"},
    {"collet_program_export", "program.export"},
    {"collet_program_kernels", "program.kernels"},
    {"collet_kernel_create", "kernel.create"},
};

}  // namespace

TEST_CASE("HOST-ERR-2 the report of every plugin function arrives in the record") {
  const ScriptedDevice on;
  Objects objects(on.device);
  for (const HandleUse& use : handle_uses(objects)) {
    const auto behind = kBehind.find(use.function);
    if (behind == kBehind.end()) {
      continue;
    }
    INFO(use.function << ", behind it " << behind->second);
    on.script.fail(behind->second,
                   {COLLET_ERROR_DEVICE_LOST, -4711, "SCRIPTED_GONE", "the device fell out"});
    CHECK(use.call(use.sound) == COLLET_ERROR_DEVICE_LOST);
    const collet_error_t* error = collet_last_error();
    CHECK(error->native_code == -4711);
    CHECK(std::string(error->native_name) == "SCRIPTED_GONE");
    CHECK(std::string(error->message) == "the device fell out");
    CHECK(std::string(error->backend) == "scripted");
  }
}

TEST_CASE("HOST-ERR-2 a status without a report is said to be one, by every function") {
  const ScriptedDevice on;
  Objects objects(on.device);
  for (const HandleUse& use : handle_uses(objects)) {
    const auto behind = kBehind.find(use.function);
    if (behind == kBehind.end()) {
      continue;
    }
    INFO(use.function << ", behind it " << behind->second);
    // A report of another status must not be taken for this one's.
    on.script.fail(behind->second, {COLLET_ERROR_TIMEOUT, 5, "OLD", "an old report"});
    static_cast<void>(use.call(use.sound));
    on.script.fail(behind->second, {COLLET_ERROR_DEVICE_LOST, 0, nullptr, nullptr});
    CHECK(use.call(use.sound) == COLLET_ERROR_DEVICE_LOST);
    const collet_error_t* error = collet_last_error();
    CHECK(message_has("\"scripted\" returned COLLET_ERROR_DEVICE_LOST without saying why"));
    CHECK(error->native_code == 0);
    CHECK(std::string(error->native_name).empty());
    CHECK(std::string(error->backend) == "scripted");
  }
}

TEST_CASE("HOST-ERR-1 the record of a plugin's failure names its back end") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  // One of those that are called on the shortest path, and another.
  on.script.fail("stream.annotate", {COLLET_ERROR_DEVICE_LOST, 0, nullptr, "gone"});
  CHECK(COLLET_CALL(collet_stream_annotate, stream.get(), 1, nullptr) == COLLET_ERROR_DEVICE_LOST);
  CHECK(std::string(collet_last_error()->backend) == "scripted");
  collet_clear_error();
  on.script.fail("stream.reset", {COLLET_ERROR_DEVICE_LOST, 0, nullptr, "gone"});
  CHECK(COLLET_CALL(collet_stream_reset, stream.get()) == COLLET_ERROR_DEVICE_LOST);
  CHECK(std::string(collet_last_error()->backend) == "scripted");
}

TEST_CASE("HOST-ERR-2 what a plugin does not support is UNSUPPORTED, for its own reason") {
  const ScriptedDevice on;
  Objects objects(on.device);
  for (const HandleUse& use : handle_uses(objects)) {
    const auto behind = kBehind.find(use.function);
    if (behind == kBehind.end()) {
      continue;
    }
    INFO(use.function);
    on.script.fail(behind->second, {COLLET_ERROR_UNSUPPORTED, 0, nullptr, "not made for this"});
    const collet_status_t status = use.call(use.sound);
    // A query has an answer all the same.
    const bool is_answer = use.function == std::string("collet_op_query");
    CHECK(status == (is_answer ? COLLET_OK : COLLET_ERROR_UNSUPPORTED));
    CHECK((is_answer || message_has("not made for this")));
  }
}

TEST_CASE("HOST-ERR-3 after a failure of the plugin every function works as before") {
  const ScriptedDevice on;
  Objects objects(on.device);
  std::vector<HandleUse> uses = handle_uses(objects);
  const auto is_known = [](const HandleUse& use) { return kBehind.count(use.function) != 0; };
  uses.erase(std::partition(uses.begin(), uses.end(), is_known), uses.end());
  std::vector<collet_status_t> before;
  before.reserve(uses.size());
  for (const HandleUse& use : uses) {
    before.push_back(use.call(use.sound));
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    INFO(uses[i].function);
    on.script.fail(kBehind.at(uses[i].function), {COLLET_ERROR_DEVICE_LOST, 0, nullptr, "once"});
    CHECK(uses[i].call(uses[i].sound) == COLLET_ERROR_DEVICE_LOST);
    CHECK(uses[i].call(uses[i].sound) == before[i]);
  }
}

TEST_CASE("HOST-ERR-2 a report that a release has caused is not taken for a later call's") {
  const ScriptedDevice on;
  const Stream failed = on.held_stream();
  Buffer buffer = allocate(failed, 64);
  on.script.poison("s1", COLLET_ERROR_COMMAND_FAILED);
  buffer.reset();
  const Stream stream = make_stream(on.device);
  on.script.fail("stream.annotate", {COLLET_ERROR_COMMAND_FAILED, 0, nullptr, nullptr});
  CHECK(COLLET_CALL(collet_stream_annotate, stream.get(), 1, nullptr) ==
        COLLET_ERROR_COMMAND_FAILED);
  CHECK(message_has("without saying why"));
}

TEST_CASE("HOST-ERR-2 a failed stream answers with its failure until it is reset") {
  const ScriptedDevice on;
  const Objects objects(on.device);
  collet_stream_t* stream = objects.stream.get();
  on.script.poison("s1", COLLET_ERROR_COMMAND_FAILED);
  const collet_status_t answers[] = {
      COLLET_CALL(collet_stream_query, stream),
      COLLET_CALL(collet_stream_synchronize, stream, COLLET_TIMEOUT_INFINITE),
      COLLET_CALL(collet_stream_copy, stream, objects.buffer.get(), 0, objects.other.get(), 0, 8),
      COLLET_CALL(collet_stream_wait_event, stream, objects.event.get()),
      COLLET_CALL(collet_event_record, objects.event.get(), stream),
  };
  for (const collet_status_t answer : answers) {
    CHECK(answer == COLLET_ERROR_COMMAND_FAILED);
  }
  CHECK(collet_last_error()->native_code == 7);
  auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
  CHECK(COLLET_CALL(collet_stream_failure, stream, &failure) == COLLET_OK);
  CHECK(failure.status == COLLET_ERROR_COMMAND_FAILED);
  CHECK(COLLET_CALL(collet_stream_reset, stream) == COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_query, stream) == COLLET_OK);
}

TEST_CASE("HOST-ERR-2 texts that a plugin forgets to end do end") {
  const ScriptedDevice on;
  Objects objects(on.device);
  auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
  REQUIRE(collet_stream_failure(objects.stream.get(), &failure) == COLLET_OK);
  CHECK(failure.command == std::string(63, 'c'));
  CHECK(failure.message == std::string(511, 'm'));
  auto kernel = out_struct<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO);
  REQUIRE(collet_kernel_info(objects.kernel.get(), &kernel) == COLLET_OK);
  CHECK(kernel.name == std::string(127, 'k'));
  auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
  REQUIRE(collet_plan_support(objects.plan.get(), &support) == COLLET_OK);
  CHECK(support.detail == std::string(251, 'd'));
}

TEST_CASE("HOST-ERR-2 a long report is cut between two characters") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  std::string report(4094, 'x');
  report += "\xe2\x82\xac and more";
  on.script.fail("stream.annotate", {COLLET_ERROR_INTERNAL, 0, nullptr, report.c_str()});
  CHECK(COLLET_CALL(collet_stream_annotate, stream.get(), 1, nullptr) == COLLET_ERROR_INTERNAL);
  CHECK(message() == std::string(4094, 'x'));
}

TEST_CASE("HOST-ERR-3 a kernel that cannot be described leaves nothing behind") {
  const ScriptedDevice on;
  const Objects objects(on.device);
  on.script.fail("kernel.info", {COLLET_ERROR_DEVICE_LOST, 0, nullptr, "gone"});
  collet_kernel_t* kernel = nullptr;
  CHECK(COLLET_CALL(collet_kernel_create, objects.program.get(), "store", &kernel) ==
        COLLET_ERROR_DEVICE_LOST);
  CHECK(kernel == nullptr);
  CHECK(on.script.count("kernel.destroy k2") == 1);
}

TEST_CASE("HOST-ERR-3 a host function that could not be recorded does not run") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  bool ran = false;
  on.script.fail("stream.host_function", {COLLET_ERROR_DEVICE_LOST, 0, nullptr, "gone"});
  CHECK(COLLET_CALL(
            collet_stream_host_function, stream.get(),
            [](void* flag, collet_status_t) { *static_cast<bool*>(flag) = true; },
            &ran) == COLLET_ERROR_DEVICE_LOST);
  CHECK_FALSE(ran);
}

TEST_CASE("HOST-ARG-7 a plugin gets descriptors of the library's size, not of the caller's") {
  const ScriptedDevice on;
  struct NewerDesc {
    collet_program_desc_t desc;
    unsigned char tail[64];
  } newer{};
  const collet_program_image_t image{"script", "?", 1};
  newer.desc = program_desc(image);
  newer.desc.base.struct_size = sizeof newer;
  collet_program_t* program = nullptr;
  REQUIRE(COLLET_CALL(collet_program_create, on.device, &newer.desc, &program) == COLLET_OK);
  collet_program_release(program);
  CHECK(on.script.count("program.create " + std::to_string(sizeof(collet_program_desc_t))) == 1);
}

}  // namespace collet::test
