// SPDX-License-Identifier: Apache-2.0
#include "layers/launch_blocking.hpp"

namespace collet::loader {
namespace {

using Layer = Forward<PlainObjects>;
using Stream = Layer::Stream<&Tables::user_stream>;

// A function of a table that enqueues a command, and then waits for it.
template <auto kEnqueue>
struct Blocking;
template <class... Args, collet_status_t (*kEnqueue)(collet_plugin_stream_t*, Args...)>
struct Blocking<kEnqueue> {
  static collet_status_t call(collet_plugin_stream_t* stream, Args... args) {
    const auto status = kEnqueue(stream, args...);
    return status == COLLET_OK ? Stream::synchronize(stream, COLLET_TIMEOUT_INFINITE) : status;
  }
};

// Host functions and waits do not fail by themselves, and they may be waiting for what the program
// does next; so they are not waited for.
constexpr collet_plugin_stream_interface_t stream_table() {
  collet_plugin_stream_interface_t table = Stream::kTable;
  table.copy = Blocking<&Stream::copy>::call;
  table.copy_rect = Blocking<&Stream::copy_rect>::call;
  table.write = Blocking<&Stream::write>::call;
  table.read = Blocking<&Stream::read>::call;
  table.fill = Blocking<&Stream::fill>::call;
  return table;
}
constexpr collet_plugin_program_interface_t program_table() {
  collet_plugin_program_interface_t table = Layer::Program::kTable;
  table.launch = Blocking<&Layer::Program::launch>::call;
  return table;
}
constexpr collet_plugin_ops_interface_t op_table() {
  collet_plugin_ops_interface_t table = Layer::Op::kTable;
  table.enqueue = Blocking<&Layer::Op::enqueue>::call;
  return table;
}

constexpr collet_plugin_peer_interface_t peer_table() {
  collet_plugin_peer_interface_t table = Layer::Peer::kTable;
  table.copy = Blocking<&Layer::Peer::copy>::call;
  return table;
}

constexpr collet_plugin_stream_interface_t kStream = stream_table();
constexpr collet_plugin_program_interface_t kProgram = program_table();
constexpr collet_plugin_ops_interface_t kOp = op_table();
constexpr collet_plugin_peer_interface_t kPeer = peer_table();

}  // namespace

Tables launch_blocking(LayerDevice& device) noexcept {
  Tables tables = Layer::tables(device);
  tables.user_stream = &kStream;
  if (tables.program != nullptr) {
    tables.program = &kProgram;
  }
  if (tables.op != nullptr) {
    tables.op = &kOp;
  }
  if (tables.peer != nullptr) {
    tables.peer = &kPeer;
  }
  return tables;
}

}  // namespace collet::loader
