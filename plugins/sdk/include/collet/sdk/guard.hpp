// SPDX-License-Identifier: Apache-2.0
/** The boundary between C++ and the tables: exceptions become statuses here and nowhere else. */
#pragma once

#include <collet/sdk/host.hpp>

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace collet::plugin {

/**
 * Runs `body` at the C boundary: COLLET_OK, or the status of what it threw.
 *
 * A body may also return a status, for answers that are no errors, such as COLLET_NOT_READY.
 * Each entry of an interface table is one call to guarded(); nothing else catches. What is thrown
 * is reported to the host with its text.
 */
template <class Body>
[[nodiscard]] collet_status_t guarded(Body&& body) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      std::forward<Body>(body)();
      return COLLET_OK;
    } else {
      return std::forward<Body>(body)();
    }
  } catch (const Error& e) {
    return host().report(e.status(), e.native_code(),
                         e.native_name().empty() ? nullptr : e.native_name().c_str(), e.what());
  } catch (const std::bad_alloc&) {
    return host().report(COLLET_ERROR_OUT_OF_HOST_MEMORY, 0, nullptr, "out of host memory");
  } catch (const std::exception& e) {
    return host().report(COLLET_ERROR_INTERNAL, 0, nullptr, e.what());
  } catch (...) {
    return host().report(COLLET_ERROR_INTERNAL, 0, nullptr, "an exception of an unknown type");
  }
}

}  // namespace collet::plugin
