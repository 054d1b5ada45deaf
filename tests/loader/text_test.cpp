// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include "support/catch.hpp"

namespace collet::loader {
namespace {

TEST_CASE("text: bytes that are not printable are shown as hexadecimal numbers") {
  CHECK(escaped("cpu:0") == "cpu:0");
  CHECK(escaped("a\x1b[0m\x7f\n") == "a\\x1b[0m\\x7f\\x0a");
  CHECK(escaped("\xc3\xa9\\") == "\\xc3\\xa9\\\\");
}

TEST_CASE("text: a long quotation is cut in its middle") {
  CHECK(in_quotes("cpu") == "\"cpu\"");
  const std::string cut = in_quotes(std::string(60, 'a') + std::string(60, 'b'));
  CHECK(cut.size() == 82);
  CHECK(cut.starts_with("\"aaaa"));
  CHECK(cut.ends_with("bbbb\""));
  CHECK(cut.find("a...b") != std::string::npos);
}

TEST_CASE("text: several lines become one") {
  CHECK(one_line("a\n    b\n\nc\n") == "a; b; c");
  CHECK(one_line("a") == "a");
  CHECK(one_line("").empty());
}

TEST_CASE("text: a number of things is singular for one") {
  CHECK(counted(0, "device") == "0 devices");
  CHECK(counted(1, "device") == "1 device");
  CHECK(counted(2, "device") == "2 devices");
}

TEST_CASE("text: a swap of neighbours counts as one edit") {
  const std::string words[] = {"alpha", "beta"};
  CHECK(nearest("aplha", words) == "alpha");
  CHECK(nearest("bea", words) == "beta");
  CHECK(nearest("gamma", words).empty());
}

TEST_CASE("text: an overlong word costs no more time than a long one") {
  const std::string words[] = {"alpha"};
  CHECK(nearest(std::string(1'000'000, 'a'), words).empty());
}

}  // namespace
}  // namespace collet::loader
