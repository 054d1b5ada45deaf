// SPDX-License-Identifier: Apache-2.0
// One object of each kind, and every way to hand one to an exported function.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace collet::test {

struct Objects {
  // Programs, kernels and plans are left out where the device has none.
  explicit Objects(collet_device_t* on);

  collet_device_t* device;
  // What the plan is made of: it fills a buffer.
  std::vector<collet_layout_t> layouts = fill_layouts();
  Stream stream;
  Buffer buffer;
  Buffer other;
  Allocator allocator;
  Event event;
  Event other_event;
  Program program;
  // Takes a buffer and a scalar of 4 bytes.
  Kernel kernel;
  Plan plan;
};

enum class HandleKind { kDevice, kStream, kBuffer, kEvent, kProgram, kKernel, kPlan, kAllocator };

// One argument of an exported function that takes a handle, and a call with sound values for all
// other arguments.
struct HandleUse {
  std::string function;
  std::string argument;
  HandleKind kind;
  std::function<collet_status_t(void*)> call;
  // A handle that the call takes; nullptr where the device has none.
  void* sound = nullptr;
};

// `objects` must outlive what is returned.
std::vector<HandleUse> handle_uses(Objects& objects);

// The handle of a kind; nullptr where the device has no such object.
void* handle_of(const Objects& objects, HandleKind kind);

// The image of a program that the device takes; without data where there is none.
struct ProgramImage {
  std::string format;
  Bytes data;
};
ProgramImage sample_image(collet_device_t* device);

}  // namespace collet::test
