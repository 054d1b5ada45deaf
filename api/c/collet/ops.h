/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Operations: a catalogue of tensor functions that every device answers for.
 *
 * An operation is described by layouts (types, sizes, strides), made into a plan once, and run
 * many times on buffers. Operand 0 is the output; inputs follow. Layouts are part of the plan,
 * memory is bound when it is run.
 *
 * Numerics (clauses PLUG-NUM-*): float to integer saturates and NaN becomes 0; narrowing rounds to
 * nearest even; NaN propagates; f16 and bf16 accumulate in f32; any size may be 0.
 */
#ifndef COLLET_OPS_H
#define COLLET_OPS_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

typedef enum collet_op_kind_t {
  /** out = value. Operands: out, value (immediate). */
  COLLET_OP_FILL = 1,
  /** out[i] = (type of out) in[i]. Operands: out, in; strides may differ: also transposes. */
  COLLET_OP_COPY = 2,
  /** out[i] = f(in[i]). Operands: out, in. `function` is a collet_unary_t. */
  COLLET_OP_UNARY = 3,
  /**
   * out[i] = f(a[i], b[i]). Operands: out, a, b. `function` is a collet_binary_t. Inputs
   * broadcast: a size is out's, or 1. One of them may be immediate.
   */
  COLLET_OP_BINARY = 4,
  /**
   * Reduces the axes where out's size is 1 and in's is not. Operands: out, in, of one rank.
   * `function` is a collet_reduction_t. ARGMAX and ARGMIN take exactly one axis, given by
   * `axis`, and an out of type I64.
   */
  COLLET_OP_REDUCE = 5,
  /** Softmax over `axis`. Operands: out, in. `function` is a collet_softmax_t. */
  COLLET_OP_SOFTMAX = 6,
  /**
   * C = activation(alpha * A B + beta * C + bias). Operands: C, A, B and, if HAS_BIAS, bias.
   * Ranks are equal and at least 2: [..., m, n] = [..., m, k] [..., k, n]; leading sizes
   * broadcast; bias broadcasts to C. Transposes are strides.
   */
  COLLET_OP_MATMUL = 7,
  COLLET_OP_KIND_MAX = 0x7fffffff
} collet_op_kind_t;

typedef enum collet_unary_t {
  COLLET_UNARY_NEGATE = 1,
  COLLET_UNARY_ABS = 2,
  COLLET_UNARY_EXP = 3,
  COLLET_UNARY_LOG = 4,
  COLLET_UNARY_SQRT = 5,
  COLLET_UNARY_RSQRT = 6,
  COLLET_UNARY_RECIPROCAL = 7,
  COLLET_UNARY_SQUARE = 8,
  COLLET_UNARY_TANH = 9,
  COLLET_UNARY_SIGMOID = 10,
  COLLET_UNARY_RELU = 11,
  /** x * 0.5 * (1 + erf(x / sqrt(2))) */
  COLLET_UNARY_GELU = 12,
  COLLET_UNARY_MAX = 0x7fffffff
} collet_unary_t;

typedef enum collet_binary_t {
  COLLET_BINARY_ADD = 1,
  COLLET_BINARY_SUBTRACT = 2,
  COLLET_BINARY_MULTIPLY = 3,
  COLLET_BINARY_DIVIDE = 4,
  COLLET_BINARY_MAXIMUM = 5,
  COLLET_BINARY_MINIMUM = 6,
  COLLET_BINARY_POWER = 7,
  /* Comparisons: out is of type BOOL, or of the type of the inputs with values 0 and 1. */
  COLLET_BINARY_EQUAL = 8,
  COLLET_BINARY_NOT_EQUAL = 9,
  COLLET_BINARY_LESS = 10,
  COLLET_BINARY_LESS_EQUAL = 11,
  COLLET_BINARY_GREATER = 12,
  COLLET_BINARY_GREATER_EQUAL = 13,
  COLLET_BINARY_MAX = 0x7fffffff
} collet_binary_t;

typedef enum collet_reduction_t {
  COLLET_REDUCTION_SUM = 1,
  COLLET_REDUCTION_MEAN = 2,
  COLLET_REDUCTION_PRODUCT = 3,
  COLLET_REDUCTION_MAXIMUM = 4,
  COLLET_REDUCTION_MINIMUM = 5,
  /** Index of the first greatest element; of the first NaN, if there is one. */
  COLLET_REDUCTION_ARGMAX = 6,
  COLLET_REDUCTION_ARGMIN = 7,
  COLLET_REDUCTION_MAX = 0x7fffffff
} collet_reduction_t;

typedef enum collet_softmax_t {
  COLLET_SOFTMAX_PLAIN = 1,
  COLLET_SOFTMAX_LOG = 2,
  COLLET_SOFTMAX_MAX = 0x7fffffff
} collet_softmax_t;

typedef enum collet_activation_t {
  COLLET_ACTIVATION_NONE = 0,
  COLLET_ACTIVATION_RELU = 1,
  COLLET_ACTIVATION_GELU = 2,
  COLLET_ACTIVATION_TANH = 3,
  COLLET_ACTIVATION_SIGMOID = 4,
  COLLET_ACTIVATION_MAX = 0x7fffffff
} collet_activation_t;

/** How a matrix product may trade precision for speed. */
typedef enum collet_math_mode_t {
  /** Products of the operand type, sums of at least f32. */
  COLLET_MATH_STRICT = 0,
  /** f32 products may be rounded to TF32 or better. */
  COLLET_MATH_TF32 = 1,
  /** f32 products may be rounded to bf16 or better. */
  COLLET_MATH_BF16 = 2,
  COLLET_MATH_MODE_MAX = 0x7fffffff
} collet_math_mode_t;

typedef enum collet_op_flag_t {
  /** The same inputs give the same bits, run to run; otherwise UNSUPPORTED. */
  COLLET_OP_DETERMINISTIC = 1 << 0,
  /** MATMUL: a fourth operand is added. */
  COLLET_OP_HAS_BIAS = 1 << 1,
  COLLET_OP_FLAG_MAX = 0x7fffffff
} collet_op_flag_t;

/** How the elements of an operand lie in memory. */
typedef struct collet_layout_t {
  collet_type_t type;
  /** 0 is one element. */
  uint32_t rank;
  int64_t sizes[COLLET_MAX_RANK];
  /** In elements; may be 0 or negative in inputs. The offset names the element of index 0. */
  int64_t strides[COLLET_MAX_RANK];
  /** Promise: offsets that are bound are multiples of it. 0: of the element's size. */
  uint32_t offset_alignment_bytes;
  /** 1: no memory; a value is given at each run, converted to `type`. */
  uint32_t immediate;
  /** Not 0: an opaque layout of the device, by collet_op_preferred_layout(). */
  uint64_t packed;
  /** Size in memory of a packed layout. */
  uint64_t packed_size_bytes;
} collet_layout_t;

/** What to compute. */
typedef struct collet_op_desc_t {
  collet_struct_t base;
  collet_op_kind_t kind;
  /** UNARY, BINARY, REDUCE, SOFTMAX: which; else 0. */
  uint32_t function;
  /** SOFTMAX, ARGMAX, ARGMIN: the axis; else 0. */
  uint32_t axis;
  /** Set of collet_op_flag_t. */
  uint32_t flags;
  collet_math_mode_t math_mode;
  /** MATMUL: applied last. */
  collet_activation_t activation;
  /** MATMUL. With beta 0, C is not read. Other kinds: 0. */
  double alpha;
  double beta;
  uint32_t operand_count;
  uint32_t reserved;
  const collet_layout_t *operands;
} collet_op_desc_t;

#define COLLET_OP_DESC_INIT COLLET_DESCRIPTOR_INIT(collet_op_desc_t, COLLET_STRUCT_OP_DESC)

typedef enum collet_op_level_t {
  COLLET_OP_UNSUPPORTED = 0,
  /** The host computes it with portable kernels that the device compiles. */
  COLLET_OP_EMULATED = 1,
  COLLET_OP_NATIVE = 2,
  COLLET_OP_LEVEL_MAX = 0x7fffffff
} collet_op_level_t;

/** What a device answers about an operation. */
typedef struct collet_op_support_t {
  collet_struct_t base;
  collet_op_level_t level;
  /** 1: may be enqueued while a graph is captured. */
  uint32_t capture_legal;
  /** Memory that a run needs besides its operands. */
  uint64_t workspace_bytes;
  /** The mode that is really used: as asked, or more precise. */
  collet_math_mode_t math_mode;
  /** UNSUPPORTED: why. NATIVE: the implementation, e.g. "onednn jit:avx512_core". */
  char detail[252];
} collet_op_support_t;

#define COLLET_OP_SUPPORT_INIT COLLET_DESCRIPTOR_INIT(collet_op_support_t, COLLET_STRUCT_OP_SUPPORT)

/** The value of an immediate operand: `i` for integer and bool types, `f` for float types. */
typedef union collet_scalar_t {
  double f;
  int64_t i;
} collet_scalar_t;

/** Memory, or the value, of one operand of a run. */
typedef struct collet_operand_t {
  /** NULL for an immediate. */
  collet_buffer_t *buffer;
  /** Where the element of index 0 lies. */
  uint64_t offset_bytes;
  collet_scalar_t value;
} collet_operand_t;

/** Most operands of an operation. */
#define COLLET_MAX_OPERANDS 16

/**
 * Asks how a device would run an operation.
 *
 * @param[in]     device       The device.
 * @param[in]     desc         The operation.
 * @param[in,out] out_support  Filled, also where the operation is unsupported.
 *
 * @retval COLLET_OK                      `*out_support` is filled.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  The description contradicts itself; the text says where.
 * @retval COLLET_ERROR_OVERFLOW          An operand's extent does not fit in 64 bits.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_op_query(collet_device_t *device, const collet_op_desc_t *desc,
                                           collet_op_support_t *out_support);

/**
 * Returns the layout that a device would like best for one operand.
 *
 * It may be opaque (`packed`): memory of `packed_size_bytes` that COLLET_OP_COPY fills from, and
 * reads to, a plain layout.
 *
 * @param[in]  device      The device.
 * @param[in]  desc        The operation.
 * @param[in]  operand     Index of the operand.
 * @param[out] out_layout  The layout; that of `desc` where the device has no wish.
 *
 * @retval COLLET_OK                      `*out_layout` is set.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  The description contradicts itself; the text says where.
 * @retval COLLET_ERROR_OUT_OF_RANGE      There is no such operand.
 * @retval COLLET_ERROR_OVERFLOW          An operand's extent does not fit in 64 bits.
 * @retval COLLET_ERROR_UNSUPPORTED       The device cannot run the operation; the text says why.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_op_preferred_layout(collet_device_t *device,
                                                      const collet_op_desc_t *desc,
                                                      uint32_t operand,
                                                      collet_layout_t *out_layout);

/**
 * Makes a plan for an operation, or finds the one that was made before.
 *
 * Plans are immutable. The library keeps the most recently used ones of each device, keyed by the
 * whole description, so that making the same plan again is cheap.
 *
 * @param[in]  device    The device.
 * @param[in]  desc      The operation; nothing of it is referenced after the call.
 * @param[out] out_plan  The plan, with one reference.
 *
 * @retval COLLET_OK                      `*out_plan` is usable.
 * @retval COLLET_ERROR_UNSUPPORTED       The device cannot run it; the text says why.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  The description contradicts itself; the text says where.
 * @retval COLLET_ERROR_OVERFLOW          An operand's extent does not fit in 64 bits.
 *
 * @lifetime     Released by collet_plan_release().
 * @threadsafety Any thread.
 * @blocking     May compile; never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_plan_create(collet_device_t *device, const collet_op_desc_t *desc,
                                              collet_plan_t **out_plan);

/** Adds a reference. @threadsafety Any thread. @blocking Never. @since ABI 1.0 */
COLLET_API collet_status_t collet_plan_retain(collet_plan_t *plan);

/**
 * Drops a reference. Runs that are enqueued keep the plan alive.
 *
 * @param[in] plan  May be NULL.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API void collet_plan_release(collet_plan_t *plan);

/**
 * Describes a plan, as collet_op_query() does.
 *
 * @retval COLLET_OK  `*out_support` is filled.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_plan_support(collet_plan_t *plan,
                                               collet_op_support_t *out_support);

/**
 * Records a run of a plan.
 *
 * The output may be the same memory as an input of the same layout in UNARY, BINARY and SOFTMAX;
 * any other sharing of bytes between the output and an input is undefined.
 *
 * @param[in] stream                  Orders the run.
 * @param[in] plan                    The plan.
 * @param[in] operands                One for each operand of the description.
 * @param[in] operand_count           Their number.
 * @param[in] workspace               Memory of at least `workspace_bytes`; may be NULL if that
 *                                    is 0. Contents are undefined before and after.
 * @param[in] workspace_offset_bytes  A multiple of 64.
 *
 * @retval COLLET_OK                      The run is recorded.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  The number or form of the operands does not fit the
 *                                        plan, or the workspace is missing.
 * @retval COLLET_ERROR_OUT_OF_RANGE      An operand ends past its buffer; the text names it.
 * @retval COLLET_ERROR_WRONG_DEVICE      Plan or buffer belong to another device.
 * @retval (a failure)                    The stream is poisoned by it.
 * On error nothing is recorded.
 *
 * @lifetime     Releasing a buffer afterwards is safe on its own stream; on another, declare
 *               collet_buffer_use_on().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_run(collet_stream_t *stream, collet_plan_t *plan,
                                             const collet_operand_t *operands,
                                             uint32_t operand_count, collet_buffer_t *workspace,
                                             uint64_t workspace_offset_bytes);

COLLET_END_DECLS

#endif
