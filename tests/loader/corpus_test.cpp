// SPDX-License-Identifier: Apache-2.0
// Every kind of broken plugin at once, beside a sound one.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "folder.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

namespace fs = std::filesystem;

// In place of the path of the candidate.
const std::string kPath = "PATH";

#if defined(__x86_64__)
#define COLLET_TEST_MACHINE "x86-64"
#else
#define COLLET_TEST_MACHINE "AArch64"
#endif

const std::string kDeadline = COLLET_TEST_DEADLINE_SECONDS;

std::string said(const std::string& name, const std::string& what) {
  return "back end \"" + name + "\" " + what;
}

// Name and reason of each broken plugin of the corpus.
std::map<std::string, std::string> corpus() {
  const std::string late = "did not answer within " + kDeadline + " s ";
  std::map<std::string, std::string> reasons = {
      {"no_symbol",
       "PATH: it exports collet_plugin_query_v0 and not collet_plugin_query_v1, so it is for "
       "another ABI"},
      {"two_queries",
       "PATH: it exports collet_plugin_query_v1 and also collet_plugin_query_v2, and a plugin has "
       "one of them"},
      {"clash", "PATH: it exports collet_stream_synchronize, a name that belongs to libcollet"},
      {"query_refuses", "needs a host of ABI 1.7"},
      {"count_reports", "libfake.so.1 not found (no driver on this machine)"},
      {"reenters", "COLLET_ERROR_REENTRANT"},
      {"undefined_symbol",
       "cannot load PATH: undefined symbol: collet_test_symbol_that_nobody_defines"},
      {"missing_library",
       "cannot load PATH: libraries are missing: libfake_one.so, libfake_two.so"},
  };
  const std::map<std::string, std::string> own = {
      {"null_root", "gives no root table: its collet_plugin_query_v1() answers OK with NULL"},
      {"null_root_slot", "has a NULL slot: \"device_open\" of its root table"},
      {"wrong_major",
       "is built for ABI 2.3, and this library has ABI 1.0; the major numbers must agree"},
      {"small_root",
       "has a root table of 16 bytes, and ABI 1.0 needs 72; does it set struct_size?"},
      {"name_clash", "calls itself \"good\", so its file should be called libcollet_good.so"},
      {"query_throws", "let an exception out of a C function: thrown by the query"},
      {"query_exits", "ended the process in its query function (exit status 0)"},
      {"count_silent", "returned COLLET_ERROR_UNAVAILABLE without saying why"},
      {"count_throws", "let an exception out of a C function: driver not found"},
      {"count_throws_number", "let an exception out of a C function"},
      {"count_crashes", "crashed while it counted its devices (signal 11, Segmentation fault)"},
      {"count_hangs", late + "while it counted its devices"},
      {"describe_hangs", late + "while it described its devices"},
      {"query_hangs", late + "in its query function"},
      {"many_devices", "says that it has 3000000000 devices"},
      {"load_crashes", "crashed while it was being loaded (signal 11, Segmentation fault)"},
      {"load_aborts", "aborted while it was being loaded (signal 6, Aborted)"},
      {"load_exits", "ended the process while it was being loaded (exit status 3)"},
      {"load_throws",
       "aborted while it was being loaded (signal 6, Aborted); its last words were \"what():  "
       "thrown while loading\""},
      {"load_spins", late + "while it was being loaded"},
  };
  for (const auto& [name, what] : own) {
    reasons[name] = said(name, what);
  }
  return reasons;
}

// Those that never answer, each at another step.
bool is_hanging(const std::string& name) {
  return name.ends_with("_hangs") || name.ends_with("_spins");
}

// The start of an ELF file of 64 bits for MIPS.
std::string foreign_elf() {
  std::string header(64, '\0');
  header.replace(0, 7, "\177ELF\2\1\1", 7);
  header[16] = 3;
  header[18] = 8;
  return header;
}

// Folders with a broken plugin each, sound ones among them, and what is to be said of them.
class Corpus {
 public:
  explicit Corpus(bool with_hanging = true) : reasons_(corpus()) {
    if (!with_hanging) {
      std::erase_if(reasons_, [](const auto& entry) { return is_hanging(entry.first); });
    }
    for (const auto& [name, reason] : reasons_) {
      link("corpus/libcollet_" + name + ".so", place());
    }
    write("libcollet_text.so", "text\n", "text", "it is not a shared library (no ELF header)");
    write("libcollet_zero.so", "", "zero", "the file is empty");
    write("libcollet_mips.so", foreign_elf(), "mips",
          "it is built for machine number 8, and this process runs on " COLLET_TEST_MACHINE);
    write("nul.collet.json", std::string(9, '\0'), "nul", "the manifest has a NUL byte in line 1");
    write("blank.collet.json", "", "blank", "the manifest is empty");
    write("key.collet.json", R"({"nam": "key"})", "key",
          "the manifest has a key \"nam\", which is not known");
    fs::create_directory(place() / "libcollet_folder.so");
    expect("folder", "it is a folder, not a file");
    fs::create_symlink("nowhere.so", place() / "libcollet_dangling.so");
    expect("dangling", "it is a link to nowhere.so, which does not exist");
    // The sound ones: by a path of any alphabet, twice, and by a manifest of another system.
    const fs::path alphabet = place() /
                              "gr\xc3\xb6\xc3\x9f"
                              "er \xe6\x97\xa5\xe6\x9c\xac";
    fs::create_directory(alphabet);
    folders_.back() = alphabet.string();
    fs::copy_file(std::string(COLLET_TEST_PLUGINS) + "/good/libcollet_good.so",
                  alphabet / "libcollet_good.so");
    const fs::path again = place();
    fs::create_symlink(alphabet / "libcollet_good.so", again / "libcollet_good.so");
    const fs::path library = std::string(COLLET_TEST_PLUGINS) + "/no_devices/libcollet_empty.so";
    std::ofstream(place() / "dos.collet.json")
        << "\xef\xbb\xbf{\r\n\"name\": \"empty\",\r\n\"library\": \"" + library.string() +
               "\"\r\n}\r\n";
  }

  // The folders in an order that depends on the seed.
  [[nodiscard]] std::string shuffled(unsigned seed) const {
    std::vector<std::string> folders = folders_;
    std::shuffle(folders.begin(), folders.end(), std::mt19937(seed));
    std::string path;
    for (const std::string& folder : folders) {
      path += (path.empty() ? "" : ":") + folder;
    }
    return path;
  }

  [[nodiscard]] const std::map<std::string, std::string>& reasons() const { return reasons_; }

 private:
  // A new folder.
  fs::path place() {
    fs::path made = root_ / std::to_string(folders_.size());
    fs::create_directory(made);
    folders_.push_back(made.string());
    return made;
  }
  static void link(const std::string& plugin, const fs::path& folder) {
    const fs::path file = std::string(COLLET_TEST_PLUGINS) + "/" + plugin;
    fs::create_symlink(file, folder / file.filename());
  }
  void write(const std::string& file, const std::string& content, const std::string& name,
             const std::string& fault) {
    std::ofstream(place() / file, std::ios::binary) << content;
    expect(name, fault);
  }
  void expect(const std::string& name, const std::string& fault) {
    reasons_[name] = "PATH: " + fault;
  }

  Folder root_;
  std::vector<std::string> folders_;
  std::map<std::string, std::string> reasons_;
};

// A plugin that dies is to die as it would without a sanitizer.
void let_signals_through() {
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
    const char* before = std::getenv(name);
    const std::string options = std::string(before != nullptr ? before : "") +
                                ":handle_segv=0:handle_abort=0:detect_leaks=0";
    setenv(name, options.c_str(), 1);
  }
}

// Looks at each candidate, in an order that depends on the seed, then reports all of them.
void list_all(std::ostream& out, unsigned seed) {
  std::uint32_t count = 0;
  static_cast<void>(collet_backend_count(&count));
  std::vector<std::string> names;
  for (std::uint32_t index = 0; index < count; ++index) {
    names.emplace_back(ledger_at(index).name);
  }
  std::shuffle(names.begin(), names.end(), std::mt19937(seed));
  for (const std::string& name : names) {
    std::uint32_t devices = 0;
    collet_device_properties_t properties{};
    properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
    const collet_status_t counted = collet_device_count(name.c_str(), &devices);
    const collet_status_t described = collet_device_describe(name.c_str(), 0, &properties);
    if (counted != COLLET_OK && described != counted) {
      out << name << " is described with " << collet_status_name(described) << '\n';
    }
  }
  for (std::uint32_t index = 0; index < count; ++index) {
    const collet_backend_info_t info = ledger_at(index);
    std::string reason = info.reason;
    if (const std::size_t at = reason.find(info.path); at != std::string::npos) {
      reason.replace(at, std::string(info.path).size(), kPath);
    }
    out << info.name << (info.hint[0] != '\0' ? " (hint)" : "") << ": " << reason << '\n';
  }
}

// Runs the body in a process that sees the plugins of the corpus, and has the deadline.
ChildResult with_corpus(const Corpus& corpus, unsigned seed,
                        const std::function<void(std::ostream&)>& body) {
  return with_plugins({}, [&](std::ostream& out) {
    let_signals_through();
    setenv("COLLET_PLUGIN_PATH", corpus.shuffled(seed).c_str(), 1);
    setenv("COLLET_PROBE", (kDeadline + "s").c_str(), 1);
    body(out);
  });
}

// How long a process takes from its first call to the end of a listing.
std::chrono::duration<double> listing_time(const Corpus& corpus) {
  const ChildResult child = with_corpus(corpus, 3, [](std::ostream& out) {
    const auto start = std::chrono::steady_clock::now();
    std::ostringstream listing;
    list_all(listing, 3);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    out << time.count();
  });
  return std::chrono::duration<double>(std::stod(child.output));
}

TEST_CASE("HOST-LOAD-4 every kind of broken plugin at once, in any order, hurts no sound one") {
  const Corpus corpus;
  const auto seed = GENERATE(1U, 2U);
  const ChildResult child = with_corpus(corpus, seed, [&](std::ostream& out) {
    list_all(out, seed);
    out << opened("good:1") << ' ' << counted_devices("empty");
  });
  std::map<std::string, std::string> lines;
  for (const auto& [name, reason] : corpus.reasons()) {
    // What a driver says of itself has no hint of ours.
    const bool own_words = name == "count_reports" || name == "reenters" || name == "count_silent";
    std::string& line = lines[name];
    line = name + (own_words ? ": " : " (hint): ");
    line += reason + "\n";
  }
  // Compilers differ in whether an exception passes the constructor of a library, or ends there.
  const std::string passed =
      "load_throws (hint): back end \"load_throws\" let an exception out of "
      "a C function: thrown while loading\n";
  if (child.output.find(passed) != std::string::npos) {
    lines["load_throws"] = passed;
  }
  lines["good"] = "good: \n";
  lines["empty"] = "empty: \n";
  std::string expected;
  for (const auto& [name, line] : lines) {
    expected += line;
  }
  CHECK(child.output == expected + "good:1 0");
  CHECK(child.exit_status == 0);
}

TEST_CASE("HOST-LOAD-13 beside plugins that never answer a listing ends soon after the deadline") {
  // What the machine, however busy, takes for all the others is no waiting.
  const auto others = listing_time(Corpus(false));
  const auto all = listing_time(Corpus());
  const std::chrono::duration<double> deadline(std::stoi(kDeadline));
  INFO("all: " << all.count() << " s, those that answer: " << others.count() << " s");
  CHECK(all >= deadline);
  CHECK(all - others <= 1.1 * deadline);
}

}  // namespace
}  // namespace collet::test
