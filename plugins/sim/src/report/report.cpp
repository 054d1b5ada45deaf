// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <unistd.h>

#include <cerrno>
#include <collet/sdk/host.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "../device.hpp"

namespace collet::sim {
namespace {

const System* reported = nullptr;
pid_t reporting_process = 0;

std::string member(const char* name, std::uint64_t value) {
  return "\"" + std::string(name) + "\": " + std::to_string(value);
}

/** Names of devices are plain text: nothing has to be escaped. */
std::string text_of(const Device& device) {
  const Counters& counters = device.counters();
  std::string text = R"(    {"id": ")" + device.name() + "\",\n     ";
  text += device.is_lost() ? "\"lost\": true,\n     " : "\"lost\": false,\n     ";
  text += "\"done\": {";
  for (std::size_t i = 0; i < kKinds; ++i) {
    text += (i == 0 ? "" : ", ") + member(name_of(static_cast<Kind>(i)), counters.done[i]);
  }
  text += "},\n     " + member("failed", counters.failed) + ",\n     " +
          member("conflicts", counters.conflicts) + ",\n     \"bytes\": {";
  text += member("to_device", counters.to_device_bytes) + ", ";
  text += member("from_device", counters.from_device_bytes) + ", ";
  text += member("to_peers", counters.to_peers_bytes) + ", ";
  text += member("inside", counters.inside_bytes) + "},\n     ";
  text += member("waits", counters.waits) + ",\n     ";
  return text + member("peak_memory_bytes", device.peak_memory_bytes()) + "}";
}

std::string text_of(const System& system) {
  std::string text = "{\n  \"devices\": [\n";
  const char* separator = "";
  for (const Device& device : system.devices()) {
    text += separator + text_of(device);
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

void write_report() {
  if (getpid() != reporting_process) return;
  const std::string text = text_of(*reported);
  const std::string& path = reported->settings().report;
  std::FILE* const file = std::fopen(path.c_str(), "we");
  bool is_written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  is_written = file != nullptr && std::fclose(file) == 0 && is_written;
  if (is_written) return;
  plugin::host().log(COLLET_LOG_ERROR, "COLLET_SIM_REPORT: cannot write \"" + path +
                                           "\": " + std::generic_category().message(errno));
}

}  // namespace

void report_at_exit(const System& system) {
  reported = &system;
  reporting_process = getpid();
  std::atexit(write_report);
}

}  // namespace collet::sim
