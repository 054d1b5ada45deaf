// SPDX-License-Identifier: Apache-2.0
// HOST-ARG-5 and HOST-ARG-6: flags, enumerators, NULL pointers, and what out parameters hold when a
// call has failed. And HOST-SEL-2, for the numbers of devices.
#include "objects.hpp"

namespace collet::test {
namespace {

template <class Enum>
Enum enumerator(std::uint32_t value) {
  return static_cast<Enum>(value);
}

// A pointer and numbers that no call leaves behind.
template <class Handle>
Handle* garbage() {
  return reinterpret_cast<Handle*>(std::uint64_t{0xdeadbeef});
}

}  // namespace

TEST_CASE("HOST-ARG-5 unknown flags are refused") {
  Objects objects(tested_device());
  unsigned char memory[8]{};
  for (const std::uint32_t flag : {2U, 0x80000000U, 0xfffffffeU, 0xffffffffU}) {
    INFO("flag " << flag);
    const auto of_stream = stream_desc(flag);
    collet_stream_t* stream = garbage<collet_stream_t>();
    CHECK(COLLET_CALL(collet_stream_create, objects.device, &of_stream, &stream) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(message_has("unknown flag 0x"));
    CHECK(stream == nullptr);

    const auto of_event = event_desc(flag);
    collet_event_t* event = garbage<collet_event_t>();
    CHECK(COLLET_CALL(collet_event_create, objects.device, &of_event, &event) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(event == nullptr);

    const auto of_transfer = transfer_desc(flag);
    CHECK(COLLET_CALL(collet_stream_write, objects.stream.get(), objects.buffer.get(), 0, memory, 8,
                      &of_transfer, nullptr) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(COLLET_CALL(collet_stream_read, objects.stream.get(), memory, objects.buffer.get(), 0, 8,
                      &of_transfer, nullptr) == COLLET_ERROR_INVALID_ARGUMENT);
  }
}

TEST_CASE("HOST-ARG-5 an unknown kind of memory is refused") {
  Objects objects(tested_device());
  for (const std::uint32_t kind : {3U, 0x7fffffffU, 0xffffffffU}) {
    auto desc = alloc_desc(64);
    desc.kind = enumerator<collet_memory_kind_t>(kind);
    collet_buffer_t* buffer = garbage<collet_buffer_t>();
    CHECK(COLLET_CALL(collet_buffer_alloc, objects.stream.get(), &desc, &buffer) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(buffer == nullptr);
  }
}

TEST_CASE("HOST-ARG-5 unknown kinds, functions, modes and flags of operations are refused") {
  collet_device_t* device = tested_device();
  const auto layouts = fill_layouts();
  const auto refused = [&](auto change) {
    collet_op_desc_t desc = op_desc(COLLET_OP_FILL, layouts);
    change(desc);
    collet_plan_t* plan = garbage<collet_plan_t>();
    const auto status = COLLET_CALL(collet_plan_create, device, &desc, &plan);
    auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
    CHECK(COLLET_CALL(collet_op_query, device, &desc, &support) == status);
    return plan == nullptr && status == COLLET_ERROR_INVALID_ARGUMENT;
  };
  for (const std::uint32_t value : {99U, 0x7fffffffU, 0xffffffffU}) {
    INFO("value " << value);
    CHECK(refused([&](auto& desc) { desc.kind = enumerator<collet_op_kind_t>(value); }));
    CHECK(refused([&](auto& desc) { desc.function = value; }));
    CHECK(refused([&](auto& desc) { desc.flags = value; }));
    CHECK(refused([&](auto& desc) { desc.math_mode = enumerator<collet_math_mode_t>(value); }));
    CHECK(refused([&](auto& desc) { desc.activation = enumerator<collet_activation_t>(value); }));
    CHECK(refused([&](auto& desc) { desc.axis = value; }));
  }
  CHECK(refused([](auto& desc) { desc.kind = enumerator<collet_op_kind_t>(0); }));
}

TEST_CASE("HOST-ARG-5 an unknown kind of kernel argument is refused") {
  Objects objects(tested_device());
  if (objects.kernel == nullptr) {
    skip("the device takes no program that these tests have");
  }
  for (const std::uint32_t kind : {0U, 4U, 0xffffffffU}) {
    collet_argument_t arguments[2]{};
    arguments[0].kind = enumerator<collet_argument_kind_t>(kind);
    arguments[0].buffer = objects.buffer.get();
    const collet_launch_t launch{{1, 1, 1}, {1, 1, 1}, 2, arguments};
    CHECK(COLLET_CALL(collet_stream_launch, objects.stream.get(), objects.kernel.get(), &launch) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(message_has("argument 0"));
  }
}

TEST_CASE("HOST-ARG-5 a kernel argument whose reserved field is not 0 is refused") {
  Objects objects(tested_device());
  if (objects.kernel == nullptr) {
    skip("the device takes no program that these tests have");
  }
  collet_argument_t arguments[2]{};
  arguments[0].kind = COLLET_ARGUMENT_BUFFER;
  arguments[0].reserved = 1;
  arguments[0].buffer = objects.buffer.get();
  const collet_launch_t launch{{1, 1, 1}, {1, 1, 1}, 2, arguments};
  CHECK(COLLET_CALL(collet_stream_launch, objects.stream.get(), objects.kernel.get(), &launch) ==
        COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("reserved"));
}

TEST_CASE("HOST-ARG-6 a failing call that makes an object sets its pointer to NULL") {
  collet_stream_t* stream = garbage<collet_stream_t>();
  CHECK(collet_stream_create(nullptr, nullptr, &stream) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(stream == nullptr);
  collet_event_t* event = garbage<collet_event_t>();
  CHECK(collet_event_create(nullptr, nullptr, &event) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(event == nullptr);
  collet_buffer_t* buffer = garbage<collet_buffer_t>();
  const auto desc = alloc_desc(1);
  CHECK(collet_buffer_alloc(nullptr, &desc, &buffer) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(buffer == nullptr);
  buffer = garbage<collet_buffer_t>();
  CHECK(collet_host_register(nullptr, &buffer, 1, &buffer) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(buffer == nullptr);
  collet_program_t* program = garbage<collet_program_t>();
  CHECK(collet_program_create(nullptr, nullptr, &program) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(program == nullptr);
  collet_kernel_t* kernel = garbage<collet_kernel_t>();
  CHECK(collet_kernel_create(nullptr, "store", &kernel) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(kernel == nullptr);
  collet_plan_t* plan = garbage<collet_plan_t>();
  CHECK(collet_plan_create(nullptr, nullptr, &plan) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(plan == nullptr);
  collet_device_t* device = garbage<collet_device_t>();
  CHECK(collet_device_open("no_such_device", &device) == COLLET_ERROR_NO_SUCH_DEVICE);
  CHECK(device == nullptr);
}

TEST_CASE("HOST-ARG-6 a failing call sets numbers to 0 and addresses to NULL") {
  std::uint64_t free_bytes = 1;
  std::uint64_t total_bytes = 1;
  CHECK(collet_device_memory_info(nullptr, &free_bytes, &total_bytes) ==
        COLLET_ERROR_INVALID_HANDLE);
  CHECK((free_bytes | total_bytes) == 0);
  std::uint32_t count = 1;
  CHECK(collet_device_count("no_such_backend", &count) == COLLET_ERROR_NO_SUCH_DEVICE);
  CHECK(count == 0);
  std::uint32_t was_async = 1;
  CHECK(collet_stream_write(nullptr, nullptr, 0, &count, 1, nullptr, &was_async) ==
        COLLET_ERROR_INVALID_HANDLE);
  CHECK(was_async == 0);
  was_async = 1;
  CHECK(collet_stream_read(nullptr, &count, nullptr, 0, 1, nullptr, &was_async) ==
        COLLET_ERROR_INVALID_HANDLE);
  CHECK(was_async == 0);
  std::int64_t duration = 1;
  CHECK(collet_event_elapsed(nullptr, nullptr, &duration) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(duration == 0);
  void* pointer = &count;
  CHECK(collet_buffer_host_pointer(nullptr, &pointer) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(pointer == nullptr);
  std::uint64_t native = 1;
  std::uint64_t offset_bytes = 1;
  CHECK(collet_buffer_native_pointer(nullptr, &native, &offset_bytes) ==
        COLLET_ERROR_INVALID_HANDLE);
  CHECK(native == 0);
  CHECK(offset_bytes == 0);
  std::uint64_t size = 1;
  const char* format = "";
  CHECK(collet_program_export(nullptr, nullptr, 0, &size, &format) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(size == 0);
  CHECK(format == nullptr);
  const char* const* names = &format;
  count = 1;
  CHECK(collet_program_kernels(nullptr, &names, &count) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(names == nullptr);
  CHECK(count == 0);
}

TEST_CASE("HOST-ARG-6 a failing call zeroes the struct that it was to fill, all but the head") {
  collet_buffer_info_t info = out_struct<collet_buffer_info_t>(COLLET_STRUCT_BUFFER_INFO);
  info.size_bytes = 1;
  CHECK(collet_buffer_info(nullptr, &info) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(info.size_bytes == 0);
  CHECK(info.base.struct_size == sizeof info);
  auto failure = out_struct<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
  failure.message[0] = 'x';
  CHECK(collet_stream_failure(nullptr, &failure) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(failure.message[0] == '\0');
  auto support = out_struct<collet_op_support_t>(COLLET_STRUCT_OP_SUPPORT);
  support.workspace_bytes = 1;
  CHECK(collet_plan_support(nullptr, &support) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(support.workspace_bytes == 0);
  support.workspace_bytes = 1;
  CHECK(collet_op_query(nullptr, nullptr, &support) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(support.workspace_bytes == 0);
  auto kernel = out_struct<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO);
  kernel.argument_count = 1;
  CHECK(collet_kernel_info(nullptr, &kernel) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(kernel.argument_count == 0);
  collet_layout_t layout{};
  layout.rank = 1;
  CHECK(collet_op_preferred_layout(nullptr, nullptr, 0, &layout) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(layout.rank == 0);
}

TEST_CASE("HOST-ARG-6 an out parameter that is NULL is refused") {
  Objects objects(tested_device());
  std::uint64_t number = 0;
  const char* text = nullptr;
  const auto desc = alloc_desc(1);
  const auto op = op_desc(COLLET_OP_FILL, objects.layouts);
  const collet_program_image_t image{"nonsense", "?", 1};
  const auto program = program_desc(image);
  const collet_status_t refused[] = {
      COLLET_CALL(collet_backend_count, nullptr),
      COLLET_CALL(collet_device_count, "cpu", nullptr),
      COLLET_CALL(collet_device_open, "cpu", nullptr),
      COLLET_CALL(collet_device_open_default, nullptr),
      COLLET_CALL(collet_current_device_get, nullptr),
      COLLET_CALL(collet_device_memory_info, objects.device, nullptr, &number),
      COLLET_CALL(collet_device_memory_info, objects.device, &number, nullptr),
      COLLET_CALL(collet_stream_create, objects.device, nullptr, nullptr),
      COLLET_CALL(collet_event_create, objects.device, nullptr, nullptr),
      COLLET_CALL(collet_buffer_alloc, objects.stream.get(), &desc, nullptr),
      COLLET_CALL(collet_host_register, objects.device, &number, 8, nullptr),
      COLLET_CALL(collet_buffer_host_pointer, objects.buffer.get(), nullptr),
      COLLET_CALL(collet_buffer_native_pointer, objects.buffer.get(), nullptr, &number),
      COLLET_CALL(collet_buffer_native_pointer, objects.buffer.get(), &number, nullptr),
      COLLET_CALL(collet_event_elapsed, objects.event.get(), objects.other_event.get(), nullptr),
      COLLET_CALL(collet_program_create, objects.device, &program, nullptr),
      COLLET_CALL(collet_op_preferred_layout, objects.device, &op, 0, nullptr),
      COLLET_CALL(collet_plan_create, objects.device, &op, nullptr),
  };
  for (const collet_status_t status : refused) {
    CHECK(status == COLLET_ERROR_INVALID_ARGUMENT);
  }
  if (objects.program != nullptr) {
    CHECK(COLLET_CALL(collet_program_export, objects.program.get(), nullptr, 0, nullptr, &text) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(COLLET_CALL(collet_program_export, objects.program.get(), nullptr, 0, &number, nullptr) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    const char* const* names = nullptr;
    std::uint32_t count = 0;
    CHECK(COLLET_CALL(collet_program_kernels, objects.program.get(), nullptr, &count) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(COLLET_CALL(collet_program_kernels, objects.program.get(), &names, nullptr) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(COLLET_CALL(collet_kernel_create, objects.program.get(), "store", nullptr) ==
          COLLET_ERROR_INVALID_ARGUMENT);
  }
}

TEST_CASE("HOST-ARG-6 an in parameter that is NULL is refused where it is needed") {
  Objects objects(tested_device());
  collet_buffer_t* buffer = nullptr;
  collet_device_t* device = nullptr;
  std::uint32_t count = 0;
  const collet_status_t refused[] = {
      COLLET_CALL(collet_device_count, nullptr, &count),
      COLLET_CALL(collet_device_open, nullptr, &device),
      COLLET_CALL(collet_host_register, objects.device, nullptr, 0, &buffer),
      COLLET_CALL(collet_stream_write, objects.stream.get(), objects.buffer.get(), 0, nullptr, 1,
                  nullptr, nullptr),
      COLLET_CALL(collet_stream_read, objects.stream.get(), nullptr, objects.buffer.get(), 0, 1,
                  nullptr, nullptr),
      COLLET_CALL(collet_stream_fill, objects.stream.get(), objects.buffer.get(), 0, 1, nullptr, 1),
      COLLET_CALL(collet_stream_copy_rect, objects.stream.get(), objects.buffer.get(),
                  objects.other.get(), nullptr),
      COLLET_CALL(collet_stream_host_function, objects.stream.get(), nullptr, nullptr),
  };
  for (const collet_status_t status : refused) {
    CHECK(status == COLLET_ERROR_INVALID_ARGUMENT);
  }
  if (objects.plan != nullptr) {
    CHECK(COLLET_CALL(collet_stream_run, objects.stream.get(), objects.plan.get(), nullptr, 2,
                      nullptr, 0) == COLLET_ERROR_INVALID_ARGUMENT);
  }
  if (objects.kernel != nullptr) {
    const collet_launch_t launch{{1, 1, 1}, {1, 1, 1}, 2, nullptr};
    collet_kernel_t* kernel = nullptr;
    CHECK(COLLET_CALL(collet_stream_launch, objects.stream.get(), objects.kernel.get(), nullptr) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(COLLET_CALL(collet_stream_launch, objects.stream.get(), objects.kernel.get(), &launch) ==
          COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(COLLET_CALL(collet_kernel_create, objects.program.get(), nullptr, &kernel) ==
          COLLET_ERROR_INVALID_ARGUMENT);
  }
}

TEST_CASE("HOST-ARG-8 a pattern of another size, or a fill that is no multiple of it, is refused") {
  Objects objects(tested_device());
  const unsigned char pattern[32]{};
  const auto fill = [&](std::uint64_t offset, std::uint64_t size, std::uint64_t pattern_size) {
    return COLLET_CALL(collet_stream_fill, objects.stream.get(), objects.buffer.get(), offset, size,
                       pattern, pattern_size);
  };
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{12},
                                   std::uint64_t{17}, std::uint64_t{32}, UINT64_MAX}) {
    INFO("pattern of " << size);
    CHECK(fill(0, 0, size) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(fill(0, 96, size) == COLLET_ERROR_INVALID_ARGUMENT);
  }
  for (const std::uint64_t size : {2U, 4U, 8U, 16U}) {
    INFO("pattern of " << size);
    CHECK(fill(size / 2, size, size) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(fill(0, size + 1, size) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(fill(size, 2 * size, size) == COLLET_OK);
  }
}

TEST_CASE("HOST-SEL-2 an index that no device has is refused, whatever number it is") {
  const std::string id = properties_of(tested_device()).id;
  const std::string backend = id.substr(0, id.find(':'));
  std::uint32_t count = 0;
  REQUIRE(collet_device_count(backend.c_str(), &count) == COLLET_OK);
  for (const std::uint32_t index :
       {count, count + 1, 0x7fffffffU, 0x80000000U, 0xfffffffeU, 0xffffffffU}) {
    INFO("index " << index);
    auto properties = out_struct<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
    CHECK(COLLET_CALL(collet_device_describe, backend.c_str(), index, &properties) ==
          COLLET_ERROR_NO_SUCH_DEVICE);
    CHECK(std::string(properties.id).empty());
    collet_device_t* device = garbage<collet_device_t>();
    const std::string selector = backend + ':' + std::to_string(index);
    CHECK(COLLET_CALL(collet_device_open, selector.c_str(), &device) ==
          COLLET_ERROR_NO_SUCH_DEVICE);
    CHECK(device == nullptr);
  }
  for (const char* index : {":-1", ":-2", ": 0", ":+0", ":00", ":0x0", ":"}) {
    INFO("index " << index);
    collet_device_t* device = garbage<collet_device_t>();
    CHECK(COLLET_CALL(collet_device_open, (backend + index).c_str(), &device) ==
          COLLET_ERROR_MALFORMED);
    CHECK(device == nullptr);
  }
}

}  // namespace collet::test
