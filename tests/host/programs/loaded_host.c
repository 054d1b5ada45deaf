/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host that loads Collet at run time, as bindings of interpreted languages do, and lets it go
 * again. Arguments: the library and a selector. Exits with 0 if all went well.
 */
#include <collet/collet.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef collet_status_t (*open_fn)(const char *, collet_device_t **);
typedef collet_status_t (*stream_create_fn)(collet_device_t *, const collet_stream_desc_t *,
                                            collet_stream_t **);
typedef collet_status_t (*stream_query_fn)(collet_stream_t *);

static open_fn open_device;
static stream_create_fn create_stream;
static stream_query_fn query_stream;

/* Avoids the conversion of an object pointer to a function pointer, which C99 does not have. */
static int find(void *library, const char *name, void *function) {
  *(void **)function = dlsym(library, name);
  return *(void **)function != NULL;
}

/* Ends with an error record of its own, after the library was closed. */
static void *work(void *stream) {
  return query_stream(stream) == COLLET_OK && query_stream(NULL) == COLLET_ERROR_INVALID_HANDLE
             ? stream
             : NULL;
}

int main(int argc, char **argv) {
  collet_device_t *device = NULL;
  collet_stream_t *stream = NULL;
  pthread_t thread;
  void *result = NULL;
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "usage: loaded_host <library> <selector>");
    return 1;
  }
  if (!find(library, "collet_device_open", &open_device) ||
      !find(library, "collet_stream_create", &create_stream) ||
      !find(library, "collet_stream_query", &query_stream) ||
      open_device(argv[2], &device) != COLLET_OK ||
      create_stream(device, NULL, &stream) != COLLET_OK || dlclose(library) != 0) {
    return 2;
  }
  if (pthread_create(&thread, NULL, work, stream) != 0 || pthread_join(thread, &result) != 0) {
    return 3;
  }
  return result == stream ? 0 : 4;
}
