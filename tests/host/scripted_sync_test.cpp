// SPDX-License-Identifier: Apache-2.0
// HOST-CPY-4: COLLET_SYNC, which the program sets before the first use. One program for each value.
#include <cstdlib>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kSize = 64;
constexpr bool kIsRefused = COLLET_HOST_TEST_SYNC_REFUSES != 0;

std::vector<std::string>& log_lines() {
  static std::vector<std::string> lines;
  return lines;
}

[[maybe_unused]] const bool kConfigured = [] {
  setenv("COLLET_SYNC", kIsRefused ? "error" : "warn", 1);
  auto config = out_struct<collet_config_t>(COLLET_STRUCT_CONFIG);
  config.log_level = COLLET_LOG_WARN;
  config.log_callback = [](void* /*user_data*/, collet_log_level_t /*level*/, const char* text) {
    log_lines().emplace_back(text);
  };
  return collet_configure(&config) == COLLET_OK;
}();

// What a call that waits has said: in the log, or in its refusal.
std::string told(collet_status_t status) {
  if (kIsRefused) {
    CHECK(status == COLLET_ERROR_INVALID_STATE);
    CHECK(log_lines().empty());
    return message();
  }
  CHECK(status == COLLET_OK);
  REQUIRE(log_lines().size() == 1);
  std::string line = log_lines().front();
  log_lines().clear();
  return line;
}

void check_silent(collet_status_t status) {
  CHECK(status == COLLET_OK);
  CHECK(log_lines().empty());
}

}  // namespace

TEST_CASE("HOST-CPY-4 a blocking copy is told, with its place") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, kSize);
  Bytes host(kSize);
  log_lines().clear();
  const std::size_t before = on.calls_of("stream.");
  const std::string write = told(COLLET_CALL(collet_stream_write, stream.get(), buffer.get(), 0,
                                             host.data(), kSize, nullptr, nullptr));
  CHECK(write.find(
            "COLLET_SYNC: collet_stream_write waits for all earlier work of the stream, in ") !=
        std::string::npos);
  // The place: a file, and where in it.
  CHECK(write.find("+0x", write.find(", in ")) != std::string::npos);
  const std::string read = told(COLLET_CALL(collet_stream_read, stream.get(), host.data(),
                                            buffer.get(), 0, kSize, nullptr, nullptr));
  CHECK(read.find("collet_stream_read waits") != std::string::npos);
  CHECK(on.calls_of("stream.") == before + (kIsRefused ? 0 : 2));
}

TEST_CASE("HOST-CPY-4 a blocking copy of a rectangle is told, and one that is staged is not") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, kSize);
  Bytes host(kSize);
  const collet_rect_t rect{0, 0, 4, 2, 8, 8};
  const auto later = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  log_lines().clear();
  const std::string write = told(COLLET_CALL(collet_stream_write_rect, stream.get(), buffer.get(),
                                             host.data(), &rect, nullptr, nullptr));
  CHECK(write.find("collet_stream_write_rect waits") != std::string::npos);
  const std::string read = told(COLLET_CALL(collet_stream_read_rect, stream.get(), host.data(),
                                            buffer.get(), &rect, &later, nullptr));
  CHECK(read.find("collet_stream_read_rect waits") != std::string::npos);
  check_silent(COLLET_CALL(collet_stream_write_rect, stream.get(), buffer.get(), host.data(), &rect,
                           &later, nullptr));
}

TEST_CASE("HOST-CPY-4 a copy between devices is told") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer first = allocate(stream, kSize);
  const Buffer second = allocate(stream, kSize);
  log_lines().clear();
  const std::string line = told(COLLET_CALL(collet_stream_copy_across, stream.get(), first.get(), 0,
                                            stream.get(), second.get(), 0, kSize, nullptr));
  CHECK(line.find("collet_stream_copy_across waits") != std::string::npos);
}

TEST_CASE("HOST-CPY-4 a copy to pageable memory is told although it was asked not to block") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, kSize);
  Bytes host(kSize);
  log_lines().clear();
  const auto desc = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  told(COLLET_CALL(collet_stream_read, stream.get(), host.data(), buffer.get(), 0, kSize, &desc,
                   nullptr));
}

TEST_CASE("HOST-CPY-4 copies that do not wait, and waits that were asked for, are not told") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, kSize);
  Bytes host(kSize);
  log_lines().clear();
  const auto desc = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  check_silent(COLLET_CALL(collet_stream_write, stream.get(), buffer.get(), 0, host.data(), kSize,
                           &desc, nullptr));
  check_silent(COLLET_CALL(collet_stream_write, stream.get(), buffer.get(), 0, nullptr, 0, nullptr,
                           nullptr));
  check_silent(COLLET_CALL(collet_stream_synchronize, stream.get(), COLLET_TIMEOUT_INFINITE));
}

TEST_CASE("HOST-CPY-4 an allocation that waits for released memory is told") {
  const ScriptedDevice on;
  const Stream busy = on.held_stream();
  const Stream stream = make_stream(on.device);
  Buffer all = allocate(stream, std::uint64_t{1} << 20);
  ScriptedDevice::occupy(busy, all);
  REQUIRE(collet_buffer_use_on(all.get(), busy.get()) == COLLET_OK);
  all.reset();
  on.script.on("event.synchronize", [&] { on.script.finish_all(); });
  log_lines().clear();
  const auto desc = alloc_desc(std::uint64_t{1} << 20);
  collet_buffer_t* made = nullptr;
  const std::string line = told(COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &made));
  CHECK(line.find("COLLET_SYNC: an allocation waits for released memory") != std::string::npos);
  CHECK((made == nullptr) == kIsRefused);
  collet_buffer_release(made);
  on.script.finish_all();
}

}  // namespace collet::test
