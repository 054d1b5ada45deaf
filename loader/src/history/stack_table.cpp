// SPDX-License-Identifier: Apache-2.0
#include "history/stack_table.hpp"

#include <execinfo.h>

#include <array>

namespace collet::loader {
namespace {

constexpr std::size_t kDeepest = 48;
constexpr std::size_t kMostStacks = 1U << 16;

}  // namespace

std::uint32_t StackTable::add_current() {
  std::array<void*, kDeepest> addresses;
  const int depth = backtrace(addresses.data(), static_cast<int>(addresses.size()));
  const Stack stack(addresses.begin(), addresses.begin() + depth);
  if (const auto known = numbers_.find(stack); known != numbers_.end()) {
    return known->second;
  }
  if (stacks_.size() == kMostStacks) {
    return 0;
  }
  stacks_.push_back(stack);
  const auto number = static_cast<std::uint32_t>(stacks_.size());
  numbers_.emplace(stack, number);
  return number;
}

void StackTable::clear() noexcept {
  stacks_.clear();
  numbers_.clear();
}

}  // namespace collet::loader
