// SPDX-License-Identifier: Apache-2.0
//
// How long a fresh process takes to find all devices and list them.
#include <filesystem>
#include <string>
#include <vector>

#include "areas.hpp"
#include "process.hpp"

namespace collet::bench {
namespace {

// By way of `env`, so that what this process finds is not touched.
std::vector<std::string> command_with(const std::vector<std::string>& command) {
  const std::string folder = std::filesystem::temp_directory_path() / "collet-bench-cache";
  std::vector<std::string> words = {
      "env", "COLLET_PLUGIN_PATH=" + beside_program("../tests/loader/plugins/many"),
      "COLLET_CACHE_DIR=" + folder};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Figures compare(const std::vector<std::string>& subject,
                const std::vector<std::string>& reference) {
  return in_milliseconds(take_turns(repeat([subject] { run_program(subject); }),
                                    repeat([reference] { run_program(reference); })));
}

}  // namespace

std::vector<Row> listing_rows() {
  const auto devices = [] { return compare({beside_program("collet"), "devices"}, {"true"}); };
  const auto warm = [] {
    const std::vector<std::string> listing = command_with({beside_program("collet-bench-listing")});
    // Fills the cache.
    run_program(listing);
    return compare(listing, command_with({"true"}));
  };
  return {{"listing/devices/-/all", "ms", "an empty process", devices},
          {"listing/warm/20/fake", "ms", "an empty process", warm}};
}

}  // namespace collet::bench
