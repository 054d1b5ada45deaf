// SPDX-License-Identifier: Apache-2.0
/** OpenCL's entry points, found at run time in the ICD loader. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

namespace collet::opencl {

/** What OpenCL 1.2 has. */
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a name becomes a member and a text.
#define COLLET_OPENCL_REQUIRED(FUNCTION) \
  FUNCTION(clBuildProgram)               \
  FUNCTION(clCreateBuffer)               \
  FUNCTION(clCreateCommandQueue)         \
  FUNCTION(clCreateContext)              \
  FUNCTION(clCreateKernel)               \
  FUNCTION(clCreateProgramWithBinary)    \
  FUNCTION(clCreateProgramWithSource)    \
  FUNCTION(clCreateSubBuffer)            \
  FUNCTION(clEnqueueBarrierWithWaitList) \
  FUNCTION(clEnqueueCopyBuffer)          \
  FUNCTION(clEnqueueCopyBufferRect)      \
  FUNCTION(clEnqueueFillBuffer)          \
  FUNCTION(clEnqueueMapBuffer)           \
  FUNCTION(clEnqueueMarkerWithWaitList)  \
  FUNCTION(clEnqueueNDRangeKernel)       \
  FUNCTION(clEnqueueReadBuffer)          \
  FUNCTION(clEnqueueReadBufferRect)      \
  FUNCTION(clEnqueueUnmapMemObject)      \
  FUNCTION(clEnqueueWriteBuffer)         \
  FUNCTION(clEnqueueWriteBufferRect)     \
  FUNCTION(clFinish)                     \
  FUNCTION(clFlush)                      \
  FUNCTION(clGetDeviceIDs)               \
  FUNCTION(clGetDeviceInfo)              \
  FUNCTION(clGetEventInfo)               \
  FUNCTION(clGetEventProfilingInfo)      \
  FUNCTION(clGetKernelArgInfo)           \
  FUNCTION(clGetKernelInfo)              \
  FUNCTION(clGetKernelWorkGroupInfo)     \
  FUNCTION(clGetPlatformIDs)             \
  FUNCTION(clGetPlatformInfo)            \
  FUNCTION(clGetProgramBuildInfo)        \
  FUNCTION(clGetProgramInfo)             \
  FUNCTION(clReleaseCommandQueue)        \
  FUNCTION(clReleaseContext)             \
  FUNCTION(clReleaseEvent)               \
  FUNCTION(clReleaseKernel)              \
  FUNCTION(clReleaseMemObject)           \
  FUNCTION(clReleaseProgram)             \
  FUNCTION(clRetainEvent)                \
  FUNCTION(clSetKernelArg)               \
  FUNCTION(clWaitForEvents)

/** What later versions have; NULL where the ICD loader is older. */
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define COLLET_OPENCL_OPTIONAL(FUNCTION)       \
  FUNCTION(clCreateCommandQueueWithProperties) \
  FUNCTION(clCreateProgramWithIL)              \
  FUNCTION(clSVMAlloc)                         \
  FUNCTION(clSVMFree)                          \
  FUNCTION(clSetKernelArgSVMPointer)

struct Icd {
// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define COLLET_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  COLLET_OPENCL_REQUIRED(COLLET_OPENCL_MEMBER)
  COLLET_OPENCL_OPTIONAL(COLLET_OPENCL_MEMBER)
#undef COLLET_OPENCL_MEMBER
  // NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
};

/**
 * The entry points. The first call opens the library that option `library` names, or
 * `libOpenCL.so.1`; it stays open.
 *
 * @throws Error UNAVAILABLE, with what is missing; at each call.
 */
[[nodiscard]] const Icd& load_icd();

/** The same, once load_icd() has succeeded. */
[[nodiscard]] const Icd& icd() noexcept;

}  // namespace collet::opencl
