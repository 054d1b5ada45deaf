// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of an entry of the cache of programs: they are taken or refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "byte_stream.hpp"
#include "program_cache.hpp"

namespace {

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kMagic = "collet program 1\n";

// What was taken is written and read again without a difference.
void check_entry(std::string_view bytes) {
  const auto program = parse_program_entry(bytes, "key");
  if (!program) return;
  if (program_entry("key", *program) != bytes) std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_entry(bytes);
  // With the sum that belongs to it, so that the reader behind the sum is reached too.
  ByteWriter content;
  content.put_text("key");
  check_entry(sealed(kMagic, std::string(content.bytes()).append(bytes)));
  return 0;
}
