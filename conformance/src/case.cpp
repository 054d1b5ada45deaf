// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <algorithm>
#include <utility>

#include "contract.hpp"

namespace collet::conformance {
namespace {

std::vector<Case>& registry() {
  static std::vector<Case> cases;
  return cases;
}

std::size_t position_of(const Case& of) {
  return of.clauses.empty() ? SIZE_MAX : Contract::instance().position(of.clauses.front());
}

}  // namespace

bool register_case(Case added) {
  registry().push_back(std::move(added));
  return true;
}

const std::vector<Case>& all_cases() {
  static const bool kIsSorted = [] {
    std::stable_sort(registry().begin(), registry().end(), [](const Case& a, const Case& b) {
      const std::size_t first = position_of(a);
      const std::size_t second = position_of(b);
      return first != second ? first < second : a.name < b.name;
    });
    return true;
  }();
  static_cast<void>(kIsSorted);
  return registry();
}

std::string_view class_name(CaseClass kind) noexcept {
  switch (kind) {
    case CaseClass::kMandatory:
      return "mandatory";
    case CaseClass::kCapability:
      return "capability";
    case CaseClass::kStress:
      return "stress";
    case CaseClass::kLarge:
      return "large";
  }
  return "?";
}

std::string_view capability_name(Capability capability) noexcept {
  switch (capability) {
    case Capability::kPrograms:
      return "programs";
    case Capability::kFailingKernels:
      return "kernels that fail";
    case Capability::kSourcePrograms:
      return "collet-c programs";
    case Capability::kPinnedMemory:
      return "pinned memory";
    case Capability::kSharedMemory:
      return "shared memory";
    case Capability::kOperations:
      return "operations";
    case Capability::kPool:
      return "a pool";
    case Capability::kPeers:
      return "copies to other devices";
  }
  return "?";
}

}  // namespace collet::conformance
