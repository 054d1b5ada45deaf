// SPDX-License-Identifier: Apache-2.0
// COLLET_PLUGINS: the back ends that may be used, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selector.hpp"

namespace collet::loader {

class AllowList {
 public:
  // Allows all.
  AllowList() = default;

  // Takes a list "name{,name}" apart. Throws MALFORMED, with a caret under the first fault.
  explicit AllowList(const Selector& text);

  // The list of COLLET_PLUGINS, or one that allows all where it is not set.
  static AllowList from_environment();

  [[nodiscard]] bool allows(std::string_view name) const noexcept;

  // The names of the list; none where it allows all.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::optional<std::vector<std::string>> names_;
};

}  // namespace collet::loader
