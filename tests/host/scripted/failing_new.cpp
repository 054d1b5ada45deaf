// SPDX-License-Identifier: Apache-2.0
#include "failing_new.hpp"

#include <collet/base.h>

#include <cstdlib>
#include <new>

#include "script.hpp"

namespace collet::test {
namespace {

constexpr int kNever = -1;
thread_local int allocations_left = kNever;

bool fails_now() noexcept {
  if (allocations_left < 0 || Script::inside_plugin()) {
    return false;
  }
  return allocations_left-- == 0;
}

// nullptr where it fails.
void* try_allocate(std::size_t size) noexcept {
  return fails_now() ? nullptr : std::malloc(size != 0 ? size : 1);
}

}  // namespace

FailingNew::FailingNew(int successes) noexcept { allocations_left = successes; }
FailingNew::~FailingNew() { allocations_left = kNever; }
bool FailingNew::failed() noexcept { return allocations_left < 0; }

}  // namespace collet::test

COLLET_API void* operator new(std::size_t size) {
  void* memory = collet::test::try_allocate(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

COLLET_API void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return collet::test::try_allocate(size);
}

COLLET_API void operator delete(void* memory) noexcept { std::free(memory); }
COLLET_API void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
