/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two libraries that exchange tensors by native addresses, in the shape of DLPack: the producer
 * hands out an address, a device type and a deleter; the consumer orders its stream behind the
 * producer's, and calls the deleter from a thread of its own.
 */
#include <collet/collet.h>
#include <pthread.h>
#include <string.h>

#include "check.h"

/* The part of DLManagedTensor that matters here. */
typedef struct managed_tensor {
  void *data;
  int32_t device_type;
  int64_t elements;
  uint64_t byte_offset;
  void *manager_context;
  void (*deleter)(struct managed_tensor *self);
} managed_tensor;

enum { kElements = 256, kDLCPU = 1 };

/* ---- producer ---- */

static void delete_tensor(managed_tensor *self) {
  collet_buffer_release(self->manager_context);
  free(self);
}

/* tensor.__dlpack__(): the buffer gets one more reference, which the deleter drops. */
static managed_tensor *export_tensor(collet_device_t *device, collet_buffer_t *buffer) {
  collet_device_properties_t properties = COLLET_DEVICE_PROPERTIES_INIT;
  managed_tensor *tensor = calloc(1, sizeof *tensor);
  uint64_t address = 0;
  CHECK(tensor != NULL);
  CHECK_OK(collet_device_properties(device, &properties));
  CHECK_OK(collet_buffer_native_pointer(buffer, &address, &tensor->byte_offset));
  CHECK_OK(collet_buffer_retain(buffer));
  tensor->data = (void *)(uintptr_t)address;
  tensor->device_type = properties.dlpack_device_type;
  tensor->elements = kElements;
  tensor->manager_context = buffer;
  tensor->deleter = delete_tensor;
  return tensor;
}

/* ---- consumer ---- */

/* from_dlpack() on host memory: wraps the address without a copy. */
static collet_buffer_t *import_tensor(collet_device_t *device, const managed_tensor *tensor) {
  collet_buffer_t *buffer = NULL;
  CHECK_OK(collet_host_register(device, (char *)tensor->data + tensor->byte_offset,
                                (uint64_t)tensor->elements * sizeof(float), &buffer));
  return buffer;
}

static void *call_deleter(void *tensor) {
  managed_tensor *owned = tensor;
  owned->deleter(owned);
  return NULL;
}

static void test_exchange(collet_device_t *device) {
  collet_stream_desc_t background = COLLET_STREAM_DESC_INIT;
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  collet_stream_t *producer = NULL;
  collet_stream_t *consumer = NULL;
  collet_buffer_t *buffer = NULL;
  collet_event_t *ready = NULL;
  pthread_t thread;
  float result[kElements];
  const float value = 1.5F;
  background.flags = COLLET_STREAM_BACKGROUND;
  desc.size_bytes = sizeof result;
  CHECK_OK(collet_stream_create(device, &background, &producer));
  CHECK_OK(collet_stream_create(device, &background, &consumer));
  CHECK_OK(collet_event_create(device, NULL, &ready));
  CHECK_OK(collet_buffer_alloc(producer, &desc, &buffer));
  CHECK_OK(collet_stream_fill(producer, buffer, 0, sizeof result, &value, sizeof value));

  managed_tensor *tensor = export_tensor(device, buffer);
  /* __dlpack__(stream=consumer): the consumer's work comes after what is recorded by now. */
  CHECK_OK(collet_event_record(ready, producer));
  CHECK_OK(collet_stream_wait_event(consumer, ready));
  CHECK_OK(collet_buffer_use_on(buffer, consumer));
  collet_buffer_release(buffer);

  CHECK(tensor->device_type == kDLCPU);
  collet_buffer_t *view = import_tensor(device, tensor);
  uint64_t address = 0;
  uint64_t offset_bytes = 1;
  CHECK_OK(collet_buffer_native_pointer(view, &address, &offset_bytes));
  CHECK((char *)(uintptr_t)address == (char *)tensor->data + tensor->byte_offset);
  CHECK(offset_bytes == 0);
  CHECK_OK(collet_stream_read(consumer, result, view, 0, sizeof result, NULL, NULL));
  CHECK(result[0] == value && result[kElements - 1] == value);

  /* Memory that was registered is released before its owner lets it go. */
  collet_buffer_release(view);
  CHECK(pthread_create(&thread, NULL, call_deleter, tensor) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(collet_buffer_retain(buffer) == COLLET_ERROR_INVALID_HANDLE);
  collet_event_release(ready);
  collet_stream_release(producer);
  collet_stream_release(consumer);
}

/* A tensor of another library, which does not know Collet, as the destination of a copy. */
static void test_foreign_memory(collet_device_t *device) {
  collet_stream_t *stream = NULL;
  collet_alloc_desc_t desc = COLLET_ALLOC_DESC_INIT;
  collet_buffer_t *source = NULL;
  managed_tensor foreign = {NULL, kDLCPU, kElements, 16, NULL, NULL};
  const float value = 2.5F;
  foreign.data = calloc(1, 16 + kElements * sizeof(float));
  CHECK(foreign.data != NULL);
  desc.size_bytes = kElements * sizeof(float);
  CHECK_OK(collet_stream_create(device, NULL, &stream));
  CHECK_OK(collet_buffer_alloc(stream, &desc, &source));
  CHECK_OK(collet_stream_fill(stream, source, 0, desc.size_bytes, &value, sizeof value));
  collet_buffer_t *view = import_tensor(device, &foreign);
  CHECK_OK(collet_stream_copy(stream, view, 0, source, 0, desc.size_bytes));
  CHECK_OK(collet_stream_synchronize(stream, COLLET_TIMEOUT_INFINITE));
  float first = 0;
  memcpy(&first, (const char *)foreign.data + foreign.byte_offset, sizeof first);
  CHECK(first == value);
  memcpy(&first, foreign.data, sizeof first);
  CHECK(first == 0.0F);
  collet_buffer_release(view);
  collet_buffer_release(source);
  collet_stream_release(stream);
  free(foreign.data);
}

int main(int argc, char **argv) {
  collet_device_t *device = NULL;
  collet_device_properties_t properties = COLLET_DEVICE_PROPERTIES_INIT;
  CHECK(argc == 2);
  CHECK_OK(collet_device_open(argv[1], &device));
  CHECK_OK(collet_device_properties(device, &properties));
  if ((properties.flags & COLLET_DEVICE_HOST_VISIBLE) == 0 ||
      properties.dlpack_device_type != kDLCPU) {
    printf(
        "skipped: addresses of this device are not the host's, or DLPack does not take them so\n");
    return COLLET_SKIP_RETURN_CODE;
  }
  test_exchange(device);
  test_foreign_memory(device);
  return 0;
}
