// SPDX-License-Identifier: Apache-2.0
#include "visible_devices.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <tuple>
#include <utility>

namespace collet::loader {
namespace {

using Kind = VisibleEntry::Kind;

// Below this a text without colons is rather a mistyped index than a uuid.
constexpr std::size_t kShortestUuid = 8;

struct PciAddress {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;

  bool operator==(const PciAddress&) const = default;
};

// A hexadecimal number of `least` to `most` digits at the start of the text, which is consumed.
std::optional<std::uint32_t> take_hex(std::string_view& text, std::size_t least, std::size_t most) {
  std::uint32_t value = 0;
  const char* const end = text.data() + std::min(text.size(), most);
  const auto [stop, fault] = std::from_chars(text.data(), end, value, 16);
  const auto length = static_cast<std::size_t>(stop - text.data());
  if (fault != std::errc{} || length < least) {
    return std::nullopt;
  }
  text.remove_prefix(length);
  return value;
}

bool take(std::string_view& text, char c) {
  const bool there = text.starts_with(c);
  text.remove_prefix(there ? 1 : 0);
  return there;
}

// "0000:65:00.0", "65:00.0", and the eight digits of domain that some drivers write.
std::optional<PciAddress> parse_pci_address(std::string_view text) {
  PciAddress address;
  if (std::count(text.begin(), text.end(), ':') == 2) {
    const auto domain = take_hex(text, 4, 8);
    if (!domain || !take(text, ':')) {
      return std::nullopt;
    }
    address.domain = *domain;
  }
  const auto bus = take_hex(text, 2, 2);
  const bool colon = take(text, ':');
  const auto device = take_hex(text, 2, 2);
  const bool point = take(text, '.');
  const auto function = take_hex(text, 1, 1);
  if (!bus || !colon || !device || !point || !function || !text.empty()) {
    return std::nullopt;
  }
  address.bus = *bus;
  address.device = *device;
  address.function = *function;
  return address;
}

// Letters are compared without case, and the prefix that nvidia-smi writes may be missing.
std::string plain_uuid(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result.starts_with("gpu-") ? result.substr(4) : result;
}

bool may_be_uuid(std::string_view text) {
  return text.size() >= kShortestUuid && std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
         });
}

class Parser : private Grammar {
 public:
  using Grammar::Grammar;

  std::vector<VisibleSection> parse() const {
    std::vector<VisibleSection> sections;
    if (text().empty()) {
      return sections;
    }
    for (const TextRange range : split(text(), {0, text().size()}, ';')) {
      VisibleSection section = parse_section(range);
      refuse_second(sections, section);
      sections.push_back(std::move(section));
    }
    return sections;
  }

 private:
  [[nodiscard]] VisibleSection parse_section(TextRange range) const {
    if (range.length == 0) {
      refuse({range.offset, range.offset < text().size() ? std::size_t{1} : 0},
             "there is no back end here", "remove the \";\", or write for instance \"cpu:*\"");
    }
    refuse_spaces(range);
    const std::size_t colon = part(range).find(':');
    VisibleSection section;
    section.backend_range = {range.offset, std::min(colon, range.length)};
    section.backend = backend(section.backend_range);
    if (section.backend == "auto") {
      refuse(section.backend_range, "\"auto\" is no name of a back end",
             "it is a choice for COLLET_DEVICE");
    }
    if (colon == std::string_view::npos || colon + 1 == range.length) {
      refuse(range, "which devices of " + in_quotes(section.backend) + " are visible is missing",
             "did you mean " + in_quotes(section.backend + ":*") + "?");
    }
    const TextRange entries{range.offset + colon + 1, range.length - colon - 1};
    for (const TextRange entry : split(text(), entries, ',')) {
      section.entries.push_back(parse_entry(entry, section));
      refuse_overlap(section.entries);
    }
    return section;
  }

  void refuse_second(const std::vector<VisibleSection>& sections,
                     const VisibleSection& section) const {
    for (const VisibleSection& other : sections) {
      if (other.backend == section.backend) {
        refuse(section.backend_range, in_quotes(section.backend) + " is listed twice",
               "write all its devices in one place: " + section.backend + ":0,1");
      }
    }
  }

  [[nodiscard]] VisibleEntry parse_entry(TextRange range, const VisibleSection& section) const {
    const std::string_view entry = part(range);
    if (entry.empty()) {
      refuse({range.offset, range.offset < text().size() ? std::size_t{1} : 0},
             "an item of the list is empty", "remove the comma, or write an index");
    }
    if (entry == "*") {
      return {Kind::kAll, 0, 0, range};
    }
    if (entry.find(':') != std::string_view::npos) {
      return parse_address(range, section);
    }
    if (const std::size_t dash = entry.find('-'); is_range(entry, dash)) {
      return parse_indices(range, dash, section);
    }
    if (!is_digits(entry) && may_be_uuid(entry)) {
      return {Kind::kUuid, 0, 0, range};
    }
    const std::uint32_t number = index(range, section.backend + ":");
    return {Kind::kIndices, number, number, range};
  }

  static bool is_range(std::string_view entry, std::size_t dash) {
    return dash != std::string_view::npos && is_digits(entry.substr(0, dash)) &&
           is_digits(entry.substr(dash + 1));
  }

  [[nodiscard]] VisibleEntry parse_indices(TextRange range, std::size_t dash,
                                           const VisibleSection& section) const {
    const TextRange from{range.offset, dash};
    const TextRange to{range.offset + dash + 1, range.length - dash - 1};
    const std::string prefix = section.backend + ":";
    const std::uint32_t first = index(from, prefix);
    const std::uint32_t last = index(to, prefix);
    if (first > last) {
      refuse(range, "the range runs backwards",
             "did you mean " + in_quotes(std::string(part(to)) + "-" + std::string(part(from))) +
                 "? another order is written out, such as 2,1,0");
    }
    return {Kind::kIndices, first, last, range};
  }

  [[nodiscard]] VisibleEntry parse_address(TextRange range, const VisibleSection& section) const {
    const std::string_view entry = part(range);
    if (parse_pci_address(entry)) {
      return {Kind::kPciAddress, 0, 0, range};
    }
    const std::string_view name = entry.substr(0, entry.find(':'));
    std::string hint = "a PCI address is written as 0000:65:00.0";
    if (name == section.backend) {
      hint = "the back end is written once: " + section.backend + ":0,1";
    } else if (std::find(known().begin(), known().end(), name) != known().end()) {
      hint = "did you mean \";\" before it?";
    }
    refuse(range, in_quotes(entry) + " is no index, range, PCI address or uuid", hint);
  }

  // The last entry must not share an index with an earlier one, and "*" stands alone.
  void refuse_overlap(const std::vector<VisibleEntry>& entries) const {
    const VisibleEntry& last = entries.back();
    for (auto entry = entries.begin(); entry + 1 != entries.end(); ++entry) {
      if (entry->kind == Kind::kAll || last.kind == Kind::kAll) {
        refuse(last.range, "\"*\" stands for all devices, and stands alone", "remove the others");
      }
      const bool indices = entry->kind == Kind::kIndices && last.kind == Kind::kIndices;
      if ((indices && entry->first <= last.last && last.first <= entry->last) ||
          part(entry->range) == part(last.range)) {
        refuse(
            last.range,
            in_quotes(part(last.range)) + " is listed already, in " + in_quotes(part(entry->range)),
            "remove it");
      }
    }
  }
};

std::string devices_of(std::string_view backend, std::uint32_t count) {
  const std::string name(backend);
  if (count == 0) {
    return name + " has no devices";
  }
  return name + " has " + counted(count, "device") + ": " +
         (count == 1 ? "0" : "0 to " + std::to_string(count - 1));
}

// Turns the entries of one section into physical indices.
class Resolution {
 public:
  Resolution(const Selector& written, std::string_view backend, std::uint32_t count,
             const VisibleDevices::Describe& describe)
      : written_(written), backend_(backend), count_(count), describe_(describe) {}

  std::vector<std::uint32_t> run(const std::vector<VisibleEntry>& entries) {
    for (const VisibleEntry& entry : entries) {
      switch (entry.kind) {
        case Kind::kAll:
          indices_.resize(count_);
          std::iota(indices_.begin(), indices_.end(), 0U);
          break;
        case Kind::kIndices:
          add_indices(entry);
          break;
        case Kind::kPciAddress:
        case Kind::kUuid:
          add(entry, find(entry));
          break;
      }
    }
    return std::move(indices_);
  }

 private:
  [[nodiscard]] std::string_view part(const VisibleEntry& entry) const {
    return std::string_view(written_.text).substr(entry.range.offset, entry.range.length);
  }

  void add(const VisibleEntry& entry, std::uint32_t index) {
    if (std::find(indices_.begin(), indices_.end(), index) != indices_.end()) {
      throw selector_error(COLLET_ERROR_MALFORMED, written_, entry.range,
                           in_quotes(part(entry)) + " is device " + std::to_string(index) +
                               ", which is listed already",
                           "remove it");
    }
    indices_.push_back(index);
  }

  void add_indices(const VisibleEntry& entry) {
    if (entry.last >= count_) {
      throw selector_error(
          COLLET_ERROR_NO_SUCH_DEVICE, written_, entry.range,
          in_quotes(std::string(backend_) + ":" + std::string(part(entry))) +
              (entry.first == entry.last ? " does not exist" : " goes past the last device"),
          devices_of(backend_, count_));
    }
    for (std::uint32_t index = entry.first; index <= entry.last; ++index) {
      add(entry, index);
    }
  }

  [[nodiscard]] std::uint32_t find(const VisibleEntry& entry) {
    const bool by_uuid = entry.kind == Kind::kUuid;
    std::vector<std::string> there;
    for (std::uint32_t index = 0; index < count_; ++index) {
      const collet_device_properties_t device = describe_(index);
      const bool same =
          by_uuid ? plain_uuid(part(entry)) == plain_uuid(device.uuid)
                  : parse_pci_address(part(entry)) == parse_pci_address(device.pci_address);
      if (same) {
        return index;
      }
      there.emplace_back(by_uuid ? device.uuid : device.pci_address);
    }
    throw selector_error(COLLET_ERROR_NO_SUCH_DEVICE, written_, entry.range,
                         "no device of " + in_quotes(backend_) + " has the " +
                             (by_uuid ? "uuid " : "PCI address ") + in_quotes(part(entry)),
                         hint(part(entry), std::move(there)));
  }

  [[nodiscard]] std::string hint(std::string_view text, std::vector<std::string> there) const {
    std::erase(there, std::string());
    const std::string word = nearest(text, there);
    if (!word.empty()) {
      return "did you mean " + in_quotes(word) + "?";
    }
    return there.empty() ? "its devices do not tell theirs; " + devices_of(backend_, count_)
                         : devices_of(backend_, count_);
  }

  const Selector& written_;
  const std::string_view backend_;
  const std::uint32_t count_;
  const VisibleDevices::Describe& describe_;
  std::vector<std::uint32_t> indices_;
};

void check_names(const Selector& written, const std::vector<VisibleSection>& sections,
                 std::span<const std::string> known) {
  for (const VisibleSection& section : sections) {
    if (std::find(known.begin(), known.end(), section.backend) == known.end()) {
      std::string here;
      for (const std::string& name : known) {
        here += (here.empty() ? "\nback ends here: " : ", ") + name;
      }
      const Error error =
          selector_error(COLLET_ERROR_NO_SUCH_DEVICE, written, section.backend_range,
                         "there is no back end " + in_quotes(section.backend),
                         did_you_mean(section.backend, known));
      throw Error(error.status(),
                  error.message() + (here.empty() ? "\nthere are no back ends here" : here));
    }
  }
}

}  // namespace

std::vector<VisibleSection> parse_visible_devices(const Selector& written,
                                                  std::span<const std::string> known) {
  return Parser(written, known).parse();
}

VisibleDevices::VisibleDevices(Selector written, std::span<const std::string> known)
    : written_(std::move(written)), sections_(parse_visible_devices(*written_, known)) {
  check_names(*written_, sections_, known);
}

const VisibleSection* VisibleDevices::find(std::string_view backend) const noexcept {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(),
                   [&](const VisibleSection& section) { return section.backend == backend; });
  return found != sections_.end() ? &*found : nullptr;
}

bool VisibleDevices::restricts(std::string_view backend) const noexcept {
  const VisibleSection* section = find(backend);
  return written_ && (section == nullptr || section->entries.front().kind != Kind::kAll);
}

bool VisibleDevices::hides(std::string_view backend) const noexcept {
  return written_ && find(backend) == nullptr;
}

std::string VisibleDevices::text() const {
  return written_ ? written_->origin + "=" + in_quotes(written_->text) : "";
}

std::vector<std::uint32_t> VisibleDevices::map(std::string_view backend, std::uint32_t count,
                                               const Describe& describe) const {
  if (!written_) {
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  const VisibleSection* section = find(backend);
  return section == nullptr ? std::vector<std::uint32_t>{}
                            : Resolution(*written_, backend, count, describe).run(section->entries);
}

}  // namespace collet::loader
