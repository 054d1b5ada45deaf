// SPDX-License-Identifier: Apache-2.0
#include "backend.hpp"

#include <exception>
#include <new>

#include "descriptor.hpp"
#include "device.hpp"
#include "handle.hpp"
#include "interface_check.hpp"
#include "library.hpp"
#include "log.hpp"
#include "process.hpp"
#include "text.hpp"

namespace collet::loader {
namespace {

// More devices than any machine has: a count beyond it is a plugin's uninitialized variable.
constexpr std::uint32_t kMaxDevices = 4096;

[[noreturn]] void refuse_exception(const std::string& name, const std::string& what) {
  throw Error(COLLET_ERROR_INTERNAL,
              "back end \"" + name + "\" let an exception out of a C function" + what, name);
}

// Runs code of a plugin. What it throws, against the rules, becomes an Error; what it calls of
// Collet is refused as re-entrant.
template <class Call>
auto call_plugin(const std::string& name, Call&& call) {
  const CallbackScope scope;
  // A report that an earlier, successful call has left is not about this one.
  drop_report();
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    refuse_exception(name, std::string(": ") + error.what());
  } catch (...) {
    refuse_exception(name, "");
  }
}

void check(collet_status_t status, const std::string& name) {
  if (status != COLLET_OK) {
    throw_plugin_error(status, name);
  }
}

// Mends what a careless plugin may leave in the properties.
void terminate_texts(collet_device_properties_t& properties) noexcept {
  terminate(properties.name);
  terminate(properties.vendor);
  terminate(properties.capability);
  terminate(properties.runtime_version);
  terminate(properties.built_against);
  terminate(properties.pci_address);
  terminate(properties.uuid);
  terminate(properties.program_formats);
}

}  // namespace

Backend::Backend(const Candidate& candidate, const VisibleDevices& visible)
    : name_(candidate.name),
      path_(candidate.path),
      origin_(candidate.origin),
      visible_(visible),
      host_(candidate.name),
      phase_(candidate.phase) {
  if (!candidate.fault.empty()) {
    Error error(candidate.status, escaped(path_) + ": " + candidate.fault, name_);
    refuse(error.with_hint(candidate.hint));
  }
}

const collet_plugin_t& Backend::root() {
  if (state_.load(std::memory_order_acquire) == COLLET_BACKEND_FOUND) {
    load();
  }
  if (failure_) {
    throw Error(*failure_);
  }
  return *root_;
}

std::uint32_t Backend::device_count() {
  if (visible_.hides(name_)) {
    return 0;
  }
  root();
  return device_count_;
}

void Backend::load() {
  const std::lock_guard lock(mutex_);
  if (state_.load(std::memory_order_relaxed) != COLLET_BACKEND_FOUND) {
    return;
  }
  try {
    query_plugin();
    count_devices();
    find_visible_devices();
    devices_.resize(device_count_);
    log(COLLET_LOG_INFO, name_ + ": version " + version_ + ", " + counted(device_count_, "device") +
                             ", loaded from " + path_);
    state_.store(COLLET_BACKEND_READY, std::memory_order_release);
  } catch (const Error& error) {
    log(COLLET_LOG_INFO, name_ + ": unusable: " + error.message());
    refuse(error);
  }
}

void Backend::query_plugin() {
  log(COLLET_LOG_DEBUG, name_ + ": loading " + path_);
  const collet_plugin_t* root = nullptr;
  const collet_status_t status = call_plugin(name_, [&] {
    void* symbol = load_symbol(path_, COLLET_PLUGIN_QUERY_SYMBOL);
    phase_.store(COLLET_BACKEND_PHASE_LOADED);
    return reinterpret_cast<collet_plugin_query_fn_t>(symbol)(&host_, &root);
  });
  check(status, name_);
  check_root(root, name_);
  root_ = root;
  version_ = root->version;
  vendor_ = root->vendor;
  phase_.store(COLLET_BACKEND_PHASE_NEGOTIATED);
}

void Backend::count_devices() {
  std::uint32_t count = 0;
  check(call_plugin(name_, [&] { return root_->device_count(&count); }), name_);
  if (count > kMaxDevices) {
    throw Error(COLLET_ERROR_INTERNAL,
                "back end \"" + name_ + "\" says that it has " + std::to_string(count) + " devices",
                name_);
  }
  device_count_ = count;
  phase_.store(COLLET_BACKEND_PHASE_COUNTED);
}

void Backend::find_visible_devices() {
  const std::uint32_t physical = device_count_;
  try {
    visible_indices_ = visible_.map(name_, physical, [this](std::uint32_t index) {
      try {
        return physical_properties(index);
      } catch (const Error&) {
        // A device that does not answer has neither address nor uuid.
        return collet_device_properties_t{};
      }
    });
  } catch (const Error&) {
    misconfigured_.store(true);
    throw;
  }
  device_count_ = static_cast<std::uint32_t>(visible_indices_.size());
  if (visible_.restricts(name_)) {
    log(COLLET_LOG_INFO, name_ + ": " + std::to_string(device_count_) + " of " +
                             counted(physical, "device") + " visible by " + visible_.text());
  }
}

void Backend::refuse(const Error& error) {
  failure_.emplace(error);
  state_.store(COLLET_BACKEND_UNUSABLE, std::memory_order_release);
}

collet_device_properties_t Backend::properties(std::uint32_t index) {
  if (index >= device_count()) {
    throw Error(
        COLLET_ERROR_NO_SUCH_DEVICE,
        "there is no device \"" + name_ + ":" + std::to_string(index) + "\"; " + devices_text(),
        name_);
  }
  collet_device_properties_t result = physical_properties(physical_index(index));
  const std::string id = name_ + ":" + std::to_string(index);
  id.copy(result.id, sizeof result.id - 1);
  result.id[id.size()] = '\0';
  return result;
}

collet_device_properties_t Backend::physical_properties(std::uint32_t physical) {
  collet_device_properties_t result{};
  result.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof result, nullptr};
  check(call_plugin(name_, [&] { return root_->device_properties(physical, &result); }), name_);
  result.base = {COLLET_STRUCT_DEVICE_PROPERTIES, sizeof result, nullptr};
  terminate_texts(result);
  result.physical_index = physical;
  return result;
}

std::string Backend::device_label(std::uint32_t index) const {
  const std::string prefix = name_ + ":";
  const std::uint32_t physical = physical_index(index);
  const std::string label = prefix + std::to_string(index);
  return physical == index ? label
                           : label + " (physical " + prefix + std::to_string(physical) + ")";
}

collet_device_t* Backend::open(std::uint32_t index) {
  root();
  const std::lock_guard lock(mutex_);
  collet_device_t*& device = devices_.at(index);
  if (device == nullptr) {
    const std::uint64_t handle =
        call_plugin(name_, [&] { return pool<Device>().create(*this, index); });
    device = reinterpret_cast<collet_device_t*>(handle);
    SlotPool<Device>::find(device)->set_handle(device);
    log(COLLET_LOG_DEBUG, name_ + ": opened " + device_label(index));
  }
  return device;
}

collet_backend_info_t Backend::info() const noexcept {
  collet_backend_info_t info{};
  info.name = name_.c_str();
  info.path = path_.c_str();
  info.origin = origin_.c_str();
  info.version = "";
  info.vendor = "";
  info.reason = "";
  info.hint = "";
  info.state = state_.load(std::memory_order_acquire);
  info.phase = phase_.load();
  if (info.state != COLLET_BACKEND_FOUND) {
    info.version = version_.c_str();
    info.vendor = vendor_.c_str();
    info.device_count = device_count_;
  }
  if (info.state == COLLET_BACKEND_UNUSABLE) {
    info.reason = failure_->what();
    info.hint = failure_->hint().c_str();
    info.status = failure_->status();
  }
  return info;
}

std::string Backend::devices_text() {
  const bool restricted = visible_.restricts(name_);
  const char* noun = restricted ? "visible device" : "device";
  const std::string behind = restricted ? ", by " + visible_.text() : "";
  const std::uint32_t count = device_count();
  if (count == 0) {
    return name_ + " has no " + noun + "s" + behind;
  }
  std::string text = name_ + " has " + counted(count, noun) + ": " + device_label(0);
  if (count > 1) {
    text += (count == 2 ? " and " : " to ") + device_label(count - 1);
  }
  return text + behind;
}

}  // namespace collet::loader
