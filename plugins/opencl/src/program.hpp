// SPDX-License-Identifier: Apache-2.0
/** Programs: from source, from SPIR-V, and from what a driver has compiled before. */
#pragma once

#include <collet/plugin/program.h>

#include <collet/sdk/ref.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "owned.hpp"

namespace collet::opencl {

class Device;

/** The formats that a device takes, best first, separated by spaces. */
[[nodiscard]] std::string program_formats(const Device& device);

class Program : public plugin::RefCounted<Program> {
 public:
  using Handle = collet_plugin_program_t;

  /**
   * Builds the image that the device likes best, and fills the build log. A binary that is not of
   * this device and driver is passed over where there is another image.
   *
   * @throws Error UNSUPPORTED if no image has a format of the device, BUILD_FAILED.
   */
  [[nodiscard]] static plugin::Ref<Program> build(Device& device,
                                                  const collet_program_desc_t& desc);

  [[nodiscard]] Device& device() const noexcept { return device_; }
  [[nodiscard]] cl_program native() const noexcept { return program_.get(); }
  /** @throws Error NOT_FOUND, with the names that there are. */
  void expect_kernel(std::string_view name) const;
  /** They live as long as the program. */
  [[nodiscard]] const std::vector<const char*>& kernel_names() const noexcept { return names_; }
  /** The program in the format kBinaryFormat. @throws Error UNSUPPORTED */
  [[nodiscard]] std::vector<std::byte> export_binary() const;

 private:
  friend class plugin::RefCounted<Program>;

  Program(Device& device, OwnedProgram program, std::string label);
  ~Program() = default;

  Device& device_;
  OwnedProgram program_;
  std::string label_;
  std::vector<std::string> kernels_;
  std::vector<const char*> names_;
};

/** The table of COLLET_INTERFACE_PROGRAM_V1. */
[[nodiscard]] const collet_plugin_program_interface_t* program_interface() noexcept;

}  // namespace collet::opencl
