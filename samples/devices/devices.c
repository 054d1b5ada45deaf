/* SPDX-License-Identifier: Apache-2.0 */
/* Lists back ends and devices, then says more about the one that COLLET_DEVICE chooses. */
#include <collet/collet.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_GOOD = 0, EXIT_FAILURE_OTHER = 1, EXIT_WRONG_INPUT = 2 };

static const double BYTES_PER_GIB = 1024.0 * 1024.0 * 1024.0;

static const char *kind_name(collet_device_kind_t kind) {
  switch (kind) {
    case COLLET_DEVICE_KIND_CPU:
      return "CPU";
    case COLLET_DEVICE_KIND_GPU:
      return "GPU";
    case COLLET_DEVICE_KIND_ACCELERATOR:
      return "accelerator";
    case COLLET_DEVICE_KIND_SIMULATED:
      return "simulated";
    default:
      return "unknown kind";
  }
}

/* A back end without devices to show; only the first line of what is wrong fits. */
static void print_unusable(const char *backend, const char *why) {
  printf(" %-10s -  %.*s\n", backend, (int)strcspn(why, "\n"), why);
}

static void print_device(const collet_device_properties_t *device) {
  printf(" %-10s %-40.40s %8.1f GiB %6u units  %s\n", device->id, device->name,
         (double)device->memory_bytes / BYTES_PER_GIB, device->compute_units,
         kind_name(device->kind));
}

/* Loads the back end's plugin. */
static void list_devices(const char *backend) {
  uint32_t count = 0;
  if (collet_device_count(backend, &count) != COLLET_OK) {
    print_unusable(backend, collet_last_error()->message);
    return;
  }
  if (count == 0) print_unusable(backend, "no devices");
  for (uint32_t i = 0; i < count; ++i) {
    collet_device_properties_t device = COLLET_DEVICE_PROPERTIES_INIT;
    if (collet_device_describe(backend, i, &device) != COLLET_OK) {
      print_unusable(backend, collet_last_error()->message);
    } else {
      print_device(&device);
    }
  }
}

static int list_backends(void) {
  uint32_t count = 0;
  if (collet_backend_count(&count) != COLLET_OK) {
    fprintf(stderr, "%s\n", collet_last_error()->message);
    return EXIT_FAILURE_OTHER;
  }
  for (uint32_t i = 0; i < count; ++i) {
    collet_backend_info_t backend = COLLET_BACKEND_INFO_INIT;
    if (collet_backend_info(i, &backend) != COLLET_OK) {
      fprintf(stderr, "%s\n", collet_last_error()->message);
      return EXIT_FAILURE_OTHER;
    }
    if (backend.state == COLLET_BACKEND_UNUSABLE) {
      print_unusable(backend.name, backend.reason);
    } else {
      list_devices(backend.name);
    }
  }
  return EXIT_GOOD;
}

static void print_text(const char *label, const char *text) {
  printf("  %-16s %s\n", label, text[0] != '\0' ? text : "not known");
}

static void print_types(const char *label, uint32_t types) {
  printf("  %-16s", label);
  for (int type = COLLET_TYPE_BOOL; type < 32; ++type) {
    if ((types >> type) & 1u) printf(" %s", collet_type_name((collet_type_t)type));
  }
  printf("%s\n", types == 0 ? " none" : "");
}

static int describe_default(void) {
  collet_device_t *device = NULL;
  collet_device_properties_t properties = COLLET_DEVICE_PROPERTIES_INIT;
  if (collet_device_open_default(&device) != COLLET_OK) {
    fprintf(stderr, "%s\n", collet_last_error()->message);
    return EXIT_WRONG_INPUT;
  }
  if (collet_device_properties(device, &properties) != COLLET_OK) {
    fprintf(stderr, "%s\n", collet_last_error()->message);
    return EXIT_FAILURE_OTHER;
  }
  printf("\nDefault device: %s\n", properties.id);
  print_text("name", properties.name);
  print_text("vendor", properties.vendor);
  print_text("capability", properties.capability);
  print_text("runtime", properties.runtime_version);
  print_text("program formats", properties.program_formats);
  print_types("native types", properties.native_types);
  print_types("emulated types", properties.emulated_types);
  return EXIT_GOOD;
}

int main(void) {
  int listed = EXIT_GOOD;
  printf("Collet %s\n", collet_version());
  listed = list_backends();
  return listed != EXIT_GOOD ? listed : describe_default();
}
