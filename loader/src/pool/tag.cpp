// SPDX-License-Identifier: Apache-2.0
#include "pool/tag.hpp"

#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

namespace collet::loader {
namespace {

// A program that makes a name of a number would fill the host's memory otherwise.
constexpr std::size_t kMostTags = 4096;
constexpr std::size_t kLongestName = 256;

struct Tags {
  std::shared_mutex mutex;
  // The keys are the names in the tags.
  std::unordered_map<std::string_view, const Tag*> by_name;
};

// Never destroyed: memory may be released by static destructors.
Tags& tags() {
  static Tags& instance = *new Tags;
  return instance;
}

const Tag* other_tag() {
  static const Tag& other = *new Tag{"(other tags)"};
  return &other;
}

const Tag* add(std::string_view name) {
  const std::unique_lock lock(tags().mutex);
  if (const auto known = tags().by_name.find(name); known != tags().by_name.end()) {
    return known->second;
  }
  if (tags().by_name.size() == kMostTags) {
    return other_tag();
  }
  auto* tag = new Tag{std::string(name)};
  tags().by_name.emplace(tag->name, tag);
  return tag;
}

}  // namespace

const Tag* tag_of(const char* name) noexcept {
  if (name == nullptr || name[0] == '\0') {
    return nullptr;
  }
  const std::string_view text(name, strnlen(name, kLongestName));
  try {
    {
      const std::shared_lock lock(tags().mutex);
      if (const auto known = tags().by_name.find(text); known != tags().by_name.end()) {
        return known->second;
      }
    }
    return add(text);
  } catch (...) {
    // A name is no reason to refuse memory.
    return nullptr;
  }
}

}  // namespace collet::loader
