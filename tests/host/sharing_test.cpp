// SPDX-License-Identifier: Apache-2.0
// HOST-PRC-1: several libraries of a process that use Collet share its one instance.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace collet::test {
namespace {

template <class Function>
Function* find(void* library, const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(library, name));
  REQUIRE(function != nullptr);
  return function;
}

void* load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  return library;
}

std::string selector() {
  const char* device = std::getenv("COLLET_HOST_TEST_DEVICE");
  return device != nullptr ? device : "cpu";
}

}  // namespace

TEST_CASE("HOST-PRC-1 two libraries of a process get the same devices and see each other's") {
  void* first = load(COLLET_HOST_TEST_FIRST_BINDING);
  void* second = load(COLLET_HOST_TEST_SECOND_BINDING);
  REQUIRE(first != second);
  collet_device_t* device = nullptr;
  collet_device_t* same = nullptr;
  CHECK(find<decltype(collet_device_open)>(first, "binding_open")(selector().c_str(), &device) ==
        COLLET_OK);
  CHECK(find<decltype(collet_device_open)>(second, "binding_open")(selector().c_str(), &same) ==
        COLLET_OK);
  CHECK(device == same);
  CHECK(device == tested_device());
  REQUIRE(find<decltype(collet_current_device_set)>(first, "binding_set_current")(device) ==
          COLLET_OK);
  CHECK(collet_current_device_get(&same) == COLLET_OK);
  CHECK(same == device);
  dlclose(first);
  dlclose(second);
  CHECK(make_stream(device) != nullptr);
}

// Runs the program, and answers with its exit status; -1 for a signal.
int run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("HOST-PRC-1 Collet can be loaded at run time, and stays when it is closed") {
  CHECK(run_program({COLLET_HOST_TEST_LOADED_HOST, COLLET_HOST_TEST_LIBRARY, selector()}) == 0);
}

TEST_CASE("HOST-PRC-1 a library that uses Collet can be loaded and unloaded a hundred times") {
  CHECK(run_program({COLLET_HOST_TEST_RELOADING, COLLET_HOST_TEST_GUEST, selector(), "100"}) == 0);
}

}  // namespace collet::test
