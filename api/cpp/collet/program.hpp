// SPDX-License-Identifier: Apache-2.0
//
// Programs, kernels, and what a launch is made of. Stream::launch() launches.
#pragma once

#include <collet/program.h>

#include <algorithm>
#include <array>
#include <collet/detail/object.hpp>
#include <collet/device.hpp>
#include <collet/memory.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace collet {

/// A function of a program that runs on a device. Copies share it and keep its program alive.
class Kernel : public detail::Object<collet_kernel_t, collet_kernel_retain, collet_kernel_release> {
 public:
  using Object::Object;

  collet_kernel_info_t info() const {
    collet_kernel_info_t info = COLLET_KERNEL_INFO_INIT;
    check(collet_kernel_info(get(), &info));
    return info;
  }
};

struct ProgramOptions {
  /// Options for the compiler of a source format.
  const char* compiler = nullptr;
  /// Names the program in messages.
  const char* label = nullptr;
  /// Receives the compiler's output, on success and on failure.
  std::string* build_log = nullptr;
};

/// Kernels that are built for a device. Copies share the program.
class Program
    : public detail::Object<collet_program_t, collet_program_retain, collet_program_release> {
 public:
  using Object::Object;

  /// Builds a bundle: the same kernels in several formats, of which the device takes the one it
  /// likes best. Nothing of the images is referenced afterwards. Blocking: may compile.
  Program(const Device& device, std::span<const collet_program_image_t> images,
          const ProgramOptions& options = {})
      : Object(create(device, images, options)) {}
  Program(const Device& device, std::initializer_list<collet_program_image_t> images,
          const ProgramOptions& options = {})
      : Program(device, std::span(images.begin(), images.size()), options) {}
  /// Builds a bundle that collet_add_kernels() has made, or one in the form of the C API.
  Program(const Device& device, const collet_program_desc_t& bundle,
          std::string* build_log = nullptr)
      : Object(create(device, bundle, build_log)) {}

  /// The names of its kernels, in its order. Throws UNSUPPORTED where the format does not tell.
  std::vector<std::string> kernels() const {
    const char* const* names = nullptr;
    std::uint32_t count = 0;
    check(collet_program_kernels(get(), &names, &count));
    return {names, names + count};
  }

  Kernel kernel(const std::string& name) const {
    collet_kernel_t* handle = nullptr;
    check(collet_kernel_create(get(), name.c_str(), &handle));
    return Kernel(handle);
  }

  struct Binary {
    std::string format;
    std::vector<std::byte> data;
  };
  /// The program in the device's binary format, so that another process may skip compiling.
  Binary export_binary() const {
    std::uint64_t size = 0;
    const char* format = nullptr;
    check(collet_program_export(get(), nullptr, 0, &size, &format));
    std::vector<std::byte> data(static_cast<std::size_t>(size));
    check(collet_program_export(get(), data.data(), data.size(), &size, &format));
    return {format, std::move(data)};
  }

 private:
  static constexpr std::size_t kBuildLogBytes = std::size_t{1} << 16;

  static collet_program_t* create(const Device& device,
                                  std::span<const collet_program_image_t> images,
                                  const ProgramOptions& options) {
    collet_program_desc_t desc = COLLET_PROGRAM_DESC_INIT;
    desc.images = images.data();
    desc.image_count = static_cast<std::uint32_t>(images.size());
    desc.options = options.compiler;
    desc.label = options.label;
    return create(device, desc, options.build_log);
  }

  static collet_program_t* create(const Device& device, collet_program_desc_t desc,
                                  std::string* build_log) {
    std::string log(build_log != nullptr ? kBuildLogBytes : 0, '\0');
    collet_text_t log_text{log.data(), log.size(), 0};
    if (build_log != nullptr) desc.build_log = &log_text;

    collet_program_t* handle = nullptr;
    const collet_status_t status = collet_program_create(device.get(), &desc, &handle);
    log.erase(std::min(log.find('\0'), log.size()));
    if (build_log != nullptr) *build_log = std::move(log);
    check(status);
    return handle;
  }
};

namespace detail {

inline const char* program_format_of(const std::string& path) {
  struct Entry {
    std::string_view extension;
    const char* format;
  };
  constexpr std::array<Entry, 7> kFormats{{{".so", COLLET_FORMAT_HOST_SO},
                                           {".cl", COLLET_FORMAT_OPENCL_C},
                                           {".cu", COLLET_FORMAT_CUDA_C},
                                           {".ptx", COLLET_FORMAT_PTX},
                                           {".cubin", COLLET_FORMAT_CUBIN},
                                           {".spv", COLLET_FORMAT_SPIRV},
                                           {".clt", COLLET_FORMAT_COLLET_C}}};
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const Entry& entry : kFormats) {
    if (entry.extension == extension) return entry.format;
  }
  throw std::invalid_argument(path + ": a program's file name ends with .so, .cl, .cu, .ptx, " +
                              ".cubin, .spv or .clt");
}

}  // namespace detail

inline Program Device::load(const std::string& path) const {
  const char* format = detail::program_format_of(path);
  std::ifstream file(path, std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return Program(*this, {{format, image.data(), image.size()}}, {.label = path.c_str()});
}

/// The work-groups of a launch along x, y and z, and the work-items of each group.
struct Grid {
  std::array<std::uint64_t, 3> groups{1, 1, 1};
  std::array<std::uint32_t, 3> group_size{1, 1, 1};
};

/// As many groups along x as it takes for `items` work-items; the last group may have some more.
constexpr Grid grid(std::uint64_t items, std::uint32_t group_size = 256) {
  // A launch refuses groups without items; this must only survive them.
  const std::uint64_t size = group_size > 0 ? group_size : 1;
  return {{items / size + (items % size != 0 ? 1 : 0), 1, 1}, {group_size, 1, 1}};
}

/// A kernel argument: local memory of each work-group.
struct Local {
  std::uint64_t size_bytes;
};
constexpr Local local(std::uint64_t size_bytes) { return {size_bytes}; }

namespace detail {

inline collet_argument_t argument(BufferOffset place) noexcept {
  return {COLLET_ARGUMENT_BUFFER, 0, place.buffer, place.offset_bytes, nullptr, 0};
}

inline collet_argument_t argument(const Local& memory) noexcept {
  return {COLLET_ARGUMENT_LOCAL, 0, nullptr, 0, nullptr, memory.size_bytes};
}

/// The value is read when the launch is recorded.
template <class T>
requires(!std::is_convertible_v<const T&, BufferOffset>) collet_argument_t argument(const T& value)
noexcept {
  static_assert(std::is_trivially_copyable_v<T>, "a kernel takes values that are plain bytes");
  static_assert(!std::is_pointer_v<T> && !std::is_null_pointer_v<T>,
                "a host address means nothing on a device: give a collet::Buffer");
  static_assert(sizeof(T) <= COLLET_MAX_SCALAR_BYTES, "too large for one argument");
  return {COLLET_ARGUMENT_SCALAR, 0, nullptr, 0, &value, sizeof(T)};
}

}  // namespace detail
}  // namespace collet
