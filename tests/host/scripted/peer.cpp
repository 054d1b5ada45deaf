// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "objects.hpp"

namespace collet::test {
namespace {

collet_status_t connect(collet_plugin_device_t* device, collet_plugin_device_t* peer) {
  return scripted("peer.connect", std::to_string(device->index) + ' ' + std::to_string(peer->index),
                  [] { return COLLET_OK; });
}

// Takes effect at once. The script may have it bring other bytes.
collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return scripted("peer.copy", stream->name + ' ' + std::to_string(size_bytes), [&] {
    std::memcpy(dst->data + dst_offset_bytes, src->data + src_offset_bytes, size_bytes);
    if (script().is_peer_broken) {
      dst->data[dst_offset_bytes + size_bytes - 1] ^= std::byte{1};
    }
    return COLLET_OK;
  });
}

}  // namespace

const collet_plugin_peer_interface_t kPeer{sizeof(collet_plugin_peer_interface_t), 0, connect,
                                           copy};

}  // namespace collet::test
