// SPDX-License-Identifier: Apache-2.0
// HOST-LAY-2: the layer that waits for each command.
#include <cstdlib>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

[[maybe_unused]] const int kSet = setenv("COLLET_LAUNCH_BLOCKING", "1", 1);

// A device whose next wait tells a failure.
struct Failing : ScriptedDevice {
  Failing() {
    script.kernel.argument_count = UINT32_MAX;
    objects = std::make_unique<Objects>(device);
  }

  // The call, which enqueues a command that fails later, returns the failure.
  void check(const std::string& command, const std::function<collet_status_t()>& call) const {
    INFO(command);
    script.fail("stream.synchronize", {COLLET_ERROR_INTERNAL, 7, "BANG", "it went wrong"});
    const std::size_t waits = script.count("stream.synchronize");
    const std::size_t before = script.count(command);
    CHECK(call() == COLLET_ERROR_INTERNAL);
    CHECK(message_has("it went wrong"));
    CHECK(script.count(command) == before + 1);
    CHECK(script.count("stream.synchronize") == waits + 1);
    CHECK(call() == COLLET_OK);
  }

  std::unique_ptr<Objects> objects;
};

}  // namespace

TEST_CASE("HOST-LAY-2 the call that made a command returns the failure of it") {
  const Failing on;
  collet_stream_t* const stream = on.objects->stream.get();
  collet_buffer_t* const buffer = on.objects->buffer.get();
  collet_buffer_t* const other = on.objects->other.get();
  const unsigned char zero = 0;
  unsigned char byte = 0;
  on.check("stream.fill",
           [&] { return COLLET_CALL(collet_stream_fill, stream, buffer, 0, 1, &zero, 1); });
  on.check("stream.copy",
           [&] { return COLLET_CALL(collet_stream_copy, stream, buffer, 0, other, 0, 8); });
  const collet_rect_t rect{0, 0, 4, 2, 8, 8};
  on.check("stream.copy_rect",
           [&] { return COLLET_CALL(collet_stream_copy_rect, stream, buffer, other, &rect); });
  on.check("stream.write", [&] {
    return COLLET_CALL(collet_stream_write, stream, buffer, 0, &zero, 1, nullptr, nullptr);
  });
  on.check("stream.read", [&] {
    return COLLET_CALL(collet_stream_read, stream, &byte, buffer, 0, 1, nullptr, nullptr);
  });
  const collet_launch_t launch{{1, 1, 1}, {1, 1, 1}, 0, nullptr};
  on.check("stream.launch", [&] {
    return COLLET_CALL(collet_stream_launch, stream, on.objects->kernel.get(), &launch);
  });
  const collet_operand_t operands[2]{{buffer, 0, {}}, {nullptr, 0, {1.0}}};
  on.check("ops.enqueue", [&] {
    return COLLET_CALL(collet_stream_run, stream, on.objects->plan.get(), operands, 2, nullptr, 0);
  });
}

TEST_CASE("HOST-LAY-2 what cannot fail by itself is not waited for") {
  const Failing on;
  collet_stream_t* const stream = on.objects->stream.get();
  collet_event_t* const event = on.objects->event.get();
  const std::size_t waits = on.script.count("stream.synchronize");
  const auto nothing = [](void* /*user_data*/, collet_status_t /*upstream*/) {};
  CHECK(collet_stream_host_function(stream, nothing, nullptr) == COLLET_OK);
  CHECK(collet_event_record(event, stream) == COLLET_OK);
  CHECK(collet_stream_wait_event(stream, event) == COLLET_OK);
  CHECK(on.script.count("stream.synchronize") == waits);
}

}  // namespace collet::test
