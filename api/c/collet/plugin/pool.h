/* SPDX-License-Identifier: Apache-2.0 */
/** COLLET_INTERFACE_POOL_V1: a pool that the device itself has, in the order of streams. */
#ifndef COLLET_PLUGIN_POOL_H
#define COLLET_PLUGIN_POOL_H

#include <collet/plugin.h>

COLLET_BEGIN_DECLS

/**
 * A device has one pool, or none. Its memory is as that of COLLET_MEMORY_DEVICE: the same traits,
 * and usable by all functions but `free` of COLLET_INTERFACE_MEMORY_V1.
 */
typedef struct collet_plugin_pool_interface_t {
  uint32_t struct_size;
  uint32_t reserved;

  /**
   * Allocates memory in the order of a stream: it may be what a command that `stream` has not come
   * to yet still uses. A failed stream is as good as any.
   *
   * @param[in] size_bytes       May be 0: the memory is then distinct from all other.
   * @param[in] alignment_bytes  0, or a power of two up to `max_alignment_bytes`.
   *
   * @retval COLLET_OK                          `*out_memory` is usable by commands that `stream` is
   *                                            given from now on, and on streams that are ordered
   *                                            after those.
   * @retval COLLET_ERROR_OUT_OF_DEVICE_MEMORY  There is not enough (the plugin checks). What was
   *                                            freed on other streams may count as used until they
   *                                            have come to it.
   * @blocking May wait for the driver, not for work.
   */
  collet_status_t (*allocate)(collet_plugin_stream_t *stream, uint64_t size_bytes,
                              uint64_t alignment_bytes, collet_plugin_memory_t **out_memory);

  /**
   * Frees memory of the pool in the order of a stream: commands that `stream` was given before
   * still have it. The handle ends with the call. Succeeds on a failed stream and a lost device.
   * @blocking May wait for the driver, not for work.
   */
  void (*free)(collet_plugin_memory_t *memory, collet_plugin_stream_t *stream);

  /**
   * Gives all memory back to the device that is neither allocated nor used by a command that is
   * not complete, so that allocations outside the pool can have it.
   * @retval COLLET_OK  `*out_released_bytes` says how much.
   * @blocking May wait for the driver, not for work.
   */
  collet_status_t (*trim)(collet_plugin_device_t *device, uint64_t *out_released_bytes);

  /**
   * Tells what the pool has of the device's memory, and how much of that is allocated.
   * @retval COLLET_OK  Both are set; the second is not the greater.
   * @blocking Never for work.
   */
  collet_status_t (*info)(collet_plugin_device_t *device, uint64_t *out_reserved_bytes,
                          uint64_t *out_used_bytes);
} collet_plugin_pool_interface_t;

COLLET_END_DECLS

#endif
