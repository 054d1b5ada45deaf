// SPDX-License-Identifier: Apache-2.0
#include "variable_names.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace collet::loader {
namespace {

// What is said of a variable on a machine with the back ends cpu and my_npu; nothing if it is read.
std::string said_of(const std::string& name) {
  const std::vector<std::string> names = {"PATH", name, "HOME"};
  const std::vector<std::string> backends = {"cpu", "my_npu"};
  std::string text;
  for (const UnreadVariable& variable : unread_variables(names, backends)) {
    text += text_of(variable);
  }
  return text;
}

TEST_CASE("HOST-ENV-1 known variables, and options of the back ends here, are read") {
  for (const char* name :
       {"COLLET_DEVICE", "COLLET_VISIBLE_DEVICES", "COLLET_PLUGIN_PATH", "COLLET_LOG",
        "COLLET_CPU_THREADS", "COLLET_CPU_X", "COLLET_MY_NPU_CORES"}) {
    CHECK(said_of(name).empty());
  }
}

TEST_CASE("HOST-ENV-1 a misspelt name is told, with the nearest known one") {
  const auto near = [](const char* name, const char* meant) {
    CHECK(said_of(name) ==
          std::string(name) + " is set, and nothing reads it; did you mean " + meant + "?");
  };
  near("COLLET_DEVIC", "COLLET_DEVICE");
  near("COLLET_DEVICES", "COLLET_DEVICE");
  near("COLLET_VISIBLE_DEVICE", "COLLET_VISIBLE_DEVICES");
  near("COLLET_PLUGINPATH", "COLLET_PLUGIN_PATH");
  near("COLLET_LOGS", "COLLET_LOG");
  near("collet_device", "COLLET_DEVICE");
  near("Collet_Log", "COLLET_LOG");
  near("collet_cpu_threads", "COLLET_CPU_THREADS");
  near("COLLET_CPUU_THREADS", "COLLET_CPU_THREADS");
}

TEST_CASE("HOST-ENV-1 a name that is nobody's is told, without a guess") {
  for (const char* name :
       {"COLLET_FROBNICATE", "COLLET_", "COLLET_CPU", "COLLET_CPU_", "COLLET_LOG_DIRECTORY"}) {
    CHECK(said_of(name) ==
          std::string(name) + " is set, and nothing reads it; `collet --help` names the variables");
  }
}

TEST_CASE("HOST-ENV-1 what may be an option of a back end that is not here is left alone") {
  CHECK(said_of("COLLET_CUDA_GRAPHS").empty());
  CHECK(said_of("COLLET_HOST_TEST_DEVICE").empty());
  CHECK(said_of("collet_dir").empty());
  CHECK(said_of("COLLETT_DEVICE").empty());
}

}  // namespace
}  // namespace collet::loader
