// SPDX-License-Identifier: Apache-2.0
//
// A host of a few lines: loads the plugin, offers it the services, and calls its tables.
#pragma once

#include <collet/plugin.h>
#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/program.h>
#include <collet/plugin/stream.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace collet::test {

/** What the plugin reported last in this thread. */
struct Report {
  collet_status_t status = COLLET_OK;
  std::int64_t native_code = 0;
  std::string native_name;
  std::string message;
};
const Report& last_report();

/** The host's services; `options` are what the plugin may ask for. */
const collet_host_t* host_services();
std::map<std::string, std::string>& host_options();

/** The plugin, loaded and queried once, and the tables of its first device. */
struct Plugin {
  const collet_plugin_t* root = nullptr;
  collet_plugin_device_t* device = nullptr;
  const collet_plugin_memory_interface_t* memory = nullptr;
  const collet_plugin_stream_interface_t* stream = nullptr;
  const collet_plugin_event_interface_t* event = nullptr;
  const collet_plugin_program_interface_t* program = nullptr;
};
const Plugin& plugin();
/** The query function alone. */
collet_plugin_query_fn_t plugin_query();

/** A struct with its head, and zeros after it. */
template <class Struct>
[[nodiscard]] Struct headed(collet_struct_type_t type) {
  Struct out{};
  out.base.type = type;
  out.base.struct_size = sizeof(Struct);
  return out;
}

/**
 * Memory of the device with bytes of 0xEE around what is asked for. Where the host cannot reach
 * it, it is read and written by copies of a stream of its own.
 */
class Memory {
 public:
  explicit Memory(std::size_t size_bytes, unsigned char value = 0xAA);
  explicit Memory(const std::vector<unsigned char>& bytes);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] collet_plugin_memory_t* handle() const { return handle_; }
  /** Where the asked-for bytes begin in the memory. */
  [[nodiscard]] static constexpr std::uint64_t begin() { return kCanaryBytes; }
  /** Where the host reaches them; only for devices with COLLET_DEVICE_HOST_VISIBLE. */
  [[nodiscard]] unsigned char* data() const { return data_ + kCanaryBytes; }
  [[nodiscard]] std::vector<unsigned char> bytes() const;
  [[nodiscard]] bool has_canaries() const;

 private:
  static constexpr std::size_t kCanaryBytes = 64;

  /** All bytes, the canaries included. */
  [[nodiscard]] std::vector<unsigned char> read_all() const;
  void write_all(const std::vector<unsigned char>& bytes) const;

  std::size_t size_bytes_;
  collet_plugin_memory_t* handle_ = nullptr;
  /** NULL where the host cannot reach the memory. */
  unsigned char* data_ = nullptr;
};

class Stream {
 public:
  explicit Stream(std::uint32_t flags = 0, const char* label = nullptr);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { destroy(); }

  [[nodiscard]] collet_plugin_stream_t* handle() const { return handle_; }
  void destroy();

  [[nodiscard]] collet_status_t query() const { return plugin().stream->query(handle_); }
  [[nodiscard]] collet_status_t synchronize(std::uint64_t timeout_ns = UINT64_MAX) const {
    return plugin().stream->synchronize(handle_, timeout_ns);
  }
  collet_status_t call(collet_host_function_t function, void* user_data) const {
    return plugin().stream->host_function(handle_, function, user_data);
  }
  [[nodiscard]] collet_stream_failure_t failure() const;

 private:
  collet_plugin_stream_t* handle_ = nullptr;
};

class Event {
 public:
  explicit Event(std::uint32_t flags = 0);
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { destroy(); }

  [[nodiscard]] collet_plugin_event_t* handle() const { return handle_; }
  void destroy();

  collet_status_t record(const Stream& stream) const {
    return plugin().event->record(handle_, stream.handle());
  }
  /** Makes a stream wait. */
  collet_status_t hold(const Stream& stream) const {
    return plugin().stream->wait_event(stream.handle(), handle_);
  }
  [[nodiscard]] collet_status_t query() const { return plugin().event->query(handle_); }
  [[nodiscard]] collet_status_t synchronize(std::uint64_t timeout_ns = UINT64_MAX) const {
    return plugin().event->synchronize(handle_, timeout_ns);
  }

 private:
  collet_plugin_event_t* handle_ = nullptr;
};

/** A command that does not end before it is told to. Opens at the latest when it is destroyed. */
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open(); }

  /** Enqueues it on a background stream. */
  void shut(const Stream& stream);
  void open();
  /** Waits until a thread stands before it. */
  void wait_until_reached();
  /** Blocks the calling thread until it is opened. */
  void pass();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_reached_ = false;
  bool is_open_ = false;
  bool is_passed_ = true;
};

/** The bytes of a program that was built beside the tests, "good" for instance. */
std::vector<unsigned char> module_image(const std::string& name);

/** A program and its kernels. */
class Program {
 public:
  explicit Program(const std::vector<unsigned char>& image);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { destroy(); }

  [[nodiscard]] collet_plugin_program_t* handle() const { return handle_; }
  [[nodiscard]] collet_plugin_kernel_t* kernel(const char* name);
  void destroy();

 private:
  collet_plugin_program_t* handle_ = nullptr;
  std::vector<collet_plugin_kernel_t*> kernels_;
};

/** Tries to build an image; gives status and log. */
struct BuildResult {
  collet_status_t status;
  std::string log;
};
BuildResult build(const std::vector<unsigned char>& image);

[[nodiscard]] inline collet_plugin_argument_t buffer_argument(const Memory& memory) {
  return {COLLET_ARGUMENT_BUFFER, 0, memory.handle(), Memory::begin(), nullptr, 0};
}
template <class Value>
[[nodiscard]] collet_plugin_argument_t scalar_argument(const Value& value) {
  return {COLLET_ARGUMENT_SCALAR, 0, nullptr, 0, &value, sizeof(value)};
}
[[nodiscard]] inline collet_plugin_argument_t local_argument(std::uint64_t size_bytes) {
  return {COLLET_ARGUMENT_LOCAL, 0, nullptr, 0, nullptr, size_bytes};
}

collet_status_t launch(const Stream& stream, collet_plugin_kernel_t* kernel,
                       std::array<std::uint64_t, 3> grid,
                       const std::vector<collet_plugin_argument_t>& arguments,
                       std::array<std::uint32_t, 3> group = {1, 1, 1});

}  // namespace collet::test
