// SPDX-License-Identifier: Apache-2.0
#include "cl_error.hpp"
#include "support/catch.hpp"

namespace collet::opencl {
namespace {

TEST_CASE("an error code of OpenCL is told by its name") {
  CHECK(cl_error_name(CL_OUT_OF_RESOURCES) == "CL_OUT_OF_RESOURCES");
  CHECK(cl_error_name(CL_MAX_SIZE_RESTRICTION_EXCEEDED) == "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
  CHECK(cl_error_name(-9999) == "CL error -9999");
}

TEST_CASE("every error code of OpenCL 3.0 has a name") {
  // -20 to -29 and those past -72 are not given.
  for (int code = -1; code >= -19; --code) CHECK(cl_error_name(code).find("CL_") == 0);
  for (int code = -30; code >= -72; --code) CHECK(cl_error_name(code).find("CL_") == 0);
}

TEST_CASE("an error names the call and the code, and has the status that the host acts on") {
  const plugin::Error error = cl_error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
  CHECK(error.status() == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(error.native_code() == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(error.native_name() == "CL_MEM_OBJECT_ALLOCATION_FAILURE");
  CHECK(std::string(error.what()) == "clCreateBuffer answers CL_MEM_OBJECT_ALLOCATION_FAILURE");
  CHECK(cl_error(CL_DEVICE_NOT_AVAILABLE, "clFlush").status() == COLLET_ERROR_DEVICE_LOST);
  CHECK(cl_error(CL_INVALID_BINARY, "clBuildProgram").status() == COLLET_ERROR_BUILD_FAILED);
  CHECK(cl_error(CL_INVALID_CONTEXT, "clFlush").status() == COLLET_ERROR_INTERNAL);
}

}  // namespace
}  // namespace collet::opencl
