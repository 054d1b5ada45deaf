// SPDX-License-Identifier: Apache-2.0
/** Shared ownership by a count inside the object. */
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace collet::plugin {

/** Base of an object that deletes itself with its last reference; it is born with one. */
template <class Object>
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain(std::uint32_t references = 1) const noexcept {
    count_.fetch_add(references, std::memory_order_relaxed);
  }

  void release(std::uint32_t references = 1) const noexcept {
    if (count_.fetch_sub(references, std::memory_order_acq_rel) == references) {
      delete static_cast<const Object*>(this);
    }
  }

 protected:
  ~RefCounted() = default;

 private:
  mutable std::atomic<std::uint32_t> count_{1};
};

/** Holds one reference. */
template <class Object>
class Ref {
 public:
  Ref() = default;
  /** Takes a further reference. */
  explicit Ref(Object* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  /** Takes over the caller's reference. */
  static Ref adopt(Object* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }

  Ref(const Ref& other) noexcept : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete): it does not see who else counts
    if (object_ != nullptr) object_->release();
  }

  /** Gives the reference to the caller. */
  [[nodiscard]] Object* detach() noexcept { return std::exchange(object_, nullptr); }

  [[nodiscard]] Object* get() const noexcept { return object_; }
  Object* operator->() const noexcept { return object_; }
  Object& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Object* object_ = nullptr;
};

template <class Object, class... Arguments>
[[nodiscard]] Ref<Object> make_ref(Arguments&&... arguments) {
  return Ref<Object>::adopt(new Object(std::forward<Arguments>(arguments)...));
}

/**
 * A reference that threads read and replace at the same time, without a lock.
 *
 * The word holds the pointer and, above it, the number of readers that have seen it and not yet
 * counted themselves in the object. The slot has more references than there can be such readers.
 * Who replaces the pointer drops all but one for each of them; a reader that finds its pointer
 * gone so has a reference already.
 */
template <class Object>
class RefSlot {
 public:
  RefSlot() = default;
  RefSlot(const RefSlot&) = delete;
  RefSlot& operator=(const RefSlot&) = delete;
  ~RefSlot() { set({}); }

  /** Whether there is no object, at the cost of one load. */
  [[nodiscard]] bool empty() const noexcept {
    return pointer(word_.load(std::memory_order_acquire)) == nullptr;
  }

  [[nodiscard]] Ref<Object> get() const noexcept {
    if (empty()) return {};
    std::uint64_t seen = word_.fetch_add(kReader, std::memory_order_acq_rel) + kReader;
    Object* const object = pointer(seen);
    if (object != nullptr) object->retain();
    while (pointer(seen) == object && readers(seen) > 0) {
      if (word_.compare_exchange_weak(seen, seen - kReader, std::memory_order_acq_rel)) {
        return Ref<Object>::adopt(object);
      }
    }
    // Not the last one: the slot has left one for this reader.
    if (object != nullptr) object->release();
    return Ref<Object>::adopt(object);  // NOLINT(clang-analyzer-cplusplus.NewDelete)
  }

  void set(Ref<Object> next) noexcept {
    if (next) next->retain(kShare - 1);
    const std::uint64_t old =
        word_.exchange(reinterpret_cast<std::uint64_t>(next.detach()), std::memory_order_acq_rel);
    if (Object* const object = pointer(old)) object->release(kShare - readers(old));
  }

 private:
  // Linux gives no addresses above 48 bits to a process that does not ask for them.
  static constexpr unsigned kPointerBits = 48;
  static constexpr std::uint64_t kReader = std::uint64_t{1} << kPointerBits;
  static constexpr std::uint32_t kShare = std::uint32_t{1} << 16;

  static Object* pointer(std::uint64_t word) noexcept {
    return reinterpret_cast<Object*>(word & (kReader - 1));
  }
  static std::uint32_t readers(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> kPointerBits);
  }

  mutable std::atomic<std::uint64_t> word_{0};
};

}  // namespace collet::plugin
