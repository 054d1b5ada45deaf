// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

namespace digits {

const char* const kUsage =
    "Usage: train_digits [options]\n"
    "Trains a network of two layers on images of handwritten digits, on any Collet device.\n"
    "\n"
    "  --epochs N       times that all training images are used (default 30)\n"
    "  --batch N        images of one step (default 64)\n"
    "  --seed N         of the weights and the order of images (default 1)\n"
    "  --data FILE      images (default: ../share/collet/digits.csv, from the program's folder)\n"
    "  --device DEVICE  such as cuda:1 (default: COLLET_DEVICE, or else the best device)\n"
    "  --help           prints this\n"
    "\n"
    "Exit status: 0 success, 2 wrong usage, data or device, 1 any other failure.\n";

namespace {

struct Option {
  std::string_view name;
  const char* expected;
  // False where the value is not as expected.
  bool (*set)(Options& options, std::string_view value);
};

template <class Number>
bool set_number(std::string_view text, Number least, Number greatest, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number >= least && number <= greatest;
}

constexpr std::array<Option, 5> kOptions{{
    {"--epochs", "a whole number from 1 to 100000",
     [](Options& options, std::string_view value) {
       return set_number(value, 1U, 100000U, options.epochs);
     }},
    {"--batch", "a whole number from 1 to 1437, the number of training images",
     [](Options& options, std::string_view value) {
       return set_number(value, 1U, 1437U, options.batch);
     }},
    {"--seed", "a whole number from 0 to 18446744073709551615",
     [](Options& options, std::string_view value) {
       return set_number<std::uint64_t>(value, 0, UINT64_MAX, options.seed);
     }},
    {"--data", "the name of a file",
     [](Options& options, std::string_view value) {
       options.data = value;
       return !value.empty();
     }},
    {"--device", "a device such as cuda:1",
     [](Options& options, std::string_view value) {
       // An empty one is for Collet to refuse.
       options.device = value;
       return true;
     }},
}};

const Option& find_option(std::string_view name) {
  const auto* option = std::find_if(kOptions.begin(), kOptions.end(),
                                    [&](const Option& known) { return known.name == name; });
  if (option == kOptions.end()) throw UsageError("unknown option \"" + std::string(name) + '"');
  return *option;
}

}  // namespace

Options parse_options(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help") {
      options.help = true;
      return options;
    }
    const std::size_t equals = argument.find('=');
    const Option& option = find_option(argument.substr(0, equals));
    const std::string expected = std::string(option.name) + ": expected " + option.expected;
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (++i < arguments.size()) {
      value = arguments[i];
    } else {
      throw UsageError(expected);
    }
    if (!option.set(options, value)) {
      throw UsageError(expected + ", found \"" + std::string(value) + '"');
    }
  }
  return options;
}

}  // namespace digits
