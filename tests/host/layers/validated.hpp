// SPDX-License-Identifier: Apache-2.0
// What the cases of COLLET_LAYERS=validate share: two streams, and what the layer has said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate.hpp"
#include "objects.hpp"

namespace collet::test {

// The lines that the layer has logged since the case began.
std::vector<std::string> hazards();

// True if there is one hazard, of that kind, whose line has these parts in this order.
bool found(const std::string& kind, const std::vector<std::string>& parts);

// Whether streams are to work in the background, or inline; the environment says.
bool in_background();
Stream labelled_stream(collet_device_t* device, const char* label);

// Two streams, and buffers of 256 bytes of the first that the second may use too.
struct Validated {
  Validated();
  // Where there is no hazard, a device that checks order itself has said nothing either.
  ~Validated();
  Validated(const Validated&) = delete;
  Validated& operator=(const Validated&) = delete;

  // That device takes what the case does for a hazard, and may.
  void excuse_device(const char* reason);

  [[nodiscard]] Buffer make(const char* tag,
                            collet_memory_kind_t kind = COLLET_MEMORY_DEVICE) const;
  // The same, for the first stream alone.
  [[nodiscard]] Buffer make_own(const char* tag,
                                collet_memory_kind_t kind = COLLET_MEMORY_DEVICE) const;
  // The same, and all of it is written, which the host has waited for.
  [[nodiscard]] Buffer make_written(const char* tag) const;

  static void fill(const Stream& stream, const Buffer& buffer, std::uint64_t offset_bytes = 0,
                   std::uint64_t size_bytes = 256);
  static void copy(const Stream& stream, const Buffer& to, const Buffer& from,
                   std::uint64_t size_bytes = 256);
  static void copy_columns(const Stream& stream, const Buffer& to, const Buffer& from,
                           std::uint64_t column);
  static void write_later(const Stream& stream, const Buffer& to, const void* from,
                          std::uint64_t size_bytes);
  static void read_later(const Stream& stream, void* to, const Buffer& from,
                         std::uint64_t size_bytes);
  void launch(const Stream& stream, const Buffer& buffer, std::uint64_t offset_bytes = 0) const;
  // Adds a half of `from` to itself, 8 values, into the first half of `to`.
  void run(const Stream& stream, const Buffer& to, const Buffer& from) const;

  // Makes a stream wait for what is on the other so far.
  void order(const Stream& before, const Stream& after) const;

  Objects objects;
  Stream first;
  Stream second;
  Plan sum;

 private:
  bool is_device_excused_ = false;
};

// Keeps the memory of what a case releases too early from being freed before the second stream is
// done with it: the first one, whose memory it is, does not get on.
class KeptAlive {
 public:
  explicit KeptAlive(const Validated& on);
  ~KeptAlive();
  KeptAlive(const KeptAlive&) = delete;
  KeptAlive& operator=(const KeptAlive&) = delete;

 private:
  const Validated& on_;
  std::optional<Gate> gate_;
};

// The address of pinned memory.
unsigned char* bytes_of(const Buffer& buffer);

}  // namespace collet::test
