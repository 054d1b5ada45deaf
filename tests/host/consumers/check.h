/* SPDX-License-Identifier: Apache-2.0 */
/* How the consumers end when something is not as they need it. */
#ifndef COLLET_TESTS_HOST_CONSUMERS_CHECK_H
#define COLLET_TESTS_HOST_CONSUMERS_CHECK_H

#include <collet/collet.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program unless the condition holds. */
#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "%s:%d: %s\nlast error: %s: %s\n", __FILE__, __LINE__, #condition, \
              collet_last_error()->function, collet_last_error()->message);              \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

#define CHECK_OK(call) CHECK((call) == COLLET_OK)

#endif
