// SPDX-License-Identifier: Apache-2.0
#include "support/child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace collet::test {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File temporary_file() {
  File file(std::tmpfile());
  if (file == nullptr) {
    throw std::runtime_error("no temporary file");
  }
  return file;
}

std::string content(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char block[4096];
  while (const std::size_t size = std::fread(block, 1, sizeof block, file)) {
    text.append(block, size);
  }
  return text;
}

[[noreturn]] void run_body(const std::function<void(std::ostream&)>& body, std::FILE* output,
                           std::FILE* errors) {
  dup2(fileno(errors), STDERR_FILENO);
  int status = 0;
  std::ostringstream stream;
  try {
    body(stream);
  } catch (const std::exception& error) {
    stream << "exception: " << error.what();
    status = 1;
  }
  std::fputs(stream.str().c_str(), output);
  std::fflush(nullptr);
  // Not exit(): what the parent has registered for its own end is none of the child's.
  _exit(status);
}

}  // namespace

ChildResult run_in_child(const std::function<void(std::ostream&)>& body) {
  const File output = temporary_file();
  const File errors = temporary_file();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    throw std::runtime_error("fork failed");
  }
  if (child == 0) {
    run_body(body, output.get(), errors.get());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(output.get()),
          content(errors.get())};
}

}  // namespace collet::test
