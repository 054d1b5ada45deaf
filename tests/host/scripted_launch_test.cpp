// SPDX-License-Identifier: Apache-2.0
// HOST-ARG-8 and HOST-ARG-9: launches that contradict themselves, or go past a limit of the device
// or of the kernel.
#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

// A kernel of a device whose groups have at most 256 items, 128 along each axis, and 4096 bytes of
// local memory, and whose grids have at most 1000 groups along y and z.
class Launcher {
 public:
  explicit Launcher(const collet_kernel_info_t& info = any_kernel()) {
    on.script.kernel = info;
    objects = std::make_unique<Objects>(on.device);
  }

  static collet_kernel_info_t any_kernel() {
    collet_kernel_info_t info{};
    info.argument_count = UINT32_MAX;
    return info;
  }

  collet_status_t launch(const collet_launch_t& desc) const {
    return COLLET_CALL(collet_stream_launch, objects->stream.get(), objects->kernel.get(), &desc);
  }

  // Refused, and the plugin has seen nothing of it.
  bool refused(const collet_launch_t& desc, collet_status_t status, const std::string& part) const {
    const std::size_t before = on.script.count("stream.launch");
    return launch(desc) == status && message_has(part) &&
           on.script.count("stream.launch") == before;
  }

  ScriptedDevice on;
  std::unique_ptr<Objects> objects;
};

constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;

collet_launch_t shape(std::uint64_t groups_x, std::uint64_t groups_y, std::uint32_t items_x,
                      std::uint32_t items_y) {
  return {{groups_x, groups_y, 1}, {items_x, items_y, 1}, 0, nullptr};
}

collet_argument_t local(std::uint64_t size_bytes) {
  collet_argument_t argument{};
  argument.kind = COLLET_ARGUMENT_LOCAL;
  argument.size_bytes = size_bytes;
  return argument;
}

collet_argument_t scalar(const void* value, std::uint64_t size_bytes) {
  collet_argument_t argument{};
  argument.kind = COLLET_ARGUMENT_SCALAR;
  argument.value = value;
  argument.size_bytes = size_bytes;
  return argument;
}

}  // namespace

TEST_CASE("HOST-ARG-8 an impossible scalar is refused before the plugin sees it") {
  const Launcher with;
  const unsigned char value[COLLET_MAX_SCALAR_BYTES]{};
  collet_launch_t desc = shape(1, 1, 1, 1);
  desc.argument_count = 1;
  for (const collet_argument_t& bad : {scalar(value, 0), scalar(value, sizeof value + 1),
                                       scalar(value, UINT64_MAX), scalar(nullptr, 4)}) {
    desc.arguments = &bad;
    CHECK(with.refused(desc, COLLET_ERROR_INVALID_ARGUMENT, "argument 0"));
  }
  const collet_argument_t longest = scalar(value, sizeof value);
  desc.arguments = &longest;
  CHECK(with.launch(desc) == COLLET_OK);
}

TEST_CASE("launch the plugin is told how many bytes of a buffer there are") {
  const Launcher with;
  const Buffer buffer = allocate(with.objects->stream, 1000);
  collet_argument_t argument{};
  argument.kind = COLLET_ARGUMENT_BUFFER;
  argument.buffer = buffer.get();
  collet_launch_t desc = shape(1, 1, 1, 1);
  desc.argument_count = 1;
  desc.arguments = &argument;
  for (const std::uint64_t offset : {0U, 400U, 1000U}) {
    argument.offset_bytes = offset;
    // A buffer has its own size, whatever is said here.
    argument.size_bytes = 7;
    CHECK(with.launch(desc) == COLLET_OK);
    CHECK(with.on.script.last_sizes == std::vector<std::uint64_t>{1000 - offset});
  }
}

TEST_CASE("HOST-ARG-9 a launch at the limits of the device is passed on") {
  const Launcher with;
  CHECK(with.launch(shape(kHuge, 1000, 128, 2)) == COLLET_OK);
  CHECK(with.launch(shape(1, 1, 1, 128)) == COLLET_OK);
  CHECK(with.on.script.count("stream.launch s1 k1") == 2);
}

TEST_CASE("HOST-ARG-9 a group past a limit of the device is refused") {
  const Launcher with;
  CHECK(with.refused(shape(1, 1, 129, 1), COLLET_ERROR_OUT_OF_RANGE, "along x"));
  CHECK(with.refused(shape(1, 1, 1, 129), COLLET_ERROR_OUT_OF_RANGE, "along y"));
  CHECK(with.refused(shape(1, 1, 128, 3), COLLET_ERROR_OUT_OF_RANGE, "256 of the device"));
  CHECK(with.refused(shape(1, 1, 0, 1), COLLET_ERROR_INVALID_ARGUMENT, "along x"));
}

TEST_CASE("HOST-ARG-9 a grid past a limit of the device, or of 64 bits, is refused") {
  const Launcher with;
  CHECK(with.refused(shape(1, 1001, 1, 1), COLLET_ERROR_OUT_OF_RANGE, "along y"));
  CHECK(with.refused(shape(UINT64_MAX, 2, 1, 1), COLLET_ERROR_OUT_OF_RANGE, "number of groups"));
  CHECK(with.launch(shape(UINT64_MAX, 1, 1, 1)) == COLLET_OK);
  CHECK(with.launch(shape(UINT64_MAX, 0, 1, 1)) == COLLET_OK);
}

TEST_CASE("HOST-ARG-9 a group past a limit of the kernel is refused") {
  collet_kernel_info_t info = Launcher::any_kernel();
  info.max_group_items = 64;
  const Launcher with(info);
  CHECK(with.refused(shape(1, 1, 65, 1), COLLET_ERROR_OUT_OF_RANGE, "64 of the kernel"));
  CHECK(with.launch(shape(1, 1, 64, 1)) == COLLET_OK);
}

TEST_CASE("HOST-ARG-9 a group that is not the one the kernel was written for is refused") {
  collet_kernel_info_t info = Launcher::any_kernel();
  info.required_group[0] = 32;
  const Launcher with(info);
  CHECK(with.refused(shape(1, 1, 31, 1), COLLET_ERROR_INVALID_ARGUMENT, "groups of 32 along x"));
  CHECK(with.launch(shape(1, 1, 32, 7)) == COLLET_OK);
}

TEST_CASE("HOST-ARG-9 local memory past the limit is refused, that of the kernel included") {
  collet_kernel_info_t info = Launcher::any_kernel();
  info.local_memory_bytes = 96;
  const Launcher with(info);
  collet_argument_t arguments[2] = {local(2000), local(2000)};
  collet_launch_t desc{{1, 1, 1}, {1, 1, 1}, 2, arguments};
  CHECK(with.launch(desc) == COLLET_OK);
  arguments[1] = local(2001);
  CHECK(with.refused(desc, COLLET_ERROR_OUT_OF_RANGE, "4096 of the device"));
  arguments[1] = local(UINT64_MAX);
  CHECK(with.refused(desc, COLLET_ERROR_OUT_OF_RANGE, "local memory"));
}

TEST_CASE("HOST-ARG-9 arguments are counted and compared with what the kernel takes") {
  collet_kernel_info_t info = Launcher::any_kernel();
  info.argument_count = 2;
  info.argument_kinds[0] = COLLET_ARGUMENT_LOCAL;
  const Launcher with(info);
  collet_argument_t arguments[3] = {local(1), local(1), local(1)};
  collet_launch_t desc{{1, 1, 1}, {1, 1, 1}, 2, arguments};
  CHECK(with.launch(desc) == COLLET_OK);
  desc.argument_count = 3;
  CHECK(with.refused(desc, COLLET_ERROR_INVALID_ARGUMENT, "3 arguments"));
  desc.argument_count = 2;
  arguments[0].kind = COLLET_ARGUMENT_BUFFER;
  arguments[0].buffer = with.objects->buffer.get();
  CHECK(with.refused(desc, COLLET_ERROR_INVALID_ARGUMENT, "a buffer"));
}

TEST_CASE("HOST-ARG-9 a kernel that does not tell its arguments takes up to 64") {
  const Launcher with;
  const std::vector<collet_argument_t> arguments(65, local(1));
  collet_launch_t desc{{1, 1, 1}, {1, 1, 1}, 64, arguments.data()};
  CHECK(with.launch(desc) == COLLET_OK);
  CHECK(with.on.script.last_arguments.size() == 64);
  desc.argument_count = 65;
  CHECK(with.refused(desc, COLLET_ERROR_INVALID_ARGUMENT, "at most 64"));
}

}  // namespace collet::test
