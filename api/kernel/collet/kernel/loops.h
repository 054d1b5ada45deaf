/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Blocks as loops in OpenCL C, for devices that are processors: there one work-item that loops is
 * faster than many that a barrier stops.
 *
 * Kernels have one more parameter, the last: local memory of one byte, whose type carries the
 * group's shape. A kernel of a fixed size is launched with work-groups of one work-item, as its
 * reqd_work_group_size says, and as many of them as the grid has groups; its size is its
 * work_group_size_hint. Other kernels are launched as ever, and their loops run once.
 */
#ifndef COLLET_KERNEL_LOOPS_H
#define COLLET_KERNEL_LOOPS_H

#define COLLET_KERNEL(name, ...) \
  __kernel void name(__VA_ARGS__, __local uchar(*collet_shape)[1][1][1])
#define COLLET_KERNEL_SIZED(name, x, y, z, ...)           \
  __kernel __attribute__((reqd_work_group_size(1, 1, 1))) \
  __attribute__((work_group_size_hint(x, y, z))) void     \
  name(__VA_ARGS__, __local uchar(*collet_shape)[z][y][x])

#define COLLET_LOOP_ITEMS ((int)sizeof(*collet_shape))
#define COLLET_LOOP_SIZE(axis)                                                       \
  ((axis) == 0   ? (int)sizeof((*collet_shape)[0][0])                                \
   : (axis) == 1 ? (int)(sizeof((*collet_shape)[0]) / sizeof((*collet_shape)[0][0])) \
                 : (int)(sizeof(*collet_shape) / sizeof((*collet_shape)[0])))

/* clang reports loops that it was told to vectorise and could not. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define COLLET_LOOP_ONCE for (int collet_once = 1; collet_once; collet_once = 0)
#define COLLET_LOOP_ROW(width)                                                              \
  _Pragma("clang loop vectorize(assume_safety)") for (int collet_x = 0; collet_x < (width); \
                                                      collet_x++)
#define COLLET_ITEMS                                                                          \
  for (int collet_z = 0; collet_z < COLLET_LOOP_SIZE(2); collet_z++)                          \
    for (int collet_y = 0, collet_row = collet_z * COLLET_LOOP_SIZE(1) * COLLET_LOOP_SIZE(0); \
         collet_y < COLLET_LOOP_SIZE(1); collet_y++, collet_row += COLLET_LOOP_SIZE(0))       \
  COLLET_LOOP_ROW(COLLET_LOOP_SIZE(0)) COLLET_LOOP_ONCE
#define COLLET_ITEMS_BELOW(count)                                                               \
  for (int collet_row = 0, collet_width = collet_row_width((size_t)collet_work_item_index(),    \
                                                           (size_t)(count), COLLET_LOOP_ITEMS); \
       collet_row == 0; collet_row = 1)                                                         \
  COLLET_LOOP_ROW(collet_width) COLLET_LOOP_ONCE
#define COLLET_EACH(name, count)                                                              \
  for (size_t collet_next = collet_part_begin((size_t)(count), COLLET_LOOP_ITEMS),            \
              collet_end = collet_part_end((size_t)(count), COLLET_LOOP_ITEMS),               \
              collet_step = COLLET_LOOP_ITEMS == 1 ? collet_grid_items() : COLLET_LOOP_ITEMS; \
       collet_next < collet_end; collet_next += collet_step)                                  \
    for (int collet_row = 0,                                                                  \
             collet_width = collet_row_width(collet_next, collet_end, COLLET_LOOP_ITEMS);     \
         collet_row == 0; collet_row = 1)                                                     \
      COLLET_LOOP_ROW(collet_width)                                                           \
  for (size_t name = collet_next + (size_t)collet_x, collet_once = 1; collet_once; collet_once = 0)

/* How many of `items` numbers from `first` on are less than `end`. */
COLLET_FUNCTION int collet_row_width(size_t first, size_t end, int items) {
  return first >= end ? 0 : end - first < (size_t)items ? (int)(end - first) : items;
}
/* What of [0, count) is the group's where it loops over its items. Parts that are whole, and end at
 * cache lines, keep the caches of processors apart. With one item the grid strides over the range.
 */
COLLET_FUNCTION size_t collet_part(size_t count) {
  return ((count + collet_groups() - 1) / collet_groups() + 63) / 64 * 64;
}
COLLET_FUNCTION size_t collet_part_begin(size_t count, int items) {
  return items == 1 ? collet_grid_index() : min(count, collet_group_index() * collet_part(count));
}
COLLET_FUNCTION size_t collet_part_end(size_t count, int items) {
  return items == 1 ? count : min(count, collet_part_begin(count, items) + collet_part(count));
}

#define COLLET_BARRIER                                                               \
  do {                                                                               \
    if (COLLET_LOOP_ITEMS == 1) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
  } while (0)

#define COLLET_PRIVATE(type, name) COLLET_PRIVATE_ARRAY(type, name, 1)
#define COLLET_PRIVATE_ARRAY(type, name, count) \
  __attribute__((aligned(64))) type name[count][sizeof(*collet_shape)]
#define COLLET_MY(name) COLLET_MY_AT(name, 0)
#define COLLET_MY_AT(name, which) name[which][collet_row + collet_x]

#define COLLET_LOOP_ID(axis) ((axis) == 0 ? collet_x : (axis) == 1 ? collet_y : collet_z)
#define COLLET_LOCAL_ID(axis) ((int)get_local_id(axis) + COLLET_LOOP_ID(axis))
#define COLLET_LOCAL_INDEX (collet_work_item_index() + collet_row + collet_x)
#define COLLET_LOCAL_SIZE(axis) ((int)get_local_size(axis) * COLLET_LOOP_SIZE(axis))
#define COLLET_GLOBAL_ID(axis) \
  (get_group_id(axis) * (size_t)COLLET_LOCAL_SIZE(axis) + (size_t)COLLET_LOCAL_ID(axis))
#define COLLET_GLOBAL_SIZE(axis) (get_num_groups(axis) * (size_t)COLLET_LOCAL_SIZE(axis))

#endif
