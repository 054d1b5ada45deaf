// SPDX-License-Identifier: Apache-2.0
// Released blocks that other streams than their arena's still use.
//
// Each stream has a queue of its own, in the order in which it gets through its work, so that a
// slow stream blocks nobody else's. One object serves all pools of a device.
#pragma once

#include <boost/intrusive/list.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device.hpp"

namespace collet::loader {

class Arena;
struct Block;
struct StreamState;
class UsedBlock;

// That one stream uses a block.
struct StreamUse : boost::intrusive::list_base_hook<> {
  explicit StreamUse(std::shared_ptr<StreamState> by) : stream(std::move(by)) {}

  std::shared_ptr<StreamState> stream;
  collet_plugin_event_t* event = nullptr;
  UsedBlock* owner = nullptr;
};

// The streams that use a block. Made with the declaration, so that a release cannot fail.
class UsedBlock : public boost::intrusive::list_base_hook<> {
 public:
  void add(std::shared_ptr<StreamState> stream);
  [[nodiscard]] bool is_by(const StreamState& stream) const noexcept;
  // The plugin's objects of the streams.
  [[nodiscard]] std::vector<collet_plugin_stream_t*> streams() const;

 private:
  friend class WaitingReleases;

  std::vector<std::unique_ptr<StreamUse>> uses_;
  std::size_t left_ = 0;
  Block* block_ = nullptr;
};

// The uses of one stream, in its order. In the list of queues while it is not empty.
struct UseQueue : boost::intrusive::list_base_hook<> {
  boost::intrusive::list<StreamUse, boost::intrusive::constant_time_size<false>> uses;
};

// The greatest one stands for none.
using Deadline = std::chrono::steady_clock::time_point;

// No time to wait.
inline constexpr Deadline kNow = Deadline::min();

// A time-out of the ABI, from now; 0 is kNow.
[[nodiscard]] Deadline deadline_after(std::uint64_t timeout_ns) noexcept;
// And back.
[[nodiscard]] std::uint64_t nanoseconds_until(const Deadline& deadline) noexcept;

class WaitingReleases {
 public:
  explicit WaitingReleases(Device& device) : device_(device) {}

  // Takes over a block that its buffer has released: it goes back to its arena once the streams
  // have got through the work that they have by now. True if that is so at once; then the block is
  // still the caller's. Never waits.
  [[nodiscard]] bool is_settled(std::unique_ptr<UsedBlock>& used, Block& block) noexcept;

  // Gives back what has become free. A few streams in turn, so that a call costs the same however
  // many there are; or all of them.
  void poll() noexcept { poll(kPolledStreams); }
  void poll_all() noexcept { poll(SIZE_MAX); }

  // Waits until one more use has ended; false if there is none, or the deadline has passed.
  [[nodiscard]] bool wait_for_one(const Deadline& deadline) noexcept;

 private:
  static constexpr std::size_t kPolledStreams = 8;

  using Blocks = boost::intrusive::list<UsedBlock, boost::intrusive::constant_time_size<false>>;

  void poll(std::size_t most_streams) noexcept;
  // Takes a use out of its queue.
  void pop(StreamUse& use) noexcept;
  void push_back(StreamUse& use) noexcept;
  // Notes that the event of a use has passed; moves the block to `done` if it was the last.
  void finish(StreamUse& use, Blocks& done) noexcept;
  static void give_back(Blocks& done) noexcept;
  [[nodiscard]] bool is_complete(const StreamUse& use) const noexcept;

  Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // The one to be polled next is in front.
  boost::intrusive::list<UseQueue> queues_;
  // Threads that have taken something out of a queue and not yet given it back.
  std::size_t busy_ = 0;
};

}  // namespace collet::loader
