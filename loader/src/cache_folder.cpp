// SPDX-License-Identifier: Apache-2.0
#include "cache_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <vector>

#include "byte_stream.hpp"

namespace collet::loader {
namespace {

// FNV-1a: against accidents, not against people, who cannot write to the folder.
std::uint64_t checksum(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
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

bool read_whole(int file, std::string& bytes) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t size = read(file, bytes.data() + done, bytes.size() - done);
    if (size <= 0) {
      return false;
    }
    done += static_cast<std::size_t>(size);
  }
  return true;
}

bool write_whole(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t size = write(file, bytes.data(), bytes.size());
    if (size <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

std::optional<std::string> read_entry(int folder, const std::string& name, std::size_t most) {
  const Descriptor file(
      openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || !is_own(file.get(), S_IFREG, status) ||
      status.st_size > static_cast<off_t>(most)) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_whole(file.get(), bytes)) {
    return std::nullopt;
  }
  // Its last use.
  futimens(file.get(), nullptr);
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
    if (file.get() < 0) {
      // A draft of this name is that of a process that has the same number elsewhere.
      return;
    }
    written = write_whole(file.get(), bytes);
  }
  if (!written || renameat(folder, draft.c_str(), folder, name.c_str()) != 0) {
    unlinkat(folder, draft.c_str(), 0);
  }
}

struct EntryFile {
  std::int64_t used_ns = 0;
  std::uint64_t bytes = 0;
  std::string name;
};

// Drafts of processes that were killed are among them.
std::vector<EntryFile> files_in(int folder, const std::string& suffix) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again >= 0 ? fdopendir(again) : nullptr,
                                                    closedir);
  std::vector<EntryFile> files;
  if (entries == nullptr) {
    return files;
  }
  while (const dirent* entry = readdir(entries.get())) {
    struct stat status {};
    const std::string name = entry->d_name;
    if (name.find(suffix) != std::string::npos &&
        fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      files.push_back({std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
                       static_cast<std::uint64_t>(status.st_size), name});
    }
  }
  return files;
}

CacheUse use_of(const std::vector<EntryFile>& files) noexcept {
  CacheUse use;
  for (const EntryFile& file : files) {
    ++use.entries;
    use.bytes += file.bytes;
  }
  return use;
}

// Keeps the folder from growing. A quarter goes at once, so that this is seldom.
void drop_oldest(int folder, const std::string& suffix, const CacheLimits& limits) {
  std::vector<EntryFile> files = files_in(folder, suffix);
  CacheUse use = use_of(files);
  if (use.entries <= limits.entries && use.bytes <= limits.bytes) {
    return;
  }
  std::sort(files.begin(), files.end(),
            [](const EntryFile& a, const EntryFile& b) { return a.used_ns < b.used_ns; });
  for (const EntryFile& file : files) {
    if (use.entries <= limits.entries / 4 * 3 && use.bytes <= limits.bytes / 4 * 3) {
      return;
    }
    unlinkat(folder, file.name.c_str(), 0);
    --use.entries;
    use.bytes -= file.bytes;
  }
}

}  // namespace

std::string sealed(std::string_view magic, std::string_view content) {
  ByteWriter sum;
  sum.put(checksum(content));
  return std::string(magic).append(sum.bytes()).append(content);
}

std::optional<std::string_view> unsealed(std::string_view magic, std::string_view bytes) noexcept {
  if (!bytes.starts_with(magic) || bytes.size() - magic.size() < sizeof(std::uint64_t)) {
    return std::nullopt;
  }
  ByteReader reader(bytes.substr(magic.size()));
  const auto sum = reader.get<std::uint64_t>();
  const std::string_view content = reader.take(reader.size());
  return sum == checksum(content) ? std::optional(content) : std::nullopt;
}

std::string CacheFolder::file_name(std::string_view key) const {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(checksum(key)));
  return std::string(name).append(suffix_);
}

std::optional<std::string> CacheFolder::read(std::string_view key) const noexcept {
  try {
    const Descriptor folder(open_folder(path_));
    return folder.get() >= 0 ? read_entry(folder.get(), file_name(key), limits_.entry_bytes)
                             : std::nullopt;
  } catch (...) {
    // Out of memory: as if it were not there.
    return std::nullopt;
  }
}

void CacheFolder::write(std::string_view key, const std::string& bytes) const noexcept {
  if (path_.empty() || bytes.size() > limits_.entry_bytes) {
    return;
  }
  try {
    make_folders(path_);
    const Descriptor folder(open_folder(path_));
    if (folder.get() >= 0) {
      write_entry(folder.get(), file_name(key), bytes);
      drop_oldest(folder.get(), suffix_, limits_);
    }
  } catch (...) {
    // Out of memory: the next process finds out again.
    return;
  }
}

void CacheFolder::remove(std::string_view key) const noexcept {
  try {
    const Descriptor folder(open_folder(path_));
    if (folder.get() >= 0) {
      unlinkat(folder.get(), file_name(key).c_str(), 0);
    }
  } catch (...) {
    // Out of memory: the entry will be found wrong again.
    return;
  }
}

CacheUse CacheFolder::use() const noexcept {
  try {
    const Descriptor folder(open_folder(path_));
    return folder.get() >= 0 ? use_of(files_in(folder.get(), suffix_)) : CacheUse{};
  } catch (...) {
    // Out of memory: as if there were nothing.
    return {};
  }
}

void CacheFolder::clear() const noexcept {
  try {
    const Descriptor folder(open_folder(path_));
    if (folder.get() >= 0) {
      drop_oldest(folder.get(), suffix_, {0, 0, 0});
    }
  } catch (...) {
    // Out of memory: what is there stays.
    return;
  }
}

}  // namespace collet::loader
