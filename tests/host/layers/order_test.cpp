// SPDX-License-Identifier: Apache-2.0
// HOST-LAY-3 and HOST-LAY-8: commands of two streams on the same bytes.
#include <future>

#include "layers/validated.hpp"

namespace collet::test {
namespace {

constexpr const char* kHint = "nothing orders the two: record an event on ";

}  // namespace

TEST_CASE("HOST-LAY-3 two fills without order are found, and all about both is told") {
  const Validated on;
  const Buffer buffer = on.make("shared");
  REQUIRE(collet_stream_annotate(on.second.get(), 5, "step 7") == COLLET_OK);
  Validated::fill(on.first, buffer, 0, 64);
  Validated::fill(on.second, buffer, 32, 64);
  CHECK(found("missing order",
              {"fill (command 1 of stream ", "\"second\", labelled \"step 7\", at ",
               "host_validate", "writes bytes 32 to 95 of buffer \"shared\" (256 bytes)",
               "fill (command 1 of stream ", "\"first\", at ", "host_validate",
               "writes bytes 0 to 63", kHint, "\"first\"", "\"second\""}));
}

TEST_CASE("HOST-LAY-3 a copy from what another stream writes is found") {
  const Validated on;
  const Buffer from = on.make("from");
  const Buffer to = on.make("to");
  Validated::fill(on.first, from);
  Validated::copy(on.second, to, from);
  CHECK(found("missing order", {"copy (command 1", "\"second\"", "reads bytes 0 to 255",
                                "buffer \"from\"", "fill (command 1", "\"first\"", kHint}));
}

TEST_CASE("HOST-LAY-3 a fill of what another stream still copies from is found") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make("to");
  Validated::copy(on.first, to, from);
  Validated::fill(on.second, from, 255, 1);
  CHECK(found("missing order", {"fill (command 1", "\"second\"", "writes bytes 255 to 255",
                                "buffer \"from\"", "copy (command 2", "reads bytes 0 to 255"}));
}

TEST_CASE("HOST-LAY-3 a copy to what another stream copies to is found") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make("to");
  Validated::copy(on.first, to, from, 16);
  Validated::copy(on.second, to, from, 1);
  CHECK(found("missing order", {"copy (command 1", "writes bytes 0 to 0", "buffer \"to\"",
                                "copy (command 2", "writes bytes 0 to 15"}));
}

TEST_CASE("HOST-LAY-3 a later read of what another stream writes is found") {
  const Validated on;
  const Buffer from = on.make("from");
  const Buffer to = on.make("to", COLLET_MEMORY_PINNED);
  Validated::fill(on.first, from);
  Validated::read_later(on.second, bytes_of(to), from, 64);
  CHECK(found("missing order",
              {"read (command 1", "reads bytes 0 to 63", "buffer \"from\"", "fill (command 1"}));
}

TEST_CASE("HOST-LAY-3 a blocking read of what another stream writes is found") {
  const Validated on;
  const Buffer from = on.make("from");
  Validated::fill(on.first, from);
  CHECK(read(on.second, from, 8).size() == 8);
  CHECK(found("missing order", {"read (command 1", "reads bytes 0 to 7", "fill (command 1"}));
}

TEST_CASE("HOST-LAY-3 a write to what another stream reads is found") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make("to");
  Validated::copy(on.first, to, from);
  write(on.second, from, Bytes(16, 5));
  CHECK(found("missing order",
              {"write (command 1", "writes bytes 0 to 15", "buffer \"from\"", "copy (command 2"}));
}

TEST_CASE("HOST-LAY-3 pinned memory that one stream reads into and another writes from is found") {
  const Validated on;
  const Buffer device = on.make_written("device");
  const Buffer pinned = on.make("pinned", COLLET_MEMORY_PINNED);
  const Buffer other = on.make("other");
  Validated::read_later(on.first, bytes_of(pinned) + 64, device, 64);
  Validated::write_later(on.second, other, bytes_of(pinned) + 100, 10);
  REQUIRE(hazards().size() == 1);
  CHECK(found("missing order", {"write (command 1", "reads bytes 100 to 109", "buffer \"pinned\"",
                                "read (command 2", "writes bytes 64 to 127"}));
}

TEST_CASE("HOST-LAY-3 a rectangle from pinned memory that another stream reads into is found") {
  const Validated on;
  const Buffer device = on.make_written("device");
  const Buffer pinned = on.make("pinned", COLLET_MEMORY_PINNED);
  const Buffer other = on.make("other");
  Validated::read_later(on.first, bytes_of(pinned) + 64, device, 64);
  const collet_rect_t rect{0, 0, 4, 3, 4, 16};
  const auto later = transfer_desc(COLLET_TRANSFER_NON_BLOCKING);
  REQUIRE(collet_stream_write_rect(on.second.get(), other.get(), bytes_of(pinned) + 40, &rect,
                                   &later, nullptr) == COLLET_OK);
  CHECK(found("missing order", {"copy of a rectangle (command 1", "reads bytes 40 to 75",
                                "buffer \"pinned\"", "read (command 2", "writes bytes 64 to 127"}));
}

TEST_CASE("HOST-LAY-3 rectangles that share a column are found") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make("to");
  Validated::copy_columns(on.first, to, from, 4);
  Validated::copy_columns(on.second, to, from, 7);
  CHECK(found("missing order", {"copy of a rectangle (command 1", "writes bytes 7 to 250",
                                "copy of a rectangle (command 2", "writes bytes 4 to 247"}));
}

TEST_CASE("HOST-LAY-3 rectangles side by side are not one hazard") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make("to");
  Validated::copy_columns(on.first, to, from, 4);
  Validated::copy_columns(on.second, to, from, 8);
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-3 an event that was recorded before the command does not order it") {
  const Validated on;
  const Buffer buffer = on.make("shared");
  on.order(on.first, on.second);
  Validated::fill(on.first, buffer);
  Validated::fill(on.second, buffer);
  CHECK(found("missing order", {"fill (command 2", "\"second\"", "fill (command 1", "\"first\""}));
}

TEST_CASE("HOST-LAY-3 a wait for an event that is recorded later does not order") {
  const Validated on;
  const Buffer buffer = on.make("shared");
  const Event event = make_event(on.objects.device);
  REQUIRE(collet_stream_wait_event(on.second.get(), event.get()) == COLLET_OK);
  Validated::fill(on.first, buffer);
  REQUIRE(collet_event_record(event.get(), on.first.get()) == COLLET_OK);
  Validated::fill(on.second, buffer);
  CHECK(found("missing order", {"fill (command 2", "\"second\"", "fill (command 1", "\"first\""}));
}

TEST_CASE("HOST-LAY-3 a wait in the wrong direction does not order") {
  const Validated on;
  const Buffer buffer = on.make("shared");
  Validated::fill(on.first, buffer);
  on.order(on.second, on.first);
  Validated::fill(on.second, buffer);
  CHECK(found("missing order", {"\"second\"", "\"first\""}));
}

TEST_CASE("HOST-LAY-3 a wait binds to the record before it") {
  const Validated on;
  const Buffer buffer = on.make("shared");
  const Event event = make_event(on.objects.device);
  REQUIRE(collet_event_record(event.get(), on.first.get()) == COLLET_OK);
  REQUIRE(collet_stream_wait_event(on.second.get(), event.get()) == COLLET_OK);
  Validated::fill(on.first, buffer);
  REQUIRE(collet_event_record(event.get(), on.first.get()) == COLLET_OK);
  Validated::fill(on.second, buffer);
  CHECK(found("missing order", {"fill (command 2", "\"second\"", "fill (command 1", "\"first\""}));
}

TEST_CASE("HOST-LAY-3 to wait for one stream on the host does not order another") {
  const Validated on;
  const Stream third = labelled_stream(on.objects.device, "third");
  const Buffer buffer = on.make("shared");
  Validated::fill(on.first, buffer);
  synchronize(third);
  Validated::fill(on.second, buffer);
  CHECK(found("missing order", {"\"second\"", "\"first\""}));
}

TEST_CASE("HOST-LAY-3 an operation that writes what another stream reads is found") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make_written("to");
  const Buffer other = on.make("other");
  Validated::copy(on.first, other, to);
  on.run(on.second, to, from);
  CHECK(found("missing order", {"run of binary (command 1", "writes bytes 0 to 31", "buffer \"to\"",
                                "copy (command", "reads bytes 0 to 255"}));
}

TEST_CASE("HOST-LAY-3 an operation that reads what another stream writes is found") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make("to");
  Validated::fill(on.first, from, 60, 4);
  on.run(on.second, to, from);
  CHECK(found("missing order", {"run of binary (command 1", "reads bytes 32 to 63",
                                "buffer \"from\"", "fill (command 2", "writes bytes 60 to 63"}));
}

TEST_CASE("HOST-LAY-3 two operations that write the same are found") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer to = on.make("to");
  on.run(on.first, to, from);
  on.run(on.second, to, from);
  CHECK(found("missing order",
              {"run of binary (command 1", "\"second\"", "run of binary (command", "\"first\""}));
}

TEST_CASE("HOST-LAY-3 a kernel on what another stream writes is found") {
  const Validated on;
  const Buffer buffer = on.make_written("shared");
  Validated::fill(on.first, buffer);
  on.launch(on.second, buffer, 16);
  CHECK(found("missing order", {"launch of store (command 1", "may write bytes 16 and on",
                                "buffer \"shared\"", "fill (command 2"}));
}

TEST_CASE("HOST-LAY-3 a read of what a kernel of another stream may write is found") {
  const Validated on;
  const Buffer buffer = on.make_written("shared");
  const Buffer to = on.make("to");
  on.launch(on.first, buffer);
  Validated::copy(on.second, to, buffer);
  CHECK(found("missing order", {"copy (command 1", "reads bytes 0 to 255", "launch of store",
                                "may write bytes 0 and on"}));
}

TEST_CASE("HOST-LAY-3 a kernel on what a kernel of another stream makes is found") {
  const Validated on;
  const Buffer buffer = on.make("made");
  on.launch(on.first, buffer);
  on.launch(on.second, buffer);
  CHECK(found("missing order", {"launch of store (command 1", "\"second\"", "launch of store",
                                "\"first\"", "writes bytes 0 and on"}));
}

TEST_CASE("HOST-LAY-3 kernels of two streams may share what was written before") {
  Validated on;
  on.excuse_device("it sees that the kernels write, and that one of them may write over the other");
  const Buffer buffer = on.make_written("shared");
  on.launch(on.first, buffer);
  on.launch(on.second, buffer);
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-3 kernels and copies may share a buffer, piece by piece") {
  Validated on;
  on.excuse_device("a kernel has all of a buffer there, from its offset on");
  const Buffer buffer = on.make("pieces");
  const Stream* const streams[] = {&on.first, &on.second};
  for (std::uint64_t piece = 0; piece < 4; ++piece) {
    Validated::fill(*streams[piece % 2], buffer, piece * 64, 64);
    on.launch(*streams[piece % 2], buffer, piece * 64);
  }
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-3 two streams may read the same") {
  const Validated on;
  const Buffer from = on.make_written("from");
  const Buffer one = on.make("one");
  const Buffer two = on.make("two");
  Validated::copy(on.first, one, from);
  Validated::copy(on.second, two, from);
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-3 an event orders, also by way of a third stream") {
  const Validated on;
  const Stream third = labelled_stream(on.objects.device, "third");
  const Buffer buffer = on.make("shared");
  Validated::fill(on.first, buffer);
  on.order(on.first, third);
  on.order(third, on.second);
  Validated::fill(on.second, buffer);
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-3 whatever the host waits for orders") {
  const Validated on;
  const Buffer buffer = on.make("shared");
  const Event event = make_event(on.objects.device, COLLET_EVENT_TIMING);
  const auto next = [&](auto wait) {
    Validated::fill(on.first, buffer);
    REQUIRE(collet_event_record(event.get(), on.first.get()) == COLLET_OK);
    wait();
    Validated::fill(on.second, buffer);
    synchronize(on.second);
  };
  next([&] { synchronize(on.first); });
  next([&] {
    while (collet_stream_query(on.first.get()) == COLLET_NOT_READY) {
    }
  });
  next([&] {
    REQUIRE(collet_event_synchronize(event.get(), COLLET_TIMEOUT_INFINITE) == COLLET_OK);
  });
  next([&] {
    while (collet_event_query(event.get()) == COLLET_NOT_READY) {
    }
  });
  next([&] { CHECK(read(on.first, buffer, 1) == Bytes{3}); });
  next([&] {
    std::promise<void> told;
    const auto tell = [](void* promise, collet_status_t /*upstream*/) {
      static_cast<std::promise<void>*>(promise)->set_value();
    };
    REQUIRE(collet_stream_host_function(on.first.get(), tell, &told) == COLLET_OK);
    told.get_future().wait();
  });
  CHECK(hazards().empty());
}

TEST_CASE("HOST-LAY-8 a pair of places is told once, however often they meet") {
  const Validated on;
  const Buffer buffer = on.make("shared");
  for (int i = 0; i < 50; ++i) {
    Validated::fill(on.first, buffer);
    Validated::fill(on.second, buffer);
  }
  // Of the second with the first, and of the first with the second of the round before.
  CHECK(hazards().size() == 2);
}

}  // namespace collet::test
