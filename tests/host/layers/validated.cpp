// SPDX-License-Identifier: Apache-2.0
#include "layers/validated.hpp"

#include <collet/config.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>

#include "layers/device_check.hpp"

namespace collet::test {
namespace {

// Before the first use, and for the programs that cases run.
[[maybe_unused]] const int kSet = setenv("COLLET_LAYERS", "validate", 1);

struct Log {
  std::mutex mutex;
  std::vector<std::string> lines;
  // Of a device that checks order itself.
  std::vector<std::string> device_lines;
};

// Whose commands are to be complete before the device has said all.
const Validated* current = nullptr;

Log& log() {
  static Log& instance = *new Log;
  return instance;
}

void note(void* /*user_data*/, collet_log_level_t /*level*/, const char* text) {
  const std::lock_guard lock(log().mutex);
  if (std::string(text).rfind("validate: ", 0) == 0) {
    log().lines.emplace_back(text);
  } else if (is_of_device(text)) {
    // Several that were found at once are one entry.
    std::istringstream entry(text);
    for (std::string line; std::getline(entry, line);) {
      log().device_lines.push_back(line);
    }
  }
}

collet_device_t* logged_device() {
  static const bool kIsConfigured = [] {
    collet_config_t config = COLLET_CONFIG_INIT;
    config.log_callback = note;
    return collet_configure(&config) == COLLET_OK;
  }();
  REQUIRE(kIsConfigured);
  {
    const std::lock_guard lock(log().mutex);
    log().lines.clear();
    log().device_lines.clear();
  }
  return tested_device();
}

Plan make_sum(collet_device_t* device) {
  const std::vector<collet_layout_t> layouts(3, dense(COLLET_TYPE_F32, {8}));
  collet_op_desc_t desc = op_desc(COLLET_OP_BINARY, layouts);
  desc.function = COLLET_BINARY_ADD;
  collet_plan_t* plan = nullptr;
  const collet_status_t status = collet_plan_create(device, &desc, &plan);
  REQUIRE((status == COLLET_OK || status == COLLET_ERROR_UNSUPPORTED));
  return Plan(plan);
}

// What the device has said when the commands of the case are complete.
std::vector<std::string> device_lines() {
  for (const Stream* stream : {&current->first, &current->second}) {
    CHECK(collet_stream_synchronize(stream->get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  }
  const std::lock_guard lock(log().mutex);
  return log().device_lines;
}

}  // namespace

std::vector<std::string> hazards() {
  const std::lock_guard lock(log().mutex);
  return log().lines;
}

bool found(const std::string& kind, const std::vector<std::string>& parts) {
  const std::vector<std::string> lines = hazards();
  for (const std::string& line : lines) {
    UNSCOPED_INFO("it says: " << line);
  }
  if (lines.size() != 1 || lines[0].rfind("validate: " + kind + ": ", 0) != 0) {
    UNSCOPED_INFO("there is not one hazard, of the kind " << kind);
    return false;
  }
  std::size_t end = 0;
  for (const std::string& part : parts) {
    const std::size_t place = lines[0].find(part, end);
    if (place == std::string::npos) {
      UNSCOPED_INFO("it lacks, in this order: " << part);
      return false;
    }
    end = place + part.size();
  }
  return !is_device_checking() ||
         device_names_both(kind, lines[0],
                           kind == "missing order" ? device_lines() : std::vector<std::string>());
}

bool in_background() {
  const char* kind = std::getenv("COLLET_HOST_TEST_STREAMS");
  return kind != nullptr && std::strcmp(kind, "background") == 0;
}

Stream labelled_stream(collet_device_t* device, const char* label) {
  collet_stream_desc_t desc = stream_desc(in_background() ? COLLET_STREAM_BACKGROUND : 0);
  desc.label = label;
  collet_stream_t* stream = nullptr;
  REQUIRE(collet_stream_create(device, &desc, &stream) == COLLET_OK);
  return Stream(stream);
}

Validated::Validated()
    : objects(logged_device()),
      first(labelled_stream(objects.device, "first")),
      second(labelled_stream(objects.device, "second")),
      sum(make_sum(objects.device)) {
  current = this;
}

Validated::~Validated() {
  if (is_device_checking() && hazards().empty() && !is_device_excused_) {
    CHECK(device_lines() == std::vector<std::string>());
  }
  current = nullptr;
}

void Validated::excuse_device(const char* /*reason*/) { is_device_excused_ = true; }

Buffer Validated::make_own(const char* tag, collet_memory_kind_t kind) const {
  collet_alloc_desc_t desc = alloc_desc(256, kind);
  desc.tag = tag;
  collet_buffer_t* buffer = nullptr;
  REQUIRE(collet_buffer_alloc(first.get(), &desc, &buffer) == COLLET_OK);
  return Buffer(buffer);
}

Buffer Validated::make(const char* tag, collet_memory_kind_t kind) const {
  Buffer buffer = make_own(tag, kind);
  REQUIRE(collet_buffer_use_on(buffer.get(), second.get()) == COLLET_OK);
  return buffer;
}

Buffer Validated::make_written(const char* tag) const {
  Buffer buffer = make(tag);
  write(first, buffer, Bytes(256, 1));
  return buffer;
}

void Validated::fill(const Stream& stream, const Buffer& buffer, std::uint64_t offset_bytes,
                     std::uint64_t size_bytes) {
  const unsigned char value = 3;
  REQUIRE(collet_stream_fill(stream.get(), buffer.get(), offset_bytes, size_bytes, &value, 1) ==
          COLLET_OK);
}

void Validated::copy(const Stream& stream, const Buffer& to, const Buffer& from,
                     std::uint64_t size_bytes) {
  REQUIRE(collet_stream_copy(stream.get(), to.get(), 0, from.get(), 0, size_bytes) == COLLET_OK);
}

void Validated::copy_columns(const Stream& stream, const Buffer& to, const Buffer& from,
                             std::uint64_t column) {
  // Four bytes of each of 16 rows.
  const collet_rect_t rect{column, column, 4, 16, 16, 16};
  REQUIRE(collet_stream_copy_rect(stream.get(), to.get(), from.get(), &rect) == COLLET_OK);
}

void Validated::write_later(const Stream& stream, const Buffer& to, const void* from,
                            std::uint64_t size_bytes) {
  const collet_transfer_desc_t desc = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  std::uint32_t was_async = 0;
  REQUIRE(collet_stream_write(stream.get(), to.get(), 0, from, size_bytes, &desc, &was_async) ==
          COLLET_OK);
  REQUIRE(was_async == 1);
}

void Validated::read_later(const Stream& stream, void* to, const Buffer& from,
                           std::uint64_t size_bytes) {
  const collet_transfer_desc_t desc = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  std::uint32_t was_async = 0;
  REQUIRE(collet_stream_read(stream.get(), to, from.get(), 0, size_bytes, &desc, &was_async) ==
          COLLET_OK);
  REQUIRE(was_async == 1);
}

void Validated::launch(const Stream& stream, const Buffer& buffer,
                       std::uint64_t offset_bytes) const {
  if (objects.kernel == nullptr) {
    skip("the device runs no programs");
  }
  const std::uint32_t value = 7;
  collet_argument_t arguments[2]{};
  arguments[0].kind = COLLET_ARGUMENT_BUFFER;
  arguments[0].buffer = buffer.get();
  arguments[0].offset_bytes = offset_bytes;
  arguments[1].kind = COLLET_ARGUMENT_SCALAR;
  arguments[1].value = &value;
  arguments[1].size_bytes = sizeof value;
  const collet_launch_t desc{{1, 1, 1}, {4, 1, 1}, 2, arguments};
  REQUIRE(collet_stream_launch(stream.get(), objects.kernel.get(), &desc) == COLLET_OK);
}

void Validated::run(const Stream& stream, const Buffer& to, const Buffer& from) const {
  if (sum == nullptr) {
    skip("the device has no operations");
  }
  const collet_operand_t operands[3]{{to.get(), 0, {}}, {from.get(), 0, {}}, {from.get(), 32, {}}};
  REQUIRE(collet_stream_run(stream.get(), sum.get(), operands, 3, nullptr, 0) == COLLET_OK);
}

void Validated::order(const Stream& before, const Stream& after) const {
  const Event event = make_event(objects.device);
  REQUIRE(collet_event_record(event.get(), before.get()) == COLLET_OK);
  REQUIRE(collet_stream_wait_event(after.get(), event.get()) == COLLET_OK);
}

KeptAlive::KeptAlive(const Validated& on) : on_(on) {
  if (in_background()) {
    gate_.emplace(on.first);
  }
}

KeptAlive::~KeptAlive() {
  static_cast<void>(collet_stream_synchronize(on_.second.get(), COLLET_TIMEOUT_INFINITE));
}

unsigned char* bytes_of(const Buffer& buffer) {
  void* start = nullptr;
  REQUIRE(collet_buffer_host_pointer(buffer.get(), &start) == COLLET_OK);
  return static_cast<unsigned char*>(start);
}

}  // namespace collet::test
