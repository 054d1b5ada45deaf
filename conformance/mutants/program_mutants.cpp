// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <string>

#include "tools.hpp"

namespace collet::mutants {
namespace {

collet_status_t launch_changed(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                               const collet_plugin_launch_t* launch,
                               void (*change)(collet_plugin_launch_t& launch)) {
  collet_plugin_launch_t changed = *launch;
  change(changed);
  return good().program->launch(stream, kernel, &changed);
}

/** A launch that is put off. */
struct Pending {
  collet_plugin_stream_t* stream;
  collet_plugin_kernel_t* kernel;
  collet_plugin_launch_t launch;
  std::vector<collet_plugin_argument_t> arguments;
  std::array<std::uint8_t, COLLET_MAX_SCALAR_BYTES> value;
};

std::list<Pending>& pending() {
  static auto& launches = *new std::list<Pending>;
  return launches;
}

void put_off(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
             const collet_plugin_launch_t& launch) {
  pending().push_back(
      {stream, kernel, launch, {launch.arguments, launch.arguments + launch.argument_count}, {}});
}

void enqueue_pending(collet_plugin_stream_t* stream) {
  std::list<Pending> mine;
  for (auto at = pending().begin(); at != pending().end();) {
    const auto next = std::next(at);
    if (at->stream == stream) mine.splice(mine.end(), pending(), at);
    at = next;
  }
  for (Pending& launch : mine) {
    launch.launch.arguments = launch.arguments.data();
    good().program->launch(launch.stream, launch.kernel, &launch.launch);
  }
}

bool is_called(collet_plugin_kernel_t* kernel, const char* name) {
  collet_kernel_info_t info{};
  info.base = {COLLET_STRUCT_KERNEL_INFO, sizeof(info), nullptr};
  return good().program->kernel_info(kernel, &info) == COLLET_OK &&
         std::strcmp(info.name, name) == 0;
}

collet_status_t read_after_pending(collet_plugin_stream_t* stream, void* dst,
                                   collet_plugin_memory_t* src, std::uint64_t offset,
                                   std::uint64_t size, std::uint32_t flags, std::uint64_t timeout) {
  enqueue_pending(stream);
  return good().stream->read(stream, dst, src, offset, size, flags, timeout);
}

}  // namespace

MUTANT("prg1-first-image", "PLUG-PRG-1", "only the first image of a bundle is looked at") {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    collet_program_desc_t first = *desc;
    first.image_count = std::min(first.image_count, 1U);
    return good().program->create(device, &first, out_program);
  };
}

MUTANT("prg1-no-names", "PLUG-PRG-1", "the formats are not named where none fits") {
  plugin.report = [](collet_status_t status, std::int64_t code, const char* name,
                     const char* message) {
    report(status, code, name,
           status == COLLET_ERROR_UNSUPPORTED ? "the format is not supported" : message);
  };
}

MUTANT("prg1-export-overruns", "PLUG-PRG-1", "an export into too small a room fills it") {
  plugin.program.export_image = [](auto* program, auto* data, auto room, auto* out_size,
                                   auto** out_format) {
    if (data != nullptr) std::memset(data, 0, std::min<std::uint64_t>(room, 16));
    return good().program->export_image(program, data, room, out_size, out_format);
  };
}

MUTANT("prg2-wrong-code", "PLUG-PRG-2", "a malformed image is an internal error",
       also_breaks("PLUG-ROOT-6", "PLUG-ROOT-7")) {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    const collet_status_t status = good().program->create(device, desc, out_program);
    return status == COLLET_ERROR_BUILD_FAILED ? COLLET_ERROR_INTERNAL : status;
  };
}

MUTANT("prg2-no-log", "PLUG-PRG-2", "the build log of a malformed image is empty") {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    const collet_status_t status = good().program->create(device, desc, out_program);
    if (desc->build_log != nullptr) desc->build_log->size_bytes = 0;
    return status;
  };
}

MUTANT("prg2-crashes", "PLUG-PRG-2", "an image without a good head ends the process", kFatal,
       also_breaks("PLUG-ROOT-6", "PLUG-ROOT-7")) {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    const collet_status_t status = good().program->create(device, desc, out_program);
    if (status == COLLET_ERROR_BUILD_FAILED) std::abort();
    return status;
  };
}

MUTANT("prg3-no-names", "PLUG-PRG-3", "the kernels are not named where one is not found") {
  plugin.report = [](collet_status_t status, std::int64_t code, const char* name,
                     const char* message) {
    report(status, code, name,
           status == COLLET_ERROR_NOT_FOUND ? "there is no such kernel" : message);
  };
}

MUTANT("prg3-prefix", "PLUG-PRG-3", "the start of a name is enough to find a kernel") {
  plugin.program.kernel_create = [](auto* program, auto* name, auto** out_kernel) {
    const bool is_start = *name != '\0' && std::string_view("stamp").starts_with(name);
    return good().program->kernel_create(program, is_start ? "stamp" : name, out_kernel);
  };
}

MUTANT("prg3-wrong-count", "PLUG-PRG-3", "a kernel tells one argument too few") {
  plugin.program.kernel_info = [](auto* kernel, auto* out_info) {
    const collet_status_t status = good().program->kernel_info(kernel, out_info);
    if (out_info->base.struct_size >= sizeof(*out_info) && out_info->argument_count > 2) {
      --out_info->argument_count;
    }
    return status;
  };
}

MUTANT("prg4-axes-swapped", "PLUG-PRG-4", "y and z of the grid are swapped") {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    return launch_changed(stream, kernel, launch,
                          [](auto& changed) { std::swap(changed.grid[1], changed.grid[2]); });
  };
}

MUTANT("prg4-last-group", "PLUG-PRG-4", "the last group of a large grid is lost") {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    return launch_changed(stream, kernel, launch, [](auto& changed) {
      if (changed.grid[0] > 60000) --changed.grid[0];
    });
  };
}

MUTANT("prg4-twice", "PLUG-PRG-4", "a small grid runs twice",
       also_breaks("PLUG-STR-1", "PLUG-PRG-8")) {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    if (launch->grid[0] * launch->grid[1] * launch->grid[2] < 10 && launch->argument_count > 0) {
      good().program->launch(stream, kernel, launch);
    }
    return good().program->launch(stream, kernel, launch);
  };
}

MUTANT("prg4-empty-refused", "PLUG-PRG-4", "an empty grid is refused") {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    const bool is_empty = launch->grid[0] * launch->grid[1] * launch->grid[2] == 0;
    if (is_empty) return COLLET_ERROR_INVALID_ARGUMENT;
    return good().program->launch(stream, kernel, launch);
  };
}

MUTANT("prg5-late", "PLUG-PRG-5", "arguments are read at the next call on the stream") {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    // Of one kernel only: the values of others may be gone by then.
    if (!is_called(kernel, "scalars")) return good().program->launch(stream, kernel, launch);
    put_off(stream, kernel, *launch);
    return COLLET_OK;
  };
  plugin.stream.read = read_after_pending;
}

MUTANT("prg6-overlap", "PLUG-PRG-6", "of two local memories, the first has half its size") {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    collet_plugin_launch_t changed = *launch;
    std::vector<collet_plugin_argument_t> arguments(launch->arguments,
                                                    launch->arguments + launch->argument_count);
    for (auto& argument : arguments) {
      if (argument.kind != COLLET_ARGUMENT_LOCAL || argument.size_bytes < 128) continue;
      argument.size_bytes /= 2;
      break;
    }
    changed.arguments = arguments.data();
    return good().program->launch(stream, kernel, &changed);
  };
}

MUTANT("prg7-dropped", "PLUG-PRG-7", "destroying a kernel drops its latest launch") {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    const bool is_meant = is_called(kernel, "set") && launch->grid[0] == 1 &&
                          launch->argument_count == 2 && launch->arguments[0].offset_bytes == 0;
    if (!is_meant) return good().program->launch(stream, kernel, launch);
    put_off(stream, kernel, *launch);
    Pending& latest = pending().back();
    std::memcpy(latest.value.data(), latest.arguments[1].value, latest.arguments[1].size_bytes);
    latest.arguments[1].value = latest.value.data();
    return COLLET_OK;
  };
  plugin.program.kernel_destroy = [](auto* kernel) {
    pending().remove_if([&](const Pending& launch) { return launch.kernel == kernel; });
    good().program->kernel_destroy(kernel);
  };
  plugin.stream.read = read_after_pending;
}

MUTANT("prg9-short-list", "PLUG-PRG-9", "the list of kernels lacks the last one") {
  plugin.program.kernels = [](auto* program, auto** out_names, auto* out_count) {
    const collet_status_t status = good().program->kernels(program, out_names, out_count);
    if (status == COLLET_OK && *out_count > 1) --*out_count;
    return status;
  };
}

MUTANT("prg9-widened", "PLUG-PRG-9", "scalars have at least four bytes") {
  plugin.program.kernel_info = [](auto* kernel, auto* out_info) {
    const collet_status_t status = good().program->kernel_info(kernel, out_info);
    if (out_info->base.struct_size < sizeof(*out_info)) return status;
    for (std::uint8_t& size : out_info->argument_sizes) {
      if (size != 0) size = std::max<std::uint8_t>(size, 4);
    }
    return status;
  };
}

MUTANT("prg10-no-options", "PLUG-PRG-10", "options of the bundle are dropped",
       also_breaks("PLUG-PRG-12")) {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    collet_program_desc_t changed = *desc;
    changed.options = nullptr;
    return good().program->create(device, &changed, out_program);
  };
}

MUTANT("prg10-no-log", "PLUG-PRG-10", "a program that builds has no log") {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    const collet_status_t status = good().program->create(device, desc, out_program);
    if (status == COLLET_OK && desc->build_log != nullptr) desc->build_log->size_bytes = 0;
    return status;
  };
}

MUTANT("prg11-prelude", "PLUG-PRG-11", "lines are counted from before the source on") {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    if (desc->image_count != 1 ||
        std::strcmp(desc->images[0].format, COLLET_FORMAT_COLLET_C) != 0) {
      return good().program->create(device, desc, out_program);
    }
    const std::string text = "\n\n\n" + std::string(static_cast<const char*>(desc->images[0].data),
                                                    desc->images[0].size_bytes);
    const collet_program_image_t image{COLLET_FORMAT_COLLET_C, text.data(), text.size()};
    collet_program_desc_t changed = *desc;
    changed.images = &image;
    return good().program->create(device, &changed, out_program);
  };
}

MUTANT("prg11-no-text", "PLUG-PRG-11", "the text of the error leaves the fault to the log") {
  plugin.report = [](collet_status_t status, std::int64_t code, const char* name,
                     const char* message) {
    report(status, code, name,
           status == COLLET_ERROR_BUILD_FAILED ? "the program does not compile" : message);
  };
}

MUTANT("prg12-file", "PLUG-PRG-12", "a source that is refused stays in the folder of its build") {
  plugin.program.create = [](auto* device, auto* desc, auto** out_program) {
    const collet_status_t status = good().program->create(device, desc, out_program);
    const char* const folder = std::getenv("TMPDIR");
    if (status == COLLET_ERROR_BUILD_FAILED && folder != nullptr) {
      std::ofstream(std::string(folder) + "/kernel.cpp") << "left";
    }
    return status;
  };
}

MUTANT("prg8-clamped", "PLUG-PRG-8", "a group has at most 64 items along an axis") {
  plugin.program.launch = [](auto* stream, auto* kernel, auto* launch) {
    return launch_changed(stream, kernel, launch, [](auto& changed) {
      for (std::uint32_t& size : changed.group) size = std::min(size, 64U);
    });
  };
}

}  // namespace collet::mutants
