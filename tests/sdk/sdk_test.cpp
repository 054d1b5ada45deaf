// SPDX-License-Identifier: Apache-2.0
#include <collet/sdk/plugin.hpp>
#include <cstring>
#include <new>
#include <string>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace collet::plugin {
namespace {

using test::last_report;

void connect() { REQUIRE(host().connect(test::host_services(), "some_plugin")); }

TEST_CASE("sdk: what a guarded body throws becomes status and report") {
  connect();
  CHECK(guarded([] {}) == COLLET_OK);
  CHECK(guarded([] { return COLLET_NOT_READY; }) == COLLET_NOT_READY);
  CHECK(guarded([] { throw Error(COLLET_ERROR_OVERLAP, "ranges"); }) == COLLET_ERROR_OVERLAP);
  CHECK(last_report().status == COLLET_ERROR_OVERLAP);
  CHECK(last_report().message == "ranges");
  CHECK(last_report().native_name.empty());
  CHECK(guarded([] { throw Error(COLLET_ERROR_DEVICE_LOST, 700, "VENDOR_LOST", "gone"); }) ==
        COLLET_ERROR_DEVICE_LOST);
  CHECK(last_report().native_code == 700);
  CHECK(last_report().native_name == "VENDOR_LOST");
  CHECK(guarded([] { throw std::bad_alloc(); }) == COLLET_ERROR_OUT_OF_HOST_MEMORY);
  CHECK(guarded([] { throw std::runtime_error("odd"); }) == COLLET_ERROR_INTERNAL);
  CHECK(last_report().message == "odd");
  CHECK(guarded([] { throw 7; }) == COLLET_ERROR_INTERNAL);
}

TEST_CASE("sdk: options are parsed strictly") {
  connect();
  auto& options = test::host_options();
  CHECK(host().integer_option("absent", 0, 9) == std::nullopt);
  options["n"] = "-12";
  CHECK(host().integer_option("n", -12, 9) == -12);
  CHECK_THROWS_AS(host().integer_option("n", 0, 9), Error);
  options["n"] = "3 ";
  CHECK_THROWS_WITH(host().integer_option("n", 0, 9),
                    "COLLET_SOME_PLUGIN_N is \"3 \", but must be a whole number from 0 to 9; "
                    "correct it or unset it");
  options["f"] = "on";
  CHECK(host().flag_option("f") == true);
  options["f"] = "0";
  CHECK(host().flag_option("f") == false);
  options["f"] = "maybe";
  CHECK_THROWS_AS(host().flag_option("f"), Error);
  CHECK(host().flag_option("absent") == std::nullopt);
}

TEST_CASE("sdk: sizes are a number with a binary unit or none") {
  connect();
  auto& options = test::host_options();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
  CHECK(host().size_option("absent", 0, kMost) == std::nullopt);
  for (const auto& [text, size] :
       {std::pair{"0", std::uint64_t{0}}, std::pair{"17", std::uint64_t{17}},
        std::pair{"3KiB", std::uint64_t{3} << 10}, std::pair{"256MiB", std::uint64_t{256} << 20},
        std::pair{"1GiB", std::uint64_t{1} << 30}, std::pair{"1024TiB", kMost}}) {
    options["size"] = text;
    CHECK(host().size_option("size", 0, kMost) == size);
  }
  for (const char* text : {"", "KiB", "1kib", "1KB", "1 KiB", "1KiB ", "-1", "0x10", "1.5MiB",
                           "1025TiB", "18446744073709551616", "18446744073709551615KiB"}) {
    options["size"] = text;
    CHECK_THROWS_AS(host().size_option("size", 0, kMost), Error);
  }
  options["size"] = "5";
  CHECK_THROWS_WITH(host().size_option("size", 6, 9),
                    "COLLET_SOME_PLUGIN_SIZE is \"5\", but must be a size such as 256MiB, from 6 "
                    "to 9 bytes; correct it or unset it");
}

TEST_CASE("sdk: a struct is filled as far as it goes, and its head is left") {
  collet_buffer_info_t value{};
  value.size_bytes = 5;
  value.alignment_bytes = 6;
  collet_buffer_info_t out{};
  out.base.struct_size = offsetof(collet_buffer_info_t, alignment_bytes);
  fill_struct(&out, value);
  CHECK(out.base.struct_size == offsetof(collet_buffer_info_t, alignment_bytes));
  CHECK(out.size_bytes == 5);
  CHECK(out.alignment_bytes == 0);
  out.base.struct_size = 4;
  out.size_bytes = 0;
  fill_struct(&out, value);
  CHECK(out.size_bytes == 0);
}

TEST_CASE("sdk: texts are cut between characters") {
  char small[5];
  std::memset(small, '#', sizeof(small));
  copy_text(small, "ab");
  CHECK(std::memcmp(small, "ab\0\0", 5) == 0);
  copy_text(small, "abcdef");
  CHECK(std::string(small) == "abcd");
  copy_text(small, "abc\xC3\xA4");  // a character of two bytes that does not fit
  CHECK(std::string(small) == "abc");

  char log[4] = {'#', '#', '#', '#'};
  collet_text_t text = {log, 3, 0};
  write_text(&text, "hello");
  CHECK(std::string(log) == "he");
  CHECK(log[3] == '#');
  CHECK(text.size_bytes == 5);
  text = {nullptr, 0, 0};
  write_text(&text, "hello");
  CHECK(text.size_bytes == 5);
  write_text(nullptr, "hello");
}

}  // namespace
}  // namespace collet::plugin
