// SPDX-License-Identifier: Apache-2.0
// Which devices exist for this process, and in which order: COLLET_VISIBLE_DEVICES.
//
//   visible = [section {";" section}]           empty: no device at all
//   section = backend ":" ("*" | entry {"," entry})
//   entry   = index | index "-" index | PCI address | uuid
//
// The devices that are left are numbered anew from 0, in the order in which they are written: those
// are the logical devices, and the plugin's own numbers the physical ones.
#pragma once

#include <collet/device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grammar.hpp"

namespace collet::loader {

struct VisibleEntry {
  enum class Kind { kAll, kIndices, kPciAddress, kUuid };
  Kind kind = Kind::kAll;
  // Of kIndices, both included. An index beyond 2^32 - 1 is UINT32_MAX, which no device has.
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  TextRange range;
};

struct VisibleSection {
  std::string backend;
  TextRange backend_range;
  std::vector<VisibleEntry> entries;
};

// Takes the text apart. Throws MALFORMED with a caret under the first fault.
std::vector<VisibleSection> parse_visible_devices(const Selector& written,
                                                  std::span<const std::string> known);

class VisibleDevices {
 public:
  // Every device is visible.
  VisibleDevices() = default;

  // Follows the text; `known` are the back ends here. Throws MALFORMED, or NO_SUCH_DEVICE for an
  // unknown back end.
  VisibleDevices(Selector written, std::span<const std::string> known);

  // True if the text may change the devices of a back end, or hide them.
  [[nodiscard]] bool restricts(std::string_view backend) const noexcept;

  // True if the back end has no section, so that none of its devices exists.
  [[nodiscard]] bool hides(std::string_view backend) const noexcept;

  // "COLLET_VISIBLE_DEVICES="cuda:2,3""
  [[nodiscard]] std::string text() const;

  using Describe = std::function<collet_device_properties_t(std::uint32_t physical)>;

  // The physical index of each logical device of a back end with `count` physical ones. Throws
  // NO_SUCH_DEVICE or, for a device that is written twice, MALFORMED. `describe` is called for
  // PCI addresses and uuids only.
  [[nodiscard]] std::vector<std::uint32_t> map(std::string_view backend, std::uint32_t count,
                                               const Describe& describe) const;

 private:
  [[nodiscard]] const VisibleSection* find(std::string_view backend) const noexcept;

  std::optional<Selector> written_;
  std::vector<VisibleSection> sections_;
};

}  // namespace collet::loader
