// SPDX-License-Identifier: Apache-2.0
// Programs, kernels and launches.
#include <collet/program.h>

#include <array>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "program_build.hpp"

namespace collet::loader {

ProgramState::ProgramState(Device& on, const collet_program_desc_t& desc)
    : device(on), table(on.programs()), impl(build_program(on, desc)) {}

ProgramState::~ProgramState() { table.destroy(impl); }

Kernel::Kernel(std::shared_ptr<ProgramState> program, const char* name)
    : device(&program->device), table(&program->table), program_(std::move(program)) {
  if (const auto status = table->kernel_create(program_->impl, name, &impl); status != COLLET_OK) {
    throw_plugin_error(status, device->backend_name);
  }
  info.base = {COLLET_STRUCT_KERNEL_INFO, sizeof info, nullptr};
  if (const auto status = table->kernel_info(impl, &info); status != COLLET_OK) {
    table->kernel_destroy(impl);
    throw_plugin_error(status, device->backend_name);
  }
  terminate(info.name);
}

Kernel::~Kernel() { table->kernel_destroy(impl); }

namespace {

void check_bundle(const collet_program_desc_t& desc) {
  if (desc.image_count == 0) {
    throw Error(COLLET_ERROR_INVALID_ARGUMENT, "desc.image_count is 0; a bundle has an image");
  }
  require(desc.images, "desc.images");
  for (std::uint32_t i = 0; i < desc.image_count; ++i) {
    const std::string name = "desc.images[" + std::to_string(i) + "]";
    require(desc.images[i].format, (name + ".format").c_str());
    require(desc.images[i].data, (name + ".data").c_str());
  }
}

void prepare_log(collet_text_t* log) {
  if (log != nullptr) {
    log->size_bytes = 0;
    if (log->capacity_bytes != 0) {
      require(log->data, "desc.build_log->data");
      log->data[0] = '\0';
    }
  }
}

[[noreturn]] void refuse_launch(const Kernel& kernel, collet_status_t status,
                                const std::string& what) {
  throw Error(status, "kernel \"" + std::string(kernel.info.name) + "\": " + what);
}

void check_group_items(const Kernel& kernel, std::uint64_t items) {
  const std::uint32_t of_kernel = kernel.info.max_group_items;
  const std::uint32_t of_device = kernel.device->properties.max_group_items;
  const bool kernel_knows = of_kernel != 0;
  const std::uint32_t most = kernel_knows ? of_kernel : of_device;
  if (most != 0 && items > most) {
    refuse_launch(kernel, COLLET_ERROR_OUT_OF_RANGE,
                  std::to_string(items) + " work-items in a group are more than " +
                      std::to_string(most) + " of the " + (kernel_knows ? "kernel" : "device"));
  }
}

void check_grid(const Kernel& kernel, const collet_launch_t& launch) {
  const collet_device_properties_t& limits = kernel.device->properties;
  static constexpr std::array<char, 3> kAxis{'x', 'y', 'z'};
  const bool empty = launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
  std::uint64_t groups = empty ? 0 : 1;
  std::uint64_t items = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis(1, kAxis[i]);
    if (launch.group[i] == 0) {
      refuse_launch(kernel, COLLET_ERROR_INVALID_ARGUMENT,
                    "the group has no work-items along " + axis);
    }
    if (limits.max_grid_size[i] != 0 && launch.grid[i] > limits.max_grid_size[i]) {
      refuse_launch(kernel, COLLET_ERROR_OUT_OF_RANGE,
                    std::to_string(launch.grid[i]) + " groups along " + axis + " are more than " +
                        std::to_string(limits.max_grid_size[i]) + " of the device");
    }
    if (limits.max_group_size[i] != 0 && launch.group[i] > limits.max_group_size[i]) {
      refuse_launch(kernel, COLLET_ERROR_OUT_OF_RANGE,
                    std::to_string(launch.group[i]) + " work-items along " + axis +
                        " are more than " + std::to_string(limits.max_group_size[i]) +
                        " of the device");
    }
    if (kernel.info.required_group[i] != 0 && launch.group[i] != kernel.info.required_group[i]) {
      refuse_launch(kernel, COLLET_ERROR_INVALID_ARGUMENT,
                    "it was written for groups of " +
                        std::to_string(kernel.info.required_group[i]) + " along " + axis +
                        ", not " + std::to_string(launch.group[i]));
    }
    if (__builtin_mul_overflow(items, launch.group[i], &items)) {
      refuse_launch(kernel, COLLET_ERROR_OUT_OF_RANGE, "the size of a group overflows");
    }
    if (__builtin_mul_overflow(groups, launch.grid[i], &groups)) {
      refuse_launch(kernel, COLLET_ERROR_OUT_OF_RANGE, "the number of groups overflows");
    }
  }
  check_group_items(kernel, items);
}

const char* kind_text(std::uint32_t kind) {
  switch (kind) {
    case COLLET_ARGUMENT_BUFFER:
      return "a buffer";
    case COLLET_ARGUMENT_SCALAR:
      return "a scalar";
    case COLLET_ARGUMENT_LOCAL:
      return "local memory";
    default:
      return "nothing known";
  }
}

// Translates one argument; adds up local memory.
collet_plugin_argument_t checked_argument(const Stream& on, const Kernel& kernel,
                                          std::uint32_t index, const collet_argument_t& argument,
                                          std::uint64_t& local_bytes) {
  const std::string name = "argument " + std::to_string(index);
  const std::uint32_t kind = number_of(argument.kind);
  if (kind < COLLET_ARGUMENT_BUFFER || kind > COLLET_ARGUMENT_LOCAL) {
    refuse_launch(kernel, COLLET_ERROR_INVALID_ARGUMENT, name + " has an unknown kind");
  }
  if (argument.reserved != 0) {
    refuse_launch(kernel, COLLET_ERROR_INVALID_ARGUMENT, name + ": its `reserved` is not 0");
  }
  const std::uint8_t wanted = kernel.info.argument_kinds[index];
  if (wanted != 0 && wanted != kind) {
    refuse_launch(kernel, COLLET_ERROR_INVALID_ARGUMENT,
                  name + " is " + kind_text(kind) + ", but the kernel takes " + kind_text(wanted));
  }
  collet_plugin_argument_t out{
      argument.kind, 0, nullptr, argument.offset_bytes, argument.value, argument.size_bytes};
  switch (argument.kind) {
    case COLLET_ARGUMENT_BUFFER: {
      const Buffer& buffer = need("collet_stream_launch", argument.buffer);
      same_device("collet_stream_launch", name.c_str(), *buffer.device, *on.device);
      if (argument.offset_bytes > buffer.size_bytes) {
        refuse_launch(kernel, COLLET_ERROR_OUT_OF_RANGE,
                      name + ": offset " + std::to_string(argument.offset_bytes) +
                          " is past its buffer of " + std::to_string(buffer.size_bytes) + " bytes");
      }
      out.memory = buffer.memory;
      out.offset_bytes += buffer.offset_bytes;
      out.size_bytes = buffer.size_bytes - argument.offset_bytes;
      break;
    }
    case COLLET_ARGUMENT_SCALAR:
      if (argument.value == nullptr || argument.size_bytes == 0 ||
          argument.size_bytes > COLLET_MAX_SCALAR_BYTES) {
        refuse_launch(kernel, COLLET_ERROR_INVALID_ARGUMENT,
                      name + ": a scalar has a value of 1 to 64 bytes");
      }
      if (const std::uint8_t size = kernel.info.argument_sizes[index];
          size != 0 && argument.size_bytes != size) {
        refuse_launch(kernel, COLLET_ERROR_INVALID_ARGUMENT,
                      name + " has " + std::to_string(argument.size_bytes) +
                          " bytes, but the kernel takes " + std::to_string(size));
      }
      break;
    case COLLET_ARGUMENT_LOCAL:
      if (__builtin_add_overflow(local_bytes, argument.size_bytes, &local_bytes)) {
        refuse_launch(kernel, COLLET_ERROR_OUT_OF_RANGE, "the local memory overflows");
      }
      break;
    case COLLET_ARGUMENT_KIND_MAX:
      break;
  }
  return out;
}

void launch_kernel(collet_stream_t* stream, collet_kernel_t* kernel,
                   const collet_launch_t* launch) {
  constexpr const char* kFunction = "collet_stream_launch";
  require_entry();
  const Stream& on = need(kFunction, stream);
  const Kernel& code = need(kFunction, kernel);
  require(launch, "launch");
  same_device(kFunction, "kernel", *code.device, *on.device);
  const std::uint32_t count = launch->argument_count;
  if (count > COLLET_MAX_KERNEL_ARGUMENTS ||
      (code.info.argument_count != UINT32_MAX && count != code.info.argument_count)) {
    refuse_launch(code, COLLET_ERROR_INVALID_ARGUMENT,
                  std::to_string(count) + " arguments are given, but it takes " +
                      (code.info.argument_count == UINT32_MAX
                           ? "at most " + std::to_string(COLLET_MAX_KERNEL_ARGUMENTS)
                           : std::to_string(code.info.argument_count)));
  }
  if (count != 0) {
    require(launch->arguments, "launch->arguments");
  }
  check_grid(code, *launch);
  std::array<collet_plugin_argument_t, COLLET_MAX_KERNEL_ARGUMENTS> arguments;
  std::uint64_t local_bytes = code.info.local_memory_bytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    arguments[i] = checked_argument(on, code, i, launch->arguments[i], local_bytes);
  }
  const std::uint64_t most = on.device->properties.local_memory_bytes;
  if (most != 0 && local_bytes > most) {
    refuse_launch(code, COLLET_ERROR_OUT_OF_RANGE,
                  std::to_string(local_bytes) + " bytes of local memory are more than " +
                      std::to_string(most) + " of the device");
  }
  collet_plugin_launch_t own{};
  for (std::size_t i = 0; i < 3; ++i) {
    own.grid[i] = launch->grid[i];
    own.group[i] = launch->group[i];
  }
  own.argument_count = count;
  own.arguments = arguments.data();
  if (const auto status = code.table->launch(on.impl, code.impl, &own); status != COLLET_OK) {
    throw_plugin_error(status, on.device->backend_name);
  }
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_program_create(collet_device_t* device, const collet_program_desc_t* desc,
                                      collet_program_t** out_program) {
  clear_out(out_program);
  return guarded(__func__, [&] {
    require_entry();
    require(out_program, "out_program");
    Device& on = need("collet_program_create", device);
    auto own = read_descriptor(desc, COLLET_STRUCT_PROGRAM_DESC, "desc");
    own.base = {COLLET_STRUCT_PROGRAM_DESC, sizeof own, nullptr};
    prepare_log(own.build_log);
    check_bundle(own);
    create_handle<Program>(out_program, Program{std::make_shared<ProgramState>(on, own)});
  });
}

collet_status_t collet_program_retain(collet_program_t* program) {
  return retain_handle(__func__, program);
}

void collet_program_release(collet_program_t* program) { release_handle(program); }

collet_status_t collet_program_export(collet_program_t* program, void* out_data,
                                      uint64_t capacity_bytes, uint64_t* out_size_bytes,
                                      const char** out_format) {
  clear_out(out_size_bytes);
  clear_out(out_format);
  return guarded(__func__, [&] {
    require_entry();
    require(out_size_bytes, "out_size_bytes");
    require(out_format, "out_format");
    const ProgramState& code = *need("collet_program_export", program).state;
    const auto status =
        code.table.export_image(code.impl, out_data, capacity_bytes, out_size_bytes, out_format);
    if (status != COLLET_OK) {
      throw_plugin_error(status, code.device.backend_name);
    }
  });
}

collet_status_t collet_program_kernels(collet_program_t* program, const char* const** out_names,
                                       uint32_t* out_count) {
  clear_out(out_names);
  clear_out(out_count);
  return guarded(__func__, [&] {
    require_entry();
    require(out_names, "out_names");
    require(out_count, "out_count");
    const ProgramState& code = *need("collet_program_kernels", program).state;
    const auto status = code.table.kernels(code.impl, out_names, out_count);
    if (status != COLLET_OK) {
      throw_plugin_error(status, code.device.backend_name);
    }
  });
}

collet_status_t collet_kernel_create(collet_program_t* program, const char* name,
                                     collet_kernel_t** out_kernel) {
  clear_out(out_kernel);
  return guarded(__func__, [&] {
    require_entry();
    require(out_kernel, "out_kernel");
    require(name, "name");
    create_handle<Kernel>(out_kernel, need("collet_kernel_create", program).state, name);
  });
}

collet_status_t collet_kernel_retain(collet_kernel_t* kernel) {
  return retain_handle(__func__, kernel);
}

void collet_kernel_release(collet_kernel_t* kernel) { release_handle(kernel); }

collet_status_t collet_kernel_info(collet_kernel_t* kernel, collet_kernel_info_t* out_info) {
  return guarded(__func__, [&] {
    prepare_out(out_info, COLLET_STRUCT_KERNEL_INFO, "out_info");
    write_out(need("collet_kernel_info", kernel).info, out_info);
  });
}

collet_status_t collet_stream_launch(collet_stream_t* stream, collet_kernel_t* kernel,
                                     const collet_launch_t* launch) {
  return guarded(__func__, [&] { launch_kernel(stream, kernel, launch); });
}
