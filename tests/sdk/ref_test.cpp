// SPDX-License-Identifier: Apache-2.0
#include <collet/sdk/ref.hpp>

#include <utility>

#include "support/catch.hpp"
#include "support/in_threads.hpp"

namespace collet::plugin {
namespace {

std::atomic<int> alive{0};

struct Counted : RefCounted<Counted> {
  explicit Counted(int number) : value(number) { ++alive; }
  ~Counted() { --alive; }
  const int value;
};

TEST_CASE("ref: an object lives as long as a reference") {
  Ref<Counted> first = make_ref<Counted>(1);
  {
    const Ref<Counted> second = first;
    Ref<Counted> third = std::move(first);
    CHECK_FALSE(first);
    CHECK(second->value == 1);
    third = {};
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("ref: a slot holds its object, and gives it up when another is set") {
  {
    RefSlot<Counted> slot;
    CHECK(slot.empty());
    CHECK_FALSE(slot.get());
    slot.set(make_ref<Counted>(1));
    const Ref<Counted> first = slot.get();
    slot.set(make_ref<Counted>(2));
    CHECK(first->value == 1);
    CHECK(slot.get()->value == 2);
    CHECK(alive == 2);
    slot.set({});
    CHECK(slot.empty());
    CHECK(alive == 1);
    slot.set(make_ref<Counted>(3));
  }
  CHECK(alive == 0);
}

TEST_CASE("ref: threads read a slot while others replace its object") {
  std::atomic<int> wrong{0};
  {
    RefSlot<Counted> slot;
    const Ref<Counted> kept = make_ref<Counted>(0);
    test::in_threads(4, [&](int t) {
      for (int i = 0; i < 20'000; ++i) {
        if (t < 2) {
          const Ref<Counted> seen = slot.get();
          if (seen && (seen->value < 0 || seen->value > 20'000)) ++wrong;
        } else if (i % 3 == 0) {
          slot.set(kept);  // the same object again and again
        } else {
          slot.set(i % 3 == 1 ? make_ref<Counted>(i) : Ref<Counted>());
        }
      }
    });
  }
  CHECK(wrong == 0);
  CHECK(alive == 0);
}

}  // namespace
}  // namespace collet::plugin
