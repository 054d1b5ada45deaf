// SPDX-License-Identifier: Apache-2.0
// Values as bytes, for readers of the same build: what a probe answers, and what is remembered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace collet::loader {

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }

  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

// Bytes that are not what a writer has written.
class BadBytes : public std::runtime_error {
 public:
  BadBytes() : std::runtime_error("the bytes are cut off or damaged") {}
};

// Reads in the order of the writes. Throws BadBytes past the end, and trusts no length.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) noexcept : rest_(bytes) {}

  template <class T>
  [[nodiscard]] T get() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_enum_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  [[nodiscard]] std::string_view get_text() { return take(get<std::uint32_t>()); }

  [[nodiscard]] std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      throw BadBytes();
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  [[nodiscard]] std::size_t size() const noexcept { return rest_.size(); }

 private:
  std::string_view rest_;
};

}  // namespace collet::loader
