// SPDX-License-Identifier: Apache-2.0
// HOST-MEM: which memory of the plugin a buffer gets, and what orders its use.
#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

// Of the device's 1 MiB. A pool would take more of it at a time than there is, and then takes as
// much as is asked for.
constexpr std::uint64_t kHalf = std::uint64_t{1} << 19;

// The plugin's memory that the stream's next fill of the buffer goes to.
std::string memory_of(const ScriptedDevice& on, const Stream& stream, const Buffer& buffer) {
  const unsigned char zero = 0;
  REQUIRE(collet_stream_fill(stream.get(), buffer.get(), 0, 1, &zero, 1) == COLLET_OK);
  return on.script.last_memory;
}

// One whose commands stay incomplete; NULL if the plugin refuses it.
Stream try_stream(const ScriptedDevice& on) {
  on.script.hold_new_streams();
  collet_stream_t* stream = nullptr;
  static_cast<void>(collet_stream_create(on.device, nullptr, &stream));
  return Stream(stream);
}

// What is said when half of the memory is free, but no two pieces of it are neighbours.
std::string out_of_memory_in_pieces() {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  allocate(stream, 2 * kHalf);
  std::vector<Buffer> pieces;
  for (int i = 0; i < 8; ++i) {
    pieces.push_back(allocate(stream, kHalf / 4));
  }
  for (std::size_t i = 0; i < pieces.size(); i += 2) {
    pieces[i].reset();
  }
  const auto desc = alloc_desc(kHalf);
  collet_buffer_t* made = nullptr;
  CHECK(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  return message();
}

void give_all_back(const ScriptedDevice& on) {
  on.script.finish_all();
  const Allocator own = allocator_of(on.device);
  REQUIRE(collet_allocator_trim(own.get(), COLLET_TIMEOUT_INFINITE, nullptr) == COLLET_OK);
  const auto now = statistics_of(own);
  REQUIRE(now.active_bytes.current == 0);
  REQUIRE(now.reserved_bytes.current == 0);
}

}  // namespace

TEST_CASE("HOST-MEM-5 memory that a busy stream has released is not given to another one") {
  const ScriptedDevice on;
  const Stream busy = on.held_stream();
  const Stream other = on.held_stream();
  Buffer first = allocate(busy, kHalf);
  CHECK(memory_of(on, busy, first) == "m1");
  first.reset();
  // Its own stream may have it: that runs its commands in order.
  Buffer again = allocate(busy, kHalf);
  CHECK(memory_of(on, busy, again) == "m1");
  again.reset();
  Buffer second = allocate(other, kHalf);
  CHECK(memory_of(on, other, second) == "m2");
  CHECK(on.script.count("stream.wait_event") == 0);
}

TEST_CASE("HOST-MEM-5 memory of a stream that is at rest is given to another one") {
  const ScriptedDevice on;
  const Stream first = on.held_stream();
  const Stream second = on.held_stream();
  Buffer buffer = allocate(first, kHalf);
  ScriptedDevice::occupy(first, buffer);
  buffer.reset();
  on.script.finish("s1");
  const Buffer other = allocate(second, kHalf);
  CHECK(memory_of(on, second, other) == "m1");
  CHECK(on.script.count("stream.wait_event") == 0);
}

TEST_CASE("HOST-MEM-5 a stream that gets memory of a busy one waits for it on the device") {
  const ScriptedDevice on;
  const Stream busy = on.held_stream();
  const Stream other = on.held_stream();
  Buffer first = allocate(busy, kHalf);
  ScriptedDevice::occupy(busy, first);
  first.reset();
  const Buffer second = allocate(other, kHalf);
  CHECK(on.script.count("stream.wait_event") == 0);
  // The device has no more, and nothing is waited for by the host.
  Buffer third = allocate(other, kHalf);
  CHECK(on.script.count("stream.wait_event") == 1);
  CHECK(memory_of(on, other, third) == "m1");
  CHECK(on.script.count("event.synchronize") == 0);
  CHECK(on.script.count("stream.synchronize") == 0);
  // It goes back when the stream that has borrowed it is done with it.
  third.reset();
  on.script.finish("s1");
  auto desc = alloc_desc(kHalf);
  desc.timeout_ns = 1;
  collet_buffer_t* made = nullptr;
  CHECK(collet_buffer_alloc(busy.get(), &desc, &made) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  on.script.finish("s2");
  CHECK(memory_of(on, busy, allocate(busy, kHalf)) == "m1");
}

TEST_CASE("HOST-MEM-5 memory of a busy stream that ends is kept until its work is complete") {
  const ScriptedDevice on;
  Stream ending = on.held_stream();
  const Stream other = on.held_stream();
  Buffer buffer = allocate(ending, kHalf);
  ScriptedDevice::occupy(ending, buffer);
  buffer.reset();
  ending.reset();
  CHECK(on.script.count("stream.synchronize") == 0);
  const Buffer second = allocate(other, kHalf);
  CHECK(memory_of(on, other, second) == "m2");
  on.script.finish("s1");
  const Buffer third = allocate(other, kHalf);
  CHECK(memory_of(on, other, third) == "m1");
}

TEST_CASE("HOST-ARG-2 the allocator of another device is refused") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Allocator other = allocator_of(open_device("scripted:1"));
  auto desc = alloc_desc(64);
  desc.allocator = other.get();
  collet_buffer_t* made = nullptr;
  CHECK(COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &made) == COLLET_ERROR_WRONG_DEVICE);
  CHECK(made == nullptr);
  for (const char* part : {"allocator", "scripted:0", "scripted:1"}) {
    CHECK(message_has(part));
  }
}

TEST_CASE("HOST-MEM-5 a slow stream holds its own memory only, pinned memory too") {
  const ScriptedDevice on;
  const Stream own = on.held_stream();
  const Stream slow = on.held_stream();
  const Stream fast = on.held_stream();
  for (const collet_memory_kind_t kind : {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED}) {
    Buffer of_slow = allocate(own, 1000, kind);
    Buffer of_fast = allocate(own, 1000, kind);
    ScriptedDevice::occupy(slow, of_slow);
    ScriptedDevice::occupy(fast, of_fast);
    REQUIRE(collet_buffer_use_on(of_slow.get(), slow.get()) == COLLET_OK);
    REQUIRE(collet_buffer_use_on(of_fast.get(), fast.get()) == COLLET_OK);
    of_slow.reset();
    of_fast.reset();
    const Allocator allocator = allocator_of(on.device);
    CHECK(statistics_of(allocator, kind).active_bytes.current == 2048);
    on.script.finish("s3");
    CHECK(statistics_of(allocator, kind).active_bytes.current == 1024);
    on.script.finish("s2");
    CHECK(statistics_of(allocator, kind).active_bytes.current == 0);
  }
}

TEST_CASE("HOST-MEM-3 where memory is free in pieces, the advice is a setting against that") {
  const std::string text = out_of_memory_in_pieces();
  INFO(text);
  CHECK(text.find("largest free  128.00 KiB") != std::string::npos);
  CHECK(text.find("try           COLLET_MEMORY=max_split=") != std::string::npos);
}

TEST_CASE("HOST-MEM-3 the advice is not what is set already") {
  auto config = out_struct<collet_config_t>(COLLET_STRUCT_CONFIG);
  config.memory = "max_split=32MiB";
  REQUIRE(collet_configure(&config) == COLLET_OK);
  const std::string text = out_of_memory_in_pieces();
  INFO(text);
  CHECK(text.find("\n  try           ") != std::string::npos);
  CHECK(text.find("max_split") == std::string::npos);
}

TEST_CASE("HOST-ERR-3 after memory has run out, nothing else is blamed for it") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, 64);
  const auto desc = alloc_desc(4 * kHalf);
  collet_buffer_t* made = nullptr;
  CHECK(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  collet_clear_error();
  const unsigned char zero = 0;
  CHECK(collet_stream_fill(stream.get(), buffer.get(), 0, 64, &zero, 1) == COLLET_OK);
  CHECK(collet_stream_synchronize(stream.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  CHECK(collet_stream_query(stream.get()) == COLLET_OK);
  CHECK(collet_last_error()->status == COLLET_OK);
  CHECK(allocate(stream, 64) != nullptr);
}

TEST_CASE("HOST-MEM-7 memory that cannot serve is given back to the device for what can") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  allocate(stream, kHalf / 2);
  const Buffer kept = allocate(stream, kHalf / 4);
  const Buffer whole = allocate(stream, kHalf);
  const Buffer rest = allocate(stream, kHalf / 2);
  CHECK(on.script.count("memory.free") <= 1);
  CHECK(on.script.free_bytes <= kHalf / 4);
}

TEST_CASE("HOST-ERR-3 where any call of the plugin fails, memory is as before") {
  // A program that grows, waits, borrows and trims; whatever it is refused, it goes on.
  const auto program = [](const ScriptedDevice& on) {
    const Stream first = try_stream(on);
    const Stream second = try_stream(on);
    const Allocator allocator = make_allocator(on.device);
    std::vector<Buffer> live;
    for (const std::uint64_t size : {kHalf, kHalf / 2, kHalf / 4, kHalf, kHalf / 8}) {
      for (const Stream* stream : {&first, &second}) {
        auto desc = alloc_desc(size);
        desc.timeout_ns = 1;
        desc.allocator = size == kHalf / 4 ? allocator.get() : nullptr;
        collet_buffer_t* made = nullptr;
        if (collet_buffer_alloc(stream->get(), &desc, &made) == COLLET_OK) {
          live.emplace_back(made);
          static_cast<void>(collet_buffer_use_on(made, second.get()));
          const unsigned char zero = 0;
          static_cast<void>(collet_stream_fill(stream->get(), made, 0, 1, &zero, 1));
        }
      }
      live.resize(live.size() / 2);
      on.script.finish("s1");
    }
  };
  fail_each_call(program, [](const ScriptedDevice& on) {
    // All is back, and can be had again.
    give_all_back(on);
    REQUIRE(on.script.free_bytes == std::uint64_t{1} << 20);
    REQUIRE(allocate(make_stream(on.device), 2 * kHalf) != nullptr);
    give_all_back(on);
  });
}

}  // namespace collet::test
