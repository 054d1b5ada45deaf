// SPDX-License-Identifier: Apache-2.0
#include "probe_reply.hpp"

#include <cstring>
#include <string>

#include "support/catch.hpp"

namespace collet::loader {
namespace {

PluginFacts two_devices() {
  PluginFacts facts;
  facts.version = "1.2";
  facts.vendor = std::string("a\0b", 3);
  facts.devices.resize(2);
  mend(facts.devices[0].properties);
  std::strcpy(facts.devices[0].properties.name, "first");
  facts.devices[0].properties.memory_bytes = 1234567890123;
  Error error(COLLET_ERROR_DEVICE_LOST, "fell off the bus", "acme");
  facts.devices[1].failure.emplace(error.with_native(79, "GONE").with_hint("plug it in"));
  return facts;
}

std::string whole_reply() {
  return step_record(ProbeStep::kLoad) + step_record(ProbeStep::kCount) +
         facts_record(two_devices());
}

TEST_CASE("probe reply: what is written is read") {
  const ProbeReply reply = parse_reply(whole_reply());
  CHECK(reply.step == ProbeStep::kCount);
  CHECK_FALSE(reply.garbled);
  REQUIRE(reply.facts);
  CHECK(reply.facts->version == "1.2");
  CHECK(reply.facts->vendor.size() == 3);
  REQUIRE(reply.facts->devices.size() == 2);
  CHECK(reply.facts->devices[0].properties.name == std::string("first"));
  CHECK(reply.facts->devices[0].properties.memory_bytes == 1234567890123);
  const Error& failure = reply.facts->devices[1].failure.value();
  CHECK(failure.status() == COLLET_ERROR_DEVICE_LOST);
  CHECK(failure.message() == "fell off the bus");
  CHECK(failure.native_code() == 79);
  CHECK(failure.native_name() == "GONE");
  CHECK(failure.hint() == "plug it in");
}

TEST_CASE("probe reply: one that breaks off anywhere tells the last step, and has no answer") {
  const std::string whole = whole_reply();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ProbeReply reply = parse_reply(whole.substr(0, size));
    REQUIRE_FALSE(reply.is_answer());
  }
  const std::string steps = step_record(ProbeStep::kLoad) + step_record(ProbeStep::kNegotiate);
  CHECK(parse_reply(steps).step == ProbeStep::kNegotiate);
  CHECK(parse_reply(steps + "\2").step == ProbeStep::kNegotiate);
}

TEST_CASE("probe reply: what is no record is garbled") {
  using namespace std::string_literals;
  CHECK(parse_reply("hello, world").garbled);
  CHECK(parse_reply("\1\1\0\0\0\x09"s).garbled);      // a step that there is not
  CHECK(parse_reply("\2\xff\xff\xff\xff"s).garbled);  // longer than what is there
  CHECK(parse_reply("\7\0\0\0\0"s).garbled);          // an unknown kind
  CHECK(parse_reply(whole_reply() + "x").garbled);
  CHECK(parse_reply(whole_reply() + "x").is_answer());
}

TEST_CASE("probe reply: texts of a plugin that do not end are ended") {
  PluginFacts facts;
  facts.devices.resize(1);
  std::memset(&facts.devices[0].properties, 0xff, sizeof facts.devices[0].properties);
  const ProbeReply reply = parse_reply(facts_record(facts));
  REQUIRE(reply.facts);
  const collet_device_properties_t& properties = reply.facts->devices[0].properties;
  CHECK(std::strlen(properties.name) == sizeof properties.name - 1);
  CHECK(properties.kind == COLLET_DEVICE_KIND_MAX);
}

}  // namespace
}  // namespace collet::loader
