/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a tensor framework's device layer, in the shape of PyTorch's c10: a device guard, a
 * pool of streams, a caching allocator with record_stream, pinned copies, events, and operators.
 */
#include <collet/collet.h>
#include <string.h>

#include "check.h"

/* ---- device guard: sets the current device for a scope, and puts the old one back ---- */

typedef struct device_guard {
  collet_device_t *previous;
} device_guard;

static device_guard guard_enter(collet_device_t *device) {
  device_guard guard = {NULL};
  CHECK_OK(collet_current_device_get(&guard.previous));
  CHECK_OK(collet_current_device_set(device));
  return guard;
}

static void guard_leave(device_guard guard) { CHECK_OK(collet_current_device_set(guard.previous)); }

/* ---- streams: a pool that is handed out in turn, high priority apart ---- */

enum { kPoolStreams = 32 };

typedef struct stream_pool {
  collet_stream_t *streams[2][kPoolStreams];
  unsigned next[2];
} stream_pool;

static void pool_open(stream_pool *pool, collet_device_t *device) {
  collet_device_properties_t properties = COLLET_DEVICE_PROPERTIES_INIT;
  CHECK_OK(collet_device_properties(device, &properties));
  for (int high = 0; high < 2; ++high) {
    collet_stream_desc_t desc = COLLET_STREAM_DESC_INIT;
    desc.flags = COLLET_STREAM_BACKGROUND;
    desc.priority = high ? properties.priority_greatest : properties.priority_least;
    desc.label = high ? "c10/high" : "c10/default";
    for (int i = 0; i < kPoolStreams; ++i) {
      CHECK_OK(collet_stream_create(device, &desc, &pool->streams[high][i]));
    }
    pool->next[high] = 0;
  }
}

static collet_stream_t *pool_get(stream_pool *pool, int high) {
  return pool->streams[high][pool->next[high]++ % kPoolStreams];
}

static void pool_close(stream_pool *pool) {
  for (int high = 0; high < 2; ++high) {
    for (int i = 0; i < kPoolStreams; ++i) {
      collet_stream_release(pool->streams[high][i]);
    }
  }
}

/* ---- storages: memory in the order of the stream that was current when it was made ---- */

typedef struct storage {
  collet_buffer_t *buffer;
  uint64_t size_bytes;
} storage;

static storage storage_new(collet_stream_t *stream, uint64_t size_bytes, const char *tag) {
  storage made = {NULL, size_bytes};
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  desc.size_bytes = size_bytes;
  desc.tag = tag;
  CHECK_OK(collet_buffer_alloc(stream, &desc, &made.buffer));
  return made;
}

/* c10::cuda::CUDACachingAllocator::recordStream */
static void record_stream(const storage *of, collet_stream_t *stream) {
  CHECK_OK(collet_buffer_use_on(of->buffer, stream));
}

/* The deleter of a DataPtr: any thread, any time, no stream at hand. */
static void storage_delete(storage *of) {
  collet_buffer_release(of->buffer);
  of->buffer = NULL;
}

/* ---- operators: a plan for each call; the library finds the one it has ---- */

static collet_layout_t vector_of(int64_t size) {
  collet_layout_t layout;
  memset(&layout, 0, sizeof layout);
  layout.type = COLLET_TYPE_F32;
  layout.rank = 1;
  layout.sizes[0] = size;
  layout.strides[0] = 1;
  return layout;
}

static int add(collet_device_t *device, collet_stream_t *stream, const storage *out,
               const storage *a, const storage *b) {
  const int64_t size = (int64_t)(out->size_bytes / sizeof(float));
  const collet_layout_t layouts[3] = {vector_of(size), vector_of(size), vector_of(size)};
  collet_op_desc_t desc = COLLET_OP_DESC_INIT;
  collet_operand_t operands[3];
  collet_plan_t *plan = NULL;
  desc.kind = COLLET_OP_BINARY;
  desc.function = COLLET_BINARY_ADD;
  desc.operands = layouts;
  desc.operand_count = 3;
  const collet_status_t status = collet_plan_create(device, &desc, &plan);
  if (status == COLLET_ERROR_UNSUPPORTED) {
    return 0;
  }
  CHECK_OK(status);
  memset(operands, 0, sizeof operands);
  operands[0].buffer = out->buffer;
  operands[1].buffer = a->buffer;
  operands[2].buffer = b->buffer;
  CHECK_OK(collet_stream_run(stream, plan, operands, 3, NULL, 0));
  collet_plan_release(plan);
  return 1;
}

/* ---- scenes ---- */

enum { kElements = 1024 };

static void test_guard(collet_device_t *device) {
  collet_device_t *before = NULL;
  collet_device_t *now = NULL;
  CHECK_OK(collet_current_device_get(&before));
  const device_guard outer = guard_enter(device);
  const device_guard inner = guard_enter(device);
  CHECK_OK(collet_current_device_get(&now));
  CHECK(now == device);
  guard_leave(inner);
  guard_leave(outer);
  CHECK_OK(collet_current_device_get(&now));
  CHECK(now == before);
}

/* tensor.to("cpu", non_blocking=True) and back, with the event that guards the pinned block. */
static void test_pinned_copies(collet_device_t *device, stream_pool *pool) {
  collet_stream_t *stream = pool_get(pool, 0);
  storage tensor = storage_new(stream, kElements * sizeof(float), "tensor");
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  collet_transfer_desc_t non_blocking = COLLET_TRANSFER_DESC_INIT;
  collet_buffer_t *pinned = NULL;
  collet_event_t *done = NULL;
  void *address = NULL;
  uint32_t was_async = 0;
  desc.kind = COLLET_MEMORY_PINNED;
  desc.size_bytes = tensor.size_bytes;
  non_blocking.flags = COLLET_TRANSFER_NON_BLOCKING;
  CHECK_OK(collet_buffer_alloc(stream, &desc, &pinned));
  CHECK_OK(collet_buffer_host_pointer(pinned, &address));
  CHECK_OK(collet_event_create(device, NULL, &done));
  float *host = address;
  for (int i = 0; i < kElements; ++i) {
    host[i] = (float)i;
  }
  CHECK_OK(collet_stream_write(stream, tensor.buffer, 0, host, tensor.size_bytes, &non_blocking,
                               &was_async));
  CHECK(was_async == 1);
  CHECK_OK(collet_event_record(done, stream));
  /* The caching host allocator polls this event before it hands the block out again. */
  while (collet_event_query(done) == COLLET_NOT_READY) {
    CHECK_OK(collet_event_synchronize(done, COLLET_TIMEOUT_INFINITE));
  }
  memset(host, 0, tensor.size_bytes);
  CHECK_OK(collet_stream_read(stream, host, tensor.buffer, 0, tensor.size_bytes, &non_blocking,
                              &was_async));
  CHECK_OK(collet_event_record(done, stream));
  CHECK_OK(collet_event_synchronize(done, COLLET_TIMEOUT_INFINITE));
  CHECK(host[0] == 0.0F && host[kElements - 1] == (float)(kElements - 1));
  collet_event_release(done);
  collet_buffer_release(pinned);
  storage_delete(&tensor);
}

/* A tensor made on one stream, used on a second one, and deleted while that one is at work. */
static void test_record_stream(collet_device_t *device, stream_pool *pool) {
  static float result[kElements];
  const float one = 1.0F;
  for (int round = 0; round < 50; ++round) {
    collet_stream_t *producer = pool_get(pool, 0);
    collet_stream_t *consumer = pool_get(pool, 1);
    storage a = storage_new(producer, sizeof result, "a");
    storage out = storage_new(consumer, sizeof result, "out");
    collet_event_t *ready = NULL;
    CHECK_OK(collet_event_create(device, NULL, &ready));
    CHECK_OK(collet_stream_fill(producer, a.buffer, 0, a.size_bytes, &one, sizeof one));
    CHECK_OK(collet_event_record(ready, producer));
    CHECK_OK(collet_stream_wait_event(consumer, ready));
    collet_event_release(ready);
    record_stream(&a, consumer);
    const int has_operations = add(device, consumer, &out, &a, &a);
    storage_delete(&a);
    if (has_operations) {
      CHECK_OK(collet_stream_read(consumer, result, out.buffer, 0, sizeof result, NULL, NULL));
      CHECK(result[0] == 2.0F && result[kElements - 1] == 2.0F);
    }
    storage_delete(&out);
  }
}

/* torch.cuda.Event(enable_timing=True), and reuse of one event. */
static void test_events(collet_device_t *device, stream_pool *pool) {
  collet_stream_t *stream = pool_get(pool, 0);
  storage tensor = storage_new(stream, 1 << 20, "timed");
  collet_event_desc_t timing = COLLET_EVENT_DESC_INIT;
  collet_event_t *start = NULL;
  collet_event_t *end = NULL;
  int64_t duration_ns = -1;
  timing.flags = COLLET_EVENT_TIMING;
  CHECK_OK(collet_event_create(device, &timing, &start));
  CHECK_OK(collet_event_create(device, &timing, &end));
  for (int i = 0; i < 3; ++i) {
    const uint32_t zero = 0;
    CHECK_OK(collet_event_record(start, stream));
    CHECK_OK(collet_stream_fill(stream, tensor.buffer, 0, tensor.size_bytes, &zero, sizeof zero));
    CHECK_OK(collet_event_record(end, stream));
    CHECK_OK(collet_event_synchronize(end, COLLET_TIMEOUT_INFINITE));
    CHECK_OK(collet_event_elapsed(start, end, &duration_ns));
    CHECK(duration_ns >= 0);
  }
  collet_event_release(start);
  collet_event_release(end);
  storage_delete(&tensor);
}

/* One segment that the framework cuts into blocks by itself. */
static void test_blocks_of_a_segment(stream_pool *pool) {
  enum { kBlock = 512, kBlocks = 16 };
  collet_stream_t *stream = pool_get(pool, 0);
  storage segment = storage_new(stream, kBlock * kBlocks, "segment");
  unsigned char bytes[kBlock * kBlocks];
  for (uint64_t i = 0; i < kBlocks; ++i) {
    const unsigned char value = (unsigned char)i;
    CHECK_OK(collet_stream_fill(stream, segment.buffer, i * kBlock, kBlock, &value, 1));
  }
  CHECK_OK(collet_stream_copy(stream, segment.buffer, 0, segment.buffer, 15 * kBlock, kBlock));
  CHECK_OK(collet_stream_read(stream, bytes, segment.buffer, 0, sizeof bytes, NULL, NULL));
  CHECK(bytes[0] == 15 && bytes[kBlock] == 1 && bytes[sizeof bytes - 1] == 15);
  storage_delete(&segment);
}

/* OutOfMemoryError: the text is shown to a person, and everything goes on. */
static void test_out_of_memory(stream_pool *pool) {
  collet_stream_t *stream = pool_get(pool, 0);
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  collet_buffer_t *buffer = NULL;
  desc.size_bytes = (uint64_t)1 << 60;
  desc.tag = "attention/scores";
  CHECK(collet_buffer_alloc(stream, &desc, &buffer) == COLLET_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(buffer == NULL);
  CHECK(strstr(collet_last_error()->message, "attention/scores") != NULL);
  storage small = storage_new(stream, 1, "small");
  storage_delete(&small);
}

int main(int argc, char **argv) {
  collet_device_t *device = NULL;
  stream_pool pool;
  CHECK(argc == 2);
  CHECK_OK(collet_device_open(argv[1], &device));
  pool_open(&pool, device);
  test_guard(device);
  test_pinned_copies(device, &pool);
  test_record_stream(device, &pool);
  test_events(device, &pool);
  test_blocks_of_a_segment(&pool);
  test_out_of_memory(&pool);
  pool_close(&pool);
  return 0;
}
