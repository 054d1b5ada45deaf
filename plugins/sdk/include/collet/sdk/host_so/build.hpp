// SPDX-License-Identifier: Apache-2.0
/** From a bundle to the shared object of its kernels. */
#pragma once

#include <collet/program.h>
#include <collet/sdk/error.hpp>
#include <collet/sdk/host_so/compile.hpp>
#include <collet/sdk/kernel_prelude.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collet::plugin::host_so {

/** The bytes of an object: those of the bundle, or compiled ones. */
class Object {
 public:
  explicit Object(std::span<const std::byte> given) : image_(given) {}
  explicit Object(std::vector<std::byte> compiled)
      : compiled_(std::move(compiled)), image_(compiled_) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  [[nodiscard]] std::span<const std::byte> image() const noexcept { return image_; }

 private:
  std::vector<std::byte> compiled_;
  std::span<const std::byte> image_;
};

/** What a device takes whose kernels are code of the host, best first; for its properties. */
[[nodiscard]] inline const char* program_formats(const CompilerSearch& search) noexcept {
  return search.compiler ? COLLET_FORMAT_HOST_SO " " COLLET_FORMAT_COLLET_C : COLLET_FORMAT_HOST_SO;
}

namespace detail {

inline const collet_program_image_t* find_image(const collet_program_desc_t& desc,
                                                std::string_view format) {
  for (const collet_program_image_t& image : std::span(desc.images, desc.image_count)) {
    if (image.format == format) return &image;
  }
  return nullptr;
}

[[noreturn]] inline void refuse_bundle(const collet_program_desc_t& desc,
                                       const CompilerSearch& search) {
  std::string formats;
  for (const collet_program_image_t& image : std::span(desc.images, desc.image_count)) {
    formats += (formats.empty() ? "" : ", ") + std::string(image.format);
  }
  std::string text = "the device takes programs as " COLLET_FORMAT_HOST_SO;
  if (search.compiler) text += " or " COLLET_FORMAT_COLLET_C;
  text += "; the bundle has " + (formats.empty() ? "no images" : formats);
  if (!search.compiler) text += "; " COLLET_FORMAT_COLLET_C " needs a compiler: " + search.reason;
  throw Error(COLLET_ERROR_UNSUPPORTED, text);
}

inline std::string_view source_text(const collet_program_image_t& image) {
  std::string_view text(static_cast<const char*>(image.data), image.size_bytes);
  // A string of C may be given with its end.
  if (text.ends_with('\0')) text.remove_suffix(1);
  return text;
}

}  // namespace detail

/**
 * Gives the object of a bundle, or compiles its source.
 *
 * @param out_log  Receives the compiler's output, on success and on failure.
 *
 * @throws Error UNSUPPORTED if there is no image of a usable format, BUILD_FAILED if the source
 *         does not compile.
 */
[[nodiscard]] inline Object object_of(const collet_program_desc_t& desc,
                                      const CompilerSearch& search, std::string& out_log) {
  if (const auto* object = detail::find_image(desc, COLLET_FORMAT_HOST_SO)) {
    return Object({static_cast<const std::byte*>(object->data), object->size_bytes});
  }
  const auto* source = detail::find_image(desc, COLLET_FORMAT_COLLET_C);
  if (source == nullptr || !search.compiler) detail::refuse_bundle(desc, search);
  return Object(compile(
      *search.compiler,
      {detail::source_text(*source), kHostKernelPrelude,
       desc.label == nullptr ? "kernel" : desc.label, desc.options == nullptr ? "" : desc.options},
      ProcessLimits{}, out_log));
}

}  // namespace collet::plugin::host_so
