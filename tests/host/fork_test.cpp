// SPDX-License-Identifier: Apache-2.0
// HOST-PRC-2: every exported function in a forked child.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "objects.hpp"

namespace collet::test {
namespace {

// What a child has to say: the first function with a wrong answer, or nothing.
struct Report {
  char text[256];
};

void ask_without_handles(Report& report) {
  std::uint32_t count = 0;
  const char* text = nullptr;
  collet_device_t* device = nullptr;
  auto info = out_struct<collet_backend_info_t>(COLLET_STRUCT_BACKEND_INFO);
  auto properties = out_struct<collet_device_properties_t>(COLLET_STRUCT_DEVICE_PROPERTIES);
  const auto config = out_struct<collet_config_t>(COLLET_STRUCT_CONFIG);
  const collet_status_t statuses[] = {
      collet_backend_count(&count),
      collet_backend_info(0, &info),
      collet_backend_search_text(&text),
      collet_device_count("cpu", &count),
      collet_device_describe("cpu", 0, &properties),
      collet_device_open("cpu", &device),
      collet_device_open_default(&device),
      collet_current_device_get(&device),
      collet_current_device_set(nullptr),
      collet_configure(&config),
  };
  for (std::size_t i = 0; i < std::size(statuses); ++i) {
    if (statuses[i] != COLLET_ERROR_FORKED) {
      std::snprintf(report.text, sizeof report.text, "call %zu answers %s", i,
                    collet_status_name(statuses[i]));
    }
  }
}

void release_all(const Objects& objects) {
  collet_plan_release(objects.plan.get());
  collet_kernel_release(objects.kernel.get());
  collet_program_release(objects.program.get());
  collet_event_release(objects.event.get());
  collet_buffer_release(objects.buffer.get());
  collet_stream_release(objects.stream.get());
}

void ask_all(const Objects& objects, const std::vector<HandleUse>& uses, Report& report) {
  for (const HandleUse& use : uses) {
    for (void* handle : {use.sound, static_cast<void*>(nullptr)}) {
      const collet_status_t status = use.call(handle);
      if (status != COLLET_ERROR_FORKED) {
        std::snprintf(report.text, sizeof report.text, "%s, argument %s, answers %s",
                      use.function.c_str(), use.argument.c_str(), collet_status_name(status));
      }
    }
  }
  if (std::strstr(collet_last_error()->message, "fork") == nullptr) {
    std::snprintf(report.text, sizeof report.text, "the message is %s",
                  collet_last_error()->message);
  }
  ask_without_handles(report);
  release_all(objects);
}

}  // namespace

TEST_CASE("HOST-PRC-2 every function answers a forked child with FORKED, and at once") {
  Objects objects(tested_device());
  const auto uses = handle_uses(objects);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    // A call that waits is a failure.
    alarm(30);
    const std::clock_t start = std::clock();
    Report report{};
    ask_all(objects, uses, report);
    if (std::clock() - start > CLOCKS_PER_SEC) {
      std::strcpy(report.text, "it took more than a second");
    }
    const bool sent = ::write(ends[1], &report, sizeof report) == sizeof report;
    _exit(sent ? 0 : 1);
  }
  Report report{};
  REQUIRE(::read(ends[0], &report, sizeof report) == sizeof report);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(std::string(report.text) == "");
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  close(ends[0]);
  close(ends[1]);
  // The parent goes on.
  write(objects.stream, objects.buffer, Bytes(64, 1));
  CHECK(read(objects.stream, objects.buffer, 64) == Bytes(64, 1));
}

}  // namespace collet::test
