// SPDX-License-Identifier: Apache-2.0
#include "memory/history_file.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "text.hpp"

namespace collet::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestHead = std::size_t{256} << 20;
constexpr std::size_t kLongestEvent = 1024;
constexpr std::size_t kMostEvents = std::size_t{1} << 25;
constexpr std::uint64_t kGreatest = INT64_MAX;
constexpr std::size_t kEventFields = 10;
// More than the library has.
constexpr std::size_t kMostPools = 1024;
constexpr std::size_t kMostTags = 8192;

constexpr std::array<std::string_view, 6> kKinds = {"segment_alloc",  "segment_free",   "alloc",
                                                    "free_requested", "free_completed", "oom"};

[[noreturn]] void fail(const std::string& text) { throw MalformedHistory(text); }

// A line without its end; false at the end of the stream.
bool read_line(std::istream& stream, std::size_t longest, std::string& line) {
  line.clear();
  std::streambuf& from = *stream.rdbuf();
  for (int c = from.sbumpc(); c != std::streambuf::traits_type::eof(); c = from.sbumpc()) {
    if (c == '\n') {
      return true;
    }
    if (line.size() == longest) {
      fail("is longer than " + std::to_string(longest) + " bytes");
    }
    line += static_cast<char>(c);
  }
  return !line.empty();
}

Json parse(const std::string& line) {
  try {
    return Json::parse(line);
  } catch (const Json::exception&) {
    fail("is no JSON");
  }
}

std::uint64_t number(const Json& json, std::uint64_t most, const char* what) {
  if (!json.is_number_integer() || (!json.is_number_unsigned() && json.get<std::int64_t>() < 0)) {
    fail(std::string(what) + " is no whole number of at least 0");
  }
  const auto value = json.get<std::uint64_t>();
  if (value > most) {
    fail(std::string(what) + " is " + std::to_string(value) + ", and may be " +
         std::to_string(most) + " at most");
  }
  return value;
}

const Json& member(const Json& json, const char* name) {
  if (!json.is_object()) {
    fail("has something else where an object is to be");
  }
  const auto found = json.find(name);
  if (found == json.end()) {
    fail("lacks \"" + std::string(name) + "\"");
  }
  return *found;
}

std::uint64_t number_at(const Json& json, const char* name) {
  return number(member(json, name), kGreatest, name);
}

std::string text_at(const Json& json, const char* name) {
  const Json& text = member(json, name);
  if (!text.is_string()) {
    fail("\"" + std::string(name) + "\" is no text");
  }
  return clean(text.get_ref<const std::string&>());
}

const Json& list_at(const Json& json, const char* name, std::size_t most = SIZE_MAX) {
  const Json& list = member(json, name);
  if (!list.is_array()) {
    fail("\"" + std::string(name) + "\" is no list");
  }
  if (list.size() > most) {
    fail("\"" + std::string(name) + "\" has more than " + std::to_string(most) + " entries");
  }
  return list;
}

void read_stacks(const Json& head, History& history) {
  for (const Json& frame : list_at(head, "frames")) {
    history.frames.push_back(
        {text_at(frame, "module"), number_at(frame, "offset"), text_at(frame, "function"), {}});
  }
  history.stacks.emplace_back();
  for (const Json& stack : list_at(head, "stacks")) {
    if (!stack.is_array()) {
      fail("has a stack that is no list");
    }
    std::vector<std::size_t>& calls = history.stacks.emplace_back();
    for (const Json& frame : stack) {
      if (history.frames.empty()) {
        fail("has a stack without frames");
      }
      calls.push_back(number(frame, history.frames.size() - 1, "a frame"));
    }
  }
}

void read_head(const std::string& line, History& history) {
  const Json head = parse(line);
  if (text_at(head, "format") != "collet memory history") {
    fail("is not that of a history of memory");
  }
  if (const std::uint64_t version = number_at(head, "version"); version != 1) {
    fail("is of version " + std::to_string(version) + ", and this program knows version 1");
  }
  history.program = text_at(head, "program");
  history.process = static_cast<std::int64_t>(number_at(head, "process"));
  history.started_unix_ms = static_cast<std::int64_t>(number_at(head, "started_unix_ms"));
  history.forgotten_events = number_at(head, "forgotten_events");
  history.lost_events = number_at(head, "lost_events");
  history.baseline_events = number_at(head, "baseline_events");
  for (const Json& pool : list_at(head, "pools", kMostPools)) {
    history.pools.push_back({text_at(pool, "device"), text_at(pool, "name"),
                             text_at(pool, "allocator"), text_at(pool, "kind")});
  }
  for (const Json& stream : list_at(head, "streams")) {
    history.streams.emplace(number(member(stream, "number"), UINT32_MAX, "number"),
                            text_at(stream, "label"));
  }
  history.tags.emplace_back("(no tag)");
  for (const Json& tag : list_at(head, "tags", kMostTags)) {
    if (!tag.is_string()) {
      fail("has a tag that is no text");
    }
    history.tags.push_back(clean(tag.get_ref<const std::string&>()));
  }
  read_stacks(head, history);
}

HistoryEvent read_event(const std::string& line, const History& history) {
  const Json json = parse(line);
  if (!json.is_array() || json.size() != kEventFields || !json[0].is_string()) {
    fail("is no list of a kind and " + std::to_string(kEventFields - 1) + " numbers");
  }
  const auto kind = std::find(kKinds.begin(), kKinds.end(), json[0].get_ref<const std::string&>());
  if (kind == kKinds.end()) {
    fail("is of no kind that is known");
  }
  if (history.pools.empty()) {
    fail("is of a pool that is not there");
  }
  HistoryEvent event;
  event.kind = static_cast<HistoryKind>(kind - kKinds.begin());
  event.time_ns = static_cast<std::int64_t>(number(json[1], kGreatest, "the time"));
  event.pool = number(json[2], history.pools.size() - 1, "the pool");
  event.segment = number(json[3], kGreatest, "the segment");
  event.offset_bytes = number(json[4], kGreatest / 2, "the offset");
  event.size_bytes = number(json[5], kGreatest / 2, "the size");
  event.requested_bytes = number(json[6], kGreatest, "the size asked for");
  event.stream = static_cast<std::uint32_t>(number(json[7], UINT32_MAX, "the stream"));
  event.tag = number(json[8], history.tags.size() - 1, "the tag");
  event.stack = number(json[9], history.stacks.size() - 1, "the stack");
  const std::size_t at = history.events.size();
  if (at != 0 && at != history.baseline_events && history.events.back().time_ns > event.time_ns) {
    fail("is earlier than the one before");
  }
  return event;
}

}  // namespace

History read_history(std::istream& stream) {
  History history;
  std::string line;
  std::size_t count = 1;
  try {
    if (!read_line(stream, kLongestHead, line)) {
      fail("is missing");
    }
    read_head(line, history);
    for (++count; read_line(stream, kLongestEvent, line); ++count) {
      if (history.events.size() == kMostEvents) {
        fail("is one more than the " + std::to_string(kMostEvents) + " that can be shown");
      }
      history.events.push_back(read_event(line, history));
    }
  } catch (const MalformedHistory& error) {
    throw MalformedHistory("line " + std::to_string(count) + " " + error.what());
  }
  if (history.baseline_events > history.events.size()) {
    throw MalformedHistory("line " + std::to_string(count) + " is missing");
  }
  return history;
}

}  // namespace collet::cli
