// SPDX-License-Identifier: Apache-2.0
//
// What the way through libcollet to a plugin's function costs, in instructions.
#include <array>
#include <memory>

#include "areas.hpp"
#include "callgrind.hpp"
#include "process.hpp"

namespace collet::bench {
namespace {

constexpr std::array kFunctions{"stream_query", "event_query", "event_record", "stream_wait_event",
                                "stream_fill",  "stream_copy", "stream_run"};
// Enough that what a batch does besides its calls does not show.
constexpr std::uint64_t kCalls = 10'000;

// Instructions of one call of each function, its share of the loop included.
class Counts {
 public:
  explicit Counts(const std::string& way) : prefix_(way + "_") {
    std::vector<std::string> functions;
    functions.reserve(kFunctions.size());
    for (const char* function : kFunctions) functions.push_back(prefix_ + function);
    counts_ = count_instructions({beside_program("collet-bench-dispatch"), way,
                                  std::to_string(kCalls), beside_program("../lib/bench")},
                                 functions);
  }

  [[nodiscard]] double of(const std::string& function) const {
    return static_cast<double>(counts_.at(prefix_ + function)) / double{kCalls};
  }

 private:
  std::string prefix_;
  std::map<std::string, std::uint64_t> counts_;
};

// Two runs under callgrind serve all rows.
struct Ways {
  Counts library{"library"};
  Counts pointer{"pointer"};
};

}  // namespace

std::vector<Row> dispatch_rows() {
  const auto ways = std::make_shared<std::unique_ptr<const Ways>>();
  std::vector<Row> rows;
  for (const char* function : kFunctions) {
    const auto measure = [ways, function]() -> Figures {
      if (*ways == nullptr) *ways = std::make_unique<const Ways>();
      return {(*ways)->library.of(function), (*ways)->pointer.of(function)};
    };
    rows.push_back({std::string("dispatch/") + function + "/-/fake", "instructions",
                    "the plugin's function, by its table", measure});
  }
  return rows;
}

}  // namespace collet::bench
