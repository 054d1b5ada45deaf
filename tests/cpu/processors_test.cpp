// SPDX-License-Identifier: Apache-2.0
#include "processors.hpp"

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#include "support/catch.hpp"

namespace collet::cpu {
namespace {

cpu_set_t processors_of(pthread_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(pthread_getaffinity_np(thread, sizeof(set), &set) == 0);
  return set;
}

cpu_set_t only(std::size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

std::size_t first_of(const cpu_set_t& set) {
  std::size_t processor = 0;
  while (!CPU_ISSET(processor, &set)) ++processor;
  return processor;
}

/** A thread that others may look at. */
class Idle {
 public:
  ~Idle() {
    ends_ = true;
    ends_.notify_all();
    thread_.join();
  }
  Idle() = default;
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  pthread_t handle() { return thread_.native_handle(); }

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_{[this] { ends_.wait(false); }};
};

/** Restores where the calling thread may run. */
class AffinityKept {
 public:
  AffinityKept() = default;
  ~AffinityKept() { pthread_setaffinity_np(pthread_self(), sizeof(before), &before); }
  AffinityKept(const AffinityKept&) = delete;
  AffinityKept& operator=(const AffinityKept&) = delete;
  const cpu_set_t before = processors_of(pthread_self());
};

TEST_CASE("processors: as many are usable as the calling thread may run on") {
  const AffinityKept kept;
  CHECK(usable_processors() == static_cast<unsigned>(CPU_COUNT(&kept.before)));
  const cpu_set_t one = only(first_of(kept.before));
  REQUIRE(pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0);
  CHECK(usable_processors() == 1);
}

TEST_CASE("processors: threads are kept off the caller's, and on one that it may use") {
  const AffinityKept kept;
  Idle idle;
  const std::array<pthread_t, 1> threads = {idle.handle()};
  CallersProcessor callers;
  callers.keep_off(threads);

  const cpu_set_t left = processors_of(threads[0]);
  cpu_set_t expected;
  CPU_AND(&expected, &left, &kept.before);
  CHECK(CPU_EQUAL(&left, &expected));
  const int missing = CPU_COUNT(&kept.before) == 1 ? 0 : 1;
  CHECK(CPU_COUNT(&left) == CPU_COUNT(&kept.before) - missing);
}

TEST_CASE("processors: a caller that may run on one only leaves threads where they are") {
  const AffinityKept kept;
  Idle idle;
  const cpu_set_t one = only(first_of(kept.before));
  REQUIRE(pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0);
  const std::array<pthread_t, 1> threads = {idle.handle()};
  CallersProcessor callers;
  callers.keep_off(threads);
  const cpu_set_t left = processors_of(threads[0]);
  CHECK(CPU_EQUAL(&left, &kept.before));
}

}  // namespace
}  // namespace collet::cpu
