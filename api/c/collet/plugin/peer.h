/* SPDX-License-Identifier: Apache-2.0 */
/** COLLET_INTERFACE_PEER_V1: copies from device to device that do not go through the host. */
#ifndef COLLET_PLUGIN_PEER_H
#define COLLET_PLUGIN_PEER_H

#include <collet/plugin.h>

COLLET_BEGIN_DECLS

/**
 * The host sends a pattern first, and uses the copies of two devices only where that arrives. So a
 * plugin may offer what the driver says is there; what the machine makes of it is found out.
 */
typedef struct collet_plugin_peer_interface_t {
  uint32_t struct_size;
  uint32_t reserved;

  /**
   * Prepares copies from `device` to `peer`, another open device of this plugin: in this direction
   * alone. To do it again changes nothing.
   *
   * @retval COLLET_OK                 `copy` works from the one to the other.
   * @retval COLLET_ERROR_UNSUPPORTED  There is no way but through the host (the plugin checks); the
   *                                   text says why.
   * @blocking May wait for the driver, not for work.
   */
  collet_status_t (*connect)(collet_plugin_device_t *device, collet_plugin_device_t *peer);

  /**
   * Enqueues a copy between device memories, that of pools included: from one of the stream's
   * device to one of a device that this is connected to. Streams of both are ordered with it by
   * events. Sizes may be 0.
   * @retval COLLET_OK    It is enqueued.
   * @retval (a failure)  The stream is poisoned by it.
   * @blocking Never for work, but on an inline stream.
   */
  collet_status_t (*copy)(collet_plugin_stream_t *stream, collet_plugin_memory_t *dst,
                          uint64_t dst_offset_bytes, collet_plugin_memory_t *src,
                          uint64_t src_offset_bytes, uint64_t size_bytes);
} collet_plugin_peer_interface_t;

COLLET_END_DECLS

#endif
