// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for, through the exported functions.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "fixture.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

namespace fs = std::filesystem;

// What counting "good" answers in a child that stands in the folder of that plugin.
std::string seen_with(const std::string& path) {
  return with_plugins({},
                      [&](std::ostream& out) {
                        fs::current_path(plugin_path({"good"}));
                        setenv("COLLET_PLUGIN_PATH", path.c_str(), 1);
                        out << counted_devices("good");
                      })
      .output;
}

TEST_CASE("HOST-LOAD-2 empty and relative entries are not searched, and the text says why") {
  const std::string elsewhere = plugin_path({"kinds"});
  const std::string relative = seen_with(".:" + elsewhere);
  CHECK(relative.starts_with("COLLET_ERROR_NO_SUCH_DEVICE: "));
  CHECK(relative.find("the entry \".\" is relative, and is not searched") != std::string::npos);
  for (const std::string& path : {std::string(), ":" + elsewhere, elsewhere + ":"}) {
    INFO('"' << path << '"');
    const std::string empty = seen_with(path);
    CHECK(empty.starts_with("COLLET_ERROR_NO_SUCH_DEVICE: "));
    CHECK(empty.find("an entry is empty") != std::string::npos);
  }
  CHECK(seen_with(".:" + plugin_path({"good"})) == "2");
}

// How many candidates there are, with and without a path.
std::string candidates_with(const char* path) {
  return with_plugins({},
                      [&](std::ostream& out) {
                        if (path != nullptr) {
                          setenv("COLLET_PLUGIN_PATH", path, 1);
                        } else {
                          unsetenv("COLLET_PLUGIN_PATH");
                        }
                        std::uint32_t count = 0;
                        out << collet_backend_count(&count) << ' ' << count << ' '
                            << ledger_line("cpu");
                      })
      .output;
}

TEST_CASE("HOST-LOAD-3 a path that is set is the only place that is searched") {
  CHECK(candidates_with(plugin_path({"good"}).c_str()) == "0 1 cpu is not there");
  CHECK(candidates_with("") == "0 0 cpu is not there");
}

TEST_CASE("HOST-LOAD-3 without a path the folder beside the library is searched") {
  const std::string seen = candidates_with(nullptr);
  INFO(seen);
  CHECK(seen.find("cpu found COLLET_OK: ") != std::string::npos);
}

TEST_CASE("HOST-LOAD-4 a file that is no plugin does not hide a good one of its name") {
  std::string folder = (fs::temp_directory_path() / "collet-search-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  std::ofstream(folder + "/libcollet_good.so") << "no plugin";
  const std::string behind = ':' + folder;
  for (const std::string& path :
       {folder + ':' + plugin_path({"good"}), plugin_path({"good"}) + behind}) {
    const ChildResult child = with_plugins({}, [&](std::ostream& out) {
      setenv("COLLET_PLUGIN_PATH", path.c_str(), 1);
      std::uint32_t count = 0;
      out << collet_backend_count(&count) << ' ' << count << ' ' << counted_devices("good") << ' '
          << opened("good:1");
    });
    CHECK(child.output == "0 2 2 good:1");
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace collet::test
