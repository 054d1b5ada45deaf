// SPDX-License-Identifier: Apache-2.0
// HOST-CPY-6 and HOST-CPY-7 on devices that work by themselves, and fail by rules.
//
// Settings are read once, and so is each case run.
#include <collet/config.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "host/fixture.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kSize = 5000;

std::vector<std::string>& warnings() {
  static auto& lines = *new std::vector<std::string>;
  return lines;
}

// Two devices; a command runs only when something waits for it.
struct Pair {
  explicit Pair(const char* faults = "fill:device=63") {
    setenv("COLLET_SIM_SCHEDULE", "lazy", 1);
    setenv("COLLET_SIM_PATIENCE", "3600s", 1);
    setenv("COLLET_SIM_FAULTS", faults, 1);
    collet_config_t config = COLLET_CONFIG_INIT;
    config.log_callback = [](void* /*user_data*/, collet_log_level_t level, const char* text) {
      if (level == COLLET_LOG_WARN) warnings().emplace_back(text);
    };
    REQUIRE(collet_configure(&config) == COLLET_OK);
    first = make_stream(open_device("sim:0"));
    second = make_stream(open_device("sim:1"));
    source = allocate(first, kSize);
    target = allocate(second, kSize);
    write(first, source, Bytes(kSize, 1));
    write(second, target, Bytes(kSize, 2));
  }

  [[nodiscard]] collet_status_t copy() const {
    return COLLET_CALL(collet_stream_copy_across, second.get(), target.get(), 0, first.get(),
                       source.get(), 0, kSize, nullptr);
  }
  [[nodiscard]] Bytes arrived() const { return read(second, target, kSize); }

  Stream first;
  Stream second;
  Buffer source;
  Buffer target;
};

void fill(const Stream& stream, const Buffer& buffer, unsigned char value) {
  REQUIRE(collet_stream_fill(stream.get(), buffer.get(), 0, kSize, &value, 1) == COLLET_OK);
}

}  // namespace

TEST_CASE("HOST-CPY-6 a direct copy is complete on return, and so its source is free on release") {
  Pair on;
  const Allocator allocator = allocator_of(open_device("sim:0"));
  const auto active = [&] { return statistics_of(allocator).active_bytes.current; };
  const std::uint64_t before = active();
  REQUIRE(on.copy() == COLLET_OK);
  CHECK(active() == before);
  // Nothing makes the first stream get on, apart from the copy itself.
  on.source.reset();
  CHECK(active() < before);
  const Buffer next = allocate(on.first, kSize);
  fill(on.first, next, 9);
  CHECK(on.arrived() == Bytes(kSize, 1));
}

TEST_CASE(
    "HOST-CPY-6 a direct copy that fails is told by the call, and poisons its source's stream") {
  // The first is that of the pattern.
  const Pair on("copy_peer:nth=2:trap");
  CHECK(on.copy() == COLLET_ERROR_COMMAND_FAILED);
  CHECK(message_has("\"copy_peer:nth=2:trap\""));
  CHECK(collet_stream_query(on.first.get()) == COLLET_ERROR_COMMAND_FAILED);
  CHECK(on.arrived() == Bytes(kSize, 2));
  REQUIRE(collet_stream_reset(on.first.get()) == COLLET_OK);
  CHECK(on.copy() == COLLET_OK);
  CHECK(on.arrived() == Bytes(kSize, 1));
}

TEST_CASE("HOST-CPY-6 devices that cannot be connected copy through host memory") {
  const Pair on("connect");
  CHECK(on.copy() == COLLET_OK);
  CHECK(on.arrived() == Bytes(kSize, 1));
  CHECK(warnings().empty());
}

TEST_CASE("HOST-CPY-7 a machine on which zeros arrive is found, and its copies are right") {
  const Pair on("copy_peer:corrupt");
  for (unsigned char value = 3; value < 6; ++value) {
    fill(on.first, on.source, value);
    REQUIRE(on.copy() == COLLET_OK);
    CHECK(on.arrived() == Bytes(kSize, value));
  }
  REQUIRE(warnings().size() == 1);
  CHECK(warnings()[0].find("direct copies from sim:0 to sim:1 have brought ") == 0);
}

TEST_CASE("HOST-CPY-7 each direction is tried by itself") {
  const Pair on("copy_peer:device=1:corrupt");
  CHECK(on.copy() == COLLET_OK);
  CHECK(on.arrived() == Bytes(kSize, 1));
  CHECK(warnings().empty());
  write(on.second, on.target, Bytes(kSize, 7));
  REQUIRE(collet_stream_copy_across(on.first.get(), on.source.get(), 0, on.second.get(),
                                    on.target.get(), 0, kSize, nullptr) == COLLET_OK);
  CHECK(read(on.first, on.source, kSize) == Bytes(kSize, 7));
  REQUIRE(warnings().size() == 1);
  CHECK(warnings()[0].find("from sim:1 to sim:0") != std::string::npos);
}

}  // namespace collet::test
