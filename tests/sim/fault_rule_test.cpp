// SPDX-License-Identifier: Apache-2.0
#include "faults/fault_rule.hpp"

#include <collet/sdk/error.hpp>

#include "support/catch.hpp"

namespace collet::sim {
namespace {

FaultRule only(const char* text) {
  const auto rules = parse_faults(text);
  REQUIRE(rules.size() == 1);
  return rules.front();
}

TEST_CASE("fault rules: without parts, every call of the kind fails") {
  const FaultRule rule = only("launch");
  CHECK(rule.kind == Kind::kLaunch);
  CHECK(rule.effect == Effect::kFail);
  CHECK(rule.first == 1);
  CHECK(rule.and_after);
  CHECK(rule.text == "launch");
}

TEST_CASE("fault rules: parts choose calls, devices, kernels and effects") {
  const FaultRule trap = only("launch:nth=3:device=1:kernel=saxpy:trap");
  CHECK(trap.first == 3);
  CHECK_FALSE(trap.and_after);
  CHECK(trap.effect == Effect::kTrap);
  CHECK(trap.fits(Kind::kLaunch, 1, "saxpy"));
  CHECK_FALSE(trap.fits(Kind::kLaunch, 0, "saxpy"));
  CHECK_FALSE(trap.fits(Kind::kLaunch, 1, "sax"));
  CHECK_FALSE(trap.fits(Kind::kFill, 1, "saxpy"));

  const FaultRule any = only("any:from=2:lose");
  CHECK(any.and_after);
  CHECK(any.effect == Effect::kLose);
  CHECK(any.fits(Kind::kCopy, 63, ""));
  CHECK(any.fits(Kind::kLaunch, 0, "k"));
  CHECK_FALSE(any.fits(Kind::kRecord, 0, ""));
  CHECK_FALSE(any.fits(Kind::kAllocate, 0, ""));

  CHECK(only("read:delay=5ms").delay_ns == 5'000'000);
  CHECK(only("memory:budget=64MiB").budget_bytes == 64U << 20U);
  CHECK(only("stream:reuse").effect == Effect::kReuse);
  CHECK(only("copy_peer:corrupt").effect == Effect::kCorrupt);
}

TEST_CASE("fault rules: there may be several") {
  const auto rules = parse_faults("allocate:nth=3,copy_rect:trap,host_function");
  REQUIRE(rules.size() == 3);
  CHECK(rules[1].text == "copy_rect:trap");
  CHECK(rules[2].kind == Kind::kHostFunction);
}

TEST_CASE("fault rules: what is refused is shown, with what would be right") {
  struct Refused {
    const char* text;
    const char* part;
  };
  for (const Refused& refused : {
           Refused{"", "\"\": there is no kind \"\"; there are copy, copy_rect"},
           Refused{"launch,", "\"\": there is no kind"},
           Refused{"lunch:trap", "no kind \"lunch\""},
           Refused{"launch:", "no part \"\""},
           Refused{"launch:crash", "no part \"crash\"; there are nth="},
           Refused{"launch:nth=0", "nth must be a whole number from 1"},
           Refused{"launch:from=", "from must be a whole number from 1"},
           Refused{"launch:nth=1x", "nth must be"},
           Refused{"launch:nth=18446744073709551616", "nth must be"},
           Refused{"launch:device=-1", "device must be a whole number from 0"},
           Refused{"launch:device=4294967296", "device must be"},
           Refused{"launch:nth=1:from=2", "nth or from is given twice"},
           Refused{"launch:trap:lose", "an effect is given twice"},
           Refused{"launch:delay=5", "the delay must be a duration"},
           Refused{"memory:budget=5MB", "the budget must be a size"},
           Refused{"memory", "what memory has is a budget"},
           Refused{"launch:budget=5MiB", "a budget is of memory"},
           Refused{"fill:kernel=saxpy", "only launches have a kernel"},
           Refused{"launch:kernel=", "no part \"kernel=\""},
           Refused{"launch:reuse", "stream:reuse, allocate:reuse"},
           Refused{"stream:reuse:nth=2", "count no calls"},
           Refused{"stream:reuse:device=1", "for all devices"},
           Refused{"copy:corrupt", "copy_peer:corrupt"},
           Refused{"connect:trap", "for copies, fills and launches"},
           Refused{"record:trap", "for copies, fills and launches"},
           Refused{"allocate:delay=1ms", "for copies, fills and launches"},
           Refused{"\x1b]0;launch", "\".]0;launch\""},
       }) {
    INFO(refused.text);
    try {
      static_cast<void>(parse_faults(refused.text));
      FAIL_CHECK("it was taken");
    } catch (const plugin::Error& error) {
      CHECK(error.status() == COLLET_ERROR_MALFORMED);
      INFO(error.what());
      CHECK(std::string(error.what()).find(refused.part) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace collet::sim
