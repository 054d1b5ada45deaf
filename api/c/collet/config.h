/* SPDX-License-Identifier: Apache-2.0 */
/** Process-wide configuration: made once, at first use, from this and from the environment. */
#ifndef COLLET_CONFIG_H
#define COLLET_CONFIG_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

/** Importance of a log line. A level includes those above it. */
typedef enum collet_log_level_t {
  COLLET_LOG_OFF = 0,
  COLLET_LOG_ERROR = 1,
  COLLET_LOG_WARN = 2,
  COLLET_LOG_INFO = 3,
  COLLET_LOG_DEBUG = 4,
  COLLET_LOG_TRACE = 5,
  COLLET_LOG_LEVEL_MAX = 0x7fffffff
} collet_log_level_t;

/**
 * Receives a log line. `text` has no line end and is valid during the call only.
 * May be called from any thread, several at once, and must not call Collet.
 */
typedef void (*collet_log_callback_t)(void *user_data, collet_log_level_t level, const char *text);

/**
 * Configuration of the process. A field that is NULL or 0 takes the environment's value, or else
 * the default; a field that is set wins over the environment.
 */
typedef struct collet_config_t {
  collet_struct_t base;
  /** As COLLET_PLUGIN_PATH: folders, separated by ':'. */
  const char *plugin_path;
  /** As COLLET_DEVICE: the device that collet_device_open_default() opens. */
  const char *device;
  /** As COLLET_VISIBLE_DEVICES: the devices that exist for the process. Empty: none. */
  const char *visible_devices;
  /** As COLLET_MEMORY: how the devices' own allocators work. */
  const char *memory;
  /** Receives log lines in place of stderr. */
  collet_log_callback_t log_callback;
  void *log_user_data;
  /** Used with `log_callback`; COLLET_LOG_OFF here means COLLET_LOG_WARN. */
  collet_log_level_t log_level;
} collet_config_t;

#define COLLET_CONFIG_INIT COLLET_DESCRIPTOR_INIT(collet_config_t, COLLET_STRUCT_CONFIG)

/**
 * Sets the process's configuration, before anything else is used.
 *
 * @param[in] config  Copied; texts too.
 *
 * @retval COLLET_OK                   The configuration is set.
 * @retval COLLET_ERROR_INVALID_STATE  Collet is in use already, or configured already.
 * On error the configuration is as before.
 *
 * @lifetime     `log_user_data` must outlive the process's use of Collet.
 * @threadsafety Any thread; of two concurrent calls one succeeds.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_configure(const collet_config_t *config);

COLLET_END_DECLS

#endif
