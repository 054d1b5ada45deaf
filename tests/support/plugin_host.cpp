// SPDX-License-Identifier: Apache-2.0
#include "support/plugin_host.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace collet::test {
namespace {

constexpr unsigned char kCanary = 0xEE;

thread_local Report report_of_thread;

void check(collet_status_t status, const char* what) {
  if (status == COLLET_OK) return;
  throw std::runtime_error(std::string(what) + ": status " + std::to_string(status) + ": " +
                           last_report().message);
}

void write_log(const collet_host_t*, collet_log_level_t, const char*) {}
std::uint32_t log_enabled(const collet_host_t*, collet_log_level_t) { return 0; }

void report(const collet_host_t*, collet_status_t status, std::int64_t native_code,
            const char* native_name, const char* message) {
  report_of_thread = {status, native_code, native_name == nullptr ? "" : native_name, message};
}

const char* get_option(const collet_host_t*, const char* name) {
  const auto found = host_options().find(name);
  return found == host_options().end() ? nullptr : found->second.c_str();
}

const void* get_interface(const collet_host_t*, collet_host_interface_t id) {
  static constexpr collet_host_log_t kLog = {sizeof(kLog), 0, write_log, log_enabled};
  static constexpr collet_host_error_t kError = {sizeof(kError), 0, report};
  static constexpr collet_host_options_t kOptions = {sizeof(kOptions), 0, get_option};
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

template <class Table>
const Table* table(const Plugin& of, collet_interface_t id) {
  const void* found = nullptr;
  const char* reason = nullptr;
  check(of.root->device_interface(of.device, id, &found, &reason), "device_interface");
  return static_cast<const Table*>(found);
}

Plugin load() {
  Plugin loaded;
  check(plugin_query()(host_services(), &loaded.root), "collet_plugin_query_v1");
  check(loaded.root->device_open(0, &loaded.device), "device_open");
  loaded.memory = table<collet_plugin_memory_interface_t>(loaded, COLLET_INTERFACE_MEMORY_V1);
  loaded.stream = table<collet_plugin_stream_interface_t>(loaded, COLLET_INTERFACE_STREAM_V1);
  loaded.event = table<collet_plugin_event_interface_t>(loaded, COLLET_INTERFACE_EVENT_V1);
  loaded.program = table<collet_plugin_program_interface_t>(loaded, COLLET_INTERFACE_PROGRAM_V1);
  return loaded;
}

}  // namespace

const Report& last_report() { return report_of_thread; }

const collet_host_t* host_services() {
  static constexpr collet_host_t kHost = {sizeof(kHost), COLLET_ABI_VERSION, "test", get_interface};
  return &kHost;
}

std::map<std::string, std::string>& host_options() {
  // More than the machine may have, so that work is really shared.
  static std::map<std::string, std::string> options = {{"devices", "2"}, {"threads", "4"}};
  return options;
}

collet_plugin_query_fn_t plugin_query() {
  static void* library = dlopen(COLLET_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<collet_plugin_query_fn_t>(dlsym(library, COLLET_PLUGIN_QUERY_SYMBOL));
}

const Plugin& plugin() {
  static Plugin loaded = load();
  return loaded;
}

Memory::Memory(std::size_t size_bytes, unsigned char value)
    : Memory(std::vector<unsigned char>(size_bytes, value)) {}

Memory::Memory(const std::vector<unsigned char>& bytes) : size_bytes_(bytes.size()) {
  check(plugin().memory->allocate(plugin().device, COLLET_MEMORY_DEVICE,
                                  size_bytes_ + 2 * kCanaryBytes, 0, &handle_),
        "allocate");
  void* pointer = nullptr;
  if (plugin().memory->host_pointer(handle_, &pointer) == COLLET_OK) {
    data_ = static_cast<unsigned char*>(pointer);
  }
  std::vector<unsigned char> all(size_bytes_ + 2 * kCanaryBytes, kCanary);
  std::copy(bytes.begin(), bytes.end(), all.begin() + kCanaryBytes);
  write_all(all);
}

Memory::~Memory() { plugin().memory->free(handle_); }

std::vector<unsigned char> Memory::bytes() const {
  const std::vector<unsigned char> all = read_all();
  return {all.begin() + kCanaryBytes, all.end() - kCanaryBytes};
}

bool Memory::has_canaries() const {
  const auto is_canary = [](unsigned char byte) { return byte == kCanary; };
  const std::vector<unsigned char> all = read_all();
  return std::all_of(all.begin(), all.begin() + kCanaryBytes, is_canary) &&
         std::all_of(all.end() - kCanaryBytes, all.end(), is_canary);
}

std::vector<unsigned char> Memory::read_all() const {
  const std::size_t size = size_bytes_ + 2 * kCanaryBytes;
  if (data_ != nullptr) return {data_, data_ + size};
  std::vector<unsigned char> bytes(size);
  const Stream stream;
  check(plugin().stream->read(stream.handle(), bytes.data(), handle_, 0, size, 0, UINT64_MAX),
        "read");
  return bytes;
}

void Memory::write_all(const std::vector<unsigned char>& bytes) const {
  if (data_ != nullptr) {
    std::copy(bytes.begin(), bytes.end(), data_);
    return;
  }
  const Stream stream;
  check(plugin().stream->write(stream.handle(), handle_, 0, bytes.data(), bytes.size(), 0,
                               UINT64_MAX),
        "write");
}

Stream::Stream(std::uint32_t flags, const char* label) {
  auto desc = headed<collet_stream_desc_t>(COLLET_STRUCT_STREAM_DESC);
  desc.flags = flags;
  desc.label = label;
  check(plugin().stream->create(plugin().device, &desc, &handle_), "stream create");
}

void Stream::destroy() {
  if (handle_ != nullptr) plugin().stream->destroy(handle_);
  handle_ = nullptr;
}

collet_stream_failure_t Stream::failure() const {
  auto out = headed<collet_stream_failure_t>(COLLET_STRUCT_STREAM_FAILURE);
  check(plugin().stream->failure(handle_, &out), "failure");
  return out;
}

Event::Event(std::uint32_t flags) {
  check(plugin().event->create(plugin().device, flags, &handle_), "event create");
}

void Event::destroy() {
  if (handle_ != nullptr) plugin().event->destroy(handle_);
  handle_ = nullptr;
}

void Gate::shut(const Stream& stream) {
  {
    const std::lock_guard lock(mutex_);
    is_passed_ = false;
  }
  const auto pass_gate = [](void* gate, collet_status_t) { static_cast<Gate*>(gate)->pass(); };
  check(stream.call(pass_gate, this), "host_function");
}

void Gate::open() {
  std::unique_lock lock(mutex_);
  is_open_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return is_passed_; });
}

void Gate::wait_until_reached() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_reached_; });
}

void Gate::pass() {
  std::unique_lock lock(mutex_);
  is_reached_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return is_open_; });
  is_passed_ = true;
  changed_.notify_all();
}

std::vector<unsigned char> module_image(const std::string& name) {
  const std::string path = std::string(COLLET_TEST_MODULES) + "/host_so_" + name + ".so";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Program::Program(const std::vector<unsigned char>& image) {
  const collet_program_image_t images[] = {{COLLET_FORMAT_HOST_SO, image.data(), image.size()}};
  auto desc = headed<collet_program_desc_t>(COLLET_STRUCT_PROGRAM_DESC);
  desc.images = images;
  desc.image_count = 1;
  check(plugin().program->create(plugin().device, &desc, &handle_), "program create");
}

collet_plugin_kernel_t* Program::kernel(const char* name) {
  collet_plugin_kernel_t* kernel = nullptr;
  check(plugin().program->kernel_create(handle_, name, &kernel), "kernel_create");
  kernels_.push_back(kernel);
  return kernel;
}

void Program::destroy() {
  if (handle_ == nullptr) return;
  for (collet_plugin_kernel_t* kernel : kernels_) plugin().program->kernel_destroy(kernel);
  plugin().program->destroy(handle_);
  handle_ = nullptr;
}

BuildResult build(const std::vector<unsigned char>& image) {
  std::array<char, 512> log{};
  collet_text_t text = {log.data(), log.size(), 0};
  const collet_program_image_t images[] = {{COLLET_FORMAT_HOST_SO, image.data(), image.size()}};
  auto desc = headed<collet_program_desc_t>(COLLET_STRUCT_PROGRAM_DESC);
  desc.images = images;
  desc.image_count = 1;
  desc.build_log = &text;
  collet_plugin_program_t* program = nullptr;
  const collet_status_t status = plugin().program->create(plugin().device, &desc, &program);
  if (status == COLLET_OK) plugin().program->destroy(program);
  return {status, log.data()};
}

collet_status_t launch(const Stream& stream, collet_plugin_kernel_t* kernel,
                       std::array<std::uint64_t, 3> grid,
                       const std::vector<collet_plugin_argument_t>& arguments,
                       std::array<std::uint32_t, 3> group) {
  collet_plugin_launch_t what{};
  std::copy(grid.begin(), grid.end(), what.grid);
  std::copy(group.begin(), group.end(), what.group);
  what.argument_count = static_cast<std::uint32_t>(arguments.size());
  what.arguments = arguments.data();
  return plugin().program->launch(stream.handle(), kernel, &what);
}

}  // namespace collet::test
