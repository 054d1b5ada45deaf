/* SPDX-License-Identifier: Apache-2.0 */
/** Back ends and devices: which exist, what they can do, and how one is opened. */
#ifndef COLLET_DEVICE_H
#define COLLET_DEVICE_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

typedef enum collet_device_kind_t {
  COLLET_DEVICE_KIND_CPU = 1,
  COLLET_DEVICE_KIND_GPU = 2,
  COLLET_DEVICE_KIND_ACCELERATOR = 3,
  /** Exists to test programs. Never chosen by "auto". */
  COLLET_DEVICE_KIND_SIMULATED = 4,
  COLLET_DEVICE_KIND_MAX = 0x7fffffff
} collet_device_kind_t;

/** Facts about a device that are true or false. */
typedef enum collet_device_flag_t {
  /** Device memory may be read and written through a host pointer. */
  COLLET_DEVICE_HOST_VISIBLE = 1 << 0,
  /** Device and host share one physical memory. */
  COLLET_DEVICE_UNIFIED_MEMORY = 1 << 1,
  /** Streams without COLLET_STREAM_BACKGROUND run their commands in the enqueuing thread. */
  COLLET_DEVICE_INLINE_STREAMS = 1 << 2,
  /**
   * The driver compiles sources inside this process: nothing bounds the time and the memory that
   * a source takes which was made to exhaust them.
   */
  COLLET_DEVICE_DRIVER_COMPILES = 1 << 3,
  COLLET_DEVICE_FLAG_MAX = 0x7fffffff
} collet_device_flag_t;

/**
 * Properties of a device. Texts are UTF-8, end with NUL, and are empty where nothing is known; a
 * number that is not known is 0. Type sets have bit `1 << collet_type_t`.
 */
typedef struct collet_device_properties_t {
  collet_struct_t base;
  /** The selector of this device, such as "cpu:0". */
  char id[64];
  char name[128];
  char vendor[64];
  /** Capability or architecture in the vendor's own terms, such as "9.0" or "AVX-512". */
  char capability[64];
  /** Version of the driver or library that runs, and that which the plugin was built against. */
  char runtime_version[64];
  char built_against[64];
  /** "0000:65:00.0" */
  char pci_address[32];
  char uuid[48];
  /** Names of program formats the device takes, best first, separated by spaces. */
  char program_formats[128];
  /**
   * Identity of the compiler behind the source formats: another text where it would make other code
   * of the same source and options. What is kept of built programs is kept under it.
   */
  char compiler[128];
  collet_device_kind_t kind;
  /** Set of collet_device_flag_t. */
  uint32_t flags;
  uint32_t compute_units;
  /** -1: not known. */
  int32_t numa_node;
  uint64_t memory_bytes;
  uint64_t max_allocation_bytes;
  /** Bytes of local memory that one work-group may use. */
  uint64_t local_memory_bytes;
  /** Most work-items of a group, in all and along each axis; most groups along each axis. */
  uint32_t max_group_items;
  uint32_t max_group_size[3];
  uint64_t max_grid_size[3];
  uint32_t sub_group_size;
  /** Range of stream priorities; a smaller number is more urgent. */
  int32_t priority_least;
  int32_t priority_greatest;
  /** DLDeviceType of DLPack. */
  int32_t dlpack_device_type;
  /** Element types that arithmetic runs on natively, and by conversion. */
  uint32_t native_types;
  uint32_t emulated_types;
  /**
   * The plugin's own index of the device, set by the library. Differs from the one in `id` where
   * COLLET_VISIBLE_DEVICES has renumbered the devices.
   */
  uint32_t physical_index;
  uint32_t reserved;
  /** Peak rates where known. */
  uint64_t memory_bandwidth_bytes_per_s;
  uint64_t peak_f32_flops;
} collet_device_properties_t;

#define COLLET_DEVICE_PROPERTIES_INIT \
  COLLET_DESCRIPTOR_INIT(collet_device_properties_t, COLLET_STRUCT_DEVICE_PROPERTIES)

/** What is known of a back end. */
typedef enum collet_backend_state_t {
  /** Found; nothing has asked for it yet. */
  COLLET_BACKEND_FOUND = 0,
  /** Usable. It may still have no devices. */
  COLLET_BACKEND_READY = 1,
  /** Refused or unusable; `reason` says why. */
  COLLET_BACKEND_UNUSABLE = 2,
  COLLET_BACKEND_STATE_MAX = 0x7fffffff
} collet_backend_state_t;

/** The last step that a candidate has passed. They are in this order; PROBED may be left out. */
typedef enum collet_backend_phase_t {
  /** There is a file with the name of a plugin. */
  COLLET_BACKEND_PHASE_FOUND = 0,
  /** The file, read and not run, can be a plugin for this process. */
  COLLET_BACKEND_PHASE_INSPECTED = 1,
  /** Another process has loaded it and described its devices. */
  COLLET_BACKEND_PHASE_PROBED = 2,
  /** It is loaded into this process, and exports the query function. */
  COLLET_BACKEND_PHASE_LOADED = 3,
  /** It has given a complete root table of a version that fits. */
  COLLET_BACKEND_PHASE_NEGOTIATED = 4,
  /** It has counted its devices in this process. */
  COLLET_BACKEND_PHASE_COUNTED = 5,
  COLLET_BACKEND_PHASE_MAX = 0x7fffffff
} collet_backend_phase_t;

/** One candidate that the loader has looked at. Texts are never NULL. */
typedef struct collet_backend_info_t {
  collet_struct_t base;
  /** Name of the back end, such as "cpu". */
  const char *name;
  /** File that holds the plugin, and which rule found it. */
  const char *path;
  const char *origin;
  /** Version that the plugin gives itself, and who makes it; empty while that is not known. */
  const char *version;
  const char *vendor;
  /** Why the candidate is unusable, and what to do about it; empty where there is nothing to say.
   */
  const char *reason;
  const char *hint;
  collet_backend_state_t state;
  collet_backend_phase_t phase;
  /** COLLET_OK, or why the candidate is unusable. */
  collet_status_t status;
  /** 0 while it is not known. */
  uint32_t device_count;
  /** 1: what this says was found out by an earlier process, and remembered. */
  uint32_t from_cache;
} collet_backend_info_t;

#define COLLET_BACKEND_INFO_INIT \
  COLLET_DESCRIPTOR_INIT(collet_backend_info_t, COLLET_STRUCT_BACKEND_INFO)

/**
 * Returns how many candidates for back ends the loader has found, unusable ones included.
 *
 * Works where the process's configuration is at fault, and everything else fails for it.
 *
 * @param[out] out_count  Number of valid indices for collet_backend_info().
 *
 * @retval COLLET_OK  `*out_count` is set. The number does not change during the process.
 *
 * @threadsafety Any thread.
 * @blocking     The first use reads the plugin folders.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_backend_count(uint32_t *out_count);

/**
 * Describes one candidate, without loading it. Works where collet_backend_count() does.
 *
 * @param[in]     index     Less than collet_backend_count(); sorted by name, then by discovery.
 * @param[in,out] out_info  Filled. Its texts live as long as the process.
 *
 * @retval COLLET_OK                  `*out_info` is filled.
 * @retval COLLET_ERROR_OUT_OF_RANGE  There is no such index.
 *
 * @threadsafety Any thread.
 * @blocking     As collet_backend_count().
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_backend_info(uint32_t index, collet_backend_info_t *out_info);

/**
 * Returns where back ends were looked for, as lines for people: first one with the folders, in the
 * order of the search, then one on each place that could not be searched.
 *
 * Works where collet_backend_count() does.
 *
 * @param[out] out_text  The text.
 *
 * @retval COLLET_OK  `*out_text` is set.
 *
 * @lifetime     The text lives as long as the process.
 * @threadsafety Any thread.
 * @blocking     As collet_backend_count().
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_backend_search_text(const char **out_text);

/**
 * Returns how many devices a back end has, without loading it where probes are on.
 *
 * What is not remembered from an earlier process is found out by a helper process. In a program
 * that has looked through the candidates by collet_backend_info(), the first such question is
 * answered for all back ends at once.
 *
 * @param[in]  backend    Name of the back end.
 * @param[out] out_count  Number of devices; may be 0.
 *
 * @retval COLLET_OK                    `*out_count` is set.
 * @retval COLLET_ERROR_NO_SUCH_DEVICE  There is no such back end; the text names the nearest.
 * @retval COLLET_ERROR_UNAVAILABLE     The back end is unusable; the text says why.
 * @retval COLLET_ERROR_INCOMPATIBLE    The plugin does not fit this library.
 * @retval COLLET_ERROR_TIMEOUT         The plugin did not answer its probe by the deadline.
 * @retval COLLET_ERROR_INTERNAL        The plugin ended its probe, or broke the rules.
 *
 * @threadsafety Any thread.
 * @blocking     As long as the deadline of COLLET_PROBE; where probes are off, as long as the
 * plugin.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_device_count(const char *backend, uint32_t *out_count);

/**
 * Describes a device without opening it.
 *
 * @param[in]     backend         Name of the back end.
 * @param[in]     index           Less than collet_device_count(backend).
 * @param[in,out] out_properties  Filled.
 *
 * @retval COLLET_OK                    `*out_properties` is filled.
 * @retval COLLET_ERROR_NO_SUCH_DEVICE  There is no such back end or index.
 * @retval COLLET_ERROR_UNAVAILABLE     The back end is unusable; the text says why.
 * @retval COLLET_ERROR_INCOMPATIBLE    The plugin does not fit this library.
 * @retval COLLET_ERROR_TIMEOUT         The plugin did not answer its probe by the deadline.
 * @retval COLLET_ERROR_INTERNAL        The plugin ended its probe, or broke the rules.
 *
 * @threadsafety Any thread.
 * @blocking     As long as the deadline of COLLET_PROBE; where probes are off, as long as the
 * plugin.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_device_describe(const char *backend, uint32_t index,
                                                  collet_device_properties_t *out_properties);

/**
 * Opens the first usable device of a selector.
 *
 * A selector is a list of items separated by ','. An item is `backend`, `backend:index` or
 * `auto`. The first item that is usable wins; nothing that is not written is ever chosen. "auto"
 * ranks the devices of all usable back ends by kind (GPU, accelerator, CPU), then by memory, then
 * by name; simulated devices are not considered.
 *
 * @param[in]  selector    For instance "cuda:1,cpu".
 * @param[out] out_device  The device. Opening it again gives the same handle.
 *
 * @retval COLLET_OK                    `*out_device` is the device.
 * @retval COLLET_ERROR_MALFORMED       The selector cannot be parsed; the text has a caret.
 * @retval COLLET_ERROR_NO_SUCH_DEVICE  An item names an unknown back end or device; the text
 *                                      gives the nearest choice.
 * @retval COLLET_ERROR_UNAVAILABLE     No item is usable; the text has each item's reason.
 * @retval COLLET_ERROR_INCOMPATIBLE    The one plugin that is named does not fit this library.
 *
 * @lifetime     Devices stay open until the process ends, and are not released.
 * @threadsafety Any thread.
 * @blocking     May load plugins and start their drivers.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_device_open(const char *selector, collet_device_t **out_device);

/**
 * Opens the device that the configuration or COLLET_DEVICE names; "auto" where neither does.
 *
 * An empty COLLET_DEVICE is an error, not "auto". Statuses as collet_device_open().
 *
 * @lifetime     Devices stay open until the process ends, and are not released.
 * @threadsafety Any thread.
 * @blocking     May load plugins and start their drivers.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_device_open_default(collet_device_t **out_device);

/**
 * Describes an open device.
 *
 * @retval COLLET_OK  `*out_properties` is filled.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_device_properties(collet_device_t *device,
                                                    collet_device_properties_t *out_properties);

/**
 * Returns free and total memory of a device, as its driver tells them.
 *
 * @param[out] out_free_bytes   May be out of date on return: other processes allocate too.
 * @param[out] out_total_bytes  As `memory_bytes` of the properties.
 *
 * @retval COLLET_OK  Both are set.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_device_memory_info(collet_device_t *device,
                                                     uint64_t *out_free_bytes,
                                                     uint64_t *out_total_bytes);

/**
 * Sets the calling thread's current device, for language bindings.
 *
 * No other function of the C API depends on it. It lives in the library, so that all shared
 * objects of a process agree about it.
 *
 * @param[in] device  NULL: back to the default device.
 *
 * @retval COLLET_OK  The device is set.
 *
 * @threadsafety Any thread; each has its own.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_current_device_set(collet_device_t *device);

/**
 * Returns the calling thread's current device; opens the default device where none was set.
 *
 * Statuses as collet_device_open_default().
 *
 * @threadsafety Any thread; each has its own.
 * @blocking     May load plugins and start their drivers.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_current_device_get(collet_device_t **out_device);

COLLET_END_DECLS

#endif
