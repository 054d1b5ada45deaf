// SPDX-License-Identifier: Apache-2.0
// A table with one fault, chosen when it is compiled.
#include <collet/host_kernel.h>

#include <cstdint>
#include <cstring>

namespace {

void nothing(const collet_host_group_t*, void* const*) {}

collet_argument_kind_t kinds[] = {COLLET_ARGUMENT_SCALAR};
std::uint32_t sizes[] = {4};

collet_host_kernel_t kernels[] = {
    {"first", nothing, 1, {0, 0, 0}, kinds, sizes},
    {"second", nothing, 1, {0, 0, 0}, kinds, sizes},
};

collet_host_module_t module = {sizeof(collet_host_module_t), sizeof(collet_host_kernel_t), 2, 0,
                               kernels};

}  // namespace

extern "C" const collet_host_module_t* collet_host_module_v1(void) {
#if defined(FAULT_NULL_TABLE)
  return nullptr;
#elif defined(FAULT_SMALL_STRUCT)
  module.struct_size = 8;
#elif defined(FAULT_SMALL_KERNEL)
  module.kernel_struct_size = 8;
#elif defined(FAULT_NULL_KERNELS)
  module.kernels = nullptr;
#elif defined(FAULT_NO_NAME)
  kernels[1].name = nullptr;
#elif defined(FAULT_NO_FUNCTION)
  kernels[1].run = nullptr;
#elif defined(FAULT_MANY_ARGUMENTS)
  kernels[1].argument_count = COLLET_MAX_KERNEL_ARGUMENTS + 1;
#elif defined(FAULT_NO_KINDS)
  kernels[1].argument_kinds = nullptr;
#elif defined(FAULT_BAD_KIND)
  const std::uint32_t kind = 0xffffffff;
  std::memcpy(kinds, &kind, sizeof(kind));
#elif defined(FAULT_LONG_SCALAR)
  sizes[0] = COLLET_MAX_SCALAR_BYTES + 1;
#elif defined(FAULT_HALF_GROUP)
  kernels[1].required_group[0] = 8;
#elif defined(FAULT_SAME_NAME)
  kernels[1].name = "first";
#else
#error "no fault is chosen"
#endif
  return &module;
}
