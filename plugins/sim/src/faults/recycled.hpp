// SPDX-License-Identifier: Apache-2.0
/** Objects whose addresses are given again at once, on request. */
#pragma once

#include <cstddef>
#include <mutex>
#include <new>

namespace collet::sim {

/**
 * Base of an object that is allocated by `new`. After recycle(), the memory of the one that was
 * deleted last is that of the next one: who takes an address for an identity is mistaken soon.
 */
template <class Object>
class Recycled {
 public:
  /** Before the first object is made. */
  static void recycle() noexcept { is_on = true; }

  static void* operator new(std::size_t size) {
    const std::lock_guard lock(mutex);
    if (last == nullptr) return ::operator new(size);
    Place* const place = last;
    last = place->before;
    return place;
  }

  static void operator delete(void* memory) noexcept {
    if (!is_on) return ::operator delete(memory);
    const std::lock_guard lock(mutex);
    last = new (memory) Place{last};
  }

 private:
  friend Object;

  Recycled() = default;

  struct Place {
    Place* before;
  };

  static inline bool is_on = false;
  static inline std::mutex mutex;
  static inline Place* last = nullptr;
};

}  // namespace collet::sim
