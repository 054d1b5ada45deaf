// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <collet/sdk/kernel_prelude.hpp>
#include <collet/sdk/plugin.hpp>
#include <cstring>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "cl_error.hpp"
#include "device.hpp"
#include "device_info.hpp"
#include "image.hpp"
#include "kernel.hpp"
#include "stream.hpp"

namespace collet::opencl {
namespace {

using plugin::Error;
using plugin::from_handle;
using plugin::guarded;
using plugin::make_ref;
using plugin::Ref;
using plugin::to_handle;

/** Kinds of arguments are told only on request. */
constexpr const char* kOwnOptions = "-cl-kernel-arg-info";

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

/** The images that the device can take, best first. */
std::vector<const collet_program_image_t*> usable_images(const Device& device,
                                                         const collet_program_desc_t& desc) {
  const std::span images(desc.images, desc.image_count);
  std::vector<const collet_program_image_t*> usable;
  for (const std::string& format : words_of(program_formats(device), ' ')) {
    for (const collet_program_image_t& image : images) {
      if (image.format == format) usable.push_back(&image);
    }
  }
  if (!usable.empty()) return usable;
  std::string offered;
  for (const collet_program_image_t& image : images) {
    offered += (offered.empty() ? "" : ", ") + std::string(image.format);
  }
  throw Error(COLLET_ERROR_UNSUPPORTED, device.name() + " takes programs as " +
                                            program_formats(device) + "; the bundle has " +
                                            (offered.empty() ? "no images" : offered));
}

std::string build_log(const Device& device, cl_program program) {
  std::string log = read_text([&](std::size_t room, void* out, std::size_t* size) {
    return icd().clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, room, out, size);
  });
  log.erase(log.find_last_not_of(" \n") + 1);
  return log;
}

/** A line that makes the compiler count from here on, and call the source by its label. */
std::string line_directive(const std::string& label) {
  std::string name;
  for (const char c : label) {
    if (c == '"' || c == '\\') name += '\\';
    name += c == '\n' ? ' ' : c;
  }
  return "#line 1 \"" + name + "\"\n";
}

OwnedProgram from_source(const Device& device, const collet_program_image_t& image,
                         const std::string& label) {
  std::string_view text(static_cast<const char*>(image.data), image.size_bytes);
  // A string of C may be given with its end.
  if (text.ends_with('\0')) text.remove_suffix(1);
  if (text.empty()) throw Error(COLLET_ERROR_BUILD_FAILED, "the source is empty");
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw Error(COLLET_ERROR_BUILD_FAILED,
                "this is no source: byte " + std::to_string(nul) + " of it is NUL");
  }
  const bool is_portable = std::string_view(image.format) == COLLET_FORMAT_COLLET_C;
  const std::string_view prelude =
      is_portable ? std::string_view(plugin::kOpenclKernelPrelude) : std::string_view();
  const std::string source = std::string(prelude) + line_directive(label) + std::string(text);
  const char* data = source.data();
  const std::size_t size = source.size();
  cl_int status = CL_SUCCESS;
  OwnedProgram program(icd().clCreateProgramWithSource(device.context(), 1, &data, &size, &status));
  check(status, "clCreateProgramWithSource");
  return program;
}

OwnedProgram from_binary(const Device& device, const collet_program_image_t& image) {
  const std::span<const unsigned char> binary = unwrap_binary(image, device.signature());
  const unsigned char* data = binary.data();
  const std::size_t size = binary.size();
  cl_device_id id = device.id();
  cl_int loaded = CL_SUCCESS;
  cl_int status = CL_SUCCESS;
  OwnedProgram program(
      icd().clCreateProgramWithBinary(device.context(), 1, &id, &size, &data, &loaded, &status));
  check(status != CL_SUCCESS ? status : loaded, "clCreateProgramWithBinary");
  return program;
}

OwnedProgram from_spirv(const Device& device, const collet_program_image_t& image) {
  cl_int status = CL_SUCCESS;
  OwnedProgram program(
      icd().clCreateProgramWithIL(device.context(), image.data, image.size_bytes, &status));
  if (status == CL_INVALID_VALUE) {
    throw Error(COLLET_ERROR_BUILD_FAILED, status, cl_error_name(status),
                "the image is no SPIR-V that the driver knows");
  }
  check(status, "clCreateProgramWithIL");
  return program;
}

OwnedProgram load(const Device& device, const collet_program_image_t& image,
                  const std::string& label) {
  const std::string_view format = image.format;
  if (format == kBinaryFormat) return from_binary(device, image);
  if (format == COLLET_FORMAT_SPIRV) return from_spirv(device, image);
  return from_source(device, image, label);
}

/** Builds one image; gives what the compiler said. */
std::pair<OwnedProgram, std::string> build_image(const Device& device,
                                                 const collet_program_image_t& image,
                                                 const collet_program_desc_t& desc) {
  const char* const options = desc.options;
  OwnedProgram program = load(device, image, desc.label == nullptr ? "kernel" : desc.label);
  cl_device_id id = device.id();
  const std::string all = std::string(kOwnOptions) +
                          (options == nullptr || *options == '\0' ? "" : " ") +
                          (options == nullptr ? "" : options);
  const cl_int status = icd().clBuildProgram(program.get(), 1, &id, all.c_str(), nullptr, nullptr);
  std::string log = build_log(device, program.get());
  if (status == CL_SUCCESS) return {std::move(program), std::move(log)};
  const Error failed = cl_error(status, "clBuildProgram");
  throw Error(COLLET_ERROR_BUILD_FAILED, status, failed.native_name(),
              std::string(image.format) + " does not build on " + device.name() + " (" +
                  failed.native_name() + ")" + (log.empty() ? "" : ":\n" + log));
}

}  // namespace

std::string program_formats(const Device& device) {
  std::string formats = kBinaryFormat;
  if (device.abilities().has_spirv) formats += " " COLLET_FORMAT_SPIRV;
  return formats + " " COLLET_FORMAT_OPENCL_C " " COLLET_FORMAT_COLLET_C;
}

Ref<Program> Program::build(Device& device, const collet_program_desc_t& desc) {
  const std::string label =
      desc.label == nullptr ? "the program" : "program \"" + std::string(desc.label) + "\"";
  try {
    const auto images = usable_images(device, desc);
    for (const collet_program_image_t* image : images) {
      try {
        auto [built, log] = build_image(device, *image, desc);
        Ref<Program> program = Ref<Program>::adopt(new Program(device, std::move(built), label));
        plugin::write_text(desc.build_log, log);
        return program;
      } catch (const Error& e) {
        if (std::string_view(image->format) != kBinaryFormat || image == images.back()) throw;
        plugin::host().log(COLLET_LOG_INFO, label + ": " + e.what());
      }
    }
    throw Error(COLLET_ERROR_INTERNAL, "no image was tried");
  } catch (const Error& e) {
    plugin::write_text(desc.build_log, e.what());
    throw Error(e.status(), e.native_code(), e.native_name(), label + ": " + e.what());
  }
}

Program::Program(Device& device, OwnedProgram program, std::string label)
    : device_(device), program_(std::move(program)), label_(std::move(label)) {
  kernels_ =
      words_of(read_text([this](std::size_t room, void* out, std::size_t* size) {
                 return icd().clGetProgramInfo(native(), CL_PROGRAM_KERNEL_NAMES, room, out, size);
               }),
               ';');
  if (kernels_.empty()) throw Error(COLLET_ERROR_BUILD_FAILED, "the program has no kernels");
  for (const std::string& kernel : kernels_) names_.push_back(kernel.c_str());
}

void Program::expect_kernel(std::string_view name) const {
  if (std::find(kernels_.begin(), kernels_.end(), name) != kernels_.end()) return;
  std::string names;
  for (const std::string& kernel : kernels_) {
    names += (names.empty() ? "\"" : ", \"") + kernel + "\"";
  }
  throw Error(COLLET_ERROR_NOT_FOUND,
              label_ + " has no kernel \"" + std::string(name) + "\"; it has " + names);
}

std::vector<std::byte> Program::export_binary() const {
  std::size_t size = 0;
  check(icd().clGetProgramInfo(native(), CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr),
        "clGetProgramInfo");
  if (size == 0) {
    throw Error(COLLET_ERROR_UNSUPPORTED, "the driver of " + device_.name() +
                                              " gives no binaries of programs; keep the source");
  }
  std::vector<unsigned char> binary(size);
  unsigned char* data = binary.data();
  check(icd().clGetProgramInfo(native(), CL_PROGRAM_BINARIES, sizeof(data), &data, nullptr),
        "clGetProgramInfo");
  return wrap_binary(binary, device_.signature());
}

// ---- the table ---------------------------------------------------------------------------------

namespace {

collet_status_t create(collet_plugin_device_t* device, const collet_program_desc_t* desc,
                       collet_plugin_program_t** out_program) {
  return guarded([&] {
    *out_program = to_handle(Program::build(*from_handle<Device>(device), *desc).detach());
  });
}

void destroy(collet_plugin_program_t* program) {
  static_cast<void>(Ref<Program>::adopt(from_handle<Program>(program)));
}

collet_status_t export_image(collet_plugin_program_t* program, void* out_data,
                             std::uint64_t capacity_bytes, std::uint64_t* out_size_bytes,
                             const char** out_format) {
  return guarded([&] {
    const std::vector<std::byte> image = from_handle<Program>(program)->export_binary();
    if (out_data != nullptr) {
      if (capacity_bytes < image.size()) {
        throw Error(COLLET_ERROR_OUT_OF_RANGE,
                    "the program's image has " + std::to_string(image.size()) +
                        " bytes, the room for it " + std::to_string(capacity_bytes));
      }
      std::memcpy(out_data, image.data(), image.size());
    }
    *out_size_bytes = image.size();
    *out_format = kBinaryFormat;
  });
}

collet_status_t kernels(collet_plugin_program_t* program, const char* const** out_names,
                        std::uint32_t* out_count) {
  return guarded([&] {
    const std::vector<const char*>& names = from_handle<Program>(program)->kernel_names();
    *out_names = names.data();
    *out_count = static_cast<std::uint32_t>(names.size());
  });
}

collet_status_t kernel_create(collet_plugin_program_t* program, const char* name,
                              collet_plugin_kernel_t** out_kernel) {
  return guarded([&] {
    *out_kernel =
        to_handle(make_ref<Kernel>(Ref<Program>(from_handle<Program>(program)), name).detach());
  });
}

void kernel_destroy(collet_plugin_kernel_t* kernel) {
  static_cast<void>(Ref<Kernel>::adopt(from_handle<Kernel>(kernel)));
}

collet_status_t kernel_info(collet_plugin_kernel_t* kernel, collet_kernel_info_t* out_info) {
  return guarded([&] { plugin::fill_struct(out_info, from_handle<Kernel>(kernel)->info()); });
}

collet_status_t launch(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                       const collet_plugin_launch_t* what) {
  return guarded([&] {
    const Ref<Kernel> called(from_handle<Kernel>(kernel));
    from_handle<Stream>(stream)->enqueue({{"launch", called->name().c_str()}, called},
                                         Launch(called, *what));
  });
}

constexpr collet_plugin_program_interface_t kTable = {sizeof(collet_plugin_program_interface_t),
                                                      0,
                                                      create,
                                                      destroy,
                                                      export_image,
                                                      kernels,
                                                      kernel_create,
                                                      kernel_destroy,
                                                      kernel_info,
                                                      launch};

}  // namespace

const collet_plugin_program_interface_t* program_interface() noexcept { return &kTable; }

}  // namespace collet::opencl
