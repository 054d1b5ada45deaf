// SPDX-License-Identifier: Apache-2.0
// HOST-LAY-2 on a device that works in the background: faults of its commands, and who is told.
#include <cstdlib>
#include <memory>
#include <string>

#include "host/objects.hpp"

namespace collet::test {
namespace {

// The third command of each kind fails when it runs.
constexpr const char* kFaults =
    "launch:nth=3:trap,copy:nth=3:trap,copy_rect:nth=3:trap,write:nth=3:trap,read:nth=3:trap,"
    "fill:nth=3:trap";

// A stream of a device with these faults. Settings are read once, and so is each case run.
struct Faulty {
  explicit Faulty(const char* is_blocking) {
    setenv("COLLET_SIM_FAULTS", kFaults, 1);
    setenv("COLLET_LAUNCH_BLOCKING", is_blocking, 1);
    objects = std::make_unique<Objects>(open_device("sim:0"));
    stream = objects->stream.get();
  }

  // Enqueues a command of a kind.
  [[nodiscard]] collet_status_t enqueue(const std::string& kind) {
    collet_buffer_t* const buffer = objects->buffer.get();
    collet_buffer_t* const other = objects->other.get();
    if (kind == "launch") return launch();
    if (kind == "copy") return COLLET_CALL(collet_stream_copy, stream, buffer, 0, other, 0, 8);
    if (kind == "copy_rect") {
      const collet_rect_t rect{0, 0, 4, 2, 8, 8};
      return COLLET_CALL(collet_stream_copy_rect, stream, buffer, other, &rect);
    }
    if (kind == "write") {
      return COLLET_CALL(collet_stream_write, stream, buffer, 0, &value, 1, nullptr, nullptr);
    }
    if (kind == "read") {
      return COLLET_CALL(collet_stream_read, stream, &value, buffer, 0, 1, nullptr, nullptr);
    }
    return COLLET_CALL(collet_stream_fill, stream, buffer, 0, 1, &value, 1);
  }

  [[nodiscard]] collet_status_t launch() const {
    const std::uint32_t stored = 5;
    collet_argument_t arguments[2] = {};
    arguments[0].kind = COLLET_ARGUMENT_BUFFER;
    arguments[0].buffer = objects->buffer.get();
    arguments[1].kind = COLLET_ARGUMENT_SCALAR;
    arguments[1].value = &stored;
    arguments[1].size_bytes = sizeof stored;
    const collet_launch_t desc{{1, 1, 1}, {1, 1, 1}, 2, arguments};
    return COLLET_CALL(collet_stream_launch, stream, objects->kernel.get(), &desc);
  }

  [[nodiscard]] collet_stream_failure_t failure() const {
    auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
    REQUIRE(collet_stream_failure(stream, &failure) == COLLET_OK);
    return failure;
  }

  std::unique_ptr<Objects> objects;
  collet_stream_t* stream = nullptr;
  unsigned char value = 1;
};

}  // namespace

TEST_CASE("HOST-LAY-2 of a device's commands one fails, and the call that made it says so") {
  Faulty on("1");
  std::uint64_t enqueued = 0;
  for (const std::string kind : {"launch", "copy", "copy_rect", "write", "read", "fill"}) {
    INFO(kind);
    for (int call = 1; call <= 2; ++call) REQUIRE(on.enqueue(kind) == COLLET_OK);
    CHECK(on.enqueue(kind) == COLLET_ERROR_COMMAND_FAILED);
    CHECK(message_has("\"" + kind + ":nth=3:trap\""));
    enqueued += 3;
    const collet_stream_failure_t failure = on.failure();
    CHECK(failure.first_candidate == enqueued);
    CHECK(failure.last_candidate == enqueued);
    CHECK(std::string(failure.command).rfind(kind, 0) == 0);
    REQUIRE(collet_stream_reset(on.stream) == COLLET_OK);
    CHECK(on.enqueue(kind) == COLLET_OK);
    ++enqueued;
  }
}

TEST_CASE("HOST-LAY-2 without it, the call that made a failing command knows nothing") {
  // Nothing runs before something waits for it.
  setenv("COLLET_SIM_SCHEDULE", "lazy", 1);
  setenv("COLLET_SIM_PATIENCE", "3600s", 1);
  Faulty on("0");
  for (int call = 1; call <= 5; ++call) CHECK(on.launch() == COLLET_OK);
  CHECK(COLLET_CALL(collet_stream_synchronize, on.stream, COLLET_TIMEOUT_INFINITE) ==
        COLLET_ERROR_COMMAND_FAILED);
  CHECK(on.failure().first_candidate == 3);
}

}  // namespace collet::test
