/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the format "host-so" for the cases that need a kernel. */
#include <collet/host_kernel.h>

/* Stores a value at the index of each work-item along x. */
static void store(const collet_host_group_t *group, void *const *arguments) {
  uint32_t *out = arguments[0];
  const uint32_t *value = arguments[1];
  for (uint32_t item = 0; item < group->group[0]; ++item) {
    out[group->group_id[0] * group->group[0] + item] = *value;
  }
}

static const collet_argument_kind_t kStoreKinds[] = {COLLET_ARGUMENT_BUFFER,
                                                     COLLET_ARGUMENT_SCALAR};
static const uint32_t kStoreSizes[] = {0, sizeof(uint32_t)};
static const collet_host_kernel_t kKernels[] = {
    {"store", store, 2, {0, 0, 0}, kStoreKinds, kStoreSizes}};
static const collet_host_module_t kModule = {sizeof(collet_host_module_t),
                                             sizeof(collet_host_kernel_t), 1, 0, kKernels};

const collet_host_module_t *collet_host_module_v1(void) { return &kModule; }
