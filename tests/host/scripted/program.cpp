// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "objects.hpp"

namespace collet::test {
namespace {

collet_status_t create(collet_plugin_device_t* /*device*/, const collet_program_desc_t* desc,
                       collet_plugin_program_t** out_program) {
  return scripted("program.create", std::to_string(desc->base.struct_size), [&] {
    if (std::strcmp(desc->images[0].format, "script") != 0) {
      return fail({COLLET_ERROR_UNSUPPORTED, 0, nullptr, "the only format is \"script\""});
    }
    *out_program = new collet_plugin_program_t{script().name('p')};
    return COLLET_OK;
  });
}

void destroy(collet_plugin_program_t* program) {
  const std::unique_ptr<collet_plugin_program_t> owner(program);
  script().enter("program.destroy", program->name);
}

collet_status_t export_image(collet_plugin_program_t* program, void* out_data,
                             std::uint64_t capacity_bytes, std::uint64_t* out_size_bytes,
                             const char** out_format) {
  return scripted("program.export", program->name, [&] {
    constexpr char kImage[] = "image";
    if (out_data != nullptr && capacity_bytes < sizeof kImage) {
      return fail({COLLET_ERROR_OUT_OF_RANGE, 0, nullptr, "the room is too small"});
    }
    if (out_data != nullptr) {
      std::memcpy(out_data, kImage, sizeof kImage);
    }
    *out_size_bytes = sizeof kImage;
    *out_format = "script";
    return COLLET_OK;
  });
}

collet_status_t kernels(collet_plugin_program_t* program, const char* const** out_names,
                        std::uint32_t* out_count) {
  return scripted("program.kernels", program->name, [&] {
    static constexpr const char* kNames[] = {"first", "second"};
    *out_names = kNames;
    *out_count = 2;
    return COLLET_OK;
  });
}

collet_status_t kernel_create(collet_plugin_program_t* program, const char* name,
                              collet_plugin_kernel_t** out_kernel) {
  return scripted("kernel.create", program->name, [&] {
    if (std::strcmp(name, "missing") == 0) {
      return fail({COLLET_ERROR_NOT_FOUND, 0, nullptr, "there is any kernel but that"});
    }
    *out_kernel = new collet_plugin_kernel_t{script().name('k')};
    return COLLET_OK;
  });
}

void kernel_destroy(collet_plugin_kernel_t* kernel) {
  const std::unique_ptr<collet_plugin_kernel_t> owner(kernel);
  script().enter("kernel.destroy", kernel->name);
}

collet_status_t kernel_info(collet_plugin_kernel_t* kernel, collet_kernel_info_t* out_info) {
  return scripted("kernel.info", kernel->name, [&] {
    const collet_struct_t head = out_info->base;
    *out_info = script().kernel;
    out_info->base = head;
    // A careless plugin: the text does not end.
    std::memset(out_info->name, 'k', sizeof out_info->name);
    return COLLET_OK;
  });
}

collet_status_t launch(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                       const collet_plugin_launch_t* launch) {
  return scripted("stream.launch", stream->name + ' ' + kernel->name, [&] {
    const std::lock_guard lock(script().mutex());
    script().last_arguments.clear();
    script().last_sizes.clear();
    for (std::uint32_t i = 0; i < launch->argument_count; ++i) {
      script().last_arguments.push_back(launch->arguments[i].kind);
      script().last_sizes.push_back(launch->arguments[i].size_bytes);
    }
    return COLLET_OK;
  });
}

}  // namespace

const collet_plugin_program_interface_t kProgram{sizeof(collet_plugin_program_interface_t),
                                                 0,
                                                 create,
                                                 destroy,
                                                 export_image,
                                                 kernels,
                                                 kernel_create,
                                                 kernel_destroy,
                                                 kernel_info,
                                                 launch};

}  // namespace collet::test
