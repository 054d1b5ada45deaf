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

  explicit GuardedBytes(std::span<const std::byte> bytes)
      : all_(kOffset + bytes.size() + kOffset, kGuard), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), all_.begin() + kOffset);
  }

  // With the guards.
  [[nodiscard]] std::span<std::byte> all() { return all_; }
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::span(all_).subspan(kOffset, size_);
  }

  // Throws where a guard has changed.
  void check_guards() const {
    const auto is_whole = [](std::byte value) { return value == kGuard; };
    const std::span<const std::byte> bytes(all_);
    const auto before = bytes.first(kOffset);
    const auto after = bytes.last(kOffset);
    if (!std::all_of(before.begin(), before.end(), is_whole)) {
      throw std::runtime_error("the kernel wrote before the beginning of a buffer");
    }
    if (!std::all_of(after.begin(), after.end(), is_whole)) {
      throw std::runtime_error("the kernel wrote past the end of a buffer");
    }
  }

 private:
  static constexpr std::byte kGuard{0xA5};

  std::vector<std::byte> all_;
  std::size_t size_;
};

}  // namespace collet::test
