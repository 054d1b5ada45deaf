// SPDX-License-Identifier: Apache-2.0
// Names and sizes of the public enumerations, and the library's version.
#include <collet/base.h>
#include <collet/error.h>

#include "descriptor.hpp"

const char* collet_version(void) { return COLLET_VERSION_TEXT; }

uint32_t collet_abi_version(void) { return COLLET_ABI_VERSION; }

// The switches have no default, so that the compiler names an enumerator that is missing.
const char* collet_status_name(collet_status_t status) {
  switch (status) {
#define COLLET_STATUS_CASE(name) \
  case name:                     \
    return #name
    COLLET_STATUS_CASE(COLLET_OK);
    COLLET_STATUS_CASE(COLLET_NOT_READY);
    COLLET_STATUS_CASE(COLLET_ERROR_INVALID_ARGUMENT);
    COLLET_STATUS_CASE(COLLET_ERROR_INVALID_HANDLE);
    COLLET_STATUS_CASE(COLLET_ERROR_WRONG_BACKEND);
    COLLET_STATUS_CASE(COLLET_ERROR_WRONG_DEVICE);
    COLLET_STATUS_CASE(COLLET_ERROR_OUT_OF_RANGE);
    COLLET_STATUS_CASE(COLLET_ERROR_OVERLAP);
    COLLET_STATUS_CASE(COLLET_ERROR_UNSUPPORTED);
    COLLET_STATUS_CASE(COLLET_ERROR_OUT_OF_HOST_MEMORY);
    COLLET_STATUS_CASE(COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
    COLLET_STATUS_CASE(COLLET_ERROR_NO_SUCH_DEVICE);
    COLLET_STATUS_CASE(COLLET_ERROR_MALFORMED);
    COLLET_STATUS_CASE(COLLET_ERROR_UNAVAILABLE);
    COLLET_STATUS_CASE(COLLET_ERROR_INCOMPATIBLE);
    COLLET_STATUS_CASE(COLLET_ERROR_TIMEOUT);
    COLLET_STATUS_CASE(COLLET_ERROR_DEVICE_LOST);
    COLLET_STATUS_CASE(COLLET_ERROR_COMMAND_FAILED);
    COLLET_STATUS_CASE(COLLET_ERROR_BUILD_FAILED);
    COLLET_STATUS_CASE(COLLET_ERROR_NOT_FOUND);
    COLLET_STATUS_CASE(COLLET_ERROR_NOT_RECORDED);
    COLLET_STATUS_CASE(COLLET_ERROR_FORKED);
    COLLET_STATUS_CASE(COLLET_ERROR_REENTRANT);
    COLLET_STATUS_CASE(COLLET_ERROR_INVALID_STATE);
    COLLET_STATUS_CASE(COLLET_ERROR_OVERFLOW);
    COLLET_STATUS_CASE(COLLET_ERROR_INTERNAL);
    COLLET_STATUS_CASE(COLLET_ERROR_IO);
#undef COLLET_STATUS_CASE
    case COLLET_STATUS_MAX:
      break;
  }
  return "?";
}

uint32_t collet_type_size_bytes(collet_type_t type) {
  if (collet::loader::number_of(type) > COLLET_TYPE_U4) {
    return 0;
  }
  switch (type) {
    case COLLET_TYPE_BOOL:
    case COLLET_TYPE_I8:
    case COLLET_TYPE_U8:
    case COLLET_TYPE_F8_E4M3:
    case COLLET_TYPE_F8_E5M2:
      return 1;
    case COLLET_TYPE_I16:
    case COLLET_TYPE_U16:
    case COLLET_TYPE_F16:
    case COLLET_TYPE_BF16:
      return 2;
    case COLLET_TYPE_I32:
    case COLLET_TYPE_U32:
    case COLLET_TYPE_F32:
      return 4;
    case COLLET_TYPE_I64:
    case COLLET_TYPE_U64:
    case COLLET_TYPE_F64:
    case COLLET_TYPE_C64:
      return 8;
    case COLLET_TYPE_C128:
      return 16;
    case COLLET_TYPE_NONE:
    case COLLET_TYPE_I4:
    case COLLET_TYPE_U4:
    case COLLET_TYPE_MAX:
      break;
  }
  return 0;
}

const char* collet_type_name(collet_type_t type) {
  if (collet::loader::number_of(type) > COLLET_TYPE_U4) {
    return "?";
  }
  switch (type) {
    case COLLET_TYPE_NONE:
      return "none";
    case COLLET_TYPE_BOOL:
      return "bool";
    case COLLET_TYPE_I8:
      return "i8";
    case COLLET_TYPE_U8:
      return "u8";
    case COLLET_TYPE_I16:
      return "i16";
    case COLLET_TYPE_U16:
      return "u16";
    case COLLET_TYPE_I32:
      return "i32";
    case COLLET_TYPE_U32:
      return "u32";
    case COLLET_TYPE_I64:
      return "i64";
    case COLLET_TYPE_U64:
      return "u64";
    case COLLET_TYPE_F16:
      return "f16";
    case COLLET_TYPE_BF16:
      return "bf16";
    case COLLET_TYPE_F32:
      return "f32";
    case COLLET_TYPE_F64:
      return "f64";
    case COLLET_TYPE_F8_E4M3:
      return "f8_e4m3";
    case COLLET_TYPE_F8_E5M2:
      return "f8_e5m2";
    case COLLET_TYPE_C64:
      return "c64";
    case COLLET_TYPE_C128:
      return "c128";
    case COLLET_TYPE_I4:
      return "i4";
    case COLLET_TYPE_U4:
      return "u4";
    case COLLET_TYPE_MAX:
      break;
  }
  return "?";
}
