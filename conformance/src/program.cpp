// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>

#include "call.hpp"
#include "structs.hpp"

namespace collet::conformance {

collet_status_t try_create_program(Device& device,
                                   const std::vector<collet_program_image_t>& images,
                                   std::string& out_log, collet_plugin_program_t** out_program,
                                   const char* options) {
  constexpr std::size_t kRoom = 4096;
  std::vector<char> room(kRoom);
  collet_text_t log = {room.data(), room.size(), 0};
  auto desc = make_struct<collet_program_desc_t>();
  desc.images = images.data();
  desc.image_count = static_cast<std::uint32_t>(images.size());
  desc.options = options;
  desc.label = "conformance";
  desc.build_log = &log;
  const collet_status_t status =
      call("program.create", device.program().create, device.handle(), &desc, out_program);
  out_log = std::string(room.data(), std::min<std::size_t>(log.size_bytes, kRoom - 1));
  return status;
}

collet_program_image_t image_for(const Device& device) {
  for (const collet_program_image_t& image : test_kernels_images()) {
    if (has_format(device.properties().program_formats, image.format)) return image;
  }
  not_supported("programs: the device takes none of the formats of the test kernels");
}

Program::Program(Device& device) : device_(device) {
  std::string log;
  expect_ok(try_create_program(device, test_kernels_images(), log, &handle_),
            "program.create (" + log + ")");
}

Program::Program(Device& device, const collet_program_image_t& image, const char* options)
    : device_(device) {
  std::string log;
  expect_ok(try_create_program(device, {image}, log, &handle_, options),
            "program.create (" + log + ")");
}

void Program::destroy() noexcept {
  if (handle_ == nullptr) return;
  note_call("program.destroy");
  device_.program().destroy(handle_);
  handle_ = nullptr;
}

Kernel::Kernel(const Program& program, const char* name) : device_(program.device()) {
  expect_ok(call("program.kernel_create", device_.program().kernel_create, program.handle(), name,
                 &handle_),
            "kernel_create");
}

void Kernel::destroy() noexcept {
  if (handle_ == nullptr) return;
  note_call("program.kernel_destroy");
  device_.program().kernel_destroy(handle_);
  handle_ = nullptr;
}

collet_kernel_info_t Kernel::info() const {
  auto info = make_struct<collet_kernel_info_t>();
  expect_ok(call("program.kernel_info", device_.program().kernel_info, handle_, &info),
            "kernel_info");
  return info;
}

Launch& Launch::memory(const Memory& memory, std::uint64_t offset) {
  collet_plugin_argument_t argument{};
  argument.kind = COLLET_ARGUMENT_BUFFER;
  argument.memory = memory.handle();
  argument.offset_bytes = offset;
  argument.size_bytes = memory.size() - offset;
  arguments_.push_back(argument);
  return *this;
}

Launch& Launch::scalar(const void* value, std::uint64_t size_bytes) {
  collet_plugin_argument_t argument{};
  argument.kind = COLLET_ARGUMENT_SCALAR;
  argument.value = value;
  argument.size_bytes = size_bytes;
  arguments_.push_back(argument);
  return *this;
}

Launch& Launch::local(std::uint64_t size_bytes) {
  collet_plugin_argument_t argument{};
  argument.kind = COLLET_ARGUMENT_LOCAL;
  argument.size_bytes = size_bytes;
  arguments_.push_back(argument);
  return *this;
}

collet_status_t Launch::enqueue(const Stream& stream, const Kernel& kernel) const {
  collet_plugin_launch_t launch{};
  std::copy(grid_.begin(), grid_.end(), launch.grid);
  std::copy(group_.begin(), group_.end(), launch.group);
  launch.argument_count = static_cast<std::uint32_t>(arguments_.size());
  launch.arguments = arguments_.data();
  return call("program.launch", kernel.device().program().launch, stream.handle(), kernel.handle(),
              &launch);
}

}  // namespace collet::conformance
