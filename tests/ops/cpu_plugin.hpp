// SPDX-License-Identifier: Apache-2.0
/** The cpu plugin's binary, driven through its tables alone. */
#pragma once

#include <collet/plugin/memory.h>
#include <collet/plugin/ops.h>
#include <collet/plugin/stream.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collet::test {

/** The opened device cpu:0. */
struct CpuDevice {
  collet_plugin_device_t* device = nullptr;
  const collet_plugin_memory_interface_t* memory = nullptr;
  const collet_plugin_stream_interface_t* stream = nullptr;
  const collet_plugin_ops_interface_t* ops = nullptr;
};
const CpuDevice& cpu();

/** What the last failing call of this thread reported. */
const std::string& last_report();

/** Memory of the device that the host sees. */
class DeviceMemory {
 public:
  explicit DeviceMemory(std::uint64_t size_bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] collet_plugin_memory_t* handle() const { return handle_; }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  collet_plugin_memory_t* handle_ = nullptr;
  std::byte* data_ = nullptr;
};

/** An inline stream. */
class InlineStream {
 public:
  InlineStream();
  ~InlineStream();
  InlineStream(const InlineStream&) = delete;
  InlineStream& operator=(const InlineStream&) = delete;

  [[nodiscard]] collet_plugin_stream_t* handle() const { return handle_; }

 private:
  collet_plugin_stream_t* handle_ = nullptr;
};

/** An operation with its layouts. */
class Description {
 public:
  Description(collet_op_kind_t kind, std::uint32_t function, std::vector<collet_layout_t> operands);
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  collet_op_desc_t* operator->() { return &desc_; }
  [[nodiscard]] const collet_op_desc_t* get() const { return &desc_; }

 private:
  std::vector<collet_layout_t> operands_;
  collet_op_desc_t desc_ = {};
};

/** Answers of query(). */
collet_op_support_t support_of(const Description& desc);

/** A plan with its own workspace; usable by one thread at a time. */
class TestPlan {
 public:
  explicit TestPlan(const Description& desc);
  ~TestPlan();
  TestPlan(const TestPlan&) = delete;
  TestPlan& operator=(const TestPlan&) = delete;

  [[nodiscard]] collet_plugin_plan_t* handle() const { return handle_; }
  collet_status_t run(const InlineStream& stream,
                      const std::vector<collet_plugin_operand_t>& operands) const;

 private:
  collet_plugin_plan_t* handle_ = nullptr;
  DeviceMemory workspace_;
};

}  // namespace collet::test
