// SPDX-License-Identifier: Apache-2.0
/** A shared object that is no program: the build says by a macro in which way. */
#include <collet/host_kernel.h>

#include <cstdint>

#if defined(FAULT_NO_SYMBOL)

extern "C" COLLET_API int collet_host_module_v0(void);
extern "C" COLLET_API int collet_host_module_v0(void) { return 0; }

#elif defined(FAULT_NULL_TABLE)

extern "C" COLLET_API const collet_host_module_t* collet_host_module_v1(void) { return nullptr; }

#else

namespace {

void run(const collet_host_group_t*, void* const*) {}

#if defined(FAULT_BAD_KIND)
constexpr const char* kName = "kernel";
constexpr auto kKind = static_cast<collet_argument_kind_t>(99);
#else
constexpr const char* kName = nullptr;
constexpr collet_argument_kind_t kKind = COLLET_ARGUMENT_BUFFER;
#endif
constexpr collet_argument_kind_t kKinds[] = {kKind};
constexpr std::uint32_t kSizes[] = {0};
constexpr collet_host_kernel_t kKernel = {kName, run, 1, {0, 0, 0}, kKinds, kSizes};
constexpr collet_host_module_t kModule = {sizeof(collet_host_module_t),
                                          sizeof(collet_host_kernel_t), 1, 0, &kKernel};

}  // namespace

extern "C" COLLET_API const collet_host_module_t* collet_host_module_v1(void) { return &kModule; }

#endif
