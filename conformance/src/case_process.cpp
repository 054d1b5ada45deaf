// SPDX-License-Identifier: Apache-2.0
#include "case_process.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

#include "call.hpp"
#include "check.hpp"

namespace collet::conformance {
namespace {

/** What the process of a case tells, in memory that survives it. */
struct CaseRecord {
  std::atomic<bool> is_claimed{false};
  std::atomic<bool> has_end{false};
  Verdict verdict = Verdict::kInconclusive;
  char seen[2048] = {};
  char place[128] = {};
  /** The latest call into the plugin. */
  char call[64] = {};
};

constexpr std::size_t kMostLogBytes = std::size_t{1} << 14;

CaseRecord* record_of_process = nullptr;

template <std::size_t N>
void keep(char (&out)[N], const char* text) {
  std::snprintf(out, N, "%s", text);
}

/** The first end counts: threads of a case may fail at the same time. */
void record_end(const CaseEnd& end) {
  CaseRecord& record = *record_of_process;
  if (!record.is_claimed.exchange(true)) {
    record.verdict = end.verdict;
    keep(record.seen, end.seen.c_str());
    keep(record.place, end.place.c_str());
    record.has_end.store(true);
  }
  // Without destructors: the plugin may be in any state. A child of the case may have been first.
  while (!record.has_end.load()) std::this_thread::yield();
  _exit(EXIT_SUCCESS);
}

void record_call(const char* name) { keep(record_of_process->call, name); }

/** Runs the body; a case that comes to its end has passed. */
CaseEnd run_body(const Case& which, const Subject& subject, std::uint64_t seed) {
  Test test(which, subject, seed);
  try {
    if (!which.is_alone) {
      for (const Capability capability : which.needs) test.device().require(capability);
    }
    which.body(test);
    return {Verdict::kPass, "", ""};
  } catch (const CaseEnd& end) {
    return end;
  } catch (const std::exception& error) {
    return {Verdict::kInconclusive, "the case itself failed: " + std::string(error.what()), ""};
  }
}

/** The end of what was written to a file. */
std::string tail_of(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  if (size <= 0) return {};
  const auto length = std::min<std::size_t>(static_cast<std::size_t>(size), kMostLogBytes);
  std::string text(length, '\0');
  const ssize_t got = pread(file, text.data(), length, size - static_cast<off_t>(length));
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

}  // namespace

CaseResult run_in_process(const Case& which, const Subject& subject, std::uint64_t seed) {
  const Clock::time_point start = Clock::now();
  const CaseEnd end = run_body(which, subject, seed);
  CaseResult result;
  result.which = &which;
  result.verdict = end.verdict;
  result.seen = end.seen;
  result.place = end.place;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

/** Record and log of a case. */
struct CaseProcess::Shared {
  CaseRecord* record;
  int log;

  Shared() : log(memfd_create("case-log", MFD_CLOEXEC)) {
    void* const page = mmap(nullptr, sizeof(CaseRecord), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || log < 0) throw std::runtime_error("no memory for a case's record");
    record = new (page) CaseRecord;
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    munmap(record, sizeof(CaseRecord));
    close(log);
  }
};

CaseProcess::CaseProcess(const Case& which, const Subject& subject, std::uint64_t seed,
                         std::chrono::nanoseconds limit)
    : which_(&which),
      start_(Clock::now()),
      deadline_(start_ + limit),
      shared_(std::make_unique<Shared>()) {
  process_.emplace([&] {
    dup2(shared_->log, STDOUT_FILENO);
    dup2(shared_->log, STDERR_FILENO);
    record_of_process = shared_->record;
    set_end_case(record_end);
    set_note_call(record_call);
    record_end(run_body(which, subject, seed));
  });
}

CaseProcess::CaseProcess(CaseProcess&&) noexcept = default;
CaseProcess& CaseProcess::operator=(CaseProcess&&) noexcept = default;
CaseProcess::~CaseProcess() = default;

int CaseProcess::descriptor() const noexcept { return process_->descriptor(); }

CaseResult CaseProcess::collect() { return result_of(process_->collect()); }

CaseResult CaseProcess::stop() { return result_of(process_->stop()); }

CaseResult CaseProcess::result_of(const ProcessEnd& end) {
  const CaseRecord& record = *shared_->record;
  CaseResult result;
  result.which = which_;
  result.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  result.log = tail_of(shared_->log);
  if (record.has_end.load()) {
    result.verdict = record.verdict;
    result.seen = record.seen;
    result.place = record.place;
    return result;
  }
  const std::string call =
      record.call[0] == '\0' ? "" : "; its latest call was " + std::string(record.call);
  if (end.how == ProcessEnd::How::kStopped) {
    result.verdict = Verdict::kTimedOut;
    result.seen = "the case did not end within its limit" + call;
  } else {
    result.verdict = Verdict::kCrashed;
    result.seen = "the process " + end.text() + " in the middle of the case" + call;
  }
  return result;
}

}  // namespace collet::conformance
