// SPDX-License-Identifier: Apache-2.0
/** Threads of a case. */
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "check.hpp"

namespace collet::conformance {

/** Runs `body` on a thread of its own; the case fails with `otherwise` if it does not return. */
void expect_return(const std::function<void()>& body, std::string_view otherwise,
                   Place place = Place::here());

/** Runs `body(0)`... on that many threads at once; the end of one ends the case. */
void run_threads(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace collet::conformance
