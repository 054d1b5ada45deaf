// SPDX-License-Identifier: Apache-2.0
/**
 * Cases, and where they register themselves:
 *
 *     CONFORMANCE_CASE("PLUG-STR-3 synchronize ends after the last command",
 *                      clauses("PLUG-STR-3"), kMandatory,
 *                      does("Shuts a gate behind the last command and looks.")) {
 *       Device& device = test.device();
 *       ...
 *     }
 */
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

namespace collet::conformance {

class Test;

/** What a device may declare to lack. */
enum class Capability {
  /** Programs in a format that the test kernels are written in. */
  kPrograms,
  /** Kernels that can end with a failure: those of the format host-so. */
  kFailingKernels,
  /** Programs in the format collet-c. */
  kSourcePrograms,
  kPinnedMemory,
  kSharedMemory,
  kOperations,
  /** A pool of the device's own. */
  kPool,
  /** Copies to other devices that do not go through the host. */
  kPeers,
};

enum class CaseClass {
  /** Every plugin must pass it. */
  kMandatory,
  /** Every plugin that claims the capability must pass it. */
  kCapability,
  /** As mandatory, but long, and with many threads. */
  kStress,
  /** Needs gigabytes of memory; runs on request only. */
  kLarge,
};

struct Case {
  std::string_view name;
  void (*body)(Test& test) = nullptr;
  std::vector<std::string_view> clauses;
  std::vector<Capability> needs;
  CaseClass kind = CaseClass::kMandatory;
  /** What it does, in a sentence or two. */
  std::string_view does;
  std::chrono::seconds limit{120};
  /** Loads the plugin by itself, in processes of its own. */
  bool is_alone = false;
};

// ---- what can be said of a case
// ------------------------------------------------------------------

struct Clauses {
  std::vector<std::string_view> ids;
  void apply(Case& to) const { to.clauses = ids; }
};
/** The clauses that a case proves. */
template <class... Ids>
Clauses clauses(Ids... ids) {
  return {{ids...}};
}

struct Needs {
  std::vector<Capability> capabilities;
  void apply(Case& to) const {
    to.needs = capabilities;
    if (to.kind == CaseClass::kMandatory) to.kind = CaseClass::kCapability;
  }
};
/** Capabilities without which the case is not supported. */
template <class... Capabilities>
Needs needs(Capabilities... capabilities) {
  return {{capabilities...}};
}

struct Does {
  std::string_view text;
  void apply(Case& to) const { to.does = text; }
};
[[nodiscard]] inline Does does(std::string_view text) { return {text}; }

struct Limit {
  std::chrono::seconds time;
  void apply(Case& to) const { to.limit = time; }
};
/** The watchdog's limit, where the usual one is too short. */
[[nodiscard]] inline Limit limit(std::chrono::seconds time) { return {time}; }

struct Class {
  CaseClass kind;
  void apply(Case& to) const { to.kind = kind; }
};
inline constexpr Class kMandatory{CaseClass::kMandatory};
inline constexpr Class kStress{CaseClass::kStress};
inline constexpr Class kLarge{CaseClass::kLarge};

struct Alone {
  void apply(Case& to) const { to.is_alone = true; }
};
inline constexpr Alone kAlone{};

// ---- the registry
// --------------------------------------------------------------------------------

/** All cases, by the number of their clause and then in the order of their files. */
[[nodiscard]] const std::vector<Case>& all_cases();

[[nodiscard]] std::string_view class_name(CaseClass kind) noexcept;
[[nodiscard]] std::string_view capability_name(Capability capability) noexcept;

/** Adds a case; called before main(). */
bool register_case(Case added);

template <class... Properties>
bool register_case(std::string_view name, void (*body)(Test&), const Properties&... properties) {
  Case added;
  added.name = name;
  added.body = body;
  (properties.apply(added), ...);
  return register_case(std::move(added));
}

}  // namespace collet::conformance

#define COLLET_CONFORMANCE_JOIN(a, b) a##b
#define COLLET_CONFORMANCE_PASTE(a, b) COLLET_CONFORMANCE_JOIN(a, b)
#define COLLET_CONFORMANCE_CASE(id, name, ...)                                   \
  static void COLLET_CONFORMANCE_PASTE(case_, id)([[maybe_unused]] Test & test); \
  [[maybe_unused]] static const bool COLLET_CONFORMANCE_PASTE(kCase, id) =       \
      register_case(name, &COLLET_CONFORMANCE_PASTE(case_, id), __VA_ARGS__);    \
  static void COLLET_CONFORMANCE_PASTE(case_, id)([[maybe_unused]] Test & test)
#define CONFORMANCE_CASE(name, ...) COLLET_CONFORMANCE_CASE(__LINE__, name, __VA_ARGS__)
