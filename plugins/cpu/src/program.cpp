// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <collet/sdk/plugin.hpp>
#include <cstring>
#include <span>
#include <utility>

#include "device.hpp"
#include "launch.hpp"
#include "stream.hpp"

namespace collet::cpu {
namespace {

using plugin::Error;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

const collet_program_image_t& image_of(const collet_program_desc_t& desc) {
  const std::span images(desc.images, desc.image_count);
  std::string formats;
  for (const collet_program_image_t& image : images) {
    if (std::string_view(image.format) == COLLET_FORMAT_HOST_SO) return image;
    formats += (formats.empty() ? "" : ", ") + std::string(image.format);
  }
  throw Error(COLLET_ERROR_UNSUPPORTED, "the processor takes programs as " COLLET_FORMAT_HOST_SO
                                        "; the bundle has " +
                                            (formats.empty() ? "no images" : formats));
}

collet_status_t create(collet_plugin_device_t*, const collet_program_desc_t* desc,
                       collet_plugin_program_t** out_program) {
  return guarded([&] {
    try {
      *out_program = to_handle(new Program(
          image_of(*desc),
          desc->label == nullptr ? "the program" : "program \"" + std::string(desc->label) + "\""));
      plugin::write_text(desc->build_log, "");
    } catch (const Error& e) {
      plugin::write_text(desc->build_log, e.what());
      throw;
    }
  });
}

void destroy(collet_plugin_program_t* program) {
  static_cast<void>(Ref<Program>::adopt(from_handle<Program>(program)));
}

collet_status_t export_image(collet_plugin_program_t* program, void* out_data,
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

collet_status_t kernel_create(collet_plugin_program_t* program, const char* name,
                              collet_plugin_kernel_t** out_kernel) {
  return guarded([&] {
    const Ref<Program> owner(from_handle<Program>(program));
    *out_kernel = to_handle(new Kernel{owner, owner->kernel(name)});
  });
}

void kernel_destroy(collet_plugin_kernel_t* kernel) { delete from_handle<Kernel>(kernel); }

collet_status_t kernel_info(collet_plugin_kernel_t* kernel, collet_kernel_info_t* out_info) {
  return guarded([&] {
    const KernelEntry& entry = from_handle<Kernel>(kernel)->entry;
    collet_kernel_info_t value{};
    plugin::copy_text(value.name, entry.name);
    value.argument_count = static_cast<std::uint32_t>(entry.argument_kinds.size());
    value.max_group_items = kMaxGroupItems;
    std::copy(entry.required_group.begin(), entry.required_group.end(), value.required_group);
    value.preferred_group_multiple = 1;
    std::transform(entry.argument_kinds.begin(), entry.argument_kinds.end(), value.argument_kinds,
                   [](collet_argument_kind_t kind) { return static_cast<std::uint8_t>(kind); });
    plugin::fill_struct(out_info, value);
  });
}

collet_status_t launch(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                       const collet_plugin_launch_t* what) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    const Kernel& called = *from_handle<Kernel>(kernel);
    on.enqueue({"launch", called.entry.name.c_str()},
               [launch = Launch(called, *what), &executor = on.device().executor()] {
                 launch.run(executor);
               });
  });
}

constexpr collet_plugin_program_interface_t kTable = {sizeof(collet_plugin_program_interface_t),
                                                      0,
                                                      create,
                                                      destroy,
                                                      export_image,
                                                      kernel_create,
                                                      kernel_destroy,
                                                      kernel_info,
                                                      launch};

std::vector<KernelEntry> kernels_of(const SharedObject& object, const std::string& label) {
  void* const symbol = object.symbol(COLLET_HOST_MODULE_SYMBOL);
  if (symbol == nullptr) {
    throw Error(COLLET_ERROR_BUILD_FAILED, label + " does not export " COLLET_HOST_MODULE_SYMBOL
                                                   "(); see collet/host_kernel.h");
  }
  try {
    return read_host_module(reinterpret_cast<collet_host_module_fn_t>(symbol)());
  } catch (const Error& e) {
    throw Error(e.status(), label + ": " + e.what());
  }
}

}  // namespace

Program::Program(const collet_program_image_t& image, std::string label)
    : label_(std::move(label)),
      object_({static_cast<const std::byte*>(image.data), image.size_bytes}, label_),
      kernels_(kernels_of(object_, label_)) {}

const KernelEntry& Program::kernel(std::string_view name) const {
  std::string names;
  for (const KernelEntry& entry : kernels_) {
    if (entry.name == name) return entry;
    names += (names.empty() ? "\"" : ", \"") + entry.name + "\"";
  }
  throw Error(COLLET_ERROR_NOT_FOUND, label_ + " has no kernel \"" + std::string(name) +
                                          "\"; it has " + (names.empty() ? "none" : names));
}

const collet_plugin_program_interface_t* program_interface() noexcept { return &kTable; }

}  // namespace collet::cpu
