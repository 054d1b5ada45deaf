/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that write down the arguments they were given. */
#include <collet/host_kernel.h>
#include <string.h>

typedef struct mixed_t {
  int32_t first;
  double second;
} mixed_t;

/* out[0..] = a 1-byte, a 4-byte, an 8-byte and a struct argument, by value. */
static void store_scalars(const collet_host_group_t *group, void *const *arguments) {
  double *out = (double *)arguments[0];
  const mixed_t *mixed = (const mixed_t *)arguments[4];
  (void)group;
  out[0] = *(const uint8_t *)arguments[1];
  out[1] = (double)*(const float *)arguments[2];
  out[2] = (double)*(const uint64_t *)arguments[3];
  out[3] = mixed->first;
  out[4] = mixed->second;
}

/* Adds 1 to the items of its group, by way of local memory. */
static void increment(const collet_host_group_t *group, void *const *arguments) {
  int32_t *values = (int32_t *)arguments[0];
  int32_t *scratch = (int32_t *)arguments[1];
  const uint64_t count = *(const uint64_t *)arguments[2];
  const uint64_t first = group->group_id[0] * group->group[0];
  for (uint64_t i = 0; i < group->group[0] && first + i < count; ++i) {
    scratch[i] = values[first + i] + 1;
    memcpy(&values[first + i], &scratch[i], sizeof(int32_t));
  }
}

static const collet_argument_kind_t scalar_kinds[] = {
    COLLET_ARGUMENT_BUFFER, COLLET_ARGUMENT_SCALAR, COLLET_ARGUMENT_SCALAR,
    COLLET_ARGUMENT_SCALAR, COLLET_ARGUMENT_SCALAR,
};
static const uint32_t scalar_sizes[] = {0, 1, 4, 8, sizeof(mixed_t)};

static const collet_argument_kind_t increment_kinds[] = {
    COLLET_ARGUMENT_BUFFER,
    COLLET_ARGUMENT_LOCAL,
    COLLET_ARGUMENT_SCALAR,
};
static const uint32_t increment_sizes[] = {0, 0, 8};

static const collet_host_kernel_t kernels[] = {
    {
        .name = "store_scalars",
        .run = store_scalars,
        .argument_count = 5,
        .argument_kinds = scalar_kinds,
        .argument_sizes = scalar_sizes,
    },
    {
        .name = "increment",
        .run = increment,
        .argument_count = 3,
        .argument_kinds = increment_kinds,
        .argument_sizes = increment_sizes,
    },
};

const collet_host_module_t *collet_host_module_v1(void) {
  static const collet_host_module_t module = {
      .struct_size = sizeof(collet_host_module_t),
      .kernel_struct_size = sizeof(collet_host_kernel_t),
      .kernel_count = 2,
      .kernels = kernels,
  };
  return &module;
}
