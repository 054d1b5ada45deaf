// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <collet/collet.hpp>
#include <cstdlib>

#include "dispatch_batches.hpp"

namespace {

using collet::bench::kOffsetBytes;
using collet::bench::kPattern;
using collet::bench::kSizeBytes;
using collet::bench::repeat_call;

struct Objects {
  collet_stream_t* stream;
  collet_event_t* event;
  collet_buffer_t* dst;
  collet_buffer_t* src;
  collet_plan_t* plan;
  std::array<collet_operand_t, 3> operands;
};

}  // namespace

extern "C" {

[[gnu::noinline]] std::int32_t library_stream_query(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return collet_stream_query(on.stream); });
}

[[gnu::noinline]] std::int32_t library_event_query(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return collet_event_query(on.event); });
}

[[gnu::noinline]] std::int32_t library_event_record(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return collet_event_record(on.event, on.stream); });
}

[[gnu::noinline]] std::int32_t library_stream_wait_event(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] { return collet_stream_wait_event(on.stream, on.event); });
}

[[gnu::noinline]] std::int32_t library_stream_fill(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] {
    return collet_stream_fill(on.stream, on.dst, kOffsetBytes, kSizeBytes, &kPattern,
                              sizeof kPattern);
  });
}

[[gnu::noinline]] std::int32_t library_stream_copy(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] {
    return collet_stream_copy(on.stream, on.dst, kOffsetBytes, on.src, kOffsetBytes, kSizeBytes);
  });
}

[[gnu::noinline]] std::int32_t library_stream_run(const Objects& on, std::uint64_t calls) {
  return repeat_call(calls, [&] {
    return collet_stream_run(on.stream, on.plan, on.operands.data(), 3, nullptr, 0);
  });
}

}  // extern "C"

namespace collet::bench {

std::int32_t run_library_batches(const std::string& folder, std::uint64_t calls) {
  // Under valgrind a probe costs seconds, and its way of waiting is unknown there.
  setenv("COLLET_PROBE", "off", 1);
  collet_config_t config = COLLET_CONFIG_INIT;
  config.plugin_path = folder.c_str();
  check(collet_configure(&config));
  const Device device = Device::open("fake:0");
  const Stream stream(device);
  const Event event(device);
  const Buffer dst = stream.allocate(kBufferBytes);
  const Buffer src = stream.allocate(kBufferBytes);
  const Layout layout = make_contiguous(COLLET_TYPE_F32, {1});
  const TensorView out{dst, 0, layout};
  const TensorView in{src, 0, layout};
  const Plan plan = ops::plan_binary(device, COLLET_BINARY_ADD, out, in, in);

  const Objects on{stream.get(), event.get(),
                   dst.get(),    src.get(),
                   plan.get(),   {{{dst.get(), 0, {}}, {src.get(), 0, {}}, {src.get(), 0, {}}}}};
  return library_stream_query(on, calls) | library_event_query(on, calls) |
         library_event_record(on, calls) | library_stream_wait_event(on, calls) |
         library_stream_fill(on, calls) | library_stream_copy(on, calls) |
         library_stream_run(on, calls);
}

}  // namespace collet::bench
