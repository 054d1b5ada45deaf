// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of a history of memory: it is shown, or refused with the line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "memory/page.hpp"
#include "memory/show.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collet::cli;  // NOLINT(google-build-using-namespace)
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const History history = read_history(stream);
    const HistoryModel model = model_of(history, 16);
    if (history_text(history, model).empty()) std::abort();
    if (history_page(history, model).find("\"place\": \"data\"") != std::string::npos) std::abort();
  } catch (const MalformedHistory& error) {
    if (!std::string(error.what()).starts_with("line ")) std::abort();
  }
  return 0;
}
