// SPDX-License-Identifier: Apache-2.0
// What COLLET_SIM_SCHEDULE says. Options are read once per process, and so is each case run.
#include <array>
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

/** Sets an option before anything is asked of the plugin. */
void set(const char* option, const char* value) { host_options()[option] = value; }

void set_lazy(const char* patience = "1s") {
  set("schedule", "lazy");
  set("patience", patience);
}

void count(void* counter, collet_status_t) {
  auto& calls = *static_cast<std::atomic<int>*>(counter);
  ++calls;
  calls.notify_all();
}

/** A byte of pinned memory, which a host function could also have changed. */
class Pinned {
 public:
  Pinned() {
    REQUIRE(plugin().memory->allocate(plugin().device, COLLET_MEMORY_PINNED, 1, 0, &handle_) ==
            COLLET_OK);
    void* data = nullptr;
    REQUIRE(plugin().memory->host_pointer(handle_, &data) == COLLET_OK);
    data_ = static_cast<unsigned char*>(data);
    *data_ = 0;
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { plugin().memory->free(handle_); }

  void fill(const Stream& stream, unsigned char value) const {
    REQUIRE(plugin().stream->fill(stream.handle(), handle_, 0, 1, &value, 1) == COLLET_OK);
  }
  [[nodiscard]] int value() const { return *data_; }

 private:
  collet_plugin_memory_t* handle_ = nullptr;
  unsigned char* data_ = nullptr;
};

TEST_CASE("schedule a lazy stream runs nothing before something waits for it") {
  set_lazy("3600s");
  const Stream lazy;
  const Stream other;
  const Pinned left;
  const Pinned right;
  left.fill(lazy, 1);
  right.fill(other, 2);
  // The engine has had its chance.
  REQUIRE(other.synchronize() == COLLET_OK);
  CHECK(left.value() == 0);
  CHECK(right.value() == 2);
  REQUIRE(lazy.synchronize() == COLLET_OK);
  CHECK(left.value() == 1);
}

TEST_CASE("schedule a lazy stream runs as far as what is waited for, and no further") {
  set_lazy("3600s");
  const Stream producer;
  const Stream consumer;
  const Event event;
  const Pinned first;
  const Pinned second;
  first.fill(producer, 1);
  REQUIRE(event.record(producer) == COLLET_OK);
  second.fill(producer, 1);
  REQUIRE(event.hold(consumer) == COLLET_OK);
  CHECK(first.value() == 0);
  // Through the other stream.
  REQUIRE(consumer.synchronize() == COLLET_OK);
  CHECK(first.value() == 1);
  CHECK(second.value() == 0);
  REQUIRE(producer.synchronize() == COLLET_OK);
}

TEST_CASE("schedule each way to wait makes a lazy stream run") {
  set_lazy("3600s");
  const Stream stream;
  const Memory memory(1);
  std::atomic<int> calls{0};
  int expected = 0;
  const auto enqueue = [&] {
    REQUIRE(stream.call(count, &calls) == COLLET_OK);
    ++expected;
  };
  enqueue();
  while (stream.query() == COLLET_NOT_READY) {
  }
  CHECK(calls == expected);

  const Event event(COLLET_EVENT_TIMING);
  enqueue();
  REQUIRE(event.record(stream) == COLLET_OK);
  REQUIRE(event.synchronize() == COLLET_OK);
  CHECK(calls == expected);
  enqueue();
  REQUIRE(event.record(stream) == COLLET_OK);
  while (event.query() == COLLET_NOT_READY) {
  }
  CHECK(calls == expected);
  enqueue();
  REQUIRE(event.record(stream) == COLLET_OK);
  std::int64_t duration = 0;
  while (plugin().event->elapsed(event.handle(), event.handle(), &duration) == COLLET_NOT_READY) {
  }
  CHECK(calls == expected);

  enqueue();
  unsigned char byte = 0;
  REQUIRE(plugin().stream->read(stream.handle(), &byte, memory.handle(), Memory::begin(), 1, 0,
                                UINT64_MAX) == COLLET_OK);
  CHECK(calls == expected);
  // Even one that has no time left.
  enqueue();
  while (stream.synchronize(0) == COLLET_ERROR_TIMEOUT) {
  }
  CHECK(calls == expected);
}

TEST_CASE("schedule the first look at a lazy stream finds its work undone") {
  set_lazy("3600s");
  const Stream stream;
  const Event event;
  const Pinned byte;
  byte.fill(stream, 1);
  REQUIRE(event.record(stream) == COLLET_OK);
  CHECK(event.query() == COLLET_NOT_READY);
  REQUIRE(event.synchronize() == COLLET_OK);
  byte.fill(stream, 2);
  CHECK(stream.query() == COLLET_NOT_READY);
  REQUIRE(stream.synchronize() == COLLET_OK);
}

TEST_CASE("schedule a lazy stream that a program waits for by its own means runs in the end") {
  set_lazy("1ms");
  Stream stream;
  const Stream held;
  Event event;
  std::atomic<int> calls{0};
  REQUIRE(stream.call(count, &calls) == COLLET_OK);
  REQUIRE(event.record(stream) == COLLET_OK);
  REQUIRE(event.hold(held) == COLLET_OK);
  REQUIRE(held.call(count, &calls) == COLLET_OK);
  // Nobody can ask for these any more.
  stream.destroy();
  event.destroy();
  calls.wait(0);
  calls.wait(1);
  CHECK(calls == 2);
}

/** Who of some streams that may go on at one moment is the last to do so, each time. */
std::set<int> last_of_eight() {
  std::set<int> last;
  const Pinned byte;
  for (int round = 0; round < 32; ++round) {
    const std::vector<Stream> streams(8);
    const Stream first;
    const Event event;
    Gate gate;
    gate.shut(first);
    REQUIRE(event.record(first) == COLLET_OK);
    for (std::size_t i = 0; i < streams.size(); ++i) {
      REQUIRE(event.hold(streams[i]) == COLLET_OK);
      byte.fill(streams[i], static_cast<unsigned char>(i));
    }
    gate.open();
    for (const Stream& stream : streams) REQUIRE(stream.synchronize() == COLLET_OK);
    last.insert(byte.value());
  }
  return last;
}

TEST_CASE("schedule by chance, any of the streams may be the last") {
  set("schedule", "random");
  set("seed", "7");
  CHECK(last_of_eight().size() > 1);
}

TEST_CASE("schedule options that cannot be parsed name their variable, and what they may be") {
  std::uint32_t devices = 0;
  const collet_plugin_t* root = nullptr;
  REQUIRE(plugin_query()(host_services(), &root) == COLLET_OK);
  const auto refused = [&](const char* option, const char* value, const char* part) {
    set(option, value);
    INFO(option << "=" << value);
    CHECK(root->device_count(&devices) == COLLET_ERROR_MALFORMED);
    CHECK(last_report().message.find(part) != std::string::npos);
    host_options().erase(option);
  };
  refused("schedule", "", "COLLET_SIM_SCHEDULE is \"\"");
  refused("schedule", "late", "must be \"eager\", \"lazy\" or \"random\"");
  refused("seed", "-1", "COLLET_SIM_SEED is \"-1\"");
  refused("patience", "5", "COLLET_SIM_PATIENCE is \"5\", but must be a duration such as");
}

}  // namespace
}  // namespace collet::test
