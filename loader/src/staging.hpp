// SPDX-License-Identifier: Apache-2.0
// Copies of pageable host memory by way of pinned memory: from it, so that they do not wait for the
// stream and the caller has its memory back at once; and of rows, so that they are one command.
#pragma once

#include <cstddef>
#include <cstdint>

#include "objects.hpp"
#include "pinned_ranges.hpp"
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

// Rows of equal length in a buffer and in host memory, at least one of at least one byte.
struct Rows {
  const Buffer* buffer;
  // Where the first one begins there.
  std::uint64_t offset_bytes;
  std::uint64_t pitch_bytes;
  std::byte* host;
  std::uint64_t host_pitch_bytes;
  std::uint64_t width_bytes;
  std::uint64_t height;
  // To the buffer; to the host otherwise.
  bool is_write;

  // `count` of them, from the one of that index on.
  [[nodiscard]] Rows part(std::uint64_t first, std::uint64_t count) const noexcept;
};

// Enqueues the copy of rows whose host side is pinned memory, where they lie `pitch_bytes` apart.
void enqueue_rows(const Stream& on, const Rows& rows, const PinnedPlace& place,
                  std::uint64_t pitch_bytes);

// As stage_write(), for rows; also false if they are too many.
[[nodiscard]] bool stage_rows(const Stream& on, const Rows& rows, const Deadline& deadline);

// Copies rows of pageable memory on a stream that has nothing else to do, and waits for that.
void copy_rows(const Stream& on, const Rows& rows);

}  // namespace collet::loader
