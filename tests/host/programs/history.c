/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates with tags, and exits: history <device> [fork]. */
#include <collet/collet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(collet_status_t status) {
  if (status != COLLET_OK) {
    fprintf(stderr, "%s\n", collet_last_error()->message);
    exit(1);
  }
}

/* Is to be seen in the stacks. */
__attribute__((noinline)) static collet_buffer_t *allocate(collet_stream_t *stream,
                                                           uint64_t size_bytes, const char *tag) {
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  collet_buffer_t *buffer = NULL;
  desc.size_bytes = size_bytes;
  desc.tag = tag;
  need(collet_buffer_alloc(stream, &desc, &buffer));
  return buffer;
}

int main(int argc, char **argv) {
  collet_device_t *device = NULL;
  collet_stream_desc_t desc = COLLET_STREAM_DESC_INIT;
  collet_stream_t *stream = NULL;
  collet_buffer_t *weights = NULL;
  collet_buffer_t *scratch = NULL;
  if (argc < 2) {
    return 2;
  }
  need(collet_device_open(argv[1], &device));
  desc.label = "main";
  need(collet_stream_create(device, &desc, &stream));
  weights = allocate(stream, 3 << 20, "weights");
  scratch = allocate(stream, 1 << 20, "</script><b>scratch");
  collet_buffer_release(scratch);
  if (argc > 2 && strcmp(argv[2], "fork") == 0) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      exit(0);
    }
    waitpid(child, &status, 0);
  }
  /* `weights` is left for the history. */
  (void)weights;
  collet_stream_release(stream);
  return 0;
}
