// SPDX-License-Identifier: Apache-2.0
// HOST-ARG-1: handles of every kind, in every argument that takes one.
#include <array>
#include <utility>

#include "objects.hpp"

namespace collet::test {
namespace {

constexpr std::array<std::pair<HandleKind, const char*>, 8> kKinds{{
    {HandleKind::kDevice, "device"},
    {HandleKind::kStream, "stream"},
    {HandleKind::kBuffer, "buffer"},
    {HandleKind::kEvent, "event"},
    {HandleKind::kProgram, "program"},
    {HandleKind::kKernel, "kernel"},
    {HandleKind::kPlan, "plan"},
    {HandleKind::kAllocator, "allocator"},
}};

std::string name_of(HandleKind kind) { return kKinds.at(static_cast<std::size_t>(kind)).second; }

std::string with_article(const std::string& name) {
  return (name[0] == 'a' || name[0] == 'e' ? "an " : "a ") + name;
}

// The handle of an object that is gone, for each kind that can be released.
std::array<void*, 8> released_handles(collet_device_t* device) {
  const Objects gone(device);
  std::array<void*, 8> handles{};
  for (const auto& [kind, name] : kKinds) {
    handles[static_cast<std::size_t>(kind)] = handle_of(gone, kind);
  }
  handles[static_cast<std::size_t>(HandleKind::kDevice)] = nullptr;
  return handles;
}

}  // namespace

TEST_CASE("HOST-ARG-1 NULL is refused in every argument that takes a handle") {
  Objects objects(tested_device());
  for (const HandleUse& use : handle_uses(objects)) {
    INFO(use.function << ", argument " << use.argument);
    CHECK(use.call(nullptr) == COLLET_ERROR_INVALID_HANDLE);
    CHECK(message_has("NULL"));
    CHECK(message_has(name_of(use.kind)));
  }
}

TEST_CASE("HOST-ARG-1 a handle of another kind is refused in every argument that takes one") {
  Objects objects(tested_device());
  for (const HandleUse& use : handle_uses(objects)) {
    for (const auto& [kind, name] : kKinds) {
      void* handle = handle_of(objects, kind);
      if (kind == use.kind || handle == nullptr) {
        continue;
      }
      INFO(use.function << ", argument " << use.argument << " is a " << name);
      CHECK(use.call(handle) == COLLET_ERROR_INVALID_HANDLE);
      CHECK(message_has("a handle of " + with_article(name)));
      CHECK(message_has(with_article(name_of(use.kind)) + " is needed"));
    }
  }
}

TEST_CASE("HOST-ARG-1 a released handle is refused in every argument that takes one") {
  Objects objects(tested_device());
  const std::array<void*, 8> released = released_handles(objects.device);
  for (const HandleUse& use : handle_uses(objects)) {
    void* handle = released.at(static_cast<std::size_t>(use.kind));
    if (handle != nullptr) {
      INFO(use.function << ", argument " << use.argument);
      CHECK(use.call(handle) == COLLET_ERROR_INVALID_HANDLE);
      CHECK(message_has("released"));
    }
  }
}

TEST_CASE("HOST-ARG-1 a value that never was a handle is refused") {
  Objects objects(tested_device());
  const std::uint64_t values[] = {1,
                                  0x7fffffff,
                                  0xffffffff,
                                  0x100000001,
                                  UINT64_MAX,
                                  UINT64_MAX - 1,
                                  reinterpret_cast<std::uint64_t>(&objects)};
  for (const HandleUse& use : handle_uses(objects)) {
    for (const std::uint64_t value : values) {
      INFO(use.function << ", argument " << use.argument << " is " << value);
      CHECK(use.call(reinterpret_cast<void*>(value)) == COLLET_ERROR_INVALID_HANDLE);
    }
  }
}

TEST_CASE("HOST-ARG-1 a slot that is used again does not bring its old handle back") {
  collet_device_t* device = tested_device();
  collet_event_t* old = make_event(device).release();
  collet_event_release(old);
  for (int i = 0; i < 1000; ++i) {
    const Event event = make_event(device);
    REQUIRE(event.get() != old);
    REQUIRE(collet_event_query(old) == COLLET_ERROR_INVALID_HANDLE);
  }
}

TEST_CASE("HOST-ARG-1 releasing NULL, a released handle or one of another kind changes nothing") {
  Objects objects(tested_device());
  collet_buffer_t* released = allocate(objects.stream, 64).release();
  collet_buffer_release(released);

  collet_buffer_release(nullptr);
  collet_buffer_release(released);
  collet_stream_release(nullptr);
  collet_event_release(nullptr);
  collet_program_release(nullptr);
  collet_kernel_release(nullptr);
  collet_plan_release(nullptr);
  collet_buffer_release(reinterpret_cast<collet_buffer_t*>(objects.stream.get()));
  collet_stream_release(reinterpret_cast<collet_stream_t*>(objects.event.get()));
  collet_event_release(reinterpret_cast<collet_event_t*>(objects.buffer.get()));
  collet_plan_release(reinterpret_cast<collet_plan_t*>(objects.device));

  CHECK(collet_stream_query(objects.stream.get()) == COLLET_OK);
  CHECK(collet_event_query(objects.event.get()) == COLLET_OK);
  write(objects.stream, objects.buffer, Bytes(64, 1));
  CHECK(read(objects.stream, objects.buffer, 64) == Bytes(64, 1));
}

TEST_CASE("HOST-ARG-1 an object lives as long as one of its references") {
  Objects objects(tested_device());
  collet_event_t* event = objects.event.get();
  REQUIRE(collet_event_retain(event) == COLLET_OK);
  objects.event.reset();
  CHECK(collet_event_record(event, objects.stream.get()) == COLLET_OK);
  collet_event_release(event);
  CHECK(collet_event_query(event) == COLLET_ERROR_INVALID_HANDLE);
}

TEST_CASE("HOST-ARG-1 every kind of object can be retained and released") {
  Objects objects(tested_device());
  for (const HandleUse& use : handle_uses(objects)) {
    if (use.function.find("_retain") != std::string::npos) {
      void* handle = handle_of(objects, use.kind);
      if (handle != nullptr) {
        INFO(use.function);
        CHECK(use.call(handle) == COLLET_OK);
      }
    }
  }
  collet_stream_release(objects.stream.get());
  collet_buffer_release(objects.buffer.get());
  collet_event_release(objects.event.get());
  collet_program_release(objects.program.get());
  collet_kernel_release(objects.kernel.get());
  collet_plan_release(objects.plan.get());
  CHECK(collet_stream_query(objects.stream.get()) == COLLET_OK);
}

TEST_CASE("HOST-ARG-1 the workspace of a run is checked like any other buffer") {
  Objects objects(tested_device());
  if (objects.plan == nullptr) {
    skip("the device has no operations");
  }
  const collet_operand_t operands[2]{{objects.buffer.get(), 0, {}}, {nullptr, 0, {1.5}}};
  auto* not_a_buffer = reinterpret_cast<collet_buffer_t*>(objects.event.get());
  CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                    not_a_buffer, 0) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), operands, 2,
                    objects.other.get(), 0) == COLLET_OK);
}

}  // namespace collet::test
