// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/in_threads.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

TEST_CASE("PLUG-PRG-1 a bundle without a usable format is unsupported, and both sides are named") {
  const collet_program_image_t images[] = {{"cuda-c", "x", 1}, {"spirv", "y", 1}};
  std::array<char, 256> log{};
  collet_text_t text = {log.data(), log.size(), 0};
  auto desc = headed<collet_program_desc_t>(COLLET_STRUCT_PROGRAM_DESC);
  desc.images = images;
  desc.image_count = 2;
  desc.build_log = &text;
  collet_plugin_program_t* program = nullptr;
  CHECK(plugin().program->create(plugin().device, &desc, &program) == COLLET_ERROR_UNSUPPORTED);
  CHECK(program == nullptr);
  for (const char* name : {"cuda-c", "spirv", "host-so"}) {
    CHECK(last_report().message.find(name) != std::string::npos);
  }
  CHECK(text.size_bytes == last_report().message.size());
}

TEST_CASE("PLUG-PRG-1 the usable image of a bundle is taken") {
  const std::vector<unsigned char> image = module_image("good");
  const collet_program_image_t images[] = {{"ptx", "x", 1},
                                           {"host-so", image.data(), image.size()}};
  std::array<char, 8> log = {'x', 'x', '\0'};
  collet_text_t text = {log.data(), log.size(), 99};
  auto desc = headed<collet_program_desc_t>(COLLET_STRUCT_PROGRAM_DESC);
  desc.images = images;
  desc.image_count = 2;
  desc.build_log = &text;
  collet_plugin_program_t* program = nullptr;
  REQUIRE(plugin().program->create(plugin().device, &desc, &program) == COLLET_OK);
  CHECK(text.size_bytes == 0);
  CHECK(log[0] == '\0');
  plugin().program->destroy(program);
}

TEST_CASE("PLUG-PRG-2 an object without a table, or with a malformed one, fails to build") {
  const auto [name, text] = GENERATE(
      table<std::string, std::string>({{"no_symbol", "collet_host_module_v1"},
                                       {"null_table", "there is none"},
                                       {"small_struct", "too small"},
                                       {"small_kernel", "too small"},
                                       {"null_kernels", "entries are missing"},
                                       {"no_name", "kernel 1 has no name"},
                                       {"no_function", "kernel 1 (\"second\") has no function"},
                                       {"many_arguments", "65 arguments"},
                                       {"no_kinds", "no kinds"},
                                       {"bad_kind", "kind 4294967295"},
                                       {"long_scalar", "65 bytes"},
                                       {"half_group", "wants a group"},
                                       {"same_name", "name of an earlier one"}}));
  const BuildResult result = build(module_image(name));
  CHECK(result.status == COLLET_ERROR_BUILD_FAILED);
  CHECK(result.log.find(text) != std::string::npos);
  CHECK(last_report().message == result.log);
}

TEST_CASE("PLUG-PRG-2 an image that is cut off anywhere fails to build") {
  const std::vector<unsigned char> image = module_image("good");
  for (std::size_t size = 0; size < image.size(); size += 1 + size / 8) {
    const BuildResult result = build({image.begin(), image.begin() + static_cast<long>(size)});
    REQUIRE(result.status == COLLET_ERROR_BUILD_FAILED);
    REQUIRE_FALSE(result.log.empty());
  }
  const BuildResult result = build({image.begin(), image.end() - 1});
  CHECK(result.status == COLLET_ERROR_BUILD_FAILED);
}

TEST_CASE("PRG a build log is cut to fit, and its whole length is told") {
  std::array<char, 12> log;
  log.fill('#');
  collet_text_t text = {log.data(), 10, 0};
  const collet_program_image_t images[] = {{"host-so", "garbage", 7}};
  auto desc = headed<collet_program_desc_t>(COLLET_STRUCT_PROGRAM_DESC);
  desc.images = images;
  desc.image_count = 1;
  desc.label = "filters";
  desc.build_log = &text;
  collet_plugin_program_t* program = nullptr;
  CHECK(plugin().program->create(plugin().device, &desc, &program) == COLLET_ERROR_BUILD_FAILED);
  CHECK(last_report().message.find("program \"filters\"") == 0);
  CHECK(text.size_bytes == last_report().message.size());
  CHECK(std::strlen(log.data()) == 9);
  CHECK(log[10] == '#');
}

TEST_CASE("PLUG-PRG-3 a name that is no kernel is answered with the names there are") {
  const Program program(module_image("good"));
  collet_plugin_kernel_t* kernel = nullptr;
  CHECK(plugin().program->kernel_create(program.handle(), "saxp", &kernel) ==
        COLLET_ERROR_NOT_FOUND);
  CHECK(kernel == nullptr);
  CHECK(last_report().message.find("\"count\", \"saxpy\", \"local\"") != std::string::npos);
}

TEST_CASE("PRG a kernel is described as its table says") {
  Program program(module_image("good"));
  auto info = headed<collet_kernel_info_t>(COLLET_STRUCT_KERNEL_INFO);
  REQUIRE(plugin().program->kernel_info(program.kernel("saxpy"), &info) == COLLET_OK);
  CHECK(std::string(info.name) == "saxpy");
  CHECK(info.argument_count == 4);
  CHECK(info.required_group[0] == 256);
  CHECK(info.argument_kinds[1] == COLLET_ARGUMENT_BUFFER);
  CHECK(info.argument_kinds[3] == COLLET_ARGUMENT_SCALAR);
  CHECK(info.argument_kinds[4] == 0);
}

TEST_CASE("PLUG-PRG-4 every group of the grid runs once, with its own index") {
  Program program(module_image("good"));
  collet_plugin_kernel_t* kernel = program.kernel("count");
  const Stream stream(GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND}));
  for (const std::array<std::uint64_t, 3> grid : {std::array<std::uint64_t, 3>{1, 1, 1},
                                                  {7, 1, 1},
                                                  {1, 7, 1},
                                                  {1, 1, 7},
                                                  {13, 11, 5},
                                                  {100'000, 1, 1},
                                                  {0, 5, 5},
                                                  {5, 0, 5},
                                                  {5, 5, 0},
                                                  {UINT64_MAX, UINT64_MAX, 0}}) {
    const std::size_t groups =
        grid[2] == 0 ? 0 : static_cast<std::size_t>(grid[0] * grid[1] * grid[2]);
    const Memory memory((groups + 1) * sizeof(std::uint64_t), 0);
    REQUIRE(launch(stream, kernel, grid, {buffer_argument(memory)}) == COLLET_OK);
    REQUIRE(stream.synchronize() == COLLET_OK);
    std::vector<std::uint64_t> out(groups + 1);
    std::memcpy(out.data(), memory.data(), out.size() * sizeof(std::uint64_t));
    bool is_right = out.back() == 0;
    for (std::size_t i = 0; i < groups; ++i) is_right = is_right && out[i] == i + 1;
    CHECK(is_right);
    CHECK(memory.has_canaries());
  }
}

TEST_CASE("PRG a grid whose groups cannot be counted is refused") {
  Program program(module_image("good"));
  const Memory memory(8);
  const Stream stream;
  CHECK(launch(stream, program.kernel("count"), {std::uint64_t{1} << 40, 1 << 20, 1 << 20},
               {buffer_argument(memory)}) == COLLET_ERROR_OVERFLOW);
  CHECK(stream.query() == COLLET_OK);
}

TEST_CASE("PLUG-PRG-5 arguments are copied before the launch returns") {
  Program program(module_image("good"));
  collet_plugin_kernel_t* kernel = program.kernel("saxpy");
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const std::vector<float> ones(1000, 1.0F);
  const Memory x(4000);
  const Memory y(4000);
  std::memcpy(x.data(), ones.data(), 4000);
  std::memcpy(y.data(), ones.data(), 4000);
  Gate gate;
  gate.shut(stream);
  {
    float a = 3;
    std::uint32_t n = 999;
    std::vector<collet_plugin_argument_t> arguments = {buffer_argument(x), buffer_argument(y),
                                                       scalar_argument(a), scalar_argument(n)};
    REQUIRE(launch(stream, kernel, {4, 1, 1}, arguments, {256, 1, 1}) == COLLET_OK);
    a = 0;
    n = 0;
    std::fill(arguments.begin(), arguments.end(), collet_plugin_argument_t{});
  }
  gate.open();
  REQUIRE(stream.synchronize() == COLLET_OK);
  std::vector<float> out(1000);
  std::memcpy(out.data(), y.data(), 4000);
  CHECK(out[0] == 4.0F);
  CHECK(out[998] == 4.0F);
  CHECK(out[999] == 1.0F);
}

TEST_CASE("PRG a scalar of another size is refused") {
  Program program(module_image("good"));
  const Memory memory(4000);
  const Stream stream;
  const double a = 1;
  const std::uint32_t n = 1;
  CHECK(launch(stream, program.kernel("saxpy"), {1, 1, 1},
               {buffer_argument(memory), buffer_argument(memory), scalar_argument(a),
                scalar_argument(n)},
               {256, 1, 1}) == COLLET_ERROR_INVALID_ARGUMENT);
  CHECK(last_report().message.find("argument 2") != std::string::npos);
}

TEST_CASE("PLUG-PRG-5 many large scalars reach the kernel") {
  Program program(module_image("good"));
  const Stream stream(GENERATE(0U, std::uint32_t{COLLET_STREAM_BACKGROUND}));
  const Memory memory(64, 0);
  std::array<unsigned char, 64> value{};
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<unsigned char>(i + 1);
  const char last = 'x';
  const auto wide = scalar_argument(value);
  REQUIRE(launch(stream, program.kernel("wide"), {1, 1, 1},
                 {buffer_argument(memory), wide, wide, wide, wide, wide, scalar_argument(last)}) ==
          COLLET_OK);
  REQUIRE(stream.synchronize() == COLLET_OK);
  CHECK(std::equal(value.begin(), value.end(), memory.data()));
}

TEST_CASE("PLUG-PRG-6 local memory belongs to one group") {
  Program program(module_image("good"));
  collet_plugin_kernel_t* kernel = program.kernel("local");
  const Stream stream;
  for (const std::array<std::uint64_t, 2> sizes :
       {std::array<std::uint64_t, 2>{0, 0}, {1, 100}, {1000, 1}, {200'000, 60'000}}) {
    const Memory memory(50 * sizeof(std::uint32_t), 0);
    REQUIRE(launch(stream, kernel, {50, 1, 1},
                   {buffer_argument(memory), local_argument(sizes[0]), local_argument(sizes[1]),
                    scalar_argument(sizes)}) == COLLET_OK);
    std::vector<std::uint32_t> out(50);
    std::memcpy(out.data(), memory.data(), 200);
    CHECK(out == std::vector<std::uint32_t>(50, 1));
  }
}

TEST_CASE("PLUG-PRG-7 a launch outlives its kernel and its program") {
  const Stream stream(COLLET_STREAM_BACKGROUND);
  const Memory memory(10 * sizeof(std::uint64_t), 0);
  Gate gate;
  gate.shut(stream);
  {
    Program program(module_image("good"));
    REQUIRE(launch(stream, program.kernel("count"), {10, 1, 1}, {buffer_argument(memory)}) ==
            COLLET_OK);
    program.destroy();
  }
  gate.open();
  REQUIRE(stream.synchronize() == COLLET_OK);
  std::uint64_t tenth = 0;
  std::memcpy(&tenth, memory.data() + 72, sizeof(tenth));
  CHECK(tenth == 10);
}

TEST_CASE("PRG programs are loaded apart from each other, in any order of their ends") {
  // The loader must never give an earlier object for a new image.
  const std::vector<unsigned char> good = module_image("good");
  for (int round = 0; round < 20; ++round) {
    Program first(good);
    CHECK(build(module_image("no_symbol")).status == COLLET_ERROR_BUILD_FAILED);
    Program second(good);
    CHECK(first.kernel("count") != second.kernel("count"));
    first.destroy();
    CHECK(build(module_image("same_name")).status == COLLET_ERROR_BUILD_FAILED);
  }
}

TEST_CASE("PRG an exported image is the program") {
  const std::vector<unsigned char> image = module_image("good");
  const Program program(image);
  std::uint64_t size = 0;
  const char* format = nullptr;
  REQUIRE(plugin().program->export_image(program.handle(), nullptr, 0, &size, &format) ==
          COLLET_OK);
  CHECK(size == image.size());
  CHECK(std::string(format) == "host-so");
  std::vector<unsigned char> out(size, 0x33);
  CHECK(plugin().program->export_image(program.handle(), out.data(), size - 1, &size, &format) ==
        COLLET_ERROR_OUT_OF_RANGE);
  CHECK(out == std::vector<unsigned char>(image.size(), 0x33));
  REQUIRE(plugin().program->export_image(program.handle(), out.data(), out.size(), &size,
                                         &format) == COLLET_OK);
  CHECK(out == image);
}

TEST_CASE("PRG several threads launch one kernel") {
  Program program(module_image("good"));
  collet_plugin_kernel_t* kernel = program.kernel("touch");
  const Memory memory(8, 0);
  std::atomic<int> failures{0};
  in_threads(4, [&](int t) {
    const Stream stream(t % 2 == 0 ? COLLET_STREAM_BACKGROUND : 0);
    for (int i = 0; i < 50; ++i) {
      if (launch(stream, kernel, {20, 1, 1}, {buffer_argument(memory)}) != COLLET_OK) ++failures;
    }
    if (stream.synchronize() != COLLET_OK) ++failures;
  });
  CHECK(failures == 0);
  std::uint64_t total = 0;
  std::memcpy(&total, memory.data(), sizeof(total));
  CHECK(total == 4 * 50 * 20);
}

}  // namespace
}  // namespace collet::test
