// SPDX-License-Identifier: Apache-2.0
/** What a case is given. */
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "case.hpp"
#include "device.hpp"
#include "random.hpp"

namespace collet::conformance {

/** Which plugin and device are judged. */
struct Subject {
  std::string plugin_path;
  std::uint32_t device_index = 0;
};

class Test {
 public:
  Test(const Case& which, const Subject& subject, std::uint64_t seed)
      : case_(which), subject_(subject), seed_(seed) {}

  [[nodiscard]] const Case& which() const noexcept { return case_; }
  [[nodiscard]] const std::string& plugin_path() const noexcept { return subject_.plugin_path; }
  [[nodiscard]] std::uint32_t device_index() const noexcept { return subject_.device_index; }

  /** The plugin of this process, loaded at first use. */
  [[nodiscard]] const Plugin& plugin() const;
  /** The device under test, opened at first use. */
  [[nodiscard]] Device& device();
  /** Closes it, if it is open. */
  void close_device() { device_.reset(); }

  /** Numbers of this case; the same for the same seed. */
  [[nodiscard]] Random random() const noexcept { return Random::of(seed_, case_.name); }

 private:
  const Case& case_;
  const Subject& subject_;
  std::uint64_t seed_;
  std::optional<Device> device_;
};

}  // namespace collet::conformance
