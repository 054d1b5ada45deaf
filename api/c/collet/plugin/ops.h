/* SPDX-License-Identifier: Apache-2.0 */
/** COLLET_INTERFACE_OPS_V1: native operations. What a device lacks, the host emulates. */
#ifndef COLLET_PLUGIN_OPS_H
#define COLLET_PLUGIN_OPS_H

#include <collet/ops.h>
#include <collet/plugin.h>

COLLET_BEGIN_DECLS

/** As collet_operand_t, with the plugin's memory in place of a buffer. */
typedef struct collet_plugin_operand_t {
  /** NULL for an immediate. */
  collet_plugin_memory_t *memory;
  uint64_t offset_bytes;
  collet_scalar_t value;
} collet_plugin_operand_t;

/** The host has validated `desc` by the rules of collet/ops.h before it calls any of these. */
typedef struct collet_plugin_ops_interface_t {
  uint32_t struct_size;
  uint32_t reserved;

  /**
   * Answers NATIVE or UNSUPPORTED with a reason; never EMULATED. Writes at most
   * `out_support->base.struct_size` bytes, not the head.
   * @retval COLLET_OK  `*out_support` is filled.
   * @blocking Never for work.
   */
  collet_status_t (*query)(collet_plugin_device_t *device, const collet_op_desc_t *desc,
                           collet_op_support_t *out_support);

  /** As collet_op_preferred_layout(). */
  collet_status_t (*preferred_layout)(collet_plugin_device_t *device, const collet_op_desc_t *desc,
                                      uint32_t operand, collet_layout_t *out_layout);

  /**
   * Makes a plan. The plan is immutable and usable from several threads at once.
   * @retval COLLET_OK                 `*out_plan` is usable; nothing of `desc` is kept.
   * @retval COLLET_ERROR_UNSUPPORTED  The device cannot run it (the plugin checks).
   * @blocking May compile.
   */
  collet_status_t (*create)(collet_plugin_device_t *device, const collet_op_desc_t *desc,
                            collet_plugin_plan_t **out_plan);

  /** Destroys a plan. Runs that are enqueued still run. */
  void (*destroy)(collet_plugin_plan_t *plan);

  /**
   * Enqueues a run. There is one operand for each of the description, inside its memory; operands
   * are copied before the call returns. Allocates no device memory.
   * @retval COLLET_OK    It is enqueued.
   * @retval (a failure)  The stream is poisoned by it.
   * @blocking Never for work, but on an inline stream.
   */
  collet_status_t (*enqueue)(collet_plugin_stream_t *stream, collet_plugin_plan_t *plan,
                             const collet_plugin_operand_t *operands, uint32_t operand_count,
                             collet_plugin_memory_t *workspace, uint64_t workspace_offset_bytes);
} collet_plugin_ops_interface_t;

COLLET_END_DECLS

#endif
