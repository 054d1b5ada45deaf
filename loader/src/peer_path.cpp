// SPDX-License-Identifier: Apache-2.0
#include "peer_path.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "error.hpp"
#include "log.hpp"
#include "stage.hpp"

namespace collet::loader {
namespace {

// Some pages, since it is pages that platforms mistake.
constexpr std::uint64_t kPatternBytes = std::uint64_t{64} << 10;

using Bytes = std::vector<unsigned char>;
template <class Handle>
using Owned = std::unique_ptr<Handle, void (*)(Handle*)>;

// No two words are alike, so that what comes from another place is seen.
Bytes pattern() {
  Bytes bytes(kPatternBytes);
  for (std::uint32_t i = 0; i < kPatternBytes / sizeof i; ++i) {
    const std::uint32_t word = (i + 1) * 0x9e3779b1U;
    std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
  }
  return bytes;
}

// One end of the pattern's way: a stream and memory of a device. They are used as a program's are,
// so that layers see all of it.
class End {
 public:
  explicit End(Device& device)
      : device_(device), stream_(make_stream(device)), memory_(make_memory(device)) {}

  [[nodiscard]] collet_plugin_memory_t* memory() const noexcept { return memory_.get(); }

  void write(const Bytes& bytes) const {
    check(table().write(stream_.get(), memory_.get(), 0, bytes.data(), bytes.size(), 0,
                        COLLET_TIMEOUT_INFINITE));
  }
  [[nodiscard]] Bytes read() const {
    Bytes bytes(kPatternBytes);
    check(table().read(stream_.get(), bytes.data(), memory_.get(), 0, bytes.size(), 0,
                       COLLET_TIMEOUT_INFINITE));
    return bytes;
  }
  void copy_to(const End& peer) const {
    check(device_.peer->copy(stream_.get(), peer.memory(), 0, memory_.get(), 0, kPatternBytes));
    check(table().synchronize(stream_.get(), COLLET_TIMEOUT_INFINITE));
  }

 private:
  static Owned<collet_plugin_stream_t> make_stream(const Device& device) {
    collet_stream_desc_t desc = COLLET_STREAM_DESC_INIT;
    desc.priority =
        std::clamp(0, device.properties.priority_greatest, device.properties.priority_least);
    collet_plugin_stream_t* made = nullptr;
    check(device, device.user_stream->create(device.impl, &desc, &made));
    return {made, device.user_stream->destroy};
  }
  static Owned<collet_plugin_memory_t> make_memory(const Device& device) {
    collet_plugin_memory_t* made = nullptr;
    check(device,
          device.memory->allocate(device.impl, COLLET_MEMORY_DEVICE, kPatternBytes, 0, &made));
    return {made, device.memory->free};
  }
  static void check(const Device& device, collet_status_t status) {
    if (status != COLLET_OK) {
      throw_plugin_error(status, device.backend_name);
    }
  }
  void check(collet_status_t status) const { check(device_, status); }
  [[nodiscard]] const collet_plugin_stream_interface_t& table() const noexcept {
    return *device_.user_stream;
  }

  const Device& device_;
  Owned<collet_plugin_stream_t> stream_;
  Owned<collet_plugin_memory_t> memory_;
};

// What the way does to the pattern; empty where that arrives.
std::string fault_of(Device& from, Device& to) {
  const Bytes sent = pattern();
  Bytes other = sent;
  for (unsigned char& byte : other) {
    byte ^= 0xff;
  }
  const End source(from);
  const End target(to);
  source.write(sent);
  target.write(other);
  try {
    source.copy_to(target);
  } catch (const Error& error) {
    return "fail: " + error.message();
  }
  const Bytes arrived = target.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    wrong += sent[i] != arrived[i] ? 1 : 0;
  }
  return wrong == 0 ? ""
                    : "have brought " + std::to_string(wrong) + " wrong bytes of the " +
                          std::to_string(sent.size()) + " of a test pattern";
}

// Throws where it cannot be found out.
bool is_sound(Device& from, Device& to) {
  const std::string names = "from " + std::string(from.label()) + " to " + to.label();
  if (const auto status = from.peer->connect(from.impl, to.impl); status != COLLET_OK) {
    const Error error = plugin_error(status, from.backend_name);
    log(COLLET_LOG_INFO, "copies " + names + " go through host memory: " + error.message());
    return false;
  }
  const std::string fault = fault_of(from, to);
  if (!fault.empty()) {
    log(COLLET_LOG_WARN,
        "direct copies " + names + " " + fault +
            "; from now on they go through host memory, which is right and slower. Look whether an "
            "IOMMU or PCIe access control (ACS) is in the way of peer access, and for a newer "
            "driver");
  }
  return fault.empty();
}

struct Path {
  Stage trial;
  bool is_direct = false;
};

Path& path_of(const Device& from, const Device& to) {
  // Never destroyed: copies may come from static destructors.
  static auto& mutex = *new std::mutex;
  static auto& paths = *new std::map<std::pair<const Device*, const Device*>, Path>;
  const std::lock_guard lock(mutex);
  return paths[{&from, &to}];
}

}  // namespace

bool goes_directly(Device& from, Device& to) {
  if (from.peer == nullptr || &from.backend != &to.backend) {
    return false;
  }
  Path& path = path_of(from, to);
  if (path.trial.begin()) {
    StageWork work(path.trial);
    try {
      path.is_direct = is_sound(from, to);
    } catch (const Error&) {
      return false;
    }
    work.end();
  }
  return path.is_direct;
}

}  // namespace collet::loader
