// SPDX-License-Identifier: Apache-2.0
/** The host's side of the interface: what a plugin is given to report, log and read options. */
#pragma once

#include <collet/plugin.h>

#include <cstdint>
#include <string>

namespace collet::conformance {

/** What the plugin has reported on this thread. */
struct Report {
  collet_status_t status = COLLET_OK;
  std::int64_t native_code = 0;
  std::string native_name;
  std::string message;
  /** How many reports this thread has had. */
  std::uint64_t count = 0;
};

/** The calling thread's latest report. */
[[nodiscard]] const Report& last_report() noexcept;

/** Services for one plugin. They live until the process ends. */
class Host {
 public:
  /**
   * @param backend      Names the options: `threads` of "cpu" is COLLET_CPU_THREADS.
   * @param abi_version  What the host claims to be.
   * @param struct_size  Size that it claims for the table; a newer host's is greater.
   */
  static Host& create(const std::string& backend, std::uint32_t abi_version = COLLET_ABI_VERSION,
                      std::uint32_t struct_size = sizeof(collet_host_t));

  [[nodiscard]] const collet_host_t* table() const noexcept { return &wide_.table; }

 private:
  /** The table that the plugin sees, with room behind it for what a newer host would have. */
  struct Wide {
    collet_host_t table;
    std::uint64_t newer_fields[8];
    Host* owner;
  };

  Host(const std::string& backend, std::uint32_t abi_version, std::uint32_t struct_size);

  static Host& of(const collet_host_t* host) noexcept;
  static const void* get_interface(const collet_host_t* host, collet_host_interface_t id);
  static void write_log(const collet_host_t* host, collet_log_level_t level, const char* text);
  static const char* get_option(const collet_host_t* host, const char* name);

  Wide wide_;
  std::string prefix_;
};

}  // namespace collet::conformance
