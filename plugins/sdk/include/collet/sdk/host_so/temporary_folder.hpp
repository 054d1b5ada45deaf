// SPDX-License-Identifier: Apache-2.0
/** A folder of one's own for the files of a moment. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <collet/sdk/error.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace collet::plugin::host_so {
namespace detail {

/** Removes what is in a folder, links as links. */
inline void empty_folder(int folder) noexcept {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(folder), closedir);
  if (entries == nullptr) {
    close(folder);
    return;
  }
  while (const dirent* entry = readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || unlinkat(folder, entry->d_name, 0) == 0) continue;
    const int inner =
        openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0) empty_folder(inner);
    unlinkat(folder, entry->d_name, AT_REMOVEDIR);
  }
}

/** $TMPDIR, unless the process has more rights than its user; else /tmp. */
inline std::string temporary_root() {
  const char* const asked = secure_getenv("TMPDIR");
  return asked != nullptr && *asked == '/' ? asked : "/tmp";
}

}  // namespace detail

/** Nobody else can look into it; it is removed with all that is in it. */
class TemporaryFolder {
 public:
  /** @throws Error UNAVAILABLE */
  TemporaryFolder() : path_(detail::temporary_root() + "/collet-XXXXXX") {
    // Made with the rights 0700.
    if (mkdtemp(path_.data()) == nullptr) {
      throw_errno(COLLET_ERROR_UNAVAILABLE, "cannot make a folder like " + path_ +
                                                "; set TMPDIR to one where files can be written");
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    const int folder = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) detail::empty_folder(folder);
    rmdir(path_.c_str());
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace collet::plugin::host_so
