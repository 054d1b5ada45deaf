/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The program format "host-so": a shared object whose kernels run on the host.
 *
 * The object exports one function, collet_host_module_v1(), that returns a table of its kernels.
 * A kernel is called once per work-group and loops over the work-items itself, so that the
 * compiler can vectorise the loop. Groups may run at the same time on several threads.
 *
 * An object is code: it is trusted like any library of the process.
 */
#ifndef COLLET_HOST_KERNEL_H
#define COLLET_HOST_KERNEL_H

#include <collet/program.h>

COLLET_BEGIN_DECLS

/** Where a call of a kernel stands in its launch. */
typedef struct collet_host_group_t {
  uint64_t grid[3];
  /** Index of this group along x, y and z. */
  uint64_t group_id[3];
  /** Work-items of a group along x, y and z. */
  uint32_t group[3];
  uint32_t reserved;
} collet_host_group_t;

/**
 * Runs one work-group.
 *
 * An exception that leaves it is the failure of the launch, COLLET_ERROR_COMMAND_FAILED; which of
 * the other groups run is undefined then.
 *
 * @param[in] group      Where the group stands.
 * @param[in] arguments  One pointer per argument: to the memory (BUFFER), to a copy of the value
 *                       (SCALAR), to 64-byte aligned memory of this group alone (LOCAL).
 */
typedef void (*collet_host_kernel_fn_t)(const collet_host_group_t *group, void *const *arguments);

typedef struct collet_host_kernel_t {
  const char *name;
  collet_host_kernel_fn_t run;
  uint32_t argument_count;
  /** The group size that the kernel was written for; 0 where it takes any. */
  uint32_t required_group[3];
  /** `argument_count` kinds. */
  const collet_argument_kind_t *argument_kinds;
  /** Sizes of scalars, in bytes; 0 for other kinds. NULL only without arguments. */
  const uint32_t *argument_sizes;
} collet_host_kernel_t;

typedef struct collet_host_module_t {
  uint32_t struct_size;
  /** sizeof(collet_host_kernel_t): the distance of two table entries. */
  uint32_t kernel_struct_size;
  uint32_t kernel_count;
  uint32_t reserved;
  const collet_host_kernel_t *kernels;
} collet_host_module_t;

/** The exported function of the object. */
typedef const collet_host_module_t *(*collet_host_module_fn_t)(void);
#define COLLET_HOST_MODULE_SYMBOL "collet_host_module_v1"

COLLET_API const collet_host_module_t *collet_host_module_v1(void);

COLLET_END_DECLS

#endif
