// SPDX-License-Identifier: Apache-2.0
// What rusticl does otherwise than OpenCL says, in plain OpenCL: the ground for each waiver that
// its conformance has. A case that fails tells that its waiver is not needed any more.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace collet::test {
namespace {

cl_device_id device_of(const std::string& wanted) {
  cl_uint count = 0;
  REQUIRE(clGetPlatformIDs(0, nullptr, &count) == CL_SUCCESS);
  std::vector<cl_platform_id> platforms(count);
  REQUIRE(clGetPlatformIDs(count, platforms.data(), nullptr) == CL_SUCCESS);
  for (cl_platform_id platform : platforms) {
    char name[256] = "";
    REQUIRE(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, nullptr) ==
            CL_SUCCESS);
    cl_device_id device = nullptr;
    if (name == wanted &&
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS) {
      return device;
    }
  }
  FAIL("no device of " << wanted << ": install mesa-opencl-icd, and set RUSTICL_ENABLE=llvmpipe");
  return nullptr;
}

std::string log_of(const char* source, bool builds) {
  cl_device_id const device = device_of("rusticl");
  cl_int status = CL_SUCCESS;
  cl_context const context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_program const program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  CHECK((clBuildProgram(program, 1, &device, "", nullptr, nullptr) == CL_SUCCESS) == builds);
  char log[4096] = "";
  REQUIRE(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, nullptr) ==
          CL_SUCCESS);
  clReleaseProgram(program);
  clReleaseContext(context);
  return log;
}

TEST_CASE("rusticl gives no log of a build that succeeds, whatever the compiler said") {
  CHECK(log_of("#warning look at this\nkernel void k() {}\n", true).empty());
  CHECK(log_of("#error look at this\n", false).find("look at this") != std::string::npos);
}

}  // namespace
}  // namespace collet::test
