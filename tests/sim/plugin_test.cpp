// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::test {
namespace {

constexpr int kEnded = 7;

TEST_CASE("PLUG-ROOT-1 the root table names the back end") {
  CHECK(std::string(plugin().root->name) == "sim");
  CHECK(plugin().root->abi_version == COLLET_ABI_VERSION);
  CHECK(plugin().root->struct_size == sizeof(collet_plugin_t));
}

TEST_CASE("PLUG-ROOT-3 what a simulated device lacks is answered with a reason") {
  for (const int id : {COLLET_INTERFACE_OPS_V1 + 0, COLLET_INTERFACE_GRAPH_X1 + 0,
                       COLLET_INTERFACE_FAULT_X1 + 0, 102}) {
    const void* table = nullptr;
    const char* reason = nullptr;
    CHECK(plugin().root->device_interface(plugin().device, static_cast<collet_interface_t>(id),
                                          &table, &reason) == COLLET_ERROR_UNSUPPORTED);
    CHECK(table == nullptr);
    REQUIRE(reason != nullptr);
    CHECK(last_report().message == reason);
    CHECK(std::strlen(reason) > 10);
  }
}

TEST_CASE("PLUG-ROOT-8 the process ends with a gate shut and commands behind it") {
  // A process of its own, and not only a fork: the threads of the plugin do not come along.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    execl("/proc/self/exe", "sim_plugin_test", "[.exit]", nullptr);
    _exit(1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == kEnded);
}

TEST_CASE("what that process does", "[.exit]") {
  // Never destroyed, and known to a sanitizer that looks for leaks.
  static auto& gate = *new Gate;
  static auto& stream = *new Stream;
  static auto& held = *new Stream;
  static auto& event = *new Event;
  gate.shut(stream);
  REQUIRE(event.record(stream) == COLLET_OK);
  REQUIRE(event.hold(held) == COLLET_OK);
  gate.wait_until_reached();
  std::exit(kEnded);
}

}  // namespace
}  // namespace collet::test
