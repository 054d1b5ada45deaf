// SPDX-License-Identifier: Apache-2.0
#include "contract.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "plug_contract.h"

namespace collet::conformance {
namespace {

constexpr std::string_view kHeading = "### ";
constexpr std::string_view kPrefix = "PLUG-";

std::string with_prefix(std::string_view id) {
  return id.starts_with(kPrefix) ? std::string(id) : std::string(kPrefix) + std::string(id);
}

/** Levenshtein distance. */
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const Contract& Contract::instance() {
  static const Contract kContract(
      {reinterpret_cast<const char*>(plug_contract), plug_contract_size});
  return kContract;
}

Contract::Contract(std::string_view markdown) {
  std::istringstream lines{std::string(markdown)};
  std::string line;
  bool is_inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with(kHeading)) {
      const std::size_t id_end = line.find(' ', kHeading.size());
      is_inside = id_end != std::string::npos;
      if (!is_inside) continue;
      clauses_.push_back(
          {line.substr(kHeading.size(), id_end - kHeading.size()), line.substr(id_end + 1), ""});
    } else if (line.starts_with('#')) {
      is_inside = false;
    } else if (is_inside && !line.empty()) {
      std::string& text = clauses_.back().text;
      text += (text.empty() ? "" : " ") + line;
    }
  }
}

std::size_t Contract::position(std::string_view id) const {
  const std::string wanted = with_prefix(id);
  const auto found = std::find_if(clauses_.begin(), clauses_.end(),
                                  [&](const Clause& clause) { return clause.id == wanted; });
  return static_cast<std::size_t>(found - clauses_.begin());
}

const Clause* Contract::find(std::string_view id) const {
  const std::size_t at = position(id);
  return at == clauses_.size() ? nullptr : &clauses_[at];
}

const std::string& Contract::nearest(std::string_view id) const {
  const std::string wanted = with_prefix(id);
  return std::min_element(clauses_.begin(), clauses_.end(),
                          [&](const Clause& a, const Clause& b) {
                            return distance(a.id, wanted) < distance(b.id, wanted);
                          })
      ->id;
}

}  // namespace collet::conformance
