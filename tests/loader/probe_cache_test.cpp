// SPDX-License-Identifier: Apache-2.0
#include "probe_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "folder.hpp"
#include "support/catch.hpp"

namespace collet::loader {
namespace {

namespace fs = std::filesystem;
using test::Folder;

const CacheKey kKey{"acme at /x", "acme at /x, inode 1"};

PluginFacts facts_of(const std::string& version) {
  PluginFacts facts;
  facts.version = version;
  facts.devices.resize(1);
  mend(facts.devices[0].properties);
  return facts;
}

// The version of the facts that are remembered; empty where nothing is.
std::string version_in(const ProbeCache& cache, const CacheKey& key = kKey) {
  const auto found = cache.find(key);
  return found ? std::get<PluginFacts>(*found).version : "";
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  return files;
}

TEST_CASE("HOST-LOAD-12 what is stored is found, replaced and forgotten") {
  const Folder folder;
  const ProbeCache cache((folder / "made/by/need").string());
  CHECK(version_in(cache) == "");
  cache.store(kKey, facts_of("1"));
  CHECK(version_in(cache) == "1");
  cache.store(kKey, facts_of("2"));
  CHECK(version_in(cache) == "2");
  CHECK(files_of(folder / "made/by/need").size() == 1);
  cache.forget(kKey);
  CHECK(version_in(cache) == "");
}

TEST_CASE("HOST-LOAD-12 an entry of another file, or of another time, is not taken") {
  const Folder folder;
  const ProbeCache cache(folder.text());
  cache.store(kKey, facts_of("1"));
  CHECK(version_in(cache, {kKey.place, "acme at /x, inode 2"}) == "");
  CHECK(version_in(cache, {"acme at /y", kKey.text}) == "");
}

TEST_CASE("HOST-LOAD-12 a refusal is remembered with its hint") {
  const Folder folder;
  const ProbeCache cache(folder.text());
  Error error(COLLET_ERROR_INCOMPATIBLE, "for ABI 2", "acme");
  cache.store(kKey, error.with_hint("get another"));
  const auto found = cache.find(kKey);
  REQUIRE(found);
  CHECK(std::get<Error>(*found).message() == "for ABI 2");
  CHECK(std::get<Error>(*found).hint() == "get another");
}

TEST_CASE("HOST-LOAD-12 an entry that was cut, or changed in any byte, is not taken") {
  const std::string entry = cache_entry("key", facts_of("1"));
  REQUIRE(parse_cache_entry(entry, "key"));
  for (std::size_t i = 0; i < entry.size(); ++i) {
    std::string changed = entry;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    REQUIRE_FALSE(parse_cache_entry(changed, "key"));
    REQUIRE_FALSE(parse_cache_entry(entry.substr(0, i), "key"));
  }
  CHECK_FALSE(parse_cache_entry(entry + "x", "key"));
}

TEST_CASE("HOST-LOAD-12 a folder or a file that others can write to is not trusted") {
  const Folder folder;
  const ProbeCache cache(folder.text());
  cache.store(kKey, facts_of("1"));
  const fs::path file = files_of(folder.text()).at(0);
  chmod(file.c_str(), 0666);
  CHECK(version_in(cache) == "");
  chmod(file.c_str(), 0600);
  CHECK(version_in(cache) == "1");
  chmod(folder.text().c_str(), 0777);
  CHECK(version_in(cache) == "");
  cache.store({"other", "other"}, facts_of("1"));
  CHECK(files_of(folder.text()).size() == 1);
}

TEST_CASE("HOST-LOAD-12 a folder or a file of another user is not trusted") {
  if (geteuid() != 0) {
    test::skip("only root can give a file to another user");
  }
  const Folder folder;
  const ProbeCache cache(folder.text());
  cache.store(kKey, facts_of("1"));
  const fs::path file = files_of(folder.text()).at(0);
  REQUIRE(chown(file.c_str(), 65534, 65534) == 0);
  CHECK(version_in(cache) == "");
  REQUIRE(chown(file.c_str(), 0, 0) == 0);
  REQUIRE(chown(folder.text().c_str(), 65534, 65534) == 0);
  CHECK(version_in(cache) == "");
  REQUIRE(chown(folder.text().c_str(), 0, 0) == 0);
}

TEST_CASE("HOST-LOAD-12 what cannot be a file is as good as nothing") {
  const Folder folder;
  const ProbeCache cache(folder.text());
  cache.store(kKey, facts_of("1"));
  const fs::path file = files_of(folder.text()).at(0);
  fs::remove(file);
  switch (GENERATE(0, 1, 2, 3)) {
    case 0:
      fs::create_directory(file);
      break;
    case 1:
      REQUIRE(mkfifo(file.c_str(), 0600) == 0);
      break;
    case 2:
      folder.write("elsewhere", cache_entry(kKey.text, facts_of("9")));
      fs::create_symlink(folder / "elsewhere", file);
      break;
    default:
      std::ofstream(file).close();
      fs::resize_file(file, std::uintmax_t{1} << 40);
  }
  CHECK(version_in(cache) == "");
  cache.store(kKey, facts_of("2"));
  cache.forget(kKey);
}

TEST_CASE("HOST-LOAD-12 a folder that cannot be made or written is harmless") {
  const Folder folder;
  folder.write("file", "");
  for (const std::string& place : {std::string(), std::string("/proc/nowhere/probe"),
                                   (folder / "file/probe").string(), std::string("/dev/full")}) {
    const ProbeCache cache(place);
    cache.store(kKey, facts_of("1"));
    cache.forget(kKey);
    CHECK(version_in(cache) == "");
  }
}

TEST_CASE("HOST-LOAD-12 the folder does not grow without end") {
  const Folder folder;
  const ProbeCache cache(folder.text());
  for (int i = 0; i < 300; ++i) {
    cache.store({std::to_string(i), "text"}, facts_of("1"));
  }
  CHECK(files_of(folder.text()).size() <= 256);
  CHECK(version_in(cache, {"299", "text"}) == "1");
}

TEST_CASE("HOST-LOAD-12 writers at once leave one whole entry") {
  const Folder folder;
  const ProbeCache cache(folder.text());
  std::vector<std::thread> writers;
  std::atomic<bool> torn{false};
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 50; ++i) {
        cache.store(kKey, facts_of(std::string(1000, static_cast<char>('a' + writer))));
        const std::string found = version_in(cache);
        torn =
            torn || found.size() != 1000 || found.find_first_not_of(found[0]) != std::string::npos;
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  CHECK_FALSE(torn);
  CHECK(files_of(folder.text()).size() == 1);
}

}  // namespace
}  // namespace collet::loader
