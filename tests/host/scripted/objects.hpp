// SPDX-License-Identifier: Apache-2.0
// The objects of a scripted back end, and what its tables share.
#pragma once

#include <collet/plugin.h>
#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/ops.h>
#include <collet/plugin/peer.h>
#include <collet/plugin/pool.h>
#include <collet/plugin/program.h>
#include <collet/plugin/stream.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "script.hpp"

struct collet_plugin_device_t {
  std::uint32_t index;
};

struct collet_plugin_memory_t {
  std::string name;
  std::uint64_t size_bytes;
  bool counted;
  std::vector<std::byte> owned;
  std::byte* data;
};

struct collet_plugin_stream_t {
  std::string name;
};

struct collet_plugin_event_t {
  std::string name;
  std::uint32_t flags;
  // The stream of the latest record, and how far it must be; empty before.
  std::string stream;
  std::uint64_t target = 0;
  std::int64_t time_ns = 0;
};

struct collet_plugin_program_t {
  std::string name;
};

struct collet_plugin_kernel_t {
  std::string name;
};

struct collet_plugin_plan_t {
  std::string name;
};

namespace collet::test {

inline Script& script() {
  static Script& instance = Script::of(SCRIPTED_NAME);
  return instance;
}

extern const collet_host_t* scripted_host;

// Reports a failure and returns its status.
collet_status_t fail(const Failure& failure);

// The body of a table function: the script may let it fail before anything happens.
template <class Body>
collet_status_t scripted(const char* function, const std::string& detail, Body&& body) {
  const Script::PluginScope scope;
  const Failure failure = script().enter(function, detail);
  return failure.status == COLLET_OK ? body() : fail(failure);
}

// Memory of the script's free bytes, or OUT_OF_DEVICE_MEMORY.
collet_status_t allocate_memory(std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                collet_plugin_memory_t** out_memory);

extern const collet_plugin_memory_interface_t kMemory;
extern const collet_plugin_stream_interface_t kStream;
extern const collet_plugin_event_interface_t kEvent;
extern const collet_plugin_program_interface_t kProgram;
extern const collet_plugin_ops_interface_t kOps;
extern const collet_plugin_pool_interface_t kPool;
extern const collet_plugin_peer_interface_t kPeer;

}  // namespace collet::test
