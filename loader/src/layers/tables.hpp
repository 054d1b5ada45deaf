// SPDX-License-Identifier: Apache-2.0
// The tables of an open device: the plugin's, or those of a layer over them.
#pragma once

#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/ops.h>
#include <collet/plugin/peer.h>
#include <collet/plugin/pool.h>
#include <collet/plugin/program.h>
#include <collet/plugin/stream.h>

namespace collet::loader {

struct Tables {
  collet_plugin_device_t* impl = nullptr;
  const collet_plugin_memory_interface_t* memory = nullptr;
  // What Collet does for itself, such as looking whether released memory is free yet.
  const collet_plugin_stream_interface_t* stream = nullptr;
  const collet_plugin_event_interface_t* event = nullptr;
  // What the program asks for. The same, unless a layer tells the two apart.
  const collet_plugin_stream_interface_t* user_stream = nullptr;
  const collet_plugin_event_interface_t* user_event = nullptr;
  // nullptr: the device lacks the interface.
  const collet_plugin_program_interface_t* program = nullptr;
  const collet_plugin_ops_interface_t* op = nullptr;
  const collet_plugin_pool_interface_t* pool = nullptr;
  const collet_plugin_peer_interface_t* peer = nullptr;
};

}  // namespace collet::loader
