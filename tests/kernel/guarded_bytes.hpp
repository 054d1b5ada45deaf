// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace collet::test {

// The bytes of a buffer, between others that nobody may write.
class GuardedBytes {
 public:
  // A multiple of what devices want the offset of a buffer to be.
  static constexpr std::size_t kOffset = 1024;

  explicit GuardedBytes(std::span<const std::byte> bytes, std::size_t offset = kOffset)
      : all_(offset + bytes.size() + offset, kGuard), offset_(offset) {
    std::copy(bytes.begin(), bytes.end(), all_.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  // With the guards.
  [[nodiscard]] std::span<std::byte> all() { return all_; }

  // Gives the bytes to `target`; without one they must be as before. Throws where a guard changed.
  void deliver(std::byte* target, std::span<const std::byte> before) const {
    const std::span<const std::byte> bytes(all_);
    if (!are_guards(bytes.first(offset_))) {
      throw std::runtime_error("the kernel wrote before the beginning of a buffer");
    }
    if (!are_guards(bytes.last(offset_))) {
      throw std::runtime_error("the kernel wrote past the end of a buffer");
    }
    const auto now = bytes.subspan(offset_, before.size());
    if (target != nullptr) {
      std::copy(now.begin(), now.end(), target);
    } else if (!std::equal(now.begin(), now.end(), before.begin())) {
      throw std::runtime_error("the kernel wrote to a buffer that it was given to read");
    }
  }

 private:
  static constexpr std::byte kGuard{0xA5};

  static bool are_guards(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte value) { return value == kGuard; });
  }

  std::vector<std::byte> all_;
  std::size_t offset_;
};

}  // namespace collet::test
