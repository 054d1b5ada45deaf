// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of a helper's reply, or of an entry of the cache: they are taken or refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "probe_cache.hpp"
#include "probe_reply.hpp"

namespace {

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

// What was taken is written and read again without a difference.
void check_facts(const PluginFacts& facts) {
  const std::string record = facts_record(facts);
  const ProbeReply again = parse_reply(record);
  if (!again.facts || facts_record(*again.facts) != record) std::abort();
}

void check_reply(std::string_view bytes) {
  const ProbeReply reply = parse_reply(bytes);
  if (reply.facts && reply.failure) std::abort();
  if (reply.facts) check_facts(*reply.facts);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_reply(bytes);
  if (parse_cache_entry(bytes, "key") && bytes.find("key") == std::string_view::npos) std::abort();
  // With the sum that belongs to it, so that the reader behind the sum is reached too.
  ByteWriter content;
  content.put_text("key");
  const std::string entry = sealed(std::string(content.bytes()).append(bytes));
  if (const auto remembered = parse_cache_entry(entry, "key")) {
    if (const auto* facts = std::get_if<PluginFacts>(&*remembered)) check_facts(*facts);
  }
  return 0;
}
