/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Blocks where the device itself runs the items: each executes the whole body.
 *
 * The loops that run once make `continue` end an item, as on the other targets.
 */
#ifndef COLLET_KERNEL_ITEMS_H
#define COLLET_KERNEL_ITEMS_H

#define COLLET_ONCE for (int collet_once = 1; collet_once; collet_once = 0)
#define COLLET_ITEMS COLLET_ONCE
#define COLLET_ITEMS_BELOW(count) \
  for (int collet_once = (size_t)COLLET_LOCAL_INDEX < (size_t)(count); collet_once; collet_once = 0)
#define COLLET_EACH(name, count)                                                               \
  for (size_t name = collet_grid_index(), collet_count = (size_t)(count); name < collet_count; \
       name += collet_grid_items())                                                            \
  COLLET_ONCE

#define COLLET_PRIVATE(type, name) type name
#define COLLET_PRIVATE_ARRAY(type, name, count) type name[count]
#define COLLET_MY(name) name
#define COLLET_MY_AT(name, which) name[which]

#endif
