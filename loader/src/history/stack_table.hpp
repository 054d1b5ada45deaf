// SPDX-License-Identifier: Apache-2.0
// The stacks of a history, each kept once.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace collet::loader {

// Return addresses, the innermost first.
using Stack = std::vector<void*>;

class StackTable {
 public:
  // The number of the calling thread's stack, from 1. 0: there are too many different ones.
  std::uint32_t add_current();

  // By number, from 1.
  [[nodiscard]] const std::vector<Stack>& stacks() const noexcept { return stacks_; }
  void clear() noexcept;

 private:
  std::vector<Stack> stacks_;
  std::unordered_map<Stack, std::uint32_t, boost::hash<Stack>> numbers_;
};

}  // namespace collet::loader
