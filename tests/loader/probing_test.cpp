// SPDX-License-Identifier: Apache-2.0
// What is found out without loading, what is remembered, and what is loaded after all.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "fixture.hpp"
#include "folder.hpp"
#include "support/catch.hpp"

namespace collet::test {
namespace {

namespace fs = std::filesystem;

// A process that sees plugins which say where they are loaded, and a cache of its own.
class Listing {
 public:
  Listing() { fs::create_directory(root_ / "plugins"); }

  // A copy of a plugin, for those cases that change it.
  void copy(const std::string& name) const {
    const std::string file = "libcollet_" + name + ".so";
    fs::copy_file(std::string(COLLET_TEST_PLUGINS) + "/many/" + file, plugin(name));
  }
  [[nodiscard]] fs::path plugin(const std::string& name) const {
    return root_ / ("plugins/libcollet_" + name + ".so");
  }
  [[nodiscard]] std::string plugins() const { return (root_ / "plugins").string(); }
  [[nodiscard]] fs::path cache() const { return root_ / "cache/probe"; }

  // Runs the body in a new process; `path` are the plugins that it sees.
  [[nodiscard]] ChildResult run(const std::string& path,
                                const std::function<void(std::ostream&)>& body) const {
    fs::remove(root_ / "marks");
    return with_plugins({}, [&](std::ostream& out) {
      setenv("COLLET_PLUGIN_PATH", path.c_str(), 1);
      setenv("COLLET_CACHE_DIR", (root_ / "cache").c_str(), 1);
      setenv("FAKE_MARK_FILE", (root_ / "marks").c_str(), 1);
      body(out);
    });
  }

  // Who has loaded what in the last process and its probes, sorted.
  [[nodiscard]] std::vector<std::string> marks() const {
    std::vector<std::string> lines;
    std::ifstream file(root_ / "marks");
    for (std::string line; std::getline(file, line);) {
      lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  Folder root_;
};

using Lines = std::vector<std::string>;

const std::string kMany = COLLET_TEST_PLUGINS "/many";

// The devices of all back ends, and whether that comes from the cache: "mark_0 2 1 Fake device".
void list(std::ostream& out) {
  std::uint32_t count = 0;
  static_cast<void>(collet_backend_count(&count));
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::string name = ledger_at(index).name;
    out << name << ' ' << counted_devices(name.c_str()) << ' ' << ledger_at(index).from_cache;
    collet_device_properties_t properties{};
    properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
    static_cast<void>(collet_device_describe(name.c_str(), 1, &properties));
    out << ' ' << properties.id << ' ' << properties.name << '\n';
  }
}

std::string listed(const std::string& name, bool from_cache) {
  return name + " 2 " + (from_cache ? "1 " : "0 ") + name + ":1 Fake device\n";
}

std::string listed_many(bool from_cache) {
  Lines lines;
  for (int i = 0; i < 20; ++i) {
    lines.push_back(listed("mark_" + std::to_string(i), from_cache));
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) {
    all += line;
  }
  return all;
}

TEST_CASE("HOST-LOAD-12 twenty plugins are listed from a warm cache, and none is opened") {
  const Listing listing;
  CHECK(listing.run(kMany, list).output == listed_many(false));
  const Lines cold = listing.marks();
  CHECK(cold.size() == 20);
  CHECK(std::all_of(cold.begin(), cold.end(),
                    [](const std::string& line) { return line.ends_with(" collet-probe"); }));
  CHECK(listing.run(kMany, list).output == listed_many(true));
  CHECK(listing.marks().empty());
}

TEST_CASE("HOST-LOAD-12 a plugin that was touched is probed again, and no other") {
  const Listing listing;
  for (const char* name : {"mark_1", "mark_2", "mark_3"}) {
    listing.copy(name);
  }
  static_cast<void>(listing.run(listing.plugins(), list));
  fs::last_write_time(listing.plugin("mark_2"),
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  CHECK(listing.run(listing.plugins(), list).output ==
        listed("mark_1", true) + listed("mark_2", false) + listed("mark_3", true));
  CHECK(listing.marks() == Lines{"mark_2 collet-probe"});
}

TEST_CASE("HOST-LOAD-12 another environment of the drivers, or another option, is another entry") {
  const Listing listing;
  listing.copy("mark_1");
  listing.copy("mark_2");
  static_cast<void>(listing.run(listing.plugins(), list));
  const auto with = [&](const char* variable) {
    static_cast<void>(listing.run(listing.plugins(), [&](std::ostream& out) {
      setenv(variable, "7", 1);
      list(out);
    }));
    return listing.marks();
  };
  CHECK(with("CUDA_VISIBLE_DEVICES") == Lines{"mark_1 collet-probe", "mark_2 collet-probe"});
  CHECK(with("CUDA_VISIBLE_DEVICES").empty());
  CHECK(with("COLLET_MARK_2_THREADS") == Lines{"mark_2 collet-probe"});
  CHECK(with("UNRELATED").empty());
}

TEST_CASE("HOST-LOAD-12 damaged entries are harmless, and replaced") {
  const Listing listing;
  listing.copy("mark_1");
  static_cast<void>(listing.run(listing.plugins(), list));
  for (const char* content : {"", "rubbish", "collet probe 1\n"}) {
    for (const auto& entry : fs::directory_iterator(listing.cache())) {
      std::ofstream(entry.path()) << content;
    }
    CHECK(listing.run(listing.plugins(), list).output == listed("mark_1", false));
    CHECK(listing.run(listing.plugins(), list).output == listed("mark_1", true));
  }
}

TEST_CASE("HOST-LOAD-1 a process that asks for one back end opens no other, and probes no other") {
  const Listing listing;
  const auto open_one = [&] {
    return listing.run(kMany, [](std::ostream& out) {
      setenv("COLLET_DEVICE", "mark_7", 1);
      out << opened(nullptr) << ' ' << counted_devices("mark_7");
    });
  };
  CHECK(open_one().output == "mark_7:0 2");
  CHECK(listing.marks() == Lines{"mark_7 collet-probe", "mark_7 loader_api"});
  CHECK(open_one().output == "mark_7:0 2");
  CHECK(listing.marks() == Lines{"mark_7 loader_api"});
}

TEST_CASE("HOST-LOAD-13 COLLET_PROBE=off loads plugins without a probe, at their first use") {
  const Listing listing;
  listing.copy("mark_1");
  listing.copy("mark_2");
  const ChildResult child = listing.run(listing.plugins(), [](std::ostream& out) {
    setenv("COLLET_PROBE", "off", 1);
    out << counted_devices("mark_2") << ' '
        << (ledger_entry("mark_2").phase == COLLET_BACKEND_PHASE_COUNTED)
        << (ledger_entry("mark_1").phase == COLLET_BACKEND_PHASE_INSPECTED);
  });
  CHECK(child.output == "2 11");
  CHECK(listing.marks() == Lines{"mark_2 loader_api"});
  CHECK_FALSE(fs::exists(listing.cache()));
}

TEST_CASE("HOST-LOAD-12 what is remembered gives way to what a load finds") {
  const Listing listing;
  const std::string path = plugin_path({"varying"});
  const auto with_devices = [&](const char* count, const char* selector) {
    return listing.run(path, [=](std::ostream& out) {
      setenv("FAKE_COUNT", count, 1);
      out << counted_devices("varying") << '\n'
          << opened(selector) << '\n'
          << counted_devices("varying");
    });
  };
  CHECK(with_devices("2", "varying:1").output == "2\nvarying:1\n2");
  const ChildResult less = with_devices("1", "varying:1");
  CHECK(less.output ==
        "2\n"
        "COLLET_ERROR_NO_SUCH_DEVICE: selector: there is no device \"varying:1\"\n"
        "    varying:1\n"
        "            ^   there is no device \"varying:1\"; varying has 1 device: varying:0\n"
        "1");
  CHECK(less.errors ==
        "collet: warning: varying: its probe has found 2 devices, and there are 1 now\n");
  // Forgotten, so probed again.
  CHECK(with_devices("1", "varying:0").output == "1\nvarying:0\n1");
}

TEST_CASE("HOST-LOAD-12 without a place for it nothing is remembered, and all works") {
  const Listing listing;
  listing.copy("mark_1");
  const ChildResult none = listing.run(listing.plugins(), [](std::ostream& out) {
    for (const char* name : {"COLLET_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
      unsetenv(name);
    }
    list(out);
  });
  CHECK(none.output == listed("mark_1", false));
  CHECK(none.errors.empty());
  const ChildResult relative = listing.run(listing.plugins(), [](std::ostream& out) {
    setenv("COLLET_CACHE_DIR", "cache", 1);
    list(out);
  });
  CHECK(relative.output == listed("mark_1", false));
  CHECK(relative.errors ==
        "collet: warning: COLLET_CACHE_DIR: \"cache\" is no absolute folder, so that nothing is "
        "remembered\n");
  const ChildResult full = listing.run(listing.plugins(), [](std::ostream& out) {
    setenv("COLLET_CACHE_DIR", "/dev/full", 1);
    list(out);
  });
  CHECK(full.output == listed("mark_1", false));
  CHECK(full.errors.empty());
}

TEST_CASE("HOST-LOAD-12 processes that fill the cache at once all get answers") {
  const Listing listing;
  const ChildResult child = listing.run(kMany, [](std::ostream& out) {
    // Forked before any of them uses Collet.
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
      const pid_t forked = fork();
      if (forked == 0) {
        std::ostringstream text;
        list(text);
        const std::string all = text.str();
        // From the cache or not, depending on who was first.
        _exit(std::count(all.begin(), all.end(), '\n') == 20 &&
                      all.find("COLLET_ERROR") == std::string::npos
                  ? 0
                  : 1);
      }
      children.push_back(forked);
    }
    for (const pid_t forked : children) {
      int status = 1;
      waitpid(forked, &status, 0);
      out << status;
    }
  });
  CHECK(child.output == "000");
  CHECK(listing.run(kMany, list).output == listed_many(true));
}

TEST_CASE("HOST-LOAD-1 threads that ask at once share one probe and one load of each back end") {
  const Listing listing;
  const ChildResult child = listing.run(kMany, [](std::ostream& out) {
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 64; ++i) {
      threads.emplace_back([&right, i] {
        const std::string name = "mark_" + std::to_string(i % 4);
        const bool listed_all = i % 8 < 4 ? counted_devices(name.c_str()) == "2" : true;
        right += listed_all && opened(name.c_str()) == name + ":0";
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    out << right;
  });
  CHECK(child.output == "64");
  CHECK(listing.marks() == Lines{"mark_0 collet-probe", "mark_0 loader_api", "mark_1 collet-probe",
                                 "mark_1 loader_api", "mark_2 collet-probe", "mark_2 loader_api",
                                 "mark_3 collet-probe", "mark_3 loader_api"});
}

TEST_CASE("HOST-LOAD-13 a plugin that crashes while it is loaded does nothing to the host") {
  const ChildResult child = with_plugins({"good", "corpus"}, [](std::ostream& out) {
    out << counted_devices("load_aborts") << '\n' << opened("good");
  });
  CHECK(child.output ==
        "COLLET_ERROR_INTERNAL: back end \"load_aborts\" aborted while it was being loaded (signal "
        "6, Aborted)\ngood:0");
}

TEST_CASE("HOST-LOAD-11 a copy of a library is no second plugin, and says what it is a copy of") {
  const Folder folder;
  const std::string file = "good/libcollet_good.so";
  fs::copy_file(std::string(COLLET_TEST_PLUGINS) + "/" + file, folder / "libcollet_good.so");
  const ChildResult child = with_plugins({}, [&](std::ostream& out) {
    setenv("COLLET_PLUGIN_PATH", (plugin_path({"good"}) + ":" + folder.text()).c_str(), 1);
    out << opened("good") << ' ' << ledger_at(1).reason;
  });
  CHECK(child.output.starts_with("good:0 " + (folder / "libcollet_good.so").string() +
                                 ": it is a copy of " + plugin_path({file}) + " (both have "));
}

TEST_CASE("HOST-LOAD-13 sound plugins that print, or speak an older or newer ABI, are used") {
  const ChildResult child = with_plugins({"sound"}, [](std::ostream& out) {
    out << counted_devices("noisy") << '\n';
    for (const char* name : {"oldest", "newer", "garbage"}) {
      out << counted_devices(name) << ' ' << opened(name) << '\n';
    }
  });
  CHECK(child.output == "2\n2 oldest:0\n2 newer:0\n2 garbage:0\n");
}

TEST_CASE("HOST-LOAD-1 two plugins that define the same globals stay separate") {
  const ChildResult child = with_plugins({"sound"}, [](std::ostream& out) {
    for (const char* name : {"global_one", "global_two"}) {
      collet_device_t* device = nullptr;
      collet_device_properties_t properties{};
      properties.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof properties, nullptr};
      out << collet_device_open(name, &device) << collet_device_properties(device, &properties)
          << ' ' << properties.compute_units << ' ';
    }
  });
  CHECK(child.output == "00 1 00 2 ");
}

TEST_CASE("HOST-LOAD-10 settings of a manifest are options that the environment does not set") {
  const Folder folder;
  folder.write("optional.collet.json",
               R"({"name": "optional", "settings": {"threads": "5"}, "library": ")" +
                   std::string(COLLET_TEST_PLUGINS) + "/options/libcollet_optional.so\"}");
  const auto errors_with = [&](const char* threads) {
    return with_plugins({},
                        [&](std::ostream& out) {
                          setenv("COLLET_PLUGIN_PATH", folder.text().c_str(), 1);
                          if (threads != nullptr) {
                            setenv("COLLET_OPTIONAL_THREADS", threads, 1);
                          }
                          out << opened("optional");
                        })
        .errors;
  };
  CHECK(errors_with(nullptr) == "collet: warning: [optional] 5\n");
  CHECK(errors_with("3") == "collet: warning: [optional] 3\n");
}

TEST_CASE("HOST-LOAD-8 a COLLET_PROBE that is malformed is told by every call, at once") {
  const ChildResult child = with_plugins({"good"}, [](std::ostream& out) {
    setenv("COLLET_PROBE", "maybe", 1);
    out << ledger_line("good") << '\n'
        << opened("good") << '\n'
        << (opened("good") == counted_devices("good"));
  });
  CHECK(child.output ==
        "good found COLLET_OK: \n"
        "COLLET_ERROR_MALFORMED: COLLET_PROBE: \"maybe\" is not understood\n"
        "    maybe\n"
        "    ^^^^^   write on, off, or a deadline such as 30s or 500ms\n"
        "1");
}

}  // namespace
}  // namespace collet::test
