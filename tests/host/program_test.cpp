// SPDX-License-Identifier: Apache-2.0
// Programs and kernels of a device: every answer that their functions document.
#include <cstring>

#include "objects.hpp"

namespace collet::test {
namespace {

// The objects of a device that takes a program which these tests have; else the case is skipped.
Objects objects_with_kernel() {
  Objects objects(tested_device());
  if (objects.kernel == nullptr) {
    skip("the device takes no program that these tests have");
  }
  return objects;
}

collet_status_t create(collet_device_t* device, const collet_program_desc_t& desc) {
  collet_program_t* made = nullptr;
  const auto status = COLLET_CALL(collet_program_create, device, &desc, &made);
  const Program program(made);
  CHECK((status == COLLET_OK) == (made != nullptr));
  return status;
}

struct Launch {
  explicit Launch(const Objects& objects) {
    arguments[0].kind = COLLET_ARGUMENT_BUFFER;
    arguments[0].buffer = objects.buffer.get();
    arguments[1].kind = COLLET_ARGUMENT_SCALAR;
    arguments[1].value = &value;
    arguments[1].size_bytes = sizeof value;
    desc = {{2, 1, 1}, {4, 1, 1}, 2, arguments};
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  collet_status_t on(const Objects& objects) const {
    return COLLET_CALL(collet_stream_launch, objects.stream.get(), objects.kernel.get(), &desc);
  }

  std::uint32_t value = 0x01020304;
  collet_argument_t arguments[65]{};
  collet_launch_t desc{};
};

}  // namespace

TEST_CASE("HOST-ARG-8 a bundle without an image, or with a NULL in one, is refused") {
  collet_device_t* device = tested_device();
  const collet_program_image_t image{"nonsense", "?", 1};
  collet_program_desc_t desc = program_desc(image);
  desc.image_count = 0;
  CHECK(create(device, desc) == COLLET_ERROR_INVALID_ARGUMENT);
  desc = program_desc(image);
  desc.images = nullptr;
  CHECK(create(device, desc) == COLLET_ERROR_INVALID_ARGUMENT);
  const collet_program_image_t no_format{nullptr, "?", 1};
  CHECK(create(device, program_desc(no_format)) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("images[0].format"));
  const collet_program_image_t no_data{"nonsense", nullptr, 1};
  CHECK(create(device, program_desc(no_data)) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("images[0].data"));
}

TEST_CASE("HOST-ARG-6 a build log is empty after every failure that has nothing to tell") {
  collet_device_t* device = tested_device();
  const collet_program_image_t image{nullptr, "?", 1};
  collet_program_desc_t desc = program_desc(image);
  char text[8] = "garbage";
  collet_text_t log{text, sizeof text, 7};
  desc.build_log = &log;
  CHECK(create(device, desc) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(log.size_bytes == 0);
  CHECK(text[0] == '\0');
  log = {nullptr, 8, 7};
  CHECK(create(device, desc) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("build_log"));
}

TEST_CASE("program a format that the device does not take is unsupported") {
  const collet_program_image_t image{"nonsense", "?", 1};
  CHECK(create(tested_device(), program_desc(image)) == COLLET_ERROR_UNSUPPORTED);
}

TEST_CASE("program an image that is rubbish does not build, and the log is filled or empty") {
  const Objects objects = objects_with_kernel();
  const std::string format = sample_image(objects.device).format;
  const Bytes rubbish(1000, 0x5a);
  const collet_program_image_t image{format.c_str(), rubbish.data(), rubbish.size()};
  collet_program_desc_t desc = program_desc(image);
  char text[32];
  std::memset(text, 'x', sizeof text);
  collet_text_t log{text, sizeof text, 12345};
  desc.build_log = &log;
  CHECK(create(objects.device, desc) == COLLET_ERROR_BUILD_FAILED);
  CHECK(std::memchr(text, '\0', sizeof text) != nullptr);
  CHECK(log.size_bytes != 12345);
  CHECK(std::string(collet_last_error()->backend) != "");
}

TEST_CASE("kernel one that is not there is not found, and the text lists those that are") {
  const Objects objects = objects_with_kernel();
  for (const char* name : {"", "sto", "storee", "STORE"}) {
    collet_kernel_t* kernel = nullptr;
    CHECK(COLLET_CALL(collet_kernel_create, objects.program.get(), name, &kernel) ==
          COLLET_ERROR_NOT_FOUND);
    CHECK(kernel == nullptr);
    CHECK(message_has("store"));
  }
}

TEST_CASE("kernel it keeps its program") {
  Objects objects = objects_with_kernel();
  objects.program.reset();
  write(objects.stream, objects.buffer, Bytes(256, 0));
  const Launch launch(objects);
  CHECK(launch.on(objects) == COLLET_OK);
  objects.kernel.reset();
  const Bytes result = read(objects.stream, objects.buffer, 256);
  Bytes expected(256, 0);
  for (std::size_t i = 0; i < 8; ++i) {
    std::memcpy(&expected[4 * i], &launch.value, 4);
  }
  CHECK(result == expected);
}

TEST_CASE("kernel it tells its name and its arguments") {
  const Objects objects = objects_with_kernel();
  auto info = out_struct<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO);
  REQUIRE(collet_kernel_info(objects.kernel.get(), &info) == COLLET_OK);
  CHECK(std::string(info.name) == "store");
  if (info.argument_count != UINT32_MAX) {
    CHECK(info.argument_count == 2);
  }
}

TEST_CASE("HOST-ARG-8 arguments that do not fit the kernel in number or kind are refused") {
  const Objects objects = objects_with_kernel();
  Launch launch(objects);
  for (const std::uint32_t count : {0U, 1U, 3U, 65U, UINT32_MAX}) {
    launch.desc.argument_count = count;
    CHECK(launch.on(objects) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(message_has("store"));
  }
  launch.desc.argument_count = 2;
  std::swap(launch.arguments[0], launch.arguments[1]);
  CHECK(launch.on(objects) == COLLET_ERROR_INVALID_ARGUMENT);
  std::swap(launch.arguments[0], launch.arguments[1]);
  CHECK(launch.on(objects) == COLLET_OK);
}

TEST_CASE("HOST-ARG-8 a scalar of another size than the kernel's is refused, and both are named") {
  const Objects objects = objects_with_kernel();
  auto info = out_struct<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO);
  REQUIRE(collet_kernel_info(objects.kernel.get(), &info) == COLLET_OK);
  if (info.argument_sizes[1] == 0) {
    skip("the format does not tell the sizes of scalars");
  }
  CHECK(info.argument_sizes[1] == sizeof(std::uint32_t));
  Launch launch(objects);
  const std::uint64_t wide = 1;
  launch.arguments[1].value = &wide;
  for (const std::uint64_t size : {1U, 2U, 8U}) {
    launch.arguments[1].size_bytes = size;
    CHECK(launch.on(objects) == COLLET_ERROR_INVALID_ARGUMENT);
    CHECK(message_has("\"store\": argument 1 has " + std::to_string(size) + " bytes"));
    CHECK(message_has("takes 4"));
  }
}

TEST_CASE("HOST-PRG-1 a program lists its kernels, for as long as it lives") {
  const Objects objects = objects_with_kernel();
  const char* const* names = nullptr;
  std::uint32_t count = 0;
  const auto status = COLLET_CALL(collet_program_kernels, objects.program.get(), &names, &count);
  if (status == COLLET_ERROR_UNSUPPORTED) {
    skip("the format does not tell what kernels there are");
  }
  REQUIRE(status == COLLET_OK);
  REQUIRE(count == 1);
  CHECK(std::string(names[0]) == "store");
}

TEST_CASE("HOST-ARG-8 a scalar without a value, or of no possible size, is refused") {
  const Objects objects = objects_with_kernel();
  Launch launch(objects);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{65}, UINT64_MAX}) {
    launch.arguments[1].size_bytes = size;
    CHECK(launch.on(objects) == COLLET_ERROR_INVALID_ARGUMENT);
  }
  launch.arguments[1].size_bytes = 4;
  launch.arguments[1].value = nullptr;
  CHECK(launch.on(objects) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(message_has("argument 1"));
}

TEST_CASE("HOST-ARG-3 an argument that starts behind its buffer is refused") {
  const Objects objects = objects_with_kernel();
  Launch launch(objects);
  for (const std::uint64_t offset : {std::uint64_t{257}, UINT64_MAX}) {
    launch.arguments[0].offset_bytes = offset;
    CHECK(launch.on(objects) == COLLET_ERROR_OUT_OF_RANGE);
  }
}

TEST_CASE("HOST-ARG-9 a group without items is refused, and an empty grid is an ordinary launch") {
  const Objects objects = objects_with_kernel();
  write(objects.stream, objects.buffer, Bytes(256, 7));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Launch launch(objects);
    launch.desc.grid[axis] = 0;
    CHECK(launch.on(objects) == COLLET_OK);
    launch.desc.group[axis] = 0;
    CHECK(launch.on(objects) == COLLET_ERROR_INVALID_ARGUMENT);
  }
  CHECK(read(objects.stream, objects.buffer, 256) == Bytes(256, 7));
}

TEST_CASE("HOST-ARG-9 a group or grid past every limit is refused") {
  const Objects objects = objects_with_kernel();
  write(objects.stream, objects.buffer, Bytes(256, 7));
  Launch launch(objects);
  launch.desc.group[0] = launch.desc.group[1] = launch.desc.group[2] = UINT32_MAX;
  CHECK(launch.on(objects) == COLLET_ERROR_OUT_OF_RANGE);
  launch.desc.group[0] = launch.desc.group[1] = launch.desc.group[2] = 1;
  launch.desc.grid[0] = launch.desc.grid[1] = launch.desc.grid[2] = UINT64_MAX;
  CHECK(launch.on(objects) == COLLET_ERROR_OUT_OF_RANGE);
  launch.desc.grid[0] = launch.desc.grid[1] = launch.desc.grid[2] = std::uint64_t{1} << 32;
  CHECK(launch.on(objects) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(read(objects.stream, objects.buffer, 256) == Bytes(256, 7));
}

TEST_CASE("program it is exported whole, or not at all") {
  const Objects objects = objects_with_kernel();
  std::uint64_t size = 0;
  const char* format = nullptr;
  const auto status =
      COLLET_CALL(collet_program_export, objects.program.get(), nullptr, 0, &size, &format);
  if (status == COLLET_ERROR_UNSUPPORTED) {
    skip("the device has no binary format");
  }
  REQUIRE(status == COLLET_OK);
  REQUIRE(size > 1);
  Bytes image(size, 0xee);
  CHECK(COLLET_CALL(collet_program_export, objects.program.get(), image.data(), size - 1, &size,
                    &format) == COLLET_ERROR_OUT_OF_RANGE);
  CHECK(image == Bytes(image.size(), 0xee));
  CHECK(size == 0);
  CHECK(format == nullptr);
  CHECK(COLLET_CALL(collet_program_export, objects.program.get(), image.data(), image.size(), &size,
                    &format) == COLLET_OK);
  CHECK(size == image.size());
  const collet_program_image_t exported{format, image.data(), size};
  CHECK(create(objects.device, program_desc(exported)) == COLLET_OK);
}

}  // namespace collet::test
