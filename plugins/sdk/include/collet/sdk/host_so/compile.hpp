// SPDX-License-Identifier: Apache-2.0
/** From source to a shared object, by the C++ compiler of the machine. */
#pragma once

#include <collet/sdk/error.hpp>
#include <collet/sdk/host_so/bounded_process.hpp>
#include <collet/sdk/host_so/find_compiler.hpp>
#include <collet/sdk/host_so/temporary_folder.hpp>
#include <collet/sdk/kernel_prelude.hpp>
#include <collet/sdk/structs.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collet::plugin::host_so {

struct Source {
  /** Without NULs. */
  std::string_view text;
  /** C++ that comes before it. */
  std::string_view prelude;
  /** What messages name the text by. */
  std::string label;
  /** For the compiler: separated by spaces, with quotes around what has spaces in it. */
  std::string_view options;
};

namespace detail {

/** Flags besides those that the kernel language asks for. */
inline constexpr std::array kCompilerFlags {
  "-shared", "-fvisibility=hidden", "-fmax-errors=20",
// The object is for this machine.
#if defined(__x86_64__)
      "-march=native",
#elif defined(__aarch64__) || defined(__powerpc64__)
      "-mcpu=native",
#endif
      "-x", "c++", "kernel.cpp", "-o", "kernel.so"
};

[[noreturn]] inline void refuse_source(const Source& source, const std::string& what) {
  throw Error(COLLET_ERROR_BUILD_FAILED, source.label + what);
}

inline std::vector<std::string> split_options(std::string_view text) {
  std::vector<std::string> words;
  char quote = '\0';
  bool is_inside = false;
  for (const char c : text) {
    if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
      quote = quote != '\0' ? '\0' : c;
    } else if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      is_inside = false;
      continue;
    } else {
      if (!is_inside) words.emplace_back();
      words.back() += c;
      is_inside = true;
      continue;
    }
    if (!is_inside) words.emplace_back();
    is_inside = true;
  }
  return words;
}

/**
 * Whether an option changes only how the source is read, warned about and optimised. Of those that
 * begin with -f many read or write files, or run programs, so the harmless ones are named.
 */
inline bool is_allowed_option(std::string_view option) {
  constexpr std::array<std::string_view, 14> kAllowed{"-D",
                                                      "-U",
                                                      "-I",
                                                      "-O",
                                                      "-g",
                                                      "-std=",
                                                      "-W",
                                                      "-m",
                                                      "-fno-",
                                                      "-ffp-contract=",
                                                      "-funroll",
                                                      "-ftree-",
                                                      "-fopenmp-simd",
                                                      "-fvect-cost-model="};
  constexpr std::array<std::string_view, 3> kRefused{"-Wl,", "-Wa,", "-Wp,"};
  const auto begins = [&](std::string_view start) { return option.starts_with(start); };
  return std::any_of(kAllowed.begin(), kAllowed.end(), begins) &&
         std::none_of(kRefused.begin(), kRefused.end(), begins);
}

/** @throws Error BUILD_FAILED that names an option that is not taken. */
inline std::vector<std::string> checked_options(const Source& source) {
  std::vector<std::string> words = split_options(source.options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_allowed_option(words[i])) {
      refuse_source(source, ": the compiler option \"" + words[i] +
                                "\" is not taken; -D, -U, -I, -O, -g, -std=, -W, -m and some of "
                                "-f are");
    }
    const bool has_value_behind = words[i] == "-D" || words[i] == "-U" || words[i] == "-I";
    if (!has_value_behind || ++i == words.size()) continue;
    // The compiler would read options from that file.
    if (words[i].starts_with('@')) {
      refuse_source(source, ": the compiler option \"" + words[i] + "\" is not taken");
    }
  }
  return words;
}

/** A text as a string of C. */
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return out + '"';
}

inline void write_source(const Source& source, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << "#line 1 \"collet/kernel.h\"\n"
       << source.prelude << "\n#line 1 " << quoted(source.label) << '\n'
       << source.text << '\n';
  file.close();
  if (!file) throw_errno(COLLET_ERROR_UNAVAILABLE, "cannot write " + path);
}

inline void check_text(const Source& source) {
  const std::size_t place = source.text.find('\0');
  if (place == std::string_view::npos) return;
  const auto line = 1 + std::count(source.text.begin(), source.text.begin() + place, '\n');
  refuse_source(source, ":" + std::to_string(line) + ": there is a NUL in the source");
}

/** The line of the compiler's output that says best what is wrong. */
inline std::string first_error(std::string_view output) {
  std::string_view first;
  constexpr std::array<std::string_view, 3> kMarks{"error:", "out of memory", "undefined"};
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    const bool is_error = std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
      return line.find(mark) != std::string_view::npos;
    });
    if (is_error || first.empty()) first = line;
    if (is_error) break;
    begin = end + 1;
  }
  constexpr std::size_t kMostBytes = 400;
  return std::string(fitting(first, kMostBytes));
}

/** What the compiler may know of this process: enough to run, and nothing that changes the code. */
inline std::vector<std::string> compiler_environment(const std::string& folder) {
  std::vector<std::string> environment{"PATH=" + program_folders(), "TMPDIR=" + folder, "LC_ALL=C"};
  for (const char* name : {"HOME", "LD_LIBRARY_PATH"}) {
    const char* const value = secure_getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

inline std::vector<std::byte> read_object(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

[[noreturn]] inline void refuse_result(const Source& source, const ProcessCall& call,
                                       const ProcessResult& result) {
  if (result.is_timed_out) {
    refuse_source(source, " was not compiled in " + std::to_string(call.limits.time.count()) +
                              " ms by " + call.program + ", which was ended");
  }
  const std::string error = first_error(result.output);
  refuse_source(
      source, " does not compile: " +
                  (error.empty() ? call.program + " gave neither an object nor a reason" : error));
}

}  // namespace detail

/**
 * Compiles a source to a shared object for this machine. Leaves nothing behind.
 *
 * @param out_log  Receives the compiler's output, on success and on failure.
 *
 * @throws Error BUILD_FAILED for a source that is refused, with the first error and its line;
 *         UNAVAILABLE if the compiler cannot be run.
 */
[[nodiscard]] inline std::vector<std::byte> compile(const Compiler& compiler, const Source& source,
                                                    const ProcessLimits& limits,
                                                    std::string& out_log) {
  detail::check_text(source);
  std::vector<std::string> options = detail::checked_options(source);
  const TemporaryFolder folder;
  detail::write_source(source, folder.path() + "/kernel.cpp");

  ProcessCall call{compiler.program, {compiler.program}, {}, folder.path(), limits};
  const auto add = std::back_inserter(call.arguments);
  std::copy(std::begin(kHostKernelOptions), std::end(kHostKernelOptions), add);
  std::move(options.begin(), options.end(), add);
  std::copy(detail::kCompilerFlags.begin(), detail::kCompilerFlags.end(), add);
  call.environment = detail::compiler_environment(folder.path());
  const ProcessResult result = run_bounded(call);
  out_log = result.output;
  std::vector<std::byte> image;
  // Where somebody else has taken the status, the object tells: failed compilers leave none.
  if (!result.is_timed_out && result.wait_status.value_or(0) == 0) {
    image = detail::read_object(folder.path() + "/kernel.so");
  }
  if (image.empty()) detail::refuse_result(source, call, result);
  return image;
}

}  // namespace collet::plugin::host_so
