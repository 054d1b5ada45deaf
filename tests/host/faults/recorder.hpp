// SPDX-License-Identifier: Apache-2.0
// A library that stands in front of libcollet and notes which exported function has answered what.
//
// Each answer is noted once in a process, as a line "function status" of the file that
// COLLET_HOST_RECORD names. No memory is taken: there are cases in which that fails.
#pragma once

#include <collet/collet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace collet_record {

inline int record_file() noexcept {
  static const int kFile = [] {
    const char* path = std::getenv("COLLET_HOST_RECORD");
    return path != nullptr ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
  }();
  return kFile;
}

// An exported function. All are looked up when this library is loaded: a forked child could not.
template <class Function>
class Site {
 public:
  explicit Site(const char* name) noexcept
      : name_(name), next_(reinterpret_cast<Function>(dlsym(RTLD_NEXT, name))) {
    static_cast<void>(record_file());
  }

  [[nodiscard]] Function next() const noexcept { return next_; }

  collet_status_t note(collet_status_t status) noexcept {
    constexpr int kMiddle = 32;
    const std::uint64_t bit = std::uint64_t{1} << ((status + kMiddle) & 63);
    if ((seen_.fetch_or(bit) & bit) == 0) {
      char line[128];
      const int size = std::snprintf(line, sizeof line, "%s %d\n", name_, status);
      static_cast<void>(!write(record_file(), line, static_cast<std::size_t>(size)));
    }
    return status;
  }

  // What answers no status is noted as if it had succeeded.
  template <class Result>
  Result note(Result result) noexcept {
    static_cast<void>(note(COLLET_OK));
    return result;
  }

 private:
  const char* name_;
  Function next_;
  std::atomic<std::uint64_t> seen_{0};
};

}  // namespace collet_record

#define COLLET_RECORDED(result, name, parameters, arguments)         \
  static collet_record::Site<decltype(&name)> site_of_##name(#name); \
  result name parameters { return site_of_##name.note(site_of_##name.next() arguments); }

#define COLLET_RECORDED_VOID(name, parameters, arguments)            \
  static collet_record::Site<decltype(&name)> site_of_##name(#name); \
  void name parameters {                                             \
    static_cast<void>(site_of_##name.note(COLLET_OK));               \
    site_of_##name.next() arguments;                                 \
  }
