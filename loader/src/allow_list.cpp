// SPDX-License-Identifier: Apache-2.0
#include "allow_list.hpp"

#include <algorithm>
#include <utility>

#include "discovery.hpp"
#include "environment.hpp"

namespace collet::loader {
namespace {

constexpr const char* kVariable = "COLLET_PLUGINS";

[[noreturn]] void refuse(const Selector& list, std::size_t offset, const std::string& name) {
  if (name.empty()) {
    throw selector_error(COLLET_ERROR_MALFORMED, list, {offset, 0}, "a name is missing",
                         "write names of back ends, separated by ','");
  }
  throw selector_error(COLLET_ERROR_MALFORMED, list, {offset, name.size()},
                       in_quotes(name) + " is no name of a back end",
                       "names are [a-z][a-z0-9_]*, without blanks");
}

}  // namespace

AllowList::AllowList(const Selector& text) : names_(std::in_place) {
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string::npos; start = end + 1) {
    end = text.text.find(',', start);
    std::string name =
        text.text.substr(start, end == std::string::npos ? std::string::npos : end - start);
    if (!is_backend_name(name)) {
      refuse(text, start, name);
    }
    names_->push_back(std::move(name));
  }
}

AllowList AllowList::from_environment() {
  if (std::optional<std::string> text = variable(kVariable)) {
    return AllowList(Selector{kVariable, *std::move(text)});
  }
  return {};
}

bool AllowList::allows(std::string_view name) const noexcept {
  return !names_ || std::find(names_->begin(), names_->end(), name) != names_->end();
}

std::vector<std::string> AllowList::names() const {
  return names_.value_or(std::vector<std::string>());
}

}  // namespace collet::loader
