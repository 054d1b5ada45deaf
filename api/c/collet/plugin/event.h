/* SPDX-License-Identifier: Apache-2.0 */
/** COLLET_INTERFACE_EVENT_V1: marks in streams. */
#ifndef COLLET_PLUGIN_EVENT_H
#define COLLET_PLUGIN_EVENT_H

#include <collet/event.h>
#include <collet/plugin.h>

COLLET_BEGIN_DECLS

typedef struct collet_plugin_event_interface_t {
  uint32_t struct_size;
  uint32_t reserved;

  /**
   * Creates an event, which counts as complete until it is recorded.
   * @param[in] flags  Set of collet_event_flag_t.
   * @retval COLLET_OK  `*out_event` is usable.
   * @blocking Never for work.
   */
  collet_status_t (*create)(collet_plugin_device_t *device, uint32_t flags,
                            collet_plugin_event_t **out_event);

  /** Destroys an event. Waits that are enqueued stay valid. @blocking Never for work. */
  void (*destroy)(collet_plugin_event_t *event);

  /**
   * Records an event on a stream of its device; replaces the earlier record.
   * @retval COLLET_OK    It completes with all earlier commands, or with their failure.
   * @retval (a failure)  The stream is poisoned by it; the event is as before.
   * @blocking Never for work.
   */
  collet_status_t (*record)(collet_plugin_event_t *event, collet_plugin_stream_t *stream);

  /**
   * Asks about the latest record.
   * @retval COLLET_OK         It is complete, or there is none.
   * @retval COLLET_NOT_READY  It is not.
   * @retval (a failure)       The recorded work failed.
   * @blocking Never; takes no lock.
   */
  collet_status_t (*query)(collet_plugin_event_t *event);

  /**
   * Waits for the record that is the latest at the time of the call.
   * @retval COLLET_OK             It is complete, or there is none.
   * @retval COLLET_ERROR_TIMEOUT  It is not after `timeout_ns`. 0 only looks.
   * @retval (a failure)           The recorded work failed.
   * @blocking Waits for the device.
   */
  collet_status_t (*synchronize)(collet_plugin_event_t *event, uint64_t timeout_ns);

  /**
   * Gives the nanoseconds between two events of one device (the plugin checks their states).
   * @retval COLLET_OK                  `*out_duration_ns` is set; negative if `end` came first.
   * @retval COLLET_NOT_READY           One is not complete.
   * @retval COLLET_ERROR_NOT_RECORDED  One was never recorded, or has no timing.
   * @retval (a failure)                The recorded work failed.
   * @blocking Never.
   */
  collet_status_t (*elapsed)(collet_plugin_event_t *start, collet_plugin_event_t *end,
                             int64_t *out_duration_ns);
} collet_plugin_event_interface_t;

COLLET_END_DECLS

#endif
