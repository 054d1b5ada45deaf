// SPDX-License-Identifier: Apache-2.0
//
// The result of Stream::download().
#pragma once

#include <collet/event.hpp>
#include <optional>
#include <span>
#include <utility>

namespace collet {

/// Values on their way to host memory. They are reached through wait() only; a Pending that goes
/// unwaited waits too, so that the memory is never written after it. Belongs to one thread.
template <class T>
class [[nodiscard]] Pending {
 public:
  /// Without an event, the copy is complete already.
  Pending(std::span<T> values, std::optional<Event> copied)
      : values_(values), copied_(std::move(copied)) {}
  Pending(Pending&& other) noexcept
      : values_(other.values_), copied_(std::exchange(other.copied_, std::nullopt)) {}
  Pending& operator=(Pending&& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(copied_, other.copied_);
    return *this;
  }
  ~Pending() {
    if (!copied_) return;
    static_cast<void>(collet_event_synchronize(copied_->get(), COLLET_TIMEOUT_INFINITE));
  }

  /// The values. Blocking: waits for the copy; throws the failure of the work before it.
  std::span<T> wait() {
    if (copied_) copied_->synchronize();
    copied_.reset();
    return values_;
  }

 private:
  std::span<T> values_;
  std::optional<Event> copied_;
};

}  // namespace collet
