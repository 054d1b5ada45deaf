// SPDX-License-Identifier: Apache-2.0
//
// What only builds by OpenCL show.
#include "runner.hpp"
#include "support/catch.hpp"

using collet::test::line;
using collet::test::runners;

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

// Under Oclgrind alone, which must report them; elsewhere they are undefined.
TEST_CASE("a write past the end of a buffer", "[.][faulty][out_of_bounds]") {
  std::vector<int> y(16, 0);
  CHECK_NOTHROW(runners().front()->launch("../faulty/faulty", "out_of_bounds", line(1, 17),
                                          {y, std::uint64_t{16}}));
}

TEST_CASE("a block that reads what another one wrote, without a barrier", "[.][faulty][race]") {
  std::vector<int> y(16, 0);
  CHECK_NOTHROW(runners().front()->launch("../faulty/faulty", "race", line(1, 16), {y}));
}
