// SPDX-License-Identifier: Apache-2.0
// What collet_add_kernels() puts into a program.
#include <collet/collet.hpp>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "normalize_kernels.h"
#include "support/catch.hpp"

namespace {

std::string source() {
  std::ifstream file(NORMALIZE_CLT, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const collet_program_image_t& image(std::string_view format) {
  for (const collet_program_image_t& one :
       std::span(normalize_kernels.images, normalize_kernels.image_count)) {
    if (one.format == format) return one;
  }
  throw std::out_of_range(std::string(format));
}

std::string text(std::string_view format) {
  return {static_cast<const char*>(image(format).data), image(format).size_bytes};
}

TEST_CASE("collet_add_kernels names the bundle by its file, and keeps the options") {
  CHECK(std::string(normalize_kernels.label) == "normalize.clt");
  CHECK(std::string(normalize_kernels.options) == "-DUNUSED=1 '-DNAMED=\"a b\"'");
}

TEST_CASE("collet_add_kernels gives the source as it is, and behind each definition") {
  CHECK(text(COLLET_FORMAT_COLLET_C) == source());
  for (const char* format : {COLLET_FORMAT_OPENCL_C, COLLET_FORMAT_CUDA_C}) {
    const std::string whole = text(format);
    CHECK(whole.find("#define COLLET_KERNEL(") != std::string::npos);
    CHECK(whole.ends_with("\n#line 1 \"normalize.clt\"\n" + source()));
  }
}

TEST_CASE("collet_add_kernels makes each image a program of its own") {
  const auto [device, format] =
      GENERATE(table<const char*, const char*>({{"cpu", COLLET_FORMAT_HOST_SO},
                                                {"cpu", COLLET_FORMAT_COLLET_C},
                                                {"sim", COLLET_FORMAT_HOST_SO},
                                                {"sim", COLLET_FORMAT_COLLET_C}}));
  const collet::Program program(collet::Device::open(device), {image(format)},
                                {.compiler = normalize_kernels.options, .label = "normalize.clt"});
  CHECK(program.kernels().size() == 2);
  CHECK(program.kernel("scale").info().argument_count == 3);
}

}  // namespace
