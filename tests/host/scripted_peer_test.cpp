// SPDX-License-Identifier: Apache-2.0
// HOST-CPY-6 and HOST-CPY-7: which copies go directly from device to device.
//
// What is found out of two devices holds for the process, so each case is run in one of its own.
#include <collet/config.h>

#include <algorithm>

#include "scripted_fixture.hpp"

namespace collet::test {
namespace {

constexpr std::uint64_t kSize = 256;

std::vector<std::string>& warnings() {
  static auto& lines = *new std::vector<std::string>;
  return lines;
}

// scripted:0 copies directly to scripted:1, and not the other way.
struct Pair : ScriptedDevice {
  Pair() {
    write(first, source, bytes);
    write(second, target, Bytes(kSize, 0xee));
  }

  collet_status_t copy() const {
    return COLLET_CALL(collet_stream_copy_across, second.get(), target.get(), 8, first.get(),
                       source.get(), 3, 100, nullptr);
  }
  // Whether that has moved its range.
  bool has_arrived() const {
    Bytes expected(kSize, 0xee);
    std::copy_n(bytes.begin() + 3, 100, expected.begin() + 8);
    return read(second, target, kSize) == expected;
  }

  collet_device_t* peer = open_device("scripted:1");
  const Stream first = make_stream(device);
  const Stream second = make_stream(peer);
  const Buffer source = allocate(first, kSize);
  const Buffer target = allocate(second, kSize);
  const Bytes bytes = [] {
    Bytes result(kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
      result[i] = static_cast<unsigned char>(i);
    }
    return result;
  }();
};

// Collects warnings; for the first use.
void collect_warnings() {
  collet_config_t config = COLLET_CONFIG_INIT;
  config.log_callback = [](void* /*user_data*/, collet_log_level_t level, const char* text) {
    if (level == COLLET_LOG_WARN) {
      warnings().emplace_back(text);
    }
  };
  REQUIRE(collet_configure(&config) == COLLET_OK);
}

}  // namespace

TEST_CASE("HOST-CPY-6 a copy goes directly once a pattern has arrived, which is sent once") {
  const Pair on;
  const std::uint64_t before = on.script.free_bytes;
  REQUIRE(on.copy() == COLLET_OK);
  CHECK(on.has_arrived());
  CHECK(on.script.count("peer.connect 0 1") == 1);
  // The pattern, and the copy.
  CHECK(on.script.count("peer.copy") == 2);
  CHECK(on.script.free_bytes == before);
  REQUIRE(on.copy() == COLLET_OK);
  CHECK(on.script.count("peer.connect") == 1);
  CHECK(on.script.count("peer.copy") == 3);
  CHECK(on.calls_of("peer.copy s1 100") == 2);
}

TEST_CASE("HOST-CPY-6 copies of other memory, or without a way, go through host memory") {
  const Pair on;
  const Buffer pinned = allocate(on.first, kSize, COLLET_MEMORY_PINNED);
  write(on.first, pinned, on.bytes);
  REQUIRE(collet_stream_copy_across(on.second.get(), on.target.get(), 0, on.first.get(),
                                    pinned.get(), 0, kSize, nullptr) == COLLET_OK);
  CHECK(read(on.second, on.target, kSize) == on.bytes);
  write(on.second, on.target, Bytes(kSize, 7));
  REQUIRE(collet_stream_copy_across(on.first.get(), on.source.get(), 0, on.second.get(),
                                    on.target.get(), 0, kSize, nullptr) == COLLET_OK);
  CHECK(read(on.first, on.source, kSize) == Bytes(kSize, 7));
  CHECK(on.calls_of("peer.") == 0);
}

TEST_CASE("HOST-CPY-6 a copy inside one device is a copy of the device") {
  const Pair on;
  const Buffer other = allocate(on.first, kSize);
  const std::size_t reads = on.script.count("stream.read");
  REQUIRE(collet_stream_copy_across(on.first.get(), other.get(), 0, on.first.get(), on.source.get(),
                                    0, kSize, nullptr) == COLLET_OK);
  CHECK(on.script.count("stream.copy") == 1);
  CHECK(on.script.count("stream.read") == reads);
  CHECK(read(on.first, other, kSize) == on.bytes);
}

TEST_CASE("HOST-CPY-6 where devices cannot be connected, copies go through host memory") {
  collect_warnings();
  const Pair on;
  on.script.fail("peer.connect", {COLLET_ERROR_UNSUPPORTED, 0, nullptr, "too far away"}, 9);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(on.copy() == COLLET_OK);
    CHECK(on.has_arrived());
  }
  CHECK(on.script.count("peer.connect") == 1);
  CHECK(on.script.count("peer.copy") == 0);
  CHECK(warnings().empty());
}

TEST_CASE("HOST-CPY-7 where the pattern is changed on its way, no copy ever goes directly") {
  collect_warnings();
  const Pair on;
  on.script.is_peer_broken = true;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(on.copy() == COLLET_OK);
    CHECK(on.has_arrived());
    // What it becomes later does not matter.
    on.script.is_peer_broken = false;
  }
  CHECK(on.script.count("peer.copy") == 1);
  REQUIRE(warnings().size() == 1);
  CHECK(warnings()[0] ==
        "direct copies from scripted:0 to scripted:1 have brought 1 wrong bytes of the 65536 of a "
        "test pattern; from now on they go through host memory, which is right and slower. Look "
        "whether an IOMMU or PCIe access control (ACS) is in the way of peer access, and for a "
        "newer driver");
}

TEST_CASE("HOST-CPY-7 where the pattern's copy fails, no copy ever goes directly") {
  collect_warnings();
  const Pair on;
  on.script.fail("peer.copy", {COLLET_ERROR_INTERNAL, 0, nullptr, "the bridge is down"});
  for (int i = 0; i < 3; ++i) {
    REQUIRE(on.copy() == COLLET_OK);
    CHECK(on.has_arrived());
  }
  CHECK(on.script.count("peer.copy") == 1);
  REQUIRE(warnings().size() == 1);
  CHECK(warnings()[0].find("fail: the bridge is down; from now on") != std::string::npos);
}

TEST_CASE("HOST-CPY-7 without room for the pattern nothing is decided") {
  const Pair on;
  const std::uint64_t room = std::exchange(on.script.free_bytes, 0);
  REQUIRE(on.copy() == COLLET_OK);
  CHECK(on.has_arrived());
  CHECK(on.script.count("peer.copy") == 0);
  on.script.free_bytes = room;
  REQUIRE(on.copy() == COLLET_OK);
  CHECK(on.script.count("peer.copy") == 2);
}

}  // namespace collet::test
