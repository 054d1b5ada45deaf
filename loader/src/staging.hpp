// SPDX-License-Identifier: Apache-2.0
// Copies from pageable host memory that do not wait for the stream: by way of pinned memory, so
// that the caller has its memory back at once.
#pragma once

#include <cstdint>

#include "objects.hpp"
#include "pool/waiting_releases.hpp"

namespace collet::loader {

// Whether copies of that size can be staged.
[[nodiscard]] bool can_stage(const Device& device, std::uint64_t size_bytes) noexcept;

// Enqueues the copy. Waits if much is staged already, until the deadline. False if there is no
// pinned memory for it. Throws TIMEOUT, and the failure of the stream. Where it does not enqueue
// it, nothing is.
[[nodiscard]] bool stage_write(const Stream& on, const Buffer& to, std::uint64_t offset_bytes,
                               const void* from, std::uint64_t size_bytes,
                               const Deadline& deadline);

}  // namespace collet::loader
