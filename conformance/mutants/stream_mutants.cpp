// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>
#include <memory>

#include "tools.hpp"

namespace collet::mutants {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr collet_status_t kFailed = COLLET_ERROR_COMMAND_FAILED;

/** A host function of the judge, and what a mutant knows about it. Never freed. */
struct Wrapped {
  collet_host_function_t function;
  void* user_data;
  std::shared_ptr<std::atomic<bool>> is_stream_gone;
};

struct StreamNote {
  std::shared_ptr<std::atomic<bool>> is_gone = std::make_shared<std::atomic<bool>>(false);
  int shares = 0;
};
auto& streams() { return notes<collet_plugin_stream_t, StreamNote, 2>(); }

collet_status_t enqueue_wrapped(collet_plugin_stream_t* stream, collet_host_function_t wrapper,
                                collet_host_function_t function, void* user_data) {
  auto* const wrapped = new Wrapped{function, user_data, streams().of(stream).is_gone};
  return good().stream->host_function(stream, wrapper, wrapped);
}

}  // namespace

MUTANT("str1-overtakes", "PLUG-STR-1", "a copy of 65 to 128 bytes overtakes what is enqueued") {
  remember_device(plugin);
  plugin.stream.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                          auto size) {
    if (size < 65 || size > 128) {
      return good().stream->copy(stream, dst, dst_offset, src, src_offset, size);
    }
    good().stream->copy(side_stream(), dst, dst_offset, src, src_offset, size);
    return good().stream->synchronize(side_stream(), COLLET_TIMEOUT_INFINITE);
  };
}

MUTANT("str2-idle", "PLUG-STR-2", "a query is OK whatever the stream does",
       also_breaks("PLUG-STR-6", "PLUG-EVT-3")) {
  plugin.stream.query = [](auto* stream) {
    const collet_status_t status = good().stream->query(stream);
    return status == COLLET_NOT_READY ? COLLET_OK : status;
  };
}

MUTANT("str2-gives-up", "PLUG-STR-2", "a query is OK when it was asked often") {
  plugin.stream.query = [](auto* stream) {
    static thread_local int refusals = 0;
    const collet_status_t status = good().stream->query(stream);
    refusals = status == COLLET_NOT_READY ? refusals + 1 : 0;
    return refusals > 50 ? COLLET_OK : status;
  };
}

MUTANT("str3-early", "PLUG-STR-3", "a wait that would run out is OK",
       also_breaks("PLUG-STR-4", "PLUG-EVT-3", "PLUG-ROOT-6", "PLUG-ROOT-7")) {
  plugin.stream.synchronize = [](auto* stream, auto timeout) {
    const collet_status_t status = good().stream->synchronize(stream, timeout);
    return status == COLLET_ERROR_TIMEOUT && timeout < kSecond ? COLLET_OK : status;
  };
}

MUTANT("str4-read-later", "PLUG-STR-4", "a read that ran out writes to host memory later") {
  plugin.stream.read = [](auto* stream, auto* dst, auto* src, auto offset, auto size, auto flags,
                          auto timeout) {
    const collet_status_t status =
        good().stream->read(stream, dst, src, offset, size, flags, timeout);
    if (status == COLLET_ERROR_TIMEOUT && size > 100) {
      good().stream->host_function(
          stream, [](void* memory, collet_status_t) { std::memset(memory, 0, 1); }, dst);
    }
    return status;
  };
}

MUTANT("str4-write-later", "PLUG-STR-4", "a write that ran out is enqueued nevertheless") {
  remember_device(plugin);
  plugin.stream.write = [](auto* stream, auto* dst, auto offset, auto* src, auto size, auto flags,
                           auto timeout) {
    const collet_status_t status =
        good().stream->write(stream, dst, offset, src, size, flags, timeout);
    if (status == COLLET_ERROR_TIMEOUT) {
      good().stream->write(stream, dst, offset, staged(src, size), size,
                           COLLET_TRANSFER_NON_BLOCKING, 0);
    }
    return status;
  };
}

MUTANT("str4-wrong-code", "PLUG-STR-4", "a wait for an event that runs out is NOT_READY",
       also_breaks("PLUG-EVT-2", "PLUG-EVT-4")) {
  plugin.event.synchronize = [](auto* event, auto timeout) {
    const collet_status_t status = good().event->synchronize(event, timeout);
    return status == COLLET_ERROR_TIMEOUT ? COLLET_NOT_READY : status;
  };
}

MUTANT("str5-waits", "PLUG-STR-5", "destroying a stream waits for its work") {
  plugin.stream.destroy = [](auto* stream) {
    good().stream->synchronize(stream, COLLET_TIMEOUT_INFINITE);
    good().stream->destroy(stream);
  };
}

MUTANT("str5-drops", "PLUG-STR-5", "host functions of a destroyed stream are dropped") {
  plugin.stream.destroy = [](auto* stream) {
    streams().of(stream).is_gone->store(true);
    streams().forget(stream);
    good().stream->destroy(stream);
  };
  plugin.stream.host_function = [](auto* stream, auto* function, auto* user_data) {
    const auto wrapper = [](void* data, collet_status_t upstream) {
      const auto& wrapped = *static_cast<Wrapped*>(data);
      if (!wrapped.is_stream_gone->load()) wrapped.function(wrapped.user_data, upstream);
    };
    return enqueue_wrapped(stream, wrapper, function, user_data);
  };
}

MUTANT("str6-few-queues", "PLUG-STR-6", "from the 32nd on, all streams are one") {
  plugin.stream.create = [](auto* device, auto* desc, auto** out_stream) {
    static std::atomic<int> created{0};
    static collet_plugin_stream_t* common = nullptr;
    if (++created < 32) return good().stream->create(device, desc, out_stream);
    const collet_status_t status =
        common == nullptr ? good().stream->create(device, desc, &common) : COLLET_OK;
    *out_stream = common;
    streams().of(common).shares = 1;
    return status;
  };
  plugin.stream.destroy = [](auto* stream) {
    if (streams().find(stream) == nullptr) good().stream->destroy(stream);
  };
}

MUTANT("str7-twice", "PLUG-STR-7", "a host function runs twice",
       also_breaks("PLUG-STR-1", "PLUG-STR-3")) {
  plugin.stream.host_function = [](auto* stream, auto* function, auto* user_data) {
    const auto wrapper = [](void* data, collet_status_t upstream) {
      const auto& wrapped = *static_cast<Wrapped*>(data);
      wrapped.function(wrapped.user_data, upstream);
      wrapped.function(wrapped.user_data, upstream);
    };
    return enqueue_wrapped(stream, wrapper, function, user_data);
  };
}

MUTANT("str7-skipped", "PLUG-STR-7", "a host function does not run on a failed stream") {
  plugin.stream.host_function = [](auto* stream, auto* function, auto* user_data) {
    const auto wrapper = [](void* data, collet_status_t upstream) {
      const auto& wrapped = *static_cast<Wrapped*>(data);
      if (upstream == COLLET_OK) wrapped.function(wrapped.user_data, upstream);
    };
    return enqueue_wrapped(stream, wrapper, function, user_data);
  };
}

MUTANT("str7-uninformed", "PLUG-STR-7", "a host function is not told of an earlier failure") {
  plugin.stream.host_function = [](auto* stream, auto* function, auto* user_data) {
    const auto wrapper = [](void* data, collet_status_t) {
      const auto& wrapped = *static_cast<Wrapped*>(data);
      wrapped.function(wrapped.user_data, COLLET_OK);
    };
    return enqueue_wrapped(stream, wrapper, function, user_data);
  };
}

MUTANT("str8-swallowed", "PLUG-STR-8", "synchronize is OK on a failed stream",
       also_breaks("PLUG-STR-7", "PLUG-STR-9", "PLUG-EVT-5")) {
  plugin.stream.synchronize = [](auto* stream, auto timeout) {
    const collet_status_t status = good().stream->synchronize(stream, timeout);
    return status == kFailed ? COLLET_OK : status;
  };
}

MUTANT("str8-cleared", "PLUG-STR-8", "the first call that returns the failure clears it") {
  plugin.stream.query = [](auto* stream) {
    const collet_status_t status = good().stream->query(stream);
    if (status == kFailed) good().stream->reset(stream);
    return status;
  };
}

MUTANT("str8-wrong-number", "PLUG-STR-8", "the failure has the number of the next command") {
  plugin.stream.failure = [](auto* stream, auto* out_failure) {
    const collet_status_t status = good().stream->failure(stream, out_failure);
    if (out_failure->base.struct_size < sizeof(*out_failure)) return status;
    if (out_failure->status != COLLET_OK) {
      ++out_failure->first_candidate;
      ++out_failure->last_candidate;
    }
    return status;
  };
}

MUTANT("str8-no-correlation", "PLUG-STR-8", "the failure lacks the correlation id") {
  plugin.stream.annotate = [](auto* stream, auto, auto* label) {
    return good().stream->annotate(stream, 0, label);
  };
}

MUTANT("str9-nothing", "PLUG-STR-9", "reset is OK and does nothing", also_breaks("PLUG-EVT-5")) {
  plugin.stream.reset = [](auto*) { return COLLET_OK; };
}

}  // namespace collet::mutants
