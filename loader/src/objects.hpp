// SPDX-License-Identifier: Apache-2.0
// What the handles name, apart from devices.
//
// The struct in the slot carries what the hot path needs: the device, the table and the plugin's
// object. What must outlive the handle (a stream that a buffer belongs to, a program that a kernel
// comes from) is shared.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device.hpp"
#include "handle.hpp"
#include "pool/waiting_releases.hpp"

namespace collet::loader {

class AllocatorState;

// A plugin's stream; destroyed with its handle, or with the last buffer that was used on it.
struct StreamState {
  StreamState(Device& on, const collet_stream_desc_t& desc);
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  Device& device;
  const std::uint32_t flags;
  const std::int32_t priority;
  const std::string label;
  // Counts the streams of the process, from 1.
  const std::uint32_t number;
  collet_plugin_stream_t* impl = nullptr;
  // Of the device's own allocator, by kind of memory; nullptr before the first use.
  std::array<std::atomic<Arena*>, 3> arenas{};
  // Released memory that waits for this stream.
  UseQueue waiting;
};

struct Stream {
  static constexpr Kind kKind = Kind::kStream;

  explicit Stream(std::shared_ptr<StreamState> shared);

  Device* device;
  const collet_plugin_stream_interface_t* table;
  collet_plugin_stream_t* impl;
  std::shared_ptr<StreamState> state;
};

struct Allocator {
  static constexpr Kind kKind = Kind::kAllocator;

  // Closes the state with its end, unless that is the device's own.
  explicit Allocator(AllocatorState& shared);
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  Device* device;
  AllocatorState* state;
};

struct Buffer {
  static constexpr Kind kKind = Kind::kBuffer;

  // A used block of a pool, which goes back there with the buffer's end. `uses` are the streams,
  // apart from its arena's, that use it from the start; or nullptr.
  Buffer(Device& on, collet_memory_kind_t memory_kind, Block& of_pool, std::uint64_t size,
         std::uint64_t alignment, std::unique_ptr<UsedBlock> uses);
  // Memory of the caller, which the plugin has registered. Takes the registration over, unless it
  // throws.
  Buffer(Device& on, collet_plugin_memory_t* registered, void* data, std::uint64_t size);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void use_on(const std::shared_ptr<StreamState>& stream);

  Device* device;
  // Where the buffer begins in the plugin's memory.
  collet_plugin_memory_t* memory;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes;
  std::uint64_t alignment_bytes;
  collet_memory_kind_t kind;
  // nullptr: memory of the caller, or the buffer is to end without its block.
  Block* block = nullptr;
  // Streams apart from the arena's that use it; nullptr for none.
  std::unique_ptr<UsedBlock> used;
  // In a list of kept buffers.
  Buffer* next_cached = nullptr;

 private:
  // Memory of the caller.
  void* registered_ = nullptr;
  // Of `used`.
  std::mutex mutex_;
};

struct Event {
  static constexpr Kind kKind = Kind::kEvent;

  Event(Device& on, std::uint32_t flags);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Device* device;
  const collet_plugin_event_interface_t* table;
  collet_plugin_event_t* impl = nullptr;
};

// A plugin's program; destroyed with the last program handle or kernel that needs it.
struct ProgramState {
  ProgramState(Device& on, const collet_program_desc_t& desc);
  ~ProgramState();
  ProgramState(const ProgramState&) = delete;
  ProgramState& operator=(const ProgramState&) = delete;

  Device& device;
  const collet_plugin_program_interface_t& table;
  collet_plugin_program_t* impl = nullptr;
};

struct Program {
  static constexpr Kind kKind = Kind::kProgram;

  std::shared_ptr<ProgramState> state;
};

struct Kernel {
  static constexpr Kind kKind = Kind::kKernel;

  Kernel(std::shared_ptr<ProgramState> program, const char* name);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Device* device;
  const collet_plugin_program_interface_t* table;
  collet_plugin_kernel_t* impl = nullptr;
  collet_kernel_info_t info{};

 private:
  std::shared_ptr<ProgramState> program_;
};

struct CompiledPlan;

struct Plan {
  static constexpr Kind kKind = Kind::kPlan;

  explicit Plan(std::shared_ptr<const CompiledPlan> shared);

  Device* device;
  const collet_plugin_ops_interface_t* table;
  collet_plugin_plan_t* impl;
  std::shared_ptr<const CompiledPlan> compiled;
};

// The object that a handle names, or nullptr.
inline Device* find(collet_device_t* handle) { return SlotPool<Device>::find(handle); }
inline Stream* find(collet_stream_t* handle) { return SlotPool<Stream>::find(handle); }
inline Allocator* find(collet_allocator_t* handle) { return SlotPool<Allocator>::find(handle); }
inline Buffer* find(collet_buffer_t* handle) { return SlotPool<Buffer>::find(handle); }
inline Event* find(collet_event_t* handle) { return SlotPool<Event>::find(handle); }
inline Program* find(collet_program_t* handle) { return SlotPool<Program>::find(handle); }
inline Kernel* find(collet_kernel_t* handle) { return SlotPool<Kernel>::find(handle); }
inline Plan* find(collet_plan_t* handle) { return SlotPool<Plan>::find(handle); }

}  // namespace collet::loader
