// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of a manifest: it names a back end and a library, or has a fault and a hint.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "discovery.hpp"
#include "manifest.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collet::loader;  // NOLINT(google-build-using-namespace)
  const Manifest manifest = parse_manifest({reinterpret_cast<const char*>(data), size});
  const bool usable = is_backend_name(manifest.name) && !manifest.library.empty();
  if (manifest.fault.empty() ? !usable : manifest.hint.empty()) std::abort();
  if (manifest.fault.find('\n') != std::string::npos) std::abort();
  return 0;
}
