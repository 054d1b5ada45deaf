// SPDX-License-Identifier: Apache-2.0
/** OpenCL's error codes: their names, and what they mean to the host. */
#pragma once

#include <collet/sdk/error.hpp>
#include <string>

#include "icd.hpp"

namespace collet::opencl {

/** "CL_OUT_OF_RESOURCES"; "CL error -9999" for a code that no header has. */
[[nodiscard]] std::string cl_error_name(cl_int code);

/** What `call` has answered, as the host is told. */
[[nodiscard]] plugin::Error cl_error(cl_int code, const std::string& call);

/** @throws Error where `code` is one. */
inline void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw cl_error(code, call);
}

}  // namespace collet::opencl
