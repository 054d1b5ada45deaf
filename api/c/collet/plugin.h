/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a plugin implements. A plugin is a shared library `libcollet_<name>.so` that exports one
 * symbol, collet_plugin_query_v1(), and does everything else through tables of functions.
 *
 * Common contract of all table functions:
 * - The host has checked arguments before it calls: handles are live objects of this plugin and of
 *   the right kind, ranges lie inside their memory, enums and flags are known, out pointers are
 *   not NULL. Where a plugin must check itself, the function says so.
 * - Any function may be called from any thread, several at once; calls on one stream are
 *   serialized by the plugin.
 * - Out parameters are written on success only; on error nothing is half done.
 * - A failing function first reports to COLLET_HOST_ERROR_V1, then returns the status.
 * - No exception leaves a function, and no function ends the process.
 * - No work is done by static or thread-local destructors: at exit the driver may be gone.
 */
#ifndef COLLET_PLUGIN_H
#define COLLET_PLUGIN_H

#include <collet/device.h>
#include <collet/error.h>
#include <collet/plugin/host.h>

COLLET_BEGIN_DECLS

/* Objects of a plugin. Their content is the plugin's own. */
typedef struct collet_plugin_device_t collet_plugin_device_t;
typedef struct collet_plugin_memory_t collet_plugin_memory_t;
typedef struct collet_plugin_stream_t collet_plugin_stream_t;
typedef struct collet_plugin_event_t collet_plugin_event_t;
typedef struct collet_plugin_program_t collet_plugin_program_t;
typedef struct collet_plugin_kernel_t collet_plugin_kernel_t;
typedef struct collet_plugin_plan_t collet_plugin_plan_t;

/** Tables that a device may offer. The last two digits are the version. */
typedef enum collet_interface_t {
  COLLET_INTERFACE_MEMORY_V1 = 101,
  COLLET_INTERFACE_STREAM_V1 = 201,
  COLLET_INTERFACE_EVENT_V1 = 301,
  COLLET_INTERFACE_PROGRAM_V1 = 401,
  COLLET_INTERFACE_OPS_V1 = 501,
  COLLET_INTERFACE_PEER_V1 = 701,
  COLLET_INTERFACE_POOL_V1 = 1201,
  /* Experimental: see plugin/experimental.h. */
  COLLET_INTERFACE_GRAPH_X1 = 600,
  COLLET_INTERFACE_EXTERNAL_X1 = 800,
  COLLET_INTERFACE_COLLECTIVE_X1 = 900,
  COLLET_INTERFACE_PROFILE_X1 = 1000,
  COLLET_INTERFACE_FAULT_X1 = 1100,
  COLLET_INTERFACE_MAX = 0x7fffffff
} collet_interface_t;

/** The root table. Memory, stream and event are mandatory interfaces of every device. */
typedef struct collet_plugin_t {
  uint32_t struct_size;
  /** COLLET_ABI_VERSION of the headers that the plugin was built with. */
  uint32_t abi_version;
  /** Name of the back end: [a-z][a-z0-9_]*, and the file is called libcollet_<name>.so. */
  const char *name;
  /** Version of the plugin, and who makes it. */
  const char *version;
  const char *vendor;

  /**
   * Counts the devices. The number and order do not change during the process.
   *
   * @retval COLLET_OK                 `*out_count` is set; it may be 0.
   * @retval COLLET_ERROR_UNAVAILABLE  The driver is missing or unusable; the text says what.
   * @blocking May start the driver.
   */
  collet_status_t (*device_count)(uint32_t *out_count);

  /**
   * Describes a device without opening it. Writes at most `out_properties->base.struct_size`
   * bytes, and not the head.
   *
   * @retval COLLET_OK                    `*out_properties` is filled.
   * @retval COLLET_ERROR_NO_SUCH_DEVICE  There is no such index (the plugin checks).
   * @blocking May start the driver.
   */
  collet_status_t (*device_properties)(uint32_t index, collet_device_properties_t *out_properties);

  /**
   * Opens a device. The host opens each device once at a time.
   *
   * @retval COLLET_OK                    `*out_device` is open.
   * @retval COLLET_ERROR_NO_SUCH_DEVICE  There is no such index (the plugin checks).
   * @retval COLLET_ERROR_UNAVAILABLE     The device exists but cannot be used; the text says why.
   * @blocking May start the driver.
   */
  collet_status_t (*device_open)(uint32_t index, collet_plugin_device_t **out_device);

  /**
   * Closes a device whose objects have all been destroyed. Succeeds on a lost device.
   * @blocking May wait for the device.
   */
  void (*device_close)(collet_plugin_device_t *device);

  /**
   * Gives a table of a device. A table that is given has no NULL slot and lives as long as the
   * process.
   *
   * @param[out] out_reason  Set with UNSUPPORTED: why the table is absent; static.
   *
   * @retval COLLET_OK                 `*out_table` points to the table of that id.
   * @retval COLLET_ERROR_UNSUPPORTED  The device has no such interface (unknown ids included).
   * @blocking Never.
   */
  collet_status_t (*device_interface)(collet_plugin_device_t *device, collet_interface_t id,
                                      const void **out_table, const char **out_reason);
} collet_plugin_t;

/**
 * The one exported symbol: gives the root table.
 *
 * Touches no device and starts no thread. Called once, before anything else.
 *
 * @param[in]  host        Services of the host; lives as long as the process.
 * @param[out] out_plugin  The root table; lives as long as the process.
 *
 * @retval COLLET_OK                  `*out_plugin` is set.
 * @retval COLLET_ERROR_INCOMPATIBLE  The plugin needs a newer host than `host->abi_version`.
 */
COLLET_API collet_status_t collet_plugin_query_v1(const collet_host_t *host,
                                                  const collet_plugin_t **out_plugin);

typedef collet_status_t (*collet_plugin_query_fn_t)(const collet_host_t *host,
                                                    const collet_plugin_t **out_plugin);
#define COLLET_PLUGIN_QUERY_SYMBOL "collet_plugin_query_v1"

COLLET_END_DECLS

#endif
