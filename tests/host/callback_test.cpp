// SPDX-License-Identifier: Apache-2.0
// HOST-PRC-3: calls from inside a host function.
#include <set>

#include "objects.hpp"

namespace collet::test {
namespace {

// Functions that ask or count, and never enter a plugin that could be busy with the caller.
const std::set<std::string> kAllowed = {
    "collet_stream_info",         "collet_stream_query",          "collet_event_query",
    "collet_event_elapsed",       "collet_stream_failure",        "collet_buffer_info",
    "collet_buffer_host_pointer", "collet_buffer_native_pointer", "collet_buffer_use_on",
    "collet_kernel_info",         "collet_plan_support",          "collet_stream_retain",
    "collet_buffer_retain",       "collet_event_retain",          "collet_program_retain",
    "collet_kernel_retain",       "collet_plan_retain",           "collet_allocator_retain"};

struct Answers {
  const std::vector<HandleUse>* uses;
  std::vector<collet_status_t> given;
  collet_status_t without_handle[8];
};

void ask(void* user_data, collet_status_t /*upstream*/) {
  auto& answers = *static_cast<Answers*>(user_data);
  for (const HandleUse& use : *answers.uses) {
    answers.given.push_back(use.sound != nullptr ? use.call(use.sound) : COLLET_OK);
  }
  std::uint32_t count = 0;
  collet_device_t* device = nullptr;
  auto info = out_struct<collet_backend_info_t>(COLLET_STRUCT_BACKEND_INFO);
  auto properties = out_struct<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  const auto config = out_struct<collet_config_t>(COLLET_STRUCT_CONFIG);
  const collet_status_t statuses[] = {
      COLLET_CALL(collet_backend_count, &count),
      COLLET_CALL(collet_backend_info, 0, &info),
      COLLET_CALL(collet_device_count, "cpu", &count),
      COLLET_CALL(collet_device_describe, "cpu", 0, &properties),
      COLLET_CALL(collet_device_open, "cpu", &device),
      COLLET_CALL(collet_device_open_default, &device),
      COLLET_CALL(collet_current_device_get, &device),
      COLLET_CALL(collet_configure, &config),
  };
  std::copy(std::begin(statuses), std::end(statuses), answers.without_handle);
}

void check(const Answers& answers) {
  REQUIRE(answers.given.size() == answers.uses->size());
  for (std::size_t i = 0; i < answers.given.size(); ++i) {
    const HandleUse& use = answers.uses->at(i);
    if (use.sound == nullptr) {
      continue;
    }
    INFO(use.function << ", argument " << use.argument);
    const bool allowed = kAllowed.count(use.function) != 0;
    CHECK((answers.given[i] == COLLET_ERROR_REENTRANT) == !allowed);
  }
  for (const collet_status_t status : answers.without_handle) {
    CHECK(status == COLLET_ERROR_REENTRANT);
  }
}

}  // namespace

TEST_CASE("HOST-PRC-3 inside a host function, queries are answered and all else is re-entrant") {
  Objects objects(tested_device());
  const auto uses = handle_uses(objects);
  for (const std::uint32_t flags : {0U, static_cast<std::uint32_t>(COLLET_STREAM_BACKGROUND)}) {
    const Stream stream = make_stream(objects.device, flags);
    Answers answers{&uses, {}, {}};
    REQUIRE(collet_stream_host_function(stream.get(), ask, &answers) == COLLET_OK);
    synchronize(stream);
    check(answers);
    // The references that it has added.
    collet_stream_release(objects.stream.get());
    collet_buffer_release(objects.buffer.get());
    collet_event_release(objects.event.get());
    collet_program_release(objects.program.get());
    collet_kernel_release(objects.kernel.get());
    collet_plan_release(objects.plan.get());
  }
  CHECK(collet_stream_query(objects.stream.get()) == COLLET_OK);
}

TEST_CASE("HOST-PRC-3 objects that are released inside a host function are dead at once") {
  for (const std::uint32_t flags : {0U, static_cast<std::uint32_t>(COLLET_STREAM_BACKGROUND)}) {
    Objects objects(tested_device());
    const Stream stream = make_stream(objects.device, flags);
    const auto uses = handle_uses(objects);
    collet_buffer_t* buffer = objects.buffer.get();
    collet_event_t* event = objects.event.get();
    const auto release = [](void* of, collet_status_t /*upstream*/) {
      auto& all = *static_cast<Objects*>(of);
      all.buffer.reset();
      all.event.reset();
      all.kernel.reset();
      all.program.reset();
      all.plan.reset();
      all.stream.reset();
    };
    REQUIRE(collet_stream_host_function(stream.get(), release, &objects) == COLLET_OK);
    synchronize(stream);
    CHECK(collet_event_query(event) == COLLET_ERROR_INVALID_HANDLE);
    CHECK(collet_buffer_retain(buffer) == COLLET_ERROR_INVALID_HANDLE);
    // And new ones of each kind can be made, which gives the old ones back.
    const Objects others(objects.device);
    CHECK(collet_stream_query(others.stream.get()) == COLLET_OK);
  }
}

}  // namespace collet::test
