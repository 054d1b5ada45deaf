// SPDX-License-Identifier: Apache-2.0
#include "checker.hpp"

#include <algorithm>
#include <array>
#include <collet/sdk/host.hpp>
#include <cstdio>

namespace collet::sim {
namespace {

std::string text_of(ByteRange range, std::ptrdiff_t native_offset) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%zu bytes at 0x%zx", range.end - range.begin,
                range.begin + static_cast<std::uintptr_t>(native_offset));
  return text.data();
}

std::string text_of(const Conflict& conflict, const Operation& by, bool writes,
                    std::ptrdiff_t native_offset) {
  return by.text() + (writes ? " writes " : " reads ") + text_of(conflict.range, native_offset) +
         " that " + conflict.other->text() + (conflict.other_writes ? " writes" : " reads") +
         ", and nothing orders the two; record an event behind the one and let the other's stream "
         "wait for it, or, where the memory is of a buffer that was released, declare its use by "
         "the other stream with collet_buffer_use_on()";
}

/** What conflicts have in common that come again and again, in a loop for instance. */
std::string sort_of(const Operation& operation) {
  return std::to_string(operation.slot) + " " + name_of(operation.kind) + " " + operation.subject;
}

}  // namespace

std::unique_ptr<Checker::Moment> Checker::open_stream() {
  auto moment = std::make_unique<Moment>();
  const std::lock_guard lock(mutex_);
  // The slot of a stream whose last command everybody is certain of can be another's.
  const auto reusable = std::find_if(closed_.begin(), closed_.end(), [&](const Closed& closed) {
    return seen_->at(closed.slot) >= closed.last;
  });
  if (reusable == closed_.end()) {
    moment->slot_ = slots_++;
    return moment;
  }
  moment->slot_ = reusable->slot;
  moment->first_ = reusable->last;
  closed_.erase(reusable);
  return moment;
}

void Checker::close_stream(const Moment& moment, std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  closed_.push_back({moment.slot_, moment.first_ + ticket});
}

Checker::Past Checker::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Checker::learn(const VectorClock& past) {
  if (seen_->covers(past)) return;
  auto more = std::make_shared<VectorClock>(*seen_);
  more->join(past);
  seen_ = std::move(more);
}

void Checker::see(const Moment& moment, std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  VectorClock past = moment.before_;
  past.set(moment.slot_, std::min(past.at(moment.slot_), moment.first_ + ticket));
  learn(past);
}

void Checker::see(const Past& record) {
  const std::lock_guard lock(mutex_);
  learn(*record);
}

void Checker::begin(Moment& moment, std::uint64_t ticket, const Past& seen) {
  const std::lock_guard lock(mutex_);
  moment.before_.join(*seen);
  moment.before_.set(moment.slot_, moment.first_ + ticket);
}

Checker::Past Checker::past_of(const Moment& moment) const {
  const std::lock_guard lock(mutex_);
  return std::make_shared<VectorClock>(moment.before_);
}

void Checker::wait(Moment& moment, const Past& record) {
  const std::lock_guard lock(mutex_);
  moment.before_.join(*record);
}

void Checker::enter_host(const Moment& moment) {
  const std::lock_guard lock(mutex_);
  learn(moment.before_);
}

void Checker::leave_host(Moment& moment) {
  const std::lock_guard lock(mutex_);
  moment.before_.join(*seen_);
}

std::shared_ptr<const Operation> Checker::operation(const Moment& moment,
                                                    Operation description) const {
  const std::lock_guard lock(mutex_);
  description.slot = moment.slot_;
  description.count = moment.before_.at(moment.slot_);
  return std::make_shared<Operation>(std::move(description));
}

bool Checker::is_news(const std::string& sort) {
  constexpr std::size_t kMost = 1000;
  return told_.size() < kMost && told_.insert(sort).second;
}

void Checker::access(const Moment& moment, const std::shared_ptr<const Operation>& by,
                     const std::vector<Access>& accesses, bool are_writes,
                     std::atomic<std::uint64_t>& out_count) {
  std::string news;
  std::string failure;
  {
    const std::lock_guard lock(mutex_);
    for (const Access& access : accesses) {
      std::vector<Conflict> found;
      for (std::uint64_t row = 0; row < access.rows; ++row) {
        const auto begin = reinterpret_cast<std::uintptr_t>(access.begin) + row * access.pitch;
        const ByteRange range{begin, begin + access.size_bytes};
        if (range.begin == range.end) break;
        if (are_writes) {
          accesses_.write(range, by, moment.before_, found);
        } else {
          accesses_.read(range, by, moment.before_, found);
        }
      }
      out_count += found.size();
      for (const Conflict& conflict : found) {
        const std::string text = text_of(conflict, *by, are_writes, access.native_offset);
        if (is_news(sort_of(*by) + ", " + sort_of(*conflict.other)))
          news += (news.empty() ? "" : "\n") + text;
        if (mode_ == Check::kFail && failure.empty()) failure = text;
      }
    }
  }
  if (!news.empty()) plugin::host().log(COLLET_LOG_WARN, "COLLET_SIM_CHECK: " + news);
  if (!failure.empty()) {
    throw plugin::Error(COLLET_ERROR_COMMAND_FAILED, 4, "SIM_CONFLICT",
                        "COLLET_SIM_CHECK: " + failure);
  }
}

void Checker::forget(const std::byte* data, std::uint64_t size_bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  std::vector<Conflict> unused;
  const std::lock_guard lock(mutex_);
  accesses_.erase({begin, begin + size_bytes}, *seen_, unused);
}

std::size_t Checker::free(const std::byte* data, std::uint64_t size_bytes,
                          std::ptrdiff_t native_offset) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  std::vector<Conflict> found;
  std::string news;
  {
    const std::lock_guard lock(mutex_);
    accesses_.erase({begin, begin + size_bytes}, *seen_, found);
    for (const Conflict& conflict : found) {
      if (!is_news("free, " + sort_of(*conflict.other))) continue;
      news += (news.empty() ? "" : "\n") + conflict.other->text() +
              (conflict.other_writes ? " writes " : " reads ") +
              text_of(conflict.range, native_offset) +
              " of memory that is freed, and the program has not seen it complete";
    }
  }
  if (!news.empty()) plugin::host().log(COLLET_LOG_WARN, "COLLET_SIM_CHECK: " + news);
  return found.size();
}

}  // namespace collet::sim
