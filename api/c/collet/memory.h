/* SPDX-License-Identifier: Apache-2.0 */
/** Buffers: memory of a device, or host memory that a device can reach. */
#ifndef COLLET_MEMORY_H
#define COLLET_MEMORY_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

typedef enum collet_memory_kind_t {
  /** Memory of the device. The host reaches it by copies. */
  COLLET_MEMORY_DEVICE = 0,
  /** Host memory that the device reads and writes by itself, so that copies can overlap. */
  COLLET_MEMORY_PINNED = 1,
  /** Memory that host and device both address. Access must be ordered by events. */
  COLLET_MEMORY_SHARED = 2,
  COLLET_MEMORY_KIND_MAX = 0x7fffffff
} collet_memory_kind_t;

/** What to allocate. */
typedef struct collet_alloc_desc_t {
  collet_struct_t base;
  collet_memory_kind_t kind;
  /** 0 is an ordinary size. */
  uint64_t size_bytes;
  /** A power of two, or 0 for what the device needs at least. */
  uint64_t alignment_bytes;
  /** Names the user of the memory in reports, e.g. "attention/scores"; may be NULL. Copied. */
  const char *tag;
  /** NULL: the device's own. */
  collet_allocator_t *allocator;
  /** Longest wait for pending frees where memory has run out; 0 means COLLET_TIMEOUT_INFINITE. */
  uint64_t timeout_ns;
} collet_alloc_desc_t;

#define COLLET_ALLOC_DESC_INIT COLLET_DESCRIPTOR_INIT(collet_alloc_desc_t, COLLET_STRUCT_ALLOC_DESC)

typedef struct collet_buffer_info_t {
  collet_struct_t base;
  collet_device_t *device;
  collet_memory_kind_t kind;
  uint64_t size_bytes;
  uint64_t alignment_bytes;
} collet_buffer_info_t;

#define COLLET_BUFFER_INFO_INIT \
  COLLET_DESCRIPTOR_INIT(collet_buffer_info_t, COLLET_STRUCT_BUFFER_INFO)

/**
 * Allocates a buffer in the order of a stream.
 *
 * The buffer may be used on `stream` at once. Its last release frees it in that stream's order:
 * commands recorded before the release may still use it. Use on another stream is declared by
 * collet_buffer_use_on(). Its content is undefined.
 *
 * @param[in]  stream      The stream that the buffer belongs to.
 * @param[in]  desc        What to allocate.
 * @param[out] out_buffer  The buffer, with one reference.
 *
 * @retval COLLET_OK                          `*out_buffer` is usable.
 * @retval COLLET_ERROR_OUT_OF_DEVICE_MEMORY  There is no memory, also after unused memory was given
 *                                            back and pending frees were waited for; the text says
 *                                            what was asked, what is where, and what to do.
 * @retval COLLET_ERROR_UNSUPPORTED           The device lacks this kind of memory or alignment.
 * @retval COLLET_ERROR_OVERFLOW              The size cannot be rounded to the alignment.
 * @retval COLLET_ERROR_WRONG_DEVICE          `desc->allocator` belongs to another device.
 * On error nothing is allocated.
 *
 * @lifetime     Released by collet_buffer_release().
 * @threadsafety Any thread.
 * @blocking     Waits for pending frees only where memory has run out, up to `desc->timeout_ns`.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_buffer_alloc(collet_stream_t *stream,
                                               const collet_alloc_desc_t *desc,
                                               collet_buffer_t **out_buffer);

/**
 * Makes a pinned buffer of memory that the caller owns.
 *
 * @param[in]  device      The device that is to reach the memory.
 * @param[in]  data        Start of the memory; not NULL, even for a size of 0.
 * @param[in]  size_bytes  Length.
 * @param[out] out_buffer  The buffer, with one reference.
 *
 * @retval COLLET_OK                 `*out_buffer` is usable on all streams of the device.
 * @retval COLLET_ERROR_UNSUPPORTED  The device cannot reach host memory, or not this memory.
 * On error nothing is registered.
 *
 * @lifetime     The memory must stay valid until the buffer's last release, and that release must
 *               come after the last command that uses it is complete.
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_host_register(collet_device_t *device, void *data,
                                                uint64_t size_bytes, collet_buffer_t **out_buffer);

/**
 * Adds a reference.
 *
 * @retval COLLET_OK  The buffer has one more reference.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_buffer_retain(collet_buffer_t *buffer);

/**
 * Drops a reference; the last one frees the memory in stream order.
 *
 * @param[in] buffer  May be NULL.
 *
 * @lifetime     Commands enqueued before on the buffer's stream, and on streams that were
 *               declared by collet_buffer_use_on(), still have the memory.
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API void collet_buffer_release(collet_buffer_t *buffer);

/**
 * Declares that a stream other than the buffer's own uses it.
 *
 * The memory is not reused before the work that is enqueued on `stream` by the time of the last
 * release is complete. It does not order the streams: that is what events are for.
 *
 * @retval COLLET_OK                  The use is noted. Noting it again changes nothing.
 * @retval COLLET_ERROR_WRONG_DEVICE  The stream belongs to another device.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_buffer_use_on(collet_buffer_t *buffer, collet_stream_t *stream);

/**
 * Describes a buffer.
 *
 * @retval COLLET_OK  `*out_info` is filled.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_buffer_info(collet_buffer_t *buffer,
                                              collet_buffer_info_t *out_info);

/**
 * Returns the address by which the host reaches a pinned or shared buffer.
 *
 * On devices with COLLET_DEVICE_HOST_VISIBLE, device memory has such an address too.
 *
 * @retval COLLET_OK                 `*out_pointer` is set; it is not NULL, even for 0 bytes.
 * @retval COLLET_ERROR_UNSUPPORTED  The host cannot reach this memory.
 *
 * @lifetime     Valid until the last release. Access must be ordered by events.
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_buffer_host_pointer(collet_buffer_t *buffer, void **out_pointer);

/**
 * Returns the vendor's own address or handle of a buffer, for calls into the vendor's libraries.
 *
 * Buffers share allocations of the device, and not every vendor's handle can be added to.
 *
 * @param[out] out_pointer       Address or handle of the allocation.
 * @param[out] out_offset_bytes  Where the buffer begins in it.
 *
 * @retval COLLET_OK                 Both are set.
 * @retval COLLET_ERROR_UNSUPPORTED  The back end has no such address.
 *
 * @lifetime     Valid until the last release.
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_buffer_native_pointer(collet_buffer_t *buffer,
                                                        uint64_t *out_pointer,
                                                        uint64_t *out_offset_bytes);

COLLET_END_DECLS

#endif
