// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <collet/sdk/host_so/launch.hpp>
#include <collet/sdk/plugin.hpp>
#include <span>
#include <vector>

#include "device.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace collet::sim {
namespace {

namespace host_so = plugin::host_so;
using plugin::from_handle;
using plugin::guarded;
using plugin::to_handle;

collet_status_t create(collet_plugin_device_t* device, const collet_program_desc_t* desc,
                       collet_plugin_program_t** out_program) {
  return guarded([&] {
    Device& on = *from_handle<Device>(device);
    static_cast<void>(on.note_call(Kind::kProgram));
    *out_program = to_handle(host_so::Program::build(*desc, kMaxGroupItems).detach());
    on.counters().count({Kind::kProgram});
  });
}

std::byte* address(collet_plugin_memory_t* memory) { return from_handle<Memory>(memory)->data(); }

/** Whether a kernel writes a buffer, only its run can tell; it is taken to use all that it is
 * given. */
std::vector<Access> accesses(const collet_plugin_launch_t& launch) {
  std::vector<Access> list;
  for (const auto& given : std::span(launch.arguments, launch.argument_count)) {
    if (given.kind != COLLET_ARGUMENT_BUFFER || given.size_bytes == 0) continue;
    list.push_back(from_handle<Memory>(given.memory)
                       ->access(Access::kUpdate, given.offset_bytes, given.size_bytes));
  }
  return list;
}

collet_status_t launch(collet_plugin_stream_t* stream, collet_plugin_kernel_t* kernel,
                       const collet_plugin_launch_t* what) {
  return guarded([&] {
    const auto& called = *from_handle<host_so::Kernel>(kernel);
    from_handle<Stream>(stream)->enqueue<Code::kForeign>(
        {Kind::kLaunch, called.entry.name.c_str(), 0, accesses(*what)},
        [launch = host_so::Launch(called, *what, address)] {
          launch.run_groups(0, launch.group_count());
        });
  });
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

}  // namespace collet::sim
