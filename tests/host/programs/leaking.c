/* SPDX-License-Identifier: Apache-2.0 */
/* Ends with hazards, with objects that are not released, or without: leaking <device> <way>. */
#include <collet/collet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(collet_status_t status) {
  if (status != COLLET_OK) {
    fprintf(stderr, "%s\n", collet_last_error()->message);
    exit(1);
  }
}

static collet_buffer_t *allocate(collet_stream_t *stream) {
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  collet_buffer_t *buffer = NULL;
  desc.size_bytes = 1024;
  desc.tag = "kept";
  need(collet_buffer_alloc(stream, &desc, &buffer));
  return buffer;
}

static collet_plan_t *make_plan(collet_device_t *device) {
  collet_layout_t layouts[2];
  collet_op_desc_t desc = COLLET_OP_DESC_INIT;
  collet_plan_t *plan = NULL;
  memset(layouts, 0, sizeof layouts);
  layouts[0].type = layouts[1].type = COLLET_TYPE_F32;
  layouts[1].immediate = 1;
  desc.kind = COLLET_OP_FILL;
  desc.operands = layouts;
  desc.operand_count = 2;
  need(collet_plan_create(device, &desc, &plan));
  return plan;
}

static collet_stream_t *last_stream;
static collet_buffer_t *last_buffer;

static void release_buffer(void) { collet_buffer_release(last_buffer); }

/* Runs behind all atexit handlers. */
__attribute__((destructor)) static void release_stream(void) { collet_stream_release(last_stream); }

static int is_over;

static void note(void *user_data, collet_log_level_t level, const char *text) {
  (void)user_data;
  (void)level;
  (void)text;
  if (is_over) {
    fprintf(stderr, "called back at exit\n");
  }
}

static void end(void) { is_over = 1; }

int main(int argc, char **argv) {
  const char *way = argc == 3 ? argv[2] : "";
  const int with_callback = strcmp(way, "callback") == 0;
  collet_device_t *device = NULL;
  collet_stream_t *stream = NULL;
  collet_event_t *event = NULL;
  if (with_callback) {
    collet_config_t config = COLLET_CONFIG_INIT;
    config.log_callback = note;
    need(collet_configure(&config));
    atexit(end);
  }
  need(collet_device_open(argc > 1 ? argv[1] : "cpu", &device));
  need(collet_stream_create(device, NULL, &stream));
  if (strcmp(way, "leak") == 0) {
    /* All from one place, whatever the compiler does with a loop. And the stream. */
    volatile int left = 3;
    while (left > 0) {
      (void)allocate(stream);
      --left;
    }
    need(collet_event_create(device, NULL, &event));
    (void)make_plan(device);
    return 0;
  }
  if (strcmp(way, "hazard") == 0) {
    char byte = 0;
    collet_buffer_t *buffer = allocate(stream);
    need(collet_stream_read(stream, &byte, buffer, 0, 1, NULL, NULL));
    collet_buffer_release(buffer);
  } else if (strcmp(way, "clean") == 0) {
    collet_plan_release(make_plan(device));
    last_buffer = allocate(stream);
    atexit(release_buffer);
    last_stream = stream;
    return 0;
  } else if (!with_callback) {
    return 2;
  }
  if (!with_callback) {
    collet_stream_release(stream);
  }
  return 0;
}
