// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <collet/sdk/host_so/launch.hpp>
#include <collet/sdk/plugin.hpp>

#include "device.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace collet::cpu {
namespace {

namespace host_so = plugin::host_so;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

collet_status_t create(collet_plugin_device_t*, const collet_program_desc_t* desc,
                       collet_plugin_program_t** out_program) {
  return guarded(
      [&] { *out_program = to_handle(host_so::Program::build(*desc, kMaxGroupItems).detach()); });
}

std::byte* address(collet_plugin_memory_t* memory) { return from_handle<Memory>(memory)->data(); }

collet_status_t launch(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                       const collet_plugin_launch_t* what) {
  return guarded([&] {
    Stream& on = *from_handle<Stream>(stream);
    const auto& called = *from_handle<host_so::Kernel>(kernel);
    on.enqueue(
        {"launch", called.entry.name.c_str()},
        [&executor = on.device().executor(), launch = host_so::Launch(called, *what, address)] {
          executor.parallel_ranges(
              launch.group_count(), 1,
              [&launch](std::uint64_t begin, std::uint64_t end) { launch.run_groups(begin, end); });
        });
  });  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the command has it, in a room of bytes
}

constexpr collet_plugin_program_interface_t kTable = {sizeof(collet_plugin_program_interface_t),
                                                      0,
                                                      create,
                                                      host_so::slots::destroy,
                                                      host_so::slots::export_image,
                                                      host_so::slots::kernels,
                                                      host_so::slots::kernel_create,
                                                      host_so::slots::kernel_destroy,
                                                      host_so::slots::kernel_info,
                                                      launch};

}  // namespace

const collet_plugin_program_interface_t* program_interface() noexcept { return &kTable; }

}  // namespace collet::cpu
