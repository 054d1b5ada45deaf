// SPDX-License-Identifier: Apache-2.0
//
// One platform of OpenCL, with the kernels compiled by it. COLLET_TEST_OPENCL chooses:
// "<platform>" or "<platform>,loops", the beginning of the platform's name.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <collet/sdk/kernel_prelude.hpp>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "guarded_bytes.hpp"
#include "runner.hpp"

namespace collet::test {
namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) {
    throw std::runtime_error(std::string(what) + ": OpenCL error " + std::to_string(status));
  }
}

// Owns an object of OpenCL.
template <class T, cl_int(CL_API_CALL* Release)(T)>
class Owned {
 public:
  explicit Owned(T object) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (object_ != nullptr) Release(object_);
  }
  [[nodiscard]] T get() const { return object_; }

 private:
  T object_;
};
using Context = Owned<cl_context, clReleaseContext>;
using Queue = Owned<cl_command_queue, clReleaseCommandQueue>;
using Memory = Owned<cl_mem, clReleaseMemObject>;
using Program = Owned<cl_program, clReleaseProgram>;
using Kernel = Owned<cl_kernel, clReleaseKernel>;

cl_device_id find_device(std::string_view wanted) {
  cl_uint count = 0;
  check(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  std::string seen;
  for (cl_platform_id platform : platforms) {
    char name[256] = "";
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, nullptr),
          "clGetPlatformInfo");
    seen += std::string(" \"") + name + "\"";
    cl_device_id device = nullptr;
    if (std::string_view(name).starts_with(wanted) &&
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS) {
      return device;
    }
  }
  throw std::runtime_error("no platform of OpenCL with a device is named " + std::string(wanted) +
                           "; there are:" + (seen.empty() ? " none" : seen));
}

std::string read_source(const std::string& file) {
  std::ifstream stream(KERNEL_SOURCES "/" + file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  return std::string(plugin::kOpenclKernelPrelude) + "#line 1 \"" + file + "\"\n" + text;
}

class OpenclRunner : public Runner {
 public:
  explicit OpenclRunner(std::string name)
      : name_(std::move(name)),
        loops_(name_.ends_with(",loops")),
        // That one watches each byte outside of a buffer itself.
        guards_(!name_.starts_with("Oclgrind")),
        device_(find_device(std::string_view(name_).substr(0, name_.find(',')))),
        context_(make_context(device_)),
        queue_(make_queue(context_.get(), device_)) {}

  [[nodiscard]] std::string name() const override { return name_; }

  void launch(const std::string& file, const std::string& name, const KernelShape& shape,
              std::initializer_list<KernelArgument> arguments) override {
    cl_int status = CL_SUCCESS;
    const Kernel kernel(clCreateKernel(program(file), name.c_str(), &status));
    check(status, "clCreateKernel");
    std::deque<Place> places;
    cl_uint index = 0;
    for (const KernelArgument& argument : arguments) {
      std::visit([&](const auto& value) { set(kernel.get(), index++, value, places); },
                 argument.value());
    }
    if (loops_) check(clSetKernelArg(kernel.get(), index, 1, nullptr), "the hidden argument");
    enqueue(kernel.get(), shape);
    for (Place& place : places) download(place);
  }

 private:
  struct Place {
    GuardedBytes bytes;
    Memory whole;
    Memory part;
    std::byte* target;
    std::span<const std::byte> before;
  };

  static Context make_context(cl_device_id device) {
    cl_int status = CL_SUCCESS;
    Context context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    check(status, "clCreateContext");
    return context;
  }
  static Queue make_queue(cl_context context, cl_device_id device) {
    cl_int status = CL_SUCCESS;
    Queue queue(clCreateCommandQueue(context, device, 0, &status));
    check(status, "clCreateCommandQueue");
    return queue;
  }

  cl_program program(const std::string& file) {
    const auto known = programs_.find(file);
    if (known != programs_.end()) return known->second.get();
    const std::string text = read_source(file + ".clt");
    const char* pointer = text.c_str();
    cl_int status = CL_SUCCESS;
    Program built(clCreateProgramWithSource(context_.get(), 1, &pointer, nullptr, &status));
    check(status, "clCreateProgramWithSource");
    std::string options = loops_ ? "-Werror -DCOLLET_KERNEL_OPENCL_LOOPS" : "-Werror";
    for (const char* option : plugin::kOpenclKernelOptions) options += std::string(" ") + option;
    if (clBuildProgram(built.get(), 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
      std::vector<char> log(std::size_t{1} << 16, '\0');
      clGetProgramBuildInfo(built.get(), device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                            nullptr);
      throw std::runtime_error(file + " does not compile:\n" + log.data());
    }
    return programs_.emplace(file, std::move(built)).first->second.get();
  }

  Memory make_buffer(std::span<std::byte> bytes) const {
    cl_int status = CL_SUCCESS;
    std::byte none{};
    Memory memory(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 std::max<std::size_t>(1, bytes.size()),
                                 bytes.empty() ? &none : bytes.data(), &status));
    check(status, "clCreateBuffer");
    return memory;
  }

  // The buffer, between its guards.
  static Memory part_of(const Memory& whole, std::size_t size_bytes) {
    cl_int status = CL_SUCCESS;
    const cl_buffer_region region{GuardedBytes::kOffset, std::max<std::size_t>(1, size_bytes)};
    Memory part(clCreateSubBuffer(whole.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                  &region, &status));
    check(status, "clCreateSubBuffer");
    return part;
  }

  void set(cl_kernel kernel, cl_uint index, std::span<std::byte> bytes, std::deque<Place>& places) {
    set_buffer(kernel, index, bytes, bytes.data(), places);
  }
  void set(cl_kernel kernel, cl_uint index, std::span<const std::byte> bytes,
           std::deque<Place>& places) {
    set_buffer(kernel, index, bytes, nullptr, places);
  }
  static void set(cl_kernel kernel, cl_uint index, const KernelArgument::Bytes& value,
                  std::deque<Place>&) {
    check(clSetKernelArg(kernel, index, value.size(), value.data()), "clSetKernelArg");
  }
  static void set(cl_kernel kernel, cl_uint index, const KernelArgument::Local& local,
                  std::deque<Place>&) {
    check(clSetKernelArg(kernel, index, local.size_bytes, nullptr), "clSetKernelArg");
  }
  void set_buffer(cl_kernel kernel, cl_uint index, std::span<const std::byte> bytes,
                  std::byte* target, std::deque<Place>& places) {
    GuardedBytes guarded(bytes, guards_ ? GuardedBytes::kOffset : 0);
    Memory whole = make_buffer(guarded.all());
    Memory part = guards_ ? part_of(whole, bytes.size()) : Memory(nullptr);
    cl_mem given = guards_ ? part.get() : whole.get();
    check(clSetKernelArg(kernel, index, sizeof(cl_mem), &given), "clSetKernelArg");
    places.push_back({std::move(guarded), std::move(whole), std::move(part), target, bytes});
  }

  void enqueue(cl_kernel kernel, const KernelShape& shape) const {
    std::array<std::size_t, 3> required{};
    check(clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                   sizeof(required), required.data(), nullptr),
          "clGetKernelWorkGroupInfo");
    const bool is_looped = loops_ && required == std::array<std::size_t, 3>{1, 1, 1};
    const std::array<std::size_t, 3> local = is_looped ? required : shape.items;
    std::array<std::size_t, 3> global{};
    for (std::size_t axis = 0; axis < 3; ++axis) global[axis] = shape.groups[axis] * local[axis];
    check(clEnqueueNDRangeKernel(queue_.get(), kernel, 3, nullptr, global.data(), local.data(), 0,
                                 nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue_.get()), "clFinish");
  }

  void download(Place& place) const {
    const auto all = place.bytes.all();
    if (!all.empty()) {
      check(clEnqueueReadBuffer(queue_.get(), place.whole.get(), CL_TRUE, 0, all.size(), all.data(),
                                0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    }
    place.bytes.deliver(place.target, place.before);
  }

  std::string name_;
  bool loops_;
  bool guards_;
  cl_device_id device_;
  Context context_;
  Queue queue_;
  std::map<std::string, Program> programs_;
};

}  // namespace

const std::vector<std::unique_ptr<Runner>>& runners() {
  // Never destroyed: drivers take themselves apart when the process ends.
  static const auto& kAll = *[] {
    const char* const name = std::getenv("COLLET_TEST_OPENCL");
    if (name == nullptr) throw std::runtime_error("COLLET_TEST_OPENCL names no platform");
    auto made = std::make_unique<std::vector<std::unique_ptr<Runner>>>();
    made->push_back(std::make_unique<OpenclRunner>(name));
    return made.release();
  }();
  return kAll;
}

}  // namespace collet::test
