/* SPDX-License-Identifier: Apache-2.0 */
/* One of two libraries of a process that both use Collet and do not know of each other. */
#include <collet/collet.h>

COLLET_API collet_status_t binding_open(const char *selector, collet_device_t **out_device);
COLLET_API collet_status_t binding_set_current(collet_device_t *device);

collet_status_t binding_open(const char *selector, collet_device_t **out_device) {
  return collet_device_open(selector, out_device);
}

collet_status_t binding_set_current(collet_device_t *device) {
  return collet_current_device_set(device);
}
