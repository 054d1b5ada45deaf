// SPDX-License-Identifier: Apache-2.0
/** Threads of the plugin. */
#pragma once

#include <functional>

namespace collet::cpu {

/**
 * Starts a thread that nobody joins: it may still run when the process ends.
 *
 * It takes no signals, so that the program's handlers run on the program's threads.
 *
 * @throws Error OUT_OF_HOST_MEMORY if the system gives no thread.
 */
void start_thread(std::function<void()> body);

/** Processors that this process may run on. */
[[nodiscard]] unsigned usable_processors() noexcept;

}  // namespace collet::cpu
