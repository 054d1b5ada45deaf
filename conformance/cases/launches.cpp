// SPDX-License-Identifier: Apache-2.0
/** Launches: every group once, with its own index, arguments and local memory. */
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

using Grid = Launch::Grid;
using Group = Launch::Group;

std::string text(const Grid& grid) {
  return std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " +
         std::to_string(grid[2]);
}

std::string text(const Group& group) { return text(Grid{group[0], group[1], group[2]}); }

template <class Value>
std::vector<Value> download(const Stream& stream, const Memory& memory) {
  const Bytes bytes = stream.download(memory);
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

/** The least offset at which kernels are given a memory, but for 0. */
std::uint64_t offset_step(const Device& device) {
  return device.traits(COLLET_MEMORY_DEVICE).offset_alignment_bytes;
}

/** Every counter is 1. */
void expect_once(const std::vector<std::uint32_t>& counts, const std::string& what) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 1) continue;
    fail(what + ": number " + std::to_string(i) + " of " + std::to_string(counts.size()) + " ran " +
         std::to_string(counts[i]) + " times");
  }
}

void expect_stamps(Device& device, const Stream& stream, const Kernel& kernel, const Grid& grid,
                   const Group& group) {
  const std::uint64_t groups = grid[0] * grid[1] * grid[2];
  const Memory counts(device, groups * sizeof(std::uint32_t));
  const Memory ids(device, groups * 9 * sizeof(std::uint64_t));
  stream.upload(counts, Bytes(counts.size(), 0));
  stream.upload(ids, Bytes(ids.size(), 0xFF));
  expect_ok(Launch(grid, group).memory(counts).memory(ids).enqueue(stream, kernel), "launch");
  expect_once(download<std::uint32_t>(stream, counts), "groups of a grid of " + text(grid));
  const auto seen = download<std::uint64_t>(stream, ids);
  for (std::uint64_t i = 0; i < groups; ++i) {
    const std::array<std::uint64_t, 9> expected = {i % grid[0],
                                                   i / grid[0] % grid[1],
                                                   i / grid[0] / grid[1],
                                                   grid[0],
                                                   grid[1],
                                                   grid[2],
                                                   group[0],
                                                   group[1],
                                                   group[2]};
    expect(std::equal(expected.begin(), expected.end(),
                      seen.begin() + static_cast<std::ptrdiff_t>(i * 9)),
           "group " + std::to_string(i) + " of a grid of " + text(grid) +
               " was told another index, grid or group size");
  }
}

void expect_items(Device& device, const Stream& stream, const Kernel& kernel, const Grid& grid,
                  const Group& group) {
  const std::uint64_t items = grid[0] * grid[1] * grid[2] * group[0] * group[1] * group[2];
  const Memory counts(device, items * sizeof(std::uint32_t));
  stream.upload(counts, Bytes(counts.size(), 0));
  expect_ok(Launch(grid, group).memory(counts).enqueue(stream, kernel), "launch");
  expect_once(download<std::uint32_t>(stream, counts), "items of a group of " + text(group));
}

}  // namespace

CONFORMANCE_CASE("PLUG-PRG-4 every group of a grid runs once, with its own index",
                 clauses("PLUG-PRG-4"), needs(Capability::kPrograms),
                 does("Launches grids of many shapes with a kernel that stamps its group.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "stamp");
  for (const std::uint32_t sort : kStreamSorts) {
    const Stream stream(device, sort);
    for (const Grid& grid :
         {Grid{1, 1, 1}, Grid{2, 1, 1}, Grid{1, 3, 1}, Grid{1, 1, 5}, Grid{3, 5, 7}, Grid{7, 1, 2},
          Grid{1, 6, 4}, Grid{16, 16, 3}, Grid{1000, 1, 1}, Grid{1, 1000, 1}, Grid{3, 1, 1000},
          Grid{65537, 1, 1}}) {
      expect_stamps(device, stream, kernel, grid, {2, 1, 1});
    }
    expect_stamps(device, stream, kernel, {5, 4, 3}, {1, 2, 4});
  }
}

CONFORMANCE_CASE("PLUG-PRG-4 an empty grid is a command that runs no group", clauses("PLUG-PRG-4"),
                 needs(Capability::kPrograms), does("Launches grids with a zero on each axis.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "set");
  const Memory memory(device, 64);
  const Stream stream(device);
  const Bytes before = payload(64, 2);
  stream.upload(memory, before);
  const std::uint32_t value = 0x12345678;
  for (const Grid& grid :
       {Grid{0, 1, 1}, Grid{1, 0, 1}, Grid{1, 1, 0}, Grid{0, 0, 0}, Grid{5, 0, 7}}) {
    expect_ok(Launch(grid).memory(memory).value(value).enqueue(stream, kernel),
              "launching a grid of " + text(grid));
  }
  expect_bytes(stream.download(memory), before, "memory after launches of empty grids");
}

CONFORMANCE_CASE("PLUG-PRG-5 arguments are copied before the launch returns", clauses("PLUG-PRG-5"),
                 needs(Capability::kPrograms),
                 does("Changes every argument after the call, while the stream is gated.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "scalars");
  constexpr std::size_t kSize = 1 + 2 + 4 + 8 + 64;
  const std::uint64_t offset = offset_step(device);
  const Memory memory(device, kSize + 2 * offset);
  const Stream stream(device);
  for (std::uint64_t round = 0; round < 10; ++round) {
    const Bytes sent = payload(kSize, round);
    const Bytes before = complement(payload(memory.size(), round));
    stream.upload(memory, before);
    std::array<std::uint8_t, 1> a;
    std::array<std::uint8_t, 2> b;
    std::array<std::uint8_t, 4> c;
    std::array<std::uint8_t, 8> d;
    std::array<std::uint8_t, 64> e;
    const auto load = [&](const Bytes& from) {
      auto at = from.begin();
      const auto take = [&](auto& out) {
        std::copy_n(at, out.size(), out.begin());
        at += static_cast<std::ptrdiff_t>(out.size());
      };
      take(a), take(b), take(c), take(d), take(e);
    };
    load(sent);
    Gate gate(stream);
    expect_ok(Launch()
                  .memory(memory, offset)
                  .value(a)
                  .value(b)
                  .value(c)
                  .value(d)
                  .value(e)
                  .enqueue(stream, kernel),
              "launch");
    load(complement(sent));
    gate.open();
    Bytes expected = before;
    put(expected, offset, sent);
    expect_bytes(stream.download(memory), expected, "arguments that were changed after the call");
  }
}

CONFORMANCE_CASE("PLUG-PRG-5 launches from several threads keep their own arguments",
                 clauses("PLUG-PRG-5"), kStress, needs(Capability::kPrograms),
                 does("Four threads launch one kernel on streams of their own, each with its own "
                      "values.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "set");
  const std::uint64_t step = offset_step(device);
  run_threads(4, [&](std::size_t thread) {
    const Memory memory(device, step * 200);
    const Stream stream(device);
    for (std::uint32_t i = 0; i < 200; ++i) {
      const auto value = static_cast<std::uint32_t>(thread * 1000 + i);
      expect_ok(Launch().memory(memory, step * i).value(value).enqueue(stream, kernel), "launch");
    }
    const auto seen = download<std::uint32_t>(stream, memory);
    for (std::uint32_t i = 0; i < 200; ++i) {
      const std::uint32_t value = seen[i * step / sizeof(value)];
      expect(value == thread * 1000 + i, "launch " + std::to_string(i) + " of thread " +
                                             std::to_string(thread) + " wrote " +
                                             std::to_string(value));
    }
  });
}

CONFORMANCE_CASE("PLUG-PRG-6 local memory is one group's kAlone, and as large as asked for",
                 clauses("PLUG-PRG-6"), needs(Capability::kPrograms),
                 does("Each of 200 groups fills two local memories and finds them as it left "
                      "them.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "locals");
  const Stream stream(device);
  constexpr std::uint64_t kGroups = 200;
  // More than the least that devices have would only take longer.
  const std::uint64_t most = std::min<std::uint64_t>(device.properties().local_memory_bytes, 16384);
  for (const auto& [a, b] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {1, 1}, {64, 64}, {1000, 1000}, {100, 3000}, {most / 128 * 64, most / 128 * 64}}) {
    const Memory out(device, kGroups * sizeof(std::uint32_t));
    stream.upload(out, Bytes(out.size(), 0));
    expect_ok(Launch({kGroups, 1, 1})
                  .memory(out)
                  .local(a)
                  .local(b)
                  .value(a)
                  .value(b)
                  .enqueue(stream, kernel),
              "launch");
    for (const std::uint32_t verdict : download<std::uint32_t>(stream, out)) {
      expect(verdict != 0, "a group did not run");
      expect(verdict != 2 && verdict != 3, "local memory is not aligned to 64 bytes");
      expect(verdict == 1, "local memory of " + std::to_string(a) + " and " + std::to_string(b) +
                               " bytes was changed by somebody else");
    }
  }
}

CONFORMANCE_CASE("PLUG-PRG-7 launches outlive their kernel and program", clauses("PLUG-PRG-7"),
                 needs(Capability::kPrograms),
                 does("Destroys kernel and program while the launch stands behind a gate.")) {
  Device& device = test.device();
  const Memory memory(device, 64);
  const Stream stream(device);
  for (std::uint32_t round = 1; round <= 10; ++round) {
    stream.upload(memory, Bytes(64, 0));
    Program program(device);
    Kernel kernel(program, "set");
    Gate gate(stream);
    expect_ok(Launch().memory(memory).value(round).enqueue(stream, kernel), "launch");
    expect_return(
        [&] {
          kernel.destroy();
          program.destroy();
        },
        "destroying a kernel waited for its launch");
    gate.open();
    expect(download<std::uint32_t>(stream, memory)[0] == round,
           "a launch whose kernel was destroyed did not run");
  }
}

CONFORMANCE_CASE("PLUG-PRG-8 groups of every declared size run", clauses("PLUG-PRG-8"),
                 needs(Capability::kPrograms),
                 does("Launches the greatest group along each axis and in all, and smaller "
                      "ones.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "items");
  const Stream stream(device);
  const collet_device_properties_t& limits = device.properties();
  const std::uint32_t most = std::min(limits.max_group_items, kernel.info().max_group_items);
  expect(most >= 1, "max_group_items is 0");
  for (std::uint32_t size = 1; size <= most; size *= 2) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Group group = {1, 1, 1};
      group[axis] = std::min(size, limits.max_group_size[axis]);
      expect_items(device, stream, kernel, {3, 2, 1}, group);
    }
  }
  const std::uint32_t side = most >= 64 ? 4 : 1;
  expect_items(device, stream, kernel, {2, 2, 2}, {side, side, side});
  expect_items(device, stream, kernel, {1, 1, 1}, {most, 1, 1});
}

CONFORMANCE_CASE("PLUG-PRG-8 a kernel runs with the group that it was written for",
                 clauses("PLUG-PRG-8"), needs(Capability::kPrograms),
                 does("Launches a kernel that requires groups of 4 x 2 x 3.")) {
  Device& device = test.device();
  const Program program(device);
  const Kernel kernel(program, "shaped");
  const Stream stream(device);
  expect_items(device, stream, kernel, {5, 3, 2}, {4, 2, 3});
}

}  // namespace collet::conformance
