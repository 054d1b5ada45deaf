// SPDX-License-Identifier: Apache-2.0
/** Streams in a line. */
#pragma once

#include <collet/sdk/ref.hpp>

#include <cstddef>
#include <functional>

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
  /** The first that the function wants; nothing if there is none. */
  [[nodiscard]] plugin::Ref<Stream> take_first(const std::function<bool(Stream&)>& wants);
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /** nullptr if there is none. */
  [[nodiscard]] const Stream* first() const noexcept { return first_; }

 private:
  Stream* first_ = nullptr;
  Stream* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace collet::sim
