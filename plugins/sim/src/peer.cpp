// SPDX-License-Identifier: Apache-2.0
#include "peer.hpp"

#include <collet/sdk/plugin.hpp>
#include <cstring>

#include "copy.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace collet::sim {
namespace {

using plugin::from_handle;
using plugin::guarded;

collet_status_t connect(collet_plugin_device_t* device, collet_plugin_device_t* peer) {
  return guarded([&] {
    Device& from = *from_handle<Device>(device);
    static_cast<void>(from.note_call(Kind::kConnect));
    from_handle<Device>(peer)->throw_if_lost();
    from.counters().count({Kind::kConnect});
  });
}

struct PeerCopy {
  const Device& peer;
  std::byte* dst;
  const std::byte* src;
  std::uint64_t size_bytes;

  void operator()() const {
    peer.throw_if_lost();
    copy_bytes(dst, src, size_bytes);
  }
  void corrupt() const noexcept { std::memset(dst, 0, size_bytes); }
};

collet_status_t copy(collet_plugin_stream_t* stream, collet_plugin_memory_t* dst,
                     std::uint64_t dst_offset_bytes, collet_plugin_memory_t* src,
                     std::uint64_t src_offset_bytes, std::uint64_t size_bytes) {
  return guarded([&] {
    const Memory& to = *from_handle<Memory>(dst);
    const Memory& from = *from_handle<Memory>(src);
    from_handle<Stream>(stream)->enqueue({Kind::kCopyPeer,
                                          "",
                                          size_bytes,
                                          {from.access(Access::kRead, src_offset_bytes, size_bytes),
                                           to.access(Access::kWrite, dst_offset_bytes, size_bytes)},
                                          Path::kToPeer},
                                         PeerCopy{to.device(), to.data() + dst_offset_bytes,
                                                  from.data() + src_offset_bytes, size_bytes});
  });
}

constexpr collet_plugin_peer_interface_t kTable = {sizeof(collet_plugin_peer_interface_t), 0,
                                                   connect, copy};

}  // namespace

const collet_plugin_peer_interface_t* peer_interface() noexcept { return &kTable; }

}  // namespace collet::sim
