// SPDX-License-Identifier: Apache-2.0
// What was found: each pair of places is told once.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "layers/validate/place.hpp"

namespace collet::loader::validate {

class Reports {
 public:
  // A hazard of a kind, such as "missing order", that is about two places. `text` makes the text;
  // it is asked for the first report of the pair.
  template <class Text>
  void add(const char* kind, const Place& first, const Place& second, Text&& text) {
    if (seen_.emplace(kind, first, second).second) {
      ++count_;
      pending_.push_back(std::string("validate: ") + kind + ": " + text());
    }
  }

  // How many there are.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  // Those that are still to be logged.
  [[nodiscard]] std::vector<std::string> take() noexcept { return std::exchange(pending_, {}); }

 private:
  std::set<std::tuple<std::string, Place, Place>> seen_;
  std::uint64_t count_ = 0;
  std::vector<std::string> pending_;
};

}  // namespace collet::loader::validate
