// SPDX-License-Identifier: Apache-2.0
//
// The subjects of the kernel rows: kernels in collet-c, for the host.
#include <collet/kernel.h>

#include "../kernel/kernels/matmul.clt"
#include "../kernel/kernels/reduce.clt"
#include "../kernel/kernels/saxpy.clt"
