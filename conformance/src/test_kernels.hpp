// SPDX-License-Identifier: Apache-2.0
/** The programs that are compiled in; their kernels are in conformance/kernels. */
#pragma once

#include <collet/program.h>

#include <string_view>
#include <vector>

namespace collet::conformance {

/** The program with all test kernels, in each format that they are written in. */
[[nodiscard]] std::vector<collet_program_image_t> test_kernels_images();

struct MalformedProgram {
  std::string_view fault;
  collet_program_image_t image;
};
/** Shared objects that load, but whose table of kernels is not as it must be. */
[[nodiscard]] std::vector<MalformedProgram> malformed_programs();

}  // namespace collet::conformance
