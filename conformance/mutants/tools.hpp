// SPDX-License-Identifier: Apache-2.0
/** What several mutants need: knowledge about handles, and streams and memory of their own. */
#pragma once

#include <map>
#include <mutex>

#include "mutant.hpp"

namespace collet::mutants {

/** Something about each of many handles. Never destroyed: the process may end at any time. */
template <class Handle, class Value>
class Notes {
 public:
  /** The note of a handle; made if there is none. */
  Value& of(Handle* handle) {
    const std::lock_guard lock(mutex_);
    return notes_[handle];
  }
  /** nullptr if there is none. */
  Value* find(Handle* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = notes_.find(handle);
    return found == notes_.end() ? nullptr : &found->second;
  }
  void forget(Handle* handle) {
    const std::lock_guard lock(mutex_);
    notes_.erase(handle);
  }

 private:
  std::mutex mutex_;
  std::map<Handle*, Value> notes_;
};

template <class Handle, class Value, int Tag>
Notes<Handle, Value>& notes() {
  static auto& instance = *new Notes<Handle, Value>;
  return instance;
}

/** Makes `plugin` remember its latest device, for the two below. */
void remember_device(Plugin& plugin);
/** A stream that is not the judge's. */
collet_plugin_stream_t* side_stream();
/** Pinned memory with a copy of `bytes`; never freed. */
const void* staged(const void* bytes, std::uint64_t size);

}  // namespace collet::mutants
