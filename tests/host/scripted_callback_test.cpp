// SPDX-License-Identifier: Apache-2.0
// HOST-PRC-3: what the plugin sees of objects that are released inside a host function.
#include <algorithm>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

std::ptrdiff_t place_of(const std::vector<std::string>& calls, const std::string& call) {
  return std::find(calls.begin(), calls.end(), call) - calls.begin();
}

}  // namespace

TEST_CASE("HOST-PRC-3 no object is given back to the plugin from inside a host function") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  Objects objects(on.device);
  struct Scene {
    const ScriptedDevice* on;
    Objects* objects;
    std::size_t calls_inside;
  } scene{&on, &objects, 0};
  const auto release = [](void* user_data, collet_status_t /*upstream*/) {
    auto& in = *static_cast<Scene*>(user_data);
    const std::size_t before = in.on->script.calls().size();
    in.objects->buffer.reset();
    in.objects->event.reset();
    in.objects->kernel.reset();
    in.objects->program.reset();
    in.objects->plan.reset();
    in.objects->stream.reset();
    in.calls_inside = in.on->script.calls().size() - before;
  };
  REQUIRE(collet_stream_host_function(stream.get(), release, &scene) == COLLET_OK);
  CHECK(scene.calls_inside == 0);

  const Objects others(on.device);
  CHECK(on.script.count("memory.free m1") == 1);
  CHECK(on.script.count("event.destroy e1") == 1);
  CHECK(on.script.count("kernel.destroy k1") == 1);
  CHECK(on.script.count("program.destroy p1") == 1);
  objects.other.reset();
  objects.other_event.reset();
  CHECK(on.script.count("stream.destroy s2") == 1);
}

TEST_CASE("HOST-PRC-3 a program is destroyed after the kernel that was released in a callback") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  Objects objects(on.device);
  const auto release = [](void* kernel, collet_status_t /*upstream*/) {
    collet_kernel_release(static_cast<collet_kernel_t*>(kernel));
  };
  REQUIRE(collet_stream_host_function(stream.get(), release, objects.kernel.release()) ==
          COLLET_OK);
  objects.program.reset();
  CHECK(on.script.count("program.destroy") == 0);
  const Objects others(on.device);
  const auto calls = on.script.calls();
  CHECK(on.script.count("program.destroy p1") == 1);
  CHECK(place_of(calls, "kernel.destroy k1") < place_of(calls, "program.destroy p1"));
}

TEST_CASE("HOST-PRC-3 memory that is released in a host function waits for its streams") {
  const ScriptedDevice on;
  const Stream stream = make_stream(on.device);
  const Stream held = on.held_stream();
  Buffer buffer = allocate(held, 64);
  ScriptedDevice::occupy(held, buffer);
  const auto release = [](void* handle, collet_status_t /*upstream*/) {
    collet_buffer_release(static_cast<collet_buffer_t*>(handle));
  };
  REQUIRE(collet_stream_host_function(stream.get(), release, buffer.release()) == COLLET_OK);
  allocate(stream, 64);
  CHECK(on.script.count("memory.free m1") == 0);
  on.script.finish("s2");
  allocate(stream, 64);
  CHECK(on.script.count("memory.free m1") == 1);
}

TEST_CASE("HOST-PRC-3 a host function that is held back releases from the thread that runs it") {
  const ScriptedDevice on;
  const Stream held = on.held_stream();
  collet_event_t* event = make_event(on.device).release();
  const auto release = [](void* handle, collet_status_t /*upstream*/) {
    collet_event_release(static_cast<collet_event_t*>(handle));
  };
  REQUIRE(collet_stream_host_function(held.get(), release, event) == COLLET_OK);
  CHECK(collet_event_query(event) == COLLET_OK);
  on.script.finish("s1");
  CHECK(collet_event_query(event) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(on.script.count("event.destroy") == 0);
  make_event(on.device);
  CHECK(on.script.count("event.destroy e1") == 1);
}

}  // namespace collet::test
