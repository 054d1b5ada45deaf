// SPDX-License-Identifier: Apache-2.0
/** Which C++ compiler this machine has. */
#pragma once

#include <collet/device.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace collet::plugin::host_so {

struct Compiler {
  /** Absolute path. */
  std::string program;
  /**
   * Another text when the compiler or the processor, for which it compiles, is another. At most
   * 127 bytes, for collet_device_properties_t.
   */
  std::string identity;
};

/** A compiler, or why there is none, and what to do. */
struct CompilerSearch {
  std::optional<Compiler> compiler;
  std::string reason;
};

/** Names a compiler, by its absolute path or as found on PATH. */
inline constexpr const char* kCompilerVariable = "COLLET_HOST_CXX";

namespace detail {

inline bool is_elevated() noexcept { return getauxval(AT_SECURE) != 0; }

/** Where programs are looked for. One with more rights than its user trusts the system's only. */
inline std::string program_folders() {
  constexpr const char* kSystemFolders = "/usr/bin:/bin";
  const char* const folders = is_elevated() ? nullptr : std::getenv("PATH");
  return folders == nullptr ? kSystemFolders : folders;
}

inline bool is_program(const std::string& path) noexcept {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

/** The path of a program, or nothing. The current directory is never looked into. */
inline std::optional<std::string> find_program(std::string_view name) {
  if (name.starts_with('/')) {
    std::string path(name);
    return is_program(path) ? std::optional(std::move(path)) : std::nullopt;
  }
  if (name.empty() || name.find('/') != std::string_view::npos) return std::nullopt;
  const std::string folders = program_folders();
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string path = folders.substr(begin, end - begin).append("/").append(name);
    if (path.starts_with('/') && end > begin && is_program(path)) return path;
    begin = end + 1;
  }
  return std::nullopt;
}

/** FNV-1a. */
class Hash {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
  }
  void add(std::uint64_t number) noexcept {
    add(std::string_view(reinterpret_cast<const char*>(&number), sizeof(number)));
  }
  [[nodiscard]] std::string text() const {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(value_));
    return digits.data();
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/** What the system tells of the first processor, but for its present speed. */
inline void add_processor(Hash& hash) {
  std::FILE* const file = std::fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return;
  std::array<char, 8192> line{};
  while (std::fgets(line.data(), line.size(), file) != nullptr && line[0] != '\n') {
    if (std::string_view(line.data()).find("MHz") == std::string_view::npos) hash.add(line.data());
  }
  std::fclose(file);
}

inline std::string identity_of(const std::string& program) {
  Hash hash;
  struct stat status {};
  // Of the file behind links: a compiler that is replaced keeps its name.
  if (stat(program.c_str(), &status) == 0) {
    hash.add(status.st_dev);
    hash.add(status.st_ino);
    hash.add(static_cast<std::uint64_t>(status.st_size));
    hash.add(static_cast<std::uint64_t>(status.st_mtim.tv_sec));
    hash.add(static_cast<std::uint64_t>(status.st_mtim.tv_nsec));
  }
  hash.add(program);
  add_processor(hash);
  constexpr std::size_t kRoom = sizeof(collet_device_properties_t::compiler) - 1;
  const std::string end = " " + hash.text();
  const std::size_t cut =
      program.size() + end.size() > kRoom ? program.size() + end.size() - kRoom : 0;
  return program.substr(cut) + end;
}

}  // namespace detail

/** Looks without running anything. */
[[nodiscard]] inline CompilerSearch find_compiler() {
  const char* const asked = secure_getenv(kCompilerVariable);
  constexpr std::array<const char*, 3> kUsual{"c++", "g++", "clang++"};
  const auto names = asked != nullptr ? std::span<const char* const>(&asked, 1)
                                      : std::span<const char* const>(kUsual);
  for (const char* name : names) {
    if (auto program = detail::find_program(name)) {
      std::string identity = detail::identity_of(*program);
      return {Compiler{*std::move(program), std::move(identity)}, {}};
    }
  }
  if (asked != nullptr) {
    return {std::nullopt, "COLLET_HOST_CXX is \"" + std::string(asked) +
                              "\", which is no program on PATH and no absolute path of one; "
                              "correct it or unset it"};
  }
  return {std::nullopt,
          "there is no C++ compiler (c++, g++ or clang++) on PATH; install one, such as the "
          "package g++, or name one in COLLET_HOST_CXX"};
}

/** The compiler of this process, looked for once. */
[[nodiscard]] inline const CompilerSearch& system_compiler() {
  // Never destroyed: programs may be built at the very end of the process.
  static const CompilerSearch& search = *new CompilerSearch(find_compiler());
  return search;
}

}  // namespace collet::plugin::host_so
