// SPDX-License-Identifier: Apache-2.0
//
// All of the C++ wrapper: header-only, over the C API of collet/collet.h. Objects are references
// that copy and move like std::shared_ptr; failures are collet::Error. Functions that wait for the
// device say "Blocking"; all others never do.
#pragma once

#include <collet/collet.h>

#include <collet/allocator.hpp>
#include <collet/device.hpp>
#include <collet/error.hpp>
#include <collet/event.hpp>
#include <collet/memory.hpp>
#include <collet/ops.hpp>
#include <collet/pending.hpp>
#include <collet/pinned_array.hpp>
#include <collet/plan.hpp>
#include <collet/program.hpp>
#include <collet/stream.hpp>
#include <collet/tensor.hpp>
