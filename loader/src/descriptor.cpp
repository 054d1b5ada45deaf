// SPDX-License-Identifier: Apache-2.0
#include "descriptor.hpp"

#include <cstdio>

namespace collet::loader {
namespace {

// A chain this long is a loop, or rubbish.
constexpr int kLongestChain = 64;

[[noreturn]] void invalid(const char* name, const std::string& what) {
  throw Error(COLLET_ERROR_INVALID_ARGUMENT, std::string(name) + ": " + what);
}

}  // namespace

void check_head(const collet_struct_t& head, collet_struct_type_t type, std::size_t size_1_0,
                const char* name) {
  const std::uint32_t given = number_of(head.type);
  if (given != static_cast<std::uint32_t>(type)) {
    invalid(name, "its type is " + std::to_string(given) + ", not " + std::to_string(type) +
                      "; initialise it with the struct's _INIT macro");
  }
  if (head.struct_size < size_1_0) {
    invalid(name, "its struct_size is " + std::to_string(head.struct_size) + ", less than the " +
                      std::to_string(size_1_0) +
                      " of ABI 1.0; initialise it with the struct's _INIT macro");
  }
  int length = 0;
  for (const collet_struct_t* next = head.next; next != nullptr; next = next->next) {
    const std::uint32_t bits = number_of(next->type);
    if ((bits & COLLET_STRUCT_IGNORABLE) == 0) {
      invalid(name, "a struct of type " + std::to_string(bits) +
                        " is chained to it, which this version of Collet does not know");
    }
    if (++length > kLongestChain) {
      invalid(name, "its chain of structs does not end");
    }
  }
}

void check_reserved(std::uint32_t field, const char* name) {
  if (field != 0) {
    invalid(name, "its field `reserved` is " + std::to_string(field) +
                      ", and must be 0; initialise it with the struct's _INIT macro");
  }
}

void check_flags(std::uint32_t flags, std::uint32_t known, const char* name) {
  if ((flags & ~known) != 0) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%x", flags & ~known);
    throw Error(COLLET_ERROR_INVALID_ARGUMENT, std::string(name) + ": unknown flag " + text);
  }
}

}  // namespace collet::loader
