/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel y = a * x + y in the format "host-so". The program carries it inside. */
#include <collet/host_kernel.h>

static void saxpy(const collet_host_group_t *group, void *const *arguments) {
  const float a = *(const float *)arguments[0];
  const float *restrict x = (const float *)arguments[1];
  float *restrict y = (float *)arguments[2];
  const uint64_t count = *(const uint64_t *)arguments[3];

  /* The last group may reach past the end. */
  const uint64_t first = group->group_id[0] * group->group[0];
  const uint64_t last = first + group->group[0] < count ? first + group->group[0] : count;
  for (uint64_t i = first; i < last; ++i) y[i] = a * x[i] + y[i];
}

static const collet_argument_kind_t kinds[] = {
    COLLET_ARGUMENT_SCALAR,
    COLLET_ARGUMENT_BUFFER,
    COLLET_ARGUMENT_BUFFER,
    COLLET_ARGUMENT_SCALAR,
};
static const uint32_t sizes[] = {sizeof(float), 0, 0, sizeof(uint64_t)};

static const collet_host_kernel_t kernels[] = {
    {
        .name = "saxpy",
        .run = saxpy,
        .argument_count = 4,
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
