// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills of 64 MiB, which no cache holds. GB/s count the bytes that arrive.
#include <cstddef>
#include <cstring>

#include "areas.hpp"
#include "subject.hpp"

namespace collet::bench {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;
constexpr std::uint32_t kPattern = 0x3f800000;

// Memory of the host whose pages exist.
std::vector<std::byte> host_memory() { return std::vector<std::byte>(kBytes, std::byte{1}); }

Buffer device_memory(const Stream& stream) {
  Buffer buffer = stream.allocate(kBytes);
  stream.fill(buffer, kBytes / sizeof kPattern, kPattern);
  stream.synchronize();
  return buffer;
}

Figures against_memcpy(const Batch& subject) {
  const std::vector<std::byte> in = host_memory();
  std::vector<std::byte> out = host_memory();
  const Batch reference = repeat([&] { std::memcpy(out.data(), in.data(), kBytes); });
  return as_rate(take_turns(subject, reference), static_cast<double>(kBytes));
}

Figures h2d() {
  const Stream stream(open_device("cpu"));
  const Buffer buffer = device_memory(stream);
  const std::vector<std::byte> host = host_memory();
  return against_memcpy(commands(stream, [&] {
    return collet_stream_write(stream.get(), buffer.get(), 0, host.data(), kBytes, nullptr,
                               nullptr);
  }));
}

Figures d2h() {
  const Stream stream(open_device("cpu"));
  const Buffer buffer = device_memory(stream);
  std::vector<std::byte> host = host_memory();
  return against_memcpy(commands(stream, [&] {
    return collet_stream_read(stream.get(), host.data(), buffer.get(), 0, kBytes, nullptr, nullptr);
  }));
}

Figures d2d() {
  const Stream stream(open_device("cpu"));
  const Buffer in = device_memory(stream);
  const Buffer out = device_memory(stream);
  return against_memcpy(commands(
      stream, [&] { return collet_stream_copy(stream.get(), out.get(), 0, in.get(), 0, kBytes); }));
}

Figures fill() {
  const Stream stream(open_device("cpu"));
  const Buffer buffer = device_memory(stream);
  const Batch subject = commands(stream, [&] {
    return collet_stream_fill(stream.get(), buffer.get(), 0, kBytes, &kPattern, sizeof kPattern);
  });
  std::vector<std::byte> out = host_memory();
  const Batch reference = repeat([&] { std::memset(out.data(), 1, kBytes); });
  return as_rate(take_turns(subject, reference), static_cast<double>(kBytes));
}

}  // namespace

std::vector<Row> copy_rows() {
  return {{"copy/h2d/64MiB/cpu", "GB/s", "memcpy, one thread", h2d},
          {"copy/d2h/64MiB/cpu", "GB/s", "memcpy, one thread", d2h},
          {"copy/d2d/64MiB/cpu", "GB/s", "memcpy, one thread", d2d},
          {"copy/fill/64MiB/cpu", "GB/s", "memset, one thread", fill}};
}

}  // namespace collet::bench
