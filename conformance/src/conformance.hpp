// SPDX-License-Identifier: Apache-2.0
/** All that a case needs. */
#pragma once

#include "bytes.hpp"
#include "call.hpp"
#include "case.hpp"
#include "check.hpp"
#include "concurrency.hpp"
#include "event.hpp"
#include "gate.hpp"
#include "memory.hpp"
#include "stream.hpp"
#include "structs.hpp"
#include "test.hpp"
