// SPDX-License-Identifier: Apache-2.0
/** The format "opencl-binary": what a driver has compiled, and for whom. */
#pragma once

#include <collet/program.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace collet::opencl {

/** Its name: a program's export, which is valid for one device and driver. */
inline constexpr const char* kBinaryFormat = "opencl-binary";

/**
 * Drivers trust the binaries that they are given, so each is wrapped: who made it, how long it is,
 * and a checksum.
 *
 * @param signature  As of Device::signature().
 */
[[nodiscard]] std::vector<std::byte> wrap_binary(const std::vector<unsigned char>& binary,
                                                 const std::string& signature);

/**
 * The driver's binary inside an image.
 * @throws Error BUILD_FAILED if it is cut, changed, or of another device or driver.
 */
[[nodiscard]] std::span<const unsigned char> unwrap_binary(const collet_program_image_t& image,
                                                           const std::string& signature);

}  // namespace collet::opencl
