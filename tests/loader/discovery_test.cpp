// SPDX-License-Identifier: Apache-2.0
#include "discovery.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "folder.hpp"
#include "support/catch.hpp"

namespace collet::loader {
namespace {

namespace fs = std::filesystem;

class PluginFolder : public test::Folder {
 public:
  // A copy of a sound plugin.
  void copy(const std::string& name) const {
    fs::copy_file(fs::path(COLLET_TEST_PLUGINS) / "good/libcollet_good.so", *this / name);
  }

  // The same with a build id of its own, as if it were another plugin.
  void plugin(const std::string& name) const {
    static unsigned char count = 0;
    copy(name);
    const std::string path = (*this / name).string();
    std::ifstream file(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    const std::string id = raw_build_id(path);
    const std::size_t at = bytes.find(id);
    REQUIRE(!id.empty());
    REQUIRE(at != std::string::npos);
    bytes[at] = static_cast<char>(bytes[at] + ++count);
    write(name, bytes);
  }

 private:
  static std::string raw_build_id(const std::string& path) {
    const std::string digits = read_elf_file(path).build_id;
    std::string id;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      id += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return id;
  }
};

Discovery search(const std::string& path) { return discover(PluginPath{path, "TEST_PATH"}); }

// The start of an ELF file of 64 bits, little endian.
std::string elf(char machine, char type = 3) {
  std::string header(64, '\0');
  header.replace(0, 7, "\177ELF\2\1\1", 7);
  header[16] = type;
  header[18] = machine;
  return header;
}

TEST_CASE("discovery: plugins are sorted by name, and have a path and an origin") {
  const PluginFolder folder;
  folder.plugin("libcollet_beta.so");
  folder.plugin("libcollet_alpha.so");
  folder.plugin("libcollet_alpha2.so");
  const auto found = search(folder.text()).candidates;
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "alpha");
  CHECK(found[1].name == "alpha2");
  CHECK(found[2].name == "beta");
  CHECK(found[2].path == (folder / "libcollet_beta.so").string());
  CHECK(found[2].origin == "TEST_PATH");
  CHECK(found[2].fault.empty());
}

TEST_CASE("discovery: other files are not candidates") {
  const PluginFolder folder;
  folder.plugin("libcollet.so");
  folder.plugin("libcollet_.so");
  folder.plugin("libcollet_a.so.1");
  folder.plugin("collet_a.so");
  folder.plugin("libother_a.so");
  const Discovery found = search(folder.text());
  CHECK(found.candidates.empty());
  CHECK(found.warnings.empty());
}

TEST_CASE("HOST-LOAD-4 each file that cannot be a plugin has its own reason") {
  const PluginFolder folder;
  folder.plugin("libcollet_good.so");
  folder.write("libcollet_a_empty.so", "");
  folder.write("libcollet_b_text.so", "not a library\n");
  folder.write("libcollet_c_short.so", "\177ELF");
  fs::create_directory(folder / "libcollet_d_folder.so");
  fs::create_symlink("nowhere.so", folder / "libcollet_e_link.so");
  folder.write("libcollet_f_machine.so", elf(8));  // MIPS
  folder.write("libcollet_g_object.so", elf(62, 1));
  std::string narrow = elf(3);
  narrow[4] = 1;  // 32 bits
  folder.write("libcollet_h_narrow.so", narrow);
  folder.plugin("libcollet_I-upper.so");
  folder.plugin("libcollet_" + std::string(49, 'j') + ".so");
  fs::create_symlink("libcollet_l_loop.so", folder / "libcollet_l_loop.so");

  const auto found = search(folder.text()).candidates;
  std::vector<std::string> faults;
  faults.reserve(found.size());
  for (const Candidate& candidate : found) {
    faults.push_back(candidate.name.substr(0, 12) + ": " + candidate.fault);
  }
#if defined(__x86_64__)
  const std::string machine = "x86-64";
  const std::string object = "it is an ELF file, but not a shared library";
#else
  const std::string machine = "AArch64";
  const std::string object = "it is built for x86-64, and this process runs on AArch64";
#endif
  const std::string names = "names are [a-z][a-z0-9_]*, at most 48 characters";
  CHECK(faults ==
        std::vector<std::string>{
            "I-upper: no back end can be called \"I-upper\": " + names,
            "a_empty: the file is empty",
            "b_text: it is not a shared library (no ELF header)",
            "c_short: it is not a shared library (no ELF header)",
            "d_folder: it is a folder, not a file",
            "e_link: it is a link to nowhere.so, which does not exist",
            "f_machine: it is built for machine number 8, and this process runs on " + machine,
            "g_object: " + object,
            "good: ",
            "h_narrow: its word size or byte order is another one than this process has",
            "jjjjjjjjjjjj: no back end can be called \"" + std::string(49, 'j') + "\": " + names,
            "l_loop: it cannot be read: Too many levels of symbolic links",
        });
}

TEST_CASE("HOST-LOAD-11 one file by two paths is one candidate") {
  const PluginFolder folder;
  const PluginFolder other;
  folder.plugin("libcollet_same.so");
  fs::create_symlink(folder / "libcollet_same.so", other / "libcollet_same.so");
  fs::create_directory_symlink(folder.text(), other / "again");
  const std::string path =
      folder.text() + ":" + folder.text() + "/:" + other.text() + ":" + (other / "again").string();
  const auto found = search(path).candidates;
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == (folder / "libcollet_same.so").string());
  CHECK(found[0].fault.empty());
}

TEST_CASE("HOST-LOAD-11 copies of one library are one plugin, by their build id") {
  const PluginFolder first;
  const PluginFolder second;
  first.copy("libcollet_a.so");
  second.copy("libcollet_a.so");
  second.copy("libcollet_b.so");
  const auto found = search(first.text() + ":" + second.text()).candidates;
  REQUIRE(found.size() == 3);
  CHECK(found[0].fault.empty());
  CHECK(found[0].path == (first / "libcollet_a.so").string());
  const std::string copy = "it is a copy of " + found[0].path + " (both have build id " +
                           found[0].build_id.substr(0, 12) + ")";
  CHECK(found[1].fault == copy);
  CHECK(found[2].fault == copy);
}

TEST_CASE("HOST-LOAD-11 a hard link is the same file") {
  const PluginFolder first;
  const PluginFolder second;
  first.plugin("libcollet_a.so");
  fs::create_hard_link(first / "libcollet_a.so", second / "libcollet_a.so");
  fs::create_hard_link(first / "libcollet_a.so", second / "libcollet_b.so");
  const auto found = search(first.text() + ":" + second.text()).candidates;
  REQUIRE(found.size() == 2);
  CHECK(found[1].fault == "it is the same file as the back end \"a\"");
}

TEST_CASE("discovery: of two files of one name the first folder's wins") {
  const PluginFolder first;
  const PluginFolder second;
  first.plugin("libcollet_twice.so");
  second.plugin("libcollet_twice.so");
  const auto found = search(second.text() + ":" + first.text()).candidates;
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == (second / "libcollet_twice.so").string());
  CHECK(found[0].fault.empty());
  CHECK(found[1].path == (first / "libcollet_twice.so").string());
  CHECK(found[1].fault == "shadowed by " + found[0].path);
}

TEST_CASE("discovery: a broken file does not shadow a sound one") {
  const PluginFolder first;
  const PluginFolder second;
  first.write("libcollet_x.so", "text");
  second.plugin("libcollet_x.so");
  const auto found = search(first.text() + ":" + second.text()).candidates;
  REQUIRE(found.size() == 2);
  CHECK(found[0].fault == "it is not a shared library (no ELF header)");
  CHECK(found[1].path == (second / "libcollet_x.so").string());
  CHECK(found[1].fault.empty());
}

TEST_CASE("discovery: of two names for one file its own wins, and a versioned one is followed") {
  const PluginFolder folder;
  folder.plugin("libcollet_real.so");
  fs::create_symlink("libcollet_real.so", folder / "libcollet_alias.so");
  folder.plugin("libcollet_versioned.so.1.2");
  fs::create_symlink("libcollet_versioned.so.1.2", folder / "libcollet_versioned.so");
  const auto found = search(folder.text()).candidates;
  REQUIRE(found.size() == 3);
  CHECK(found[0].name == "alias");
  CHECK(found[0].fault == "it is the same file as the back end \"real\"");
  CHECK(found[1].fault.empty());
  CHECK(found[2].name == "versioned");
  CHECK(found[2].fault.empty());
}

TEST_CASE("HOST-LOAD-2 an empty, relative or missing folder is a warning, and the rest is used") {
  const PluginFolder folder;
  folder.plugin("libcollet_good.so");
  const Discovery found = search("plugins::" + folder.text() + ":./x:/no/such/folder");
  CHECK(found.candidates.size() == 1);
  CHECK(found.warnings ==
        std::vector<std::string>{
            "TEST_PATH: the entry \"plugins\" is relative, and is not searched; write an absolute "
            "folder",
            "TEST_PATH: an entry is empty, and the current directory is never searched; write "
            "absolute folders, separated by ':'",
            "TEST_PATH: the entry \"./x\" is relative, and is not searched; write an absolute "
            "folder",
            "TEST_PATH: the folder \"/no/such/folder\" cannot be read: No such file or directory"});
}

TEST_CASE("HOST-LOAD-3 a path that is set and empty searches nothing") {
  const Discovery found = search("");
  CHECK(found.candidates.empty());
  CHECK(found.folders.empty());
  CHECK(found.warnings.size() == 1);
}

TEST_CASE("discovery: a folder may have blanks and letters of any alphabet in its name") {
  const PluginFolder folder;
  const fs::path inner = folder /
                         "gr\xc3\xb6\xc3\x9f"
                         "er als \xe6\x97\xa5\xe6\x9c\xac";
  fs::create_directory(inner);
  fs::copy_file(fs::path(COLLET_TEST_PLUGINS) / "good/libcollet_good.so",
                inner / "libcollet_good.so");
  const Discovery found = search(inner.string());
  REQUIRE(found.candidates.size() == 1);
  CHECK(found.candidates[0].fault.empty());
}

// Sets a variable, or removes it, and puts it back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::vector<std::string> default_folders_with(const char* data_home, const char* home) {
  const Variable data("XDG_DATA_HOME", data_home);
  const Variable user("HOME", home);
  return discover(std::nullopt).folders;
}

TEST_CASE("HOST-LOAD-3 without a path the user's, the system's and the own folder are searched") {
  // The loader is inside this program here.
  const std::string own = fs::canonical("/proc/self/exe").parent_path().string() + "/collet";
  using Folders = std::vector<std::string>;
  const Folders system = {"/etc/collet/plugins", "/usr/local/lib/collet", "/usr/lib/collet", own};
  const auto with = [&](const std::string& first) {
    Folders all = system;
    all.insert(all.begin(), first);
    return all;
  };
  CHECK(default_folders_with("/data", "/home/x") == with("/data/collet/plugins"));
  CHECK(default_folders_with(nullptr, "/home/x") == with("/home/x/.local/share/collet/plugins"));
  CHECK(default_folders_with("", "/home/x") == with("/home/x/.local/share/collet/plugins"));
  CHECK(default_folders_with("data", nullptr) == system);
  CHECK(default_folders_with(nullptr, "home") == system);
}

TEST_CASE("HOST-LOAD-3 a user's plugin is found, and missing default folders are no warnings") {
  const PluginFolder home;
  fs::create_directories(home / "collet/plugins");
  home.plugin("collet/plugins/libcollet_mine.so");
  const Variable data("XDG_DATA_HOME", home.text().c_str());
  const Discovery found = discover(std::nullopt);
  const auto mine = std::find_if(found.candidates.begin(), found.candidates.end(),
                                 [](const Candidate& c) { return c.name == "mine"; });
  REQUIRE(mine != found.candidates.end());
  CHECK(mine->origin == "the user's folder");
  CHECK(std::none_of(found.warnings.begin(), found.warnings.end(), [](const std::string& text) {
    return text.find("system") != std::string::npos;
  }));
}

TEST_CASE("HOST-LOAD-3 the entry + of a path stands for the default folders, in its place") {
  const PluginFolder folder;
  const Variable data("XDG_DATA_HOME", "/data");
  const std::vector<std::string> defaults = discover(std::nullopt).folders;
  std::vector<std::string> behind = defaults;
  behind.insert(behind.begin(), folder.text());
  CHECK(search(folder.text() + ":+").folders == behind);
  std::vector<std::string> before = defaults;
  before.push_back(folder.text());
  CHECK(search("+:" + folder.text()).folders == before);
  CHECK(search(folder.text()).folders == std::vector<std::string>{folder.text()});
}

TEST_CASE("HOST-LOAD-10 a manifest leads to a library anywhere, and comes before a plain one") {
  const PluginFolder folder;
  fs::create_directory(folder / "inner");
  folder.plugin("inner/any.so");
  folder.plugin("libcollet_plain.so");
  folder.write("z.collet.json",
               R"({"name": "acme", "library": "inner/../inner/any.so", "settings": {"a": "1"}})");
  folder.write("plain.collet.json", R"({"name": "plain", "library": ")" +
                                        (folder / "libcollet_plain.so").string() + "\"}");
  folder.write("lost.collet.json", R"({"name": "lost", "library": "nowhere.so"})");
  folder.write("bad.collet.json", "{");
  folder.write("old.collet.json",
               R"({"name": "old", "library": "inner/any.so", "abi_versions": [7]})");
  const auto found = search(folder.text()).candidates;
  REQUIRE(found.size() == 5);
  CHECK(found[0].name == "acme");
  CHECK(found[0].path == (folder / "inner/any.so").string());
  CHECK(found[0].origin == "TEST_PATH, " + (folder / "z.collet.json").string());
  CHECK(found[0].settings == std::map<std::string, std::string>{{"a", "1"}});
  CHECK(found[0].fault.empty());
  CHECK(found[1].name == "bad");
  CHECK(found[1].path == (folder / "bad.collet.json").string());
  CHECK(found[1].fault == "the manifest is not JSON: the fault is in line 1");
  CHECK(found[2].fault == "it cannot be read: No such file or directory");
  CHECK(found[3].status == COLLET_ERROR_INCOMPATIBLE);
  CHECK(found[4].name == "plain");
  CHECK(found[4].origin == "TEST_PATH, " + (folder / "plain.collet.json").string());
}

TEST_CASE("HOST-LOAD-10 a manifest that is no ordinary file has its own reason") {
  const PluginFolder folder;
  fs::create_directory(folder / "a.collet.json");
  REQUIRE(mkfifo((folder / "b.collet.json").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", folder / "c.collet.json");
  const auto found = search(folder.text()).candidates;
  REQUIRE(found.size() == 3);
  CHECK(found[0].fault == "the manifest is not a regular file");
  CHECK(found[1].fault == "the manifest is not a regular file");
  CHECK(found[2].fault == "the manifest cannot be read: No such file or directory");
}

TEST_CASE("discovery: names of back ends are lower-case identifiers") {
  CHECK(is_backend_name("cpu"));
  CHECK(is_backend_name("a1_b"));
  CHECK(is_backend_name(std::string(48, 'a')));
  CHECK_FALSE(is_backend_name(std::string(49, 'a')));
  CHECK_FALSE(is_backend_name(""));
  CHECK_FALSE(is_backend_name("1a"));
  CHECK_FALSE(is_backend_name("_a"));
  CHECK_FALSE(is_backend_name("A"));
  CHECK_FALSE(is_backend_name("a-b"));
  CHECK_FALSE(is_backend_name("a.b"));
}

}  // namespace
}  // namespace collet::loader
