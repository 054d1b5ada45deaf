// SPDX-License-Identifier: Apache-2.0
#include "cpu_plugin.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace collet::test {
namespace {

thread_local std::string report;

/** Threads of the plugin under test, so that parts are divided on any machine. */
constexpr const char* kThreads = "2";

void write_log(const collet_host_t*, collet_log_level_t, const char*) {}
std::uint32_t log_enabled(const collet_host_t*, collet_log_level_t) { return 0; }
void take_report(const collet_host_t*, collet_status_t, std::int64_t, const char*,
                 const char* message) {
  report = message;
}
const char* option(const collet_host_t*, const char* name) {
  return std::string(name) == "threads" ? kThreads : nullptr;
}

const void* host_interface(const collet_host_t*, collet_host_interface_t id) {
  static const collet_host_log_t kLog = {sizeof(collet_host_log_t), 0, write_log, log_enabled};
  static const collet_host_error_t kError = {sizeof(collet_host_error_t), 0, take_report};
  static const collet_host_options_t kOptions = {sizeof(collet_host_options_t), 0, option};
  switch (id) {
    case COLLET_HOST_LOG_V1:
      return &kLog;
    case COLLET_HOST_ERROR_V1:
      return &kError;
    case COLLET_HOST_OPTIONS_V1:
      return &kOptions;
    default:
      return nullptr;
  }
}

constexpr collet_host_t kHost = {sizeof(collet_host_t), COLLET_ABI_VERSION, "test", host_interface};

/** Without the device there is nothing to test. */
void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, report.c_str());
  std::abort();
}

template <class Table>
const Table* table(const collet_plugin_t& plugin, collet_plugin_device_t* device,
                   collet_interface_t id) {
  const void* result = nullptr;
  const char* reason = nullptr;
  require(plugin.device_interface(device, id, &result, &reason) == COLLET_OK, "device_interface");
  return static_cast<const Table*>(result);
}

CpuDevice open_device() {
  void* const library = dlopen(COLLET_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) report = dlerror();
  require(library != nullptr, COLLET_TEST_PLUGIN);
  const auto query =
      reinterpret_cast<collet_plugin_query_fn_t>(dlsym(library, COLLET_PLUGIN_QUERY_SYMBOL));
  require(query != nullptr, COLLET_PLUGIN_QUERY_SYMBOL);
  const collet_plugin_t* plugin = nullptr;
  require(query(&kHost, &plugin) == COLLET_OK, "query");
  CpuDevice result;
  require(plugin->device_open(0, &result.device) == COLLET_OK, "device_open");
  result.memory =
      table<collet_plugin_memory_interface_t>(*plugin, result.device, COLLET_INTERFACE_MEMORY_V1);
  result.stream =
      table<collet_plugin_stream_interface_t>(*plugin, result.device, COLLET_INTERFACE_STREAM_V1);
  result.ops =
      table<collet_plugin_ops_interface_t>(*plugin, result.device, COLLET_INTERFACE_OPS_V1);
  return result;
}

std::uint64_t workspace_of(const Description& desc) { return support_of(desc).workspace_bytes; }

}  // namespace

const CpuDevice& cpu() {
  static const CpuDevice kDevice = open_device();
  return kDevice;
}

const std::string& last_report() { return report; }

DeviceMemory::DeviceMemory(std::uint64_t size_bytes) {
  require(cpu().memory->allocate(cpu().device, COLLET_MEMORY_SHARED, size_bytes, 0, &handle_) ==
              COLLET_OK,
          "allocate");
  void* pointer = nullptr;
  require(cpu().memory->host_pointer(handle_, &pointer) == COLLET_OK, "host_pointer");
  data_ = static_cast<std::byte*>(pointer);
}

DeviceMemory::~DeviceMemory() { cpu().memory->free(handle_); }

InlineStream::InlineStream() {
  collet_stream_desc_t desc = {};
  desc.base = {COLLET_STRUCT_STREAM_DESC, sizeof desc, nullptr};
  require(cpu().stream->create(cpu().device, &desc, &handle_) == COLLET_OK, "stream create");
}

InlineStream::~InlineStream() { cpu().stream->destroy(handle_); }

Description::Description(collet_op_kind_t kind, std::uint32_t function,
                         std::vector<collet_layout_t> operands)
    : operands_(std::move(operands)) {
  desc_.base = {COLLET_STRUCT_OP_DESC, sizeof desc_, nullptr};
  desc_.kind = kind;
  desc_.function = function;
  desc_.operand_count = static_cast<std::uint32_t>(operands_.size());
  desc_.operands = operands_.data();
}

collet_op_support_t support_of(const Description& desc) {
  collet_op_support_t support = {};
  support.base = {COLLET_STRUCT_OP_SUPPORT, sizeof support, nullptr};
  require(cpu().ops->query(cpu().device, desc.get(), &support) == COLLET_OK, "op query");
  return support;
}

TestPlan::TestPlan(const Description& desc) : workspace_(workspace_of(desc)) {
  require(cpu().ops->create(cpu().device, desc.get(), &handle_) == COLLET_OK, "op create");
}

TestPlan::~TestPlan() { cpu().ops->destroy(handle_); }

collet_status_t TestPlan::run(const InlineStream& stream,
                              const std::vector<collet_plugin_operand_t>& operands) const {
  return cpu().ops->enqueue(stream.handle(), handle_, operands.data(),
                            static_cast<std::uint32_t>(operands.size()), workspace_.handle(), 0);
}

}  // namespace collet::test
