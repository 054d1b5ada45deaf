// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <poll.h>

#include <algorithm>
#include <map>

#include "case_process.hpp"

namespace collet::conformance {
namespace {

/** Starts cases, and collects those that have ended or whose time is up. */
class Pool {
 public:
  Pool(const RunOptions& options, const Progress& progress)
      : options_(options), progress_(progress) {}

  std::vector<CaseResult> run(const std::vector<const Case*>& cases) {
    results_.resize(cases.size());
    std::size_t next = 0;
    while (next < cases.size() || !running_.empty()) {
      if (next < cases.size() && running_.size() < options_.jobs) {
        const Case& which = *cases[next];
        const auto limit = options_.limit.count() == 0 ? which.limit : options_.limit;
        running_.try_emplace(next, which, options_.subject, options_.seed, limit);
        ++next;
      } else {
        wait();
        collect();
      }
    }
    return std::move(results_);
  }

 private:
  void wait() {
    std::vector<pollfd> watched;
    Clock::time_point nearest = Clock::time_point::max();
    for (const auto& [index, process] : running_) {
      watched.push_back({process.descriptor(), POLLIN, 0});
      nearest = std::min(nearest, process.deadline());
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(nearest - Clock::now()).count();
    poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
  }

  void collect() {
    for (auto at = running_.begin(); at != running_.end();) {
      auto& [index, process] = *at;
      pollfd watched = {process.descriptor(), POLLIN, 0};
      const bool has_ended = poll(&watched, 1, 0) > 0;
      if (!has_ended && Clock::now() < process.deadline()) {
        ++at;
        continue;
      }
      results_[index] = has_ended ? process.collect() : process.stop();
      progress_(results_[index]);
      at = running_.erase(at);
    }
  }

  const RunOptions& options_;
  const Progress& progress_;
  std::map<std::size_t, CaseProcess> running_;
  std::vector<CaseResult> results_;
};

/** Cases that fork must come before there are threads of a plugin. */
std::vector<CaseResult> run_here(const std::vector<const Case*>& cases, const RunOptions& options,
                                 const Progress& progress) {
  std::vector<CaseResult> results(cases.size());
  for (const bool is_alone : {true, false}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i]->is_alone != is_alone) continue;
      results[i] = run_in_process(*cases[i], options.subject, options.seed);
      progress(results[i]);
    }
  }
  return results;
}

}  // namespace

std::vector<CaseResult> run_cases(const std::vector<const Case*>& cases, const RunOptions& options,
                                  const Progress& progress) {
  return options.is_in_process ? run_here(cases, options, progress)
                               : Pool(options, progress).run(cases);
}

}  // namespace collet::conformance
