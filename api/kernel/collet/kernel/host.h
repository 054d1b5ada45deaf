/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The portable kernel language on the host: C++17 by gcc or clang.
 *
 * A kernel becomes a function that runs one work-group. A block is a loop over the items of the
 * group, which the compiler vectorises since items of one block do not depend on each other; a
 * barrier is the end of a loop. The shared object exports collet_host_module_v1(), whose table is
 * made from the kernels' signatures.
 */
#ifndef COLLET_KERNEL_HOST_H
#define COLLET_KERNEL_HOST_H

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "collet-c on the host is compiled as C++17 or later: g++ -std=c++17 -x c++ file.clt"
#endif
#ifdef __FAST_MATH__
#error "collet-c means what it says: leave out -ffast-math and -Ofast"
#endif

#include <collet/host_kernel.h>

#include <math.h>
#include <string.h>

#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

typedef int8_t collet_int8_t;
typedef int16_t collet_int16_t;
typedef int32_t collet_int32_t;
typedef int64_t collet_int64_t;
typedef uint8_t collet_uint8_t;
typedef uint16_t collet_uint16_t;
typedef uint32_t collet_uint32_t;
typedef uint64_t collet_uint64_t;

namespace collet::host_kernel {

/** The size of a group that is part of its kernel. */
template <int X, int Y, int Z>
struct FixedSize {
  static_assert(X > 0 && Y > 0 && Z > 0, "a group has at least one item along each axis");
  static constexpr uint32_t kRequired[3] = {X, Y, Z};
  static constexpr int kItems = X * Y * Z;

  explicit FixedSize(const collet_host_group_t &) {}
  static constexpr int size(int axis) { return axis == 0 ? X : axis == 1 ? Y : Z; }
  static constexpr int items() { return kItems; }
};

/** The size of a group as the launch has it. */
struct AnySize {
  static constexpr uint32_t kRequired[3] = {0, 0, 0};
  static constexpr int kItems = 0;

  explicit AnySize(const collet_host_group_t &place)
      : sizes{static_cast<int>(place.group[0]), static_cast<int>(place.group[1]),
              static_cast<int>(place.group[2])} {}
  int size(int axis) const { return sizes[axis]; }
  int items() const { return sizes[0] * sizes[1] * sizes[2]; }

  int sizes[3];
};

/** Where the group stands that a kernel runs for. */
template <class Size>
struct Group : Size {
  explicit Group(const collet_host_group_t &place)
      : Size(place),
        ids{place.group_id[0], place.group_id[1], place.group_id[2]},
        counts{place.grid[0], place.grid[1], place.grid[2]} {}

  size_t id(int axis) const { return ids[axis]; }
  size_t count(int axis) const { return counts[axis]; }
  /** Of this group, counted along x, then y, then z. */
  size_t index() const { return (ids[2] * counts[1] + ids[1]) * counts[0] + ids[0]; }
  size_t item_count() const { return static_cast<size_t>(this->items()); }
  size_t grid_count() const { return counts[0] * counts[1] * counts[2]; }

  size_t ids[3];
  size_t counts[3];
};

/**
 * What every block begins with. `Around` is what stands around it under the same name: the function
 * collet_block() in a kernel, another block where blocks are nested.
 */
template <class Around>
class Block {
 public:
  static_assert(std::is_function_v<Around>,
                "a block stands in a kernel's uniform code, not inside another block");

  Block() = default;
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  /** Throwing is how a kernel fails its launch. */
  ~Block() noexcept(false) {
    if (!done_) throw std::logic_error("a block is left by return or goto");
  }

 protected:
  bool done_ = false;
};

/** COLLET_ITEMS: rows of items along x, for each y and z. */
template <class Group, class Around>
class Items : Block<Around> {
 public:
  explicit Items(const Group &group) : group_(group) {}
  bool more() {
    this->done_ = z_ == group_.size(2);
    return !this->done_;
  }
  void next() {
    row_ += group_.size(0);
    if (++y_ < group_.size(1)) return;
    y_ = 0;
    ++z_;
  }
  int width() const { return group_.size(0); }

  int id(std::integral_constant<int, 0>, int x) const { return x; }
  int id(std::integral_constant<int, 1>, int) const { return y_; }
  int id(std::integral_constant<int, 2>, int) const { return z_; }
  int index(int x) const { return row_ + x; }

 private:
  const Group &group_;
  int y_ = 0;
  int z_ = 0;
  int row_ = 0;
};

/** COLLET_ITEMS_BELOW: one row of the first items. */
template <class Around>
class FirstItems : Block<Around> {
 public:
  FirstItems(int items, size_t below)
      : width_(below < static_cast<size_t>(items) ? static_cast<int>(below) : items) {}
  bool more() const { return !this->done_; }
  void next() { this->done_ = true; }
  int width() const { return width_; }
  int index(int x) const { return x; }

 private:
  int width_;
};

/**
 * COLLET_EACH: a part of the range for each group, in rows. Parts that are whole, and end at cache
 * lines, keep the caches of processors apart.
 */
template <class Around>
class Each : Block<Around> {
 public:
  template <class Group>
  Each(const Group &group, size_t count) : items_(group.item_count()) {
    constexpr size_t kLine = 64;
    const size_t share = (count + group.grid_count() - 1) / group.grid_count();
    const size_t part = (share + kLine - 1) / kLine * kLine;
    next_ = group.index() * part < count ? group.index() * part : count;
    end_ = part < count - next_ ? next_ + part : count;
  }
  bool more() {
    this->done_ = next_ >= end_;
    return !this->done_;
  }
  void next() { next_ += items_ < end_ - next_ ? items_ : end_ - next_; }
  int width() const { return static_cast<int>(end_ - next_ < items_ ? end_ - next_ : items_); }
  size_t value(int x) const { return next_ + static_cast<size_t>(x); }
  int index(int x) const { return x; }

 private:
  size_t items_;
  size_t next_;
  size_t end_;
};

/** A value, or `Count` of them, of each item; the values of neighbours lie side by side. */
template <class T, int Count, class Group, bool Fixed = Group::kItems != 0>
class Private {
 public:
  explicit Private(const Group &) {}
  T &at(int which, int item) { return values_[which][item]; }

 private:
  alignas(64) T values_[Count][Group::kItems];
};

template <class T, int Count, class Group>
class Private<T, Count, Group, false> {
 public:
  explicit Private(const Group &group)
      : items_(group.item_count()), values_(new T[Count * items_]) {}
  T &at(int which, int item) {
    return values_[static_cast<size_t>(which) * items_ + static_cast<size_t>(item)];
  }

 private:
  size_t items_;
  std::unique_ptr<T[]> values_;
};

/** Local memory whose size the launch gives. */
template <class T>
class LocalArgument {
 public:
  explicit LocalArgument(void *memory) : memory_(static_cast<T *>(memory)) {}
  operator T *() const { return memory_; }

 private:
  T *memory_;
};

template <class T>
struct Argument {
  static_assert(std::is_trivially_copyable_v<T>, "a kernel takes values that are plain bytes");
  static_assert(sizeof(T) <= COLLET_MAX_SCALAR_BYTES, "too large for one argument of a kernel");
  static constexpr collet_argument_kind_t kKind = COLLET_ARGUMENT_SCALAR;
  static constexpr uint32_t kSize = sizeof(T);
  static T get(void *pointer) { return *static_cast<const T *>(pointer); }
};
template <class T>
struct Argument<T *> {
  static constexpr collet_argument_kind_t kKind = COLLET_ARGUMENT_BUFFER;
  static constexpr uint32_t kSize = 0;
  static T *get(void *pointer) { return static_cast<T *>(pointer); }
};
template <class T>
struct Argument<LocalArgument<T>> {
  static constexpr collet_argument_kind_t kKind = COLLET_ARGUMENT_LOCAL;
  static constexpr uint32_t kSize = 0;
  static LocalArgument<T> get(void *pointer) { return LocalArgument<T>(pointer); }
};

/** The entry of a kernel in the module's table. */
template <auto Body>
struct Entry;
template <class Size, class... Arguments, void (*Body)(Group<Size>, Arguments...)>
struct Entry<Body> {
  static_assert(sizeof...(Arguments) > 0, "a kernel without arguments changes nothing");
  static_assert(sizeof...(Arguments) <= COLLET_MAX_KERNEL_ARGUMENTS, "too many arguments");
  static constexpr collet_argument_kind_t kKinds[] = {Argument<Arguments>::kKind...};
  static constexpr uint32_t kSizes[] = {Argument<Arguments>::kSize...};

  static void run(const collet_host_group_t *group, void *const *arguments) {
    run(*group, arguments, std::index_sequence_for<Arguments...>());
  }
  static constexpr collet_host_kernel_t make(const char *name) {
    return {name,
            run,
            sizeof...(Arguments),
            {Size::kRequired[0], Size::kRequired[1], Size::kRequired[2]},
            kKinds,
            kSizes};
  }

 private:
  template <size_t... Index>
  static void run(const collet_host_group_t &group, void *const *arguments,
                  std::index_sequence<Index...>) {
    Body(Group<Size>(group), Argument<Arguments>::get(arguments[Index])...);
  }
};

}  // namespace collet::host_kernel

/** Outside of blocks the name is this function's; a block hides it by itself. */
inline void collet_block() {}

/* The linker lays all entries side by side, and knows where they begin and end. */
extern "C" {
extern const collet_host_kernel_t __start_collet_kernels[]
    __attribute__((weak, visibility("hidden")));
extern const collet_host_kernel_t __stop_collet_kernels[]
    __attribute__((weak, visibility("hidden")));

__attribute__((weak, visibility("default"))) const collet_host_module_t *collet_host_module_v1(
    void) {
  static const collet_host_module_t module = {
      sizeof(collet_host_module_t), sizeof(collet_host_kernel_t),
      static_cast<uint32_t>(__stop_collet_kernels - __start_collet_kernels), 0,
      __start_collet_kernels};
  return &module;
}
}

/* clang reports loops that it was told to vectorise and could not; that a block is such a loop
 * is nothing that its author can change. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define COLLET_HOST_SIMD _Pragma("clang loop vectorize(assume_safety)")
#else
#define COLLET_HOST_SIMD _Pragma("GCC ivdep")
#endif

#define COLLET_KERNEL(name, ...) \
  COLLET_HOST_KERNEL(name, collet::host_kernel::Group<collet::host_kernel::AnySize>, __VA_ARGS__)
#define COLLET_KERNEL_SIZED(name, x, y, z, ...)                                  \
  using collet_group_of_##name =                                                 \
      collet::host_kernel::Group<collet::host_kernel::FixedSize<(x), (y), (z)>>; \
  COLLET_HOST_KERNEL(name, collet_group_of_##name, __VA_ARGS__)
/*
 * Not inlined, so that what `restrict` says about the parameters is not lost. An alignment that is
 * asked for keeps the compiler from a larger one, which would leave gaps between the entries.
 */
#define COLLET_HOST_KERNEL(name, group, ...)                                                \
  __attribute__((noinline)) static void name(group, __VA_ARGS__);                           \
  __attribute__((section("collet_kernels"), used,                                           \
                 aligned(alignof(collet_host_kernel_t)))) static const collet_host_kernel_t \
      collet_entry_of_##name = collet::host_kernel::Entry<&name>::make(#name);              \
  static void name([[maybe_unused]] group collet_group, __VA_ARGS__)

#define COLLET_GLOBAL(type) type *
#define COLLET_LOCAL(type) type *
#define COLLET_IN(type) const type *__restrict
#define COLLET_OUT(type) type *__restrict
#define COLLET_LOCAL_ARGUMENT(type) const collet::host_kernel::LocalArgument<type>
#define COLLET_LOCAL_ARRAY(type, name, dimensions) alignas(64) type name dimensions

#define COLLET_PRIVATE(type, name) COLLET_PRIVATE_ARRAY(type, name, 1)
#define COLLET_PRIVATE_ARRAY(type, name, count) \
  collet::host_kernel::Private<type, (count), decltype(collet_group)> name(collet_group)
#define COLLET_MY(name) COLLET_MY_AT(name, 0)
#define COLLET_MY_AT(name, which) name.at(which, COLLET_LOCAL_INDEX)

#define COLLET_FUNCTION static inline __attribute__((unused))
#define COLLET_CONSTANT static const
#define COLLET_UNROLL _Pragma("GCC unroll 16")

/*
 * A block runs once for each item, and the innermost loop makes `continue` end the item. Everything
 * up to the name in the declaration of collet_block means what stands around the block.
 */
#define COLLET_HOST_ONCE for (bool collet_once = true; collet_once; collet_once = false)
#define COLLET_ITEMS                                                                            \
  for (collet::host_kernel::Items<decltype(collet_group), decltype(collet_block)> collet_block( \
           collet_group);                                                                       \
       collet_block.more(); collet_block.next())                                                \
  COLLET_HOST_ROW COLLET_HOST_ONCE
#define COLLET_ITEMS_BELOW(count)                                            \
  for (collet::host_kernel::FirstItems<decltype(collet_block)> collet_block( \
           collet_group.items(), static_cast<size_t>(count));                \
       collet_block.more(); collet_block.next())                             \
  COLLET_HOST_ROW COLLET_HOST_ONCE
#define COLLET_EACH(name, count)                                                                   \
  for (collet::host_kernel::Each<decltype(collet_block)> collet_block(collet_group,                \
                                                                      static_cast<size_t>(count)); \
       collet_block.more(); collet_block.next())                                                   \
  COLLET_HOST_ROW for (size_t name = collet_block.value(collet_x), collet_once = 1; collet_once;   \
                       collet_once = 0)
#define COLLET_HOST_ROW \
  COLLET_HOST_SIMD for (int collet_x = 0; collet_x < collet_block.width(); ++collet_x)

#define COLLET_BARRIER                                                     \
  do {                                                                     \
    static_assert(std::is_function_v<decltype(collet_block)>,              \
                  "COLLET_BARRIER stands between blocks, not inside one"); \
  } while (0)

#define COLLET_LOCAL_ID(axis) collet_block.id(std::integral_constant<int, (axis)>(), collet_x)
#define COLLET_LOCAL_INDEX collet_block.index(collet_x)
#define COLLET_LOCAL_SIZE(axis) collet_group.size(axis)
#define COLLET_GROUP_ID(axis) collet_group.id(axis)
#define COLLET_GROUP_COUNT(axis) collet_group.count(axis)
#define COLLET_GLOBAL_ID(axis)                                            \
  (COLLET_GROUP_ID(axis) * static_cast<size_t>(COLLET_LOCAL_SIZE(axis)) + \
   static_cast<size_t>(COLLET_LOCAL_ID(axis)))
#define COLLET_GLOBAL_SIZE(axis) \
  (COLLET_GROUP_COUNT(axis) * static_cast<size_t>(COLLET_LOCAL_SIZE(axis)))

#include <collet/kernel/host_numbers.h>

#endif
