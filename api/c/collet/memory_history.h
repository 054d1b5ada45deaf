/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The history of memory: what was allocated and released, when, and by whom.
 *
 * It is of the whole process, and off at first. COLLET_MEMORY_HISTORY=FILE records it from the
 * first buffer on, with stacks, and saves it when the process exits. `collet memory show FILE`
 * tells what is in it, and makes a page of it; api/docs/memory-history.md describes the file.
 */
#ifndef COLLET_MEMORY_HISTORY_H
#define COLLET_MEMORY_HISTORY_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

typedef enum collet_memory_history_flag_t {
  /** With the stack of the thread that allocates or releases, which costs some microseconds. */
  COLLET_MEMORY_HISTORY_STACKS = 1 << 0,
  COLLET_MEMORY_HISTORY_FLAG_MAX = 0x7fffffff
} collet_memory_history_flag_t;

typedef struct collet_memory_history_desc_t {
  collet_struct_t base;
  /** Set of collet_memory_history_flag_t. */
  uint32_t flags;
  uint32_t reserved;
  /**
   * Most events that are kept, 64 bytes each; 0 for a million. Of older ones it is known
   * only what they left allocated.
   */
  uint64_t capacity_events;
} collet_memory_history_desc_t;

#define COLLET_MEMORY_HISTORY_DESC_INIT \
  COLLET_DESCRIPTOR_INIT(collet_memory_history_desc_t, COLLET_STRUCT_MEMORY_HISTORY_DESC)

/**
 * Records from now on. What was recorded before is forgotten. Buffers that live already are in the
 * history as if they were allocated now.
 *
 * @param[in] desc  NULL: without stacks, a million events.
 *
 * @retval COLLET_OK  The history is on.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for work.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_memory_history_start(const collet_memory_history_desc_t *desc);

/**
 * Records no more. What was recorded stays, and can be saved.
 *
 * @retval COLLET_OK  The history is off, as it may have been before.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for work.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_memory_history_stop(void);

/**
 * Saves what was recorded. Recording goes on.
 *
 * @param[in] path  The file; one that is there is replaced when the new one is whole.
 *
 * @retval COLLET_OK        The file is written; without events if nothing was ever recorded.
 * @retval COLLET_ERROR_IO  It cannot be written; the text says why, and what was there is as
 * before.
 *
 * @threadsafety Any thread.
 * @blocking     Writes a file; never waits for work.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_memory_history_save(const char *path);

COLLET_END_DECLS

#endif
