// SPDX-License-Identifier: Apache-2.0
/** Programs in "host-so" and "collet-c", for devices whose kernels are code of the host. */
#pragma once

#include <collet/plugin/program.h>
#include <collet/sdk/guard.hpp>
#include <collet/sdk/handle.hpp>
#include <collet/sdk/host_so/build.hpp>
#include <collet/sdk/host_so/module.hpp>
#include <collet/sdk/host_so/shared_object.hpp>
#include <collet/sdk/ref.hpp>
#include <collet/sdk/structs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace collet::plugin::host_so {

/** A loaded object and its kernels. Launches hold it, so its code stays while they run. */
class Program : public RefCounted<Program> {
 public:
  using Handle = collet_plugin_program_t;

  /**
   * Loads the object of a bundle, or compiles its source, and fills its build log.
   *
   * @param max_group_items  Largest group that the device runs.
   *
   * @throws Error UNSUPPORTED if there is no image of a usable format, BUILD_FAILED if it is no
   *         object, its table is malformed, or it does not compile.
   */
  [[nodiscard]] static Ref<Program> build(const collet_program_desc_t& desc,
                                          std::uint32_t max_group_items);

  [[nodiscard]] const SharedObject& object() const noexcept { return object_; }
  [[nodiscard]] std::uint32_t max_group_items() const noexcept { return max_group_items_; }
  /** The names of the kernels. */
  [[nodiscard]] const std::vector<const char*>& names() const noexcept { return names_; }
  /** @throws Error NOT_FOUND, with the names that there are. */
  [[nodiscard]] const KernelEntry& kernel(std::string_view name) const;

 private:
  friend class RefCounted<Program>;

  Program(std::span<const std::byte> image, std::string label, std::uint32_t max_group_items);
  ~Program() = default;

  std::string label_;
  SharedObject object_;
  std::uint32_t max_group_items_;
  std::vector<KernelEntry> kernels_;
  std::vector<const char*> names_;
};

/** A kernel of a program, which it keeps. */
struct Kernel {
  using Handle = collet_plugin_kernel_t;

  Ref<Program> program;
  const KernelEntry& entry;
};

namespace detail {

inline std::vector<KernelEntry> kernels_of(const SharedObject& object, const std::string& label,
                                           std::uint32_t max_group_items) {
  void* const symbol = object.symbol(COLLET_HOST_MODULE_SYMBOL);
  if (symbol == nullptr) {
    throw Error(COLLET_ERROR_BUILD_FAILED, label + " does not export " COLLET_HOST_MODULE_SYMBOL
                                                   "(); see collet/host_kernel.h");
  }
  try {
    return read_module(reinterpret_cast<collet_host_module_fn_t>(symbol)(), max_group_items);
  } catch (const Error& e) {
    throw Error(e.status(), label + ": " + e.what());
  }
}

}  // namespace detail

inline Ref<Program> Program::build(const collet_program_desc_t& desc,
                                   std::uint32_t max_group_items) {
  std::string log;
  try {
    const Object object = object_of(desc, system_compiler(), log);
    std::string label =
        desc.label == nullptr ? "the program" : "program \"" + std::string(desc.label) + "\"";
    Ref<Program> program =
        Ref<Program>::adopt(new Program(object.image(), std::move(label), max_group_items));
    write_text(desc.build_log, log);
    return program;
  } catch (const Error& e) {
    write_text(desc.build_log, log.empty() ? e.what() : log);
    throw;
  }
}

inline Program::Program(std::span<const std::byte> image, std::string label,
                        std::uint32_t max_group_items)
    : label_(std::move(label)),
      object_(image, label_),
      max_group_items_(max_group_items),
      kernels_(detail::kernels_of(object_, label_, max_group_items)) {
  for (const KernelEntry& entry : kernels_) names_.push_back(entry.name.c_str());
}

inline const KernelEntry& Program::kernel(std::string_view name) const {
  std::string names;
  for (const KernelEntry& entry : kernels_) {
    if (entry.name == name) return entry;
    names += (names.empty() ? "\"" : ", \"") + entry.name + "\"";
  }
  throw Error(COLLET_ERROR_NOT_FOUND, label_ + " has no kernel \"" + std::string(name) +
                                          "\"; it has " + (names.empty() ? "none" : names));
}

/**
 * The slots of collet_plugin_program_interface_t that are the same for all devices; their handles
 * are Program and Kernel. What remains is `create`, around Program::build(), and `launch`.
 */
namespace slots {

inline void destroy(collet_plugin_program_t* program) {
  static_cast<void>(Ref<Program>::adopt(from_handle<Program>(program)));
}

inline collet_status_t export_image(collet_plugin_program_t* program, void* out_data,
                                    std::uint64_t capacity_bytes, std::uint64_t* out_size_bytes,
                                    const char** out_format) {
  return guarded([&] {
    const SharedObject& object = from_handle<Program>(program)->object();
    if (out_data != nullptr) {
      if (capacity_bytes < object.size_bytes()) {
        throw Error(COLLET_ERROR_OUT_OF_RANGE,
                    "the program's image has " + std::to_string(object.size_bytes()) +
                        " bytes, the room for it " + std::to_string(capacity_bytes));
      }
      object.read_image(out_data);
    }
    *out_size_bytes = object.size_bytes();
    *out_format = COLLET_FORMAT_HOST_SO;
  });
}

inline collet_status_t kernels(collet_plugin_program_t* program, const char* const** out_names,
                               std::uint32_t* out_count) {
  return guarded([&] {
    const std::vector<const char*>& names = from_handle<Program>(program)->names();
    *out_names = names.data();
    *out_count = static_cast<std::uint32_t>(names.size());
  });
}

inline collet_status_t kernel_create(collet_plugin_program_t* program, const char* name,
                                     collet_plugin_kernel_t** out_kernel) {
  return guarded([&] {
    const Ref<Program> owner(from_handle<Program>(program));
    *out_kernel = to_handle(new Kernel{owner, owner->kernel(name)});
  });
}

inline void kernel_destroy(collet_plugin_kernel_t* kernel) { delete from_handle<Kernel>(kernel); }

inline collet_status_t kernel_info(collet_plugin_kernel_t* kernel, collet_kernel_info_t* out_info) {
  return guarded([&] {
    const Kernel& described = *from_handle<Kernel>(kernel);
    const KernelEntry& entry = described.entry;
    collet_kernel_info_t value{};
    copy_text(value.name, entry.name);
    value.argument_count = static_cast<std::uint32_t>(entry.argument_kinds.size());
    value.max_group_items = described.program->max_group_items();
    std::copy(entry.required_group.begin(), entry.required_group.end(), value.required_group);
    value.preferred_group_multiple = 1;
    std::transform(entry.argument_kinds.begin(), entry.argument_kinds.end(), value.argument_kinds,
                   [](collet_argument_kind_t kind) { return static_cast<std::uint8_t>(kind); });
    std::transform(entry.argument_sizes.begin(), entry.argument_sizes.end(), value.argument_sizes,
                   [](std::uint32_t size) { return static_cast<std::uint8_t>(size); });
    fill_struct(out_info, value);
  });
}

}  // namespace slots
}  // namespace collet::plugin::host_so
