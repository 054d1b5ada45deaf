// SPDX-License-Identifier: Apache-2.0
// Reading and writing versioned structs (collet_struct_t) of the caller.
#pragma once

#include <collet/base.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "error.hpp"

namespace collet::loader {

// The number that a caller wrote into a field of an enumeration. Read as bytes: to load what is no
// value of the enumeration is undefined.
template <class Enum>
[[nodiscard]] std::uint32_t number_of(const Enum& field) noexcept {
  static_assert(std::is_enum_v<Enum> && sizeof(Enum) == sizeof(std::uint32_t));
  std::uint32_t number = 0;
  std::memcpy(&number, &field, sizeof number);
  return number;
}

// Throws INVALID_ARGUMENT for a wrong type, a size below that of ABI 1.0, or a chained struct that
// is neither known nor ignorable.
void check_head(const collet_struct_t& head, collet_struct_type_t type, std::size_t size_1_0,
                const char* name);

// Throws INVALID_ARGUMENT if a field that a later version may give a meaning is not 0.
void check_reserved(std::uint32_t field, const char* name);

// A copy of the caller's descriptor; a tail that the caller does not have is zero.
template <class T>
[[nodiscard]] T read_descriptor(const T* descriptor, collet_struct_type_t type, const char* name) {
  static_assert(std::is_trivially_copyable_v<T>);
  require(descriptor, name);
  check_head(descriptor->base, type, sizeof(T), name);
  T copy{};
  std::memcpy(&copy, descriptor, std::min<std::size_t>(sizeof(T), descriptor->base.struct_size));
  if constexpr (requires { copy.reserved; }) {
    check_reserved(copy.reserved, name);
  }
  return copy;
}

// The same where NULL means all defaults.
template <class T>
[[nodiscard]] T read_optional(const T* descriptor, collet_struct_type_t type, const char* name) {
  return descriptor == nullptr ? T{} : read_descriptor(descriptor, type, name);
}

// Checks a struct that is to be filled, and zeroes all but its head.
template <class T>
void prepare_out(T* out, collet_struct_type_t type, const char* name) {
  static_assert(std::is_trivially_copyable_v<T>);
  require(out, name);
  check_head(out->base, type, sizeof(T), name);
  std::memset(reinterpret_cast<char*>(out) + sizeof(collet_struct_t), 0,
              std::min<std::size_t>(sizeof(T), out->base.struct_size) - sizeof(collet_struct_t));
}

// Writes all but the head, at most as much as the caller's struct holds.
template <class T>
void write_out(const T& value, T* out) {
  std::memcpy(reinterpret_cast<char*>(out) + sizeof(collet_struct_t),
              reinterpret_cast<const char*>(&value) + sizeof(collet_struct_t),
              std::min<std::size_t>(sizeof(T), out->base.struct_size) - sizeof(collet_struct_t));
}

// Ends a text of a plugin, which may have forgotten to.
template <std::size_t N>
void terminate(char (&text)[N]) noexcept {
  text[N - 1] = '\0';
}

// Throws INVALID_ARGUMENT if `flags` has a bit outside `known`.
void check_flags(std::uint32_t flags, std::uint32_t known, const char* name);

}  // namespace collet::loader
