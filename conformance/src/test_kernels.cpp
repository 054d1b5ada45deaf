// SPDX-License-Identifier: Apache-2.0
#include "test_kernels.hpp"

#include "conformance_bad_kind.h"
#include "conformance_no_name.h"
#include "conformance_no_symbol.h"
#include "conformance_null_table.h"
#include "conformance_test_kernels.h"
#include "conformance_test_kernels_cl.h"

namespace collet::conformance {
namespace {

collet_program_image_t host_program(const unsigned char* data, std::size_t size) {
  return {COLLET_FORMAT_HOST_SO, data, size};
}

}  // namespace

std::vector<collet_program_image_t> test_kernels_images() {
  return {host_program(conformance_test_kernels, conformance_test_kernels_size),
          {COLLET_FORMAT_OPENCL_C, conformance_test_kernels_cl, conformance_test_kernels_cl_size}};
}

std::vector<MalformedProgram> malformed_programs() {
  return {
      {"exports no collet_host_module_v1",
       host_program(conformance_no_symbol, conformance_no_symbol_size)},
      {"gives no table", host_program(conformance_null_table, conformance_null_table_size)},
      {"has a kernel without a name", host_program(conformance_no_name, conformance_no_name_size)},
      {"has an argument of kind 99", host_program(conformance_bad_kind, conformance_bad_kind_size)},
  };
}

}  // namespace collet::conformance
