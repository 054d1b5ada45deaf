// SPDX-License-Identifier: Apache-2.0
//
// Runs kernels of kernels/*.clt wherever the test program runs them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace collet::test {

// An argument of a launch, made of what is given. What it refers to must outlive the launch.
// NOLINTBEGIN(google-explicit-constructor)
class KernelArgument {
 public:
  // A buffer, read back after the launch.
  template <class T>
  KernelArgument(std::vector<T>& values) : value_(std::as_writable_bytes(std::span(values))) {}
  // A buffer that the kernel must leave as it is.
  template <class T>
  KernelArgument(const std::vector<T>& values) : value_(std::as_bytes(std::span(values))) {}
  // A value.
  template <class T>
  requires std::is_arithmetic_v<T> KernelArgument(const T& value)
      : value_(Bytes(reinterpret_cast<const std::byte*>(&value),
                     reinterpret_cast<const std::byte*>(&value + 1))) {}
  static KernelArgument local(std::size_t size_bytes) { return KernelArgument(Local{size_bytes}); }

  using Bytes = std::vector<std::byte>;
  struct Local {
    std::size_t size_bytes;
  };
  using Value = std::variant<std::span<std::byte>, std::span<const std::byte>, Bytes, Local>;
  [[nodiscard]] const Value& value() const { return value_; }

 private:
  explicit KernelArgument(Local local) : value_(local) {}

  Value value_;
};

// NOLINTEND(google-explicit-constructor)

struct KernelShape {
  std::array<std::size_t, 3> groups;
  std::array<std::size_t, 3> items;
};

class Runner {
 public:
  Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;

  // Which device, and which build of the kernels.
  [[nodiscard]] virtual std::string name() const = 0;
  // Launches a kernel of `<file>.clt`, and waits for it. Throws where anything fails, and where the
  // kernel has written outside of its buffers or to a constant one.
  virtual void launch(const std::string& file, const std::string& kernel, const KernelShape& shape,
                      std::initializer_list<KernelArgument> arguments) = 0;
};

// All runners that the test program has.
[[nodiscard]] const std::vector<std::unique_ptr<Runner>>& runners();

// Groups of `items` along x.
inline KernelShape line(std::size_t groups, std::size_t items) {
  return {{groups, 1, 1}, {items, 1, 1}};
}

// As many groups along x as it takes for `count` items.
inline KernelShape line_of(std::size_t count, std::size_t items) {
  return line((count + items - 1) / items, items);
}

}  // namespace collet::test
