// SPDX-License-Identifier: Apache-2.0
/** A program of test kernels, and the arguments of a launch. */
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memory.hpp"
#include "stream.hpp"
#include "test_kernels.hpp"

namespace collet::conformance {

/** Destroyed with the object. */
class Program {
 public:
  /** A failure ends the case. */
  explicit Program(Device& device);
  Program(Device& device, const collet_program_image_t& image, const char* options = nullptr);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { destroy(); }

  [[nodiscard]] Device& device() const noexcept { return device_; }
  [[nodiscard]] collet_plugin_program_t* handle() const noexcept { return handle_; }
  void destroy() noexcept;

 private:
  Device& device_;
  collet_plugin_program_t* handle_ = nullptr;
};

/** Destroyed with the object, which must be gone before its program. */
class Kernel {
 public:
  /** A failure ends the case. */
  Kernel(const Program& program, const char* name);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel() { destroy(); }

  [[nodiscard]] Device& device() const noexcept { return device_; }
  [[nodiscard]] collet_plugin_kernel_t* handle() const noexcept { return handle_; }
  [[nodiscard]] collet_kernel_info_t info() const;
  void destroy() noexcept;

 private:
  Device& device_;
  collet_plugin_kernel_t* handle_ = nullptr;
};

/** A launch that is being put together. Values are read when it is enqueued. */
class Launch {
 public:
  using Grid = std::array<std::uint64_t, 3>;
  using Group = std::array<std::uint32_t, 3>;

  explicit Launch(Grid grid = {1, 1, 1}, Group group = {1, 1, 1}) : grid_(grid), group_(group) {}

  Launch& memory(const Memory& memory, std::uint64_t offset = 0);
  /** `value` must live until the launch is enqueued. */
  template <class Value>
  Launch& value(const Value& value) {
    return scalar(&value, sizeof(value));
  }
  Launch& local(std::uint64_t size_bytes);

  [[nodiscard]] collet_status_t enqueue(const Stream& stream, const Kernel& kernel) const;

 private:
  Launch& scalar(const void* value, std::uint64_t size_bytes);

  Grid grid_;
  Group group_;
  std::vector<collet_plugin_argument_t> arguments_;
};

/** Of the test kernels' images that which the device takes, in the first such format. */
[[nodiscard]] collet_program_image_t image_for(const Device& device);

/** program.create as it is; `out_log` receives the build log. */
collet_status_t try_create_program(Device& device,
                                   const std::vector<collet_program_image_t>& images,
                                   std::string& out_log, collet_plugin_program_t** out_program,
                                   const char* options = nullptr);

}  // namespace collet::conformance
