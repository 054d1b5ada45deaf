// SPDX-License-Identifier: Apache-2.0
// HOST-MEM: when memory is freed, seen from the plugin. Without pools, so that each buffer is an
// allocation of it.
#include <atomic>
#include <future>
#include <thread>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 20;

// Any call at which the loader looks for memory that has become free.
void look_for_free(const ScriptedDevice& on) {
  std::uint64_t bytes[2];
  REQUIRE(collet_device_memory_info(on.device, &bytes[0], &bytes[1]) == COLLET_OK);
}

collet_status_t try_allocate(const Stream& stream, std::uint64_t size_bytes, const char* tag,
                             Buffer* out = nullptr) {
  auto desc = alloc_desc(size_bytes);
  desc.tag = tag;
  collet_buffer_t* made = nullptr;
  const auto status = COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &made);
  Buffer buffer(made);
  if (out != nullptr) {
    *out = std::move(buffer);
  }
  return status;
}

}  // namespace

TEST_CASE("HOST-MEM-1 memory of an idle stream is freed by the release") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  Buffer buffer = allocate(stream, 64);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  CHECK(on.script.count("memory.free m1") == 1);
}

TEST_CASE("HOST-MEM-1 memory is not freed before its stream is done with it") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  Buffer buffer = allocate(stream, 64);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  CHECK(on.script.count("stream.synchronize") == 0);
  CHECK(on.script.count("event.synchronize") == 0);
  for (int i = 0; i < 40; ++i) {
    allocate(make_stream(on.device), 64);
    look_for_free(on);
  }
  CHECK(on.script.count("memory.free m1") == 0);
  on.script.finish("s1");
  look_for_free(on);
  CHECK(on.script.count("memory.free m1") == 1);
  CHECK(on.script.count("event.create") == on.script.count("event.destroy"));
}

TEST_CASE("HOST-MEM-1 work that is recorded after the release does not hold memory") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  const Buffer other = allocate(stream, 64);
  Buffer buffer = allocate(stream, 64);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  ScriptedDevice::occupy(stream, other);
  on.script.finish_one("s1");
  look_for_free(on);
  CHECK(collet_stream_query(stream.get()) == COLLET_NOT_READY);
  CHECK(on.script.count("memory.free m2") == 1);
}

TEST_CASE("HOST-MEM-1 every declared stream holds memory, and no other one does") {
  const ScriptedDevice on;
  const Stream own = on.held_stream();
  const Stream declared = on.held_stream();
  const Stream other = on.held_stream();
  Buffer buffer = allocate(own, 64);
  for (const Stream* stream : {&own, &declared, &other}) {
    ScriptedDevice::occupy(*stream, buffer);
  }
  REQUIRE(collet_buffer_use_on(buffer.get(), declared.get()) == COLLET_OK);
  buffer.reset();
  on.script.finish("s1");
  look_for_free(on);
  CHECK(on.script.count("memory.free") == 0);
  on.script.finish("s2");
  look_for_free(on);
  CHECK(on.script.count("memory.free m1") == 1);
}

TEST_CASE("HOST-MEM-1 a stream lives as long as a buffer that needs its order") {
  const ScriptedDevice on;
  Stream stream = on.held_stream();
  Buffer buffer = allocate(stream, 64);
  ScriptedDevice::occupy(stream, buffer);
  stream.reset();
  CHECK(on.script.count("stream.destroy") == 0);
  buffer.reset();
  CHECK(on.script.count("memory.free") == 0);
  on.script.finish("s1");
  look_for_free(on);
  CHECK(on.script.count("memory.free m1") == 1);
  CHECK(on.script.count("stream.destroy s1") == 1);
}

TEST_CASE("HOST-MEM-1 a failed stream holds no memory") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  Buffer first = allocate(stream, 64);
  Buffer second = allocate(stream, 64);
  ScriptedDevice::occupy(stream, first);
  first.reset();
  on.script.poison("s1", COLLET_ERROR_COMMAND_FAILED);
  second.reset();
  CHECK(on.script.count("memory.free m2") == 1);
  look_for_free(on);
  CHECK(on.script.count("memory.free m1") == 1);
}

TEST_CASE("HOST-MEM-1 a release does not wait where the plugin has no event for it") {
  for (const char* function : {"event.create", "event.record"}) {
    INFO(function);
    const ScriptedDevice on;
    const Stream stream = on.held_stream();
    Buffer buffer = allocate(stream, 64);
    ScriptedDevice::occupy(stream, buffer);
    on.script.fail(function, {COLLET_ERROR_OUT_OF_HOST_MEMORY, 0, nullptr, "no more events"});
    collet_clear_error();
    buffer.reset();
    CHECK(collet_last_error()->status == COLLET_OK);
    CHECK(on.script.count("stream.synchronize") == 0);
    CHECK(on.script.count("memory.free") == 0);
    on.script.finish("s1");
    look_for_free(on);
    CHECK(on.script.count("memory.free m1") == 1);
    CHECK(on.script.count("event.destroy") + 1 >= on.script.count("event.create"));
  }
}

TEST_CASE("HOST-MEM-1 memory of the caller is unregistered by the release") {
  const ScriptedDevice on;
  unsigned char memory[64];
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_host_register(on.device, memory, sizeof memory, &made) == COLLET_OK);
  collet_buffer_release(made);
  CHECK(on.script.count("memory.free m1") == 1);
}

TEST_CASE("HOST-MEM-1 a slow free holds no other thread") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  Buffer buffer = allocate(stream, 64);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  on.script.finish("s1");
  std::atomic<bool> first{true};
  on.script.on("memory.free", [&] {
    if (first.exchange(false)) {
      // While this thread is inside the driver, another one allocates and releases.
      std::thread([&] {
        const Stream other = make_stream(on.device);
        allocate(other, 64);
        look_for_free(on);
      }).join();
    }
  });
  look_for_free(on);
  CHECK(on.script.count("memory.free") == 2);
}

TEST_CASE("HOST-MEM-1 a release costs the same, however many frees are pending") {
  constexpr std::size_t kBuffers = 2000;
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < kBuffers; ++i) {
    buffers.push_back(allocate(stream, 1));
  }
  ScriptedDevice::occupy(stream, buffers.front());
  const std::size_t before = on.script.count("event.query");
  buffers.clear();
  CHECK(on.script.count("event.query") - before <= 16 * kBuffers);
  CHECK(on.script.count("memory.free") == 0);
  on.script.finish("s1");
  for (std::size_t i = 0; i < kBuffers / 16 + 1; ++i) {
    look_for_free(on);
  }
  CHECK(on.script.count("memory.free") == kBuffers);
}

TEST_CASE("HOST-MEM-2 an allocation that fails waits for pending frees, and tries again") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  Buffer buffer = allocate(stream, kAll);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  on.script.on("event.synchronize", [&] { on.script.finish("s1"); });
  collet_clear_error();
  CHECK(try_allocate(stream, kAll, nullptr) == COLLET_OK);
  CHECK(collet_last_error()->status == COLLET_OK);
  CHECK(on.script.count("memory.allocate") == 3);
}

TEST_CASE("HOST-MEM-2 it waits for the stream where there is no event to wait for") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  Buffer buffer = allocate(stream, kAll);
  ScriptedDevice::occupy(stream, buffer);
  on.script.fail("event.create", {COLLET_ERROR_OUT_OF_HOST_MEMORY, 0, nullptr, "no more events"});
  buffer.reset();
  on.script.on("stream.synchronize", [&] { on.script.finish("s1"); });
  CHECK(try_allocate(stream, kAll, nullptr) == COLLET_OK);
}

TEST_CASE("HOST-MEM-2 memory that is released in a host function is found when memory runs out") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  collet_buffer_t* buffer = allocate(stream, kAll).release();
  const auto release = [](void* handle, collet_status_t /*upstream*/) {
    collet_buffer_release(static_cast<collet_buffer_t*>(handle));
  };
  REQUIRE(collet_stream_host_function(stream.get(), release, buffer) == COLLET_OK);
  CHECK(on.script.count("memory.free") == 0);
  CHECK(try_allocate(stream, kAll, nullptr) == COLLET_OK);
}

TEST_CASE("HOST-MEM-2 of two threads that run out of memory, both get what is pending") {
  const ScriptedDevice on;
  const Stream stream = on.held_stream();
  Buffer buffer = allocate(stream, kAll);
  ScriptedDevice::occupy(stream, buffer);
  buffer.reset();
  // Both have failed once before the pending memory can become free.
  std::atomic<int> failed{0};
  std::promise<void> both;
  on.script.on("memory.allocate", [&] {
    if (++failed == 2) {
      both.set_value();
    }
  });
  const auto take = [&] { return try_allocate(stream, kAll / 4, nullptr); };
  auto first = std::async(std::launch::async, take);
  auto second = std::async(std::launch::async, take);
  both.get_future().wait();
  on.script.finish("s1");
  CHECK(first.get() == COLLET_OK);
  CHECK(second.get() == COLLET_OK);
}

TEST_CASE("HOST-MEM-3 out of memory tells the plugin's reason and code, and all that is known") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer half = allocate(stream, kAll / 2);
  CHECK(try_allocate(stream, kAll, "weights") == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  for (const char* part : {"scripted:0", "Scripted 0", "1048576 bytes", "weights",
                           "no memory is left", "1.00 MiB total, 512.00 KiB free",
                           "512.00 KiB reserved = 512.00 KiB allocated", "no limit is set"}) {
    CHECK(message_has(part));
  }
  CHECK(collet_last_error()->native_code == 2);
  CHECK(std::string(collet_last_error()->native_name) == "SCRIPTED_OUT_OF_MEMORY");
  CHECK(std::string(collet_last_error()->backend) == "scripted");

  on.script.fail("memory.info", {COLLET_ERROR_DEVICE_LOST, 0, nullptr, "gone"});
  CHECK(try_allocate(stream, kAll, nullptr) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("does not tell"));
  CHECK(message_has("no memory is left"));

  CHECK(try_allocate(stream, (std::uint64_t{1} << 30) + 1, nullptr) ==
        COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(message_has("largest single allocation"));
  CHECK(try_allocate(stream, kAll / 2, nullptr) == COLLET_OK);
}

TEST_CASE("HOST-ERR-3 a buffer that cannot be finished leaves no memory behind") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  on.script.fail("memory.host_pointer", {COLLET_ERROR_DEVICE_LOST, 0, nullptr, "gone"});
  const auto desc = alloc_desc(64, COLLET_MEMORY_PINNED);
  collet_buffer_t* buffer = nullptr;
  CHECK(COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &buffer) == COLLET_ERROR_DEVICE_LOST);
  CHECK(buffer == nullptr);
  CHECK(on.script.count("memory.free m1") == 1);
}

TEST_CASE("HOST-ARG-8 a kind of memory that the device lacks is unsupported") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const auto desc = alloc_desc(64, COLLET_MEMORY_SHARED);
  collet_buffer_t* buffer = nullptr;
  CHECK(COLLET_CALL(collet_buffer_alloc, stream.get(), &desc, &buffer) == COLLET_ERROR_UNSUPPORTED);
  CHECK(on.script.count("memory.allocate") == 0);
}

TEST_CASE("HOST-CPY-2 an address inside a pinned block is pinned up to the end of the block") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, 64);
  const Buffer pinned = allocate(stream, 64, COLLET_MEMORY_PINNED);
  void* host = nullptr;
  REQUIRE(collet_buffer_host_pointer(pinned.get(), &host) == COLLET_OK);
  const auto desc = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  for (const std::uint64_t inside : {0U, 1U, 8U, 63U}) {
    INFO("offset " << inside);
    std::uint32_t was_async = 7;
    CHECK(collet_stream_write(stream.get(), buffer.get(), 0,
                              static_cast<unsigned char*>(host) + inside, 64 - inside, &desc,
                              &was_async) == COLLET_OK);
    CHECK(was_async == 1);
    CHECK(on.script.last_flags == COLLET_TRANSFER_NON_BLOCKING);
  }
}

TEST_CASE("HOST-CPY-2 pinned memory of another device is pageable memory to this one") {
  const ScriptedDevice on;
  collet_device_t* other_device = open_device("scripted:1");
  const Stream stream = make_stream(on.device);
  const Stream other_stream = make_stream(other_device);
  const Buffer buffer = allocate(stream, 64);
  const auto desc = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  for (const Stream* owner : {&stream, &other_stream}) {
    const Buffer pinned = allocate(*owner, 64, COLLET_MEMORY_PINNED);
    void* host = nullptr;
    REQUIRE(collet_buffer_host_pointer(pinned.get(), &host) == COLLET_OK);
    std::uint32_t was_async = 7;
    const bool own = owner == &stream;
    CHECK(collet_stream_write(stream.get(), buffer.get(), 0, host, 64, &desc, &was_async) ==
          COLLET_OK);
    CHECK(was_async == (own ? 1 : 0));
    CHECK(on.script.last_flags == (own ? COLLET_TRANSFER_NON_BLOCKING : 0));
    // Past the end of what was allocated for it.
    CHECK(collet_stream_write(stream.get(), buffer.get(), 0,
                              static_cast<unsigned char*>(host) + 512 - 63, 64, &desc,
                              &was_async) == COLLET_OK);
    CHECK(was_async == 0);
  }
}

TEST_CASE("HOST-CPY-8 rows of host memory are one command, not one each") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, 4096);
  Bytes host(4096);
  const collet_rect_t rect{0, 0, 8, 200, 16, 20};
  const std::size_t before = on.script.count("stream.copy_rect");
  REQUIRE(collet_stream_write_rect(stream.get(), buffer.get(), host.data(), &rect, nullptr,
                                   nullptr) == COLLET_OK);
  REQUIRE(collet_stream_read_rect(stream.get(), host.data(), buffer.get(), &rect, nullptr,
                                  nullptr) == COLLET_OK);
  CHECK(on.script.count("stream.copy_rect") == before + 2);
  CHECK(on.script.count("stream.write") == 0);
  CHECK(on.script.count("stream.read") == 0);
}

TEST_CASE("HOST-CPY-8 without pinned memory, rows of host memory are copied all the same") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Buffer buffer = allocate(stream, 4096);
  const Bytes sent(4096, 5);
  const collet_rect_t rect{1, 2, 8, 3, 16, 20};
  on.script.free_bytes = 0;
  REQUIRE(collet_stream_write_rect(stream.get(), buffer.get(), sent.data(), &rect, nullptr,
                                   nullptr) == COLLET_OK);
  CHECK(on.script.count("stream.write") == 3);
  const collet_rect_t back{2, 1, 8, 3, 20, 16};
  Bytes host(4096, 6);
  REQUIRE(collet_stream_read_rect(stream.get(), host.data(), buffer.get(), &back, nullptr,
                                  nullptr) == COLLET_OK);
  for (std::size_t row = 0; row < 3; ++row) {
    CHECK(host[20 * row + 1] == 6);
    CHECK(host[20 * row + 2] == 5);
    CHECK(host[20 * row + 9] == 5);
    CHECK(host[20 * row + 10] == 6);
  }
}

}  // namespace collet::test
