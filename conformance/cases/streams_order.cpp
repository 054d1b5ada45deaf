// SPDX-License-Identifier: Apache-2.0
/** Commands of a stream take effect in the order in which they were enqueued. */
#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

constexpr std::uint64_t kMemorySize = 4096;
constexpr std::size_t kMemories = 3;

/** One command of a random sequence. */
struct Step {
  enum class Kind { kFill, kCopy, kRect } kind;
  std::size_t dst;
  std::size_t src;
  std::uint64_t dst_offset;
  std::uint64_t src_offset;
  std::uint64_t size;
  std::uint8_t value;
};

Step random_step(Random& random) {
  Step step{};
  step.kind = static_cast<Step::Kind>(random.below(3));
  step.dst = random.below(kMemories);
  step.src = (step.dst + 1 + random.below(kMemories - 1)) % kMemories;
  step.size = random.below(kMemorySize / 4);
  step.dst_offset = random.below(kMemorySize - step.size);
  step.src_offset = random.below(kMemorySize - step.size);
  step.value = static_cast<std::uint8_t>(random.next());
  return step;
}

/** A step as a rectangle: four rows, if it is large enough. */
collet_rect_t rect_of(const Step& step) {
  const std::uint64_t pitch = step.size / 4;
  return {step.dst_offset, step.src_offset, pitch / 2, 4, pitch, pitch};
}

void enqueue(const Stream& stream, const std::vector<Memory>& memories, const Step& step) {
  switch (step.kind) {
    case Step::Kind::kFill:
      return expect_ok(stream.fill(memories[step.dst], step.dst_offset, step.size, &step.value, 1),
                       "fill");
    case Step::Kind::kCopy:
      return expect_ok(stream.copy(memories[step.dst], step.dst_offset, memories[step.src],
                                   step.src_offset, step.size),
                       "copy");
    case Step::Kind::kRect:
      return expect_ok(stream.copy_rect(memories[step.dst], memories[step.src], rect_of(step)),
                       "copy_rect");
  }
}

/** The plain model of a step. */
void apply(std::vector<Bytes>& model, const Step& step) {
  const auto copy = [&](std::uint64_t dst_offset, std::uint64_t src_offset, std::uint64_t size) {
    put(model[step.dst], dst_offset, part_of(model[step.src], src_offset, size));
  };
  switch (step.kind) {
    case Step::Kind::kFill:
      return put(model[step.dst], step.dst_offset, Bytes(step.size, step.value));
    case Step::Kind::kCopy:
      return copy(step.dst_offset, step.src_offset, step.size);
    case Step::Kind::kRect: {
      const collet_rect_t rect = rect_of(step);
      for (std::uint64_t row = 0; row < rect.height; ++row) {
        copy(rect.dst_offset_bytes + row * rect.dst_pitch_bytes,
             rect.src_offset_bytes + row * rect.src_pitch_bytes, rect.width_bytes);
      }
    }
  }
}

std::string text_of(const Step& step) {
  constexpr const char* kNames[] = {"fill", "copy", "copy_rect"};
  return std::string(kNames[static_cast<std::size_t>(step.kind)]) + "(" + std::to_string(step.dst) +
         "+" + std::to_string(step.dst_offset) + " <- " + std::to_string(step.src) + "+" +
         std::to_string(step.src_offset) + ", " + std::to_string(step.size) + ")";
}

/** Runs the steps behind a gate; gives the first difference to the model, or an empty text. */
std::string run_sequence(Device& device, const std::vector<Step>& steps) {
  std::vector<Memory> memories;
  std::vector<Bytes> model;
  const Stream stream(device);
  for (std::size_t i = 0; i < kMemories; ++i) {
    model.push_back(payload(kMemorySize, 40 + i));
    memories.emplace_back(device, kMemorySize);
    stream.upload(memories.back(), model.back());
  }
  {
    const Gate gate(stream);
    for (const Step& step : steps) enqueue(stream, memories, step);
  }
  for (const Step& step : steps) apply(model, step);
  for (std::size_t i = 0; i < kMemories; ++i) {
    const auto found = difference(stream.download(memories[i]), model[i]);
    if (found) return "memory " + std::to_string(i) + ", " + *found;
  }
  return {};
}

/** Leaves steps out as long as the sequence still fails. */
std::vector<Step> shrink(Device& device, std::vector<Step> steps) {
  for (std::size_t width = steps.size() / 2; width > 0; width /= 2) {
    for (std::size_t at = 0; at + width <= steps.size();) {
      std::vector<Step> fewer = steps;
      const auto first = fewer.begin() + static_cast<std::ptrdiff_t>(at);
      fewer.erase(first, first + static_cast<std::ptrdiff_t>(width));
      if (run_sequence(device, fewer).empty()) {
        at += width;
      } else {
        steps = std::move(fewer);
      }
    }
  }
  return steps;
}

}  // namespace

CONFORMANCE_CASE("PLUG-STR-1 random copies and fills end as a plain model of them does",
                 clauses("PLUG-STR-1"), kMandatory,
                 does("Enqueues sequences of 40 commands behind a gate; one that differs from the "
                      "model is shrunk to the commands that matter.")) {
  Device& device = test.device();
  Random random = test.random();
  for (int round = 0; round < 20; ++round) {
    std::vector<Step> steps;
    steps.reserve(40);
    for (int i = 0; i < 40; ++i) steps.push_back(random_step(random));
    if (run_sequence(device, steps).empty()) continue;
    steps = shrink(device, steps);
    std::string text = run_sequence(device, steps) + "; of the commands";
    for (const Step& step : steps) text += " " + text_of(step);
    fail(text);
  }
}

CONFORMANCE_CASE("PLUG-STR-1 commands of different kinds do not overtake each other",
                 clauses("PLUG-STR-1"), kMandatory,
                 does("Alternates fills, copies, writes and host functions behind a gate; each "
                      "must see the one before it.")) {
  Device& device = test.device();
  constexpr int kRounds = 50;
  const bool is_pinned = device.traits(COLLET_MEMORY_PINNED).supported != 0;
  const Memory a(device, 64);
  const Memory b(device, 64);
  const Memory host(device, 64 * kRounds, is_pinned ? COLLET_MEMORY_PINNED : COLLET_MEMORY_DEVICE);
  const Stream stream(device);
  {
    const Gate gate(stream);
    for (int i = 0; i < kRounds; ++i) {
      const auto value = static_cast<std::uint8_t>(i + 1);
      expect_ok(stream.fill(a, 0, 64, &value, 1), "fill");
      expect_ok(stream.copy(b, 0, a, 0, 64), "copy");
      expect_ok(stream.copy(host, static_cast<std::uint64_t>(i) * 64, b, 0, 64), "copy");
    }
  }
  const Bytes seen = stream.download(host);
  for (int i = 0; i < kRounds; ++i) {
    const std::uint8_t byte = seen[static_cast<std::size_t>(i) * 64];
    expect(byte == i + 1,
           "round " + std::to_string(i) + " copied the fill of round " + std::to_string(byte - 1));
  }
}

CONFORMANCE_CASE("PLUG-STR-1 launches and copies do not overtake each other", clauses("PLUG-STR-1"),
                 needs(Capability::kPrograms),
                 does("Launches a kernel that appends to a log in device memory, between copies "
                      "of the log.")) {
  Device& device = test.device();
  constexpr std::uint32_t kRounds = 50;
  const Program program(device);
  const Kernel kernel(program, "append");
  const Memory log(device, 4 * (kRounds + 1));
  const Memory copies(device, 4 * kRounds);
  const Stream stream(device);
  stream.upload(log, Bytes(log.size(), 0));
  {
    const Gate gate(stream);
    for (std::uint32_t i = 0; i < kRounds; ++i) {
      expect_ok(Launch().memory(log).value(i).enqueue(stream, kernel), "launch");
      expect_ok(stream.copy(copies, std::uint64_t{4} * i, log, 0, 4), "copy");
    }
  }
  const Bytes seen = stream.download(copies);
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    const std::uint32_t length = seen[std::size_t{4} * i];
    expect(length == i + 1, "the copy after launch " + std::to_string(i + 1) + " saw " +
                                std::to_string(length) + " launches");
  }
}

CONFORMANCE_CASE("PLUG-STR-1 calls of several threads are points in one order",
                 clauses("PLUG-STR-1"), kStress,
                 does("Four threads enqueue pairs of commands on one stream; each thread's own "
                      "order is kept, and no two host functions run at once.")) {
  Device& device = test.device();
  constexpr std::size_t kThreads = 4;
  constexpr int kCalls = 300;
  for (const std::uint32_t sort : kStreamSorts) {
    const Stream stream(device, sort);
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::vector<std::pair<std::size_t, int>> order;
    run_threads(kThreads, [&](std::size_t thread) {
      for (int i = 0; i < kCalls; ++i) {
        stream.then([&, thread, i](collet_status_t) {
          if (inside.fetch_add(1) != 0) ++overlaps;
          order.emplace_back(thread, i);
          inside.fetch_sub(1);
        });
      }
    });
    stream.finish();
    expect(overlaps.load() == 0, "host functions of one stream ran at the same time");
    expect(order.size() == kThreads * kCalls, std::to_string(order.size()) + " of " +
                                                  std::to_string(kThreads * kCalls) +
                                                  " host functions ran");
    std::vector<int> next(kThreads, 0);
    for (const auto& [thread, i] : order) {
      expect(i == next[thread]++, "two calls of one thread changed places");
    }
  }
}

}  // namespace collet::conformance
