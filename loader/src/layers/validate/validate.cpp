// SPDX-License-Identifier: Apache-2.0
// The functions of the tables. Each calls the tables below first, and notes what has succeeded; no
// lock is held meanwhile, since a call may wait, or run a host function.
#include "layers/validate/validate.hpp"

#include <memory>

#include "layers/validate/exit_report.hpp"
#include "layers/validate/validator.hpp"

namespace collet::loader {
namespace validate {
namespace {

using Calls = Layer::Stream<&Tables::user_stream>;
using Marks = Layer::Event<&Tables::user_event>;

Validator& validator() noexcept { return Validator::instance(); }

// A status by which the host learns that work is over: it is complete, or a failure has ended it.
void learn(collet_status_t status, const Clock& clock) noexcept {
  if (status != COLLET_NOT_READY && status != COLLET_ERROR_TIMEOUT) {
    validator().completed(clock, status != COLLET_OK);
  }
}

// ---- memory ----

collet_status_t allocate(collet_plugin_device_t* device, collet_memory_kind_t kind,
                         std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                         collet_plugin_memory_t** out_memory) {
  const auto status =
      Layer::Memory::allocate(device, kind, size_bytes, alignment_bytes, out_memory);
  if (status == COLLET_OK) {
    Layer::of(*out_memory).size_bytes = size_bytes;
  }
  return status;
}

collet_status_t register_host(collet_plugin_device_t* device, void* data, std::uint64_t size_bytes,
                              collet_plugin_memory_t** out_memory) {
  const auto status = Layer::Memory::register_host(device, data, size_bytes, out_memory);
  if (status == COLLET_OK) {
    Memory& memory = Layer::of(*out_memory);
    memory.size_bytes = size_bytes;
    validator().registered(memory, size_bytes);
    validator().reached(memory, data);
  }
  return status;
}

void free(collet_plugin_memory_t* memory) {
  validator().ends(Layer::of(memory));
  Layer::Memory::free(memory);
}

collet_status_t host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
  const auto status = Layer::Memory::host_pointer(memory, out_pointer);
  if (status == COLLET_OK) {
    validator().reached(Layer::of(memory), *out_pointer);
  }
  return status;
}

// ---- streams ----

collet_status_t query(collet_plugin_stream_t* stream) {
  const Clock clock = validator().clock_of(Layer::of(stream));
  const auto status = Calls::query(stream);
  learn(status, clock);
  return status;
}

collet_status_t synchronize(collet_plugin_stream_t* stream, std::uint64_t timeout_ns) {
  const Clock clock = validator().clock_of(Layer::of(stream));
  const auto status = Calls::synchronize(stream, timeout_ns);
  learn(status, clock);
  return status;
}

collet_status_t reset(collet_plugin_stream_t* stream) {
  const Clock clock = validator().clock_of(Layer::of(stream));
  const auto status = Calls::reset(stream);
  if (status == COLLET_OK) {
    validator().completed(clock, true);
  }
  return status;
}

collet_status_t annotate(collet_plugin_stream_t* stream, std::uint64_t correlation_id,
                         const char* label) {
  const auto status = Calls::annotate(stream, correlation_id, label);
  if (status == COLLET_OK) {
    validator().annotated(Layer::of(stream), label);
  }
  return status;
}

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  const auto status = Calls::copy(stream, dst, dst_offset_bytes, src, src_offset_bytes, size_bytes);
  if (status == COLLET_OK) {
    const Touched touched[] = {{&Layer::of(src), {src_offset_bytes, size_bytes}, Touch::kReads},
                               {&Layer::of(dst), {dst_offset_bytes, size_bytes}, Touch::kWrites}};
    validator().enqueued(Layer::of(stream), "copy", touched);
  }
  return status;
}

collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                          collet_plugin_memory_t* src, const collet_rect_t* rect) {
  const auto status = Calls::copy_rect(stream, dst, src, rect);
  if (status == COLLET_OK) {
    const Touched touched[] = {
        {&Layer::of(src),
         {rect->src_offset_bytes, rect->width_bytes, rect->height, rect->src_pitch_bytes},
         Touch::kReads},
        {&Layer::of(dst),
         {rect->dst_offset_bytes, rect->width_bytes, rect->height, rect->dst_pitch_bytes},
         Touch::kWrites}};
    validator().enqueued(Layer::of(stream), "copy of a rectangle", touched);
  }
  return status;
}

// A copy from or to host memory: what it touches on the device and, where that is pinned, on the
// host. One that blocks is complete, and with it all that was before it on its stream.
void transferred(collet_plugin_stream_t* stream, const std::string& what, const Touched& device,
                 const std::optional<Touched>& host, const std::optional<Source>& source,
                 bool is_blocking) noexcept {
  const Touched touched[] = {device, host.value_or(Touched{})};
  validator().enqueued(Layer::of(stream), what, touched, source);
  if (is_blocking) {
    validator().completed(validator().clock_of(Layer::of(stream)), false);
  }
}

collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                      std::uint64_t dst_offset_bytes, const void* src, std::uint64_t size_bytes,
                      std::uint32_t flags, std::uint64_t timeout_ns) {
  const bool is_blocking = (flags & COLLET_TRANSFER_NON_BLOCKING) == 0;
  const auto host = validator().find_pinned(src, size_bytes, Touch::kReads);
  // As it is before the copy can begin.
  std::optional<Source> source;
  if (host && !is_blocking) {
    source = Source::of(src, size_bytes);
  }
  const auto status =
      Calls::write(stream, dst, dst_offset_bytes, src, size_bytes, flags, timeout_ns);
  if (status == COLLET_OK) {
    transferred(stream, "write", {&Layer::of(dst), {dst_offset_bytes, size_bytes}, Touch::kWrites},
                host, source, is_blocking);
  }
  return status;
}

collet_status_t read(collet_plugin_stream_t* stream, void* dst, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes, std::uint32_t flags,
                     std::uint64_t timeout_ns) {
  const auto host = validator().find_pinned(dst, size_bytes, Touch::kWrites);
  const auto status =
      Calls::read(stream, dst, src, src_offset_bytes, size_bytes, flags, timeout_ns);
  if (status == COLLET_OK) {
    transferred(stream, "read", {&Layer::of(src), {src_offset_bytes, size_bytes}, Touch::kReads},
                host, std::nullopt, (flags & COLLET_TRANSFER_NON_BLOCKING) == 0);
  }
  return status;
}

collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, std::uint64_t size_bytes, const void* pattern,
                     std::uint64_t pattern_size_bytes) {
  const auto status =
      Calls::fill(stream, dst, dst_offset_bytes, size_bytes, pattern, pattern_size_bytes);
  if (status == COLLET_OK) {
    const Touched touched[] = {{&Layer::of(dst), {dst_offset_bytes, size_bytes}, Touch::kWrites}};
    validator().enqueued(Layer::of(stream), "fill", touched);
  }
  return status;
}

struct HostCall {
  collet_host_function_t function;
  void* user_data;
  Clock before;
};

// Whoever the function tells of itself knows that all before it is complete.
void run_host_call(void* user_data, collet_status_t upstream) {
  const std::unique_ptr<HostCall> call(static_cast<HostCall*>(user_data));
  validator().completed(call->before, upstream != COLLET_OK);
  call->function(call->user_data, upstream);
}

collet_status_t host_function(collet_plugin_stream_t* stream, collet_host_function_t function,
                              void* user_data) {
  std::unique_ptr<HostCall> call(
      new (std::nothrow) HostCall{function, user_data, validator().clock_of(Layer::of(stream))});
  if (call == nullptr) {
    return COLLET_ERROR_OUT_OF_HOST_MEMORY;
  }
  const auto status = Calls::host_function(stream, run_host_call, call.get());
  if (status == COLLET_OK) {
    static_cast<void>(call.release());
    validator().enqueued(Layer::of(stream), "host function", {});
  }
  return status;
}

collet_status_t wait_event(collet_plugin_stream_t* stream, collet_plugin_event_t* event) {
  const auto status = Calls::wait_event(stream, event);
  if (status == COLLET_OK) {
    validator().enqueued(Layer::of(stream), "wait", {});
    validator().waited(Layer::of(stream), Layer::of(event));
  }
  return status;
}

// ---- events ----

collet_status_t record(collet_plugin_event_t* event, collet_plugin_stream_t* stream) {
  const auto status = Marks::record(event, stream);
  if (status == COLLET_OK) {
    validator().recorded(Layer::of(event), Layer::of(stream));
  }
  return status;
}

collet_status_t query_event(collet_plugin_event_t* event) {
  const Clock clock = validator().clock_of(Layer::of(event));
  const auto status = Marks::query(event);
  learn(status, clock);
  return status;
}

collet_status_t synchronize_event(collet_plugin_event_t* event, std::uint64_t timeout_ns) {
  const Clock clock = validator().clock_of(Layer::of(event));
  const auto status = Marks::synchronize(event, timeout_ns);
  learn(status, clock);
  return status;
}

collet_status_t elapsed(collet_plugin_event_t* start, collet_plugin_event_t* end,
                        std::int64_t* out_duration_ns) {
  Clock clock = validator().clock_of(Layer::of(start));
  clock.join(validator().clock_of(Layer::of(end)));
  const auto status = Marks::elapsed(start, end, out_duration_ns);
  if (status == COLLET_OK) {
    validator().completed(clock, false);
  }
  return status;
}

// ---- kernels and operations ----

collet_status_t launch(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                       const collet_plugin_launch_t* launch) {
  const auto status = Layer::Program::launch(stream, kernel, launch);
  if (status == COLLET_OK) {
    std::array<Touched, COLLET_MAX_KERNEL_ARGUMENTS> touched;
    for (std::uint32_t i = 0; i < launch->argument_count; ++i) {
      const collet_plugin_argument_t& argument = launch->arguments[i];
      if (argument.memory != nullptr) {
        touched[i] = {
            &Layer::of(argument.memory), {argument.offset_bytes, 1}, Touch::kMayWrite, true};
      }
    }
    validator().enqueued(Layer::of(stream), "launch of " + Layer::of(kernel).name, touched);
  }
  return status;
}

collet_status_t enqueue(collet_plugin_stream_t* stream, collet_plugin_plan_t* plan,
                        const collet_plugin_operand_t* operands, std::uint32_t operand_count,
                        collet_plugin_memory_t* workspace, std::uint64_t workspace_offset_bytes) {
  const auto status =
      Layer::Op::enqueue(stream, plan, operands, operand_count, workspace, workspace_offset_bytes);
  if (status == COLLET_OK) {
    const Plan& made = Layer::of(plan);
    std::array<Touched, COLLET_MAX_OPERANDS + 1> touched;
    for (std::uint32_t i = 0; i < operand_count; ++i) {
      if (operands[i].memory != nullptr) {
        touched[i] = {&Layer::of(operands[i].memory), made.operands[i],
                      i == 0 ? Touch::kWrites : Touch::kReads};
        touched[i].region.offset_bytes += operands[i].offset_bytes;
      }
    }
    if (workspace != nullptr) {
      touched.back() = {
          &Layer::of(workspace), {workspace_offset_bytes, made.workspace_bytes}, Touch::kWrites};
    }
    validator().enqueued(Layer::of(stream), "run of " + made.name, touched);
  }
  return status;
}

// ---- peers ----

collet_status_t copy_to_peer(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                             std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                             std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  const auto status =
      Layer::Peer::copy(stream, dst, dst_offset_bytes, src, src_offset_bytes, size_bytes);
  if (status == COLLET_OK) {
    const Touched touched[] = {{&Layer::of(src), {src_offset_bytes, size_bytes}, Touch::kReads},
                               {&Layer::of(dst), {dst_offset_bytes, size_bytes}, Touch::kWrites}};
    validator().enqueued(Layer::of(stream), "copy to another device", touched);
  }
  return status;
}

constexpr collet_plugin_memory_interface_t memory_table() {
  collet_plugin_memory_interface_t table = Layer::Memory::kTable;
  table.allocate = allocate;
  table.register_host = register_host;
  table.free = free;
  table.host_pointer = host_pointer;
  return table;
}

constexpr collet_plugin_stream_interface_t stream_table() {
  collet_plugin_stream_interface_t table = Calls::kTable;
  table.query = query;
  table.synchronize = synchronize;
  table.reset = reset;
  table.annotate = annotate;
  table.copy = copy;
  table.copy_rect = copy_rect;
  table.write = write;
  table.read = read;
  table.fill = fill;
  table.host_function = host_function;
  table.wait_event = wait_event;
  return table;
}

constexpr collet_plugin_event_interface_t event_table() {
  collet_plugin_event_interface_t table = Marks::kTable;
  table.record = record;
  table.query = query_event;
  table.synchronize = synchronize_event;
  table.elapsed = elapsed;
  return table;
}

constexpr collet_plugin_program_interface_t program_table() {
  collet_plugin_program_interface_t table = Layer::Program::kTable;
  table.launch = launch;
  return table;
}

constexpr collet_plugin_ops_interface_t op_table() {
  collet_plugin_ops_interface_t table = Layer::Op::kTable;
  table.enqueue = enqueue;
  return table;
}

constexpr collet_plugin_peer_interface_t peer_table() {
  collet_plugin_peer_interface_t table = Layer::Peer::kTable;
  table.copy = copy_to_peer;
  return table;
}

constexpr collet_plugin_memory_interface_t kMemory = memory_table();
constexpr collet_plugin_stream_interface_t kStream = stream_table();
constexpr collet_plugin_event_interface_t kEvent = event_table();
constexpr collet_plugin_program_interface_t kProgram = program_table();
constexpr collet_plugin_ops_interface_t kOp = op_table();
constexpr collet_plugin_peer_interface_t kPeer = peer_table();

}  // namespace
}  // namespace validate

Tables validate_layer(LayerDevice& device) noexcept {
  validate::report_at_exit();
  Tables tables = validate::Layer::tables(device);
  tables.memory = &validate::kMemory;
  tables.user_stream = &validate::kStream;
  tables.user_event = &validate::kEvent;
  if (tables.program != nullptr) {
    tables.program = &validate::kProgram;
  }
  if (tables.op != nullptr) {
    tables.op = &validate::kOp;
  }
  if (tables.peer != nullptr) {
    tables.peer = &validate::kPeer;
  }
  return tables;
}

BufferWatch& validate_watch() noexcept { return validate::Validator::instance(); }

}  // namespace collet::loader
