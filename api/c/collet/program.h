/* SPDX-License-Identifier: Apache-2.0 */
/** Programs, kernels, and launching them. */
#ifndef COLLET_PROGRAM_H
#define COLLET_PROGRAM_H

#include <collet/base.h>

COLLET_BEGIN_DECLS

/* Names of program formats. Vendors may have more of their own. */
#define COLLET_FORMAT_HOST_SO "host-so"   /* shared object, see collet/host_kernel.h */
#define COLLET_FORMAT_OPENCL_C "opencl-c" /* source */
#define COLLET_FORMAT_CUDA_C "cuda-c"     /* source for NVRTC */
#define COLLET_FORMAT_PTX "ptx"           /* text */
#define COLLET_FORMAT_CUBIN "cubin"       /* binary */
#define COLLET_FORMAT_SPIRV "spirv"       /* binary */
#define COLLET_FORMAT_COLLET_C "collet-c" /* source in the portable dialect */

/** The kernels of a program in one format. */
typedef struct collet_program_image_t {
  const char *format;
  /** Source text (need not end with NUL) or binary. */
  const void *data;
  uint64_t size_bytes;
} collet_program_image_t;

/** Text that a call writes into memory of the caller. */
typedef struct collet_text_t {
  /** May be NULL if the capacity is 0. */
  char *data;
  uint64_t capacity_bytes;
  /** Written by the call: length without NUL. A longer text is cut to fit, with a NUL. */
  uint64_t size_bytes;
} collet_text_t;

/** A bundle: the same kernels in several formats. The device takes the one it likes best. */
typedef struct collet_program_desc_t {
  collet_struct_t base;
  const collet_program_image_t *images;
  uint32_t image_count;
  uint32_t reserved;
  /**
   * Options for the compiler of a source format; may be NULL. Separated by spaces; quotes keep
   * together what has spaces. `-D name[=value]`, `-U name` and `-I folder` are taken by every
   * compiler; which others are is told by the back end.
   */
  const char *options;
  /** Names the program in messages; may be NULL. Copied. */
  const char *label;
  /** Receives the compiler's output, on success and on failure; may be NULL. */
  collet_text_t *build_log;
} collet_program_desc_t;

#define COLLET_PROGRAM_DESC_INIT \
  COLLET_DESCRIPTOR_INIT(collet_program_desc_t, COLLET_STRUCT_PROGRAM_DESC)

typedef enum collet_argument_kind_t {
  COLLET_ARGUMENT_BUFFER = 1,
  /** Up to 64 bytes, given by value. */
  COLLET_ARGUMENT_SCALAR = 2,
  /** Local memory of the work-group; only its size is given. */
  COLLET_ARGUMENT_LOCAL = 3,
  COLLET_ARGUMENT_KIND_MAX = 0x7fffffff
} collet_argument_kind_t;

/** Most arguments of a kernel, and most bytes of a scalar one. */
#define COLLET_MAX_KERNEL_ARGUMENTS 64
#define COLLET_MAX_SCALAR_BYTES 64

/** One argument of a launch. */
typedef struct collet_argument_t {
  collet_argument_kind_t kind;
  uint32_t reserved;
  /** BUFFER: the buffer, and where in it the kernel's pointer starts. */
  collet_buffer_t *buffer;
  uint64_t offset_bytes;
  /** SCALAR: the value, copied before the launch returns. */
  const void *value;
  /** SCALAR, LOCAL: size. BUFFER: unused. */
  uint64_t size_bytes;
} collet_argument_t;

/** A grid of work-groups. The total number of work-items is `grid` times `group`. */
typedef struct collet_launch_t {
  /** Work-groups along x, y and z. Zero along any axis is an ordinary, empty command. */
  uint64_t grid[3];
  /** Work-items of a group along x, y and z; at least 1. */
  uint32_t group[3];
  uint32_t argument_count;
  const collet_argument_t *arguments;
} collet_launch_t;

/** What is known about a kernel. A number that is not known is 0. */
typedef struct collet_kernel_info_t {
  collet_struct_t base;
  char name[128];
  /** UINT32_MAX: the format does not tell. */
  uint32_t argument_count;
  /** Most work-items in a group of this kernel on this device. */
  uint32_t max_group_items;
  /** The group size that the kernel was written for; 0 where it takes any. */
  uint32_t required_group[3];
  uint32_t preferred_group_multiple;
  /** Static local memory of a work-group. */
  uint64_t local_memory_bytes;
  /** Kinds of the arguments, where known; else 0. */
  uint8_t argument_kinds[COLLET_MAX_KERNEL_ARGUMENTS];
  /** Bytes of the scalar arguments, where known; else 0. */
  uint8_t argument_sizes[COLLET_MAX_KERNEL_ARGUMENTS];
} collet_kernel_info_t;

#define COLLET_KERNEL_INFO_INIT \
  COLLET_DESCRIPTOR_INIT(collet_kernel_info_t, COLLET_STRUCT_KERNEL_INFO)

/**
 * Builds a program for a device.
 *
 * @param[in]  device       The device that is to run it.
 * @param[in]  desc         The bundle; nothing of it is referenced after the call.
 * @param[out] out_program  The program, with one reference.
 *
 * @retval COLLET_OK                  `*out_program` is usable.
 * @retval COLLET_ERROR_UNSUPPORTED   No image has a format that the device takes; the text lists
 *                                    both sides.
 * @retval COLLET_ERROR_BUILD_FAILED  The image is malformed or does not compile; the build log
 *                                    and the error text say where.
 *
 * @lifetime     Released by collet_program_release().
 * @threadsafety Any thread.
 * @blocking     May compile; never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_program_create(collet_device_t *device,
                                                 const collet_program_desc_t *desc,
                                                 collet_program_t **out_program);

/** Adds a reference. @threadsafety Any thread. @blocking Never. @since ABI 1.0 */
COLLET_API collet_status_t collet_program_retain(collet_program_t *program);

/**
 * Drops a reference. Kernels of the program, and launches that are enqueued, keep it alive.
 *
 * @param[in] program  May be NULL.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API void collet_program_release(collet_program_t *program);

/**
 * Exports a program in the device's binary format, so that another process may skip compiling.
 *
 * @param[in]     program         The program.
 * @param[out]    out_data        Receives the image; NULL only asks for the size.
 * @param[in]     capacity_bytes  Room at `out_data`.
 * @param[out]    out_size_bytes  Size of the whole image.
 * @param[out]    out_format      Name of its format; static.
 *
 * @retval COLLET_OK                  The image, or its size if `out_data` is NULL, is given.
 * @retval COLLET_ERROR_OUT_OF_RANGE  The room is too small; nothing is written to `out_data`.
 * @retval COLLET_ERROR_UNSUPPORTED   The device has no binary format.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_program_export(collet_program_t *program, void *out_data,
                                                 uint64_t capacity_bytes, uint64_t *out_size_bytes,
                                                 const char **out_format);

/**
 * Lists the kernels of a program.
 *
 * @param[in]  program    The program.
 * @param[out] out_names  Receives the names, in the order of the program.
 * @param[out] out_count  Receives how many there are.
 *
 * @retval COLLET_OK                 Both are set.
 * @retval COLLET_ERROR_UNSUPPORTED  The format does not tell what kernels there are.
 *
 * @lifetime     The names live as long as the program.
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_program_kernels(collet_program_t *program,
                                                  const char *const **out_names,
                                                  uint32_t *out_count);

/**
 * Looks a kernel up by its name.
 *
 * @retval COLLET_OK               `*out_kernel` is usable.
 * @retval COLLET_ERROR_NOT_FOUND  The program has no such kernel; the text lists those it has.
 *
 * @lifetime     Released by collet_kernel_release(); keeps its program alive.
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_kernel_create(collet_program_t *program, const char *name,
                                                collet_kernel_t **out_kernel);

/** Adds a reference. @threadsafety Any thread. @blocking Never. @since ABI 1.0 */
COLLET_API collet_status_t collet_kernel_retain(collet_kernel_t *kernel);

/**
 * Drops a reference. Launches that are enqueued keep the kernel alive.
 *
 * @param[in] kernel  May be NULL.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API void collet_kernel_release(collet_kernel_t *kernel);

/**
 * Describes a kernel.
 *
 * @retval COLLET_OK  `*out_info` is filled.
 *
 * @threadsafety Any thread.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_kernel_info(collet_kernel_t *kernel,
                                              collet_kernel_info_t *out_info);

/**
 * Records the launch of a kernel. Arguments are read before the call returns.
 *
 * @retval COLLET_OK                      The launch is recorded.
 * @retval COLLET_ERROR_INVALID_ARGUMENT  The arguments do not fit the kernel in number, kind
 *                                        or size, or a group has no items.
 * @retval COLLET_ERROR_OUT_OF_RANGE      A grid, a group or the local memory is past a limit of
 *                                        the device or kernel, or an offset past its buffer.
 * @retval COLLET_ERROR_WRONG_DEVICE      Kernel or buffer belong to another device.
 * @retval (a failure)                    The stream is poisoned by it.
 * On error nothing is recorded.
 *
 * @lifetime     Releasing a buffer afterwards is safe on its own stream; on another, declare
 *               collet_buffer_use_on().
 * @threadsafety Any thread; calls on one stream are serialized inside.
 * @blocking     Never waits for the device.
 * @since        ABI 1.0
 */
COLLET_API collet_status_t collet_stream_launch(collet_stream_t *stream, collet_kernel_t *kernel,
                                                const collet_launch_t *launch);

COLLET_END_DECLS

#endif
