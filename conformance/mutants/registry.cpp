// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutant.hpp"

namespace collet::mutants {
namespace {

std::vector<Mutant>& registry() {
  static std::vector<Mutant> mutants;
  return mutants;
}

}  // namespace

bool register_mutant(Mutant added) {
  registry().push_back(std::move(added));
  return true;
}

const std::vector<Mutant>& all_mutants() {
  static const bool kIsSorted = [] {
    std::sort(registry().begin(), registry().end(),
              [](const Mutant& a, const Mutant& b) { return a.id < b.id; });
    return true;
  }();
  static_cast<void>(kIsSorted);
  return registry();
}

}  // namespace collet::mutants
