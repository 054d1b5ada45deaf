// SPDX-License-Identifier: Apache-2.0
#include "memory/show.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <map>
#include <vector>

#include "bytes_text.hpp"
#include "text.hpp"

namespace collet::cli {
namespace {

constexpr std::size_t kGroupsShown = 8;

using loader::bytes_text;

std::string date_text(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts{};
  std::array<char, 64> text{};
  if (gmtime_r(&seconds, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
    return "at an unknown time";
  }
  return text.data();
}

struct Group {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t buffers = 0;
};

// The greatest first, and the rest as one.
template <class NameOf>
std::vector<std::vector<std::string>> group_rows(const History& history,
                                                 const std::vector<BlockLife>& blocks,
                                                 const NameOf& name_of) {
  std::map<std::string, Group> by_name;
  for (const BlockLife& block : blocks) {
    const HistoryEvent& alloc = history.events[block.alloc];
    Group& group = by_name[name_of(alloc)];
    group.bytes += alloc.size_bytes;
    group.buffers += 1;
  }
  std::vector<Group> groups;
  groups.reserve(by_name.size());
  for (auto& [name, group] : by_name) {
    groups.push_back({name, group.bytes, group.buffers});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.bytes > b.bytes; });
  if (groups.size() > kGroupsShown) {
    Group rest{std::to_string(groups.size() - kGroupsShown) + " more"};
    for (std::size_t i = kGroupsShown; i < groups.size(); ++i) {
      rest.bytes += groups[i].bytes;
      rest.buffers += groups[i].buffers;
    }
    groups.resize(kGroupsShown);
    groups.push_back(rest);
  }
  std::vector<std::vector<std::string>> rows;
  rows.reserve(groups.size());
  for (const Group& group : groups) {
    rows.push_back({" " + bytes_text(group.bytes),
                    std::to_string(group.buffers) + (group.buffers == 1 ? " buffer" : " buffers"),
                    group.name});
  }
  return rows;
}

std::string users_text(const History& history, const std::vector<BlockLife>& blocks,
                       const std::string& when) {
  std::string text = "\n " + when + ", by tag\n" +
                     aligned(group_rows(history, blocks, [&](const HistoryEvent& alloc) {
                       return history.tags[alloc.tag];
                     }));
  if (history.stacks.size() > 1) {
    text += "\n " + when + ", by caller\n" +
            aligned(group_rows(history, blocks, [&](const HistoryEvent& alloc) {
              const std::string caller = caller_text(history, alloc.stack);
              return caller.empty() ? "(no stack)" : caller;
            }));
  }
  return text;
}

std::string pool_text(const History& history, const PoolLife& pool) {
  const std::vector<BlockLife> left = live_at(pool, kNoEvent);
  std::vector<std::vector<std::string>> rows = {
      {"allocated", bytes_text(pool.peak.allocated_bytes) + " at most, at " +
                        time_text(history.events[pool.peak.event].time_ns)},
      {"reserved", bytes_text(pool.peak_reserved_bytes) + " at most"},
      {"waiting",
       bytes_text(pool.peak_waiting_bytes) + " at most: released, and still used by streams"},
      {"buffers",
       std::to_string(pool.blocks.size()) +
           (left.empty() ? ", all released"
                         : ", of which " + std::to_string(left.size()) + " were not released")}};
  if (!pool.out_of_memory.empty()) {
    rows.push_back({"failed", std::to_string(pool.out_of_memory.size()) + " for want of memory"});
  }
  std::string text = "\n" + pool_title(history.pools[pool.pool]) + "\n" + aligned(rows);
  if (pool.peak.allocated_bytes != 0) {
    text += users_text(history, live_at(pool, pool.peak.event), "when most was allocated");
  }
  if (!left.empty()) {
    text += users_text(history, left, "not released at the end");
  }
  return text;
}

}  // namespace

std::string call_text(const HistoryFrame& frame) {
  std::array<char, 32> offset{};
  std::snprintf(offset.data(), offset.size(), "+0x%llx",
                static_cast<unsigned long long>(frame.offset));
  const std::string place = frame.source.empty()
                                ? frame.module.substr(frame.module.rfind('/') + 1) + offset.data()
                                : frame.source;
  return frame.function.empty() ? place : frame.function + " at " + place;
}

std::string caller_text(const History& history, std::size_t stack) {
  for (const std::size_t frame : history.stacks[stack]) {
    if (!history.frames[frame].function.starts_with("collet::")) {
      return call_text(history.frames[frame]);
    }
  }
  const std::vector<std::size_t>& frames = history.stacks[stack];
  return frames.empty() ? "" : call_text(history.frames[frames.front()]);
}

std::string time_text(std::int64_t time_ns) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f s", static_cast<double>(time_ns) * 1e-9);
  return text.data();
}

std::string pool_title(const HistoryPool& pool) {
  return pool.device + " (" + pool.device_name + "), allocator \"" + pool.allocator + "\", " +
         pool.kind + " memory";
}

std::string history_title(const History& history, const HistoryModel& model) {
  return history.program.substr(history.program.rfind('/') + 1) + ", process " +
         std::to_string(history.process) + ", from " + date_text(history.started_unix_ms) + ", " +
         time_text(model.end_ns - model.begin_ns) + ", " +
         std::to_string(history.events.size() - history.baseline_events) + " events";
}

std::string history_text(const History& history, const HistoryModel& model) {
  std::string text = "memory of " + history_title(history, model) + "\n";
  if (history.forgotten_events != 0) {
    text += std::to_string(history.forgotten_events) +
            " earlier events are forgotten; what they left allocated is not\n";
  }
  if (history.lost_events != 0) {
    text += std::to_string(history.lost_events) + " events are missing: the host had no memory\n";
  }
  if (model.pools.empty()) {
    text += "nothing was allocated\n";
  }
  for (const PoolLife& pool : model.pools) {
    text += pool_text(history, pool);
  }
  return text;
}

}  // namespace collet::cli
