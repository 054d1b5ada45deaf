// SPDX-License-Identifier: Apache-2.0
/** Code that is given as the bytes of a shared object. */
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <collet/sdk/error.hpp>
#include <collet/sdk/host_so/elf_check.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace collet::plugin::host_so {
namespace detail {

/** A file in memory that holds the image. */
inline int file_of(std::span<const std::byte> image) {
  const int file = memfd_create("collet-program", MFD_CLOEXEC);
  if (file < 0) {
    throw_errno(COLLET_ERROR_OUT_OF_HOST_MEMORY, "cannot make a file in memory");
  }
  std::size_t done = 0;
  while (done < image.size()) {
    const ssize_t written = ::write(file, image.data() + done, image.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      close(file);
      throw_errno(COLLET_ERROR_OUT_OF_HOST_MEMORY, "cannot write a file in memory");
    }
    done += static_cast<std::size_t>(written);
  }
  return file;
}

/** The loader's last error, with the program's name in place of the path. */
inline std::string loader_error(const std::string& path, const std::string& label) {
  const char* text = dlerror();
  std::string message = text == nullptr ? "no reason given" : text;
  const std::size_t at = message.find(path);
  return at == std::string::npos ? message : message.replace(at, path.size(), label);
}

}  // namespace detail

/**
 * A shared object, loaded from memory.
 *
 * It is unloaded with the last user: a program that builds kernels as it runs would otherwise grow
 * with each of them. An object that cannot be unloaded (it has unique symbols, or says so itself)
 * stays.
 */
class SharedObject {
 public:
  /** @throws Error BUILD_FAILED with what the loader says; `label` stands for the file's name. */
  SharedObject(std::span<const std::byte> image, const std::string& label);
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  ~SharedObject();

  /** The address of a symbol, or nullptr. */
  [[nodiscard]] void* symbol(const char* name) const noexcept;

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  /** Reads the whole image. @throws Error INTERNAL */
  void read_image(void* out) const;

 private:
  /** How the loader knows the file that has no name. */
  [[nodiscard]] std::string path() const;

  int file_ = -1;
  std::uint64_t size_bytes_;
  void* library_ = nullptr;
};

inline SharedObject::SharedObject(std::span<const std::byte> image, const std::string& label)
    : size_bytes_(image.size()) {
  // The loader trusts what it maps; an image that is cut short would end the process.
  if (const std::string fault = elf_fault(image); !fault.empty()) {
    throw Error(COLLET_ERROR_BUILD_FAILED,
                label + " is no shared object for this machine: " + fault);
  }
  file_ = detail::file_of(image);
  library_ = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const std::string message = detail::loader_error(path(), label);
    close(file_);
    throw Error(COLLET_ERROR_BUILD_FAILED, label + " cannot be loaded: " + message);
  }
}

inline SharedObject::~SharedObject() {
  dlclose(library_);
  // The loader knows an object by its path. While one is loaded, the number of the file in that
  // path must not be given to another.
  if (void* const still_loaded = dlopen(path().c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(still_loaded);
    return;
  }
  close(file_);
}

inline void* SharedObject::symbol(const char* name) const noexcept { return dlsym(library_, name); }

inline void SharedObject::read_image(void* out) const {
  std::uint64_t done = 0;
  while (done < size_bytes_) {
    const ssize_t got = pread(file_, static_cast<std::byte*>(out) + done, size_bytes_ - done,
                              static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw_errno(COLLET_ERROR_INTERNAL, "cannot read the program's image");
    done += static_cast<std::uint64_t>(got);
  }
}

inline std::string SharedObject::path() const { return "/proc/self/fd/" + std::to_string(file_); }

}  // namespace collet::plugin::host_so
