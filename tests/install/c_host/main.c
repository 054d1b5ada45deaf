/* SPDX-License-Identifier: Apache-2.0 */
#include <collet/collet.h>
#include <stdio.h>

int main(void) {
  collet_device_t *device = NULL;
  printf("collet %s\n", collet_version());
  if (collet_device_open("cpu", &device) != COLLET_OK) {
    fprintf(stderr, "%s\n", collet_last_error()->message);
    return 1;
  }
  return 0;
}
