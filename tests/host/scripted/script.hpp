// SPDX-License-Identifier: Apache-2.0
// What a scripted back end does, and what it was asked to do.
//
// A library of its own, which the plugins and the test program share: so a case tells a plugin how
// to behave, and reads what the loader has called, without a word of Collet's in between.
#pragma once

#include <collet/ops.h>
#include <collet/plugin/memory.h>
#include <collet/program.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace collet::test {

// An error that a plugin's function reports and returns.
struct Failure {
  collet_status_t status = COLLET_ERROR_INTERNAL;
  std::int64_t native_code = 0;
  const char* native_name = nullptr;
  // nullptr: the function returns the status without a report.
  const char* message = nullptr;
};

// Progress of a stream. Commands take effect when they are enqueued; those of a held stream do not
// count as complete before somebody finishes them.
struct StreamProgress {
  bool held = false;
  std::uint64_t enqueued = 0;
  std::uint64_t complete = 0;
  collet_status_t failure = COLLET_OK;
  // Host functions that wait, in order.
  std::vector<std::function<void()>> waiting;
};

// Memory that was freed in the order of a stream, and how far that must be.
struct PooledBytes {
  std::string stream;
  std::uint64_t target = 0;
  std::uint64_t size_bytes = 0;
};

class [[gnu::visibility("default")]] Script {
 public:
  // The script of the back end of that name.
  static Script& of(const std::string& backend);

  // Forgets all that was said and done; names of objects begin at 1 again.
  void reset();

  // The calls so far, e.g. "memory.free m1". Objects are called by kind and number: m memory,
  // s stream, e event, p program, k kernel, o plan.
  std::vector<std::string> calls();

  // Number of calls that begin so, up to the end or a space.
  std::size_t count(const std::string& call);

  // Runs `hook` in each call of a function, e.g. "memory.free", after noting it.
  void on(const std::string& function, std::function<void()> hook);

  // Makes the next `times` calls of a function fail.
  void fail(const std::string& function, const Failure& failure, unsigned times = 1);

  // Makes one call fail, counted from now on over all functions, the next one being 1.
  void fail_call(std::size_t number, const Failure& failure);

  // Streams that are created from now on are held.
  void hold_new_streams();

  // Finishes the commands of a stream, also all later ones if it is let go, or just the next one.
  void finish(const std::string& stream);
  void let_go(const std::string& stream);
  void finish_one(const std::string& stream);
  void finish_all();

  // Makes a stream fail.
  void poison(const std::string& stream, collet_status_t failure);

  // Bytes of memory there are; changed by allocations.
  std::uint64_t free_bytes = 0;
  // What the pool has of them that is freed.
  std::vector<PooledBytes> pooled;
  // The last byte of each copy to another device is wrong.
  bool is_peer_broken = false;
  // Answers of the program and ops tables.
  collet_kernel_info_t kernel{};
  collet_op_support_t support{};
  // What the last calls were given.
  std::vector<std::uint64_t> last_arguments;
  std::vector<std::uint64_t> last_sizes;
  std::uint32_t last_flags = 0;
  std::int32_t last_priority = 0;
  std::string last_memory;

  // ---- for the plugin ----

  // True while the thread is inside a function of a scripted plugin.
  static bool inside_plugin() noexcept;

  // Says so for a scope.
  class [[gnu::visibility("default")]] PluginScope {
   public:
    PluginScope() noexcept;
    ~PluginScope();
    PluginScope(const PluginScope&) = delete;
    PluginScope& operator=(const PluginScope&) = delete;
  };

  // Notes a call and runs its hook; then says how it fails, if it does.
  Failure enter(const std::string& function, const std::string& detail);
  std::string name(char kind);
  StreamProgress& stream(const std::string& name);
  std::mutex& mutex() { return mutex_; }
  std::condition_variable& progress() { return progress_; }

 private:
  void run_waiting(const std::string& stream, bool release);

  std::mutex mutex_;
  std::condition_variable progress_;
  std::vector<std::string> calls_;
  std::map<std::string, std::function<void()>> hooks_;
  std::map<std::string, std::pair<Failure, unsigned>> failures_;
  std::map<std::string, StreamProgress> streams_;
  std::map<char, unsigned> names_;
  std::size_t failing_call_ = SIZE_MAX;
  Failure call_failure_;
  bool hold_ = false;
};

}  // namespace collet::test
