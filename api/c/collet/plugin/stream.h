/* SPDX-License-Identifier: Apache-2.0 */
/** COLLET_INTERFACE_STREAM_V1: in-order queues of commands, and copies. */
#ifndef COLLET_PLUGIN_STREAM_H
#define COLLET_PLUGIN_STREAM_H

#include <collet/plugin.h>
#include <collet/stream.h>

COLLET_BEGIN_DECLS

typedef struct collet_plugin_stream_interface_t {
  uint32_t struct_size;
  uint32_t reserved;

  /**
   * Creates a stream. Unknown flags are refused by the host; the priority is clamped by it.
   * @param[in] desc  Never NULL. Not referenced after the call.
   * @retval COLLET_OK  `*out_stream` is usable, and shares no order with any other stream.
   * @blocking Never for work.
   */
  collet_status_t (*create)(collet_plugin_device_t *device, const collet_stream_desc_t *desc,
                            collet_plugin_stream_t **out_stream);

  /**
   * Destroys a stream. Work that is enqueued still runs, and events recorded on it complete.
   * @blocking Never for work.
   */
  void (*destroy)(collet_plugin_stream_t *stream);

  /**
   * Asks for progress.
   * @retval COLLET_OK         All commands are complete.
   * @retval COLLET_NOT_READY  Some are not.
   * @retval (a failure)       The stream is poisoned by it.
   * @blocking Never; takes no lock.
   */
  collet_status_t (*query)(collet_plugin_stream_t *stream);

  /**
   * Waits for all commands that were enqueued before the call.
   * @retval COLLET_OK             They are complete.
   * @retval COLLET_ERROR_TIMEOUT  They are not after `timeout_ns`. 0 only looks.
   * @retval (a failure)           The stream is poisoned by it.
   * @blocking Waits for the device.
   */
  collet_status_t (*synchronize)(collet_plugin_stream_t *stream, uint64_t timeout_ns);

  /** Describes the failure of a stream, or sets its status to COLLET_OK. @blocking Never. */
  collet_status_t (*failure)(collet_plugin_stream_t *stream, collet_stream_failure_t *out_failure);

  /**
   * Makes a failed stream usable again, without running what was held back.
   * @retval COLLET_OK                 The stream is empty and usable.
   * @retval COLLET_ERROR_DEVICE_LOST  The device did not survive.
   * @blocking Waits for commands that run.
   */
  collet_status_t (*reset)(collet_plugin_stream_t *stream);

  /** Labels the commands enqueued from now on. `label` may be NULL; copied. @blocking Never. */
  collet_status_t (*annotate)(collet_plugin_stream_t *stream, uint64_t correlation_id,
                              const char *label);

  /**
   * Enqueues a copy inside the device. The ranges do not overlap; sizes may be 0.
   * @retval COLLET_OK    It is enqueued.
   * @retval (a failure)  The stream is poisoned by it.
   * @blocking Never for work, but on an inline stream.
   */
  collet_status_t (*copy)(collet_plugin_stream_t *stream, collet_plugin_memory_t *dst,
                          uint64_t dst_offset_bytes, collet_plugin_memory_t *src,
                          uint64_t src_offset_bytes, uint64_t size_bytes);

  /** As `copy`, for a rectangle; bytes between its rows are kept. A side may be pinned memory. */
  collet_status_t (*copy_rect)(collet_plugin_stream_t *stream, collet_plugin_memory_t *dst,
                               collet_plugin_memory_t *src, const collet_rect_t *rect);

  /**
   * Copies from host memory. `src` is any memory; only with COLLET_TRANSFER_NON_BLOCKING it is
   * pinned memory of this device, and is read when the command runs.
   * @param[in] timeout_ns  Longest wait for earlier work, without NON_BLOCKING.
   * @retval COLLET_OK             Complete; with NON_BLOCKING: enqueued.
   * @retval COLLET_ERROR_TIMEOUT  Nothing is enqueued.
   * @retval (a failure)           The stream is poisoned by it.
   * @blocking Waits for earlier work, unless NON_BLOCKING.
   */
  collet_status_t (*write)(collet_plugin_stream_t *stream, collet_plugin_memory_t *dst,
                           uint64_t dst_offset_bytes, const void *src, uint64_t size_bytes,
                           uint32_t flags, uint64_t timeout_ns);

  /** Copies to host memory; as `write`. After a time-out `dst` is not written later. */
  collet_status_t (*read)(collet_plugin_stream_t *stream, void *dst, collet_plugin_memory_t *src,
                          uint64_t src_offset_bytes, uint64_t size_bytes, uint32_t flags,
                          uint64_t timeout_ns);

  /**
   * Enqueues a fill. The pattern has 1, 2, 4, 8 or 16 bytes, is copied before the call returns,
   * and offset and size are multiples of it.
   * @retval COLLET_OK    It is enqueued.
   * @retval (a failure)  The stream is poisoned by it.
   * @blocking Never for work, but on an inline stream.
   */
  collet_status_t (*fill)(collet_plugin_stream_t *stream, collet_plugin_memory_t *dst,
                          uint64_t dst_offset_bytes, uint64_t size_bytes, const void *pattern,
                          uint64_t pattern_size_bytes);

  /**
   * Enqueues the call of a host function, which runs exactly once, also if an earlier command
   * fails; it then gets that failure. It calls neither the host nor the plugin.
   * @retval COLLET_OK    It is enqueued.
   * @retval (a failure)  The stream is poisoned by it; the function does not run.
   * @blocking Never for work, but on an inline stream.
   */
  collet_status_t (*host_function)(collet_plugin_stream_t *stream, collet_host_function_t function,
                                   void *user_data);

  /**
   * Makes later commands wait for the record that `event` has now; an unrecorded event does not
   * hold them. The event may belong to another device of this plugin.
   * @retval COLLET_OK    The wait is enqueued.
   * @retval (a failure)  The stream is poisoned by it.
   * @blocking Never for work, but on an inline stream.
   */
  collet_status_t (*wait_event)(collet_plugin_stream_t *stream, collet_plugin_event_t *event);
} collet_plugin_stream_interface_t;

COLLET_END_DECLS

#endif
