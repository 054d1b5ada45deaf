// SPDX-License-Identifier: Apache-2.0
// The history of memory, of any device.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "gate.hpp"

namespace collet::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kAllocator = "history";

// A file that ends with the case.
class TemporaryFile {
 public:
  TemporaryFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/collet-history-" +
            std::to_string(getpid());
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const char* path() const { return path_.c_str(); }
  [[nodiscard]] std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

struct Record {
  std::string kind;
  std::uint64_t segment;
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
  std::uint64_t requested_bytes;
  std::string stream;
  std::string tag;
  std::size_t stack_depth;
};

// What the file says of one allocator.
struct Saved {
  Json head;
  std::vector<Record> records;

  [[nodiscard]] std::vector<std::string> kinds() const {
    std::vector<std::string> result;
    for (const Record& record : records) {
      result.push_back(record.kind);
    }
    return result;
  }
};

Saved saved_history(const std::string& allocator = kAllocator) {
  const TemporaryFile file;
  REQUIRE(COLLET_CALL(collet_memory_history_save, file.path()) == COLLET_OK);
  std::ifstream lines(file.path());
  std::string line;
  std::getline(lines, line);
  Saved result{Json::parse(line), {}};
  std::map<std::uint32_t, std::string> streams;
  for (const Json& stream : result.head["streams"]) {
    streams[stream["number"]] = stream["label"];
  }
  std::int64_t last_ns = 0;
  while (std::getline(lines, line)) {
    const Json event = Json::parse(line);
    REQUIRE(event.size() == 10);
    CHECK(event[1] >= last_ns);
    last_ns = event[1];
    const std::size_t tag = event[8];
    const std::size_t stack = event[9];
    if (result.head["pools"][event[2].get<std::size_t>()]["allocator"] == allocator) {
      result.records.push_back({event[0], event[3], event[4], event[5], event[6], streams[event[7]],
                                tag == 0 ? "" : result.head["tags"][tag - 1].get<std::string>(),
                                stack == 0 ? 0 : result.head["stacks"][stack - 1].size()});
    }
  }
  return result;
}

// Turns the history off with the case.
struct Recording {
  explicit Recording(std::uint32_t flags = 0, std::uint64_t capacity_events = 0) {
    auto desc = out_struct<collet_memory_history_desc_t>(COLLET_STRUCT_MEMORY_HISTORY_DESC);
    desc.flags = flags;
    desc.capacity_events = capacity_events;
    REQUIRE(COLLET_CALL(collet_memory_history_start, &desc) == COLLET_OK);
  }
  ~Recording() { collet_memory_history_stop(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

Allocator make_named_allocator() {
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.name = kAllocator;
  return make_allocator(tested_device(), &desc);
}

Buffer allocate_from(const Allocator& allocator, const Stream& stream, std::uint64_t size_bytes,
                     const char* tag = nullptr) {
  auto desc = alloc_desc(size_bytes);
  desc.allocator = allocator.get();
  desc.tag = tag;
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_OK);
  return Buffer(made);
}

Stream make_labelled_stream(const char* label) {
  auto desc = stream_desc(COLLET_STREAM_BACKGROUND);
  desc.label = label;
  collet_stream_t* made = nullptr;
  REQUIRE(collet_stream_create(tested_device(), &desc, &made) == COLLET_OK);
  return Stream(made);
}

}  // namespace

TEST_CASE("HOST-MEM-13 the history has an allocation, its release and its end, with all about it",
          "[pooling]") {
  const Recording recording(COLLET_MEMORY_HISTORY_STACKS);
  const Stream stream = make_labelled_stream("compute");
  const Allocator allocator = make_named_allocator();
  allocate_from(allocator, stream, 1000, "scores").reset();
  const Saved saved = saved_history();
  REQUIRE(saved.kinds() ==
          std::vector<std::string>{"segment_alloc", "alloc", "free_requested", "free_completed"});
  const Record& alloc = saved.records[1];
  CHECK(alloc.requested_bytes == 1000);
  CHECK(alloc.size_bytes >= 1000);
  CHECK(alloc.tag == "scores");
  CHECK(alloc.stream == "compute");
  CHECK(alloc.stack_depth > 1);
  CHECK(saved.records[0].size_bytes >= alloc.offset_bytes + alloc.size_bytes);
  for (const std::size_t later : {2U, 3U}) {
    CHECK(saved.records[later].segment == alloc.segment);
    CHECK(saved.records[later].offset_bytes == alloc.offset_bytes);
    CHECK(saved.records[later].size_bytes == alloc.size_bytes);
  }
}

TEST_CASE("HOST-MEM-13 memory that is served again is in the history each time", "[pooling]") {
  const Recording recording;
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_named_allocator();
  // Never a new peak, so that nothing but what was kept is needed.
  for (const std::uint64_t size_bytes : {66U, 65U, 64U}) {
    allocate_from(allocator, stream, size_bytes).reset();
  }
  const Saved saved = saved_history();
  REQUIRE(saved.records.size() == 10);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(saved.records[1 + 3 * i].kind == "alloc");
    CHECK(saved.records[1 + 3 * i].requested_bytes == 66 - i);
    CHECK(saved.records[1 + 3 * i].stack_depth == 0);
    CHECK(saved.records[2 + 3 * i].kind == "free_requested");
    CHECK(saved.records[3 + 3 * i].kind == "free_completed");
  }
}

TEST_CASE("HOST-MEM-13 memory that another stream uses is free when that has passed") {
  const Recording recording;
  const Stream stream = make_stream(tested_device());
  const Stream other = make_labelled_stream("other");
  const Allocator allocator = make_named_allocator();
  Gate gate(other);
  Buffer buffer = allocate_from(allocator, stream, 1000);
  REQUIRE(collet_buffer_use_on(buffer.get(), other.get()) == COLLET_OK);
  buffer.reset();
  CHECK(saved_history().kinds() ==
        std::vector<std::string>{"segment_alloc", "alloc", "free_requested"});
  gate.open();
  synchronize(other);
  std::uint64_t trimmed_bytes = 0;
  REQUIRE(collet_allocator_trim(allocator.get(), COLLET_TIMEOUT_INFINITE, &trimmed_bytes) ==
          COLLET_OK);
  CHECK(saved_history().kinds() == std::vector<std::string>{"segment_alloc", "alloc",
                                                            "free_requested", "free_completed",
                                                            "segment_free"});
}

TEST_CASE("HOST-MEM-13 the history has buffers of the device's own pool too", "[pooling]") {
  const Recording recording;
  const Stream stream = make_stream(tested_device());
  auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
  desc.name = kAllocator;
  desc.flags = COLLET_ALLOCATOR_NATIVE;
  collet_allocator_t* made = nullptr;
  if (collet_allocator_create(tested_device(), &desc, &made) != COLLET_OK) {
    skip("the device has no pool of its own");
  }
  const Allocator allocator(made);
  allocate_from(allocator, stream, 1000, "native").reset();
  const Saved saved = saved_history();
  CHECK(saved.kinds() == std::vector<std::string>{"segment_alloc", "alloc", "free_requested",
                                                  "free_completed", "segment_free"});
  CHECK(saved.records[1].tag == "native");
}

TEST_CASE("HOST-MEM-13 an allocation that fails is in the history") {
  const Recording recording;
  const Stream stream = make_labelled_stream("greedy");
  const Allocator allocator = make_named_allocator();
  REQUIRE(collet_allocator_set_limit(allocator.get(), COLLET_MEMORY_DEVICE, 4096) == COLLET_OK);
  auto desc = alloc_desc(100'000);
  desc.allocator = allocator.get();
  desc.tag = "too much";
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_buffer_alloc(stream.get(), &desc, &made) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  const Saved saved = saved_history();
  REQUIRE(saved.kinds() == std::vector<std::string>{"oom"});
  CHECK(saved.records[0].requested_bytes == 100'000);
  CHECK(saved.records[0].stream == "greedy");
  CHECK(saved.records[0].tag == "too much");
}

TEST_CASE("HOST-MEM-13 what lives when the history starts is in it, and what it stops for is not",
          "[pooling]") {
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_named_allocator();
  Buffer early = allocate_from(allocator, stream, 5000, "early");
  const Recording recording;
  Saved saved = saved_history();
  REQUIRE(saved.kinds() == std::vector<std::string>{"segment_alloc", "alloc"});
  CHECK(saved.records[1].tag == "early");
  CHECK(saved.records[1].size_bytes >= 5000);
  early.reset();
  REQUIRE(COLLET_CALL(collet_memory_history_stop) == COLLET_OK);
  const Buffer late = allocate_from(allocator, stream, 5000, "late");
  saved = saved_history();
  CHECK(saved.kinds() ==
        std::vector<std::string>{"segment_alloc", "alloc", "free_requested", "free_completed"});
  // Begins anew.
  REQUIRE(COLLET_CALL(collet_memory_history_start, nullptr) == COLLET_OK);
  saved = saved_history();
  REQUIRE(saved.kinds() == std::vector<std::string>{"segment_alloc", "alloc"});
  CHECK(saved.records[1].tag == "late");
}

TEST_CASE("HOST-MEM-13 each buffer's events are in their order, whatever threads do meanwhile") {
  const Allocator allocator = make_named_allocator();
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> steps{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, stream = make_stream(tested_device())] {
      auto desc = alloc_desc(0);
      desc.allocator = allocator.get();
      for (std::uint64_t step = 0; !is_over; ++step) {
        collet_buffer_t* buffers[4] = {};
        for (std::uint64_t k = 0; k < 4; ++k) {
          desc.size_bytes = 100 + 700 * ((step + k) % 5);
          static_cast<void>(collet_buffer_alloc(stream.get(), &desc, &buffers[k]));
        }
        for (collet_buffer_t* buffer : buffers) {
          collet_buffer_release(buffer);
        }
        ++steps;
        steps.notify_all();
      }
    });
  }
  for (int run = 0; run < 20; ++run) {
    const Recording recording(0, run % 2 == 0 ? 0 : 500);
    const std::uint64_t enough = steps + 100;
    for (std::uint64_t now = steps; now < enough; now = steps) {
      steps.wait(now);
    }
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> last;
    const Saved saved = saved_history();
    REQUIRE_FALSE(saved.records.empty());
    for (const Record& record : saved.records) {
      std::string& before = last[{record.segment, record.offset_bytes}];
      if (record.kind == "alloc") {
        REQUIRE((before.empty() || before == "free_completed"));
      } else if (record.kind == "free_requested") {
        REQUIRE(before == "alloc");
      } else if (record.kind == "free_completed") {
        REQUIRE(before == "free_requested");
      }
      before = record.kind == "segment_alloc" ? "" : record.kind;
    }
  }
  is_over = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_CASE("HOST-MEM-14 a full history forgets the oldest events, and knows what they left",
          "[pooling]") {
  const Recording recording(0, 4);
  const Stream stream = make_stream(tested_device());
  const Allocator allocator = make_named_allocator();
  const Buffer first = allocate_from(allocator, stream, 1000, "first");
  const Buffer second = allocate_from(allocator, stream, 2000, "second");
  for (int i = 0; i < 5; ++i) {
    allocate_from(allocator, stream, 3000, "passing").reset();
  }
  const Saved saved = saved_history();
  CHECK(saved.head["forgotten_events"] == 14);
  // Of the last buffer but one the memory was not free yet at the first event that is kept.
  CHECK(saved.head["baseline_events"] == 5);
  REQUIRE(saved.kinds() == std::vector<std::string>{"segment_alloc", "alloc", "alloc", "alloc",
                                                    "free_requested", "free_completed", "alloc",
                                                    "free_requested", "free_completed"});
  CHECK(saved.records[1].tag == "first");
  CHECK(saved.records[2].tag == "second");
}

TEST_CASE("HOST-MEM-15 a history that cannot be saved says why, and leaves the file") {
  CHECK(COLLET_CALL(collet_memory_history_save, "/nowhere/at/all") == COLLET_ERROR_IO);
  CHECK(message_has("/nowhere/at/all"));
  CHECK(message_has("No such file or directory"));
  // A folder cannot be replaced by a file.
  CHECK(COLLET_CALL(collet_memory_history_save, "/tmp") == COLLET_ERROR_IO);
  const TemporaryFile file;
  std::ofstream(file.path()) << "kept";
  // Stands where the new file would be made.
  const std::string obstacle = std::string(file.path()) + "." + std::to_string(getpid()) + ".part";
  REQUIRE(mkdir(obstacle.c_str(), 0700) == 0);
  CHECK(COLLET_CALL(collet_memory_history_save, file.path()) == COLLET_ERROR_IO);
  REQUIRE(rmdir(obstacle.c_str()) == 0);
  CHECK(file.text() == "kept");
  CHECK(COLLET_CALL(collet_memory_history_save, file.path()) == COLLET_OK);
  CHECK(file.text().find("collet memory history") != std::string::npos);
  CHECK(COLLET_CALL(collet_memory_history_save, nullptr) == COLLET_ERROR_INVALID_ARGUMENT);
}

}  // namespace collet::test
