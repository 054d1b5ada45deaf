// SPDX-License-Identifier: Apache-2.0
/**
 * Mutants: ways in which a good plugin is made to break one clause.
 *
 *     MUTANT("str10-source-offset", "PLUG-STR-10", "a copy ignores the offset of its source",
 *            also_breaks("PLUG-STR-1")) {
 *       plugin.stream.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto, auto
 * size) { return good().stream->copy(stream, dst, dst_offset, src, 0, size);
 *       };
 *     }
 */
#pragma once

#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/ops.h>
#include <collet/plugin/peer.h>
#include <collet/plugin/pool.h>
#include <collet/plugin/program.h>
#include <collet/plugin/stream.h>

#include <string_view>
#include <vector>

namespace collet::mutants {

/** Receives what the good plugin reports, and hands on what it likes. */
using ReportFunction = void (*)(collet_status_t status, std::int64_t native_code,
                                const char* native_name, const char* message);

/** What the judge will see: the good plugin's tables, to be changed by a mutant. */
struct Plugin {
  /** What the good plugin is told about the host. */
  collet_host_t host{};
  ReportFunction report = nullptr;
  collet_plugin_t root{};
  /** Which root table a query gives; NULL: the one above. */
  const collet_plugin_t* (*give_root)() = nullptr;
  collet_plugin_memory_interface_t memory{};
  collet_plugin_stream_interface_t stream{};
  collet_plugin_event_interface_t event{};
  collet_plugin_program_interface_t program{};
  collet_plugin_ops_interface_t ops{};
  collet_plugin_pool_interface_t pool{};
  collet_plugin_peer_interface_t peer{};
};

/** The good plugin. Tables of interfaces that it lacks are NULL. */
struct Good {
  const collet_plugin_t* root = nullptr;
  const collet_plugin_memory_interface_t* memory = nullptr;
  const collet_plugin_stream_interface_t* stream = nullptr;
  const collet_plugin_event_interface_t* event = nullptr;
  const collet_plugin_program_interface_t* program = nullptr;
  const collet_plugin_ops_interface_t* ops = nullptr;
  const collet_plugin_pool_interface_t* pool = nullptr;
  const collet_plugin_peer_interface_t* peer = nullptr;
};
[[nodiscard]] const Good& good() noexcept;
/** What the judge sees. */
[[nodiscard]] Plugin& mutated() noexcept;
/** Hands a report on to the judge. */
void report(collet_status_t status, std::int64_t native_code, const char* native_name,
            const char* message);

struct Mutant {
  std::string_view id;
  std::string_view clause;
  /** What is wrong, in a sentence. */
  std::string_view fault;
  /**
   * Assigns slots. Called once more whenever more of the good plugin is known, so that it may do
   * nothing else.
   */
  void (*apply)(Plugin& plugin) = nullptr;
  /** Other clauses that cannot hold either. */
  std::vector<std::string_view> also;
  /** The fault is a crash or a hang, so that one is a kill. */
  bool is_fatal = false;
};

struct AlsoBreaks {
  std::vector<std::string_view> clauses;
  void apply(Mutant& to) const { to.also = clauses; }
};
template <class... Ids>
AlsoBreaks also_breaks(Ids... ids) {
  return {{ids...}};
}

struct Fatal {
  void apply(Mutant& to) const { to.is_fatal = true; }
};
inline constexpr Fatal kFatal{};

/** All mutants, in the order of their ids. */
[[nodiscard]] const std::vector<Mutant>& all_mutants();
bool register_mutant(Mutant added);

template <class... Properties>
bool register_mutant(std::string_view id, void (*apply)(Plugin&), std::string_view clause,
                     std::string_view fault, const Properties&... properties) {
  Mutant added{id, clause, fault, apply, {}, false};
  (properties.apply(added), ...);
  return register_mutant(added);
}

}  // namespace collet::mutants

#define COLLET_MUTANT_JOIN(a, b) a##b
#define COLLET_MUTANT_PASTE(a, b) COLLET_MUTANT_JOIN(a, b)
#define COLLET_MUTANT_DEFINE(line, id, ...)                                         \
  static void COLLET_MUTANT_PASTE(mutate_, line)([[maybe_unused]] Plugin & plugin); \
  [[maybe_unused]] static const bool COLLET_MUTANT_PASTE(kMutant, line) =           \
      register_mutant(id, &COLLET_MUTANT_PASTE(mutate_, line), __VA_ARGS__);        \
  static void COLLET_MUTANT_PASTE(mutate_, line)([[maybe_unused]] Plugin & plugin)
#define MUTANT(id, ...) COLLET_MUTANT_DEFINE(__LINE__, id, __VA_ARGS__)
