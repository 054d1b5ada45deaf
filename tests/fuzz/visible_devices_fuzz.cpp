// SPDX-License-Identifier: Apache-2.0
//
// Any bytes in place of COLLET_VISIBLE_DEVICES: they give each back end different devices that it
// has, or are refused with a caret.
#include "visible_devices.hpp"

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include "refusal.hpp"

namespace collet::loader {
namespace {

const std::vector<std::string> kKnown = {"cpu", "cuda", "opencl", "sim"};
constexpr std::uint32_t kDevices = 5;

collet_device_properties_t describe(std::uint32_t index) {
  collet_device_properties_t device{};
  std::snprintf(device.pci_address, sizeof device.pci_address, "0000:6%u:00.0", index);
  std::snprintf(device.uuid, sizeof device.uuid, "GPU-0000000%u-1111-2222-3333-444444444444",
                index);
  return device;
}

void check_map(const VisibleDevices& devices, const std::string& backend) {
  const std::vector<std::uint32_t> indices = devices.map(backend, kDevices, describe);
  const std::set<std::uint32_t> distinct(indices.begin(), indices.end());
  fuzz::expect(distinct.size() == indices.size());
  fuzz::expect(distinct.empty() || *distinct.rbegin() < kDevices);
  fuzz::expect(devices.hides(backend) == indices.empty());
}

}  // namespace
}  // namespace collet::loader

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace collet::loader;  // NOLINT(google-build-using-namespace)
  try {
    const VisibleDevices devices({"input", std::string(reinterpret_cast<const char*>(data), size)},
                                 kKnown);
    for (const std::string& backend : kKnown) {
      check_map(devices, backend);
    }
  } catch (const Error& error) {
    fuzz::expect_refusal(error);
  }
  return 0;
}
