// SPDX-License-Identifier: Apache-2.0
// Makes a program of these cases one for a simulated device that checks order itself.
#include <cstdlib>

namespace {

// Before the first use.
[[maybe_unused]] const bool kSet = [] {
  setenv("COLLET_HOST_TEST_DEVICE", "sim", 1);
  setenv("COLLET_HOST_TEST_STREAMS", "background", 1);
  setenv("COLLET_SIM_CHECK", "warn", 1);
  return true;
}();

}  // namespace
