// SPDX-License-Identifier: Apache-2.0
// Handles: what a host holds.
//
// All slots lie in one region of 4 GiB of address space. A handle is the offset of a slot in its
// lower half and the slot's generation in its upper half. A slot stores its own handle, at a place
// that depends on its kind; so one compare tells a live handle of the right kind from NULL, a
// released one, a recycled one, one of another kind, and from any other value: whatever its lower
// half is, the region can be read there.
//
// The region is wiped in a forked child (MADV_WIPEONFORK): every handle of the parent is dead
// there, which costs the hot path nothing, and the cold path finds out why.
//
// What a host function releases is given back later: the handle dies at once, but the object may
// not call its plugin from there, so that its slot waits in a list.
#pragma once

#include <collet/base.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "error.hpp"
#include "process.hpp"

namespace collet::loader {

enum class Kind : std::uint8_t {
  kDevice,
  kBuffer,
  kStream,
  kEvent,
  kProgram,
  kKernel,
  kPlan,
  kAllocator
};
inline constexpr std::size_t kKindCount = 8;

struct SlotHead {
  // self[kind] is the live handle; all other entries are 0. Not atomic: a use of a handle is
  // ordered after its creation and before its last release, or it is the caller's data race.
  std::array<std::uint64_t, kKindCount> self;
  std::atomic<std::uint32_t> references;
  std::uint32_t generation;
};

// Where the region starts. Set before any exported function can be called.
[[gnu::visibility("hidden")]] extern constinit std::byte* slot_region;

inline constexpr std::size_t kSlabBytes = std::size_t{64} << 10;

// What the slot that a value leads to holds for a kind. Read as bytes: what never was a handle may
// lead between two slots, or to a place that is not aligned.
[[nodiscard]] inline std::uint64_t self_at(std::uint64_t value, std::size_t kind) noexcept {
  static_assert(offsetof(SlotHead, self) == 0);
  std::uint64_t self = 0;
  std::memcpy(&self, slot_region + static_cast<std::uint32_t>(value) + kind * sizeof self,
              sizeof self);
  return self;
}

// Takes kSlabBytes of the region, which read as zero. Throws bad_alloc.
void* take_slab();

// Holds all objects of type T. T has a `static constexpr Kind kKind`.
template <class T>
class SlotPool {
  // Threads that use different objects share no line of a cache.
  struct alignas(64) Slot {
    SlotHead head;
    // The next slot of the list of free or postponed ones.
    Slot* next;
    // Alive from create() to destroy().
    union {
      T object;
    };
  };

 public:
  // Makes an object with one reference, and returns its handle.
  template <class... Args>
  std::uint64_t create(Args&&... args) {
    destroy_postponed();
    Slot* slot = take();
    try {
      std::construct_at(&slot->object, std::forward<Args>(args)...);
    } catch (...) {
      give_back(slot);
      throw;
    }
    return new_handle(*slot);
  }

  // Gives a new handle, with one reference, to an object whose last one was dropped.
  static std::uint64_t revive(T& object) noexcept { return new_handle(*slot_of(object)); }

  // The object of a live handle of this kind, or nullptr.
  [[nodiscard]] static T* find(const void* handle) noexcept {
    const auto value = reinterpret_cast<std::uint64_t>(handle);
    if (self_at(value, index()) != value) [[unlikely]] {
      return nullptr;
    }
    return &slot_of(handle)->object;
  }

  // Adds a reference to the object of a live handle.
  static void retain(const void* handle) noexcept {
    slot_of(handle)->head.references.fetch_add(1, std::memory_order_relaxed);
  }

  // Drops a reference. Returns the object whose last one it was; its handle is dead, and it is the
  // caller's to destroy() or revive().
  static T* drop(const void* handle) noexcept {
    Slot* slot = slot_of(handle);
    // Nobody else can use the only reference, so that it need not be counted down.
    if (slot->head.references.load(std::memory_order_acquire) != 1 &&
        slot->head.references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      return nullptr;
    }
    slot->head.self[index()] = 0;
    return &slot->object;
  }

  // From inside a host function, the object is destroyed at the next call of the pool.
  void destroy(T& object) noexcept {
    if (inside_callback) {
      postpone(slot_of(object));
      return;
    }
    destroy(slot_of(object));
    destroy_postponed();
  }

  // The same for callers that hold locks which the end of other objects may need.
  void destroy_alone(T& object) noexcept { destroy(slot_of(object)); }

  void release(const void* handle) noexcept {
    if (T* object = drop(handle)) {
      destroy(*object);
    }
  }

  // Calls `use` with each object that has a live handle. For a process that is about to end.
  template <class Use>
  void for_each_live(Use&& use) {
    const std::lock_guard lock(mutex_);
    for (Slot* slots : slabs_) {
      for (std::size_t i = 0; i < kSlabBytes / sizeof(Slot); ++i) {
        if (slots[i].head.self[index()] != 0) {
          use(slots[i].object);
        }
      }
    }
  }

  // Destroys what was released inside host functions.
  void destroy_postponed() noexcept {
    if (postponed_.load(std::memory_order_relaxed) == nullptr) {
      return;
    }
    Slot* slot = postponed_.exchange(nullptr, std::memory_order_acquire);
    while (slot != nullptr) {
      destroy(std::exchange(slot, slot->next));
    }
  }

 private:
  static constexpr std::size_t index() { return static_cast<std::size_t>(T::kKind); }

  static Slot* slot_of(const void* handle) noexcept {
    return reinterpret_cast<Slot*>(
        slot_region + static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(handle)));
  }

  // Of the object in a slot. Written out, since offsetof is not for every type.
  static constexpr std::size_t kObjectOffset =
      (sizeof(SlotHead) + sizeof(void*) + alignof(T) - 1) / alignof(T) * alignof(T);

  static Slot* slot_of(T& object) noexcept {
    return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(&object) - kObjectOffset);
  }

  static std::uint64_t new_handle(Slot& slot) noexcept {
    const auto offset = reinterpret_cast<std::byte*>(&slot) - slot_region;
    const std::uint64_t handle =
        std::uint64_t{++slot.head.generation} << 32 | static_cast<std::uint64_t>(offset);
    slot.head.references.store(1, std::memory_order_relaxed);
    slot.head.self[index()] = handle;
    return handle;
  }

  void destroy(Slot* slot) noexcept {
    std::destroy_at(&slot->object);
    give_back(slot);
  }

  void postpone(Slot* slot) noexcept {
    slot->next = postponed_.load(std::memory_order_relaxed);
    while (!postponed_.compare_exchange_weak(slot->next, slot, std::memory_order_release,
                                             std::memory_order_relaxed)) {
    }
  }

  Slot* take() {
    const std::lock_guard lock(mutex_);
    if (free_ == nullptr) {
      slabs_.reserve(slabs_.size() + 1);
      auto* slots = static_cast<Slot*>(take_slab());
      slabs_.push_back(slots);
      for (std::size_t i = 0; i < kSlabBytes / sizeof(Slot); ++i) {
        slots[i].next = free_;
        free_ = &slots[i];
      }
    }
    return std::exchange(free_, free_->next);
  }

  void give_back(Slot* slot) noexcept {
    const std::lock_guard lock(mutex_);
    slot->next = free_;
    free_ = slot;
  }

  std::mutex mutex_;
  std::vector<Slot*> slabs_;
  Slot* free_ = nullptr;
  std::atomic<Slot*> postponed_{nullptr};
};

// The pool of a type. Never destroyed: handles may be released by static destructors.
template <class T>
SlotPool<T>& pool() {
  static SlotPool<T>& instance = *new SlotPool<T>;
  return instance;
}

// Why a handle was refused: NULL, released, another kind, or a forked process. Records the error.
COLLET_COLD collet_status_t refuse_handle(const char* function, const void* handle,
                                          Kind expected) noexcept;

const char* kind_name(Kind kind) noexcept;

}  // namespace collet::loader
