// SPDX-License-Identifier: Apache-2.0
//
// What streams still do with memory that the host reads and writes too.
#pragma once

#include <algorithm>
#include <collet/event.hpp>
#include <collet/memory.hpp>
#include <collet/stream.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace collet::detail {

/// The last write by a stream, and the reads since, for the host and for other streams to wait for.
class DeviceUses {
 public:
  /// Records `command()`, which reads the memory and uses these buffers, on a stream: behind the
  /// last write.
  template <class Command>
  void read_by(const Stream& stream, Command&& command, BufferOffset first, BufferOffset second) {
    if (written_) order(stream, *written_);
    // What is to be noted must not fail when the command is recorded.
    reads_.reserve(reads_.size() + 1);
    command();
    Use use{stream, stream.mark(first, second)};
    const auto earlier = std::find_if(reads_.begin(), reads_.end(), [&](const Use& read) {
      return read.stream.get() == stream.get();
    });
    if (earlier == reads_.end()) {
      reads_.push_back(std::move(use));
    } else {
      *earlier = std::move(use);
    }
  }

  /// As read_by(), for one that writes: behind all that came before.
  template <class Command>
  void write_by(const Stream& stream, Command&& command, BufferOffset first, BufferOffset second) {
    if (written_) order(stream, *written_);
    for (const Use& read : reads_) order(stream, read);
    command();
    written_.emplace(stream, stream.mark(first, second));
    reads_.clear();
  }

  /// Returns when the memory holds what was last written. Throws what that has failed by.
  void wait_for_write() {
    if (!written_) return;
    written_->done.synchronize();
    written_.reset();
  }

  /// Returns when no stream uses the memory, however that has ended.
  void wait_until_unused() {
    for (; !reads_.empty(); reads_.pop_back()) wait_until_over(reads_.back());
    if (written_) wait_until_over(*written_);
    written_.reset();
  }

 private:
  struct Use {
    Use(Stream by, Event end) : stream(std::move(by)), done(std::move(end)) {}

    Stream stream;
    Event done;
  };

  static void order(const Stream& stream, const Use& use) {
    if (use.stream.get() != stream.get()) stream.wait(use.done);
  }

  static void wait_until_over(const Use& use) {
    const collet_status_t status =
        collet_event_synchronize(use.done.get(), COLLET_TIMEOUT_INFINITE);
    // Those two end the use as well; any other failure is one to wait.
    if (status == COLLET_ERROR_COMMAND_FAILED || status == COLLET_ERROR_DEVICE_LOST) return;
    check(status);
  }

  std::optional<Use> written_;
  /// One for each stream.
  std::vector<Use> reads_;
};

}  // namespace collet::detail
