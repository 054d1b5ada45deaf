// SPDX-License-Identifier: Apache-2.0
// Holds a stream back until a case lets it go on.
#pragma once

#include <future>

#include "fixture.hpp"

namespace collet::test {

// Commands that are recorded after it wait for open(). For streams with COLLET_STREAM_BACKGROUND.
class Gate {
 public:
  explicit Gate(const Stream& stream) {
    const auto wait = [](void* gate, collet_status_t /*upstream*/) {
      static_cast<Gate*>(gate)->opened_.wait();
    };
    REQUIRE(collet_stream_host_function(stream.get(), wait, this) == COLLET_OK);
    stream_ = stream.get();
    REQUIRE(collet_stream_retain(stream_) == COLLET_OK);
  }
  // The stream must not call into what is gone: waits for it.
  ~Gate() {
    open();
    static_cast<void>(collet_stream_synchronize(stream_, COLLET_TIMEOUT_INFINITE));
    collet_stream_release(stream_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() {
    if (!open_) {
      open_ = true;
      open_promise_.set_value();
    }
  }

 private:
  std::promise<void> open_promise_;
  std::shared_future<void> opened_ = open_promise_.get_future().share();
  bool open_ = false;
  collet_stream_t* stream_ = nullptr;
};

}  // namespace collet::test
