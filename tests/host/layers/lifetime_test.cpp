// SPDX-License-Identifier: Apache-2.0
// HOST-LAY-4, HOST-LAY-5, HOST-LAY-6: memory that is released, changed or read too early.
#include <algorithm>

#include "layers/validated.hpp"

namespace collet::test {

TEST_CASE("HOST-LAY-4 a release while a stream that was not declared uses the buffer is found") {
  const Validated on;
  Buffer buffer = on.make_own("mine");
  const KeptAlive kept(on);
  Validated::fill(on.second, buffer);
  buffer.reset();
  CHECK(
      found("released in use", {"buffer \"mine\" (256 bytes) was released at ", "host_validate",
                                "fill (command 1 of stream ", "\"second\"", "writes bytes 0 to 255",
                                "\"second\"", "collet_buffer_use_on()"}));
}

TEST_CASE("HOST-LAY-4 to declare another stream does not help") {
  const Validated on;
  Buffer buffer = on.make_own("mine");
  const Stream third = labelled_stream(on.objects.device, "third");
  REQUIRE(collet_buffer_use_on(buffer.get(), third.get()) == COLLET_OK);
  const KeptAlive kept(on);
  Validated::fill(on.second, buffer);
  buffer.reset();
  CHECK(found("released in use", {"buffer \"mine\"", "fill (command 1", "\"second\""}));
}

TEST_CASE("HOST-LAY-4 an operation on a stream that was not declared is found") {
  const Validated on;
  const Buffer to = on.make("to");
  Buffer from = on.make_own("from");
  write(on.first, from, Bytes(256, 1));
  const KeptAlive kept(on);
  on.run(on.second, to, from);
  from.reset();
  CHECK(found("released in use",
              {"buffer \"from\"", "run of binary (command 1", "\"second\"", "reads bytes"}));
}

TEST_CASE("HOST-LAY-4 a kernel on a stream that was not declared is found") {
  const Validated on;
  Buffer buffer = on.make_own("mine");
  const KeptAlive kept(on);
  on.launch(on.second, buffer);
  buffer.reset();
  CHECK(found("released in use", {"buffer \"mine\"", "launch of store (command 1", "\"second\""}));
}

TEST_CASE("HOST-LAY-4 pinned memory that is released while a copy reads it is found") {
  const Validated on;
  const Buffer to = on.make("to");
  Buffer pinned = on.make_own("pinned", COLLET_MEMORY_PINNED);
  unsigned char* const bytes = bytes_of(pinned);
  const KeptAlive kept(on);
  Validated::write_later(on.second, to, bytes, 64);
  pinned.reset();
  CHECK(found("released in use",
              {"buffer \"pinned\"", "write (command 1", "\"second\"", "reads bytes 0 to 63"}));
}

TEST_CASE("HOST-LAY-4 registered memory that is released while a copy uses it is found") {
  const Validated on;
  alignas(4096) static unsigned char memory[4096];
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_host_register(on.objects.device, memory, sizeof memory, &made) == COLLET_OK);
  const Buffer from = on.make_written("from");
  Validated::read_later(on.first, memory + 100, from, 64);
  collet_buffer_release(made);
  CHECK(found("released in use", {"registered memory was released at ", "read (command 2",
                                  "writes bytes 100 to 163", "wait for it first"}));
  synchronize(on.first);
}

TEST_CASE("HOST-LAY-4 a buffer may be released when its streams are declared, or ordered") {
  const Validated on;
  const Stream third = labelled_stream(on.objects.device, "third");
  Buffer declared = on.make("declared");
  Validated::fill(on.second, declared);
  declared.reset();
  Buffer ordered = on.make_own("ordered");
  Validated::fill(third, ordered);
  on.order(third, on.first);
  ordered.reset();
  Buffer complete = on.make_own("complete");
  Validated::fill(third, complete);
  synchronize(third);
  complete.reset();
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-5 a source that is changed before its copy is complete is found") {
  const Validated on;
  const Buffer to = on.make("to");
  const Buffer pinned = on.make("pinned", COLLET_MEMORY_PINNED);
  unsigned char* const bytes = bytes_of(pinned);
  std::fill_n(bytes, 256, static_cast<unsigned char>(1));
  Validated::write_later(on.first, to, bytes, 64);
  bytes[63] ^= 0xff;
  synchronize(on.first);
  CHECK(found("source changed", {"write (command 1 of stream ", "\"first\"", "as is seen at ",
                                 "host_validate", "wait for the copy"}));
}

TEST_CASE("HOST-LAY-5 a source inside registered memory that is changed is found") {
  const Validated on;
  alignas(4096) static unsigned char memory[4096];
  collet_buffer_t* made = nullptr;
  REQUIRE(collet_host_register(on.objects.device, memory, sizeof memory, &made) == COLLET_OK);
  const Buffer registered(made);
  const Buffer to = on.make("to");
  Validated::write_later(on.first, to, memory + 1000, 8);
  memory[1007] ^= 0xff;
  const Event event = make_event(on.objects.device);
  REQUIRE(collet_event_record(event.get(), on.first.get()) == COLLET_OK);
  REQUIRE(collet_event_synchronize(event.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  CHECK(found("source changed", {"write (command 1 of stream ", "\"first\""}));
}

TEST_CASE("HOST-LAY-5 a source that is changed and released is found") {
  const Validated on;
  const Buffer to = on.make("to");
  Buffer pinned = on.make("pinned", COLLET_MEMORY_PINNED);
  unsigned char* const bytes = bytes_of(pinned);
  Validated::write_later(on.first, to, bytes + 8, 8);
  bytes[8] ^= 0xff;
  pinned.reset();
  CHECK(found("source changed", {"write (command 1 of stream ", "\"first\""}));
}

TEST_CASE("HOST-LAY-5 a source may be changed around the copy, and when that is complete") {
  const Validated on;
  const Buffer to = on.make("to");
  const Buffer pinned = on.make("pinned", COLLET_MEMORY_PINNED);
  unsigned char* const bytes = bytes_of(pinned);
  Validated::write_later(on.first, to, bytes + 8, 8);
  bytes[7] ^= 0xff;
  bytes[16] ^= 0xff;
  synchronize(on.first);
  bytes[8] ^= 0xff;
  synchronize(on.first);
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-6 a read of what was never written is found") {
  const Validated on;
  const Buffer buffer = on.make("fresh");
  CHECK(read(on.first, buffer, 16).size() == 16);
  CHECK(found("never written", {"read (command 1", "reads bytes 0 to 15 of buffer \"fresh\"",
                                "allocated at ", "host_validate"}));
}

TEST_CASE("HOST-LAY-6 a copy from what was never written is found") {
  const Validated on;
  const Buffer from = on.make("fresh");
  const Buffer to = on.make("to");
  Validated::copy(on.first, to, from, 8);
  CHECK(found("never written", {"copy (command 1", "reads bytes 0 to 7 of buffer \"fresh\""}));
}

TEST_CASE("HOST-LAY-6 an operation on what was never written is found") {
  const Validated on;
  const Buffer from = on.make("fresh");
  const Buffer to = on.make("to");
  on.run(on.first, to, from);
  CHECK(found("never written", {"run of binary (command 1", "buffer \"fresh\""}));
}

TEST_CASE("HOST-LAY-6 what anything has written may be read") {
  const Validated on;
  const Buffer source = on.make_written("source");
  const Buffer filled = on.make("filled");
  const Buffer copied = on.make("copied");
  const Buffer added = on.make("added");
  const Buffer pinned = on.make("pinned", COLLET_MEMORY_PINNED);
  Validated::fill(on.first, filled);
  Validated::copy(on.first, copied, source);
  on.run(on.first, added, source);
  Validated::write_later(on.first, filled, bytes_of(pinned), 16);
  for (const Buffer* buffer : {&source, &filled, &copied, &added}) {
    CHECK(read(on.first, *buffer, 16).size() == 16);
  }
  const Buffer launched = on.make("launched");
  on.launch(on.first, launched);
  CHECK(read(on.first, launched, 16).size() == 16);
  CHECK(hazards().empty());
}

}  // namespace collet::test
