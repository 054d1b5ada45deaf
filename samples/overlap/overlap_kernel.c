/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel out = sum of the batch, in the format "host-so". The program carries it inside. */
#include <collet/host_kernel.h>

static void sum(const collet_host_group_t *group, void *const *arguments) {
  const float *batch = (const float *)arguments[0];
  double *out = (double *)arguments[1];
  const uint64_t count = *(const uint64_t *)arguments[2];
  double total = 0;
  (void)group; /* One group does it all. */
  for (uint64_t i = 0; i < count; ++i) total += batch[i];
  *out = total;
}

static const collet_argument_kind_t kinds[] = {
    COLLET_ARGUMENT_BUFFER,
    COLLET_ARGUMENT_BUFFER,
    COLLET_ARGUMENT_SCALAR,
};
static const uint32_t sizes[] = {0, 0, sizeof(uint64_t)};

static const collet_host_kernel_t kernels[] = {
    {
        .name = "sum",
        .run = sum,
        .argument_count = 3,
        .argument_kinds = kinds,
        .argument_sizes = sizes,
    },
};

const collet_host_module_t *collet_host_module_v1(void) {
  static const collet_host_module_t module = {
      .struct_size = sizeof(collet_host_module_t),
      .kernel_struct_size = sizeof(collet_host_kernel_t),
      .kernel_count = 1,
      .kernels = kernels,
  };
  return &module;
}
