/* SPDX-License-Identifier: Apache-2.0 */
/** COLLET_INTERFACE_MEMORY_V1: raw memory. Pooling and stream order are the host's. */
#ifndef COLLET_PLUGIN_MEMORY_H
#define COLLET_PLUGIN_MEMORY_H

#include <collet/memory.h>
#include <collet/plugin.h>

COLLET_BEGIN_DECLS

/** Facts about one kind of memory of a device. */
typedef struct collet_memory_traits_t {
  uint32_t struct_size;
  /** 1: the device has this kind. */
  uint32_t supported;
  /** Alignment that every allocation has; a power of two, at least 64. */
  uint64_t alignment_bytes;
  /** Greatest alignment that can be asked for. */
  uint64_t max_alignment_bytes;
  /** An allocation may be split, and used, at multiples of this. */
  uint64_t offset_alignment_bytes;
  /** Sizes are rounded up to multiples of this by the driver. */
  uint64_t granularity_bytes;
  /** Largest single allocation. */
  uint64_t max_allocation_bytes;
} collet_memory_traits_t;

typedef struct collet_plugin_memory_interface_t {
  uint32_t struct_size;
  uint32_t reserved;

  /** Describes a kind of memory. @retval COLLET_OK `*out_traits` is filled. @blocking Never. */
  collet_status_t (*traits)(collet_plugin_device_t *device, collet_memory_kind_t kind,
                            collet_memory_traits_t *out_traits);

  /**
   * Allocates memory that is usable on all streams at once.
   *
   * @param[in] size_bytes       May be 0: the memory is then distinct from all other.
   * @param[in] alignment_bytes  0, or a power of two up to `max_alignment_bytes`.
   *
   * @retval COLLET_OK                          `*out_memory` is usable.
   * @retval COLLET_ERROR_OUT_OF_DEVICE_MEMORY  There is not enough (the plugin checks).
   * @retval COLLET_ERROR_UNSUPPORTED           The device lacks the kind (the plugin checks).
   * @blocking May wait for the driver, not for work.
   */
  collet_status_t (*allocate)(collet_plugin_device_t *device, collet_memory_kind_t kind,
                              uint64_t size_bytes, uint64_t alignment_bytes,
                              collet_plugin_memory_t **out_memory);

  /**
   * Frees memory whose commands are complete, or unregisters it. Succeeds on a lost device.
   * @blocking May wait for the driver.
   */
  void (*free)(collet_plugin_memory_t *memory);

  /**
   * Makes host memory of the caller reachable by the device, as pinned memory.
   *
   * @retval COLLET_OK                 `*out_memory` is usable until it is freed.
   * @retval COLLET_ERROR_UNSUPPORTED  The device cannot reach it; the text says why.
   * @blocking May wait for the driver.
   */
  collet_status_t (*register_host)(collet_plugin_device_t *device, void *data, uint64_t size_bytes,
                                   collet_plugin_memory_t **out_memory);

  /**
   * Gives the address by which the host reaches the memory.
   *
   * @retval COLLET_OK                 Always for pinned and shared memory; not NULL.
   * @retval COLLET_ERROR_UNSUPPORTED  The host cannot reach it.
   * @blocking Never.
   */
  collet_status_t (*host_pointer)(collet_plugin_memory_t *memory, void **out_pointer);

  /**
   * Gives the vendor's own address or handle.
   * @retval COLLET_OK                 `*out_pointer` is set.
   * @retval COLLET_ERROR_UNSUPPORTED  There is none.
   * @blocking Never.
   */
  collet_status_t (*native_pointer)(collet_plugin_memory_t *memory, uint64_t *out_pointer);

  /** Gives free and total device memory as the driver tells it. @blocking Never for work. */
  collet_status_t (*info)(collet_plugin_device_t *device, uint64_t *out_free_bytes,
                          uint64_t *out_total_bytes);
} collet_plugin_memory_interface_t;

COLLET_END_DECLS

#endif
