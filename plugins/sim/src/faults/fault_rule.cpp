// SPDX-License-Identifier: Apache-2.0
#include "fault_rule.hpp"

#include <algorithm>
#include <charconv>

#include "../quantity.hpp"
#include "../setting_text.hpp"

namespace collet::sim {
namespace {

constexpr std::string_view kAny = "any";
constexpr std::string_view kMemory = "memory";

std::string kind_list() {
  std::string list;
  for (std::size_t i = 0; i < kKinds; ++i) {
    list += std::string(name_of(static_cast<Kind>(i))) + ", ";
  }
  return list + "any and memory";
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    rule_.text = text;
    // What is shown of a rule later goes to logs as well.
    std::replace_if(
        rule_.text.begin(), rule_.text.end(), [](char c) { return c < ' ' || c > '~'; }, '.');
  }

  FaultRule parse() {
    const std::vector<std::string_view> parts = split(text_, ':');
    kind(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) part(parts[i]);
    check();
    return std::move(rule_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { refuse_item(text_, what); }

  void kind(std::string_view name) {
    is_budget_ = name == kMemory;
    if (name == kAny || is_budget_) return;
    for (std::size_t i = 0; i < kKinds; ++i) {
      if (name == name_of(static_cast<Kind>(i))) {
        rule_.kind = static_cast<Kind>(i);
        return;
      }
    }
    refuse("there is no kind " + quoted(name) + "; there are " + kind_list());
  }

  void part(std::string_view part) {
    const auto [key, value] = key_and_value(part);
    if (key == "nth" || key == "from") {
      rule_.first = number(key, value, 1, UINT64_MAX);
      rule_.and_after = key == "from";
      once(has_count_, "nth or from");
    } else if (key == "device") {
      rule_.device = static_cast<std::uint32_t>(number(key, value, 0, UINT32_MAX));
    } else if (key == "kernel" && !value.empty()) {
      rule_.kernel = value;
    } else {
      once(has_effect_, "an effect");
      effect(part, key, value);
    }
  }

  void effect(std::string_view part, std::string_view key, std::string_view value) {
    if (part == "trap") {
      rule_.effect = Effect::kTrap;
    } else if (part == "lose") {
      rule_.effect = Effect::kLose;
    } else if (part == "reuse") {
      rule_.effect = Effect::kReuse;
    } else if (part == "corrupt") {
      rule_.effect = Effect::kCorrupt;
    } else if (key == "delay") {
      const auto delay = parse_duration_ns(value);
      if (!delay) refuse(std::string("the delay must be ") + kDurationExample);
      rule_.effect = Effect::kDelay;
      rule_.delay_ns = *delay;
    } else if (key == "budget") {
      const auto budget = parse_size(value);
      if (!budget) refuse("the budget must be a size such as 256MiB");
      rule_.effect = Effect::kBudget;
      rule_.budget_bytes = *budget;
    } else {
      refuse("there is no part " + quoted(part) +
             "; there are nth=, from=, device=, kernel=, trap, lose, delay=, corrupt, budget= and "
             "reuse");
    }
  }

  void once(bool& has, const char* what) const {
    if (has) refuse(std::string(what) + " is given twice");
    has = true;
  }

  [[nodiscard]] std::uint64_t number(std::string_view key, std::string_view value,
                                     std::uint64_t least, std::uint64_t greatest) const {
    std::uint64_t result = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, fault] = std::from_chars(value.data(), end, result);
    if (value.empty() || fault != std::errc() || stop != end || result < least ||
        result > greatest) {
      refuse(std::string(key) + " must be a whole number from " + std::to_string(least));
    }
    return result;
  }

  /** Whether the parts make sense together. */
  void check() const {
    const Effect effect = rule_.effect;
    if (is_budget_ != (effect == Effect::kBudget)) {
      refuse(is_budget_ ? "what memory has is a budget, such as memory:budget=256MiB"
                        : "a budget is of memory, such as memory:budget=256MiB");
    }
    if (!rule_.kernel.empty() && rule_.kind != Kind::kLaunch) {
      refuse("only launches have a kernel, as in launch:kernel=saxpy");
    }
    if (effect == Effect::kReuse && rule_.kind != Kind::kStream && rule_.kind != Kind::kAllocate) {
      refuse("what is reused is of a stream or of memory: stream:reuse, allocate:reuse");
    }
    if ((effect == Effect::kReuse || is_budget_) && has_count_) {
      refuse("a budget, and reuse, count no calls");
    }
    if (effect == Effect::kReuse && rule_.device) refuse("reuse is for all devices");
    if (effect == Effect::kCorrupt && rule_.kind != Kind::kCopyPeer) {
      refuse("what is corrupted is a copy to another device: copy_peer:corrupt");
    }
    const bool runs = !rule_.kind || does_work(*rule_.kind);
    if ((effect == Effect::kTrap || effect == Effect::kLose || effect == Effect::kDelay) && !runs) {
      refuse("trap, lose and delay are for copies, fills and launches");
    }
  }

  const std::string_view text_;
  FaultRule rule_;
  bool is_budget_ = false;
  bool has_count_ = false;
  bool has_effect_ = false;
};

}  // namespace

bool FaultRule::fits(Kind asked, std::uint32_t on_device, std::string_view subject) const noexcept {
  return (kind ? *kind == asked : does_work(asked)) && device.value_or(on_device) == on_device &&
         (kernel.empty() || kernel == subject);
}

std::vector<FaultRule> parse_faults(std::string_view text) {
  std::vector<FaultRule> rules;
  for (const std::string_view rule : split(text, ',')) rules.push_back(Parser(rule).parse());
  return rules;
}

}  // namespace collet::sim
