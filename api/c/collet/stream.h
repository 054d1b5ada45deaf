/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Streams: queues of commands that run in order.
 *
 * There is no hidden default stream. Commands of one stream run one after the other; those of
 * different streams are ordered only by events. On devices with COLLET_DEVICE_INLINE_STREAMS, a
 * stream made without COLLET_STREAM_BACKGROUND runs its commands in the enqueuing call.
 *
 * A command that fails *poisons* its stream: the commands after it do not run, and every later
 * call that enqueues, waits or queries returns the first failure, until collet_stream_reset().
 * An event that is recorded on a poisoned stream carries the failure to the streams that wait.
 *
 * Enqueuing never allocates device memory, compiles or synchronizes, but where stated.
 */
#ifndef COLLET_STREAM_H
#define COLLET_STREAM_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

typedef enum collet_stream_flag_t {
  /** Commands make progress without the host. Devices whose streams always do so ignore it. */
  COLLET_STREAM_BACKGROUND = 1 << 0,
  COLLET_STREAM_FLAG_MAX = 0x7fffffff
} collet_stream_flag_t;

typedef struct collet_stream_desc_t {
  collet_struct_t base;
  /** Set of collet_stream_flag_t. */
  uint32_t flags;
  /** Smaller is more urgent; clamped to the device's range. */
  int32_t priority;
  /** Names the stream in messages; may be NULL. Copied. */
  const char *label;
} collet_stream_desc_t;

#define COLLET_STREAM_DESC_INIT \
  COLLET_DESCRIPTOR_INIT(collet_stream_desc_t, COLLET_STRUCT_STREAM_DESC)

typedef struct collet_stream_info_t {
  collet_struct_t base;
  collet_device_t *device;
  /** As it was created with. */
  uint32_t flags;
  /** The one that is in force, in the device's range. */
  int32_t priority;
} collet_stream_info_t;

#define COLLET_STREAM_INFO_INIT \
  COLLET_DESCRIPTOR_INIT(collet_stream_info_t, COLLET_STRUCT_STREAM_INFO)

/** What is known about the failure of a stream. Texts end with NUL. */
typedef struct collet_stream_failure_t {
  collet_struct_t base;
  /** COLLET_OK: the stream has not failed. */
  collet_status_t status;
  int32_t native_code;
  /**
   * Sequence numbers of the first and last command that may be to blame; equal where the device
   * knows. Commands of a stream count from 1.
   */
  uint64_t first_candidate;
  uint64_t last_candidate;
  /** Correlation id of the command, by collet_stream_annotate(). */
  uint64_t correlation_id;
  /** Kind of command, e.g. "launch", and kernel or operation. */
  char command[64];
  char message[512];
} collet_stream_failure_t;

#define COLLET_STREAM_FAILURE_INIT \
  COLLET_DESCRIPTOR_INIT(collet_stream_failure_t, COLLET_STRUCT_STREAM_FAILURE)

typedef enum collet_transfer_flag_t {
  /** Return as soon as the host memory's kind allows, not when the copy is complete. */
  COLLET_TRANSFER_NON_BLOCKING = 1 << 0,
  COLLET_TRANSFER_FLAG_MAX = 0x7fffffff
} collet_transfer_flag_t;

/** Options of a copy from or to host memory. */
typedef struct collet_transfer_desc_t {
  collet_struct_t base;
  /** Set of collet_transfer_flag_t. */
  uint32_t flags;
  uint32_t reserved;
  /** Longest wait for earlier work of the stream; 0 means COLLET_TIMEOUT_INFINITE. */
  uint64_t timeout_ns;
} collet_transfer_desc_t;

#define COLLET_TRANSFER_DESC_INIT \
  COLLET_DESCRIPTOR_INIT(collet_transfer_desc_t, COLLET_STRUCT_TRANSFER_DESC)

/** A rectangle of bytes in two memories; rows lie `pitch` bytes apart. */
typedef struct collet_rect_t {
  uint64_t dst_offset_bytes;
  uint64_t src_offset_bytes;
  uint64_t width_bytes;
  uint64_t height;
  /** At least `width_bytes` where `height` is more than 1. */
  uint64_t dst_pitch_bytes;
  uint64_t src_pitch_bytes;
} collet_rect_t;

/**
 * A function that runs on the host in stream order.
 *
 * @param[in] user_data  As given when it was enqueued.
 * @param[in] upstream   COLLET_OK, or the failure of an earlier command of the stream.
 *
 * It may not call Collet: such a call returns COLLET_ERROR_REENTRANT. It runs exactly once, also
 * on a failed stream, on a thread of the back end's choice.
 */
typedef void (*collet_host_function_t)(void *user_data, collet_status_t upstream);

/**
 * Creates a stream.
 *
 * @param[in]  device      The device that runs the commands.
 * @param[in]  desc        NULL: all defaults.
 * @param[out] out_stream  The stream, with one reference.
 *
 * @retval COLLET_OK  `*out_stream` is usable. Every stream is one of its own.
 *
 * @lifetime     Released by collet_stream_release().
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_create(collet_device_t *device,
                                                const collet_stream_desc_t *desc,
                                                collet_stream_t **out_stream);

/** Adds a reference. @threadsafety Any thread. @blocking Never. @since ABI 1.0 */
COLLET_API collet_status_t collet_stream_retain(collet_stream_t *stream);

/**
 * Drops a reference. Work that is enqueued still runs.
 *
 * @param[in] stream  May be NULL.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API void collet_stream_release(collet_stream_t *stream);

/**
 * Describes a stream.
 *
 * @param[in,out] out_info  Filled.
 *
 * @retval COLLET_OK  `*out_info` is filled.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_info(collet_stream_t *stream,
                                              collet_stream_info_t *out_info);

/**
 * Asks whether all commands of a stream are complete.
 *
 * @retval COLLET_OK         All are complete.
 * @retval COLLET_NOT_READY  Some are not.
 * @retval (a failure)       The stream is poisoned by it.
 *
 * @threadsafety Any thread.
 * @blocking     Never; takes no lock.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_query(collet_stream_t *stream);

/**
 * Waits until all commands that were enqueued before the call are complete.
 *
 * @param[in] timeout_ns  Longest wait; COLLET_TIMEOUT_INFINITE for none.
 *
 * @retval COLLET_OK             All are complete.
 * @retval COLLET_ERROR_TIMEOUT  Some are not; nothing is lost.
 * @retval (a failure)           The stream is poisoned by it.
 *
 * @threadsafety Any thread.
 * @blocking     Waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_synchronize(collet_stream_t *stream, uint64_t timeout_ns);

/**
 * Describes the failure that poisons a stream.
 *
 * @retval COLLET_OK  `*out_failure` is filled; its status is COLLET_OK where there is no failure.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_failure(collet_stream_t *stream,
                                                 collet_stream_failure_t *out_failure);

/**
 * Makes a poisoned stream usable again. Commands that the failure held back do not run.
 *
 * @retval COLLET_OK                 The stream is empty and usable.
 * @retval COLLET_ERROR_DEVICE_LOST  The device did not survive the failure.
 *
 * @threadsafety Any thread.
 * @blocking     Waits for commands that run.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_reset(collet_stream_t *stream);

/**
 * Labels the commands that are enqueued after this call, until the next one.
 *
 * @param[in] correlation_id  Given back in failure records and traces.
 * @param[in] label           May be NULL. Copied; cut after 63 bytes.
 *
 * @retval COLLET_OK  The annotation is set.
 *
 * @threadsafety Any thread; it belongs to the stream, not to the thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_annotate(collet_stream_t *stream, uint64_t correlation_id,
                                                  const char *label);

/**
 * Records a copy between two buffers of the stream's device.
 *
 * The copy runs after all work recorded on `stream` before it. The ranges may share a buffer if
 * they do not overlap. A size of zero is an ordinary, empty command.
 *
 * @param[in] stream            Orders the copy.
 * @param[in] dst               Destination buffer.
 * @param[in] dst_offset_bytes  Start of the destination range, in bytes.
 * @param[in] src               Source buffer.
 * @param[in] src_offset_bytes  Start of the source range, in bytes.
 * @param[in] size_bytes        Length of both ranges, in bytes.
 *
 * @retval COLLET_OK                  The copy is recorded.
 * @retval COLLET_ERROR_OVERLAP       The ranges share bytes.
 * @retval COLLET_ERROR_WRONG_DEVICE  A buffer lives on another device; the text names both.
 * @retval COLLET_ERROR_OUT_OF_RANGE  A range ends past its buffer.
 * @retval (a failure)                The stream is poisoned by it.
 * On error nothing is recorded.
 *
 * @lifetime     Releasing a buffer afterwards is safe on its own stream; on another, declare
 *               collet_buffer_use_on().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_copy(collet_stream_t *stream, collet_buffer_t *dst,
                                              uint64_t dst_offset_bytes, collet_buffer_t *src,
                                              uint64_t src_offset_bytes, uint64_t size_bytes);

/**
 * Records the copy of a rectangle between two buffers of the stream's device.
 *
 * As collet_stream_copy(), row by row. Bytes between the rows are not touched. A width or height
 * of zero is an ordinary, empty command.
 *
 * @retval COLLET_OK                  The copy is recorded.
 * @retval COLLET_ERROR_OVERLAP       The byte ranges from first to last row share bytes.
 * @retval COLLET_ERROR_WRONG_DEVICE  A buffer lives on another device; the text names both.
 * @retval COLLET_ERROR_OUT_OF_RANGE  A rectangle ends past its buffer.
 * @retval (a failure)                The stream is poisoned by it.
 * On error nothing is recorded.
 *
 * @lifetime     As collet_stream_copy().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_copy_rect(collet_stream_t *stream, collet_buffer_t *dst,
                                                   collet_buffer_t *src, const collet_rect_t *rect);

/**
 * Copies from host memory to a buffer, in stream order.
 *
 * @param[in]  stream            Orders the copy.
 * @param[in]  dst               Destination buffer.
 * @param[in]  dst_offset_bytes  Start of the destination range, in bytes.
 * @param[in]  src               Host memory; may be NULL if `size_bytes` is 0.
 * @param[in]  size_bytes        Length, in bytes.
 * @param[in]  desc              NULL: blocking, no time-out.
 * @param[out] out_was_async     May be NULL. 1: the copy may still run on return, and the source
 *                               must not change before it is complete; 0: it may change at once.
 *
 * The source may always be changed on return, unless it is pinned memory and the copy was asked
 * not to block. Pageable memory is staged then: the call takes as long as copying it to pinned
 * memory, but does not wait for the stream. At most 16 MiB are staged for one copy, and 64 MiB at a
 * time on a device; what is more waits for earlier work.
 *
 * @retval COLLET_OK                  The copy is complete, or recorded.
 * @retval COLLET_ERROR_OUT_OF_RANGE  The range ends past the buffer.
 * @retval COLLET_ERROR_WRONG_DEVICE  The buffer lives on another device; the text names both.
 * @retval COLLET_ERROR_TIMEOUT       Earlier work took longer; nothing is recorded.
 * @retval COLLET_ERROR_INVALID_STATE COLLET_SYNC=error, and the call would wait.
 * @retval (a failure)                The stream is poisoned by it.
 *
 * @lifetime     As collet_stream_copy().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Waits for earlier work of the stream, unless it was asked not to block.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_write(collet_stream_t *stream, collet_buffer_t *dst,
                                               uint64_t dst_offset_bytes, const void *src,
                                               uint64_t size_bytes,
                                               const collet_transfer_desc_t *desc,
                                               uint32_t *out_was_async);

/**
 * Copies from a buffer to host memory, in stream order.
 *
 * @param[in]  stream            Orders the copy.
 * @param[out] dst               Host memory; may be NULL if `size_bytes` is 0.
 * @param[in]  src               Source buffer.
 * @param[in]  src_offset_bytes  Start of the source range, in bytes.
 * @param[in]  size_bytes        Length, in bytes.
 * @param[in]  desc              NULL: blocking, no time-out.
 * @param[out] out_was_async     May be NULL. 1: the destination must not be read before the copy
 *                               is complete; 0: it is complete.
 *
 * @retval COLLET_OK                  The copy is complete, or recorded.
 * @retval COLLET_ERROR_OUT_OF_RANGE  The range ends past the buffer.
 * @retval COLLET_ERROR_WRONG_DEVICE  The buffer lives on another device; the text names both.
 * @retval COLLET_ERROR_TIMEOUT       Earlier work of the stream took longer; nothing is recorded,
 *                                    and `dst` is not written later.
 * @retval COLLET_ERROR_INVALID_STATE COLLET_SYNC=error, and the call would wait.
 * @retval (a failure)                The stream is poisoned by it.
 *
 * @lifetime     As collet_stream_copy().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Waits for earlier work of the stream, unless it reports `*out_was_async == 1`.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_read(collet_stream_t *stream, void *dst,
                                              collet_buffer_t *src, uint64_t src_offset_bytes,
                                              uint64_t size_bytes,
                                              const collet_transfer_desc_t *desc,
                                              uint32_t *out_was_async);

/**
 * Copies a rectangle from host memory to a buffer, in stream order.
 *
 * As collet_stream_write(), row by row: its modes, what it waits for, when the source may change.
 * The bytes between the rows are neither read nor written.
 *
 * @param[in]  src            What `rect->src_offset_bytes` counts from.
 * @param[out] out_was_async  May be NULL. 1 only where all from first to last row is pinned.
 *
 * @retval COLLET_OK                  The copy is complete, or recorded.
 * @retval COLLET_ERROR_OUT_OF_RANGE  The rectangle ends past the buffer.
 * @retval COLLET_ERROR_WRONG_DEVICE  The buffer lives on another device; the text names both.
 * @retval COLLET_ERROR_TIMEOUT       Earlier work took longer; nothing is recorded.
 * @retval COLLET_ERROR_INVALID_STATE COLLET_SYNC=error, and the call would wait.
 * @retval (a failure)                The stream is poisoned by it.
 *
 * @lifetime     As collet_stream_copy().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Waits for earlier work of the stream, unless it was asked not to block.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_write_rect(collet_stream_t *stream, collet_buffer_t *dst,
                                                    const void *src, const collet_rect_t *rect,
                                                    const collet_transfer_desc_t *desc,
                                                    uint32_t *out_was_async);

/**
 * Copies a rectangle from a buffer to host memory, in stream order.
 *
 * As collet_stream_read(), row by row. The bytes between the rows of `dst` are not touched.
 *
 * @param[out] dst            What `rect->dst_offset_bytes` counts from.
 * @param[out] out_was_async  May be NULL. 1 only where all from first to last row is pinned.
 *
 * @retval COLLET_OK                  The copy is complete, or recorded.
 * @retval COLLET_ERROR_OUT_OF_RANGE  The rectangle ends past the buffer.
 * @retval COLLET_ERROR_WRONG_DEVICE  The buffer lives on another device; the text names both.
 * @retval COLLET_ERROR_TIMEOUT       Earlier work took longer; nothing is written later.
 * @retval COLLET_ERROR_INVALID_STATE COLLET_SYNC=error, and the call would wait.
 * @retval (a failure)                The stream is poisoned by it.
 *
 * @lifetime     As collet_stream_copy().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Waits for earlier work of the stream, unless it reports `*out_was_async == 1`.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_read_rect(collet_stream_t *stream, void *dst,
                                                   collet_buffer_t *src, const collet_rect_t *rect,
                                                   const collet_transfer_desc_t *desc,
                                                   uint32_t *out_was_async);

/**
 * Copies between buffers of any two devices, also of different back ends.
 *
 * Device memory of one back end is copied directly, where its plugin has a way for that and a test
 * pattern has arrived on it; all other copies go through host memory. The pattern is sent by the
 * first copy from one device to another. Where it does not arrive, a warning names the two.
 *
 * @param[in] dst_stream        Orders the writing; of the device of `dst`.
 * @param[in] dst               Destination buffer.
 * @param[in] dst_offset_bytes  Start of the destination range, in bytes.
 * @param[in] src_stream        Orders the reading; of the device of `src`. May be `dst_stream`.
 * @param[in] src               Source buffer.
 * @param[in] src_offset_bytes  Start of the source range, in bytes.
 * @param[in] size_bytes        Length of both ranges, in bytes.
 * @param[in] desc              NULL: no time-out. COLLET_TRANSFER_NON_BLOCKING is not possible.
 *
 * @retval COLLET_OK                     The copy is complete.
 * @retval COLLET_ERROR_INVALID_ARGUMENT It is asked not to block.
 * @retval COLLET_ERROR_OVERLAP          The ranges share bytes of one buffer.
 * @retval COLLET_ERROR_WRONG_DEVICE     A buffer lives on another device of the back end than its
 *                                       stream; the text names both.
 * @retval COLLET_ERROR_WRONG_BACKEND    A buffer is of another back end than its stream.
 * @retval COLLET_ERROR_OUT_OF_RANGE     A range ends past its buffer.
 * @retval COLLET_ERROR_TIMEOUT          Earlier work of a stream took longer; nothing is copied.
 * @retval COLLET_ERROR_INVALID_STATE    COLLET_SYNC=error.
 * @retval (a failure)                   A stream is poisoned by it.
 *
 * @lifetime     As collet_stream_copy().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Waits for earlier work of both streams, and for the copy.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_copy_across(
    collet_stream_t *dst_stream, collet_buffer_t *dst, uint64_t dst_offset_bytes,
    collet_stream_t *src_stream, collet_buffer_t *src, uint64_t src_offset_bytes,
    uint64_t size_bytes, const collet_transfer_desc_t *desc);

/**
 * Records filling a range with a repeated pattern.
 *
 * @param[in] stream              Orders the command.
 * @param[in] dst                 Destination buffer.
 * @param[in] dst_offset_bytes    Start of the range; a multiple of `pattern_size_bytes`.
 * @param[in] size_bytes          Length of the range; a multiple of `pattern_size_bytes`.
 * @param[in] pattern             Copied before the call returns.
 * @param[in] pattern_size_bytes  1, 2, 4, 8 or 16.
 *
 * @retval COLLET_OK                      The fill is recorded.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  The pattern size, or a multiple of it, is not as said.
 * @retval COLLET_ERROR_OUT_OF_RANGE      The range ends past the buffer.
 * @retval COLLET_ERROR_WRONG_DEVICE      The buffer lives on another device; the text names both.
 * @retval (a failure)                    The stream is poisoned by it.
 * On error nothing is recorded.
 *
 * @lifetime     As collet_stream_copy().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_fill(collet_stream_t *stream, collet_buffer_t *dst,
                                              uint64_t dst_offset_bytes, uint64_t size_bytes,
                                              const void *pattern, uint64_t pattern_size_bytes);

/**
 * Records the call of a host function.
 *
 * @param[in] function   Runs after all earlier commands, before all later ones.
 * @param[in] user_data  Given to it.
 *
 * @retval COLLET_OK            The call is recorded.
 * @retval (a failure)          The stream is poisoned by it; the function does not run.
 * On error nothing is recorded.
 *
 * @lifetime     `user_data` must live until the function has run.
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_host_function(collet_stream_t *stream,
                                                       collet_host_function_t function,
                                                       void *user_data);

/**
 * Makes the commands that are enqueued on `stream` later wait for an event.
 *
 * A wait uses the most recent record at the time of the call; later records do not change it. An
 * event that was never recorded does not hold the stream. The event may be of another device of
 * the same back end. If the recorded work failed, `stream` is poisoned by that failure.
 *
 * @retval COLLET_OK            The wait is recorded.
 * @retval (a failure)          The stream is poisoned by it.
 * On error nothing is recorded.
 *
 * @lifetime     The event may be released or recorded again at once.
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never on a background stream; an inline stream waits for the event here.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_wait_event(collet_stream_t *stream, collet_event_t *event);

COLLET_END_DECLS

#endif
