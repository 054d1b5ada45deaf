// SPDX-License-Identifier: Apache-2.0
// HOST-LAY-7: what is said when a process exits.
#include <array>
#include <cstdio>
#include <memory>

#include "layers/validated.hpp"

namespace collet::test {
namespace {

// What a program that ends in that way has written to stderr.
std::string errors_of(const std::string& way) {
  const std::string command = std::string(COLLET_HOST_TEST_LEAKING) + " cpu " + way + " 2>&1";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> line;
  while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    text += line.data();
  }
  return text;
}

bool has(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) {
    UNSCOPED_INFO("it says:\n" << text << "and lacks: " << part);
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("HOST-LAY-7 what was not released is told by kind and place, and counted") {
  const std::string text = errors_of("leak");
  CHECK(has(text, "validate: not released: 3 buffers of 3.00 KiB, tag \"kept\", made at "));
  CHECK(has(text, "validate: not released: 1 stream, made at "));
  CHECK(has(text, "validate: not released: 1 event, made at "));
  CHECK(has(text, "validate: not released: 1 plan, made at "));
  CHECK(has(text, "host_leaking"));
  CHECK(has(text, "validate: 0 hazards found, 6 objects not released"));
}

TEST_CASE("HOST-LAY-7 hazards are counted") {
  CHECK(has(errors_of("hazard"), "validate: 1 hazard found, 0 objects not released"));
}

TEST_CASE(
    "HOST-LAY-7 a program that releases all in atexit handlers and destructors hears nothing") {
  CHECK(errors_of("clean").empty());
}

TEST_CASE("HOST-LAY-7 a log callback is not called when its program has ended") {
  const std::string text = errors_of("callback");
  CHECK(has(text, "collet: warning: validate: 0 hazards found, 1 object not released"));
  CHECK(text.find("called back at exit") == std::string::npos);
}

}  // namespace collet::test
