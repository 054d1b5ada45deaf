// SPDX-License-Identifier: Apache-2.0
// collet-probe: loads one plugin, asks for its devices, and writes what it has learned to its
// standard output, for libcollet, which starts it. What the plugin does to this process is done to
// nobody else.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "host_services.hpp"
#include "library.hpp"
#include "missing_libraries.hpp"
#include "plugin_module.hpp"
#include "probe_reply.hpp"

namespace {

using namespace collet::loader;  // NOLINT(google-build-using-namespace)

constexpr int kUsageError = 2;

// The answer's own descriptor: what the plugin prints must not get between the records, and what
// it starts must not keep them open.
int take_output() {
  const int reply = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  return reply;
}

// A reader that is gone ends this process, by SIGPIPE or here.
void send(int reply, const std::string& record) {
  for (std::size_t sent = 0; sent < record.size();) {
    const ssize_t count = write(reply, record.data() + sent, record.size() - sent);
    if (count <= 0) {
      _exit(1);
    }
    sent += static_cast<std::size_t>(count);
  }
}

// The record of the answer.
std::string probe(int reply, const std::string& backend, const std::string& path,
                  HostServices& host) {
  PluginModule module(backend, path, host);
  try {
    send(reply, step_record(ProbeStep::kLoad));
    module.load();
    send(reply, step_record(ProbeStep::kNegotiate));
    module.negotiate();
    send(reply, step_record(ProbeStep::kCount));
    module.count();
    send(reply, step_record(ProbeStep::kDescribe));
    return facts_record(module.facts());
  } catch (const LinkError& error) {
    return failure_record(with_missing_libraries(error, path), true);
  } catch (const Error& error) {
    return failure_record(error, false);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs(
        "usage: collet-probe NAME PLUGIN [OPTION=VALUE...]\n"
        "Loads a plugin for libcollet, and answers in a form of its own. For people there is\n"
        "`collet devices`.\n",
        stderr);
    return kUsageError;
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int reply = take_output();

  std::map<std::string, std::string> defaults;
  for (int i = 3; i < argc; ++i) {
    const std::string text = argv[i];
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) {
      defaults[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  HostServices host(argv[1], std::move(defaults));
  send(reply, probe(reply, argv[1], argv[2], host));
  // Not exit(): what the plugin and its driver do at their end is no part of the answer.
  _exit(0);
}
