// SPDX-License-Identifier: Apache-2.0
#if COLLET_CATCH2_VERSION < 3
#define CATCH_CONFIG_RUNNER
#endif
#include "support/catch.hpp"

#include <cstdio>
#include <cstdlib>

namespace collet::test {

void skip(const char* reason) {
  std::printf("skipped: %s\n", reason);
  std::fflush(nullptr);
  std::_Exit(COLLET_SKIP_RETURN_CODE);
}

}  // namespace collet::test

int main(int argc, char** argv) {
#if COLLET_CATCH2_VERSION < 3
  constexpr auto kNoMatch = Catch::WarnAbout::NoTests;
#else
  constexpr auto kNoMatch = Catch::WarnAbout::UnmatchedTestSpec;
#endif
  // What the user's programs remember of plugins is not for tests, nor the other way round.
  setenv("COLLET_CACHE_DIR", COLLET_TEST_CACHE_DIR, 1);
  Catch::Session session;
  // A case without an assertion fails, and so does a run that selects nothing: ctest cannot hand
  // over every name (a semicolon ends it), and what never ran must not pass.
  session.configData().warnings =
      static_cast<Catch::WarnAbout::What>(Catch::WarnAbout::NoAssertions | kNoMatch);
  // The framework's number of failures may be that of a skipped test.
  return session.run(argc, argv) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
