// SPDX-License-Identifier: Apache-2.0
//
// A callable on its way to a stream, which knows only a function and a pointer.
#pragma once

#include <collet/base.h>

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace collet::detail {

/// Deletes itself when it has run.
class HostCall {
 public:
  HostCall() = default;
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  virtual ~HostCall() = default;

  std::future<void> done() { return done_.get_future(); }

  static void run(void* user_data, collet_status_t upstream) noexcept {
    const std::unique_ptr<HostCall> call(static_cast<HostCall*>(user_data));
    try {
      call->call(upstream);
      call->done_.set_value();
    } catch (...) {
      call->done_.set_exception(std::current_exception());
    }
  }

 private:
  virtual void call(collet_status_t upstream) = 0;

  std::promise<void> done_;
};

template <class Function>
class HostCallOf final : public HostCall {
 public:
  template <class Source>
  explicit HostCallOf(std::in_place_t /*tag*/, Source&& function)
      : function_(std::forward<Source>(function)) {}

 private:
  void call(collet_status_t upstream) override {
    if constexpr (std::is_invocable_v<Function&, collet_status_t>) {
      std::invoke(function_, upstream);
    } else {
      std::invoke(function_);
    }
  }

  Function function_;
};

template <class Function>
std::unique_ptr<HostCall> make_host_call(Function&& function) {
  return std::make_unique<HostCallOf<std::decay_t<Function>>>(std::in_place,
                                                              std::forward<Function>(function));
}

}  // namespace collet::detail
