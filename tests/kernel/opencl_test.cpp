// SPDX-License-Identifier: Apache-2.0
//
// What only builds by OpenCL show.
#include "runner.hpp"
#include "support/catch.hpp"

using namespace collet::test;

TEST_CASE("an error of the compiler names the line of the source", "[compiler]") {
  std::vector<float> y(4, 0);
  for (const auto& runner : runners()) {
    INFO(runner->name());
    std::string said;
    try {
      runner->launch("../refused/undeclared", "f", line(1, 4), {y, std::uint64_t{4}});
    } catch (const std::exception& error) {
      said = error.what();
    }
    CHECK(said.find("undeclared.clt:4:") != std::string::npos);
    CHECK(said.find("factor") != std::string::npos);
  }
}
