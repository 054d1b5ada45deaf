// SPDX-License-Identifier: Apache-2.0
//
// How long a fresh process takes to find all devices and list them.
#include "areas.hpp"
#include "process.hpp"

namespace collet::bench {

std::vector<Row> listing_rows() {
  const auto measure = [] {
    const std::string program = beside_program("collet");
    return in_milliseconds(take_turns(repeat([program] {
                                        run_program({program, "devices"});
                                      }),
                                      repeat([] { run_program({"true"}); })));
  };
  return {{"listing/cold/-/all", "ms", "an empty process", measure}};
}

}  // namespace collet::bench
