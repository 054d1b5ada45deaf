// SPDX-License-Identifier: Apache-2.0
// Random programs of allocations and releases, over several streams, allocators and settings.
//
// After every step the statistics must be those of a model, and at samples the bytes of live
// buffers those that were written. Run once for each setting of COLLET_MEMORY;
// COLLET_HOST_TEST_STEPS says how long.
#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "fixture.hpp"

namespace collet::test {
namespace {

std::uint64_t steps() {
  const char* text = std::getenv("COLLET_HOST_TEST_STEPS");
  return text == nullptr ? 20'000 : std::strtoull(text, nullptr, 10);
}

// What a program has at a time, beside its buffers.
struct Live {
  Buffer buffer;
  std::uint64_t size_bytes;
  unsigned char mark;
};

class Trace {
 public:
  // Statistics join what is free, so that some programs look at them seldom.
  Trace(collet_device_t* device, std::uint32_t seed, std::uint64_t limit_bytes,
        std::uint64_t steps_per_check)
      : device_(device), random_(seed), steps_per_check_(steps_per_check) {
    auto desc = out_struct<collet_allocator_desc_t>(COLLET_STRUCT_ALLOCATOR_DESC);
    desc.limit_bytes = limit_bytes;
    allocator_ = make_allocator(device, &desc);
    limit_bytes_ = limit_bytes;
    for (Stream& stream : streams_) {
      stream = make_stream(device, COLLET_STREAM_BACKGROUND);
    }
  }

  void step() {
    const std::uint32_t action = below(100);
    if (action < 52 && live_.size() < kMostLive) {
      allocate_one();
    } else if (action < 97) {
      release_one();
    } else if (action < 98) {
      // A stream ends with memory, and another one begins.
      streams_[below(kStreams)] = make_stream(device_, COLLET_STREAM_BACKGROUND);
    } else {
      trim(0);
    }
    if (++step_ % steps_per_check_ == 0) {
      check();
    }
  }

  // All buffers at once, and all memory back.
  void end() {
    while (!live_.empty()) {
      release_one();
      check();
    }
    for (const Stream& stream : streams_) {
      synchronize(stream);
    }
    trim(COLLET_TIMEOUT_INFINITE);
    const auto now = statistics_of(allocator_);
    REQUIRE(now.active_bytes.current == 0);
    REQUIRE(now.reserved_bytes.current == 0);
    REQUIRE(now.segments.current == 0);
    REQUIRE(now.buffers.total == allocated_);
    REQUIRE(now.out_of_memory == refused_);
  }

  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::uint32_t kStreams = 3;
  static constexpr std::size_t kMostLive = 120;

  std::uint32_t below(std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_);
  }

  // Few sizes often, all magnitudes sometimes.
  std::uint64_t size() {
    static constexpr std::array<std::uint64_t, 6> kOften = {0, 64, 4096, 4097, 65536, 1 << 20};
    if (below(3) != 0) {
      return kOften.at(below(kOften.size()));
    }
    return below(1U << below(below(60) == 0 ? 27 : 23));
  }

  void allocate_one() {
    auto desc = alloc_desc(size());
    desc.allocator = allocator_.get();
    desc.alignment_bytes = below(20) == 0 ? std::uint64_t{64} << below(7) : 0;
    desc.tag = below(2) == 0 ? "trace" : nullptr;
    const Stream& on = streams_[below(kStreams)];
    collet_buffer_t* made = nullptr;
    const auto status = collet_buffer_alloc(on.get(), &desc, &made);
    if (status == COLLET_ERROR_OUT_OF_DEVICE_MEMORY) {
      ++refused_;
      return;
    }
    REQUIRE(status == COLLET_OK);
    ++allocated_;
    const auto mark = static_cast<unsigned char>(below(256));
    live_.push_back({Buffer(made), desc.size_bytes, mark});
    requested_ += desc.size_bytes;
    peak_ = std::max(peak_, requested_);
    if (below(8) == 0 && desc.size_bytes <= 1 << 20) {
      REQUIRE(collet_stream_fill(on.get(), made, 0, desc.size_bytes, &mark, 1) == COLLET_OK);
      marked_on_ = &on;
      marked_ = live_.size();
    }
    // Another stream uses it too, now and then.
    if (below(4) == 0) {
      const Stream& other = streams_[below(kStreams)];
      const unsigned char zero = 0;
      REQUIRE(collet_buffer_use_on(made, other.get()) == COLLET_OK);
      if (other != on && desc.size_bytes != 0 && marked_ != live_.size()) {
        REQUIRE(collet_stream_fill(other.get(), made, 0, 1, &zero, 1) == COLLET_OK);
      }
    }
    check_bytes();
  }

  // Of the buffer that was filled just now: another live one must not have shared its bytes.
  void check_bytes() {
    if (marked_ == 0) {
      return;
    }
    const Live& filled = live_[marked_ - 1];
    marked_ = 0;
    const Bytes bytes = read(*marked_on_, filled.buffer, filled.size_bytes);
    REQUIRE(std::all_of(bytes.begin(), bytes.end(),
                        [&](unsigned char byte) { return byte == filled.mark; }));
  }

  void release_one() {
    if (live_.empty()) {
      return;
    }
    std::swap(live_[below(static_cast<std::uint32_t>(live_.size()))], live_.back());
    requested_ -= live_.back().size_bytes;
    live_.pop_back();
  }

  void trim(std::uint64_t timeout_ns) {
    REQUIRE(collet_allocator_trim(allocator_.get(), timeout_ns, nullptr) == COLLET_OK);
  }

  // Plain compares: a macro for each would take most of the time.
  void check() const {
    const auto now = statistics_of(allocator_);
    const bool is_sound =
        now.requested_bytes.current == requested_ && now.requested_bytes.peak == peak_ &&
        now.buffers.current == live_.size() &&
        now.requested_bytes.current <= now.allocated_bytes.current &&
        now.allocated_bytes.current <= now.active_bytes.current &&
        now.active_bytes.current <= now.reserved_bytes.current &&
        now.split_bytes <= now.reserved_bytes.current - now.active_bytes.current &&
        now.largest_free_bytes <= now.reserved_bytes.current - now.active_bytes.current &&
        now.allocated_bytes.peak <= now.active_bytes.peak &&
        now.active_bytes.peak <= now.reserved_bytes.peak &&
        (limit_bytes_ == 0 || now.reserved_bytes.peak <= limit_bytes_);
    if (!is_sound) {
      CAPTURE(requested_, peak_, live_.size(), now.requested_bytes.current,
              now.requested_bytes.peak, now.allocated_bytes.current, now.active_bytes.current,
              now.reserved_bytes.current, now.split_bytes, now.largest_free_bytes,
              now.buffers.current);
      FAIL("the statistics are not those of the program");
    }
  }

  collet_device_t* device_;
  std::mt19937 random_;
  const std::uint64_t steps_per_check_;
  std::uint64_t step_ = 0;
  Allocator allocator_;
  std::uint64_t limit_bytes_ = 0;
  std::array<Stream, kStreams> streams_;
  std::vector<Live> live_;
  const Stream* marked_on_ = nullptr;
  std::size_t marked_ = 0;
  std::uint64_t requested_ = 0;
  std::uint64_t peak_ = 0;
  std::uint64_t allocated_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace

TEST_CASE("HOST-MEM-6 random programs: every figure is exact after every step") {
  Trace trace(tested_device(), 1, 0, 1);
  for (std::uint64_t i = 0; i < steps(); ++i) {
    trace.step();
  }
  CHECK(trace.refused() == 0);
  trace.end();
}

TEST_CASE("HOST-MEM-7 random programs below a limit: refusals change nothing") {
  Trace trace(tested_device(), 2, std::uint64_t{12} << 20, 1);
  for (std::uint64_t i = 0; i < steps(); ++i) {
    trace.step();
  }
  CHECK(trace.refused() > 0);
  trace.end();
}

TEST_CASE("HOST-MEM-6 random programs that are looked at seldom: every figure is exact") {
  Trace trace(tested_device(), 3, 0, 101);
  for (std::uint64_t i = 0; i < steps(); ++i) {
    trace.step();
  }
  trace.end();
}

TEST_CASE("HOST-MEM-6 random programs of several threads leave every figure exact") {
  constexpr std::uint32_t kThreads = 4;
  const Allocator allocator = make_allocator(tested_device());
  const Stream shared = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::atomic<int> failures{0};
  collet_device_t* device = tested_device();
  // Assertions are the main thread's.
  const auto new_stream = [&] {
    const auto desc = stream_desc(COLLET_STREAM_BACKGROUND);
    collet_stream_t* made = nullptr;
    failures += collet_stream_create(device, &desc, &made) == COLLET_OK ? 0 : 1;
    return Stream(made);
  };
  for (std::uint32_t seed = 0; seed < kThreads; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      Stream own = new_stream();
      std::vector<Buffer> live;
      for (std::uint64_t i = 0; i < steps() / kThreads; ++i) {
        auto desc = alloc_desc(random() % (1U << random() % 21));
        desc.allocator = random() % 4 == 0 ? nullptr : allocator.get();
        collet_buffer_t* made = nullptr;
        const Stream& on = random() % 3 == 0 ? shared : own;
        failures += collet_buffer_alloc(on.get(), &desc, &made) == COLLET_OK ? 0 : 1;
        failures += collet_buffer_use_on(made, shared.get()) == COLLET_OK ? 0 : 1;
        live.emplace_back(made);
        std::swap(live[random() % live.size()], live.back());
        if (live.size() > 20) {
          live.pop_back();
        }
        if (random() % 500 == 0) {
          own = new_stream();
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(failures == 0);
  synchronize(shared);
  REQUIRE(collet_allocator_trim(allocator.get(), COLLET_TIMEOUT_INFINITE, nullptr) == COLLET_OK);
  const auto now = statistics_of(allocator);
  CHECK(now.requested_bytes.current == 0);
  CHECK(now.buffers.current == 0);
  CHECK(now.active_bytes.current == 0);
  CHECK(now.reserved_bytes.current == 0);
}

}  // namespace collet::test
