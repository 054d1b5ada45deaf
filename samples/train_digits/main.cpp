// SPDX-License-Identifier: Apache-2.0
//
// Trains a network on handwritten digits, on whatever device COLLET_DEVICE names.
#include <chrono>
#include <collet/collet.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>

#include "digits.hpp"
#include "options.hpp"
#include "training.hpp"

namespace {

constexpr int kFailure = 1;
// Wrong usage, data or device.
constexpr int kWrongInput = 2;

std::string default_data() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path().parent_path() / "share/collet/digits.csv").string();
}

collet::Device open_device(const digits::Options& options) {
  return options.device ? collet::Device::open(*options.device) : collet::default_device();
}

void train(const collet::Device& device, const digits::Split& data,
           const digits::Options& options) {
  const collet_device_properties_t properties = device.properties();
  std::printf("train_digits: 64-128-10 on %s (%s), batch %u, seed %llu\n", properties.id,
              properties.name, options.batch, static_cast<unsigned long long>(options.seed));

  digits::Training training(device, data, options);
  digits::Progress progress{};
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t epoch = 1; epoch <= options.epochs; ++epoch) {
    progress = training.run_epoch();
    std::printf("epoch %3u  loss %.9f  test accuracy %6.2f %%\n", epoch,
                static_cast<double>(progress.loss),
                100 * static_cast<double>(progress.test_accuracy));
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  std::printf("test accuracy  %.2f %%\n", 100 * static_cast<double>(progress.test_accuracy));
  std::printf("training time  %.3f s\n", elapsed.count());
  std::printf("moved          %llu bytes host -> device, %llu bytes device -> host\n",
              static_cast<unsigned long long>(training.bytes_to_device()),
              static_cast<unsigned long long>(training.bytes_from_device()));
}

}  // namespace

int main(int argc, char** argv) {
  int if_it_fails = kWrongInput;
  try {
    digits::Options options = digits::parse_options(
        std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
    if (options.help) {
      std::fputs(digits::kUsage, stdout);
      return 0;
    }
    if (options.data.empty()) options.data = default_data();
    const digits::Split data = digits::split(digits::read_digits(options.data));
    const collet::Device device = open_device(options);
    if_it_fails = kFailure;
    train(device, data, options);
    return 0;
  } catch (const digits::UsageError& error) {
    std::fprintf(stderr, "train_digits: %s; --help lists the options\n", error.what());
  } catch (const collet::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_digits: %s\n", error.what());
  }
  return if_it_fails;
}
