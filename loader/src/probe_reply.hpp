// SPDX-License-Identifier: Apache-2.0
// What the helper process of a probe writes, and what can be told from it.
//
// The reply is a sequence of records {kind: u8, size: u32, content}. Each step is announced before
// it begins, so that a reply that breaks off tells where; the last record is the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "error.hpp"
#include "plugin_facts.hpp"

namespace collet::loader {

enum class ProbeStep : std::uint8_t { kStart, kLoad, kNegotiate, kCount, kDescribe };

// "while it was being loaded"
const char* step_text(ProbeStep step) noexcept;

// A reply that is longer is not read.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{8} << 20;

struct ProbeReply {
  // The step that was begun last.
  ProbeStep step = ProbeStep::kStart;
  // The answer: one of the two. Both are missing if there was none.
  std::optional<PluginFacts> facts;
  std::optional<Error> failure;
  // The failure is the dynamic linker's: nothing of the plugin has run.
  bool link_failed = false;
  // There is something behind the answer, or something that is no record.
  bool garbled = false;

  [[nodiscard]] bool is_answer() const noexcept { return facts || failure; }
};

// Never throws for what the bytes are.
ProbeReply parse_reply(std::string_view bytes);

// The records, as bytes.
std::string step_record(ProbeStep step);
std::string facts_record(const PluginFacts& facts);
std::string failure_record(const Error& failure, bool link_failed);

}  // namespace collet::loader
