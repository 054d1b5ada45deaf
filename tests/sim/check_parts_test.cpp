// SPDX-License-Identifier: Apache-2.0
// The parts of the checker that a host program cannot reach by itself.
#include "check/access_map.hpp"
#include "check/checker.hpp"
#include "check/fingerprint.hpp"
#include "check/vector_clock.hpp"
#include "support/catch.hpp"

namespace collet::sim {
namespace {

std::shared_ptr<const Operation> operation(std::size_t slot, std::uint64_t count) {
  Operation made;
  made.slot = slot;
  made.count = count;
  return std::make_shared<Operation>(made);
}

TEST_CASE("check parts: a clock covers another if it is as late in each slot") {
  VectorClock early;
  early.set(2, 5);
  VectorClock late;
  late.set(0, 1);
  CHECK_FALSE(late.covers(early));
  CHECK_FALSE(early.covers(late));
  late.join(early);
  CHECK(late.covers(early));
  CHECK(late.at(0) == 1);
  CHECK(late.at(2) == 5);
  CHECK(late.at(99) == 0);
  early.set(2, 6);
  CHECK_FALSE(late.covers(early));
}

TEST_CASE("check parts: of each byte the last write is known, and the reads since") {
  AccessMap map;
  const VectorClock nothing;
  std::vector<Conflict> found;
  const auto first = operation(0, 1);
  const auto second = operation(1, 1);
  map.write({100, 200}, first, nothing, found);
  map.read({150, 300}, second, nothing, found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].other == first);
  CHECK(found[0].other_writes);
  CHECK(found[0].range.begin == 150);
  CHECK(found[0].range.end == 200);

  // Beside what was used there is nothing.
  found.clear();
  map.write({0, 100}, second, nothing, found);
  map.write({300, 400}, second, nothing, found);
  CHECK(found.empty());

  // Another read is no conflict, a write is one with each of the reads.
  const auto third = operation(2, 1);
  map.read({250, 260}, third, nothing, found);
  CHECK(found.empty());
  map.write({255, 256}, operation(3, 1), nothing, found);
  CHECK(found.size() == 2);

  // What is certain to be before is none.
  found.clear();
  VectorClock all;
  for (std::size_t slot = 0; slot < 4; ++slot) all.set(slot, 1);
  map.write({0, 1000}, operation(4, 1), all, found);
  CHECK(found.empty());
}

TEST_CASE("check parts: memory that is freed must be out of use, and is forgotten then") {
  Checker checker(Check::kWarn);
  const auto moment = checker.open_stream();
  alignas(8) const std::byte memory[64] = {};
  std::atomic<std::uint64_t> conflicts{0};
  const auto use = [&](Checker::Moment& by, std::uint64_t ticket) {
    checker.begin(by, ticket, checker.seen());
    checker.access(by, checker.operation(by, {}), {{Access::kWrite, memory, sizeof memory}}, true,
                   conflicts);
  };
  use(*moment, 1);
  CHECK(checker.free(memory, sizeof memory, 0) == 1);
  CHECK(checker.free(memory, sizeof memory, 0) == 0);
  use(*moment, 2);
  checker.see(*moment, 2);
  CHECK(checker.free(memory, sizeof memory, 0) == 0);
  const auto other = checker.open_stream();
  use(*moment, 3);
  static_cast<void>(checker.free(memory, sizeof memory, 0));
  use(*other, 1);
  CHECK(conflicts == 0);
  use(*moment, 4);
  CHECK(conflicts == 1);
}

TEST_CASE("check parts: a fingerprint tells each change of one byte") {
  std::byte bytes[21] = {};
  const std::uint64_t before = fingerprint(bytes, sizeof bytes);
  CHECK(fingerprint(bytes, sizeof bytes) == before);
  for (std::byte& byte : bytes) {
    byte = std::byte{1};
    CHECK(fingerprint(bytes, sizeof bytes) != before);
    byte = std::byte{0};
  }
}

}  // namespace
}  // namespace collet::sim
