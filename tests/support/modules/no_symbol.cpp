// SPDX-License-Identifier: Apache-2.0
// A shared object that is no program.
extern "C" __attribute__((visibility("default"))) int collet_no_module(void);
extern "C" int collet_no_module(void) { return 1; }
