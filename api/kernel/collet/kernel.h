/* SPDX-License-Identifier: Apache-2.0 */
/**
 * collet-c, the portable kernel language: one source for every device.
 *
 * A source is C with the words below, and includes nothing. It is compiled with this header before
 * it: as C++17 for the host by gcc or clang, as OpenCL C 1.2, or as CUDA C++ by NVRTC or nvcc.
 *
 *   g++ -std=c++17 -O3 -fPIC -shared -include collet/kernel.h -x c++ saxpy.clt -o saxpy.so
 *
 * Where a compiler has no include path, the same comes as text: collet/kernel/prelude/.
 * `api/docs/collet-c.md` is the guide, with examples, and says what is undefined.
 *
 *   COLLET_KERNEL(saxpy, COLLET_IN(float) x, COLLET_OUT(float) y, float a, collet_uint64_t n) {
 *     COLLET_EACH(i, n) y[i] = a * x[i] + y[i];
 *   }
 *
 * A kernel's body is *uniform*: what it does is the same for all items of a work-group. What one
 * item does stands in *blocks*, one statement each. Between blocks that share memory stands a
 * barrier.
 *
 * Kernels
 *   COLLET_KERNEL(name, parameters...)                 for groups of any size
 *   COLLET_KERNEL_SIZED(name, x, y, z, parameters...)  for groups of this size alone; faster
 * Parameters
 *   COLLET_IN(type) name              a buffer that is read
 *   COLLET_OUT(type) name             a buffer that is written, and may be read
 *   COLLET_GLOBAL(type) name          a buffer that may share bytes with another one
 *   COLLET_LOCAL_ARGUMENT(type) name  local memory whose size the launch gives
 *   type name                         a value of up to 64 bytes
 * Blocks
 *   COLLET_ITEMS            for each item of the group
 *   COLLET_ITEMS_BELOW(n)   for the items whose COLLET_LOCAL_INDEX is less than n
 *   COLLET_EACH(i, n)       for each i in [0, n), by some item of the grid
 *   COLLET_BARRIER          between blocks: memory that one wrote is there for the next
 * In blocks
 *   COLLET_LOCAL_ID(axis)   of the item in its group, an int; not in BELOW and EACH
 *   COLLET_GLOBAL_ID(axis)  of the item in the grid, a size_t; not in BELOW and EACH
 *   COLLET_LOCAL_INDEX      of the item in its group, counted along x, then y, then z
 * Everywhere in a kernel
 *   COLLET_GROUP_ID(axis), COLLET_GROUP_COUNT(axis)      a size_t
 *   COLLET_LOCAL_SIZE(axis), COLLET_GLOBAL_SIZE(axis)    an int, a size_t
 * Memory, declared before the first block
 *   COLLET_LOCAL_ARRAY(type, name, [n][m])   one for the group
 *   COLLET_PRIVATE(type, name)               one for each item, used as COLLET_MY(name)
 *   COLLET_PRIVATE_ARRAY(type, name, count)  used as COLLET_MY_AT(name, which)
 * Numbers; all functions of float
 *   collet_int8_t ... collet_uint64_t    integers of the same size everywhere
 *   collet_half_t, collet_bfloat16_t     16 bits in memory; collet_half_to_float() and so on
 * convert collet_sqrt exp log sin cos tanh erf floor ceil trunc rint fabs pow fma min max is_nan
 * Atomics: on int32, uint32 and float, global and local; give the value before
 *   collet_atomic_add min max exchange (at, value), compare_exchange(at, expected, value)
 * Vectors: collet_float_x4_t and so on, of float, int32 and uint32; 2, 4, 8, 16 lanes v[lane]
 *   collet_load4(from), collet_store4(to, value)                      at multiples of their size
 *   collet_load4_unaligned(from), collet_store4_unaligned(to, value)  anywhere
 * Besides
 *   COLLET_GLOBAL(type), COLLET_LOCAL(type)  pointers into buffers and into local memory
 *   COLLET_FUNCTION, COLLET_CONSTANT         before functions, and before tables at file scope
 *   COLLET_UNROLL                            before a loop with a small, constant count
 */
#ifndef COLLET_KERNEL_H
#define COLLET_KERNEL_H

#if defined(__OPENCL_VERSION__)
#include <collet/kernel/opencl.h>
#elif defined(__CUDACC__)
#include <collet/kernel/cuda.h>
#else
#include <collet/kernel/host.h>
#endif

#endif
