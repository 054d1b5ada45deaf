/* SPDX-License-Identifier: Apache-2.0 */
/** The last error of a thread, and names of status codes. */
#ifndef COLLET_ERROR_H
#define COLLET_ERROR_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

/**
 * What is known about a failed call.
 *
 * Texts are UTF-8 and never NULL; one that has nothing to say is empty.
 */
typedef struct collet_error_t {
  uint32_t struct_size;
  collet_status_t status;
  /** Code of the vendor's runtime; meaningful only where `native_name` is not empty. */
  int64_t native_code;
  const char *native_name;
  /** What happened, where, and what to do; may have several lines. */
  const char *message;
  /** Name of the back end that failed; empty where the fault is the call's. */
  const char *backend;
  /** Name of the function of this API that failed. */
  const char *function;
} collet_error_t;

/**
 * Returns the record of the calling thread's most recent failed call.
 *
 * Successful calls leave the record as it is.
 *
 * @return Never NULL; before the first failure the status is COLLET_OK.
 * @lifetime     Valid until the next failing call of this thread, or the thread's end.
 * @threadsafety Any thread; each has its own record.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API const collet_error_t *collet_last_error(void);

/**
 * Resets the record of the calling thread to COLLET_OK.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API void collet_clear_error(void);

/**
 * Returns the name of a status, such as "COLLET_ERROR_OVERLAP"; "?" for an unknown value.
 *
 * @lifetime     The text is static.
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API const char *collet_status_name(collet_status_t status);

COLLET_END_DECLS

#endif
