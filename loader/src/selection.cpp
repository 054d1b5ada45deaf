// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "backend.hpp"
#include "gpu_driver.hpp"
#include "log.hpp"
#include "registry.hpp"

namespace collet::loader {
namespace {

struct Choice {
  Backend* backend;
  std::uint32_t index;
  collet_device_properties_t properties;
};

std::string id_of(const Choice& choice) { return choice.backend->device_label(choice.index); }

int rank_of(const collet_device_properties_t& properties) {
  switch (properties.kind) {
    case COLLET_DEVICE_KIND_GPU:
      return 0;
    case COLLET_DEVICE_KIND_ACCELERATOR:
      return 1;
    default:
      // A processor that is called directly, before the same one behind a driver.
      return (properties.flags & COLLET_DEVICE_INLINE_STREAMS) != 0 ? 2 : 3;
  }
}

bool goes_before(const Choice& a, const Choice& b) {
  const auto key = [](const Choice& choice) {
    return std::tuple(rank_of(choice.properties), ~choice.properties.memory_bytes,
                      std::string_view(choice.backend->name()), choice.index);
  };
  return key(a) < key(b);
}

// The devices of a back end that "auto" may choose; none where it is unusable. Throws only where
// COLLET_VISIBLE_DEVICES names devices that do not exist.
void add_choices(Backend& backend, std::vector<Choice>& choices) {
  try {
    const std::uint32_t count = backend.device_count();
    for (std::uint32_t index = 0; index < count; ++index) {
      const Choice choice{&backend, index, backend.properties(index)};
      if (choice.properties.kind != COLLET_DEVICE_KIND_SIMULATED) {
        choices.push_back(choice);
      }
    }
  } catch (const Error& error) {
    if (backend.is_misconfigured()) {
      throw;
    }
    log(COLLET_LOG_INFO, "auto: " + backend.name() + " is passed over: " + error.message());
  }
}

// A person with a GPU who lands on the CPU wants to know why. What kind of device an unusable
// plugin is for cannot be known, so all of them are named, once.
void warn_of_unusable(const Registry& registry, const std::string& chosen) {
  static std::atomic<bool> warned{false};
  std::string text;
  for (const Backend* backend : registry.backends()) {
    const collet_backend_info_t info = backend->info();
    if (info.state == COLLET_BACKEND_UNUSABLE) {
      text += "\n" + backend->name() + " is installed but not usable: " + info.reason;
    }
  }
  if (!text.empty() && !warned.exchange(true)) {
    log(COLLET_LOG_WARN, "auto has chosen " + chosen + text);
  }
}

// The same where the plugin was never installed, as in a build for machines without GPUs.
void warn_of_missing(const Registry& registry, const std::string& chosen) {
  static std::atomic<bool> warned{false};
  for (const GpuDriver& driver : find_gpu_drivers()) {
    if (!registry.misses(driver.backend) || warned.exchange(true)) {
      continue;
    }
    log(COLLET_LOG_WARN, "auto: the driver of an " + driver.vendor + " GPU is here (" +
                             driver.sign + "), and there is no back end " +
                             in_quotes(driver.backend) + "; install its plugin, or set " +
                             "COLLET_DEVICE=" + chosen + " if that is what you want");
  }
}

collet_device_t* open_auto(Registry& registry) {
  registry.learn_all();
  std::vector<Choice> choices;
  for (Backend* backend : registry.backends()) {
    add_choices(*backend, choices);
  }
  std::sort(choices.begin(), choices.end(), goes_before);
  std::string reasons;
  for (const Choice& choice : choices) {
    try {
      collet_device_t* device = choice.backend->open(choice.index);
      log(COLLET_LOG_INFO, "auto: " + id_of(choice) + ", " + choice.properties.name);
      if (choice.properties.kind == COLLET_DEVICE_KIND_CPU) {
        warn_of_unusable(registry, id_of(choice));
        warn_of_missing(registry, choice.backend->name() + ":" + std::to_string(choice.index));
      }
      return device;
    } catch (const Error& error) {
      log(COLLET_LOG_WARN, "auto: " + id_of(choice) + " is passed over: " + error.message());
      reasons += "\n" + id_of(choice) + ": " + error.message();
    }
  }
  throw Error(COLLET_ERROR_UNAVAILABLE,
              "no back end has a device that \"auto\" may choose" + reasons);
}

collet_device_t* open_first(Backend& backend) {
  const std::uint32_t count = backend.device_count();
  if (count == 0) {
    throw Error(COLLET_ERROR_NO_SUCH_DEVICE, backend.devices_text(), backend.name());
  }
  for (std::uint32_t index = 0;; ++index) {
    try {
      return backend.open(index);
    } catch (const Error& error) {
      if (index + 1 == count) {
        throw;
      }
      log(COLLET_LOG_INFO, backend.device_label(index) + " is passed over: " + error.message());
    }
  }
}

// "back ends here: cpu (1 device), opencl (2 devices)", and why the others are not usable. Looks at
// them all: the process is about to end with an error, and this is what it takes to mend it.
std::string backends_here(Registry& registry) {
  registry.learn_all();
  std::string usable;
  std::string unusable;
  for (Backend* backend : registry.backends()) {
    try {
      const std::uint32_t count = backend->device_count();
      usable +=
          (usable.empty() ? "" : ", ") + backend->name() + " (" + counted(count, "device") + ")";
    } catch (const Error& error) {
      unusable += "\n" + backend->name() + " is installed but not usable: " + error.message();
    }
  }
  const std::string none = "there are no usable back ends here; " + registry.search_text();
  const std::string hidden = registry.visible_devices().text();
  return "\n" + (usable.empty() ? none : "back ends here: " + usable) + unusable +
         (hidden.empty() ? "" : "\n" + hidden + " hides devices");
}

class Opening {
 public:
  Opening(Registry& registry, const Selector& selector)
      : registry_(registry),
        selector_(selector),
        items_(parse_selector(selector, registry.names())) {}

  collet_device_t* run() {
    for (const SelectorItem& item : items_) {
      if (!item.is_auto() && registry_.find(item.backend) == nullptr) {
        refuse_name(item);
      }
    }
    std::vector<Error> errors;
    for (const SelectorItem& item : items_) {
      try {
        return open(item);
      } catch (const Error& error) {
        if (is_misconfigured(item)) {
          throw;
        }
        log(COLLET_LOG_INFO, selector_.origin + ": " + in_quotes(written(item)) +
                                 " is passed over: " + error.message());
        errors.push_back(error);
      }
    }
    if (items_.size() == 1) {
      refuse_single(items_.front(), errors.front());
    }
    refuse_all(errors);
  }

 private:
  [[nodiscard]] std::string written(const SelectorItem& item) const {
    return item.index ? item.backend + ":" +
                            selector_.text.substr(item.index_range.offset, item.index_range.length)
                      : item.backend;
  }

  [[nodiscard]] bool is_misconfigured(const SelectorItem& item) const {
    return item.is_auto()
               ? std::any_of(registry_.backends().begin(), registry_.backends().end(),
                             [](const Backend* backend) { return backend->is_misconfigured(); })
               : registry_.find(item.backend)->is_misconfigured();
  }

  // " (physical cuda:2)", where the item is a device that has another index in the plugin.
  [[nodiscard]] std::string physical_text(const SelectorItem& item) const {
    const Backend& backend = *registry_.find(item.backend);
    if (!item.index || *item.index >= backend.info().device_count) {
      return {};
    }
    const std::string label = backend.device_label(*item.index);
    const std::size_t space = label.find(' ');
    return space != std::string::npos ? label.substr(space) : "";
  }

  collet_device_t* open(const SelectorItem& item) {
    if (item.is_auto()) {
      return open_auto(registry_);
    }
    Backend& backend = *registry_.find(item.backend);
    if (!item.index) {
      return open_first(backend);
    }
    if (*item.index >= backend.device_count()) {
      throw Error(COLLET_ERROR_NO_SUCH_DEVICE, backend.devices_text(), backend.name());
    }
    return backend.open(*item.index);
  }

  [[noreturn]] void refuse_name(const SelectorItem& item) {
    Error error = selector_error(COLLET_ERROR_NO_SUCH_DEVICE, selector_, item.backend_range,
                                 "there is no back end " + in_quotes(item.backend),
                                 did_you_mean(item.backend, registry_.names()));
    throw Error(error.status(), error.message() + backends_here(registry_));
  }

  [[noreturn]] void refuse_single(const SelectorItem& item, const Error& error) {
    if (error.status() == COLLET_ERROR_NO_SUCH_DEVICE) {
      throw selector_error(error.status(), selector_,
                           item.index ? item.index_range : item.backend_range,
                           "there is no device " + in_quotes(written(item)), error.message());
    }
    if (item.is_auto()) {
      throw Error(error.status(),
                  selector_.origin + ": " + error.message() + backends_here(registry_));
    }
    Error unusable(error.status(),
                   selector_.origin + ": " + in_quotes(written(item)) + physical_text(item) +
                       " is not usable: " + error.message(),
                   error.backend());
    throw Error(unusable.with_native(error.native_code(), error.native_name()));
  }

  [[noreturn]] void refuse_all(const std::vector<Error>& errors) {
    std::string text =
        selector_.origin + ": nothing in " + in_quotes(selector_.text) + " is usable";
    for (std::size_t i = 0; i < errors.size(); ++i) {
      text += "\n    " + written(items_[i]) + ": " + one_line(errors[i].message());
    }
    throw Error(COLLET_ERROR_UNAVAILABLE, text);
  }

  Registry& registry_;
  const Selector& selector_;
  const std::vector<SelectorItem> items_;
};

}  // namespace

collet_device_t* open_selected(Registry& registry, const Selector& selector) {
  return Opening(registry, selector).run();
}

}  // namespace collet::loader
