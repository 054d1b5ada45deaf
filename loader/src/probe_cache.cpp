// SPDX-License-Identifier: Apache-2.0
#include "probe_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace collet::loader {
namespace {

constexpr std::string_view kMagic = "collet probe 1\n";
constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 20;
// When there are more, the oldest go.
constexpr std::size_t kMaxEntries = 256;
constexpr std::size_t kEntriesLeft = 192;
constexpr std::string_view kSuffix = ".probe";

constexpr std::uint8_t kUsable = 0;
constexpr std::uint8_t kRefused = 1;

// FNV-1a: against accidents, not against people, who cannot write to the folder.
std::uint64_t checksum(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

std::string file_name(const CacheKey& key) {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(checksum(key.place)));
  return std::string(name).append(kSuffix);
}

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

// Nobody else can have written it.
bool is_own(int descriptor, mode_t type, struct stat& status) noexcept {
  return fstat(descriptor, &status) == 0 && (status.st_mode & S_IFMT) == type &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The folder, or nothing (a negative number) where it is missing or somebody else's.
int open_folder(const std::string& folder) noexcept {
  if (folder.empty()) {
    return -1;
  }
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status {};
  if (descriptor >= 0 && !is_own(descriptor, S_IFDIR, status)) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

void make_folders(const std::string& folder) noexcept {
  for (std::size_t end = folder.find('/', 1); end != std::string::npos;
       end = folder.find('/', end + 1)) {
    mkdir(folder.substr(0, end).c_str(), 0700);
  }
  mkdir(folder.c_str(), 0700);
}

std::optional<std::string> read_entry(int folder, const std::string& name) {
  const Descriptor file(
      openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || !is_own(file.get(), S_IFREG, status) ||
      status.st_size > static_cast<off_t>(kMaxEntryBytes)) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  if (read(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return std::nullopt;
  }
  return bytes;
}

// Whole, or not at all: readers and other writers never see a part.
void write_entry(int folder, const std::string& name, const std::string& bytes) {
  static std::atomic<unsigned> counter{0};
  const std::string draft = name + "." + std::to_string(getpid()) + "." + std::to_string(counter++);
  bool written = false;
  {
    const Descriptor file(
        openat(folder, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    written = file.get() >= 0 &&
              write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  }
  if (!written || renameat(folder, draft.c_str(), folder, name.c_str()) != 0) {
    unlinkat(folder, draft.c_str(), 0);
  }
}

// Keeps the folder from growing; drafts of processes that were killed are among what is counted.
void drop_oldest(int folder) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again >= 0 ? fdopendir(again) : nullptr,
                                                    closedir);
  if (entries == nullptr) {
    return;
  }
  std::vector<std::pair<std::int64_t, std::string>> files;
  while (const dirent* entry = readdir(entries.get())) {
    struct stat status {};
    const std::string name = entry->d_name;
    if (name.find(kSuffix) != std::string::npos &&
        fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      files.emplace_back(
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec, name);
    }
  }
  if (files.size() <= kMaxEntries) {
    return;
  }
  std::sort(files.begin(), files.end());
  files.resize(files.size() - kEntriesLeft);
  for (const auto& [time, name] : files) {
    unlinkat(folder, name.c_str(), 0);
  }
}

}  // namespace

std::string cache_entry(std::string_view key, const Remembered& remembered) {
  ByteWriter content;
  content.put_text(key);
  if (const auto* facts = std::get_if<PluginFacts>(&remembered)) {
    content.put(kUsable);
    write_facts(content, *facts);
  } else {
    content.put(kRefused);
    write_error(content, std::get<Error>(remembered));
  }
  return sealed(content.bytes());
}

std::string sealed(std::string_view content) {
  ByteWriter sum;
  sum.put(checksum(content));
  return std::string(kMagic).append(sum.bytes()).append(content);
}

std::optional<Remembered> parse_cache_entry(std::string_view bytes, std::string_view key) {
  if (!bytes.starts_with(kMagic)) {
    return std::nullopt;
  }
  try {
    ByteReader reader(bytes.substr(kMagic.size()));
    const auto sum = reader.get<std::uint64_t>();
    const std::string_view content = reader.take(reader.size());
    if (sum != checksum(content)) {
      return std::nullopt;
    }
    ByteReader rest(content);
    if (rest.get_text() != key) {
      return std::nullopt;
    }
    Remembered remembered;
    if (rest.get<std::uint8_t>() == kUsable) {
      remembered = read_facts(rest);
    } else {
      remembered = read_error(rest);
    }
    return rest.size() == 0 ? std::optional<Remembered>(std::move(remembered)) : std::nullopt;
  } catch (const BadBytes&) {
    return std::nullopt;
  }
}

std::optional<Remembered> ProbeCache::find(const CacheKey& key) const noexcept {
  try {
    const Descriptor folder(open_folder(folder_));
    if (folder.get() < 0) {
      return std::nullopt;
    }
    const std::optional<std::string> bytes = read_entry(folder.get(), file_name(key));
    return bytes ? parse_cache_entry(*bytes, key.text) : std::nullopt;
  } catch (...) {
    // Out of memory: as if it were not remembered.
    return std::nullopt;
  }
}

void ProbeCache::store(const CacheKey& key, const Remembered& remembered) const noexcept {
  if (folder_.empty()) {
    return;
  }
  try {
    const std::string bytes = cache_entry(key.text, remembered);
    if (bytes.size() > kMaxEntryBytes) {
      return;
    }
    make_folders(folder_);
    const Descriptor folder(open_folder(folder_));
    if (folder.get() >= 0) {
      write_entry(folder.get(), file_name(key), bytes);
      drop_oldest(folder.get());
    }
  } catch (...) {
    // Out of memory: the next process probes again.
    return;
  }
}

void ProbeCache::forget(const CacheKey& key) const noexcept {
  try {
    const Descriptor folder(open_folder(folder_));
    if (folder.get() >= 0) {
      unlinkat(folder.get(), file_name(key).c_str(), 0);
    }
  } catch (...) {
    // Out of memory: the entry will be found wrong again.
    return;
  }
}

}  // namespace collet::loader
