/* SPDX-License-Identifier: Apache-2.0 */
/** The program of the launch rows: one kernel that takes no arguments and does nothing. */
#include <collet/host_kernel.h>

static void run_empty(const collet_host_group_t *group, void *const *arguments) {
  (void)group;
  (void)arguments;
}

static const collet_host_kernel_t kKernels[] = {{.name = "empty", .run = run_empty}};

static const collet_host_module_t kModule = {
    .struct_size = sizeof(collet_host_module_t),
    .kernel_struct_size = sizeof(collet_host_kernel_t),
    .kernel_count = 1,
    .kernels = kKernels,
};

const collet_host_module_t *collet_host_module_v1(void) { return &kModule; }
