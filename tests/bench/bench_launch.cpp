// SPDX-License-Identifier: Apache-2.0
//
// What it costs to launch a kernel, without the kernel's work.
#include "areas.hpp"
#include "plain_call.hpp"
#include "process.hpp"
#include "subject.hpp"

namespace collet::bench {
namespace {

// Launches the empty kernel with one group of one item.
class EmptyLaunch {
 public:
  explicit EmptyLaunch(const StreamOptions& options)
      : stream_(open_device("cpu"), options),
        kernel_(
            stream_.device().load(beside_program("../lib/bench/empty_kernel.so")).kernel("empty")) {
    launch_.grid[0] = launch_.grid[1] = launch_.grid[2] = 1;
    launch_.group[0] = launch_.group[1] = launch_.group[2] = 1;
  }

  [[nodiscard]] collet_status_t operator()() const {
    return collet_stream_launch(stream_.get(), kernel_.get(), &launch_);
  }
  // Launches that are waited for together, and one by one.
  [[nodiscard]] Batch together() const {
    return commands(stream_, [this] { return (*this)(); });
  }
  [[nodiscard]] Batch one_by_one() const {
    return repeat([this] {
      check((*this)());
      stream_.synchronize();
    });
  }

 private:
  Stream stream_;
  Kernel kernel_;
  collet_launch_t launch_{};
};

Figures host_so() {
  const EmptyLaunch launch({});
  return in_nanoseconds(take_turns(launch.together(), plain_call()));
}

Figures background() {
  const EmptyLaunch launch({.background = true});
  return in_nanoseconds(take_turns(launch.together(), plain_call()));
}

Figures background_wait() {
  const EmptyLaunch launch({.background = true});
  return in_nanoseconds(take_turns(launch.one_by_one(), plain_call()));
}

Figures background_wait_1ms() {
  constexpr std::chrono::milliseconds kPause{1};
  const EmptyLaunch launch({.background = true});
  return in_nanoseconds(take_turns_after(kPause, launch.one_by_one(), plain_call()));
}

}  // namespace

std::vector<Row> launch_rows() {
  return {{"launch/host_so/-/cpu", "ns", "a function call", host_so},
          {"launch/background/-/cpu", "ns", "a function call", background},
          {"launch/background_wait/-/cpu", "ns", "a function call", background_wait},
          {"launch/background_wait_1ms/-/cpu", "ns", "a function call", background_wait_1ms}};
}

}  // namespace collet::bench
