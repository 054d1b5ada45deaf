// SPDX-License-Identifier: Apache-2.0
// A process that is started for one answer, and may do anything but give it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

struct pollfd;

namespace collet::loader {

class HelperProcess {
 public:
  // Starts the program with nothing of this process but its environment and current directory:
  // signal handlers, blocked signals and open files are not passed on. Throws Error (UNAVAILABLE).
  // At most `max_output` bytes of its standard output are kept.
  HelperProcess(const std::string& program, const std::vector<std::string>& arguments,
                std::size_t max_output);
  // Kills what is still running.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  // What poll() may wait for; nothing once the process is done.
  void add_polled(std::vector<pollfd>& polled) const;

  // Takes what is there, without waiting. True once the process has ended, or has closed its
  // output.
  bool advance();

  // Ends the process and all that it has started, and does not wait for a driver that does not let
  // it go.
  void kill() noexcept;

  [[nodiscard]] const std::string& output() const noexcept { return output_; }
  // The last part of what it wrote to its standard error.
  [[nodiscard]] const std::string& errors() const noexcept { return errors_; }
  [[nodiscard]] bool output_too_long() const noexcept { return too_long_; }
  // As waitpid() tells it; nothing where somebody else in this process has taken it.
  [[nodiscard]] std::optional<int> wait_status() const noexcept { return wait_status_; }

 private:
  void read_all();
  [[nodiscard]] bool has_ended() const noexcept;

  const std::size_t max_output_;
  pid_t pid_ = -1;
  int output_end_ = -1;
  int errors_end_ = -1;
  int exit_end_ = -1;
  bool ended_ = false;
  bool too_long_ = false;
  std::string output_;
  std::string errors_;
  std::optional<int> wait_status_;
};

}  // namespace collet::loader
