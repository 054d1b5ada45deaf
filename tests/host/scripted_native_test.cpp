// SPDX-License-Identifier: Apache-2.0
// HOST-POOL: what the library asks of a device's own pool, and when.
#include <algorithm>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 20;
constexpr std::uint64_t kHalf = kAll / 2;

Allocator native_allocator(const ScriptedDevice& on) {
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.flags = COLLET_ALLOCATOR_NATIVE;
  return make_allocator(on.device, &desc);
}

collet_status_t try_allocate(const Allocator& allocator, const Stream& stream,
                             std::uint64_t size_bytes, Buffer& out_buffer,
                             std::uint64_t timeout_ns = 0) {
  auto desc = alloc_desc(size_bytes);
  desc.allocator = allocator.get();
  desc.timeout_ns = timeout_ns;
  collet_buffer_t* made = nullptr;
  const auto status = COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &made);
  out_buffer.reset(made);
  return status;
}

Buffer allocate_from(const Allocator& allocator, const Stream& stream, std::uint64_t size_bytes) {
  Buffer buffer;
  REQUIRE(try_allocate(allocator, stream, size_bytes, buffer) == COLLET_OK);
  return buffer;
}

std::uint64_t trim(const Allocator& allocator, std::uint64_t timeout_ns = 0) {
  std::uint64_t released = 0;
  REQUIRE(collet_allocator_trim(allocator.get(), timeout_ns, &released) == COLLET_OK);
  return released;
}

std::string report(const Allocator& allocator, collet_report_format_t format) {
  std::uint64_t size = 0;
  std::string text(4096, '\0');
  REQUIRE(collet_allocator_report(allocator.get(), format, text.data(), text.size(), &size) ==
          COLLET_OK);
  REQUIRE(size <= text.size());
  return text;
}

}  // namespace

TEST_CASE("HOST-POOL-1 a release frees in the order of the buffer's stream, and does not wait") {
  const ScriptedDevice on;
  const Allocator allocator = native_allocator(on);
  const Stream stream = on.held_stream();
  Buffer buffer = allocate_from(allocator, stream, 1000);
  CHECK(on.script.count("pool.allocate s1 1024") == 1);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  CHECK(on.script.count("pool.free m1 s1") == 1);
  for (const char* call : {"memory.allocate", "stream.synchronize", "event.synchronize",
                           "stream.wait_event", "event.create"}) {
    INFO(call);
    CHECK(on.script.count(call) == 0);
  }
  const auto now = statistics_of(allocator);
  CHECK(now.reserved_bytes.current == 0);
  CHECK(now.reserved_bytes.peak == 1024);
  CHECK(now.requested_bytes.peak == 1000);
}

TEST_CASE("HOST-POOL-1 pinned memory of a native allocator is pooled by the library") {
  const ScriptedDevice on;
  const Allocator allocator = native_allocator(on);
  const Stream stream = make_stream(on.device);
  for (int i = 0; i < 3; ++i) {
    auto desc = alloc_desc(1000, COLLET_MEMORY_PINNED);
    desc.allocator = allocator.get();
    collet_buffer_t* made = nullptr;
    REQUIRE(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_OK);
    collet_buffer_release(made);
  }
  CHECK(on.script.count("pool.allocate") == 0);
  CHECK(on.script.count("memory.free") == 0);
}

TEST_CASE("HOST-POOL-2 memory that another stream uses is freed when that is done with it") {
  const ScriptedDevice on;
  const Allocator allocator = native_allocator(on);
  const Stream own = on.held_stream();
  const Stream other = on.held_stream();
  Buffer buffer = allocate_from(allocator, own, 1000);
  ScriptedDevice::occupy(other, buffer);
  REQUIRE(collet_buffer_use_on(buffer.get(), other.get()) == COLLET_OK);
  buffer.reset();
  CHECK(statistics_of(allocator).active_bytes.current == 1024);
  CHECK(on.script.count("pool.free") == 0);
  on.script.finish("s2");
  CHECK(statistics_of(allocator).active_bytes.current == 0);
  CHECK(on.script.count("pool.free m1 s1") == 1);
  CHECK(on.script.count("stream.synchronize") == 0);
}

TEST_CASE("HOST-POOL-2 the stream of a buffer is destroyed after the buffer is freed on it") {
  const ScriptedDevice on;
  Allocator allocator = native_allocator(on);
  Stream stream = on.held_stream();
  Buffer buffer = allocate_from(allocator, stream, 1000);
  ScriptedDevice::occupy(stream, buffer);
  stream.reset();
  allocator.reset();
  CHECK(on.script.count("stream.destroy") == 0);
  buffer.reset();
  const auto calls = on.script.calls();
  const auto freed = std::find(calls.begin(), calls.end(), "pool.free m1 s1");
  REQUIRE(freed != calls.end());
  CHECK(std::find(freed, calls.end(), "stream.destroy s1") != calls.end());
}

TEST_CASE("HOST-POOL-3 a device without a pool says so, with the plugin's reason") {
  const ScriptedDevice on;
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.flags = COLLET_ALLOCATOR_NATIVE;
  collet_allocator_t* made = nullptr;
  CHECK(COLLET_CALL(collet_allocator_create, open_device("scripted:1"), &desc, &made) ==
        COLLET_ERROR_UNSUPPORTED);
  CHECK(message() == "scripted:1 has no pool of its own: device 1 was built without it");
  CHECK(made == nullptr);
}

TEST_CASE("HOST-POOL-3 where the settings want the device's pool, a device without is not opened") {
  auto config = out_struct<collet_config_t>(COLLET_STRUCT_CONFIG);
  config.memory = "pool=native";
  REQUIRE(collet_configure(&config) == COLLET_OK);
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  allocate(stream, 1000);
  CHECK(on.script.count("pool.allocate s1 1024") == 1);
  CHECK(on.script.count("pool.free m1 s1") == 1);
  CHECK(report(allocator_of(on.device), COLLET_REPORT_TEXT).find("settings pool=native, ") !=
        std::string::npos);
  collet_device_t* device = nullptr;
  CHECK(COLLET_CALL(collet_device_open, "scripted:1", &device) == COLLET_ERROR_UNSUPPORTED);
  CHECK(device == nullptr);
  CHECK(message_has("pool=native, and scripted:1 has no pool of its own: device 1 was built"));
  // An allocator says itself what it wants.
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.flags = COLLET_ALLOCATOR_UNPOOLED;
  allocate_from(make_allocator(on.device, &desc), stream, 1000);
  CHECK(on.script.count("memory.free m2") == 1);
}

TEST_CASE("HOST-POOL-4 a trim makes the device's pool give back what its streams have come to") {
  const ScriptedDevice on;
  const Allocator allocator = native_allocator(on);
  const Stream stream = on.held_stream();
  Buffer buffer = allocate_from(allocator, stream, 1000);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  CHECK(trim(allocator) == 0);
  CHECK(on.script.free_bytes == kAll - 1024);
  on.script.on("event.synchronize", [&] { on.script.finish("s1"); });
  CHECK(trim(allocator, COLLET_TIMEOUT_INFINITE) == 1024);
  CHECK(on.script.free_bytes == kAll);
  // Now there is nothing to ask for.
  const std::size_t trims = on.script.count("pool.trim");
  CHECK(trim(allocator) == 0);
  CHECK(on.script.count("pool.trim") == trims);
}

TEST_CASE("HOST-POOL-4 what a closed allocator has freed goes back when its streams come to it") {
  const ScriptedDevice on;
  Allocator allocator = native_allocator(on);
  const Stream stream = on.held_stream();
  Buffer buffer = allocate_from(allocator, stream, 1000);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  allocator.reset();
  make_stream(on.device);
  CHECK(on.script.free_bytes == kAll - 1024);
  on.script.finish("s1");
  make_stream(on.device);
  CHECK(on.script.free_bytes == kAll);
}

TEST_CASE("HOST-POOL-4 where memory has run out, what the pool keeps is taken, and waited for") {
  const ScriptedDevice on;
  const Allocator allocator = native_allocator(on);
  const Stream first = on.held_stream();
  const Stream second = make_stream(on.device);
  const auto keep_half = [&] {
    Buffer buffer = allocate_from(allocator, first, kHalf);
    ScriptedDevice::occupy(first, buffer);
  };
  keep_half();
  on.script.finish("s1");
  allocate_from(allocator, second, kAll);
  CHECK(on.script.count("event.synchronize") == 0);
  trim(allocator);
  allocate(second, kAll);
  trim(allocator_of(on.device));

  keep_half();
  Buffer none;
  CHECK(try_allocate(allocator, second, kAll, none, 1) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("SCRIPTED_OUT_OF_MEMORY") == false);
  CHECK(collet_last_error()->native_code == 2);
  on.script.on("event.synchronize", [&] { on.script.finish("s1"); });
  allocate_from(allocator, second, kAll);
  CHECK(on.script.count("event.synchronize") >= 1);
  CHECK(statistics_of(allocator).out_of_memory == 1);
}

TEST_CASE("HOST-POOL-4 reports, and the text of an error, tell what the device's pool has") {
  const ScriptedDevice on;
  const Allocator allocator = native_allocator(on);
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate_from(allocator, stream, 1000);
  CHECK(report(allocator, COLLET_REPORT_TEXT)
            .find("the device's pool has 3.00 MiB, 5.00 KiB of it allocated") != std::string::npos);
  CHECK(report(allocator, COLLET_REPORT_JSON).find("\"reserved_bytes\": 3145728,") !=
        std::string::npos);
  Buffer none;
  CHECK(try_allocate(allocator, stream, kAll, none) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("device's pool 3.00 MiB reserved, 5.00 KiB of it allocated"));
  // One that does not tell is no reason to fail.
  on.script.fail("pool.info", {COLLET_ERROR_INTERNAL, 0, nullptr, "no figures"}, 9);
  CHECK(report(allocator, COLLET_REPORT_TEXT).find("device's pool") == std::string::npos);
  // And what the library pools itself has no such line.
  CHECK(report(allocator_of(on.device), COLLET_REPORT_TEXT).find("device's pool") ==
        std::string::npos);
}

TEST_CASE("HOST-ERR-3 where any call of the plugin fails, native memory is as before") {
  const auto program = [](const ScriptedDevice& on) {
    on.script.hold_new_streams();
    collet_stream_t* made[2] = {};
    for (collet_stream_t*& stream : made) {
      static_cast<void>(collet_stream_create(on.device, nullptr, &stream));
    }
    const Stream first(made[0]);
    const Stream second(made[1]);
    const Allocator allocator = native_allocator(on);
    std::vector<Buffer> live;
    for (const std::uint64_t size : {kHalf, kHalf / 2, kHalf / 4, kHalf, kHalf / 8}) {
      for (const Stream* stream : {&first, &second}) {
        Buffer buffer;
        if (*stream != nullptr && try_allocate(allocator, *stream, size, buffer, 1) == COLLET_OK) {
          static_cast<void>(collet_buffer_use_on(buffer.get(), second.get()));
          const unsigned char zero = 0;
          static_cast<void>(collet_stream_fill(stream->get(), buffer.get(), 0, 1, &zero, 1));
          live.push_back(std::move(buffer));
        }
      }
      live.resize(live.size() / 2);
      on.script.finish("s1");
    }
  };
  const auto expect_all_back = [](const ScriptedDevice& on) {
    on.script.finish_all();
    const Allocator own = allocator_of(on.device);
    trim(own, COLLET_TIMEOUT_INFINITE);
    // A trim that failed is made good by the next one.
    const Allocator allocator = native_allocator(on);
    allocate_from(allocator, make_stream(on.device), 64);
    on.script.finish_all();
    trim(allocator, COLLET_TIMEOUT_INFINITE);
    REQUIRE(on.script.free_bytes == kAll);
  };
  fail_each_call(program, expect_all_back);
}

}  // namespace collet::test
