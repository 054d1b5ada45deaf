// SPDX-License-Identifier: Apache-2.0
/** Programs in the format "host-so", and their kernels. */
#pragma once

#include <collet/plugin/program.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host_module.hpp"
#include "ref.hpp"
#include "shared_object.hpp"

namespace collet::cpu {

/** A loaded object and its kernels. Launches hold it, so its code stays while they run. */
class Program : public RefCounted<Program> {
 public:
  using Handle = collet_plugin_program_t;

  /** @throws Error BUILD_FAILED if the image is no object, or its table is malformed. */
  Program(const collet_program_image_t& image, std::string label);

  [[nodiscard]] const SharedObject& object() const noexcept { return object_; }
  /** @throws Error NOT_FOUND, with the names that there are. */
  [[nodiscard]] const KernelEntry& kernel(std::string_view name) const;

 private:
  friend class RefCounted<Program>;
  ~Program() = default;

  std::string label_;
  SharedObject object_;
  std::vector<KernelEntry> kernels_;
};

/** A kernel of a program, which it keeps. */
struct Kernel {
  using Handle = collet_plugin_kernel_t;

  Ref<Program> program;
  const KernelEntry& entry;
};

/** The table of COLLET_INTERFACE_PROGRAM_V1. */
[[nodiscard]] const collet_plugin_program_interface_t* program_interface() noexcept;

}  // namespace collet::cpu
