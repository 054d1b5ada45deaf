/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Allocators: where buffers come from, and what they tell.
 *
 * Each device has one of its own, a pool that keeps released memory for the next buffer. A host may
 * make more of them: to give a part of a program a limit, or numbers of its own; to allocate
 * without a pool, or from the pool of the device's vendor; or to supply the memory itself.
 */
#ifndef COLLET_ALLOCATOR_H
#define COLLET_ALLOCATOR_H

#include <collet/memory.h>

COLLET_BEGIN_DECLS

typedef enum collet_allocator_flags_t {
  /** Each buffer is an allocation of the device, and is freed when its last use is complete. */
  COLLET_ALLOCATOR_UNPOOLED = 1,
  /**
   * Each buffer of device memory is an allocation of the pool that the device itself has, and is
   * freed in the order of its stream. Other kinds of memory are pooled as ever.
   *
   * All such allocators share that pool. Each counts and limits what its buffers have; what the
   * pool keeps beyond that is told by reports, and goes back by collet_allocator_trim().
   */
  COLLET_ALLOCATOR_NATIVE = 2,
  COLLET_ALLOCATOR_FLAGS_MAX = 0x7fffffff
} collet_allocator_flags_t;

/**
 * Functions of the host that supply memory, in the segments that a pool divides.
 *
 * They are called by any thread that allocates or releases, several at once, and must not call
 * Collet.
 */
typedef struct collet_host_allocator_t {
  /**
   * @retval COLLET_OK  `*out_data` has `size_bytes` bytes at a multiple of `alignment_bytes`.
   * Anything else means that there is no memory.
   */
  collet_status_t (*allocate)(void *user_data, uint64_t size_bytes, uint64_t alignment_bytes,
                              void **out_data);
  /** Takes back what `allocate` gave. */
  void (*free)(void *user_data, void *data, uint64_t size_bytes);
  void *user_data;
} collet_host_allocator_t;

typedef struct collet_allocator_desc_t {
  collet_struct_t base;
  /** Of collet_allocator_flags_t. */
  uint32_t flags;
  uint32_t reserved;
  /** Names the allocator in reports; may be NULL. Copied. */
  const char *name;
  /** Most bytes that it may take from the device of each kind of memory; 0 for no limit. */
  uint64_t limit_bytes;
  /**
   * Host memory in place of the device's, which the device must reach: pinned memory, and device
   * memory too on devices with COLLET_DEVICE_HOST_VISIBLE. `allocate` NULL: the device's.
   */
  collet_host_allocator_t host;
} collet_allocator_desc_t;

#define COLLET_ALLOCATOR_DESC_INIT \
  COLLET_DESCRIPTOR_INIT(collet_allocator_desc_t, COLLET_STRUCT_ALLOCATOR_DESC)

/** A count: now, at most since the last collet_allocator_reset_peaks(), and ever. */
typedef struct collet_memory_count_t {
  uint64_t current;
  uint64_t peak;
  uint64_t total;
} collet_memory_count_t;

/**
 * What an allocator has of one kind of memory, at one moment: the numbers belong together, and
 * `requested <= allocated <= active <= reserved` holds for the current ones.
 */
typedef struct collet_memory_statistics_t {
  collet_struct_t base;
  /** What live buffers were asked for with. */
  collet_memory_count_t requested_bytes;
  /** What live buffers have, rounded up. */
  collet_memory_count_t allocated_bytes;
  /** That, and released memory which streams still use. */
  collet_memory_count_t active_bytes;
  /** What was taken from the device. */
  collet_memory_count_t reserved_bytes;
  /** Live buffers. */
  collet_memory_count_t buffers;
  /** Allocations of the device. */
  collet_memory_count_t segments;
  /** Free memory in segments that have live buffers too, so that it cannot be given back. */
  uint64_t split_bytes;
  /** The largest buffer for which no memory would be taken from the device. */
  uint64_t largest_free_bytes;
  /** 0: all free memory is in one piece; near 1: in many small ones. */
  double fragmentation;
  /** Allocations that had to wait, or give memory back, before they could be served. */
  uint64_t retries;
  /** Allocations that failed for want of memory. */
  uint64_t out_of_memory;
  /** The limit of `reserved_bytes`; 0: none. */
  uint64_t limit_bytes;
} collet_memory_statistics_t;

#define COLLET_MEMORY_STATISTICS_INIT \
  COLLET_DESCRIPTOR_INIT(collet_memory_statistics_t, COLLET_STRUCT_MEMORY_STATISTICS)

typedef enum collet_report_format_t {
  /** A table for people. */
  COLLET_REPORT_TEXT = 0,
  COLLET_REPORT_JSON = 1,
  COLLET_REPORT_FORMAT_MAX = 0x7fffffff
} collet_report_format_t;

/**
 * Makes an allocator.
 *
 * @param[in]  device         Whose memory it gives.
 * @param[in]  desc           What it is like; NULL for a pool without limit.
 * @param[out] out_allocator  The allocator, with one reference.
 *
 * @retval COLLET_OK                      `*out_allocator` is usable.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  `host` has one of its two functions only, or
 *                                        COLLET_ALLOCATOR_NATIVE is joined with `host` or with
 *                                        COLLET_ALLOCATOR_UNPOOLED.
 * @retval COLLET_ERROR_UNSUPPORTED       COLLET_ALLOCATOR_NATIVE, and the device has no pool; the
 *                                        text says why.
 *
 * @lifetime     Released by collet_allocator_release(). Its buffers may outlive it; `host` must
 *               outlive them.
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_allocator_create(collet_device_t *device,
                                                   const collet_allocator_desc_t *desc,
                                                   collet_allocator_t **out_allocator);

/**
 * Returns the device's own allocator, which serves buffers that name none.
 *
 * @retval COLLET_OK  `*out_allocator` has one more reference.
 *
 * @lifetime     Released by collet_allocator_release().
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_device_allocator(collet_device_t *device,
                                                   collet_allocator_t **out_allocator);

/**
 * Adds a reference.
 *
 * @retval COLLET_OK  The allocator has one more reference.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_allocator_retain(collet_allocator_t *allocator);

/**
 * Drops a reference. Memory that is free goes back to the device, the rest as its buffers end.
 *
 * @param[in] allocator  May be NULL.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for work.
 * @since        ABI 1.0
 */
COLLET_API void collet_allocator_release(collet_allocator_t *allocator);

/**
 * Tells what the allocator has of one kind of memory.
 *
 * @retval COLLET_OK                      `*out_statistics` is filled.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  There is no such kind.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for work. Takes the locks of all streams, so it is not for every step.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_allocator_statistics(collet_allocator_t *allocator,
                                                       collet_memory_kind_t kind,
                                                       collet_memory_statistics_t *out_statistics);

/**
 * Makes the current counts of all kinds the peaks.
 *
 * @retval COLLET_OK  They are.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_allocator_reset_peaks(collet_allocator_t *allocator);

/**
 * Sets the limit of a kind of memory. What is reserved above it stays until it is trimmed.
 *
 * @param[in] limit_bytes  0 for no limit.
 *
 * @retval COLLET_OK                      The limit holds from now on.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  There is no such kind.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_allocator_set_limit(collet_allocator_t *allocator,
                                                      collet_memory_kind_t kind,
                                                      uint64_t limit_bytes);

/**
 * Gives memory back to the device that no buffer uses.
 *
 * @param[in]  timeout_ns          How long to wait for streams that still use released memory; 0:
 *                                 only what is free now, COLLET_TIMEOUT_INFINITE: all of it.
 * @param[out] out_released_bytes  How much that was; may be NULL.
 *
 * @retval COLLET_OK  What is reserved still is in use, or the time has passed.
 *
 * @threadsafety Any thread.
 * @blocking     Up to `timeout_ns`.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_allocator_trim(collet_allocator_t *allocator, uint64_t timeout_ns,
                                                 uint64_t *out_released_bytes);

/**
 * Writes a report: the statistics of each kind that is in use, and the users by tag.
 *
 * @param[in]  format          A table or JSON.
 * @param[out] out_text        Where it goes, with a terminating 0; cut where it does not fit. May
 * be NULL if `capacity_bytes` is 0.
 * @param[in]  capacity_bytes  Room at `out_text`.
 * @param[out] out_size_bytes  What the whole report needs, with its 0.
 *
 * @retval COLLET_OK  `*out_size_bytes` is set; the report is whole if that is no more than the
 * room.
 *
 * @threadsafety Any thread.
 * @blocking     As collet_allocator_statistics().
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_allocator_report(collet_allocator_t *allocator,
                                                   collet_report_format_t format, char *out_text,
                                                   uint64_t capacity_bytes,
                                                   uint64_t *out_size_bytes);

COLLET_END_DECLS

#endif
