// SPDX-License-Identifier: Apache-2.0
// One source for many plugins, sound and broken ones. Macros say which:
//   FAKE_NAME     name that the plugin gives itself
//   FAKE_DEVICES  number of devices
//   FAKE_COUNTED  an expression for the number of devices that it says it has
//   FAKE_KIND     their kind, FAKE_FLAGS their flags, and FAKE_MEMORY_BYTES their memory
//   FAKE_ADDRESSES  if each device has a name, a PCI address and a uuid of its own, and the first
//   is
//                   in use
//   FAKE_FAULT_x  what is wrong with it; see the uses below
//   FAKE_CONSTRUCTOR  a statement that runs while the library is loaded
//   FAKE_QUERYING     a statement that runs in the query function
//   FAKE_COUNTING     a statement that runs while devices are counted
//   FAKE_DESCRIBING   a statement that runs while a device is described
//   FAKE_GLOBAL   value of a global variable, which becomes the number of compute units
//   FAKE_MARK     every process that loads it appends a line, "NAME COMMAND", to the file that the
//                 environment variable FAKE_MARK_FILE names
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "support/fake_device.hpp"

#ifdef FAKE_MARK
// Defined beside it, so that this is compiled once for many of them.
extern "C" const char fake_name[];
#define FAKE_NAME fake_name
#endif

#ifdef FAKE_FAULT_REENTERS
#include <collet/collet.h>
#endif

#ifdef FAKE_GLOBAL
// The same name in several plugins.
extern "C" COLLET_API int fake_global;
int fake_global = FAKE_GLOBAL;
#endif

namespace {

const collet_host_t* host = nullptr;

[[maybe_unused]] void mark() {
  const char* path = std::getenv("FAKE_MARK_FILE");
  const int file = path != nullptr ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
  const std::string line = std::string(FAKE_NAME) + " " + program_invocation_short_name + "\n";
  if (file >= 0 && write(file, line.data(), line.size()) < 0) {
    std::perror("FAKE_MARK_FILE");
  }
  close(file);
}

[[noreturn, maybe_unused]] void hang() {
  for (;;) {
    pause();
  }
}

[[noreturn, maybe_unused]] void spin() {
  for (volatile unsigned turns = 0;;) {
    turns = turns + 1;
  }
}

[[maybe_unused]] void crash() { std::raise(SIGSEGV); }

// Noise must not be taken for an answer.
[[maybe_unused]] void print_noise() {
  for (int i = 0; i < 10000; ++i) {
    std::puts("a driver's banner");
    std::fputs("a driver's complaint\n", stderr);
  }
  std::fflush(stdout);
}

#ifdef FAKE_CONSTRUCTOR
[[gnu::constructor]] void construct() { FAKE_CONSTRUCTOR; }
#endif

[[maybe_unused]] collet_status_t fail(collet_status_t status, const char* message) {
  const auto* errors =
      static_cast<const collet_host_error_t*>(host->get_interface(host, COLLET_HOST_ERROR_V1));
  errors->report(host, status, 35, "FAKE_ERROR", message);
  return status;
}

// Whether Collet may be entered from a call of its own: it has to refuse.
[[maybe_unused]] collet_status_t call_back() {
#ifdef FAKE_FAULT_REENTERS
  std::uint32_t count = 0;
  const collet_status_t status = collet_device_count(FAKE_NAME, &count);
  return fail(COLLET_ERROR_UNAVAILABLE, collet_status_name(status));
#else
  return COLLET_OK;
#endif
}

#ifdef FAKE_FAULT_UNDEFINED_SYMBOL
}  // namespace
extern "C" void collet_test_symbol_that_nobody_defines();
namespace {
#endif

collet_status_t device_count([[maybe_unused]] std::uint32_t* out_count) {
#ifdef FAKE_COUNTING
  FAKE_COUNTING;
#endif
#if defined(FAKE_FAULT_COUNT_REPORTS)
  return fail(COLLET_ERROR_UNAVAILABLE, "libfake.so.1 not found (no driver on this machine)");
#elif defined(FAKE_FAULT_COUNT_SILENT)
  // A report of an earlier call must not be taken for this one's.
  return COLLET_ERROR_UNAVAILABLE;
#elif defined(FAKE_FAULT_COUNT_THROWS)
  throw std::runtime_error("driver not found");
#elif defined(FAKE_FAULT_COUNT_THROWS_NUMBER)
  throw 35;
#elif defined(FAKE_FAULT_REENTERS)
  return call_back();
#elif defined(FAKE_FAULT_UNDEFINED_SYMBOL)
  collet_test_symbol_that_nobody_defines();
#endif
#ifdef FAKE_COUNTED
  *out_count = static_cast<std::uint32_t>(FAKE_COUNTED);
#else
  *out_count = FAKE_DEVICES;
#endif
  return COLLET_OK;
}

constexpr std::uint32_t kDevices = FAKE_DEVICES;

collet_status_t device_properties(std::uint32_t index, collet_device_properties_t* out_properties) {
  if (index + 1 > kDevices) {
    return fail(COLLET_ERROR_NO_SUCH_DEVICE, "no such fake device");
  }
#ifdef FAKE_DESCRIBING
  FAKE_DESCRIBING;
#endif
#ifdef FAKE_FAULT_PROPERTIES_REPORT
  return fail(COLLET_ERROR_DEVICE_LOST, "the fake device does not answer");
#endif
  collet::test::fake_properties(FAKE_KIND, FAKE_MEMORY_BYTES, out_properties);
#ifdef FAKE_FLAGS
  out_properties->flags = FAKE_FLAGS;
#endif
#ifdef FAKE_ADDRESSES
  const std::string number = std::to_string(index);
  ("Fake device " + number).copy(out_properties->name, sizeof out_properties->name - 1);
  ("0000:0" + number + ":00.0")
      .copy(out_properties->pci_address, sizeof out_properties->pci_address - 1);
  ("GPU-00000000-fake-0000-0000-00000000000" + number)
      .copy(out_properties->uuid, sizeof out_properties->uuid - 1);
#endif
#ifdef FAKE_GLOBAL
  out_properties->compute_units = static_cast<std::uint32_t>(fake_global);
#endif
#ifdef FAKE_FAULT_GARBAGE_TEXT
  std::memset(out_properties->name, '\xff', sizeof out_properties->name);
  std::memset(out_properties->id, '\x1b', sizeof out_properties->id);
#endif
  return COLLET_OK;
}

[[maybe_unused]] collet_status_t device_open(std::uint32_t index,
                                             [[maybe_unused]] collet_plugin_device_t** out_device) {
#if defined(FAKE_FAULT_OPEN_REPORTS)
  return fail(index == 0 ? COLLET_ERROR_UNAVAILABLE : COLLET_ERROR_DEVICE_LOST,
              "the fake device is in use by another process");
#elif defined(FAKE_FAULT_OPEN_THROWS)
  throw std::runtime_error("cannot open " + std::to_string(index));
#else
#ifdef FAKE_ADDRESSES
  if (index == 0) {
    return fail(COLLET_ERROR_UNAVAILABLE, "the fake device 0 is in use by another process");
  }
#endif
  return collet::test::fake_device_open(index, out_device);
#endif
}

collet_status_t device_interface(collet_plugin_device_t* device, collet_interface_t id,
                                 const void** out_table, const char** out_reason) {
#if defined(FAKE_FAULT_NULL_MEMORY_SLOT)
  static collet_plugin_memory_interface_t memory = collet::test::kFakeMemory;
  memory.host_pointer = nullptr;
  if (id == COLLET_INTERFACE_MEMORY_V1) {
    *out_table = &memory;
    return COLLET_OK;
  }
#elif defined(FAKE_FAULT_NULL_MEMORY_TABLE)
  if (id == COLLET_INTERFACE_MEMORY_V1) {
    *out_table = nullptr;
    return COLLET_OK;
  }
#elif defined(FAKE_FAULT_NO_EVENT_TABLE)
  if (id == COLLET_INTERFACE_EVENT_V1) {
    *out_reason = "events are planned";
    return COLLET_ERROR_UNSUPPORTED;
  }
#endif
  return collet::test::fake_device_interface(device, id, out_table, out_reason);
}

#ifndef FAKE_ABI_VERSION
#define FAKE_ABI_VERSION COLLET_ABI_VERSION
#endif
#ifndef FAKE_ROOT_SIZE
#define FAKE_ROOT_SIZE sizeof(collet_plugin_t)
#endif

constexpr collet_plugin_t kRoot = {
    FAKE_ROOT_SIZE,
    FAKE_ABI_VERSION,
    FAKE_NAME,
    "1.2.3",
    "Collet's tests",
    device_count,
    device_properties,
#ifdef FAKE_FAULT_NULL_ROOT_SLOT
    nullptr,
#else
    device_open,
#endif
    collet::test::fake_device_close,
    device_interface,
};

}  // namespace

#ifdef FAKE_FAULT_TWO_QUERIES
extern "C" COLLET_API const collet_plugin_t* collet_plugin_query_v2() { return &kRoot; }
#endif
#ifdef FAKE_FAULT_CLASH
collet_status_t collet_stream_synchronize(collet_stream_t*, std::uint64_t) { return COLLET_OK; }
#endif
#ifdef FAKE_FAULT_MISSING_LIBRARY
extern "C" int fake_library_one();
extern "C" int fake_library_two();
extern "C" COLLET_API int fake_uses_libraries() { return fake_library_one() + fake_library_two(); }
#endif

#ifdef FAKE_FAULT_NO_SYMBOL
extern "C" COLLET_API const collet_plugin_t* collet_plugin_query_v0() { return &kRoot; }
#else
collet_status_t collet_plugin_query_v1(const collet_host_t* given_host,
                                       const collet_plugin_t** out_plugin) {
  host = given_host;
#ifdef FAKE_MARK
  mark();
#endif
#ifdef FAKE_QUERYING
  FAKE_QUERYING;
#endif
#if defined(FAKE_FAULT_NULL_ROOT)
  *out_plugin = nullptr;
  return COLLET_OK;
#elif defined(FAKE_FAULT_QUERY_REFUSES)
  return fail(COLLET_ERROR_INCOMPATIBLE, "needs a host of ABI 1.7");
#elif defined(FAKE_FAULT_QUERY_THROWS)
  throw std::runtime_error("thrown by the query");
#endif
#ifdef FAKE_OPTION
  const auto* options =
      static_cast<const collet_host_options_t*>(host->get_interface(host, COLLET_HOST_OPTIONS_V1));
  const auto* log =
      static_cast<const collet_host_log_t*>(host->get_interface(host, COLLET_HOST_LOG_V1));
  const char* value = options->get(host, FAKE_OPTION);
  log->write(host, COLLET_LOG_WARN, value != nullptr ? value : "option not set");
#endif
  *out_plugin = &kRoot;
  return COLLET_OK;
}
#endif
