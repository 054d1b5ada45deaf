// SPDX-License-Identifier: Apache-2.0
#include "backend.hpp"

#include "device.hpp"
#include "handle.hpp"
#include "log.hpp"
#include "text.hpp"

namespace collet::loader {

const std::vector<std::uint32_t>& Backend::visible_indices() {
  const PluginFacts& facts = plugin_.facts();
  const Mapping* mapping = mapping_.load(std::memory_order_acquire);
  if (mapping == nullptr || mapping->facts != &facts) {
    const std::lock_guard lock(mapping_mutex_);
    mapping = mapping_.load(std::memory_order_relaxed);
    if (mapping == nullptr || mapping->facts != &facts) {
      mapping = &mappings_.emplace_front(make_mapping(facts));
      mapping_.store(mapping, std::memory_order_release);
    }
  }
  if (mapping->fault) {
    throw Error(*mapping->fault);
  }
  return mapping->indices;
}

Backend::Mapping Backend::make_mapping(const PluginFacts& facts) const {
  const auto physical = static_cast<std::uint32_t>(facts.devices.size());
  Mapping mapping{&facts, {}, {}};
  try {
    // A device that does not answer has neither address nor uuid.
    mapping.indices = visible_.map(
        name(), physical, [&](std::uint32_t index) { return facts.devices[index].properties; });
  } catch (const Error& error) {
    log(COLLET_LOG_INFO, name() + ": unusable: " + error.message());
    mapping.fault.emplace(error);
    return mapping;
  }
  if (visible_.restricts(name())) {
    log(COLLET_LOG_INFO, name() + ": " + std::to_string(mapping.indices.size()) + " of " +
                             counted(physical, "device") + " visible by " + visible_.text());
  }
  return mapping;
}

std::uint32_t Backend::device_count() {
  return is_hidden() ? 0 : static_cast<std::uint32_t>(visible_indices().size());
}

std::uint32_t Backend::physical_index(std::uint32_t index) const {
  return mapping_.load(std::memory_order_acquire)->indices.at(index);
}

bool Backend::is_misconfigured() const noexcept {
  const Mapping* mapping = mapping_.load(std::memory_order_acquire);
  return mapping != nullptr && mapping->fault;
}

void Backend::refuse_index(std::uint32_t index) {
  throw Error(
      COLLET_ERROR_NO_SUCH_DEVICE,
      "there is no device \"" + name() + ":" + std::to_string(index) + "\"; " + devices_text(),
      name());
}

collet_device_properties_t Backend::properties(std::uint32_t index) {
  if (index >= device_count()) {
    refuse_index(index);
  }
  const std::uint32_t physical = physical_index(index);
  collet_device_properties_t result = plugin_.properties(physical);
  result.physical_index = physical;
  const std::string id = name() + ":" + std::to_string(index);
  id.copy(result.id, sizeof result.id - 1);
  result.id[id.size()] = '\0';
  return result;
}

std::string Backend::device_label(std::uint32_t index) const {
  const std::string prefix = name() + ":";
  const std::uint32_t physical = physical_index(index);
  const std::string label = prefix + std::to_string(index);
  return physical == index ? label
                           : label + " (physical " + prefix + std::to_string(physical) + ")";
}

collet_device_t* Backend::open(std::uint32_t index) {
  const std::uint32_t count = plugin_.module().device_count();
  if (counting_.begin()) {
    StageWork work(counting_);
    openings_.resize(count);
    work.end();
  }
  // Fewer, perhaps, than the probe has found.
  if (index >= device_count()) {
    refuse_index(index);
  }
  Opening& opening = openings_.at(physical_index(index));
  if (opening.stage.begin()) {
    StageWork work(opening.stage);
    const std::uint64_t handle =
        call_plugin(name(), [&] { return pool<Device>().create(*this, index); });
    auto* device = reinterpret_cast<collet_device_t*>(handle);
    SlotPool<Device>::find(device)->set_handle(device);
    log(COLLET_LOG_DEBUG, name() + ": opened " + device_label(index));
    opening.device.store(device, std::memory_order_release);
    work.end();
  }
  return opening.device.load(std::memory_order_acquire);
}

collet_backend_info_t Backend::info() const noexcept {
  collet_backend_info_t info = plugin_.info();
  const Mapping* mapping = mapping_.load(std::memory_order_acquire);
  if (info.state != COLLET_BACKEND_READY || mapping == nullptr) {
    return info;
  }
  info.device_count = static_cast<std::uint32_t>(mapping->indices.size());
  if (mapping->fault) {
    info.state = COLLET_BACKEND_UNUSABLE;
    info.status = mapping->fault->status();
    info.reason = mapping->fault->what();
    info.hint = mapping->fault->hint().c_str();
  }
  return info;
}

std::string Backend::devices_text() {
  const bool restricted = visible_.restricts(name());
  const char* noun = restricted ? "visible device" : "device";
  const std::string behind = restricted ? ", by " + visible_.text() : "";
  const std::uint32_t count = device_count();
  if (count == 0) {
    return name() + " has no " + noun + "s" + behind;
  }
  std::string text = name() + " has " + counted(count, noun) + ": " + device_label(0);
  if (count > 1) {
    text += (count == 2 ? " and " : " to ") + device_label(count - 1);
  }
  return text + behind;
}

}  // namespace collet::loader
