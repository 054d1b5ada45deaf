// SPDX-License-Identifier: Apache-2.0
// Streams: creation, progress, host functions, waits. Copies are in transfer.cpp.
#include <collet/stream.h>

#include <algorithm>

#include "descriptor.hpp"
#include "dispatch.hpp"
#include "pool/device_memory.hpp"

namespace collet::loader {
namespace {

std::uint32_t next_number() noexcept {
  static std::atomic<std::uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

StreamState::StreamState(Device& on, const collet_stream_desc_t& desc)
    : device(on),
      flags(desc.flags),
      priority(desc.priority),
      label(desc.label == nullptr ? "" : desc.label),
      number(next_number()) {
  if (const auto status = device.stream->create(device.impl, &desc, &impl); status != COLLET_OK) {
    throw_plugin_error(status, device.backend_name);
  }
}

StreamState::~StreamState() {
  device.pools->leave(*this);
  device.stream->destroy(impl);
}

Stream::Stream(std::shared_ptr<StreamState> shared)
    : device(&shared->device),
      table(shared->device.user_stream),
      impl(shared->impl),
      state(std::move(shared)) {}

namespace {

struct HostCall {
  collet_host_function_t function;
  void* user_data;
};

void run_host_call(void* user_data, collet_status_t upstream) {
  const std::unique_ptr<HostCall> call(static_cast<HostCall*>(user_data));
  const CallbackScope scope;
  call->function(call->user_data, upstream);
}

// A stream may wait for an event of any device of its back end.
[[gnu::noinline]] collet_status_t wait_for_other_device(const char* function, const Stream& on,
                                                        const Event& mark) noexcept {
  if (&mark.device->backend != &on.device->backend) {
    return refuse_device(function, "event", mark, on);
  }
  return finish(function, *on.device, on.table->wait_event(on.impl, mark.impl));
}

void create_stream(collet_device_t* device, const collet_stream_desc_t* desc,
                   collet_stream_t** out_stream) {
  require_entry();
  require(out_stream, "out_stream");
  Device& on = need("collet_stream_create", device);
  auto own = read_optional(desc, COLLET_STRUCT_STREAM_DESC, "desc");
  own.base = {COLLET_STRUCT_STREAM_DESC, sizeof own, nullptr};
  check_flags(own.flags, COLLET_STREAM_BACKGROUND, "desc.flags");
  own.priority = std::max(std::min(own.priority, on.properties.priority_least),
                          on.properties.priority_greatest);
  on.pools->poll();
  create_handle<Stream>(out_stream, std::make_shared<StreamState>(on, own));
}

}  // namespace
}  // namespace collet::loader

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

collet_status_t collet_stream_create(collet_device_t* device, const collet_stream_desc_t* desc,
                                     collet_stream_t** out_stream) {
  clear_out(out_stream);
  return guarded(__func__, [&] { create_stream(device, desc, out_stream); });
}

collet_status_t collet_stream_retain(collet_stream_t* stream) {
  return retain_handle(__func__, stream);
}

void collet_stream_release(collet_stream_t* stream) { release_handle(stream); }

collet_status_t collet_stream_info(collet_stream_t* stream, collet_stream_info_t* out_info) {
  return guarded(__func__, [&] {
    prepare_out(out_info, COLLET_STRUCT_STREAM_INFO, "out_info");
    const Stream& on = need("collet_stream_info", stream);
    collet_stream_info_t info{};
    info.device = on.device->handle();
    info.flags = on.state->flags;
    info.priority = on.state->priority;
    write_out(info, out_info);
  });
}

collet_status_t collet_stream_query(collet_stream_t* stream) {
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  return finish(__func__, *on->device, on->table->query(on->impl));
}

collet_status_t collet_stream_synchronize(collet_stream_t* stream, uint64_t timeout_ns) {
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  return finish(__func__, *on->device, on->table->synchronize(on->impl, timeout_ns));
}

collet_status_t collet_stream_failure(collet_stream_t* stream,
                                      collet_stream_failure_t* out_failure) {
  return guarded(__func__, [&] {
    prepare_out(out_failure, COLLET_STRUCT_STREAM_FAILURE, "out_failure");
    const Stream& on = need("collet_stream_failure", stream);
    collet_stream_failure_t failure{};
    failure.base = {COLLET_STRUCT_STREAM_FAILURE, sizeof failure, nullptr};
    if (const auto status = on.table->failure(on.impl, &failure); status != COLLET_OK) {
      throw_plugin_error(status, on.device->backend_name);
    }
    terminate(failure.command);
    terminate(failure.message);
    write_out(failure, out_failure);
  });
}

collet_status_t collet_stream_reset(collet_stream_t* stream) {
  return guarded(__func__, [&] {
    require_entry();
    const Stream& on = need("collet_stream_reset", stream);
    if (const auto status = on.table->reset(on.impl); status != COLLET_OK) {
      throw_plugin_error(status, on.device->backend_name);
    }
  });
}

collet_status_t collet_stream_annotate(collet_stream_t* stream, uint64_t correlation_id,
                                       const char* label) {
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  return finish(__func__, *on->device, on->table->annotate(on->impl, correlation_id, label));
}

collet_status_t collet_stream_host_function(collet_stream_t* stream,
                                            collet_host_function_t function, void* user_data) {
  return guarded(__func__, [&] {
    require_entry();
    const Stream& on = need("collet_stream_host_function", stream);
    if (function == nullptr) {
      throw Error(COLLET_ERROR_INVALID_ARGUMENT, "function is NULL");
    }
    auto call = std::make_unique<HostCall>(HostCall{function, user_data});
    const auto status = on.table->host_function(on.impl, run_host_call, call.get());
    if (status != COLLET_OK) {
      throw_plugin_error(status, on.device->backend_name);
    }
    static_cast<void>(call.release());
  });
}

collet_status_t collet_stream_wait_event(collet_stream_t* stream, collet_event_t* event) {
  const Stream* on = find(stream);
  if (on == nullptr) [[unlikely]] {
    return refuse_handle(__func__, stream, Kind::kStream);
  }
  const Event* mark = find(event);
  if (mark == nullptr) [[unlikely]] {
    return refuse_handle(__func__, event, Kind::kEvent);
  }
  if (inside_callback) [[unlikely]] {
    return refuse_callback(__func__);
  }
  if (mark->device != on->device) [[unlikely]] {
    return wait_for_other_device(__func__, *on, *mark);
  }
  return finish(__func__, *on->device, on->table->wait_event(on->impl, mark->impl));
}
