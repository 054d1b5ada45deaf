// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace overlap {
namespace {

using collet::Buffer;
using collet::Event;
using collet::Stream;

constexpr std::size_t kSlots = 2;

float value_of(std::uint64_t step) { return static_cast<float>(step % kSlots + 1); }

// Two batches of host memory, which the steps use in turn.
class Batches {
 public:
  Batches(const Work& work, const Stream& stream, bool is_pinned) {
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if (is_pinned) {
        pinned_[slot] = stream.allocate(work.count * sizeof(float), {.kind = COLLET_MEMORY_PINNED});
        values_[slot] = pinned_[slot].host_view<float>();
      } else {
        pageable_[slot].resize(work.count);
        values_[slot] = pageable_[slot];
      }
      std::fill(values_[slot].begin(), values_[slot].end(), value_of(slot));
    }
  }
  [[nodiscard]] std::span<const float> of(std::uint64_t step) const {
    return values_[step % kSlots];
  }

 private:
  std::array<Buffer, kSlots> pinned_;
  std::array<std::vector<float>, kSlots> pageable_;
  std::array<std::span<float>, kSlots> values_;
};

// Begin and end of a command of each step.
class Marks {
 public:
  explicit Marks(const Work& work) {
    for (std::uint64_t i = 0; i < 2 * work.steps; ++i) {
      events_.emplace_back(work.device, collet::EventOptions{.timing = true});
    }
  }
  [[nodiscard]] const Event& begin(std::uint64_t step) const { return events_[2 * step]; }
  [[nodiscard]] const Event& end(std::uint64_t step) const { return events_[2 * step + 1]; }

  [[nodiscard]] std::vector<Span> since(const Event& origin) const {
    std::vector<Span> spans;
    for (std::uint64_t step = 0; step < events_.size() / 2; ++step) {
      spans.push_back(
          {step, collet::elapsed(origin, begin(step)), collet::elapsed(origin, end(step))});
    }
    return spans;
  }

 private:
  std::vector<Event> events_;
};

// A place for each sum, so that no step waits for another one's to be read.
std::vector<double> read_sums(const Stream& stream, const Buffer& sums, std::uint64_t steps) {
  std::vector<double> values(steps);
  stream.read(sums, values);
  return values;
}

void enqueue_sum(const Stream& stream, const Work& work, const Buffer& batch, const Buffer& sums,
                 std::uint64_t step) {
  stream.launch(work.sum, collet::Grid{{1, 1, 1}, {1, 1, 1}}, batch, sums.at(step * sizeof(double)),
                work.count);
}

// The first use of memory and kernels costs more than others.
void warm_up(const Stream& stream, const Work& work, const Batches& batches, const Buffer& batch,
             const Buffer& sums) {
  stream.write(batch, batches.of(0));
  enqueue_sum(stream, work, batch, sums, 0);
  stream.synchronize();
}

}  // namespace

Run run_in_turn(const Work& work, bool is_pinned) {
  const Stream stream(work.device, {.background = true, .label = "one"});
  const Batches batches(work, stream, is_pinned);
  const Buffer batch = stream.allocate(work.count * sizeof(float), {.tag = "batch"});
  const Buffer sums = stream.allocate(work.steps * sizeof(double), {.tag = "sums"});
  warm_up(stream, work, batches, batch, sums);
  const Marks copies(work);
  const Marks kernels(work);
  for (std::uint64_t step = 0; step < work.steps; ++step) {
    const auto source = std::as_bytes(batches.of(step));
    stream.record(copies.begin(step));
    // Blocking, and so behind the kernel of the step before.
    collet::check(collet_stream_write(stream.get(), batch.get(), 0, source.data(), source.size(),
                                      nullptr, nullptr));
    stream.record(copies.end(step));
    stream.record(kernels.begin(step));
    enqueue_sum(stream, work, batch, sums, step);
    stream.record(kernels.end(step));
  }
  const Event& origin = copies.begin(0);
  return {{{}, copies.since(origin), kernels.since(origin)}, read_sums(stream, sums, work.steps)};
}

Run run_overlapped(const Work& work, bool is_pinned) {
  const Stream copying(work.device, {.background = true, .label = "copies"});
  const Stream computing(work.device, {.background = true, .label = "compute"});
  const Batches batches(work, copying, is_pinned);
  std::array<Buffer, kSlots> slots;
  for (Buffer& slot : slots) {
    slot = copying.allocate(work.count * sizeof(float), {.tag = "batch"});
  }
  const Buffer sums = computing.allocate(work.steps * sizeof(double), {.tag = "sums"});
  warm_up(copying, work, batches, slots[0], sums);
  const Marks copies(work);
  const Marks kernels(work);
  for (std::uint64_t step = 0; step < work.steps; ++step) {
    const Buffer& slot = slots[step % kSlots];
    // The kernel that reads what this copy overwrites is two steps back.
    if (step >= kSlots) copying.wait(kernels.end(step - kSlots));
    copying.record(copies.begin(step));
    copying.write(slot, batches.of(step));
    copying.record(copies.end(step));
    computing.wait(copies.end(step));
    computing.record(kernels.begin(step));
    enqueue_sum(computing, work, slot, sums, step);
    computing.record(kernels.end(step));
  }
  const Event& origin = copies.begin(0);
  Run run{{{}, copies.since(origin), kernels.since(origin)},
          read_sums(computing, sums, work.steps)};
  // The host memory ends here, and no copy may use it any more.
  copying.synchronize();
  return run;
}

double expected_sum(const Work& work, std::uint64_t step) {
  return static_cast<double>(work.count) * static_cast<double>(value_of(step));
}

}  // namespace overlap
