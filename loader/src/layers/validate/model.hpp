// SPDX-License-Identifier: Apache-2.0
// What the layer knows of each object. All of it is under the validator's mutex, but what does not
// change.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "layers/forward.hpp"
#include "layers/validate/clock.hpp"
#include "layers/validate/place.hpp"
#include "layers/validate/region.hpp"

namespace collet::loader::validate {

// A command that was enqueued.
struct Command {
  std::string what;
  std::uint32_t stream = 0;
  std::string stream_label;
  // Counts the commands of the stream, from 1.
  std::uint64_t number = 0;
  std::string label;
  Place place;
};

enum class Touch : std::uint8_t {
  kReads,
  // A kernel has the memory, and does not say what for.
  kMayWrite,
  kWrites
};

struct Access {
  Region region;
  Touch touch = Touch::kReads;
  // Touches bytes behind the region too, or does not: nobody tells which.
  bool is_open_ended = false;
  std::shared_ptr<const Command> command;
};

struct BufferFacts {
  std::uint64_t size_bytes = 0;
  std::string tag;
  Place made;
  bool is_written = false;
};

struct Memory : Wrapped<collet_plugin_memory_t> {
  using Wrapped::Wrapped;

  // Those of the program, by their offset.
  std::map<std::uint64_t, BufferFacts> buffers;
  // Of commands that may not be complete.
  std::vector<Access> accesses;
  std::uint64_t size_bytes = 0;
  // By which the host reaches it; nullptr for device memory.
  const std::byte* host = nullptr;
};

struct Stream : Wrapped<collet_plugin_stream_t> {
  Stream(LayerDevice& on, collet_plugin_stream_t* of_below, const collet_stream_desc_t& desc);

  const std::uint32_t number;
  const std::string label;
  const Place made = Place::here();
  std::uint64_t commands = 0;
  std::string annotation;
  // What the next command comes after, besides what the host knows to be complete.
  Clock before;
};

struct Event : Wrapped<collet_plugin_event_t> {
  using Wrapped::Wrapped;

  const Place made = Place::here();
  // What is complete when the event is.
  Clock recorded;
};

struct Program : Wrapped<collet_plugin_program_t> {
  using Wrapped::Wrapped;

  const Place made = Place::here();
};

struct Kernel : Wrapped<collet_plugin_kernel_t> {
  Kernel(LayerDevice& on, collet_plugin_kernel_t* of_below, const char* of_name)
      : Wrapped(on, of_below), name(of_name) {}

  const std::string name;
  const Place made = Place::here();
};

struct Plan : Wrapped<collet_plugin_plan_t> {
  Plan(LayerDevice& on, collet_plugin_plan_t* of_below, const collet_op_desc_t& desc);

  const std::string name;
  const Place made = Place::here();
  // Of each operand, from the offset that it is bound to; empty for an immediate.
  std::vector<Region> operands;
  std::uint64_t workspace_bytes = 0;
};

struct Objects {
  using Memory = validate::Memory;
  using Stream = validate::Stream;
  using Event = validate::Event;
  using Program = validate::Program;
  using Kernel = validate::Kernel;
  using Plan = validate::Plan;
};

using Layer = Forward<Objects>;

}  // namespace collet::loader::validate
