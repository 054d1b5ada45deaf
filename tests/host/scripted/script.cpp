// SPDX-License-Identifier: Apache-2.0
#include "script.hpp"

#include <algorithm>
#include <utility>

namespace collet::test {
namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 20;

bool begins_with(const std::string& call, const std::string& start) {
  return call.rfind(start, 0) == 0 && (call.size() == start.size() || call[start.size()] == ' ');
}

thread_local int plugin_depth = 0;

}  // namespace

bool Script::inside_plugin() noexcept { return plugin_depth > 0; }
Script::PluginScope::PluginScope() noexcept { ++plugin_depth; }
Script::PluginScope::~PluginScope() { --plugin_depth; }

Script& Script::of(const std::string& backend) {
  static std::mutex mutex;
  // Never destroyed: plugins are called until the process is gone.
  static auto& scripts = *new std::map<std::string, Script>;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = scripts.try_emplace(backend);
  if (is_new) {
    entry->second.reset();
  }
  return entry->second;
}

void Script::reset() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
  hooks_.clear();
  failures_.clear();
  failing_call_ = SIZE_MAX;
  names_.clear();
  hold_ = false;
  free_bytes = kMemoryBytes;
  pooled.clear();
  is_peer_broken = false;
  kernel = {};
  kernel.argument_count = UINT32_MAX;
  support = {};
  support.level = COLLET_OP_NATIVE;
}

std::vector<std::string> Script::calls() {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t Script::count(const std::string& call) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(calls_.begin(), calls_.end(),
                    [&](const std::string& made) { return begins_with(made, call); }));
}

void Script::on(const std::string& function, std::function<void()> hook) {
  const std::lock_guard lock(mutex_);
  hooks_[function] = std::move(hook);
}

void Script::fail(const std::string& function, const Failure& failure, unsigned times) {
  const std::lock_guard lock(mutex_);
  failures_[function] = {failure, times};
}

void Script::fail_call(std::size_t number, const Failure& failure) {
  const std::lock_guard lock(mutex_);
  failing_call_ = calls_.size() + number;
  call_failure_ = failure;
}

void Script::hold_new_streams() {
  const std::lock_guard lock(mutex_);
  hold_ = true;
}

void Script::run_waiting(const std::string& stream, bool release) {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(streams_[stream].waiting);
  }
  for (const auto& function : waiting) {
    function();
  }
  {
    const std::lock_guard lock(mutex_);
    StreamProgress& progress = streams_[stream];
    progress.complete = progress.enqueued;
    progress.held = progress.held && !release;
  }
  progress_.notify_all();
}

void Script::finish(const std::string& stream) { run_waiting(stream, false); }
void Script::let_go(const std::string& stream) { run_waiting(stream, true); }

void Script::finish_all() {
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, progress] : streams_) {
      names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    let_go(name);
  }
}

void Script::finish_one(const std::string& stream) {
  {
    const std::lock_guard lock(mutex_);
    ++streams_[stream].complete;
  }
  progress_.notify_all();
}

void Script::poison(const std::string& stream, collet_status_t failure) {
  {
    const std::lock_guard lock(mutex_);
    streams_[stream].failure = failure;
  }
  progress_.notify_all();
}

Failure Script::enter(const std::string& function, const std::string& detail) {
  const PluginScope scope;
  std::function<void()> hook;
  Failure failure{COLLET_OK, 0, nullptr, nullptr};
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(detail.empty() ? function : function + ' ' + detail);
    if (const auto found = hooks_.find(function); found != hooks_.end()) {
      hook = found->second;
    }
    if (const auto found = failures_.find(function);
        found != failures_.end() && found->second.second > 0) {
      --found->second.second;
      failure = found->second.first;
    }
    if (calls_.size() == failing_call_) {
      failure = call_failure_;
    }
  }
  if (hook) {
    hook();
  }
  return failure;
}

std::string Script::name(char kind) {
  const std::lock_guard lock(mutex_);
  std::string name = kind + std::to_string(++names_[kind]);
  if (kind == 's') {
    streams_[name] = {};
    streams_[name].held = hold_;
  }
  return name;
}

StreamProgress& Script::stream(const std::string& name) { return streams_[name]; }

}  // namespace collet::test
