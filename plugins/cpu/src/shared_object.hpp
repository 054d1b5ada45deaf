// SPDX-License-Identifier: Apache-2.0
/** Code that is given as the bytes of a shared object. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace collet::cpu {

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

}  // namespace collet::cpu
