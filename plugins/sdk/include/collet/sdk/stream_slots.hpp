// SPDX-License-Identifier: Apache-2.0
/** The slots of the table of streams that only pass on what they are given. */
#pragma once

#include <collet/plugin/stream.h>

#include <collet/sdk/failure.hpp>
#include <collet/sdk/plugin.hpp>
#include <collet/sdk/wait.hpp>
#include <cstdint>

/**
 * For a class `Stream` with `query()`, `synchronize(deadline)`, `failure()`, `reset()`,
 * `annotate(id, label)`, which throw Error. What remains are the slots that create, destroy and
 * enqueue.
 */
namespace collet::plugin::stream_slots {

template <class Stream>
collet_status_t query(collet_plugin_stream_t* stream) {
  return guarded([&] { return from_handle<Stream>(stream)->query(); });
}

template <class Stream>
collet_status_t synchronize(collet_plugin_stream_t* stream, std::uint64_t timeout_ns) {
  return guarded([&] { from_handle<Stream>(stream)->synchronize(Deadline::after(timeout_ns)); });
}

template <class Stream>
collet_status_t failure(collet_plugin_stream_t* stream, collet_stream_failure_t* out_failure) {
  return guarded([&] {
    const Ref<Failure> failure = from_handle<Stream>(stream)->failure();
    fill_struct(out_failure, stream_failure(failure.get()));
  });
}

template <class Stream>
collet_status_t reset(collet_plugin_stream_t* stream) {
  return guarded([&] { from_handle<Stream>(stream)->reset(); });
}

template <class Stream>
collet_status_t annotate(collet_plugin_stream_t* stream, std::uint64_t correlation_id,
                         const char* label) {
  return guarded([&] { from_handle<Stream>(stream)->annotate(correlation_id, label); });
}

}  // namespace collet::plugin::stream_slots
