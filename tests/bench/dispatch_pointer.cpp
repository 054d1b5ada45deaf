// SPDX-License-Identifier: Apache-2.0
#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/ops.h>
#include <collet/plugin/stream.h>
#include <dlfcn.h>

#include <array>
#include <stdexcept>

#include "dispatch_batches.hpp"

namespace {

using collet::bench::kOffsetBytes;
using collet::bench::kPattern;
using collet::bench::kSizeBytes;
using collet::bench::repeat_call;

struct Objects {
  const collet_plugin_stream_interface_t* streams;
  const collet_plugin_event_interface_t* events;
  const collet_plugin_ops_interface_t* ops;
  collet_plugin_stream_t* stream;
  collet_plugin_event_t* event;
  collet_plugin_memory_t* dst;
  collet_plugin_memory_t* src;
  collet_plugin_plan_t* plan;
  std::array<collet_plugin_operand_t, 3> operands;
};

}  // namespace

extern "C" {

[[gnu::noinline]] std::int32_t pointer_stream_query(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return on.streams->query(on.stream); });
}

[[gnu::noinline]] std::int32_t pointer_event_query(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return on.events->query(on.event); });
}

[[gnu::noinline]] std::int32_t pointer_event_record(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return on.events->record(on.event, on.stream); });
}

[[gnu::noinline]] std::int32_t pointer_stream_wait_event(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return on.streams->wait_event(on.stream, on.event); });
}

[[gnu::noinline]] std::int32_t pointer_stream_fill(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] {
    return on.streams->fill(on.stream, on.dst, kOffsetBytes, kSizeBytes, &kPattern,
                            sizeof kPattern);
  });
}

[[gnu::noinline]] std::int32_t pointer_stream_copy(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] {
    return on.streams->copy(on.stream, on.dst, kOffsetBytes, on.src, kOffsetBytes, kSizeBytes);
  });
}

[[gnu::noinline]] std::int32_t pointer_stream_run(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] {
    return on.ops->enqueue(on.stream, on.plan, on.operands.data(), 3, nullptr, 0);
  });
}

}  // extern "C"

namespace collet::bench {
namespace {

void need(collet_status_t status, const char* what) {
  if (status != COLLET_OK) throw std::runtime_error(std::string("the plugin cannot ") + what);
}

const collet_plugin_t& load_plugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto query =
      reinterpret_cast<collet_plugin_query_fn_t>(dlsym(library, COLLET_PLUGIN_QUERY_SYMBOL));
  if (query == nullptr) throw std::runtime_error(dlerror());

  // The fake plugin asks its host for nothing.
  static constexpr collet_host_t kHost{sizeof(collet_host_t), COLLET_ABI_VERSION, "", nullptr};
  const collet_plugin_t* plugin = nullptr;
  need(query(&kHost, &plugin), "be asked");
  return *plugin;
}

template <class Table>
const Table* interface_of(const collet_plugin_t& plugin, collet_plugin_device_t* device,
                          collet_interface_t id) {
  const void* table = nullptr;
  const char* reason = nullptr;
  need(plugin.device_interface(device, id, &table, &reason), "give a table");
  return static_cast<const Table*>(table);
}

}  // namespace

std::int32_t run_pointer_batches(const std::string& folder, std::uint64_t calls) {
  const collet_plugin_t& plugin = load_plugin(folder + "/libcollet_fake.so");
  collet_plugin_device_t* device = nullptr;
  need(plugin.device_open(0, &device), "open its device");

  Objects on{};
  on.streams =
      interface_of<collet_plugin_stream_interface_t>(plugin, device, COLLET_INTERFACE_STREAM_V1);
  on.events =
      interface_of<collet_plugin_event_interface_t>(plugin, device, COLLET_INTERFACE_EVENT_V1);
  on.ops = interface_of<collet_plugin_ops_interface_t>(plugin, device, COLLET_INTERFACE_OPS_V1);
  const auto* memory =
      interface_of<collet_plugin_memory_interface_t>(plugin, device, COLLET_INTERFACE_MEMORY_V1);

  collet_stream_desc_t desc{};
  desc.base = {COLLET_STRUCT_STREAM_DESC, sizeof desc, nullptr};
  need(on.streams->create(device, &desc, &on.stream), "create a stream");
  need(on.events->create(device, 0, &on.event), "create an event");
  for (collet_plugin_memory_t** each : {&on.dst, &on.src}) {
    need(memory->allocate(device, COLLET_MEMORY_DEVICE, kBufferBytes, 0, each), "allocate");
  }
  const collet_op_desc_t op{};
  need(on.ops->create(device, &op, &on.plan), "make a plan");
  on.operands = {{{on.dst, 0, {}}, {on.src, 0, {}}, {on.src, 0, {}}}};

  return pointer_stream_query(on, calls) | pointer_event_query(on, calls) |
         pointer_event_record(on, calls) | pointer_stream_wait_event(on, calls) |
         pointer_stream_fill(on, calls) | pointer_stream_copy(on, calls) |
         pointer_stream_run(on, calls);
}

}  // namespace collet::bench
