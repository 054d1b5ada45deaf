// SPDX-License-Identifier: Apache-2.0
#include "program_build.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "backend.hpp"
#include "byte_stream.hpp"
#include "device.hpp"
#include "error.hpp"
#include "program_cache.hpp"

namespace collet::loader {
namespace {

constexpr std::string_view kSourceFormats[] = {COLLET_FORMAT_COLLET_C, COLLET_FORMAT_OPENCL_C,
                                               COLLET_FORMAT_CUDA_C};
constexpr std::uint64_t kLogBytes = std::uint64_t{1} << 16;

bool is_source(std::string_view format) {
  return std::find(std::begin(kSourceFormats), std::end(kSourceFormats), format) !=
         std::end(kSourceFormats);
}

std::string_view text_of(const char* text) { return text == nullptr ? std::string_view() : text; }

// The image that the plugin takes: of the format that it declares first. Or nullptr.
const collet_program_image_t* best_image(const Device& on, const collet_program_desc_t& desc) {
  std::string_view rest = on.properties.program_formats;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    for (const collet_program_image_t& image : std::span(desc.images, desc.image_count)) {
      if (image.format == rest.substr(0, end)) {
        return &image;
      }
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return nullptr;
}

// The source with lines that a backslash continues joined, as compilers read it.
std::string joined_lines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\\') {
      const std::size_t end = source.find_first_not_of(" \t\r", at + 1);
      if (end != std::string_view::npos && source[end] == '\n') {
        at = end;
        continue;
      }
    }
    out += source[at];
  }
  return out;
}

// Whether the build reads nothing but the source. Careful, not exact: the words may stand anywhere.
bool is_self_contained(std::string_view source, std::string_view options) {
  constexpr std::string_view kReading[] = {"include", "import", "embed", "incbin"};
  // Quotes may hide the others.
  constexpr std::string_view kFiles[] = {"-I", "@", "'", "\"", "include", "import"};
  const auto has_any = [](std::string_view text, std::span<const std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return text.find(word) != std::string_view::npos;
    });
  };
  return !has_any(joined_lines(source), kReading) && !has_any(options, kFiles);
}

void put_plugin(ByteWriter& key, Device& on) {
  const FileIdentity& file = on.backend.plugin().candidate().identity;
  const collet_plugin_t& root = on.backend.root();
  key.put_text(on.backend_name);
  key.put_text(text_of(root.version));
  key.put_text(text_of(root.vendor));
  key.put(file.device);
  key.put(file.inode);
  key.put(file.size_bytes);
  key.put(file.modified_ns);
  key.put_text(on.backend.plugin().candidate().build_id);
}

void put_device(ByteWriter& key, const collet_device_properties_t& device) {
  for (const char* text : {device.name, device.vendor, device.capability, device.runtime_version,
                           device.built_against, device.compiler}) {
    key.put_text(text);
  }
  key.put(device.physical_index);
}

// All that a build of a source depends on.
std::string key_of(Device& on, const collet_program_desc_t& desc,
                   const collet_program_image_t& image) {
  ByteWriter key;
  key.put_text(collet_version());
  put_plugin(key, on);
  put_device(key, on.properties);
  key.put_text(text_of(desc.options));
  key.put_text(text_of(desc.label));
  key.put_text(image.format);
  key.put_text({static_cast<const char*>(image.data), image.size_bytes});
  return key.bytes();
}

// Empty where the build is not one to be kept.
std::string key_of(Device& on, const collet_program_desc_t& desc) {
  const collet_program_image_t* const image = best_image(on, desc);
  if (!ProgramCache::instance().is_on() || image == nullptr || !is_source(image->format) ||
      image->size_bytes > UINT32_MAX ||
      !is_self_contained({static_cast<const char*>(image->data), image->size_bytes},
                         text_of(desc.options))) {
    return {};
  }
  return key_of(on, desc, *image);
}

// `size_bytes` is that of the whole text, of which `text` may be the start.
void write_log(collet_text_t* out, std::string_view text, std::uint64_t size_bytes) noexcept {
  if (out == nullptr) {
    return;
  }
  out->size_bytes = size_bytes;
  if (out->capacity_bytes != 0) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(out->capacity_bytes - 1, text.size()));
    std::memcpy(out->data, text.data(), size);
    out->data[size] = '\0';
  }
}

// nullptr where the plugin does not take it, as after a change that the key does not tell.
collet_plugin_program_t* create_from(const BuiltProgram& built, Device& on,
                                     const collet_program_desc_t& desc) {
  const collet_program_image_t image{built.format.c_str(), built.image.data(), built.image.size()};
  collet_program_desc_t own = desc;
  own.images = &image;
  own.image_count = 1;
  own.build_log = nullptr;
  collet_plugin_program_t* program = nullptr;
  if (on.programs().create(on.impl, &own, &program) != COLLET_OK) {
    drop_report();
    return nullptr;
  }
  return program;
}

// Whether the plugin gives the program in a binary format.
bool export_program(const Device& on, collet_plugin_program_t* program, BuiltProgram& built) {
  const collet_plugin_program_interface_t& table = on.programs();
  std::uint64_t size = 0;
  const char* format = nullptr;
  if (table.export_image(program, nullptr, 0, &size, &format) != COLLET_OK) {
    drop_report();
    return false;
  }
  built.image.resize(size);
  if (table.export_image(program, built.image.data(), size, &size, &format) != COLLET_OK) {
    drop_report();
    return false;
  }
  built.image.resize(std::min<std::uint64_t>(size, built.image.size()));
  built.format = text_of(format);
  return !built.format.empty() && !is_source(built.format);
}

void keep(const std::string& key, const Device& on, collet_plugin_program_t* program,
          std::string_view log) noexcept {
  try {
    BuiltProgram built;
    built.log = log;
    if (export_program(on, program, built)) {
      ProgramCache::instance().store(key, built);
    }
  } catch (...) {
    // Out of memory: the next process builds again.
    return;
  }
}

collet_plugin_program_t* compile(Device& on, const collet_program_desc_t& desc) {
  collet_plugin_program_t* program = nullptr;
  if (const auto status = on.programs().create(on.impl, &desc, &program); status != COLLET_OK) {
    throw_plugin_error(status, on.backend_name);
  }
  return program;
}

// Builds with a log of its own, since a later process is to see it too.
collet_plugin_program_t* build_and_keep(Device& on, const collet_program_desc_t& desc,
                                        const std::string& key) {
  const std::uint64_t asked = desc.build_log == nullptr ? 0 : desc.build_log->capacity_bytes;
  std::string room(std::max(asked, kLogBytes), '\0');
  collet_text_t log{room.data(), room.size(), 0};
  collet_program_desc_t own = desc;
  own.build_log = &log;
  collet_plugin_program_t* program = nullptr;
  const auto status = on.programs().create(on.impl, &own, &program);
  const std::uint64_t kept = std::min(log.size_bytes, room.size() - 1);
  write_log(desc.build_log, {room.data(), kept}, log.size_bytes);
  if (status != COLLET_OK) {
    throw_plugin_error(status, on.backend_name);
  }
  if (kept == log.size_bytes) {
    keep(key, on, program, {room.data(), kept});
  }
  return program;
}

}  // namespace

collet_plugin_program_t* build_program(Device& on, const collet_program_desc_t& desc) {
  const std::string key = key_of(on, desc);
  if (key.empty()) {
    return compile(on, desc);
  }
  const ProgramCache& cache = ProgramCache::instance();
  if (const std::optional<BuiltProgram> built = cache.find(key)) {
    if (collet_plugin_program_t* const program = create_from(*built, on, desc)) {
      write_log(desc.build_log, built->log, built->log.size());
      return program;
    }
    cache.forget(key);
  }
  return build_and_keep(on, desc, key);
}

}  // namespace collet::loader
