// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include "tools.hpp"

namespace collet::mutants {

MUTANT("peer1-source-offset", "PLUG-PEER-1", "a copy to a peer ignores the offset of its source") {
  plugin.peer.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto, auto size) {
    return good().peer->copy(stream, dst, dst_offset, src, 0, size);
  };
}

MUTANT("peer1-destination-offset", "PLUG-PEER-1",
       "a copy to a peer ignores the offset of its destination") {
  plugin.peer.copy = [](auto* stream, auto* dst, auto, auto* src, auto src_offset, auto size) {
    return good().peer->copy(stream, dst, 0, src, src_offset, size);
  };
}

MUTANT("peer1-tail", "PLUG-PEER-1", "the last bytes of a copy to a peer (size mod 16) are lost") {
  plugin.peer.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                        auto size) {
    return good().peer->copy(stream, dst, dst_offset, src, src_offset, size / 16 * 16);
  };
}

MUTANT("peer1-empty", "PLUG-PEER-1", "a copy of no bytes to a peer is refused") {
  plugin.peer.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                        auto size) {
    if (size == 0) return COLLET_ERROR_INVALID_ARGUMENT;
    return good().peer->copy(stream, dst, dst_offset, src, src_offset, size);
  };
}

MUTANT("peer2-early", "PLUG-PEER-2", "a copy to a peer does not wait for its stream") {
  plugin.peer.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                        auto size) {
    // Of the same device, so that the plugin does what the clause is about.
    static auto& sides = notes<collet_plugin_stream_t, collet_plugin_stream_t*, 701>();
    collet_plugin_stream_t* const side = *sides.find(stream);
    const collet_status_t status = good().peer->copy(side, dst, dst_offset, src, src_offset, size);
    if (status != COLLET_OK) return status;
    return good().stream->synchronize(side, COLLET_TIMEOUT_INFINITE);
  };
  plugin.stream.create = [](auto* device, auto* desc, auto** out) {
    const collet_status_t status = good().stream->create(device, desc, out);
    collet_plugin_stream_t* side = nullptr;
    if (status == COLLET_OK && good().stream->create(device, desc, &side) == COLLET_OK) {
      notes<collet_plugin_stream_t, collet_plugin_stream_t*, 701>().of(*out) = side;
    }
    return status;
  };
}

MUTANT("peer2-waits", "PLUG-PEER-2", "a copy to a peer waits for its stream", kFatal) {
  plugin.peer.copy = [](auto* stream, auto* dst, auto dst_offset, auto* src, auto src_offset,
                        auto size) {
    good().stream->synchronize(stream, COLLET_TIMEOUT_INFINITE);
    return good().peer->copy(stream, dst, dst_offset, src, src_offset, size);
  };
}

MUTANT("peer3-again", "PLUG-PEER-3", "devices that are connected cannot be connected again") {
  plugin.peer.connect = [](auto* device, auto* peer) {
    static auto& done = *new std::set<std::pair<void*, void*>>;
    if (!done.emplace(device, peer).second) return COLLET_ERROR_INVALID_STATE;
    return good().peer->connect(device, peer);
  };
}

}  // namespace collet::mutants
