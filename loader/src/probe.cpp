// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "helper_process.hpp"
#include "library.hpp"
#include "probe_reply.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kMaxDeadline = std::chrono::hours(1);

// Has an address inside libcollet.
constexpr char kAnchor = 0;

std::string seconds_text(milliseconds time) {
  const auto count = time.count();
  std::string text = std::to_string(count / 1000);
  if (count % 1000 != 0) {
    std::string fraction = std::to_string(1000 + count % 1000).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += "." + fraction;
  }
  return text + " s";
}

// The last line that is not empty: what an abort or an assertion has to say.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n") + 1;
  const std::size_t line = text.substr(0, end).rfind('\n') + 1;
  const std::size_t start = text.find_first_not_of(' ', line);
  return start < end ? text.substr(start, end - start) : std::string();
}

// One plugin that is being probed.
class Probe {
 public:
  Probe(const std::string& helper, const ProbeRequest& request, milliseconds deadline)
      : request_(request), deadline_(deadline), helper_name_(helper) {
    std::vector<std::string> arguments = {request.backend, request.path};
    for (const auto& [option, value] : request.defaults) {
      arguments.push_back(std::string(option).append("=").append(value));
    }
    try {
      helper_ = std::make_unique<HelperProcess>(helper, arguments, kMaxReplyBytes);
    } catch (const Error& error) {
      result_.failure.emplace(error);
      result_.no_helper = true;
      done_ = true;
    }
  }

  [[nodiscard]] bool done() const noexcept { return done_; }
  void add_polled(std::vector<pollfd>& polled) const { helper_->add_polled(polled); }

  // Takes what has arrived.
  void advance() {
    const std::size_t before = helper_->output().size();
    const bool ended = helper_->advance();
    if (helper_->output().size() != before) {
      reply_ = parse_reply(helper_->output());
    }
    if (ended || reply_.is_answer()) {
      helper_->kill();
      conclude();
    }
  }

  void give_up() {
    helper_->kill();
    refuse(COLLET_ERROR_TIMEOUT,
           "did not answer within " + seconds_text(deadline_) + " " + step_text(reply_.step),
           "if its driver only starts slowly, give it longer, such as by COLLET_PROBE=60s; to "
           "leave it out, list the others in COLLET_PLUGINS");
  }

  [[nodiscard]] ProbeResult take() { return std::move(result_); }

 private:
  void conclude() {
    if (reply_.facts) {
      result_.facts = std::move(reply_.facts);
      done_ = true;
    } else if (reply_.failure) {
      result_.failure = std::move(reply_.failure);
      result_.link_failed = reply_.link_failed;
      done_ = true;
    } else {
      refuse_end();
    }
  }

  // It has ended, and there is no answer.
  void refuse_end() {
    const std::string where = step_text(reply_.step);
    const std::string hint = "it does the same in `" + escaped(helper_name_) + " " +
                             request_.backend + " " + escaped(request_.path) +
                             "`: tell its vendor; to leave it out, list the others in "
                             "COLLET_PLUGINS";
    const std::optional<int> status = helper_->wait_status();
    std::string said = last_line(helper_->errors());
    said = said.empty() ? "" : "; its last words were " + in_quotes(said);
    if (helper_->output_too_long()) {
      refuse(COLLET_ERROR_INTERNAL, "answered with more than anyone reads", hint);
    } else if (status && WIFSIGNALED(*status)) {
      const int signal = WTERMSIG(*status);
      const std::string verb = signal == SIGABRT   ? "aborted"
                               : signal == SIGKILL ? "was killed"
                                                   : "crashed";
      refuse(COLLET_ERROR_INTERNAL,
             verb + " " + where + " (signal " + std::to_string(signal) + ", " +
                 sigdescr_np(signal) + ")" + said,
             hint);
    } else if (status && WIFEXITED(*status)) {
      refuse(COLLET_ERROR_INTERNAL,
             "ended the process " + where + " (exit status " +
                 std::to_string(WEXITSTATUS(*status)) + ")" + said,
             hint);
    } else {
      refuse(COLLET_ERROR_INTERNAL, "ended without an answer " + where + said, hint);
    }
  }

  void refuse(collet_status_t status, const std::string& what, const std::string& hint) {
    Error error(status, "back end \"" + request_.backend + "\" " + what, request_.backend);
    result_.failure.emplace(error.with_hint(hint));
    done_ = true;
  }

  const ProbeRequest& request_;
  const milliseconds deadline_;
  const std::string& helper_name_;
  std::unique_ptr<HelperProcess> helper_;
  ProbeReply reply_;
  ProbeResult result_;
  bool done_ = false;
};

void wait_for_any(const std::vector<std::unique_ptr<Probe>>& probes, milliseconds longest) {
  std::vector<pollfd> polled;
  for (const auto& probe : probes) {
    if (!probe->done()) {
      probe->add_polled(polled);
    }
  }
  poll(polled.data(), polled.size(), static_cast<int>(longest.count()));
}

bool all_done(const std::vector<std::unique_ptr<Probe>>& probes) {
  return std::all_of(probes.begin(), probes.end(), [](const auto& probe) { return probe->done(); });
}

}  // namespace

ProbeSetting parse_probe_setting(const Selector& text) {
  const std::string& value = text.text;
  if (value == "on") {
    return {};
  }
  if (value == "off") {
    return {.enabled = false};
  }
  const std::size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
  const std::string unit = value.substr(digits);
  // Seven digits fit in any type, and are more than an hour of milliseconds has.
  if (digits > 0 && digits <= 7 && value[0] != '0' && (unit == "s" || unit == "ms")) {
    const milliseconds deadline{std::stoll(value.substr(0, digits)) * (unit == "s" ? 1000 : 1)};
    if (deadline <= kMaxDeadline) {
      return {.deadline = deadline};
    }
    throw selector_error(COLLET_ERROR_MALFORMED, text, {0, value.size()},
                         "the deadline is too long", "at most 3600s");
  }
  throw selector_error(COLLET_ERROR_MALFORMED, text, {0, value.size()},
                       in_quotes(value) + " is not understood",
                       "write on, off, or a deadline such as 30s or 500ms");
}

std::vector<ProbeResult> probe(const std::string& helper, std::span<const ProbeRequest> requests,
                               milliseconds deadline) {
  const Clock::time_point end = Clock::now() + deadline;
  std::vector<std::unique_ptr<Probe>> probes;
  for (const ProbeRequest& request : requests) {
    probes.push_back(std::make_unique<Probe>(helper, request, deadline));
  }
  while (!all_done(probes)) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left <= milliseconds::zero()) {
      break;
    }
    wait_for_any(probes, left);
    for (const auto& one : probes) {
      if (!one->done()) {
        one->advance();
      }
    }
  }
  std::vector<ProbeResult> results;
  for (const auto& one : probes) {
    if (!one->done()) {
      one->give_up();
    }
    results.push_back(one->take());
  }
  return results;
}

std::string probe_helper() {
  const std::string folder = folder_of_address(&kAnchor);
  return folder.empty() ? std::string() : folder + "/collet/collet-probe";
}

bool is_probe_process() {
  std::error_code code;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", code);
  return !code && self.filename() == "collet-probe";
}

}  // namespace collet::loader
