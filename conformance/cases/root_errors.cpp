// SPDX-License-Identifier: Apache-2.0
/** Calls that must fail: nothing is thrown, and each says why. */
#include <functional>
#include <string>
#include <vector>

#include "conformance.hpp"
#include "program.hpp"

namespace collet::conformance {
namespace {

struct FailingCall {
  std::string name;
  collet_status_t expected;
  std::function<collet_status_t()> make;
};

/** Calls that fail on every device, as long as `stream` is gated. */
std::vector<FailingCall> failing_calls(Test& test, const Stream& stream, const Memory& memory,
                                       std::vector<std::uint8_t>& host) {
  Device& device = test.device();
  const collet_plugin_t& root = test.plugin().root();
  std::vector<FailingCall> calls;
  calls.push_back({"device_properties of no device", COLLET_ERROR_NO_SUCH_DEVICE, [&root] {
                     auto out = make_struct<collet_device_properties_t>();
                     return call("root.device_properties", root.device_properties, UINT32_MAX,
                                 &out);
                   }});
  calls.push_back({"device_open of no device", COLLET_ERROR_NO_SUCH_DEVICE, [&root] {
                     collet_plugin_device_t* out = nullptr;
                     return call("root.device_open", root.device_open, UINT32_MAX, &out);
                   }});
  for (const std::uint64_t size : {UINT64_MAX, UINT64_MAX - 63, UINT64_MAX / 2}) {
    calls.push_back({"allocating " + std::to_string(size) + " bytes",
                     COLLET_ERROR_OUT_OF_DEVICE_MEMORY, [&device, size] {
                       collet_plugin_memory_t* out = nullptr;
                       return try_allocate(device, COLLET_MEMORY_DEVICE, size, 0, &out);
                     }});
  }
  calls.push_back({"synchronizing a gated stream", COLLET_ERROR_TIMEOUT,
                   [&stream] { return stream.synchronize(0); }});
  calls.push_back({"reading behind a gate", COLLET_ERROR_TIMEOUT,
                   [&] { return stream.read(host.data(), memory, 0, host.size(), 0, 1); }});
  calls.push_back({"writing behind a gate", COLLET_ERROR_TIMEOUT,
                   [&] { return stream.write(memory, 0, host.data(), host.size(), 0, 1); }});
  return calls;
}

std::vector<FailingCall> failing_program_calls(Device& device, const Program& program) {
  static const std::string kText = "this is no program";
  return {{"a program of an unknown format", COLLET_ERROR_UNSUPPORTED,
           [&device] {
             std::string log;
             collet_plugin_program_t* out = nullptr;
             return try_create_program(device, {{"no-such-format", kText.data(), kText.size()}},
                                       log, &out);
           }},
          {"a program of a malformed image", COLLET_ERROR_BUILD_FAILED,
           [&device] {
             std::string log;
             collet_plugin_program_t* out = nullptr;
             return try_create_program(
                 device, {{image_for(device).format, kText.data(), kText.size()}}, log, &out);
           }},
          {"a kernel that there is not", COLLET_ERROR_NOT_FOUND, [&device, &program] {
             collet_plugin_kernel_t* out = nullptr;
             return call("program.kernel_create", device.program().kernel_create, program.handle(),
                         "no_such_kernel", &out);
           }}};
}

void expect_reported(const FailingCall& failing) {
  const std::uint64_t before = last_report().count;
  expect_status(failing.make(), failing.expected, failing.name);
  const Report& report = last_report();
  expect(report.count > before, failing.name + " failed without a report");
  if (report.status != failing.expected) {
    fail(failing.name + " returned " + status_name(failing.expected) + " and reported " +
         status_name(report.status));
  }
  expect(!report.message.empty(), failing.name + " reported no text");
}

}  // namespace

CONFORMANCE_CASE("PLUG-ROOT-6 no exception leaves a call that fails", clauses("PLUG-ROOT-6"),
                 kMandatory, does("Makes calls that must fail, many times.")) {
  Device& device = test.device();
  const Memory memory(device, 64);
  const Stream stream(device);
  std::vector<std::uint8_t> host(64);
  const Gate gate(stream);
  for (const FailingCall& failing : failing_calls(test, stream, memory, host)) {
    for (int i = 0; i < 3; ++i) expect_status(failing.make(), failing.expected, failing.name);
  }
}

CONFORMANCE_CASE("PLUG-ROOT-6 no exception leaves a program call that fails",
                 clauses("PLUG-ROOT-6"), needs(Capability::kPrograms),
                 does("Makes program calls that must fail.")) {
  Device& device = test.device();
  const Program program(device);
  for (const FailingCall& failing : failing_program_calls(device, program)) {
    expect_status(failing.make(), failing.expected, failing.name);
  }
}

CONFORMANCE_CASE("PLUG-ROOT-7 a failing call has reported the status that it returns",
                 clauses("PLUG-ROOT-7"), kMandatory,
                 does("Makes calls that must fail, and looks at the report of each.")) {
  Device& device = test.device();
  const Memory memory(device, 64);
  const Stream stream(device);
  std::vector<std::uint8_t> host(64);
  const Gate gate(stream);
  for (const FailingCall& failing : failing_calls(test, stream, memory, host)) {
    expect_reported(failing);
  }
}

CONFORMANCE_CASE("PLUG-ROOT-7 a failing program call has reported the status that it returns",
                 clauses("PLUG-ROOT-7"), needs(Capability::kPrograms),
                 does("Makes program calls that must fail, and looks at the report of each.")) {
  Device& device = test.device();
  const Program program(device);
  for (const FailingCall& failing : failing_program_calls(device, program)) {
    expect_reported(failing);
  }
}

CONFORMANCE_CASE("PLUG-ROOT-7 reports of several threads do not mix", clauses("PLUG-ROOT-7"),
                 kStress, does("Four threads make different calls that fail, at once.")) {
  Device& device = test.device();
  const collet_plugin_t& root = test.plugin().root();
  run_threads(4, [&](std::size_t index) {
    for (int i = 0; i < 200; ++i) {
      if (index % 2 == 0) {
        expect_reported({"device_open of no device", COLLET_ERROR_NO_SUCH_DEVICE, [&] {
                           collet_plugin_device_t* out = nullptr;
                           return call("root.device_open", root.device_open, UINT32_MAX, &out);
                         }});
      } else {
        expect_reported({"allocating too much", COLLET_ERROR_OUT_OF_DEVICE_MEMORY, [&] {
                           collet_plugin_memory_t* out = nullptr;
                           return try_allocate(device, COLLET_MEMORY_DEVICE, UINT64_MAX, 0, &out);
                         }});
      }
    }
  });
}

}  // namespace collet::conformance
