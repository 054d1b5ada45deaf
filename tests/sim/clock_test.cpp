// SPDX-License-Identifier: Apache-2.0
// The virtual clock. Every expected time is computed by hand from the costs that a case sets.
#include <collet/plugin/peer.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint64_t kMegabyte = 1'000'000;

void set(const char* option, const char* value) { host_options()[option] = value; }

/** One megabyte takes a millisecond to the device, and two from it; a launch takes 30. */
void use_virtual_clock() {
  set("clock", "virtual");
  set("costs", "to_device=1GB/s,from_device=500MB/s,memory=1TB/s,latency=0ns,launch=30ms");
}

/** Plain memory of a size; `data` where it is the host's. */
class Block {
 public:
  Block(collet_memory_kind_t kind, std::uint64_t size_bytes) {
    REQUIRE(plugin().memory->allocate(plugin().device, kind, size_bytes, 0, &handle_) == COLLET_OK);
    if (kind == COLLET_MEMORY_PINNED) {
      REQUIRE(plugin().memory->host_pointer(handle_, &data_) == COLLET_OK);
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { plugin().memory->free(handle_); }

  [[nodiscard]] collet_plugin_memory_t* handle() const { return handle_; }
  [[nodiscard]] void* data() const { return data_; }

 private:
  collet_plugin_memory_t* handle_ = nullptr;
  void* data_ = nullptr;
};

/** What the cases enqueue, with memory for it. */
class Work {
 public:
  explicit Work(std::uint64_t size_bytes = kMegabyte) : size_bytes_(size_bytes) {}

  void write(const Stream& stream, std::uint64_t size_bytes = UINT64_MAX) const {
    REQUIRE(plugin().stream->write(stream.handle(), device_.handle(), 0, host_.data(),
                                   std::min(size_bytes, size_bytes_), COLLET_TRANSFER_NON_BLOCKING,
                                   0) == COLLET_OK);
  }
  void read(const Stream& stream) const {
    REQUIRE(plugin().stream->read(stream.handle(), host_.data(), device_.handle(), 0, size_bytes_,
                                  COLLET_TRANSFER_NON_BLOCKING, 0) == COLLET_OK);
  }
  void fill(const Stream& stream) const {
    const unsigned char zero = 0;
    REQUIRE(plugin().stream->fill(stream.handle(), device_.handle(), 0, size_bytes_, &zero, 1) ==
            COLLET_OK);
  }
  void compute(const Stream& stream, const char* kernel = "count") {
    // An empty grid: what a launch costs does not depend on what it does.
    REQUIRE(launch(stream, program_.kernel(kernel), {0, 1, 1},
                   {{COLLET_ARGUMENT_BUFFER, 0, device_.handle(), 0, nullptr, 0}}) == COLLET_OK);
  }

 private:
  std::uint64_t size_bytes_;
  Block device_{COLLET_MEMORY_DEVICE, size_bytes_};
  Block host_{COLLET_MEMORY_PINNED, size_bytes_};
  Program program_{module_image("good")};
};

/** A timed event, recorded. */
class Mark {
 public:
  explicit Mark(const Stream& stream) { REQUIRE(event_.record(stream) == COLLET_OK); }

  void hold(const Stream& stream) const { REQUIRE(event_.hold(stream) == COLLET_OK); }
  void wait() const { REQUIRE(event_.synchronize() == COLLET_OK); }
  [[nodiscard]] std::int64_t since(const Mark& start) const {
    std::int64_t duration = -1;
    collet_status_t status = COLLET_NOT_READY;
    while (status == COLLET_NOT_READY) {
      status = plugin().event->elapsed(start.event_.handle(), event_.handle(), &duration);
    }
    REQUIRE(status == COLLET_OK);
    return duration;
  }

 private:
  Event event_{COLLET_EVENT_TIMING};
};

/** Steps of a write, a launch and a read; each part on a stream of its own, or all on one. */
std::int64_t pipeline(Work& work, int steps, bool is_overlapped) {
  const Stream streams[3];
  const Stream& to = streams[0];
  const Stream& compute = streams[is_overlapped ? 1 : 0];
  const Stream& from = streams[is_overlapped ? 2 : 0];
  const Mark start(to);
  for (int i = 0; i < steps; ++i) {
    work.write(to);
    Mark(to).hold(compute);
    work.compute(compute);
    Mark(compute).hold(from);
    work.read(from);
  }
  const Mark end(from);
  end.wait();
  return end.since(start);
}

TEST_CASE("clock 100 MB per step at 25 GB/s vanish beside 30 ms of compute") {
  set("clock", "virtual");
  set("costs", "to_device=25GB/s,from_device=25GB/s,latency=0ns,launch=30ms");
  Work work(100 * kMegabyte);
  // 4 ms for the first write, 3 launches, 4 ms for the last read.
  CHECK(pipeline(work, 3, true) == (4 + 3 * 30 + 4) * kMs);
  CHECK(pipeline(work, 3, false) == 3 * (4 + 30 + 4) * kMs);
}

/** Options are read once per process, and so each schedule has a case of its own. */
void check_pipeline(const char* schedule) {
  set("schedule", schedule);
  use_virtual_clock();
  Work work;
  CHECK(pipeline(work, 20, true) == (1 + 20 * 30 + 2) * kMs);
  // Where reads take longer than launches, they are what bounds it.
  Work large(40 * kMegabyte);
  CHECK(pipeline(large, 2, true) == (40 + 30 + 2 * 80) * kMs);
}

TEST_CASE("clock a pipeline's times, as early as may be") { check_pipeline("eager"); }
TEST_CASE("clock a pipeline's times are the same as late as may be") { check_pipeline("lazy"); }
TEST_CASE("clock a pipeline's times are the same by chance") { check_pipeline("random"); }

TEST_CASE("clock copies in both directions and compute overlap, and those of one unit do not") {
  use_virtual_clock();
  Work work(10 * kMegabyte);
  const Stream streams[6];
  const Mark start(streams[0]);
  for (const std::size_t first : {std::size_t{0}, std::size_t{3}}) {
    work.write(streams[first]);
    work.read(streams[first + 1]);
    work.compute(streams[first + 2]);
  }
  // All recorded before the first is waited for, which would let time pass.
  const Mark ends[] = {Mark(streams[0]), Mark(streams[1]), Mark(streams[2]),
                       Mark(streams[3]), Mark(streams[4]), Mark(streams[5])};
  const std::int64_t expected[] = {10, 20, 30, 20, 40, 60};
  for (int i = 0; i < 6; ++i) {
    INFO(i);
    CHECK(ends[i].since(start) == expected[i] * kMs);
  }
}

TEST_CASE("clock a unit takes who is ready first, although it was enqueued last") {
  use_virtual_clock();
  Work work(10 * kMegabyte);
  const Stream slow;
  const Stream quick;
  const Mark start(slow);
  work.compute(slow);
  work.read(slow);
  work.read(quick);
  const Mark quick_end(quick);
  const Mark slow_end(slow);
  CHECK(slow_end.since(start) == 50 * kMs);
  CHECK(quick_end.since(start) == 20 * kMs);
  CHECK(start.since(quick_end) == -20 * kMs);
}

TEST_CASE("clock what is enqueued after a wait starts when the wait has ended") {
  use_virtual_clock();
  Work work;
  const Stream first;
  const Stream second;
  const Mark start(first);
  work.compute(first);
  const Mark unseen(second);
  CHECK(unseen.since(start) == 0);
  REQUIRE(first.synchronize() == COLLET_OK);
  const Mark seen(second);
  CHECK(seen.since(start) == 30 * kMs);
}

TEST_CASE("clock costs are those of the kind, the size and the kernel") {
  set("clock", "virtual");
  set("costs",
      "to_device=3MB/s,from_device=500kB/s,memory=1GB/s,latency=7us,launch=30ms,launch:touch=5ms");
  Work work;
  const Stream stream;
  const auto time_of = [&](auto&& enqueue) {
    const Mark start(stream);
    enqueue();
    const Mark end(stream);
    return end.since(start);
  };
  // A byte of 3 MB/s takes 333.3 ns, rounded up.
  CHECK(time_of([&] { work.write(stream, 1); }) == 7000 + 334);
  CHECK(time_of([&] { work.read(stream); }) == 7000 + 2000 * kMs);
  CHECK(time_of([&] { work.fill(stream); }) == kMs);
  CHECK(time_of([&] { work.compute(stream); }) == 30 * kMs);
  CHECK(time_of([&] { work.compute(stream, "touch"); }) == 5 * kMs);
  CHECK(time_of([] {}) == 0);
}

TEST_CASE("clock a blocking copy that times out has taken no time") {
  use_virtual_clock();
  Work work(10 * kMegabyte);
  const Block device(COLLET_MEMORY_DEVICE, kMegabyte);
  std::vector<unsigned char> host(kMegabyte);
  const Stream stream;
  const Mark start(stream);
  Gate gate;
  gate.shut(stream);
  CHECK(plugin().stream->read(stream.handle(), host.data(), device.handle(), 0, kMegabyte, 0, 0) ==
        COLLET_ERROR_TIMEOUT);
  gate.open();
  work.write(stream);
  const Mark end(stream);
  CHECK(end.since(start) == 10 * kMs);
}

TEST_CASE("clock each device has units of its own, and events order them") {
  use_virtual_clock();
  collet_plugin_device_t* other_device = nullptr;
  REQUIRE(plugin().root->device_open(1, &other_device) == COLLET_OK);
  const auto desc = headed<collet_stream_desc_t>(COLLET_STRUCT_STREAM_DESC);
  collet_plugin_stream_t* other = nullptr;
  REQUIRE(plugin().stream->create(other_device, &desc, &other) == COLLET_OK);
  collet_plugin_memory_t* memory = nullptr;
  REQUIRE(plugin().memory->allocate(other_device, COLLET_MEMORY_DEVICE, kMegabyte, 0, &memory) ==
          COLLET_OK);
  std::vector<unsigned char> host(kMegabyte);
  const Stream stream;
  Work work(5 * kMegabyte);
  const Mark start(stream);
  work.write(stream);
  REQUIRE(plugin().stream->write(other, memory, 0, host.data(), kMegabyte, 0, UINT64_MAX) ==
          COLLET_OK);
  // The other device was not held up: the program has waited for 1 ms, of 5.
  const Stream third;
  CHECK(Mark(third).since(start) == 1 * kMs);
  const Mark written(stream);
  CHECK(written.since(start) == 5 * kMs);
  plugin().stream->destroy(other);
  plugin().memory->free(memory);
}

TEST_CASE("clock copies to another device have a unit and a rate of their own") {
  set("clock", "virtual");
  set("costs", "peer=100MB/s,latency=7us,launch=30ms");
  const void* table = nullptr;
  const char* reason = nullptr;
  REQUIRE(plugin().root->device_interface(plugin().device, COLLET_INTERFACE_PEER_V1, &table,
                                          &reason) == COLLET_OK);
  const auto& peer = *static_cast<const collet_plugin_peer_interface_t*>(table);
  collet_plugin_device_t* other_device = nullptr;
  REQUIRE(plugin().root->device_open(1, &other_device) == COLLET_OK);
  REQUIRE(peer.connect(plugin().device, other_device) == COLLET_OK);
  collet_plugin_memory_t* memory = nullptr;
  REQUIRE(plugin().memory->allocate(other_device, COLLET_MEMORY_DEVICE, kMegabyte, 0, &memory) ==
          COLLET_OK);
  const Block device(COLLET_MEMORY_DEVICE, kMegabyte);
  const Stream computing;
  const Stream copying;
  Work work;
  const Mark start(copying);
  work.compute(computing);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(peer.copy(copying.handle(), memory, 0, device.handle(), 0, kMegabyte) == COLLET_OK);
  }
  const Mark copied(copying);
  const Mark computed(computing);
  CHECK(copied.since(start) == 2 * (10 * kMs + 7000));
  CHECK(computed.since(start) == 30 * kMs);
  plugin().memory->free(memory);
}

TEST_CASE("clock copies between device and pinned memory are of the unit for their direction") {
  set("clock", "virtual");
  set("costs", "to_device=100MB/s,from_device=50MB/s,latency=0ns");
  const Block device(COLLET_MEMORY_DEVICE, kMegabyte);
  const Block pinned(COLLET_MEMORY_PINNED, kMegabyte);
  const Stream stream;
  const collet_rect_t rect{0, 0, 1000, 500, 2000, 1000};
  const auto time_of = [&](const Block& dst, const Block& src) {
    const Mark start(stream);
    REQUIRE(plugin().stream->copy_rect(stream.handle(), dst.handle(), src.handle(), &rect) ==
            COLLET_OK);
    const Mark end(stream);
    return end.since(start);
  };
  CHECK(time_of(device, pinned) == 5 * kMs);
  CHECK(time_of(pinned, device) == 10 * kMs);
}

TEST_CASE("clock settings that cannot be parsed show what is wrong, and where") {
  std::uint32_t devices = 0;
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  const auto refused = [&](const char* clock, const char* costs, const std::string& part) {
    set("clock", clock);
    set("costs", costs);
    INFO(costs);
    CHECK(root->device_count(&devices) == COLLET_ERROR_MALFORMED);
    CHECK(last_report().message.find("COLLET_SIM_C") == 0);
    INFO(last_report().message);
    CHECK(last_report().message.find(part) != std::string::npos);
  };
  refused("fast", "launch=1ms", "must be \"real\" or \"virtual\"");
  refused("real", "launch=1ms", "set COLLET_SIM_CLOCK to virtual");
  refused("virtual", "", "at \"\": \"=\" and a value are missing");
  refused("virtual", "launch=1ms,", "at \"\"");
  refused("virtual", "launch", "at \"launch\": \"=\" and a value are missing");
  refused("virtual", "latency=1ms,launch=1", "at \"launch=1\": the value must be a duration");
  refused("virtual", "to_device=1ms", "at \"to_device=1ms\": the value must be a rate");
  refused("virtual", "lunch=1ms", "there are to_device, from_device");
  refused("virtual", "launch:=1ms", "there are to_device, from_device");
  refused("virtual", "\x1b[31m=1ms", "at \".[31m=1ms\"");
}

}  // namespace
}  // namespace collet::test
