// SPDX-License-Identifier: Apache-2.0
// What every layer is made of: tables that pass each call on to the tables below.
//
// The objects that a layer hands out wrap those of the tables below it. A layer names its types of
// objects, each made of Wrapped, takes the tables of Forward, and puts functions of its own in the
// place of some.
#pragma once

#include <array>
#include <new>

#include "layers/tables.hpp"

namespace collet::loader {

struct LayerDevice {
  Tables below;
};

template <class Handle>
struct Wrapped {
  // A layer's own type may want to know what the object is made of.
  template <class... Description>
  Wrapped(LayerDevice& on, Handle* of_below, const Description&... /*description*/) noexcept
      : device(&on), below(of_below) {}

  LayerDevice* device;
  Handle* below;
};

// The objects of a layer that keeps nothing about them.
struct PlainObjects {
  using Memory = Wrapped<collet_plugin_memory_t>;
  using Stream = Wrapped<collet_plugin_stream_t>;
  using Event = Wrapped<collet_plugin_event_t>;
  using Program = Wrapped<collet_plugin_program_t>;
  using Kernel = Wrapped<collet_plugin_kernel_t>;
  using Plan = Wrapped<collet_plugin_plan_t>;
};

template <class Objects>
struct Forward {
  static LayerDevice& of(collet_plugin_device_t* handle) noexcept {
    return *reinterpret_cast<LayerDevice*>(handle);
  }
  static auto& of(collet_plugin_memory_t* handle) noexcept {
    return *reinterpret_cast<typename Objects::Memory*>(handle);
  }
  static auto& of(collet_plugin_stream_t* handle) noexcept {
    return *reinterpret_cast<typename Objects::Stream*>(handle);
  }
  static auto& of(collet_plugin_event_t* handle) noexcept {
    return *reinterpret_cast<typename Objects::Event*>(handle);
  }
  static auto& of(collet_plugin_program_t* handle) noexcept {
    return *reinterpret_cast<typename Objects::Program*>(handle);
  }
  static auto& of(collet_plugin_kernel_t* handle) noexcept {
    return *reinterpret_cast<typename Objects::Kernel*>(handle);
  }
  static auto& of(collet_plugin_plan_t* handle) noexcept {
    return *reinterpret_cast<typename Objects::Plan*>(handle);
  }

  template <class Handle>
  static const Tables& below(Handle* handle) noexcept {
    return of(handle).device->below;
  }

  // Hands out the object of this layer for one of the tables below; ends that one if there is no
  // memory for it.
  template <class Handle, class End, class... Description>
  static collet_status_t wrap(LayerDevice& device, Handle* made, End&& end, Handle** out,
                              const Description&... description) noexcept {
    using Object = std::remove_reference_t<decltype(of(made))>;
    try {
      *out = reinterpret_cast<Handle*>(new Object(device, made, description...));
      return COLLET_OK;
    } catch (const std::bad_alloc&) {
      end(made);
      return COLLET_ERROR_OUT_OF_HOST_MEMORY;
    }
  }

  struct Memory {
    static collet_status_t traits(collet_plugin_device_t* device, collet_memory_kind_t kind,
                                  collet_memory_traits_t* out_traits) {
      const Tables& next = of(device).below;
      return next.memory->traits(next.impl, kind, out_traits);
    }
    static collet_status_t allocate(collet_plugin_device_t* device, collet_memory_kind_t kind,
                                    std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                                    collet_plugin_memory_t** out_memory) {
      const Tables& next = of(device).below;
      collet_plugin_memory_t* made = nullptr;
      const auto status =
          next.memory->allocate(next.impl, kind, size_bytes, alignment_bytes, &made);
      return status == COLLET_OK ? wrap(of(device), made, next.memory->free, out_memory) : status;
    }
    static void free(collet_plugin_memory_t* memory) {
      below(memory).memory->free(of(memory).below);
      delete &of(memory);
    }
    static collet_status_t register_host(collet_plugin_device_t* device, void* data,
                                         std::uint64_t size_bytes,
                                         collet_plugin_memory_t** out_memory) {
      const Tables& next = of(device).below;
      collet_plugin_memory_t* made = nullptr;
      const auto status = next.memory->register_host(next.impl, data, size_bytes, &made);
      return status == COLLET_OK ? wrap(of(device), made, next.memory->free, out_memory) : status;
    }
    static collet_status_t host_pointer(collet_plugin_memory_t* memory, void** out_pointer) {
      return below(memory).memory->host_pointer(of(memory).below, out_pointer);
    }
    static collet_status_t native_pointer(collet_plugin_memory_t* memory,
                                          std::uint64_t* out_pointer) {
      return below(memory).memory->native_pointer(of(memory).below, out_pointer);
    }
    static collet_status_t info(collet_plugin_device_t* device, std::uint64_t* out_free_bytes,
                                std::uint64_t* out_total_bytes) {
      const Tables& next = of(device).below;
      return next.memory->info(next.impl, out_free_bytes, out_total_bytes);
    }

    static constexpr collet_plugin_memory_interface_t kTable{
        sizeof(collet_plugin_memory_interface_t),
        0,
        traits,
        allocate,
        free,
        register_host,
        host_pointer,
        native_pointer,
        info};
  };

  // `kBelow` is the table that calls are passed on to.
  template <const collet_plugin_stream_interface_t* Tables::*kBelow>
  struct Stream {
    static const collet_plugin_stream_interface_t& next(collet_plugin_stream_t* stream) noexcept {
      return *(below(stream).*kBelow);
    }

    static collet_status_t create(collet_plugin_device_t* device, const collet_stream_desc_t* desc,
                                  collet_plugin_stream_t** out_stream) {
      const Tables& tables = of(device).below;
      const collet_plugin_stream_interface_t& table = *(tables.*kBelow);
      collet_plugin_stream_t* made = nullptr;
      const auto status = table.create(tables.impl, desc, &made);
      return status == COLLET_OK ? wrap(of(device), made, table.destroy, out_stream, *desc)
                                 : status;
    }
    static void destroy(collet_plugin_stream_t* stream) {
      next(stream).destroy(of(stream).below);
      delete &of(stream);
    }
    static collet_status_t query(collet_plugin_stream_t* stream) {
      return next(stream).query(of(stream).below);
    }
    static collet_status_t synchronize(collet_plugin_stream_t* stream, std::uint64_t timeout_ns) {
      return next(stream).synchronize(of(stream).below, timeout_ns);
    }
    static collet_status_t failure(collet_plugin_stream_t* stream,
                                   collet_stream_failure_t* out_failure) {
      return next(stream).failure(of(stream).below, out_failure);
    }
    static collet_status_t reset(collet_plugin_stream_t* stream) {
      return next(stream).reset(of(stream).below);
    }
    static collet_status_t annotate(collet_plugin_stream_t* stream, std::uint64_t correlation_id,
                                    const char* label) {
      return next(stream).annotate(of(stream).below, correlation_id, label);
    }
    static collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                                std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                                std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
      return next(stream).copy(of(stream).below, of(dst).below, dst_offset_bytes, of(src).below,
                               src_offset_bytes, size_bytes);
    }
    static collet_status_t copy_rect(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                                     collet_plugin_memory_t* src, const collet_rect_t* rect) {
      return next(stream).copy_rect(of(stream).below, of(dst).below, of(src).below, rect);
    }
    static collet_status_t write(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                                 std::uint64_t dst_offset_bytes, const void* src,
                                 std::uint64_t size_bytes, std::uint32_t flags,
                                 std::uint64_t timeout_ns) {
      return next(stream).write(of(stream).below, of(dst).below, dst_offset_bytes, src, size_bytes,
                                flags, timeout_ns);
    }
    static collet_status_t read(collet_plugin_stream_t* stream, void* dst,
                                collet_plugin_memory_t* src, std::uint64_t src_offset_bytes,
                                std::uint64_t size_bytes, std::uint32_t flags,
                                std::uint64_t timeout_ns) {
      return next(stream).read(of(stream).below, dst, of(src).below, src_offset_bytes, size_bytes,
                               flags, timeout_ns);
    }
    static collet_status_t fill(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                                std::uint64_t dst_offset_bytes, std::uint64_t size_bytes,
                                const void* pattern, std::uint64_t pattern_size_bytes) {
      return next(stream).fill(of(stream).below, of(dst).below, dst_offset_bytes, size_bytes,
                               pattern, pattern_size_bytes);
    }
    static collet_status_t host_function(collet_plugin_stream_t* stream,
                                         collet_host_function_t function, void* user_data) {
      return next(stream).host_function(of(stream).below, function, user_data);
    }
    static collet_status_t wait_event(collet_plugin_stream_t* stream,
                                      collet_plugin_event_t* event) {
      return next(stream).wait_event(of(stream).below, of(event).below);
    }

    static constexpr collet_plugin_stream_interface_t kTable{
        sizeof(collet_plugin_stream_interface_t),
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
  };

  template <const collet_plugin_event_interface_t* Tables::*kBelow>
  struct Event {
    static const collet_plugin_event_interface_t& next(collet_plugin_event_t* event) noexcept {
      return *(below(event).*kBelow);
    }

    static collet_status_t create(collet_plugin_device_t* device, std::uint32_t flags,
                                  collet_plugin_event_t** out_event) {
      const Tables& tables = of(device).below;
      const collet_plugin_event_interface_t& table = *(tables.*kBelow);
      collet_plugin_event_t* made = nullptr;
      const auto status = table.create(tables.impl, flags, &made);
      return status == COLLET_OK ? wrap(of(device), made, table.destroy, out_event) : status;
    }
    static void destroy(collet_plugin_event_t* event) {
      next(event).destroy(of(event).below);
      delete &of(event);
    }
    static collet_status_t record(collet_plugin_event_t* event, collet_plugin_stream_t* stream) {
      return next(event).record(of(event).below, of(stream).below);
    }
    static collet_status_t query(collet_plugin_event_t* event) {
      return next(event).query(of(event).below);
    }
    static collet_status_t synchronize(collet_plugin_event_t* event, std::uint64_t timeout_ns) {
      return next(event).synchronize(of(event).below, timeout_ns);
    }
    static collet_status_t elapsed(collet_plugin_event_t* start, collet_plugin_event_t* end,
                                   std::int64_t* out_duration_ns) {
      return next(start).elapsed(of(start).below, of(end).below, out_duration_ns);
    }

    static constexpr collet_plugin_event_interface_t kTable{sizeof(collet_plugin_event_interface_t),
                                                            0,
                                                            create,
                                                            destroy,
                                                            record,
                                                            query,
                                                            synchronize,
                                                            elapsed};
  };

  struct Program {
    static collet_status_t create(collet_plugin_device_t* device, const collet_program_desc_t* desc,
                                  collet_plugin_program_t** out_program) {
      const Tables& next = of(device).below;
      collet_plugin_program_t* made = nullptr;
      const auto status = next.program->create(next.impl, desc, &made);
      return status == COLLET_OK ? wrap(of(device), made, next.program->destroy, out_program)
                                 : status;
    }
    static void destroy(collet_plugin_program_t* program) {
      below(program).program->destroy(of(program).below);
      delete &of(program);
    }
    static collet_status_t export_image(collet_plugin_program_t* program, void* out_data,
                                        std::uint64_t capacity_bytes, std::uint64_t* out_size_bytes,
                                        const char** out_format) {
      return below(program).program->export_image(of(program).below, out_data, capacity_bytes,
                                                  out_size_bytes, out_format);
    }
    static collet_status_t kernels(collet_plugin_program_t* program, const char* const** out_names,
                                   std::uint32_t* out_count) {
      return below(program).program->kernels(of(program).below, out_names, out_count);
    }
    static collet_status_t kernel_create(collet_plugin_program_t* program, const char* name,
                                         collet_plugin_kernel_t** out_kernel) {
      const collet_plugin_program_interface_t& next = *below(program).program;
      collet_plugin_kernel_t* made = nullptr;
      const auto status = next.kernel_create(of(program).below, name, &made);
      return status == COLLET_OK
                 ? wrap(*of(program).device, made, next.kernel_destroy, out_kernel, name)
                 : status;
    }
    static void kernel_destroy(collet_plugin_kernel_t* kernel) {
      below(kernel).program->kernel_destroy(of(kernel).below);
      delete &of(kernel);
    }
    static collet_status_t kernel_info(collet_plugin_kernel_t* kernel,
                                       collet_kernel_info_t* out_info) {
      return below(kernel).program->kernel_info(of(kernel).below, out_info);
    }
    static collet_status_t launch(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                                  const collet_plugin_launch_t* launch) {
      std::array<collet_plugin_argument_t, COLLET_MAX_KERNEL_ARGUMENTS> arguments;
      for (std::uint32_t i = 0; i < launch->argument_count; ++i) {
        arguments[i] = launch->arguments[i];
        if (arguments[i].memory != nullptr) {
          arguments[i].memory = of(arguments[i].memory).below;
        }
      }
      collet_plugin_launch_t own = *launch;
      own.arguments = arguments.data();
      return below(kernel).program->launch(of(stream).below, of(kernel).below, &own);
    }

    static constexpr collet_plugin_program_interface_t kTable{
        sizeof(collet_plugin_program_interface_t),
        0,
        create,
        destroy,
        export_image,
        kernels,
        kernel_create,
        kernel_destroy,
        kernel_info,
        launch};
  };

  struct Op {
    static collet_status_t query(collet_plugin_device_t* device, const collet_op_desc_t* desc,
                                 collet_op_support_t* out_support) {
      const Tables& next = of(device).below;
      return next.op->query(next.impl, desc, out_support);
    }
    static collet_status_t preferred_layout(collet_plugin_device_t* device,
                                            const collet_op_desc_t* desc, std::uint32_t operand,
                                            collet_layout_t* out_layout) {
      const Tables& next = of(device).below;
      return next.op->preferred_layout(next.impl, desc, operand, out_layout);
    }
    static collet_status_t create(collet_plugin_device_t* device, const collet_op_desc_t* desc,
                                  collet_plugin_plan_t** out_plan) {
      const Tables& next = of(device).below;
      collet_plugin_plan_t* made = nullptr;
      const auto status = next.op->create(next.impl, desc, &made);
      return status == COLLET_OK ? wrap(of(device), made, next.op->destroy, out_plan, *desc)
                                 : status;
    }
    static void destroy(collet_plugin_plan_t* plan) {
      below(plan).op->destroy(of(plan).below);
      delete &of(plan);
    }
    static collet_status_t enqueue(collet_plugin_stream_t* stream, collet_plugin_plan_t* plan,
                                   const collet_plugin_operand_t* operands,
                                   std::uint32_t operand_count, collet_plugin_memory_t* workspace,
                                   std::uint64_t workspace_offset_bytes) {
      std::array<collet_plugin_operand_t, COLLET_MAX_OPERANDS> own;
      for (std::uint32_t i = 0; i < operand_count; ++i) {
        own[i] = operands[i];
        if (own[i].memory != nullptr) {
          own[i].memory = of(own[i].memory).below;
        }
      }
      return below(plan).op->enqueue(of(stream).below, of(plan).below, own.data(), operand_count,
                                     workspace == nullptr ? nullptr : of(workspace).below,
                                     workspace_offset_bytes);
    }

    static constexpr collet_plugin_ops_interface_t kTable{sizeof(collet_plugin_ops_interface_t),
                                                          0,
                                                          query,
                                                          preferred_layout,
                                                          create,
                                                          destroy,
                                                          enqueue};
  };

  struct Pool {
    static collet_status_t allocate(collet_plugin_stream_t* stream, std::uint64_t size_bytes,
                                    std::uint64_t alignment_bytes,
                                    collet_plugin_memory_t** out_memory) {
      const collet_plugin_pool_interface_t& next = *below(stream).pool;
      collet_plugin_memory_t* made = nullptr;
      const auto status = next.allocate(of(stream).below, size_bytes, alignment_bytes, &made);
      const auto end = [&](collet_plugin_memory_t* memory) { next.free(memory, of(stream).below); };
      return status == COLLET_OK ? wrap(*of(stream).device, made, end, out_memory) : status;
    }
    static void free(collet_plugin_memory_t* memory, collet_plugin_stream_t* stream) {
      below(stream).pool->free(of(memory).below, of(stream).below);
      delete &of(memory);
    }
    static collet_status_t trim(collet_plugin_device_t* device, std::uint64_t* out_released_bytes) {
      const Tables& next = of(device).below;
      return next.pool->trim(next.impl, out_released_bytes);
    }
    static collet_status_t info(collet_plugin_device_t* device, std::uint64_t* out_reserved_bytes,
                                std::uint64_t* out_used_bytes) {
      const Tables& next = of(device).below;
      return next.pool->info(next.impl, out_reserved_bytes, out_used_bytes);
    }

    static constexpr collet_plugin_pool_interface_t kTable{
        sizeof(collet_plugin_pool_interface_t), 0, allocate, free, trim, info};
  };

  struct Peer {
    static collet_status_t connect(collet_plugin_device_t* device, collet_plugin_device_t* peer) {
      const Tables& next = of(device).below;
      return next.peer->connect(next.impl, of(peer).below.impl);
    }
    static collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                                std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                                std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
      return below(stream).peer->copy(of(stream).below, of(dst).below, dst_offset_bytes,
                                      of(src).below, src_offset_bytes, size_bytes);
    }

    static constexpr collet_plugin_peer_interface_t kTable{sizeof(collet_plugin_peer_interface_t),
                                                           0, connect, copy};
  };

  // The tables of a layer that passes all calls on.
  static Tables tables(LayerDevice& device) noexcept {
    return {reinterpret_cast<collet_plugin_device_t*>(&device),
            &Memory::kTable,
            &Stream<&Tables::stream>::kTable,
            &Event<&Tables::event>::kTable,
            &Stream<&Tables::user_stream>::kTable,
            &Event<&Tables::user_event>::kTable,
            device.below.program == nullptr ? nullptr : &Program::kTable,
            device.below.op == nullptr ? nullptr : &Op::kTable,
            device.below.pool == nullptr ? nullptr : &Pool::kTable,
            device.below.peer == nullptr ? nullptr : &Peer::kTable};
  }
};

}  // namespace collet::loader
