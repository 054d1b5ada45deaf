// SPDX-License-Identifier: Apache-2.0
// Copies between devices that do not know each other: through host memory.
#include <collet/stream.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "pool/waiting_releases.hpp"
#include "sync_report.hpp"

namespace collet::loader {
namespace {

constexpr const char* kFunction = "collet_stream_copy_across";

// Large enough that a piece costs much more than a call, and small enough for caches.
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

// One side of a copy.
struct Side {
  const Stream& stream;
  const Buffer& buffer;
  std::uint64_t offset_bytes;
};

void check_side(const char* what, const Side& side, std::uint64_t size_bytes) {
  same_device(kFunction, what, *side.buffer.device, *side.stream.device);
  if (!fits(side.offset_bytes, size_bytes, side.buffer)) {
    throw Error(COLLET_ERROR_OUT_OF_RANGE, "the " + std::string(what) + " range, " +
                                               std::to_string(size_bytes) + " bytes at offset " +
                                               std::to_string(side.offset_bytes) +
                                               ", ends past its buffer of " +
                                               std::to_string(side.buffer.size_bytes) + " bytes");
  }
}

void check_status(const Side& side, collet_status_t status) {
  if (status != COLLET_OK) {
    throw_plugin_error(status, side.stream.device->backend_name);
  }
}

void wait_for(const Side& side, const Deadline& deadline) {
  check_status(side, side.stream.table->synchronize(side.stream.impl, nanoseconds_until(deadline)));
}

void copy_pieces(const Side& to, const Side& from, std::uint64_t size_bytes) {
  std::vector<std::byte> piece(std::min(kPieceBytes, size_bytes));
  for (std::uint64_t done = 0; done < size_bytes; done += piece.size()) {
    const std::uint64_t bytes = std::min<std::uint64_t>(piece.size(), size_bytes - done);
    check_status(from, from.stream.table->read(from.stream.impl, piece.data(), from.buffer.memory,
                                               from.buffer.offset_bytes + from.offset_bytes + done,
                                               bytes, 0, COLLET_TIMEOUT_INFINITE));
    check_status(to, to.stream.table->write(to.stream.impl, to.buffer.memory,
                                            to.buffer.offset_bytes + to.offset_bytes + done,
                                            piece.data(), bytes, 0, COLLET_TIMEOUT_INFINITE));
  }
}

std::uint64_t timeout_of(const collet_transfer_desc_t* desc) {
  const auto own = read_optional(desc, COLLET_STRUCT_TRANSFER_DESC, "desc");
  if ((own.flags & COLLET_TRANSFER_NON_BLOCKING) != 0) {
    throw Error(
        COLLET_ERROR_INVALID_ARGUMENT,
        "desc.flags has COLLET_TRANSFER_NON_BLOCKING, and a copy through host memory blocks");
  }
  check_flags(own.flags, 0, "desc.flags");
  return own.timeout_ns == 0 ? COLLET_TIMEOUT_INFINITE : own.timeout_ns;
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_stream_copy_across(collet_stream_t* dst_stream, collet_buffer_t* dst,
                                          uint64_t dst_offset_bytes, collet_stream_t* src_stream,
                                          collet_buffer_t* src, uint64_t src_offset_bytes,
                                          uint64_t size_bytes, const collet_transfer_desc_t* desc) {
  return guarded(__func__, [&] {
    require_entry();
    const Side to{need(kFunction, dst_stream), need(kFunction, dst), dst_offset_bytes};
    const Side from{need(kFunction, src_stream), need(kFunction, src), src_offset_bytes};
    const Deadline deadline = deadline_after(timeout_of(desc));
    check_side("destination", to, size_bytes);
    check_side("source", from, size_bytes);
    if (&to.buffer == &from.buffer && dst_offset_bytes < src_offset_bytes + size_bytes &&
        src_offset_bytes < dst_offset_bytes + size_bytes) {
      throw Error(COLLET_ERROR_OVERLAP,
                  "source and destination share bytes of one buffer; copy through another buffer");
    }
    report_wait(kFunction, "waits for all earlier work of both streams");
    wait_for(from, deadline);
    wait_for(to, deadline);
    copy_pieces(to, from, size_bytes);
  });
}
