// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstring>

#include "objects.hpp"

namespace collet::test {
namespace {

StreamProgress& progress_of(const collet_plugin_stream_t* stream) {
  return script().stream(stream->name);
}

// Counts a command; the caller holds the mutex.
void count_command(StreamProgress& progress) {
  ++progress.enqueued;
  if (!progress.held) {
    progress.complete = progress.enqueued;
  }
}

// The frame of every command: notes it, refuses it on a poisoned stream, lets it take effect.
template <class Effect>
collet_status_t enqueue(collet_plugin_stream_t* stream, const std::string& command,
                        Effect&& effect) {
  const Script::PluginScope scope;
  return scripted(("stream." + command).c_str(), stream->name, [&] {
    const std::lock_guard lock(script().mutex());
    StreamProgress& progress = progress_of(stream);
    if (progress.failure != COLLET_OK) {
      return fail({progress.failure, 7, "SCRIPTED_FAULT", "the stream has failed"});
    }
    effect();
    count_command(progress);
    return COLLET_OK;
  });
}

collet_status_t create(collet_plugin_device_t* /*device*/, const collet_stream_desc_t* desc,
                       collet_plugin_stream_t** out_stream) {
  return scripted("stream.create", desc->label != nullptr ? desc->label : "", [&] {
    script().last_priority = desc->priority;
    *out_stream = new collet_plugin_stream_t{script().name('s')};
    return COLLET_OK;
  });
}

void destroy(collet_plugin_stream_t* stream) {
  const std::unique_ptr<collet_plugin_stream_t> owner(stream);
  script().enter("stream.destroy", stream->name);
}

collet_status_t query(collet_plugin_stream_t* stream) {
  return scripted("stream.query", stream->name, [&]() -> collet_status_t {
    const std::lock_guard lock(script().mutex());
    const StreamProgress& progress = progress_of(stream);
    if (progress.failure != COLLET_OK) {
      return fail({progress.failure, 7, "SCRIPTED_FAULT", "the stream has failed"});
    }
    return progress.complete < progress.enqueued ? COLLET_NOT_READY : COLLET_OK;
  });
}

// Waits until the stream is `target` commands far, or fails.
collet_status_t wait_for(const std::string& stream, std::uint64_t target,
                         std::uint64_t timeout_ns) {
  std::unique_lock lock(script().mutex());
  const StreamProgress& progress = script().stream(stream);
  const auto over = [&] { return progress.complete >= target || progress.failure != COLLET_OK; };
  if (timeout_ns == COLLET_TIMEOUT_INFINITE) {
    script().progress().wait(lock, over);
  } else if (!script().progress().wait_for(lock, std::chrono::nanoseconds(timeout_ns), over)) {
    return fail({COLLET_ERROR_TIMEOUT, 0, nullptr, "the stream is still at work"});
  }
  return progress.failure == COLLET_OK
             ? COLLET_OK
             : fail({progress.failure, 7, "SCRIPTED_FAULT", "the stream has failed"});
}

collet_status_t synchronize(collet_plugin_stream_t* stream, std::uint64_t timeout_ns) {
  return scripted("stream.synchronize", stream->name, [&] {
    std::uint64_t target = 0;
    {
      const std::lock_guard lock(script().mutex());
      target = progress_of(stream).enqueued;
    }
    return wait_for(stream->name, target, timeout_ns);
  });
}

collet_status_t failure(collet_plugin_stream_t* stream, collet_stream_failure_t* out_failure) {
  return scripted("stream.failure", stream->name, [&] {
    const std::lock_guard lock(script().mutex());
    out_failure->status = progress_of(stream).failure;
    // A careless plugin: no text ends.
    std::memset(out_failure->command, 'c', sizeof out_failure->command);
    std::memset(out_failure->message, 'm', sizeof out_failure->message);
    return COLLET_OK;
  });
}

collet_status_t reset(collet_plugin_stream_t* stream) {
  return scripted("stream.reset", stream->name, [&] {
    const std::lock_guard lock(script().mutex());
    StreamProgress& progress = progress_of(stream);
    progress.failure = COLLET_OK;
    progress.complete = progress.enqueued;
    return COLLET_OK;
  });
}

collet_status_t annotate(collet_plugin_stream_t* stream, std::uint64_t /*correlation_id*/,
                         const char* /*label*/) {
  return scripted("stream.annotate", stream->name, [] { return COLLET_OK; });
}

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return enqueue(stream, "copy", [&] {
    std::memcpy(dst->data + dst_offset_bytes, src->data + src_offset_bytes, size_bytes);
  });
}

collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                          collet_plugin_memory_t* src, const collet_rect_t* rect) {
  return enqueue(stream, "copy_rect", [&] {
    for (std::uint64_t row = 0; row < rect->height; ++row) {
      std::memcpy(dst->data + rect->dst_offset_bytes + row * rect->dst_pitch_bytes,
                  src->data + rect->src_offset_bytes + row * rect->src_pitch_bytes,
                  rect->width_bytes);
    }
  });
}

// Waits for earlier commands as a blocking copy does.
collet_status_t before_transfer(collet_plugin_stream_t* stream, std::uint32_t flags,
                                std::uint64_t timeout_ns) {
  script().last_flags = flags;
  if ((flags & COLLET_TRANSFER_NON_BLOCKING) != 0) {
    return COLLET_OK;
  }
  std::uint64_t target = 0;
  {
    const std::lock_guard lock(script().mutex());
    target = progress_of(stream).enqueued;
  }
  return wait_for(stream->name, target, timeout_ns);
}

collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                      std::uint64_t dst_offset_bytes, const void* src, std::uint64_t size_bytes,
                      std::uint32_t flags, std::uint64_t timeout_ns) {
  const collet_status_t status = before_transfer(stream, flags, timeout_ns);
  return status != COLLET_OK ? status : enqueue(stream, "write", [&] {
    if (size_bytes > 0) {
      std::memcpy(dst->data + dst_offset_bytes, src, size_bytes);
    }
  });
}

collet_status_t read(collet_plugin_stream_t* stream, void* dst, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes, std::uint32_t flags,
                     std::uint64_t timeout_ns) {
  const collet_status_t status = before_transfer(stream, flags, timeout_ns);
  return status != COLLET_OK ? status : enqueue(stream, "read", [&] {
    if (size_bytes > 0) {
      std::memcpy(dst, src->data + src_offset_bytes, size_bytes);
    }
  });
}

collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, std::uint64_t size_bytes, const void* pattern,
                     std::uint64_t pattern_size_bytes) {
  return enqueue(stream, "fill", [&] {
    script().last_memory = dst->name;
    for (std::uint64_t done = 0; done < size_bytes; done += pattern_size_bytes) {
      std::memcpy(dst->data + dst_offset_bytes + done, pattern, pattern_size_bytes);
    }
  });
}

collet_status_t host_function(collet_plugin_stream_t* stream, collet_host_function_t function,
                              void* user_data) {
  bool at_once = false;
  const collet_status_t status = enqueue(stream, "host_function", [&] {
    StreamProgress& progress = progress_of(stream);
    at_once = !progress.held;
    if (progress.held) {
      progress.waiting.emplace_back([=] { function(user_data, COLLET_OK); });
    }
  });
  if (at_once) {
    function(user_data, COLLET_OK);
  }
  return status;
}

collet_status_t wait_event(collet_plugin_stream_t* stream, collet_plugin_event_t* event) {
  return enqueue(stream, "wait_event " + event->name, [] {});
}

}  // namespace

const collet_plugin_stream_interface_t kStream{sizeof(collet_plugin_stream_interface_t),
                                               0,
                                               create,
                                               destroy,
                                               query,
                                               synchronize,
                                               failure,
                                               reset,
                                               annotate,
                                               copy,
                                               copy_rect,
                                               write,
                                               read,
                                               fill,
                                               host_function,
                                               wait_event};

}  // namespace collet::test
