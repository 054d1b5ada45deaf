// SPDX-License-Identifier: Apache-2.0
/** Is an image a whole shared object for this machine? */
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace collet::cpu {

/**
 * Looks at all that tells where something lies in the file, so that the loader, which maps without
 * looking, does not fault.
 *
 * @return What is wrong; empty for a sound image. Code and symbols are not judged.
 */
[[nodiscard]] std::string elf_fault(std::span<const std::byte> image);

}  // namespace collet::cpu
