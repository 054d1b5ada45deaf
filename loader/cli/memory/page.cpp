// SPDX-License-Identifier: Apache-2.0
#include "memory/page.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "memory/show.hpp"
#include "page_template.inc"

namespace collet::cli {
namespace {

using Json = nlohmann::ordered_json;

// As many tags as there are colours; the others share one.
constexpr std::size_t kTagsShown = 9;
// What a browser draws at once.
constexpr std::size_t kMostBlocks = 20'000;

double seconds(std::int64_t time_ns) { return static_cast<double>(time_ns) * 1e-9; }

struct Groups {
  std::vector<std::string> names;
  std::vector<std::size_t> of_tag;
};

// The tags that have had most at one time, and one group for the rest.
Groups make_groups(const History& history, const PoolLife& pool) {
  std::vector<std::size_t> each(history.tags.size());
  std::iota(each.begin(), each.end(), std::size_t{0});
  std::vector<std::uint64_t> most(each.size());
  std::vector<bool> is_used(each.size());
  for (const BlockLife& block : pool.blocks) {
    is_used[history.events[block.alloc].tag] = true;
  }
  const auto bytes = bytes_by_group(history, pool, pool.columns, each, each.size());
  for (const std::size_t tag : each) {
    most[tag] = bytes[tag].empty() ? 0 : *std::max_element(bytes[tag].begin(), bytes[tag].end());
  }
  std::stable_sort(each.begin(), each.end(), [&](std::size_t a, std::size_t b) {
    return is_used[a] != is_used[b] ? is_used[a] : most[a] > most[b];
  });
  Groups groups;
  groups.of_tag.assign(each.size(), 0);
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (i < kTagsShown && (i == 0 || is_used[each[i]])) {
      groups.names.push_back(history.tags[each[i]]);
    } else if (groups.names.size() == kTagsShown && is_used[each[i]]) {
      groups.names.emplace_back("(other tags)");
    }
    groups.of_tag[each[i]] = std::min(i, groups.names.size() - 1);
  }
  return groups;
}

Json columns_json(const History& history, const HistoryModel& model, const PoolLife& pool,
                  const Groups& groups) {
  Json reserved = Json::array();
  Json waiting = Json::array();
  for (const MemorySums& column : pool.columns) {
    reserved.push_back(column.reserved_bytes);
    waiting.push_back(column.waiting_bytes);
  }
  return {
      {"begin", seconds(model.begin_ns)},
      {"end", seconds(model.end_ns)},
      {"reserved", reserved},
      {"waiting", waiting},
      {"groups", bytes_by_group(history, pool, pool.columns, groups.of_tag, groups.names.size())}};
}

// Where each segment is drawn: above those that live at the same time.
class Floors {
 public:
  double add(std::size_t segment, double size) {
    double bottom = 0;
    auto place = live_.begin();
    for (; place != live_.end() && place->first < bottom + size; ++place) {
      bottom = std::max(bottom, place->first + place->second.second);
    }
    live_.emplace(bottom, std::pair(segment, size));
    return bottom;
  }
  void remove(double bottom, std::size_t segment) {
    const auto [first, last] = live_.equal_range(bottom);
    for (auto place = first; place != last; ++place) {
      if (place->second.first == segment) {
        live_.erase(place);
        return;
      }
    }
  }

 private:
  std::multimap<double, std::pair<std::size_t, double>> live_;
};

std::vector<double> floors_of(const History& history, const PoolLife& pool) {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  for (std::size_t i = 0; i < pool.segments.size(); ++i) {
    ends.emplace_back(pool.segments[i].free, i);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<double> bottoms(pool.segments.size());
  Floors floors;
  auto next_end = ends.begin();
  for (std::size_t i = 0; i < pool.segments.size(); ++i) {
    for (; next_end->first < pool.segments[i].alloc; ++next_end) {
      floors.remove(bottoms[next_end->second], next_end->second);
    }
    const HistoryEvent& alloc = history.events[pool.segments[i].alloc];
    bottoms[i] = floors.add(i, static_cast<double>(alloc.size_bytes));
  }
  return bottoms;
}

class TimesOf {
 public:
  TimesOf(const History& history, const HistoryModel& model) : history_(history), model_(model) {}

  [[nodiscard]] std::int64_t ns(std::size_t event) const {
    return event == kNoEvent ? model_.end_ns : history_.events[event].time_ns;
  }
  [[nodiscard]] Json json(std::size_t event) const {
    return event == kNoEvent ? Json(nullptr) : Json(seconds(ns(event)));
  }

 private:
  const History& history_;
  const HistoryModel& model_;
};

// The segment that a block lies in: the last of its number that had begun.
std::vector<std::size_t> segments_of_blocks(const History& history, const PoolLife& pool) {
  std::vector<std::size_t> result;
  std::map<std::uint64_t, std::size_t> current;
  std::size_t segment = 0;
  for (const BlockLife& block : pool.blocks) {
    for (; segment < pool.segments.size() && pool.segments[segment].alloc < block.alloc;
         ++segment) {
      current[history.events[pool.segments[segment].alloc].segment] = segment;
    }
    const auto found = current.find(history.events[block.alloc].segment);
    result.push_back(found == current.end() ? kNoEvent : found->second);
  }
  return result;
}

// Those that take most of the picture.
std::vector<std::size_t> greatest_blocks(const History& history, const PoolLife& pool,
                                         const TimesOf& times) {
  std::vector<double> areas;
  for (const BlockLife& block : pool.blocks) {
    areas.push_back(
        static_cast<double>(history.events[block.alloc].size_bytes) *
        (1 + static_cast<double>(times.ns(block.free_completed) - times.ns(block.alloc))));
  }
  std::vector<std::size_t> order(pool.blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return areas[a] > areas[b]; });
  order.resize(std::min(order.size(), kMostBlocks));
  return order;
}

Json blocks_json(const History& history, const PoolLife& pool, const TimesOf& times,
                 const Groups& groups) {
  const std::vector<std::size_t> segments = segments_of_blocks(history, pool);
  Json blocks = Json::array();
  for (const std::size_t i : greatest_blocks(history, pool, times)) {
    const BlockLife& block = pool.blocks[i];
    const HistoryEvent& alloc = history.events[block.alloc];
    if (segments[i] != kNoEvent) {
      blocks.push_back({segments[i], alloc.offset_bytes, alloc.size_bytes, alloc.requested_bytes,
                        groups.of_tag[alloc.tag], alloc.tag, alloc.stream, alloc.stack,
                        times.json(block.alloc), times.json(block.free_requested),
                        times.json(block.free_completed)});
    }
  }
  return blocks;
}

Json segments_json(const History& history, const PoolLife& pool, const TimesOf& times) {
  const std::vector<double> bottoms = floors_of(history, pool);
  Json segments = Json::array();
  for (std::size_t i = 0; i < pool.segments.size(); ++i) {
    const SegmentLife& segment = pool.segments[i];
    const HistoryEvent& alloc = history.events[segment.alloc];
    segments.push_back({alloc.segment, alloc.size_bytes, bottoms[i], times.json(segment.alloc),
                        times.json(segment.free)});
  }
  return segments;
}

Json pool_json(const History& history, const HistoryModel& model, const PoolLife& pool) {
  const Groups groups = make_groups(history, pool);
  const TimesOf times(history, model);
  Json failures = Json::array();
  for (const std::size_t event : pool.out_of_memory) {
    failures.push_back({seconds(times.ns(event)), history.events[event].requested_bytes});
  }
  const Json blocks = blocks_json(history, pool, times, groups);
  return {{"title", pool_title(history.pools[pool.pool])},
          {"peak_allocated", pool.peak.allocated_bytes},
          {"peak_time", seconds(times.ns(pool.peak.event))},
          {"peak_reserved", pool.peak_reserved_bytes},
          {"peak_waiting", pool.peak_waiting_bytes},
          {"buffers", pool.blocks.size()},
          {"groups", groups.names},
          {"columns", columns_json(history, model, pool, groups)},
          {"segments", segments_json(history, pool, times)},
          {"blocks", blocks},
          {"blocks_left_out", pool.blocks.size() - blocks.size()},
          {"failures", failures}};
}

// Nothing of the text can end the element of the page that it stands in.
std::string inside_script(const Json& json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

}  // namespace

std::string history_page(const History& history, const HistoryModel& model) {
  Json streams = Json::object();
  for (const auto& [number, label] : history.streams) {
    streams[std::to_string(number)] = label;
  }
  Json pools = Json::array();
  for (const PoolLife& pool : model.pools) {
    pools.push_back(pool_json(history, model, pool));
  }
  Json frames = Json::array();
  for (const HistoryFrame& frame : history.frames) {
    frames.push_back(call_text(frame));
  }
  Json callers = Json::array();
  for (std::size_t stack = 0; stack < history.stacks.size(); ++stack) {
    callers.push_back(caller_text(history, stack));
  }
  const Json data = {{"title", history_title(history, model)},
                     {"forgotten_events", history.forgotten_events},
                     {"lost_events", history.lost_events},
                     {"tags", history.tags},
                     {"streams", streams},
                     {"frames", frames},
                     {"stacks", history.stacks},
                     {"callers", callers},
                     {"pools", pools}};
  constexpr std::string_view kPlace = "{\"place\": \"data\"}";
  std::string page = kPageTemplate;
  return page.replace(page.find(kPlace), kPlace.size(), inside_script(data));
}

}  // namespace collet::cli
