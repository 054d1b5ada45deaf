// SPDX-License-Identifier: Apache-2.0
#include "timeline.hpp"

#include <algorithm>

namespace collet::sim {

void Timeline::enqueue(const std::shared_ptr<Lane>& lane, Command command) {
  const Cost cost = costs_.of(command.work);
  const std::size_t unit = cost.unit == Unit::kNone
                               ? kNoUnit
                               : command.device * kUnits + static_cast<std::size_t>(cost.unit);
  const std::lock_guard lock(mutex_);
  if (lane->tasks_.empty()) lanes_.push_back(lane);
  lane->tasks_.push_back({command.ticket, tasks_++, host_ns_, unit,
                          cost.duration_ns + command.delay_ns, std::move(command.awaited),
                          std::move(command.mark)});
}

void Timeline::take_back(Lane& lane, std::uint64_t ticket) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(lane.tasks_, [=](const Lane::Task& task) { return task.ticket == ticket; });
  if (lane.tasks_.empty()) {
    std::erase_if(lanes_, [&](const auto& listed) { return listed.get() == &lane; });
  }
}

void Timeline::observe(const Lane& lane, std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  while (!lane.tasks_.empty() && lane.tasks_.front().ticket <= ticket && place_next()) {
  }
  host_ns_ = std::max(host_ns_, lane.end_ns_);
}

std::int64_t Timeline::time_ns(const Mark& mark) {
  const std::lock_guard lock(mutex_);
  while (!mark && place_next()) {
  }
  return mark.value_or(host_ns_);
}

std::optional<Timeline::Start> Timeline::start_of(const Lane& lane) const {
  const Lane::Task& task = lane.tasks_.front();
  std::int64_t ready_ns = std::max(lane.end_ns_, task.enqueued_ns);
  if (task.awaited != nullptr) {
    if (!*task.awaited) return std::nullopt;
    ready_ns = std::max(ready_ns, **task.awaited);
  }
  const std::int64_t free_ns = task.unit == kNoUnit ? 0 : free_ns_[task.unit];
  return Start{std::max(ready_ns, free_ns), ready_ns, task.number};
}

bool Timeline::place_next() {
  std::optional<Start> earliest;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto start = start_of(*lanes_[i]);
    if (!start || (earliest && *earliest < *start)) continue;
    earliest = start;
    chosen = i;
  }
  if (!earliest) return false;
  Lane& lane = *lanes_[chosen];
  const Lane::Task& task = lane.tasks_.front();
  lane.end_ns_ = earliest->start_ns + task.duration_ns;
  if (task.unit != kNoUnit) free_ns_[task.unit] = lane.end_ns_;
  if (task.mark != nullptr) *task.mark = lane.end_ns_;
  lane.tasks_.pop_front();
  if (lane.tasks_.empty()) lanes_.erase(lanes_.begin() + static_cast<std::ptrdiff_t>(chosen));
  return true;
}

}  // namespace collet::sim
