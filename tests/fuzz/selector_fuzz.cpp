// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of a selector: the parser takes them, and they can be written again from what
// it made of them, or it refuses them with a caret.
#include "selector.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "backend_name.hpp"
#include "refusal.hpp"

namespace collet::loader {
namespace {

const std::vector<std::string> kKnown = {"cpu", "cuda", "opencl", "sim"};
constexpr std::uint32_t kGreatest = std::numeric_limits<std::uint32_t>::max();

std::string written(const std::vector<SelectorItem>& items, const std::string& text) {
  std::string result;
  for (const SelectorItem& item : items) {
    result += (result.empty() ? "" : ",") + item.backend;
    if (item.index) {
      // An index that does not fit has become the greatest one.
      result += ":" + (*item.index == kGreatest
                           ? text.substr(item.index_range.offset, item.index_range.length)
                           : std::to_string(*item.index));
    }
    fuzz::expect(item.is_auto() ? !item.index : is_backend_name(item.backend));
  }
  return result;
}

}  // namespace
}  // namespace collet::loader

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collet::loader;  // NOLINT(google-build-using-namespace)
  const Selector selector{"input", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    const std::vector<SelectorItem> items = parse_selector(selector, kKnown);
    fuzz::expect(!items.empty() && written(items, selector.text) == selector.text);
  } catch (const Error& error) {
    fuzz::expect_refusal(error);
  }
  return 0;
}
