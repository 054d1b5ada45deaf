// SPDX-License-Identifier: Apache-2.0
//
// What a buffer costs, alone and beside another thread, and how much memory the pool takes from the
// device for what a program asks for.
#include <cstddef>
#include <memory>
#include <thread>

#include "areas.hpp"
#include "best_fit_policy.hpp"
#include "digits_trace.hpp"
#include "mimalloc.hpp"
#include "second_thread.hpp"
#include "subject.hpp"
#include "transformer_trace.hpp"

namespace collet::bench {
namespace {

constexpr std::uint64_t kKiB = std::uint64_t{1} << 10;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

collet_alloc_desc_t describe(std::uint64_t size_bytes) {
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  desc.size_bytes = size_bytes;
  return desc;
}

Batch pairs(const Stream& stream, std::uint64_t size_bytes) {
  return repeat([stream = stream.get(), desc = describe(size_bytes)] {
    collet_buffer_t* buffer = nullptr;
    check(collet_buffer_alloc(stream, &desc, &buffer));
    collet_buffer_release(buffer);
  });
}

// Locks are cheaper as long as a process has had one thread only, which no program stays.
void start_a_thread() {
  std::thread([] {}).join();
}

Figures pair(std::uint64_t size_bytes) {
  const Mimalloc mimalloc = load_mimalloc();
  const Stream stream(open_device("cpu"));
  start_a_thread();
  const Batch reference = repeat([&] { mimalloc.free(mimalloc.allocate(size_bytes)); });
  return in_nanoseconds(take_turns(pairs(stream, size_bytes), reference));
}

Row pair_row(std::uint64_t size_bytes) {
  return {"pool/pair/" + std::to_string(size_bytes) + "/cpu", "ns", "mi_malloc, mi_free",
          [=] { return pair(size_bytes); }};
}

// Each thread makes as many pairs as the one that is alone. A call is so many of them that the time
// in which the second thread wakes up is a small part of it.
Figures two_threads(const Stream& mine, const Stream& other) {
  if (std::thread::hardware_concurrency() < 2) throw Absent("two threads need two processors");
  constexpr std::uint64_t kSizeBytes = 4 * kKiB;
  constexpr std::uint64_t kPairsPerCall = std::uint64_t{1} << 18;
  const auto many = [](const Batch& batch) -> Batch {
    return [batch](std::uint64_t calls) { batch(calls * kPairsPerCall); };
  };
  const Batch alone = many(pairs(mine, kSizeBytes));
  SecondThread second(many(pairs(other, kSizeBytes)));
  constexpr double kPerMicrosecond = 1000;
  constexpr double kPairs = kPairsPerCall * kPerMicrosecond;
  return as_rate(take_turns(second.together_with(alone), alone), 2 * kPairs, kPairs);
}

Figures two_threads_own_streams() {
  const Device device = open_device("cpu");
  return two_threads(Stream(device), Stream(device));
}

Figures two_threads_one_stream() {
  const Stream stream(open_device("cpu"));
  return two_threads(stream, stream);
}

struct ReleaseAllocator {
  void operator()(collet_allocator_t* allocator) const { collet_allocator_release(allocator); }
};
using Allocator = std::unique_ptr<collet_allocator_t, ReleaseAllocator>;

// Nothing else allocates there.
Allocator private_allocator(const Device& device) {
  collet_allocator_t* allocator = nullptr;
  check(collet_allocator_create(device.get(), nullptr, &allocator));
  return Allocator(allocator);
}

// Nobody touches the buffers, so that they take addresses and no memory.
void replay(const MemoryTrace& trace, const Stream& stream, collet_allocator_t* allocator) {
  std::vector<Buffer> buffers(trace.buffer_count());
  for (const TraceEvent& event : trace.events()) {
    if (!event.size_bytes) {
      buffers[event.buffer] = Buffer();
      continue;
    }
    collet_alloc_desc_t desc = describe(*event.size_bytes);
    desc.allocator = allocator;
    collet_buffer_t* buffer = nullptr;
    check(collet_buffer_alloc(stream.get(), &desc, &buffer));
    buffers[event.buffer] = Buffer(buffer);
  }
}

Figures reserved(const MemoryTrace& trace) {
  const Device device = open_device("cpu");
  const Allocator allocator = private_allocator(device);
  replay(trace, Stream(device), allocator.get());
  collet_memory_statistics_t statistics = COLLET_MEMORY_STATISTICS_INIT;
  check(collet_allocator_statistics(allocator.get(), COLLET_MEMORY_DEVICE, &statistics));
  const auto requested = static_cast<double>(trace.peak_requested_bytes());
  return {static_cast<double>(statistics.reserved_bytes.peak) /
              static_cast<double>(statistics.requested_bytes.peak),
          static_cast<double>(best_fit_reserved_bytes(trace)) / requested};
}

}  // namespace

std::vector<Row> pool_rows() {
  return {
      pair_row(64),
      pair_row(4 * kKiB),
      pair_row(64 * kKiB),
      pair_row(kMiB),
      {"pool/two_threads_own_streams/4096/cpu", "pairs/us", "one thread", two_threads_own_streams},
      {"pool/two_threads_one_stream/4096/cpu", "pairs/us", "one thread", two_threads_one_stream},
      {"pool/reserved_transformer/1GiB/cpu", "x requested", "plain best fit",
       [] { return reserved(transformer_trace()); }},
      {"pool/reserved_digits/-/cpu", "x requested", "plain best fit",
       [] { return reserved(digits_trace()); }}};
}

}  // namespace collet::bench
