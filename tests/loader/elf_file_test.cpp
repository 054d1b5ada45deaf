// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <link.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "folder.hpp"
#include "support/catch.hpp"

namespace collet::loader {
namespace {

std::string plugin(const std::string& file) { return COLLET_TEST_PLUGINS "/" + file; }

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("elf: a sound plugin has an identity, a build id and what it needs") {
  const ElfFile file = read_elf_file(plugin("good/libcollet_good.so"));
  CHECK(file.fault == "");
  CHECK(file.identity.inode != 0);
  CHECK(file.identity.size_bytes == bytes_of(plugin("good/libcollet_good.so")).size());
  CHECK(file.build_id.size() == 40);
  CHECK(std::find(file.needed.begin(), file.needed.end(), "libc.so.6") != file.needed.end());
}

TEST_CASE("elf: two files have two identities, and a changed file has another") {
  const test::Folder folder;
  const std::string copy = (folder / "copy.so").string();
  std::filesystem::copy_file(plugin("good/libcollet_good.so"), copy);
  const FileIdentity before = read_elf_file(copy).identity;
  CHECK_FALSE(before == read_elf_file(plugin("good/libcollet_good.so")).identity);
  std::filesystem::last_write_time(
      copy, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(10));
  CHECK_FALSE(before == read_elf_file(copy).identity);
}

struct Bad {
  const char* name;
  std::string fault;
};

TEST_CASE("HOST-LOAD-4 what a file exports is judged before it is loaded") {
  const auto bad = GENERATE(values<Bad>({
      {"no_symbol",
       "it exports collet_plugin_query_v0 and not collet_plugin_query_v1, so it is for another "
       "ABI"},
      {"two_queries",
       "it exports collet_plugin_query_v1 and also collet_plugin_query_v2, and a plugin has one "
       "of them"},
      {"clash", "it exports collet_stream_synchronize, a name that belongs to libcollet"},
  }));
  const ElfFile file = read_elf_file(plugin(std::string("corpus/libcollet_") + bad.name + ".so"));
  CHECK(file.fault == bad.fault);
  CHECK(file.status == COLLET_ERROR_INCOMPATIBLE);
  CHECK(file.hint != "");
}

TEST_CASE("HOST-LOAD-4 a library without any query is no plugin") {
  const ElfFile file = read_elf_file(plugin("libraries/libfake_one.so"));
  CHECK(file.fault == "it does not export collet_plugin_query_v1, so it is not a Collet plugin");
}

TEST_CASE("elf: a file that was cut anywhere is read without harm") {
  const test::Folder folder;
  const std::string whole = bytes_of(plugin("good/libcollet_good.so"));
  for (std::size_t size = 0; size < whole.size(); size += size < 4096 ? 37 : 1009) {
    folder.write("cut.so", whole.substr(0, size));
    const ElfFile file = read_elf_file((folder / "cut.so").string());
    REQUIRE(file.identity.size_bytes == size);
    REQUIRE(file.fault.empty() == (size >= sizeof(ElfW(Ehdr))));
  }
}

TEST_CASE("elf: a header whose bytes are changed is read without harm") {
  const test::Folder folder;
  const std::string whole = bytes_of(plugin("good/libcollet_good.so"));
  for (std::size_t at = 24; at < 1200; ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(~changed[at]);
    folder.write("changed.so", changed);
    REQUIRE(read_elf_file((folder / "changed.so").string()).identity.size_bytes == whole.size());
  }
}

}  // namespace
}  // namespace collet::loader
