/* SPDX-License-Identifier: Apache-2.0 */
/** COLLET_INTERFACE_PROGRAM_V1: programs, kernels and launches. */
#ifndef COLLET_PLUGIN_PROGRAM_H
#define COLLET_PLUGIN_PROGRAM_H

#include <collet/plugin.h>
#include <collet/program.h>

COLLET_BEGIN_DECLS

/** As collet_argument_t, with the plugin's memory in place of a buffer. */
typedef struct collet_plugin_argument_t {
  collet_argument_kind_t kind;
  uint32_t reserved;
  collet_plugin_memory_t *memory;
  uint64_t offset_bytes;
  const void *value;
  /** Of a scalar or of local memory; of a buffer, how many bytes there are from the offset on. */
  uint64_t size_bytes;
} collet_plugin_argument_t;

typedef struct collet_plugin_launch_t {
  uint64_t grid[3];
  uint32_t group[3];
  uint32_t argument_count;
  const collet_plugin_argument_t *arguments;
} collet_plugin_launch_t;

typedef struct collet_plugin_program_interface_t {
  uint32_t struct_size;
  uint32_t reserved;

  /**
   * Builds a program from the image it likes best. `desc->build_log` is filled on success and on
   * failure.
   * @retval COLLET_OK                  `*out_program` is usable; nothing of `desc` is kept.
   * @retval COLLET_ERROR_UNSUPPORTED   No image has a usable format (the plugin checks).
   * @retval COLLET_ERROR_BUILD_FAILED  The image is malformed or does not compile.
   * @blocking May compile.
   */
  collet_status_t (*create)(collet_plugin_device_t *device, const collet_program_desc_t *desc,
                            collet_plugin_program_t **out_program);

  /** Destroys a program that has no kernels. Launches that are enqueued still run. */
  void (*destroy)(collet_plugin_program_t *program);

  /** As collet_program_export(). */
  collet_status_t (*export_image)(collet_plugin_program_t *program, void *out_data,
                                  uint64_t capacity_bytes, uint64_t *out_size_bytes,
                                  const char **out_format);

  /**
   * Lists the kernels. The names live as long as the program.
   * @retval COLLET_OK                 Both are set.
   * @retval COLLET_ERROR_UNSUPPORTED  The format does not tell.
   * @blocking Never for work.
   */
  collet_status_t (*kernels)(collet_plugin_program_t *program, const char *const **out_names,
                             uint32_t *out_count);

  /**
   * Looks a kernel up.
   * @retval COLLET_OK               `*out_kernel` is usable.
   * @retval COLLET_ERROR_NOT_FOUND  There is none; the text lists the names (the plugin checks).
   * @blocking Never for work.
   */
  collet_status_t (*kernel_create)(collet_plugin_program_t *program, const char *name,
                                   collet_plugin_kernel_t **out_kernel);

  /** Destroys a kernel. Launches that are enqueued still run. */
  void (*kernel_destroy)(collet_plugin_kernel_t *kernel);

  /** Describes a kernel; writes at most `out_info->base.struct_size` bytes, not the head. */
  collet_status_t (*kernel_info)(collet_plugin_kernel_t *kernel, collet_kernel_info_t *out_info);

  /**
   * Enqueues a launch. The host has checked the arguments against `kernel_info` as far as it
   * tells, and grid, group and local memory against the limits of device and kernel. Arguments
   * are copied before the call returns. A grid with a zero is an empty command.
   * @retval COLLET_OK    It is enqueued.
   * @retval (a failure)  The stream is poisoned by it.
   * @blocking Never for work, but on an inline stream.
   */
  collet_status_t (*launch)(collet_plugin_stream_t *stream, collet_plugin_kernel_t *kernel,
                            const collet_plugin_launch_t *launch);
} collet_plugin_program_interface_t;

COLLET_END_DECLS

#endif
