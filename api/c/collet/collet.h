/* SPDX-License-Identifier: Apache-2.0 */
/** All that a host program calls. Plugins include collet/plugin.h instead. */
#ifndef COLLET_COLLET_H
#define COLLET_COLLET_H

#include <collet/allocator.h>
#include <collet/base.h>
#include <collet/config.h>
#include <collet/device.h>
#include <collet/error.h>
#include <collet/event.h>
#include <collet/memory.h>
#include <collet/memory_history.h>
#include <collet/ops.h>
#include <collet/program.h>
#include <collet/stream.h>

#endif
