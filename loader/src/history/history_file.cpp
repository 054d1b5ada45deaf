// SPDX-License-Identifier: Apache-2.0
#include "history/history_file.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "call_site.hpp"
#include "environment.hpp"
#include "error.hpp"
#include "log.hpp"
#include "pool/kind_name.hpp"
#include "process.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 6> kEvents = {"segment_alloc",  "segment_free",   "alloc",
                                                "free_requested", "free_completed", "oom"};

Json frame_json(const void* address) {
  const CallSite site = call_site_of(address);
  return {{"module", site.module}, {"offset", site.offset}, {"function", site.function}};
}

// Names by number, in the order of their first use.
class Numbers {
 public:
  std::size_t of(const void* thing) {
    const auto [place, is_new] = numbers_.emplace(thing, things_.size());
    if (is_new) {
      things_.push_back(thing);
    }
    return place->second;
  }
  [[nodiscard]] const std::vector<const void*>& things() const noexcept { return things_; }

 private:
  std::map<const void*, std::size_t> numbers_;
  std::vector<const void*> things_;
};

// Without the frames of this library on top: everybody knows that it allocates.
Json stacks_json(const std::vector<Stack>& stacks, Numbers& frames) {
  Json result = Json::array();
  for (const Stack& stack : stacks) {
    Json numbers = Json::array();
    for (const void* address : outer_calls(stack)) {
      numbers.push_back(frames.of(address));
    }
    result.push_back(std::move(numbers));
  }
  return result;
}

std::string head_text(const HistorySnapshot& history, const Numbers& tags) {
  Json pools = Json::array();
  for (const HistoryPool& pool : history.pools) {
    pools.push_back({{"device", pool.device},
                     {"name", pool.device_name},
                     {"allocator", pool.allocator},
                     {"kind", kMemoryKindNames[pool.kind]}});
  }
  Json streams = Json::array();
  for (const auto& [number, stream] : std::map(history.streams.begin(), history.streams.end())) {
    streams.push_back({{"number", number}, {"device", stream.device}, {"label", stream.label}});
  }
  Json names = Json::array();
  for (const void* tag : tags.things()) {
    names.push_back(static_cast<const Tag*>(tag)->name);
  }
  Numbers addresses;
  const Json stacks = stacks_json(history.stacks, addresses);
  Json frames = Json::array();
  for (const void* address : addresses.things()) {
    frames.push_back(frame_json(address));
  }
  const auto started =
      std::chrono::duration_cast<std::chrono::milliseconds>(history.started.time_since_epoch());
  const Json head = {{"format", "collet memory history"},
                     {"version", 1},
                     {"program", program_path()},
                     {"process", getpid()},
                     {"started_unix_ms", started.count()},
                     {"forgotten_events", history.forgotten_events},
                     {"lost_events", history.lost_events},
                     {"baseline_events", history.baseline.size()},
                     {"pools", pools},
                     {"streams", streams},
                     {"tags", names},
                     {"frames", frames},
                     {"stacks", stacks}};
  // Names are the host's, and may be no UTF-8.
  return head.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class File {
 public:
  explicit File(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wex")) {
    check(file_ != nullptr);
  }
  ~File() {
    if (file_ != nullptr) {
      std::fclose(file_);
      std::remove(path_.c_str());
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const std::string& line) {
    check(std::fwrite(line.data(), 1, line.size(), file_) == line.size());
  }
  // Gives it its name.
  void finish(const std::string& name) {
    check(std::fclose(std::exchange(file_, nullptr)) == 0);
    if (std::rename(path_.c_str(), name.c_str()) != 0) {
      const int reason = errno;
      std::remove(path_.c_str());
      errno = reason;
      check(false);
    }
  }

 private:
  void check(bool is_well) const {
    if (!is_well) {
      throw Error(COLLET_ERROR_IO,
                  "cannot write " + in_quotes(path_) + ": " + std::strerror(errno));
    }
  }

  const std::string path_;
  std::FILE* file_;
};

std::string event_text(const HistoryEvent& event, std::size_t tag) {
  std::array<char, 256> line{};
  const int length = std::snprintf(
      line.data(), line.size(), "[\"%s\",%lld,%u,%llu,%llu,%llu,%llu,%u,%zu,%u]\n",
      kEvents.at(static_cast<std::size_t>(event.kind)), static_cast<long long>(event.time_ns),
      event.pool, static_cast<unsigned long long>(event.segment),
      static_cast<unsigned long long>(event.offset_bytes),
      static_cast<unsigned long long>(event.size_bytes),
      static_cast<unsigned long long>(event.requested_bytes), event.stream, tag, event.stack);
  return {line.data(), static_cast<std::size_t>(length)};
}

std::string& path_at_exit() {
  static std::string& path = *new std::string;
  return path;
}

// Each process writes a file of its own where the name has "%p" for its number.
std::string with_process_id(std::string path) {
  if (const std::size_t place = path.find("%p"); place != std::string::npos) {
    path.replace(place, 2, std::to_string(getpid()));
  }
  return path;
}

void save_at_exit() noexcept {
  // A child has its parent's memory, and would write over the parent's file.
  if (forked()) {
    return;
  }
  try {
    save_history(MemoryHistory::instance().snapshot(), with_process_id(path_at_exit()));
  } catch (const Error& error) {
    log(COLLET_LOG_ERROR, "COLLET_MEMORY_HISTORY: " + error.message());
  } catch (...) {
    log(COLLET_LOG_ERROR, "COLLET_MEMORY_HISTORY: there is not enough memory to write the file");
  }
}

}  // namespace

void save_history(const HistorySnapshot& history, const std::string& path) {
  // Number 0 is for no tag.
  Numbers tags;
  const auto number_of_tag = [&tags](const HistoryEvent& event) {
    return event.tag == nullptr ? 0 : tags.of(event.tag) + 1;
  };
  for (const HistoryEvent& event : history.baseline) {
    number_of_tag(event);
  }
  for (const HistoryEvent& event : history.events) {
    number_of_tag(event);
  }
  File file(path + "." + std::to_string(getpid()) + ".part");
  file.write(head_text(history, tags) + "\n");
  for (const HistoryEvent& event : history.baseline) {
    file.write(event_text(event, number_of_tag(event)));
  }
  for (const HistoryEvent& event : history.events) {
    file.write(event_text(event, number_of_tag(event)));
  }
  file.finish(path);
}

void start_history_by_environment() {
  const std::optional<std::string> path = variable("COLLET_MEMORY_HISTORY");
  if (!path) {
    return;
  }
  if (path->empty()) {
    log(COLLET_LOG_WARN, "COLLET_MEMORY_HISTORY is empty; it is to name a file");
    return;
  }
  path_at_exit() = *path;
  MemoryHistory::instance().start(true, 0);
  if (std::atexit(save_at_exit) != 0) {
    log(COLLET_LOG_WARN, "COLLET_MEMORY_HISTORY: the history cannot be saved at exit");
  }
}

}  // namespace collet::loader
