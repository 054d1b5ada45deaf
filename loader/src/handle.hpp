// SPDX-License-Identifier: Apache-2.0
// Handles: what a host holds.
//
// A handle is the address of a slot with the slot's generation in the upper 16 bits, which no user
// address of the supported systems uses. A slot stores its own handle, at a place that depends on
// its kind; so one compare tells a live handle of the right kind from a released one, a recycled
// one and one of another kind. Slots are never unmapped.
//
// Slabs are wiped in a forked child (MADV_WIPEONFORK): every handle of the parent is dead there,
// which costs the hot path nothing, and the cold path finds out why.
#pragma once

#include <collet/base.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace collet::loader {

enum class Kind : std::uint8_t { device, buffer, stream, event, program, kernel, plan };
inline constexpr std::size_t kKindCount = 7;

struct SlotHead {
  // self[kind] is the live handle; all other entries are 0.
  std::array<std::atomic<std::uint64_t>, kKindCount> self{};
  std::atomic<std::uint32_t> references{0};
  std::uint16_t generation = 0;
};

inline constexpr unsigned kGenerationShift = 48;
inline constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kGenerationShift) - 1;

// Maps `size` bytes that read as zero, now and in a forked child.
void* map_slab(std::size_t size);

// Holds all objects of type T. T has a `static constexpr Kind kKind`.
template <class T>
class SlotPool {
  struct Slot {
    SlotHead head;
    Slot* next_free;
    alignas(T) std::byte storage[sizeof(T)];
  };

 public:
  // Makes an object with one reference, and returns its handle.
  template <class... Args>
  std::uint64_t create(Args&&... args) {
    Slot* slot = take();
    try {
      new (slot->storage) T(std::forward<Args>(args)...);
    } catch (...) {
      give_back(slot);
      throw;
    }
    ++slot->head.generation;
    const std::uint64_t handle = reinterpret_cast<std::uint64_t>(slot) |
                                 (std::uint64_t{slot->head.generation} << kGenerationShift);
    slot->head.references.store(1, std::memory_order_relaxed);
    slot->head.self[index()].store(handle, std::memory_order_release);
    return handle;
  }

  // The object of a live handle of this kind, or nullptr.
  [[nodiscard]] static T* find(const void* handle) noexcept {
    if (handle == nullptr) [[unlikely]] {
      return nullptr;
    }
    Slot* slot = slot_of(handle);
    if (slot->head.self[index()].load(std::memory_order_relaxed) !=
        reinterpret_cast<std::uint64_t>(handle)) [[unlikely]] {
      return nullptr;
    }
    return std::launder(reinterpret_cast<T*>(slot->storage));
  }

  // Adds a reference to the object of a live handle.
  static void retain(const void* handle) noexcept {
    slot_of(handle)->head.references.fetch_add(1, std::memory_order_relaxed);
  }

  // Drops a reference; with the last one the handle dies and the object is destroyed.
  void release(const void* handle) noexcept {
    Slot* slot = slot_of(handle);
    if (slot->head.references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      return;
    }
    slot->head.self[index()].store(0, std::memory_order_relaxed);
    std::launder(reinterpret_cast<T*>(slot->storage))->~T();
    give_back(slot);
  }

 private:
  static constexpr std::size_t kSlabBytes = std::size_t{64} << 10;

  static constexpr std::size_t index() { return static_cast<std::size_t>(T::kKind); }

  static Slot* slot_of(const void* handle) noexcept {
    return reinterpret_cast<Slot*>(reinterpret_cast<std::uint64_t>(handle) & kAddressMask);
  }

  Slot* take() {
    const std::lock_guard lock(mutex_);
    if (free_ == nullptr) {
      // Zero bytes are a valid, empty slot: the head's members are all trivially zero.
      auto* slots = static_cast<Slot*>(map_slab(kSlabBytes));
      for (std::size_t i = 0; i < kSlabBytes / sizeof(Slot); ++i) {
        slots[i].next_free = free_;
        free_ = &slots[i];
      }
    }
    return std::exchange(free_, free_->next_free);
  }

  void give_back(Slot* slot) noexcept {
    const std::lock_guard lock(mutex_);
    slot->next_free = free_;
    free_ = slot;
  }

  std::mutex mutex_;
  Slot* free_ = nullptr;
};

// The pool of a type. Never destroyed: handles may be released by static destructors.
template <class T>
SlotPool<T>& pool() {
  static SlotPool<T>& instance = *new SlotPool<T>;
  return instance;
}

// Why a handle was refused: NULL, released, another kind, or a forked process. Records the error.
[[gnu::cold, gnu::noinline]] collet_status_t refuse_handle(const char* function, const void* handle,
                                                           Kind expected) noexcept;

const char* kind_name(Kind kind) noexcept;

}  // namespace collet::loader
