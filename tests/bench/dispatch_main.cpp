// SPDX-License-Identifier: Apache-2.0
//
// collet-bench-dispatch: what collet-bench runs under callgrind for the rows of "dispatch".
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "dispatch_batches.hpp"

namespace {

int run(std::string_view way, const char* calls_text, const char* folder) {
  const std::uint64_t calls = std::strtoull(calls_text, nullptr, 10);
  const std::int32_t statuses = way == "library"
                                    ? collet::bench::run_library_batches(folder, calls)
                                    : collet::bench::run_pointer_batches(folder, calls);
  if (statuses == COLLET_OK) return 0;
  std::fprintf(stderr, "collet-bench-dispatch: a call failed, so its instructions mean nothing\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: collet-bench-dispatch library|pointer CALLS FOLDER\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collet-bench-dispatch: %s\n", error.what());
    return 1;
  }
}
