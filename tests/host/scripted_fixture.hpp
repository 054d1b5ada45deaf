// SPDX-License-Identifier: Apache-2.0
// A device that does what its script says.
#pragma once

#include "objects.hpp"
#include "scripted/script.hpp"

namespace collet::test {

struct ScriptedDevice {
  ScriptedDevice() { script.reset(); }

  // Number of calls of the plugin's functions of that table, e.g. "stream.".
  std::size_t calls_of(const std::string& table) const {
    std::size_t count = 0;
    for (const std::string& call : script.calls()) {
      count += call.rfind(table, 0) == 0 ? 1 : 0;
    }
    return count;
  }

  // A stream whose commands stay incomplete; the first one is "s1".
  Stream held_stream() const {
    script.hold_new_streams();
    return make_stream(device);
  }

  // Records a command that does not complete on a held stream.
  static void occupy(const Stream& stream, const Buffer& buffer) {
    const unsigned char zero = 0;
    REQUIRE(collet_stream_fill(stream.get(), buffer.get(), 0, 1, &zero, 1) == COLLET_OK);
  }

  Script& script = Script::of("scripted");
  collet_device_t* device = open_device("scripted:0");
};

}  // namespace collet::test
