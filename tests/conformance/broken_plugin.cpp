// SPDX-License-Identifier: Apache-2.0
/** A plugin whose one device is described well, and does harm when it is opened. */
#include <collet/plugin.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

/** What COLLET_BROKEN says: crash, abort, hang, exit, or an ordinary failure. */
void do_harm() {
  const char* const wish = std::getenv("COLLET_BROKEN");
  const std::string harm = wish == nullptr ? "" : wish;
  std::printf("about to do harm: %s\n", harm.c_str());
  std::fflush(stdout);
  if (harm == "crash") {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
  if (harm == "abort") std::abort();
  if (harm == "exit") std::exit(EXIT_SUCCESS);
  while (harm == "hang") pause();
}

collet_status_t device_count(std::uint32_t* out_count) {
  *out_count = 1;
  return COLLET_OK;
}

collet_status_t device_properties(std::uint32_t index, collet_device_properties_t* out) {
  if (index > 0) return COLLET_ERROR_NO_SUCH_DEVICE;
  collet_device_properties_t value{};
  std::strcpy(value.id, "broken:0");
  std::strcpy(value.name, "Broken device");
  value.kind = COLLET_DEVICE_KIND_SIMULATED;
  if (out->base.struct_size <= sizeof(value.base)) return COLLET_OK;
  std::memcpy(reinterpret_cast<char*>(out) + sizeof(value.base),
              reinterpret_cast<const char*>(&value) + sizeof(value.base),
              out->base.struct_size - sizeof(value.base));
  return COLLET_OK;
}

collet_status_t device_open(std::uint32_t index, collet_plugin_device_t**) {
  if (index > 0) return COLLET_ERROR_NO_SUCH_DEVICE;
  do_harm();
  return COLLET_ERROR_UNAVAILABLE;
}

void device_close(collet_plugin_device_t*) {}

collet_status_t device_interface(collet_plugin_device_t*, collet_interface_t, const void**,
                                 const char** out_reason) {
  *out_reason = "it is broken";
  return COLLET_ERROR_UNSUPPORTED;
}

constexpr collet_plugin_t kPlugin = {sizeof(collet_plugin_t),
                                     COLLET_ABI_VERSION,
                                     "broken",
                                     "1",
                                     "Nobody",
                                     device_count,
                                     device_properties,
                                     device_open,
                                     device_close,
                                     device_interface};

}  // namespace

extern "C" COLLET_API collet_status_t collet_plugin_query_v1(const collet_host_t*,
                                                             const collet_plugin_t** out_plugin) {
  *out_plugin = &kPlugin;
  return COLLET_OK;
}
