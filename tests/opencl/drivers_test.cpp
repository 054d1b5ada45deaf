// SPDX-License-Identifier: Apache-2.0
// PoCL and rusticl, each with an LLVM of its own, in one process.
#include <cstring>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::uint32_t kCount = 1000;
constexpr char kSource[] = "kernel void twice(global uint *data) { data[get_global_id(0)] *= 2; }";

const collet_plugin_t& root() {
  static const collet_plugin_t* found = [] {
    const collet_plugin_t* table = nullptr;
    REQUIRE(plugin_query()(host_services(), &table) == COLLET_OK);
    return table;
  }();
  return *found;
}

/** The index of the device of a driver. */
std::uint32_t device_of(const std::string& driver) {
  std::uint32_t count = 0;
  REQUIRE(root().device_count(&count) == COLLET_OK);
  std::string names;
  for (std::uint32_t index = 0; index < count; ++index) {
    auto properties = headed<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
    REQUIRE(root().device_properties(index, &properties) == COLLET_OK);
    names += std::string(properties.name) + "; ";
    if (std::string(properties.name).find("(" + driver + ")") != std::string::npos) return index;
  }
  FAIL("no device of " << driver << " among: " << names
                       << "install pocl-opencl-icd and mesa-opencl-icd");
  return 0;
}

/** A device and its tables. */
struct Opened {
  explicit Opened(std::uint32_t index) {
    REQUIRE(root().device_open(index, &device) == COLLET_OK);
    memory = table<collet_plugin_memory_interface_t>(COLLET_INTERFACE_MEMORY_V1);
    stream = table<collet_plugin_stream_interface_t>(COLLET_INTERFACE_STREAM_V1);
    program = table<collet_plugin_program_interface_t>(COLLET_INTERFACE_PROGRAM_V1);
  }

  template <class Table>
  const Table* table(collet_interface_t id) const {
    const void* found = nullptr;
    const char* reason = nullptr;
    REQUIRE(root().device_interface(device, id, &found, &reason) == COLLET_OK);
    return static_cast<const Table*>(found);
  }

  collet_plugin_device_t* device = nullptr;
  const collet_plugin_memory_interface_t* memory = nullptr;
  const collet_plugin_stream_interface_t* stream = nullptr;
  const collet_plugin_program_interface_t* program = nullptr;
};

collet_plugin_program_t* built(const Opened& on, const char* source) {
  const collet_program_image_t image = {COLLET_FORMAT_OPENCL_C, source, std::strlen(source)};
  auto desc = headed<collet_program_desc_t>(COLLET_STRUCT_PROGRAM_DESC);
  desc.images = &image;
  desc.image_count = 1;
  collet_plugin_program_t* program = nullptr;
  REQUIRE(on.program->create(on.device, &desc, &program) == COLLET_OK);
  return program;
}

/** Builds a kernel, and doubles numbers with it. */
std::vector<std::uint32_t> doubled(const Opened& on, std::vector<std::uint32_t> numbers) {
  collet_plugin_program_t* const program = built(on, kSource);
  collet_plugin_kernel_t* kernel = nullptr;
  REQUIRE(on.program->kernel_create(program, "twice", &kernel) == COLLET_OK);
  const auto stream_desc = headed<collet_stream_desc_t>(COLLET_STRUCT_STREAM_DESC);
  collet_plugin_stream_t* stream = nullptr;
  REQUIRE(on.stream->create(on.device, &stream_desc, &stream) == COLLET_OK);
  const std::uint64_t size = numbers.size() * sizeof(std::uint32_t);
  collet_plugin_memory_t* memory = nullptr;
  REQUIRE(on.memory->allocate(on.device, COLLET_MEMORY_DEVICE, size, 0, &memory) == COLLET_OK);

  REQUIRE(on.stream->write(stream, memory, 0, numbers.data(), size, 0, UINT64_MAX) == COLLET_OK);
  const collet_plugin_argument_t argument = {COLLET_ARGUMENT_BUFFER, 0, memory, 0, nullptr, size};
  const collet_plugin_launch_t launch = {{numbers.size(), 1, 1}, {1, 1, 1}, 1, &argument};
  REQUIRE(on.program->launch(stream, kernel, &launch) == COLLET_OK);
  REQUIRE(on.stream->read(stream, numbers.data(), memory, 0, size, 0, UINT64_MAX) == COLLET_OK);

  on.memory->free(memory);
  on.stream->destroy(stream);
  on.program->kernel_destroy(kernel);
  on.program->destroy(program);
  return numbers;
}

TEST_CASE("two drivers with compilers of their own work side by side in one process") {
  const Opened pocl(device_of("Portable Computing Language"));
  const Opened rusticl(device_of("rusticl"));
  std::vector<std::uint32_t> numbers(kCount);
  std::vector<std::uint32_t> expected(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    numbers[i] = i;
    expected[i] = 4 * i;
  }
  for (int round = 0; round < 3; ++round) {
    CHECK((doubled(pocl, doubled(rusticl, numbers)) == expected));
    CHECK((doubled(rusticl, doubled(pocl, numbers)) == expected));
  }
}

TEST_CASE("PLUG-PRG-9 sizes are told of OpenCL's own types, and 0 of the program's") {
  const char* const source =
      "typedef int int32_t; typedef struct { float m[16]; } float4x4;\n"
      "kernel void k(global int *out, int a, uchar b, float3 c, ulong16 d, int32_t e, float4x4 f) "
      "{\n"
      "  out[0] = a + b + (int)c.x + (int)d.s0 + e + (int)f.m[0];\n}\n";
  for (const char* driver : {"Portable Computing Language", "rusticl"}) {
    INFO(driver);
    const Opened on(device_of(driver));
    collet_plugin_program_t* const program = built(on, source);
    collet_plugin_kernel_t* kernel = nullptr;
    REQUIRE(on.program->kernel_create(program, "k", &kernel) == COLLET_OK);
    auto info = headed<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO);
    REQUIRE(on.program->kernel_info(kernel, &info) == COLLET_OK);
    const std::vector<unsigned> sizes(std::begin(info.argument_sizes),
                                      std::begin(info.argument_sizes) + 7);
    CHECK(sizes == std::vector<unsigned>{0, 4, 1, 16, 128, 0, 0});
    on.program->kernel_destroy(kernel);
    on.program->destroy(program);
  }
}

TEST_CASE("PLUG-DEV-3 devices of different drivers can be told apart") {
  CHECK(device_of("Portable Computing Language") != device_of("rusticl"));
}

}  // namespace
}  // namespace collet::test
