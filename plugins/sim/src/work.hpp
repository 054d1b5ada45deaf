// SPDX-License-Identifier: Apache-2.0
/** What a device is asked for, as far as others than the stream must know. */
#pragma once

#include <collet/sdk/failure.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace collet::sim {

/** Commands of a stream, and the other calls that a device may refuse. */
enum class Kind {
  kCopy,
  kCopyRect,
  kCopyPeer,
  kWrite,
  kRead,
  kFill,
  kLaunch,
  kHostFunction,
  kRecord,
  kWaitEvent,
  kAllocate,
  kPin,
  kStream,
  kProgram,
  kConnect
};
inline constexpr std::size_t kKinds = 15;

/** As failures, settings and reports name it. */
[[nodiscard]] constexpr const char* name_of(Kind kind) noexcept {
  constexpr const char* kNames[kKinds] = {
      "copy",   "copy_rect",  "copy_peer", "write", "read",   "fill",    "launch", "host_function",
      "record", "wait_event", "allocate",  "pin",   "stream", "program", "connect"};
  return kNames[static_cast<std::size_t>(kind)];
}

/** Whether it is a command that moves bytes or computes. */
[[nodiscard]] constexpr bool does_work(Kind kind) noexcept { return kind <= Kind::kLaunch; }

/** Bytes that a command uses: rows, where there are several. */
struct Access {
  enum Mode {
    kRead,
    kWrite,
    /** It reads, and may write. */
    kUpdate
  };

  Mode mode;
  /** Where the device's commands find the first. */
  const std::byte* begin;
  std::uint64_t size_bytes;
  /** What makes of that the address that the program knows. */
  std::ptrdiff_t native_offset = 0;
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0;
};

/** Between which memories bytes are moved. */
enum class Path { kInside, kToDevice, kFromDevice, kToPeer };

/** What a command does. */
struct Work {
  Kind kind;
  /** The kernel of a launch; owned by something that the command holds. */
  const char* subject = "";
  /** How many bytes are moved or filled. */
  std::uint64_t size_bytes = 0;
  std::vector<Access> accesses = {};
  Path path = Path::kInside;

  [[nodiscard]] plugin::CommandInfo info() const noexcept { return {name_of(kind), subject}; }
};

}  // namespace collet::sim
