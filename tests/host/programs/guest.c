/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that uses Collet and is loaded and unloaded again, as the extension of a scripting
 * language or of an editor is. What it still holds it releases when it is unloaded.
 */
#include <collet/collet.h>

COLLET_API collet_status_t guest_work(const char *selector);

static collet_stream_t *kept_stream;
static collet_buffer_t *kept_buffer;

/* Runs in dlclose(). */
__attribute__((destructor)) static void unload(void) {
  collet_buffer_release(kept_buffer);
  collet_stream_release(kept_stream);
}

collet_status_t guest_work(const char *selector) {
  const unsigned char byte = 7;
  collet_device_t *device = NULL;
  collet_stream_desc_t of_stream = COLLET_STREAM_DESC_INIT;
  collet_alloc_desc_t of_buffer = COLLET_ALLOC_DESC_INIT;
  collet_status_t status = collet_device_open(selector, &device);
  of_stream.flags = COLLET_STREAM_BACKGROUND;
  of_buffer.size_bytes = 4096;
  if (status == COLLET_OK) {
    status = collet_stream_create(device, &of_stream, &kept_stream);
  }
  if (status == COLLET_OK) {
    status = collet_buffer_alloc(kept_stream, &of_buffer, &kept_buffer);
  }
  if (status == COLLET_OK) {
    status = collet_stream_fill(kept_stream, kept_buffer, 0, 4096, &byte, 1);
  }
  /* An error record of this thread, which outlives the library that caused it. */
  return status == COLLET_OK && collet_stream_query(NULL) != COLLET_ERROR_INVALID_HANDLE
             ? COLLET_ERROR_INTERNAL
             : status;
}
