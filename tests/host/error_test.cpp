// SPDX-License-Identifier: Apache-2.0
// HOST-ERR-1 and HOST-ERR-3: the record of a thread's last error, and what an error leaves behind.
#include <thread>

#include "objects.hpp"

namespace collet::test {

TEST_CASE("HOST-ERR-1 before its first failure a thread has a record without an error") {
  collet_error_t seen{};
  std::thread([&] { seen = *collet_last_error(); }).join();
  CHECK(seen.struct_size == sizeof seen);
  CHECK(seen.status == COLLET_OK);
  CHECK(seen.native_code == 0);
  CHECK(std::string(seen.message).empty());
  CHECK(std::string(seen.backend).empty());
  CHECK(std::string(seen.function).empty());
  CHECK(std::string(seen.native_name).empty());
}

TEST_CASE("HOST-ERR-1 a failure names status, function and text, and a success leaves it so") {
  const Stream stream = make_stream(tested_device());
  CHECK(collet_event_query(nullptr) == COLLET_ERROR_INVALID_HANDLE);
  const std::string text = message();
  CHECK(collet_stream_query(stream.get()) == COLLET_OK);
  synchronize(stream);
  const Buffer buffer = allocate(stream, 64);
  const Event event = make_event(tested_device());
  const collet_error_t* error = collet_last_error();
  CHECK(error->status == COLLET_ERROR_INVALID_HANDLE);
  CHECK(std::string(error->function) == "collet_event_query");
  CHECK(error->message == text);
  CHECK(std::string(error->backend).empty());
}

TEST_CASE("HOST-ERR-1 a record belongs to its thread") {
  CHECK(collet_event_query(nullptr) == COLLET_ERROR_INVALID_HANDLE);
  std::string other;
  std::thread([&] {
    static_cast<void>(collet_stream_query(nullptr));
    other = collet_last_error()->function;
  }).join();
  CHECK(other == "collet_stream_query");
  CHECK(std::string(collet_last_error()->function) == "collet_event_query");
}

TEST_CASE("HOST-ERR-1 a record can be cleared") {
  CHECK(collet_event_query(nullptr) == COLLET_ERROR_INVALID_HANDLE);
  collet_clear_error();
  CHECK(collet_last_error()->status == COLLET_OK);
  CHECK(std::string(collet_last_error()->message).empty());
  CHECK(collet_event_query(nullptr) == COLLET_ERROR_INVALID_HANDLE);
  CHECK(collet_last_error()->status == COLLET_ERROR_INVALID_HANDLE);
}

TEST_CASE("HOST-ERR-1 a query that finds work incomplete is not an error") {
  collet_clear_error();
  const Stream stream = make_stream(tested_device(), COLLET_STREAM_BACKGROUND);
  const Buffer buffer = allocate(stream, 64);
  const unsigned char zero = 0;
  REQUIRE(collet_stream_fill(stream.get(), buffer.get(), 0, 64, &zero, 1) == COLLET_OK);
  const collet_status_t status = collet_stream_query(stream.get());
  CHECK((status == COLLET_OK || status == COLLET_NOT_READY));
  CHECK(collet_last_error()->status == COLLET_OK);
}

TEST_CASE("HOST-ERR-1 a text that is very long is cut, and a line in it stays in it") {
  const std::string selector(100000, 'x');
  collet_device_t* device = nullptr;
  CHECK(collet_device_open(selector.c_str(), &device) == COLLET_ERROR_MALFORMED);
  CHECK(message().size() < 4096);
  CHECK(collet_device_open("cpu:\xc3\xa4", &device) == COLLET_ERROR_MALFORMED);
  CHECK(message_has("\n"));
}

TEST_CASE("HOST-ERR-3 after refused commands a stream runs the next one") {
  Objects objects(tested_device());
  for (const HandleUse& use : handle_uses(objects)) {
    static_cast<void>(use.call(nullptr));
  }
  write(objects.stream, objects.buffer, Bytes(64, 3));
  CHECK(read(objects.stream, objects.buffer, 64) == Bytes(64, 3));
  CHECK(collet_stream_query(objects.stream.get()) == COLLET_OK);
}

TEST_CASE("HOST-ERR-1 every status has a name, and a value that is none has a question mark") {
  CHECK(std::string(collet_status_name(COLLET_OK)) == "COLLET_OK");
  for (int status = COLLET_ERROR_INVALID_ARGUMENT; status >= COLLET_ERROR_INTERNAL; --status) {
    CHECK(std::string(collet_status_name(static_cast<collet_status_t>(status)))
              .rfind("COLLET_ERROR_", 0) == 0);
  }
  CHECK(std::string(collet_status_name(static_cast<collet_status_t>(-999))) == "?");
}

TEST_CASE("version it is that of the headers, and the types have their names and sizes") {
  CHECK(collet_abi_version() == COLLET_ABI_VERSION);
  CHECK(std::string(collet_version()) == "0.1.0");
  const struct {
    collet_type_t type;
    const char* name;
    std::uint32_t size;
  } types[] = {
      {COLLET_TYPE_NONE, "none", 0},       {COLLET_TYPE_BOOL, "bool", 1},
      {COLLET_TYPE_I8, "i8", 1},           {COLLET_TYPE_U8, "u8", 1},
      {COLLET_TYPE_I16, "i16", 2},         {COLLET_TYPE_U16, "u16", 2},
      {COLLET_TYPE_I32, "i32", 4},         {COLLET_TYPE_U32, "u32", 4},
      {COLLET_TYPE_I64, "i64", 8},         {COLLET_TYPE_U64, "u64", 8},
      {COLLET_TYPE_F16, "f16", 2},         {COLLET_TYPE_BF16, "bf16", 2},
      {COLLET_TYPE_F32, "f32", 4},         {COLLET_TYPE_F64, "f64", 8},
      {COLLET_TYPE_F8_E4M3, "f8_e4m3", 1}, {COLLET_TYPE_F8_E5M2, "f8_e5m2", 1},
      {COLLET_TYPE_C64, "c64", 8},         {COLLET_TYPE_C128, "c128", 16},
      {COLLET_TYPE_I4, "i4", 0},           {COLLET_TYPE_U4, "u4", 0},
  };
  for (const auto& [type, name, size] : types) {
    CHECK(std::string(collet_type_name(type)) == name);
    CHECK(collet_type_size_bytes(type) == size);
  }
}

TEST_CASE("HOST-ARG-5 a number that is no type has no size, and a question mark for a name") {
  for (const std::uint32_t number : {20U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    CHECK(collet_type_size_bytes(static_cast<collet_type_t>(number)) == 0);
    CHECK(std::string(collet_type_name(static_cast<collet_type_t>(number))) == "?");
  }
}

}  // namespace collet::test
