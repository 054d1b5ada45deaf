// SPDX-License-Identifier: Apache-2.0
#include <collet/sdk/host_so/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace collet::plugin::host_so {
namespace {

/** Appends where each group stands. */
constexpr std::string_view kNote = R"(
COLLET_KERNEL(note, COLLET_GLOBAL(collet_uint64_t) out) {
  COLLET_ITEMS_BELOW(1) {
    COLLET_GLOBAL(collet_uint64_t) at = out + 1 + 3 * out[0]++;
    for (int axis = 0; axis < 3; ++axis) at[axis] = COLLET_GROUP_ID(axis);
  }
}
)";

Ref<Program> note_program() {
  const collet_program_image_t image{COLLET_FORMAT_COLLET_C, kNote.data(), kNote.size()};
  collet_program_desc_t desc = COLLET_PROGRAM_DESC_INIT;
  desc.images = &image;
  desc.image_count = 1;
  return Program::build(desc, 1024);
}

TEST_CASE("sdk: groups are counted along x, y and z past 2^16 an axis and 2^32 in all") {
  const Ref<Program> program = note_program();
  const Kernel kernel{program, program->kernel("note")};
  std::vector<std::uint64_t> seen(1 + 3 * 4);
  collet_plugin_argument_t argument{};
  argument.kind = COLLET_ARGUMENT_BUFFER;
  argument.memory = reinterpret_cast<collet_plugin_memory_t*>(seen.data());
  const collet_plugin_launch_t what{{70'000, 70'000, 3}, {1, 1, 1}, 1, &argument};
  const Launch launch(kernel, what, [](collet_plugin_memory_t* memory) {
    return reinterpret_cast<std::byte*>(memory);
  });
  CHECK(launch.group_count() == std::uint64_t{70'000} * 70'000 * 3);

  const std::uint64_t turn = std::uint64_t{70'000} * 70'000;
  launch.run_groups(turn - 2, turn + 2);
  CHECK(seen == std::vector<std::uint64_t>{4, 69'998, 69'999, 0, 69'999, 69'999, 0,  //
                                           0, 0, 1, 1, 0, 1});
}

}  // namespace
}  // namespace collet::plugin::host_so
