// SPDX-License-Identifier: Apache-2.0
/** Structs of the interface, with their head filled and all else 0. */
#pragma once

#include <collet/device.h>
#include <collet/ops.h>
#include <collet/program.h>
#include <collet/stream.h>

namespace collet::conformance {

template <class Struct>
inline constexpr collet_struct_type_t kStructType = COLLET_STRUCT_TYPE_MAX;
template <>
inline constexpr auto kStructType<collet_device_properties_t> = COLLET_STRUCT_DEVICE_PROPERTIES;
template <>
inline constexpr auto kStructType<collet_stream_desc_t> = COLLET_STRUCT_STREAM_DESC;
template <>
inline constexpr auto kStructType<collet_stream_failure_t> = COLLET_STRUCT_STREAM_FAILURE;
template <>
inline constexpr auto kStructType<collet_program_desc_t> = COLLET_STRUCT_PROGRAM_DESC;
template <>
inline constexpr auto kStructType<collet_kernel_info_t> = COLLET_STRUCT_KERNEL_INFO;
template <>
inline constexpr auto kStructType<collet_op_desc_t> = COLLET_STRUCT_OP_DESC;
template <>
inline constexpr auto kStructType<collet_op_support_t> = COLLET_STRUCT_OP_SUPPORT;

/** What the _INIT macros give to C. */
template <class Struct>
[[nodiscard]] Struct make_struct() noexcept {
  static_assert(kStructType<Struct> != COLLET_STRUCT_TYPE_MAX);
  Struct made{};
  made.base.type = kStructType<Struct>;
  made.base.struct_size = sizeof(Struct);
  return made;
}

}  // namespace collet::conformance
