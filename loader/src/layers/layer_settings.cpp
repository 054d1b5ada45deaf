// SPDX-License-Identifier: Apache-2.0
#include "layers/layer_settings.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "environment.hpp"
#include "grammar.hpp"

namespace collet::loader {
namespace {

struct KnownLayer {
  const char* name;
  bool LayerSettings::*is_on;
};

constexpr std::array<KnownLayer, 1> kLayers = {{{"validate", &LayerSettings::is_validating}}};

[[noreturn]] void refuse_layer(const Selector& written, TextRange range, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const KnownLayer& layer : kLayers) {
    names.emplace_back(layer.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  if (name.empty()) {
    throw selector_error(COLLET_ERROR_MALFORMED, written, {range.offset, 0},
                         "the name of a layer is missing", "there is " + list);
  }
  const std::string meant = nearest(name, names);
  throw selector_error(
      COLLET_ERROR_MALFORMED, written, range, "there is no layer " + in_quotes(name),
      meant.empty() ? "there is " + list : "did you mean " + in_quotes(meant) + "?");
}

}  // namespace

void parse_layers(const Selector& written, LayerSettings& settings) {
  if (written.text.empty()) {
    return;
  }
  for (const TextRange range : split(written.text, {0, written.text.size()}, ',')) {
    const std::string name = written.text.substr(range.offset, range.length);
    bool LayerSettings::*is_on = nullptr;
    for (const KnownLayer& layer : kLayers) {
      is_on = name == layer.name ? layer.is_on : is_on;
    }
    if (is_on == nullptr) {
      refuse_layer(written, range, name);
    }
    if (settings.*is_on) {
      throw selector_error(COLLET_ERROR_MALFORMED, written, range,
                           in_quotes(name) + " is given twice", "remove one of them");
    }
    settings.*is_on = true;
  }
}

void parse_launch_blocking(const Selector& written, LayerSettings& settings) {
  if (written.text != "0" && written.text != "1") {
    throw selector_error(COLLET_ERROR_MALFORMED, written, {0, written.text.size()},
                         in_quotes(written.text) + " is not understood", "write 0 or 1");
  }
  settings.is_launch_blocking = written.text == "1";
}

LayerSettings layer_settings_from_environment() {
  LayerSettings settings;
  if (std::optional<std::string> text = variable("COLLET_LAYERS")) {
    parse_layers({"COLLET_LAYERS", *std::move(text)}, settings);
  }
  if (std::optional<std::string> text = variable("COLLET_LAUNCH_BLOCKING")) {
    parse_launch_blocking({"COLLET_LAUNCH_BLOCKING", *std::move(text)}, settings);
  }
  return settings;
}

}  // namespace collet::loader
