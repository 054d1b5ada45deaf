// SPDX-License-Identifier: Apache-2.0
// Copies between any two devices: directly, where there is a way, and through host memory.
#include <collet/stream.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "peer_path.hpp"
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

Side side_of(const char* what, collet_stream_t* stream, collet_buffer_t* buffer,
             std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  const Side side{need(kFunction, stream), need(kFunction, buffer), offset_bytes};
  same_device(kFunction, what, *side.buffer.device, *side.stream.device);
  if (!fits(offset_bytes, size_bytes, side.buffer)) {
    refuse_range(kFunction, what, offset_bytes, size_bytes, buffer);
    throw_last_error();
  }
  return side;
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

bool is_on_device(const Side& side) noexcept { return side.buffer.kind == COLLET_MEMORY_DEVICE; }

// On the stream of the source, and waits for it. False: it has to go through host memory.
bool copy_directly(const Side& to, const Side& from, std::uint64_t size_bytes) {
  Device& device = *from.stream.device;
  const bool is_one = &device == to.stream.device;
  if (!is_one &&
      !(is_on_device(from) && is_on_device(to) && goes_directly(device, *to.stream.device))) {
    return false;
  }
  const auto copy = is_one ? from.stream.table->copy : device.peer->copy;
  check_status(from,
               copy(from.stream.impl, to.buffer.memory, to.buffer.offset_bytes + to.offset_bytes,
                    from.buffer.memory, from.buffer.offset_bytes + from.offset_bytes, size_bytes));
  check_status(from, from.stream.table->synchronize(from.stream.impl, COLLET_TIMEOUT_INFINITE));
  return true;
}

std::uint64_t timeout_of(const collet_transfer_desc_t* desc) {
  const auto own = read_optional(desc, COLLET_STRUCT_TRANSFER_DESC, "desc");
  if ((own.flags & COLLET_TRANSFER_NON_BLOCKING) != 0) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT,
                "desc.flags has COLLET_TRANSFER_NON_BLOCKING, and a copy between devices blocks");
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
    const Side to = side_of("destination", dst_stream, dst, dst_offset_bytes, size_bytes);
    const Side from = side_of("source", src_stream, src, src_offset_bytes, size_bytes);
    const Deadline deadline = deadline_after(timeout_of(desc));
    if (&to.buffer == &from.buffer &&
        overlaps(dst_offset_bytes, src_offset_bytes, size_bytes, size_bytes)) {
      refuse_overlap(kFunction);
      throw_last_error();
    }
    report_wait(kFunction, "waits for all earlier work of both streams");
    wait_for(from, deadline);
    wait_for(to, deadline);
    if (size_bytes != 0 && !copy_directly(to, from, size_bytes)) {
      copy_pieces(to, from, size_bytes);
    }
  });
}
