// SPDX-License-Identifier: Apache-2.0
#include "train_digits/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

digits::Options parse(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) arguments.push_back(word.data());
  return digits::parse_options(arguments);
}

TEST_CASE("parse_options takes values after a space and after an equals sign") {
  const digits::Options options =
      parse({"--epochs", "5", "--batch=1437", "--seed=18446744073709551615", "--data=a=b",
             "--device", "cpu"});
  CHECK(options.epochs == 5);
  CHECK(options.batch == 1437);
  CHECK(options.seed == UINT64_MAX);
  CHECK(options.data == "a=b");
  CHECK(options.device == "cpu");
  CHECK(!options.help);
}

TEST_CASE("parse_options leaves what is not given as it is, and gives on an empty device") {
  const digits::Options options = parse({});
  CHECK(options.epochs > 0);
  CHECK(!options.device.has_value());
  CHECK(parse({"--device="}).device == "");
  CHECK(parse({"--help", "nonsense"}).help);
}

TEST_CASE("parse_options refuses numbers that are not whole, in range and alone") {
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "0", "1.0", "0x1", "1e3", "100001",
                           "18446744073709551617", "one"}) {
    INFO(text);
    CHECK_THROWS_AS(parse({"--epochs", text}), digits::UsageError);
  }
}

TEST_CASE("parse_options names what it does not know or miss") {
  CHECK_THROWS_WITH(parse({"--epoch", "1"}), "unknown option \"--epoch\"");
  CHECK_THROWS_WITH(parse({"--seed"}),
                    "--seed: expected a whole number from 0 to 18446744073709551615");
  CHECK_THROWS_AS(parse({"--data", ""}), digits::UsageError);
}

}  // namespace
