// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cstdio>
#include <new>
#include <stdexcept>

#include "call.hpp"
#include "process.hpp"
#include "runner.hpp"
#include "structs.hpp"

namespace collet::conformance {
namespace {

/** What the asking process leaves in shared memory. */
struct Answer {
  bool is_complete = false;
  char backend[64] = {};
  char version[64] = {};
  char vendor[64] = {};
  char fault[1024] = {};
  std::uint32_t device_count = 0;
  collet_device_properties_t properties = make_struct<collet_device_properties_t>();
};

template <std::size_t N>
void keep(char (&out)[N], const char* text) {
  std::snprintf(out, N, "%s", text == nullptr ? "" : text);
}

void ask(const Subject& subject, Answer& answer) {
  const Plugin plugin(subject.plugin_path);
  const collet_plugin_t& root = plugin.root();
  keep(answer.backend, plugin.name().c_str());
  keep(answer.version, root.version);
  keep(answer.vendor, root.vendor);
  const collet_status_t status = root.device_count(&answer.device_count);
  if (status != COLLET_OK) {
    keep(answer.fault,
         ("device_count: " + status_name(status) + ": " + last_report().message).c_str());
  } else if (subject.device_index >= answer.device_count) {
    keep(answer.fault, ("there is no device " + std::to_string(subject.device_index) +
                        "; the plugin has " + std::to_string(answer.device_count))
                           .c_str());
  } else if (root.device_properties(subject.device_index, &answer.properties) != COLLET_OK) {
    keep(answer.fault, ("device_properties: " + last_report().message).c_str());
  }
  answer.is_complete = true;
}

}  // namespace

Identity identify(const Subject& subject) {
  void* const page =
      mmap(nullptr, sizeof(Answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::runtime_error("no memory");
  Answer& answer = *new (page) Answer;
  const ProcessEnd end = run_in_child(
      [&] {
        try {
          ask(subject, answer);
        } catch (const LoadError& error) {
          keep(answer.fault, error.what());
          answer.is_complete = true;
        }
      },
      patience());
  Identity identity;
  identity.backend = answer.backend;
  identity.version = answer.version;
  identity.vendor = answer.vendor;
  identity.device_count = answer.device_count;
  identity.device_id = answer.properties.id;
  identity.device_name = answer.properties.name;
  identity.device_vendor = answer.properties.vendor;
  identity.driver = answer.properties.runtime_version;
  identity.fault = answer.is_complete
                       ? answer.fault
                       : "the process that asked the plugin for its name " + end.text();
  munmap(page, sizeof(Answer));
  return identity;
}

}  // namespace collet::conformance
