// SPDX-License-Identifier: Apache-2.0
#include "discovery.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace collet::loader {
namespace {

namespace fs = std::filesystem;

// A folder that is gone with its owner.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "collet-discovery-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = fs::canonical(name);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string text() const { return path_.string(); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }

  // A copy of a sound plugin.
  void plugin(const std::string& name) const {
    fs::copy_file(fs::path(COLLET_TEST_PLUGINS) / "good/libcollet_good.so", path_ / name);
  }

 private:
  fs::path path_;
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
  const Folder folder;
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
  const Folder folder;
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
  const Folder folder;
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

TEST_CASE("discovery: one file by two paths is one candidate") {
  const Folder folder;
  const Folder other;
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

TEST_CASE("discovery: of two files of one name the first folder's wins") {
  const Folder first;
  const Folder second;
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
  const Folder first;
  const Folder second;
  first.write("libcollet_x.so", "text");
  second.plugin("libcollet_x.so");
  const auto found = search(first.text() + ":" + second.text()).candidates;
  REQUIRE(found.size() == 2);
  CHECK(found[0].fault == "it is not a shared library (no ELF header)");
  CHECK(found[1].path == (second / "libcollet_x.so").string());
  CHECK(found[1].fault.empty());
}

TEST_CASE("discovery: of two names for one file its own wins, and a versioned one is followed") {
  const Folder folder;
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
  const Folder folder;
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
  const Folder folder;
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

TEST_CASE("HOST-LOAD-3 without a path the folder beside the library is searched") {
  const Discovery found = discover(std::nullopt);
  REQUIRE(found.folders.size() == 1);
  // The loader is inside this program here.
  CHECK(found.folders[0] == fs::canonical("/proc/self/exe").parent_path().string() + "/collet");
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
