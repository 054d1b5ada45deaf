// SPDX-License-Identifier: Apache-2.0
// HOST-SEL-1 and HOST-SEL-2: the typos of selector_typos.txt, which says how it is written.
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

struct Typo {
  std::string written;
  std::string status;
  // A selector that works, and that the message proposes; empty if it proposes none.
  std::string nearest;
  std::string message;
};

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && text.substr(i + 1, 1) == "x") {
      result += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string behind(const std::string& line, const std::string& key) {
  if (!line.starts_with(key)) {
    throw std::runtime_error("selector_typos.txt: expected \"" + key + "\": " + line);
  }
  return line.substr(key.size());
}

std::vector<Typo> read_typos() {
  std::ifstream file(COLLET_TEST_TYPOS);
  std::vector<Typo> typos;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    Typo typo;
    typo.written = unescaped(behind(line, "selector:"));
    std::getline(file, line);
    typo.status = behind(line, "status:  ");
    std::getline(file, line);
    typo.nearest = behind(line, "nearest: ");
    if (typo.nearest == "-") {
      typo.nearest.clear();
    }
    while (std::getline(file, line) && !line.empty()) {
      typo.message += (typo.message.empty() ? "" : "\n") + line;
    }
    typos.push_back(typo);
  }
  return typos;
}

std::string open_error(const std::string& selector) {
  collet_device_t* device = nullptr;
  return collet_device_open(selector.c_str(), &device) == COLLET_OK
             ? "COLLET_OK"
             : collet_status_name(collet_last_error()->status);
}

TEST_CASE("HOST-SEL-2 each of fifty typos has its message, caret, nearest choice and status") {
  const std::vector<Typo> typos = read_typos();
  REQUIRE(typos.size() >= 50);
  const ChildResult child = with_plugins({"machine"}, [&](std::ostream& out) {
    for (const Typo& typo : typos) {
      out << "selector:" << typo.written << '\n' << opened(typo.written.c_str()) << "\n\n";
    }
  });
  // The last lines, where a name is unknown, are the same for all.
  const std::string here =
      "\nback ends here: cpu (1 device), opencl (2 devices), sim (1 device)\n"
      "cuda is installed but not usable: libfake.so.1 not found (no driver on this machine)";
  std::string expected;
  for (const Typo& typo : typos) {
    const bool unknown = typo.message.find("there is no back end") != std::string::npos;
    expected += "selector:" + typo.written + "\nCOLLET_ERROR_" + typo.status +
                ": selector: " + typo.message + (unknown ? here : "") + "\n\n";
  }
  CHECK(child.output == expected);
  CHECK(child.exit_status == 0);
}

TEST_CASE("HOST-SEL-2 what a message proposes is a selector that names something") {
  const std::vector<Typo> typos = read_typos();
  const ChildResult child = with_plugins({"machine"}, [&](std::ostream& out) {
    for (const Typo& typo : typos) {
      const bool proposed = typo.message.find('"' + typo.nearest + '"') != std::string::npos ||
                            typo.message.find(' ' + typo.nearest) != std::string::npos;
      const std::string status = typo.nearest.empty() ? "COLLET_OK" : open_error(typo.nearest);
      // cuda is there, and not usable.
      if (!proposed || (status != "COLLET_OK" && status != "COLLET_ERROR_UNAVAILABLE")) {
        out << typo.written << " -> " << typo.nearest << ": " << status << '\n';
      }
    }
  });
  CHECK(child.output.empty());
  CHECK(child.exit_status == 0);
}

}  // namespace
}  // namespace collet::test
