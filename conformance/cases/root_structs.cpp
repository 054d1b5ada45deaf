// SPDX-License-Identifier: Apache-2.0
/** Structs of older and newer callers, with canaries around what may be written. */
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

constexpr std::uint8_t kCanary = 0xC5;

/** The head of a struct with `base`, or of one that begins with its size. */
template <class Struct>
constexpr std::size_t head_size() {
  if constexpr (requires(Struct value) { value.base; }) {
    return sizeof(collet_struct_t);
  } else {
    return sizeof(std::uint32_t);
  }
}

/** Calls `fill` with structs of many sizes; bytes that are not the callee's must not change. */
template <class Struct>
void expect_bounded(const char* name, const std::function<collet_status_t(Struct*)>& fill,
                    const Struct& initial) {
  constexpr std::size_t kHead = head_size<Struct>();
  constexpr std::size_t kRoom = sizeof(Struct) + 128;
  struct alignas(64) Room {
    std::array<std::uint8_t, kRoom> bytes;
  };
  for (std::size_t size = kHead; size <= sizeof(Struct) + 64; size += 4) {
    Room room;
    room.bytes.fill(kCanary);
    auto* const out = reinterpret_cast<Struct*>(room.bytes.data());
    std::memcpy(room.bytes.data(), &initial, kHead);
    if constexpr (requires { out->base; }) {
      out->base.struct_size = static_cast<std::uint32_t>(size);
    } else {
      out->struct_size = static_cast<std::uint32_t>(size);
    }
    const Room before = room;
    expect_ok(fill(out),
              std::string(name) + " with a struct of " + std::to_string(size) + " bytes");
    const std::string what = " (struct_size " + std::to_string(size) + ")";
    expect(std::equal(room.bytes.begin(), room.bytes.begin() + kHead, before.bytes.begin()),
           std::string(name) + " wrote to the head of the struct" + what);
    const auto end = room.bytes.begin() + static_cast<std::ptrdiff_t>(size);
    const auto changed =
        std::find_if(end, room.bytes.end(), [](std::uint8_t byte) { return byte != kCanary; });
    if (changed != room.bytes.end()) {
      fail(std::string(name) + " wrote to byte " + std::to_string(changed - room.bytes.begin()) +
           what);
    }
  }
}

}  // namespace

CONFORMANCE_CASE("PLUG-ROOT-5 properties, traits and failures stay inside the caller's struct",
                 clauses("PLUG-ROOT-5"), kMandatory,
                 does("Passes structs from the head alone up to a newer version's size.")) {
  Device& device = test.device();
  const collet_plugin_t& root = test.plugin().root();
  expect_bounded<collet_device_properties_t>(
      "device_properties",
      [&](auto* out) { return root.device_properties(test.device_index(), out); },
      make_struct<collet_device_properties_t>());
  for (const auto kind : {COLLET_MEMORY_DEVICE, COLLET_MEMORY_PINNED, COLLET_MEMORY_SHARED}) {
    expect_bounded<collet_memory_traits_t>(
        "memory.traits",
        [&](auto* out) { return device.memory().traits(device.handle(), kind, out); }, {});
  }
  const Stream stream(device);
  expect_bounded<collet_stream_failure_t>(
      "stream.failure", [&](auto* out) { return device.stream().failure(stream.handle(), out); },
      make_struct<collet_stream_failure_t>());
}

CONFORMANCE_CASE("PLUG-ROOT-5 kernel_info stays inside the caller's struct", clauses("PLUG-ROOT-5"),
                 needs(Capability::kPrograms),
                 does("As for properties, with the description of a kernel.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "stamp");
  expect_bounded<collet_kernel_info_t>(
      "program.kernel_info",
      [&](auto* out) { return device.program().kernel_info(kernel.handle(), out); },
      make_struct<collet_kernel_info_t>());
}

CONFORMANCE_CASE("PLUG-ROOT-4 structs of a newer host are read as far as they are known",
                 clauses("PLUG-ROOT-4"), kMandatory,
                 does("Creates a stream from a description with fields of a later version.")) {
  Device& device = test.device();
  struct {
    collet_stream_desc_t desc;
    std::uint64_t newer[4];
  } wide = {make_struct<collet_stream_desc_t>(), {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  wide.desc.base.struct_size = sizeof(wide);
  wide.desc.flags = COLLET_STREAM_BACKGROUND;
  collet_plugin_stream_t* stream = nullptr;
  expect_ok(call("stream.create", device.stream().create, device.handle(), &wide.desc, &stream),
            "creating a stream from a newer description");
  device.stream().destroy(stream);
}

}  // namespace collet::conformance
