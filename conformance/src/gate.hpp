// SPDX-License-Identifier: Apache-2.0
/** A host function that holds a stream until it is told to go on. */
#pragma once

#include <memory>

#include "stream.hpp"

namespace collet::conformance {

/**
 * Makes order visible without sleeping: what is enqueued behind it cannot be complete while it is
 * shut. Real drivers may serialize the host functions of all streams, so that there is never more
 * than one.
 */
class Gate {
 public:
  /** Enqueues a shut gate. */
  explicit Gate(const Stream& stream);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /** Opens it. */
  ~Gate();

  void open();
  /** Waits until the stream stands at the gate; the case fails if it never does. */
  void wait_until_reached() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace collet::conformance
