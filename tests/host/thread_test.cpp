// SPDX-License-Identifier: Apache-2.0
// HOST-PRC-5: all functions, from many threads at once. Meant for the thread sanitizer.
#include <atomic>
#include <thread>

#include "objects.hpp"

namespace collet::test {
namespace {

constexpr int kThreads = 64;
constexpr int kRounds = 4;

void run_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(body, i);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// The references that one pass over all uses has added.
void release_once(const Objects& objects) {
  collet_stream_release(objects.stream.get());
  collet_buffer_release(objects.buffer.get());
  collet_event_release(objects.event.get());
  collet_program_release(objects.program.get());
  collet_kernel_release(objects.kernel.get());
  collet_plan_release(objects.plan.get());
}

// Copies a value through objects of its own; true if it arrives.
bool round_trip(collet_device_t* device, unsigned char value, std::uint32_t flags) {
  auto of_stream = stream_desc(flags);
  const auto of_buffer = alloc_desc(256);
  collet_stream_t* stream = nullptr;
  collet_buffer_t* from = nullptr;
  collet_buffer_t* to = nullptr;
  collet_event_t* event = nullptr;
  unsigned char result[256]{};
  const bool ok = collet_stream_create(device, &of_stream, &stream) == COLLET_OK &&
                  collet_buffer_alloc(stream, &of_buffer, &from) == COLLET_OK &&
                  collet_buffer_alloc(stream, &of_buffer, &to) == COLLET_OK &&
                  collet_event_create(device, nullptr, &event) == COLLET_OK &&
                  collet_stream_fill(stream, from, 0, 256, &value, 1) == COLLET_OK &&
                  collet_stream_copy(stream, to, 0, from, 0, 256) == COLLET_OK &&
                  collet_event_record(event, stream) == COLLET_OK &&
                  collet_event_synchronize(event, COLLET_TIMEOUT_INFINITE) == COLLET_OK &&
                  collet_stream_read(stream, result, to, 0, 256, nullptr, nullptr) == COLLET_OK;
  collet_event_release(event);
  collet_buffer_release(from);
  collet_buffer_release(to);
  collet_stream_release(stream);
  return ok && result[0] == value && result[255] == value;
}

}  // namespace

TEST_CASE("HOST-PRC-5 64 threads may be in all functions at once, on the same objects") {
  Objects objects(tested_device());
  const auto uses = handle_uses(objects);
  std::atomic<int> failures{0};
  run_threads(kThreads, [&](int) {
    for (int round = 0; round < kRounds; ++round) {
      for (const HandleUse& use : uses) {
        if (use.sound != nullptr) {
          const collet_status_t status = use.call(use.sound);
          const bool expected = status == COLLET_OK || status == COLLET_NOT_READY ||
                                status == COLLET_ERROR_UNSUPPORTED ||
                                status == COLLET_ERROR_NOT_RECORDED ||
                                // Another thread's command may be before this one's wait.
                                status == COLLET_ERROR_TIMEOUT;
          failures += expected ? 0 : 1;
        }
      }
      release_once(objects);
    }
  });
  CHECK(failures == 0);
  CHECK(collet_stream_synchronize(objects.stream.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
}

TEST_CASE("HOST-PRC-5 threads with objects of their own do not disturb each other") {
  collet_device_t* device = tested_device();
  std::atomic<int> failures{0};
  run_threads(kThreads, [&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      const auto value = static_cast<unsigned char>(thread + 1);
      // By turns inline and in the background.
      const auto flags = static_cast<std::uint32_t>(round % 2) * COLLET_STREAM_BACKGROUND;
      failures += round_trip(device, value, flags) ? 0 : 1;
    }
  });
  CHECK(failures == 0);
}

TEST_CASE("HOST-PRC-5 threads may share one buffer's references and declared uses") {
  collet_device_t* device = tested_device();
  const Stream stream = make_stream(device, COLLET_STREAM_BACKGROUND);
  collet_buffer_t* buffer = allocate(stream, 64).release();
  for (int i = 1; i < kThreads; ++i) {
    REQUIRE(collet_buffer_retain(buffer) == COLLET_OK);
  }
  std::atomic<int> failures{0};
  run_threads(kThreads, [&](int) {
    collet_stream_t* own = nullptr;
    failures += collet_stream_create(device, nullptr, &own) == COLLET_OK ? 0 : 1;
    failures += collet_buffer_use_on(buffer, own) == COLLET_OK ? 0 : 1;
    collet_stream_release(own);
    collet_buffer_release(buffer);
  });
  CHECK(failures == 0);
  CHECK(collet_buffer_retain(buffer) == COLLET_ERROR_INVALID_HANDLE);
}

TEST_CASE("HOST-PRC-1 threads that make the first use at once get one instance") {
  std::vector<collet_device_t*> devices(kThreads);
  run_threads(kThreads, [&](int thread) {
    static_cast<void>(collet_device_open("cpu", &devices[static_cast<std::size_t>(thread)]));
  });
  CHECK(devices.front() != nullptr);
  CHECK(devices == std::vector<collet_device_t*>(kThreads, devices.front()));
}

TEST_CASE("device the current one belongs to its thread, and NULL means the default") {
  collet_device_t* device = tested_device();
  collet_device_t* default_device = nullptr;
  REQUIRE(collet_device_open_default(&default_device) == COLLET_OK);
  collet_device_t* got = nullptr;
  CHECK(COLLET_CALL(collet_current_device_set, device) == COLLET_OK);
  CHECK(COLLET_CALL(collet_current_device_get, &got) == COLLET_OK);
  CHECK(got == device);
  collet_device_t* elsewhere = nullptr;
  std::thread([&] { static_cast<void>(collet_current_device_get(&elsewhere)); }).join();
  CHECK(elsewhere == default_device);
  const Stream stream = make_stream(device);
  auto* no_device = reinterpret_cast<collet_device_t*>(stream.get());
  CHECK(COLLET_CALL(collet_current_device_set, no_device) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(COLLET_CALL(collet_current_device_get, &got) == COLLET_OK);
  CHECK(got == device);
  CHECK(COLLET_CALL(collet_current_device_set, nullptr) == COLLET_OK);
  CHECK(COLLET_CALL(collet_current_device_get, &got) == COLLET_OK);
  CHECK(got == default_device);
}

}  // namespace collet::test
