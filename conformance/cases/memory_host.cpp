// SPDX-License-Identifier: Apache-2.0
/** Memory that host and device both reach. */
#include <algorithm>
#include <vector>

#include "conformance.hpp"

namespace collet::conformance {
namespace {

constexpr std::size_t kSize = 5000;

void put_at(std::uint8_t* address, const Bytes& bytes) {
  std::copy(bytes.begin(), bytes.end(), address);
}

Bytes bytes_at(const std::uint8_t* address, std::size_t size) { return {address, address + size}; }

/** What the host writes, the device reads, and the other way round. */
void expect_two_views(Device& device, const Memory& memory) {
  const Memory other(device, memory.size());
  const Stream stream(device);
  std::uint8_t* const address = memory.host_pointer();
  for (std::uint64_t round = 0; round < 3; ++round) {
    const Bytes sent = payload(memory.size(), round);
    put_at(address, sent);
    expect_ok(stream.copy(other, 0, memory, 0, memory.size()), "copy");
    expect_bytes(stream.download(other), sent, "what the device read of the host's bytes");

    const Bytes returned = payload(memory.size(), round + 100);
    stream.upload(other, returned);
    expect_ok(stream.copy(memory, 0, other, 0, memory.size()), "copy");
    stream.finish();
    expect_bytes(bytes_at(address, memory.size()), returned,
                 "what the host read of the device's bytes");
  }
}

/** The device reads what the host has written by the time that its command runs. */
void expect_order(Device& device, const Memory& memory) {
  const Memory other(device, memory.size());
  const Stream stream(device);
  std::uint8_t* const address = memory.host_pointer();
  const Bytes late = payload(memory.size(), 11);
  put_at(address, complement(late));
  Gate gate(stream);
  expect_ok(stream.copy(other, 0, memory, 0, memory.size()), "copy");
  gate.wait_until_reached();
  put_at(address, late);
  gate.open();
  expect_bytes(stream.download(other), late, "what the device read after the host had written");
}

}  // namespace

CONFORMANCE_CASE("PLUG-MEM-5 pinned memory is one memory for host and device",
                 clauses("PLUG-MEM-5"), needs(Capability::kPinnedMemory),
                 does("Writes on one side and reads on the other, in stream order.")) {
  Device& device = test.device();
  const Memory memory(device, kSize, COLLET_MEMORY_PINNED);
  expect_two_views(device, memory);
  expect_order(device, memory);
}

CONFORMANCE_CASE("PLUG-MEM-5 shared memory is one memory for host and device",
                 clauses("PLUG-MEM-5"), needs(Capability::kSharedMemory),
                 does("Writes on one side and reads on the other, in stream order.")) {
  Device& device = test.device();
  const Memory memory(device, kSize, COLLET_MEMORY_SHARED);
  expect_two_views(device, memory);
  expect_order(device, memory);
}

CONFORMANCE_CASE("PLUG-MEM-5 registered memory is the caller's own", clauses("PLUG-MEM-5"),
                 needs(Capability::kPinnedMemory),
                 does("Registers a part of a host allocation, and looks at the bytes around it.")) {
  Device& device = test.device();
  std::vector<std::uint8_t> host(kSize + 200, 0x77);
  collet_plugin_memory_t* handle = nullptr;
  const collet_status_t status = call("memory.register_host", device.memory().register_host,
                                      device.handle(), host.data() + 100, kSize, &handle);
  if (status == COLLET_ERROR_UNSUPPORTED) not_supported("pinned memory: not of the caller");
  expect_ok(status, "register_host");
  {
    const Memory memory(device, handle, kSize);
    expect(memory.host_pointer() == host.data() + 100, "registered memory has another address");
    expect_two_views(device, memory);
    expect_order(device, memory);
  }
  const Bytes around(100, 0x77);
  expect_bytes(part_of(host, 0, 100), around, "bytes before the registered memory");
  expect_bytes(part_of(host, kSize + 100, 100), around, "bytes after the registered memory");
}

}  // namespace collet::conformance
