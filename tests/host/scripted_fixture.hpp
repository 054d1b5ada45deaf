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

// Runs a program of at least 50 calls of the plugin: as it is, and once for each call, which fails.
// Each run has a device of its own, which is checked then.
template <class Program, class Check>
void fail_each_call(const Program& program, const Check& check) {
  std::size_t calls = 0;
  {
    const ScriptedDevice on;
    program(on);
    calls = on.script.calls().size();
    check(on);
  }
  REQUIRE(calls > 50);
  for (std::size_t failing = 1; failing <= calls; ++failing) {
    INFO("call " << failing << " of the plugin fails");
    const ScriptedDevice on;
    on.script.fail_call(failing, {COLLET_ERROR_OUT_OF_HOST_MEMORY, 0, nullptr, "no more"});
    program(on);
    check(on);
  }
}

}  // namespace collet::test
