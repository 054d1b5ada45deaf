// SPDX-License-Identifier: Apache-2.0
/** Streams in a line. */
#pragma once

#include <collet/sdk/ref.hpp>

namespace collet::sim {

class Stream;

/**
 * First come, first served. Holds a reference to each stream, and never allocates: a stream has
 * room for one line, since it has one turn, or waits for one. Not for several threads.
 */
class StreamList {
 public:
  StreamList() = default;
  StreamList(const StreamList&) = delete;
  StreamList& operator=(const StreamList&) = delete;

  void push(plugin::Ref<Stream> stream) noexcept;
  /** The first; nothing if there is none. */
  [[nodiscard]] plugin::Ref<Stream> pop() noexcept;
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

 private:
  Stream* first_ = nullptr;
  Stream* last_ = nullptr;
};

}  // namespace collet::sim
