/* SPDX-License-Identifier: Apache-2.0 */
/** Events: marks in streams, to wait for and to measure time by. */
#ifndef COLLET_EVENT_H
#define COLLET_EVENT_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

typedef enum collet_event_flag_t {
  /** The event notes the time, for collet_event_elapsed(). */
  COLLET_EVENT_TIMING = 1 << 0,
  COLLET_EVENT_FLAG_MAX = 0x7fffffff
} collet_event_flag_t;

typedef struct collet_event_desc_t {
  collet_struct_t base;
  /** Set of collet_event_flag_t. */
  uint32_t flags;
  uint32_t reserved;
} collet_event_desc_t;

#define COLLET_EVENT_DESC_INIT COLLET_DESCRIPTOR_INIT(collet_event_desc_t, COLLET_STRUCT_EVENT_DESC)

/**
 * Creates an event. It counts as complete until it is recorded.
 *
 * @param[in]  device     The device on whose streams it is recorded.
 * @param[in]  desc       NULL: no timing.
 * @param[out] out_event  The event, with one reference.
 *
 * @retval COLLET_OK  `*out_event` is usable.
 *
 * @lifetime     Released by collet_event_release().
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_event_create(collet_device_t *device,
                                               const collet_event_desc_t *desc,
                                               collet_event_t **out_event);

/** Adds a reference. @threadsafety Any thread. @blocking Never. @since ABI 1.0 */
COLLET_API collet_status_t collet_event_retain(collet_event_t *event);

/**
 * Drops a reference. Waits that are recorded on streams stay valid.
 *
 * @param[in] event  May be NULL.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API void collet_event_release(collet_event_t *event);

/**
 * Records the event: it completes when all earlier commands of the stream are complete.
 *
 * Recording again replaces the earlier record; waits that are enqueued keep theirs.
 *
 * @retval COLLET_OK                  The event is recorded. On a stream that fails later, it
 *                                    completes with that failure.
 * @retval COLLET_ERROR_WRONG_DEVICE  Event and stream belong to different devices.
 * @retval (a failure)                The stream is poisoned by it; the event is as before.
 *
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_event_record(collet_event_t *event, collet_stream_t *stream);

/**
 * Asks whether the most recent record is complete.
 *
 * @retval COLLET_OK         It is, or the event was never recorded.
 * @retval COLLET_NOT_READY  It is not.
 * @retval (a failure)       The recorded work failed.
 *
 * @threadsafety Any thread.
 * @blocking     Never; takes no lock.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_event_query(collet_event_t *event);

/**
 * Waits until the record that is the most recent at the time of the call is complete.
 *
 * @param[in] timeout_ns  Longest wait; COLLET_TIMEOUT_INFINITE for none.
 *
 * @retval COLLET_OK             It is complete, or the event was never recorded.
 * @retval COLLET_ERROR_TIMEOUT  It is not; nothing is lost.
 * @retval (a failure)           The recorded work failed.
 *
 * @threadsafety Any thread.
 * @blocking     Waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_event_synchronize(collet_event_t *event, uint64_t timeout_ns);

/**
 * Returns the time between two complete events of one device.
 *
 * @param[in]  start            Recorded first, for a positive result.
 * @param[in]  end              May be on another stream than `start`.
 * @param[out] out_duration_ns  Nanoseconds from start to end; negative if `end` came first.
 *
 * @retval COLLET_OK                  `*out_duration_ns` is set.
 * @retval COLLET_NOT_READY           One of the events is not complete.
 * @retval COLLET_ERROR_NOT_RECORDED  One was never recorded, or lacks COLLET_EVENT_TIMING.
 * @retval COLLET_ERROR_WRONG_DEVICE  The events belong to different devices.
 * @retval (a failure)                The recorded work failed.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_event_elapsed(collet_event_t *start, collet_event_t *end,
                                                int64_t *out_duration_ns);

COLLET_END_DECLS

#endif
