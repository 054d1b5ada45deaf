// SPDX-License-Identifier: Apache-2.0
/** Programs and kernels: building, refusing, finding. */
#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

constexpr char kText[] = "this is no program in any format";

collet_program_image_t image_of(const char* format) { return {format, kText, sizeof(kText)}; }

void expect_built(Device& device, const std::vector<collet_program_image_t>& images,
                  const std::string& what) {
  std::string log;
  collet_plugin_program_t* program = nullptr;
  expect_ok(try_create_program(device, images, log, &program), what);
  device.program().destroy(program);
}

/** A malformed image: BUILD_FAILED, and a log. */
void expect_refused(Device& device, const collet_program_image_t& image, const std::string& what) {
  std::string log;
  collet_plugin_program_t* program = nullptr;
  expect_status(try_create_program(device, {image}, log, &program), COLLET_ERROR_BUILD_FAILED,
                what);
  expect(program == nullptr, what + ": the out parameter was written");
  expect(!log.empty(), what + ": the build log is empty");
}

struct Exported {
  const char* format = nullptr;
  Bytes bytes;
};

/** What a program exports; ends the case as not supported where there is nothing. */
Exported export_of(const Program& program) {
  Exported out;
  std::uint64_t size = 0;
  const auto export_image = [&](void* data, std::uint64_t room) {
    return call("program.export_image", program.device().program().export_image, program.handle(),
                data, room, &size, &out.format);
  };
  const collet_status_t status = export_image(nullptr, 0);
  if (status == COLLET_ERROR_UNSUPPORTED) not_supported("programs: no binary format");
  expect_ok(status, "export_image for the size");
  out.bytes.resize(size);
  expect_ok(export_image(out.bytes.data(), size), "export_image");
  return out;
}

void expect_names(const std::string& text, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    expect(text.find(name) != std::string::npos,
           "the text does not mention \"" + std::string(name) + "\": \"" + text + "\"");
  }
}

}  // namespace

CONFORMANCE_CASE("PLUG-PRG-1 a bundle is built from the image whose format the device takes",
                 clauses("PLUG-PRG-1"), needs(Capability::kPrograms),
                 does("Puts the good image first, last and between images of other formats.")) {
  Device& device = test.device();
  const collet_program_image_t good = image_for(device);
  const collet_program_image_t other = image_of("acme-binary");
  expect_built(device, {good}, "a bundle of the good image");
  expect_built(device, {other, good}, "a bundle with the good image at its end");
  expect_built(device, {good, other}, "a bundle with the good image at its start");
  expect_built(device, {other, good, image_of("acme-text")}, "a bundle of three images");
}

CONFORMANCE_CASE("PLUG-PRG-1 a bundle without a usable image is UNSUPPORTED, and both sides named",
                 clauses("PLUG-PRG-1"), needs(Capability::kPrograms),
                 does("Offers formats that no device has, and none at all.")) {
  Device& device = test.device();
  std::string log;
  collet_plugin_program_t* program = nullptr;
  expect_status(
      try_create_program(device, {image_of("acme-binary"), image_of("acme-text")}, log, &program),
      COLLET_ERROR_UNSUPPORTED, "a bundle of unknown formats");
  expect_names(last_report().message, {"acme-binary", "acme-text", image_for(device).format});
  expect_status(try_create_program(device, {}, log, &program), COLLET_ERROR_UNSUPPORTED,
                "an empty bundle");
}

CONFORMANCE_CASE("PLUG-PRG-1 a program exports its image, and is built again from it",
                 clauses("PLUG-PRG-1"), needs(Capability::kPrograms),
                 does("Asks for the size, then for the image, in too small and in enough room.")) {
  Device& device = test.device();
  const Program program(device);
  const auto export_image = [&](void* data, std::uint64_t room, std::uint64_t* size,
                                const char** format) {
    return call("program.export_image", device.program().export_image, program.handle(), data, room,
                size, format);
  };
  std::uint64_t size = 0;
  const char* format = nullptr;
  const collet_status_t status = export_image(nullptr, 0, &size, &format);
  if (status == COLLET_ERROR_UNSUPPORTED) not_supported("programs: no binary format");
  expect_ok(status, "export_image for the size");
  expect(size > 0 && format != nullptr, "export_image gave no size or format");
  Bytes room(size + 16, 0xC5);
  expect_status(export_image(room.data(), size - 1, &size, &format), COLLET_ERROR_OUT_OF_RANGE,
                "export_image into too small a room");
  expect_bytes(room, Bytes(room.size(), 0xC5), "the room after a failing export_image");
  expect_ok(export_image(room.data(), size, &size, &format), "export_image");
  expect_bytes(part_of(room, size, 16), Bytes(16, 0xC5), "bytes behind the exported image");
  expect_built(device, {{format, room.data(), size}}, "a program built from an exported image");
}

CONFORMANCE_CASE("PLUG-PRG-2 a truncated image is refused, with a log", clauses("PLUG-PRG-2"),
                 needs(Capability::kPrograms),
                 does("Cuts a good binary at fifty places, and to no byte at all.")) {
  Device& device = test.device();
  const Program program(device);
  const Exported good = export_of(program);
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::uint64_t size = i < 10 ? i * 16 : good.bytes.size() * i / 64;
    // A copy of its own, so that a read past the end is seen by a sanitizer.
    const Bytes cut(good.bytes.begin(), good.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    expect_refused(device, {good.format, cut.data(), size},
                   "an image cut to " + std::to_string(size) + " bytes");
  }
}

CONFORMANCE_CASE("PLUG-PRG-2 an image that is something else is refused, with a log",
                 clauses("PLUG-PRG-2"), needs(Capability::kPrograms),
                 does("Offers a text and zeros in each format that the device declares.")) {
  Device& device = test.device();
  const Bytes zeros(4096, 0);
  std::istringstream formats(device.properties().program_formats);
  for (std::string format; formats >> format;) {
    expect_refused(device, image_of(format.c_str()), "a text as " + format);
    expect_refused(device, {format.c_str(), zeros.data(), zeros.size()}, "zeros as " + format);
  }
}

CONFORMANCE_CASE("PLUG-PRG-2 a shared object that is no program is refused, with a log",
                 clauses("PLUG-PRG-2"), needs(Capability::kPrograms),
                 does("Offers one for another machine, and such whose table of kernels is missing "
                      "or wrong.")) {
  Device& device = test.device();
  const collet_program_image_t good = image_for(device);
  if (std::string_view(good.format) != COLLET_FORMAT_HOST_SO) {
    not_supported("programs: not as shared objects");
  }
  const auto* const bytes = static_cast<const std::uint8_t*>(good.data);
  constexpr std::size_t kMachine = 18;
  Bytes foreign(bytes, bytes + good.size_bytes);
  foreign[kMachine] = 0xF3;
  foreign[kMachine + 1] = 0x0F;
  expect_refused(device, {good.format, foreign.data(), foreign.size()},
                 "an image for another machine");
  for (const MalformedProgram& malformed : malformed_programs()) {
    expect_refused(device, malformed.image, "an object that " + std::string(malformed.fault));
  }
}

CONFORMANCE_CASE("PLUG-PRG-3 a name that is no kernel is NOT_FOUND, and the names are listed",
                 clauses("PLUG-PRG-3"), needs(Capability::kPrograms),
                 does("Asks for names that are misspelt, empty, and too long by a letter.")) {
  Device& device = test.device();
  const Program program(device);
  for (const char* name : {"no_such_kernel", "", "stam", "stampp", "STAMP"}) {
    collet_plugin_kernel_t* kernel = nullptr;
    expect_status(call("program.kernel_create", device.program().kernel_create, program.handle(),
                       name, &kernel),
                  COLLET_ERROR_NOT_FOUND, "kernel_create(\"" + std::string(name) + "\")");
    expect(kernel == nullptr, "a failing kernel_create wrote to its out parameter");
    expect_names(last_report().message, {"stamp", "scalars", "locals"});
  }
}

CONFORMANCE_CASE("PLUG-PRG-9 a program lists its kernels, and each name finds one",
                 clauses("PLUG-PRG-9"), needs(Capability::kPrograms),
                 does("Compares the list with what the program was written as.")) {
  Device& device = test.device();
  const Program program(device);
  const char* const* names = nullptr;
  std::uint32_t count = 0;
  expect_ok(call("program.kernels", device.program().kernels, program.handle(), &names, &count),
            "program.kernels");
  std::vector<std::string> listed(names, names + count);
  for (const std::string& name : listed) {
    const Kernel kernel(program, name.c_str());
    expect(kernel.info().name == name, "the kernel \"" + name + "\" has another name");
  }
  std::sort(listed.begin(), listed.end());
  std::vector<std::string> written{"address", "append", "items",  "locals",
                                   "scalars", "set",    "shaped", "stamp"};
  // OpenCL C cannot express it.
  if (std::string_view(image_for(device).format) == COLLET_FORMAT_HOST_SO) {
    written.insert(written.begin() + 2, "fail");
  }
  expect(listed == written, "the list has " + std::to_string(count) + " names, not those of the " +
                                std::to_string(written.size()) + " kernels");
}

CONFORMANCE_CASE("PLUG-PRG-9 a kernel tells the sizes of its scalars", clauses("PLUG-PRG-9"),
                 needs(Capability::kPrograms),
                 does("Compares kernel_info with what the kernel was written as.")) {
  const Program program(test.device());
  const collet_kernel_info_t info = Kernel(program, "scalars").info();
  const std::uint8_t sizes[] = {0, 1, 2, 4, 8, 64};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    expect(info.argument_sizes[i] == sizes[i],
           "argument " + std::to_string(i) + " has " + std::to_string(sizes[i]) +
               " bytes, and kernel_info says " + std::to_string(info.argument_sizes[i]));
  }
}

CONFORMANCE_CASE("PLUG-PRG-3 a kernel that is found describes itself", clauses("PLUG-PRG-3"),
                 needs(Capability::kPrograms),
                 does("Compares kernel_info with what the kernels were written as.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel locals(program, "locals");
  const collet_kernel_info_t info = locals.info();
  expect(std::string(info.name) == "locals",
         "the kernel's name is \"" + std::string(info.name) + "\"");
  expect(info.argument_count == 5,
         "locals has 5 arguments, and kernel_info says " + std::to_string(info.argument_count));
  const std::uint8_t kinds[] = {COLLET_ARGUMENT_BUFFER, COLLET_ARGUMENT_LOCAL,
                                COLLET_ARGUMENT_LOCAL, COLLET_ARGUMENT_SCALAR,
                                COLLET_ARGUMENT_SCALAR};
  expect(std::equal(std::begin(kinds), std::end(kinds), info.argument_kinds),
         "the kinds of the arguments are wrong");
  const Kernel shaped(program, "shaped");
  const collet_kernel_info_t shape = shaped.info();
  expect(
      shape.required_group[0] == 4 && shape.required_group[1] == 2 && shape.required_group[2] == 3,
      "the group that the kernel was written for is not told");
}

}  // namespace collet::conformance
