/* SPDX-License-Identifier: Apache-2.0 */
/** Services that the host offers to a plugin. */
#ifndef COLLET_PLUGIN_HOST_H
#define COLLET_PLUGIN_HOST_H

#include <collet/config.h>

COLLET_BEGIN_DECLS

typedef struct collet_host_t collet_host_t;

typedef enum collet_host_interface_t {
  COLLET_HOST_LOG_V1 = 101,
  COLLET_HOST_ERROR_V1 = 201,
  COLLET_HOST_OPTIONS_V1 = 301,
  COLLET_HOST_INTERFACE_MAX = 0x7fffffff
} collet_host_interface_t;

/** Given to collet_plugin_query_v1(); each plugin has its own. */
struct collet_host_t {
  uint32_t struct_size;
  /** COLLET_ABI_VERSION of the host. */
  uint32_t abi_version;
  /** Version of the host, for messages. */
  const char *version;
  /**
   * Gives a table of services, or NULL for an id that this host does not know. The three V1
   * interfaces are always there.
   * @threadsafety Any thread. @blocking Never.
   */
  const void *(*get_interface)(const collet_host_t *host, collet_host_interface_t id);
};

/** COLLET_HOST_LOG_V1. Plugins do not link a logger, and do not write to stdout or stderr. */
typedef struct collet_host_log_t {
  uint32_t struct_size;
  uint32_t reserved;
  /**
   * Writes a log line, if its level is enabled.
   * @threadsafety Any thread. @blocking May write to a file.
   */
  void (*write)(const collet_host_t *host, collet_log_level_t level, const char *text);
  /** 1: lines of this level go somewhere. @threadsafety Any thread. @blocking Never. */
  uint32_t (*enabled)(const collet_host_t *host, collet_log_level_t level);
} collet_host_log_t;

/** COLLET_HOST_ERROR_V1: why the current call of the plugin is about to fail. */
typedef struct collet_host_error_t {
  uint32_t struct_size;
  uint32_t reserved;
  /**
   * Sets the calling thread's report. The host takes it if the call then returns `status`.
   *
   * @param[in] native_code  Code of the vendor's runtime; 0 where there is none.
   * @param[in] native_name  Its name, e.g. "CUDA_ERROR_NO_DEVICE"; may be NULL.
   * @param[in] message      What, where, and what to do. Copied.
   * @threadsafety Any thread. @blocking Never.
   */
  void (*report)(const collet_host_t *host, collet_status_t status, int64_t native_code,
                 const char *native_name, const char *message);
} collet_host_error_t;

/** COLLET_HOST_OPTIONS_V1: settings of this plugin. */
typedef struct collet_host_options_t {
  uint32_t struct_size;
  uint32_t reserved;
  /**
   * Returns the value of an option, or NULL where it is not set.
   *
   * Option `threads` of the back end `cpu` is the environment variable COLLET_CPU_THREADS.
   *
   * @lifetime The text lives as long as the process.
   * @threadsafety Any thread. @blocking Never.
   */
  const char *(*get)(const collet_host_t *host, const char *name);
} collet_host_options_t;

COLLET_END_DECLS

#endif
