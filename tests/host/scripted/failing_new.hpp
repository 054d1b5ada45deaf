// SPDX-License-Identifier: Apache-2.0
// Host memory that runs out on demand.
//
// The program that links it has an operator new of its own, which Collet gets too. A plugin's
// allocations succeed always: its failures are its own affair.
#pragma once

namespace collet::test {

// Makes the allocation of this thread after `successes` more ones fail, once, for a scope.
class FailingNew {
 public:
  explicit FailingNew(int successes) noexcept;
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  // Whether an allocation has failed.
  [[nodiscard]] static bool failed() noexcept;
};

}  // namespace collet::test
