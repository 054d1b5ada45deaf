// SPDX-License-Identifier: Apache-2.0
#include "callgrind.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "process.hpp"

namespace collet::bench {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "collet-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// One file holds all dumps: each has a line with the function that triggered it, and later one
// with the instructions since the dump before.
std::map<std::string, std::uint64_t> read_dumps(const std::filesystem::path& path) {
  constexpr std::string_view kTrigger = "desc: Trigger: --dump-after=";
  constexpr std::string_view kTotals = "totals: ";
  std::map<std::string, std::uint64_t> counts;
  std::string function;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kTrigger)) {
      function = line.substr(kTrigger.size());
    } else if (line.starts_with(kTotals) && !function.empty()) {
      counts[function] = std::stoull(line.substr(kTotals.size()));
      function.clear();
    }
  }
  return counts;
}

}  // namespace

std::map<std::string, std::uint64_t> count_instructions(const std::vector<std::string>& command,
                                                        const std::vector<std::string>& functions) {
  const TemporaryFolder folder;
  const std::filesystem::path dumps = folder.path() / "dumps";
  std::vector<std::string> valgrind{"valgrind", "--quiet", "--tool=callgrind",
                                    "--combine-dumps=yes",
                                    "--callgrind-out-file=" + dumps.string()};
  for (const std::string& function : functions) {
    valgrind.push_back("--zero-before=" + function);
    valgrind.push_back("--dump-after=" + function);
  }
  valgrind.insert(valgrind.end(), command.begin(), command.end());
  run_program(valgrind);

  auto counts = read_dumps(dumps);
  for (const std::string& function : functions) {
    if (!counts.contains(function)) {
      throw std::runtime_error("callgrind has not seen the function " + function);
    }
  }
  return counts;
}

}  // namespace collet::bench
