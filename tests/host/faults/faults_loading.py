# SPDX-License-Identifier: Apache-2.0
"""Faults of loading and selection."""

from fault import Edit, fault

LOAD_ALL = """for (Backend* other : registry_.backends()) {
  try { other->root(); } catch (const Error&) {}
}"""

LOADING = [
    fault("load1-listing-loads", "HOST-LOAD-1", "listing the back ends loads their plugins",
          Edit("api_device.cpp",
               "*out_count = static_cast<uint32_t>(Registry::instance().ledger().size());",
               """for (const auto& backend : Registry::instance().ledger()) {
                    try { backend->root(); } catch (const Error&) {}
                  }
                  *out_count = static_cast<uint32_t>(Registry::instance().ledger().size());""")),
    fault("load1-opening-loads-all", "HOST-LOAD-1", "opening a device loads all plugins",
          Edit("selection.cpp", "registry_.find(item.backend) == nullptr",
               f"[&] {{ {LOAD_ALL} return registry_.find(item.backend) == nullptr; }}()")),
    fault("load2-relative", "HOST-LOAD-2", "a relative folder is searched",
          Edit("plugin_folders.cpp", "!fs::path(entry).is_absolute()", "false")),
    fault("load2-empty", "HOST-LOAD-2", "an empty entry is the current directory",
          Edit("plugin_folders.cpp", "entry.empty()",
               "entry.empty() && "
               "(all.folders.push_back({fs::current_path().string(), path->origin}), true)")),
    fault("load2-silent", "HOST-LOAD-2", "an entry that is not searched is passed over in silence",
          Edit("registry.cpp", 'text += "\\n" + warning;', "")),
    fault("load3-elsewhere", "HOST-LOAD-3", "without a path another folder is searched",
          Edit("plugin_folders.cpp", "folder_of_address(&kAnchor)", 'std::string("/usr/lib")')),
    fault("load3-default-too", "HOST-LOAD-3", "the default folder is searched beside a path",
          Edit("plugin_folders.cpp", "all.folders.push_back({entry, path->origin});",
               "all.folders.push_back({entry, path->origin}); append(all, default_folders());")),
    fault("load4-first-of-a-name", "HOST-LOAD-4", "an unusable file hides a good one of its name",
          Edit("registry.cpp", "backends_.back()->info().state == COLLET_BACKEND_UNUSABLE",
               "false")),
    fault("load4-reason", "HOST-LOAD-4", "a refused candidate loses its reason",
          Edit("plugin.cpp", 'info.reason = known.failure ? known.failure->what() : "";',
               'info.reason = "";')),
    # That any major version is taken cannot be shown here: the probe, which is no part of the
    # library, refuses such a plugin before the library looks at it.
    fault("load5-minor", "HOST-LOAD-5", "a newer minor version is refused",
          Edit("interface_check.cpp", "(root->abi_version >> 16) != COLLET_ABI_MAJOR",
               "root->abi_version != COLLET_ABI_VERSION")),
    fault("load5-null-slot", "HOST-LOAD-5", "a table without a function is taken",
          Edit("interface_check.cpp", "value == nullptr", "false")),
    fault("load5-text", "HOST-LOAD-5", "the text does not name the slot",
          Edit("interface_check.cpp", "std::string(slot.name)", 'std::string("?")')),
    fault("load6-another-error", "HOST-LOAD-6", "the second call has another error",
          Edit("plugin.cpp", "throw Error(*known.failure);",
               """static int calls = 0;
                  if (calls++ > 0) {
                    throw Error(COLLET_ERROR_UNAVAILABLE, "it is not usable", name());
                  }
                  throw Error(*known.failure);""", after="if (known.failure) {")),
    fault("load7-environment", "HOST-LOAD-7", "an elevated process heeds the environment",
          Edit("environment.cpp", "secure_getenv(name)", "std::getenv(name)")),
    fault("load10-settings", "HOST-LOAD-10", "the settings of a manifest are dropped",
          Edit("host_services.cpp", "!value && given != defaults_.end()", "false")),
    fault("load11-copies", "HOST-LOAD-11", "copies of a library are taken for different plugins",
          Edit("discovery.cpp",
               "!candidate.build_id.empty() && candidate.build_id == other.build_id", "false")),
    fault("load12-forgets", "HOST-LOAD-12", "what probes have found is not remembered",
          Edit("prober.cpp", "!recall(*plugin, machine)", "true")),
    fault("load12-stale", "HOST-LOAD-12", "what is remembered of another file is taken",
          Edit("probe_cache.cpp", "rest.get_text() != key",
               "(static_cast<void>(rest.get_text()), false)")),
    fault("load13-unprobed", "HOST-LOAD-13", "plugins are loaded without a probe",
          Edit("prober.cpp", "setting_.enabled && !helper_.empty()", "false")),
    fault("load13-in-turn", "HOST-LOAD-13", "plugins are probed one after the other",
          Edit("prober.cpp", "probe(helper_, requests, setting_.deadline)", """[&] {
                 std::vector<ProbeResult> all;
                 for (const ProbeRequest& request : requests) {
                   all.push_back(std::move(
                       probe(helper_, std::span(&request, 1), setting_.deadline).front()));
                 }
                 return all;
               }()""")),

    fault("sel1-leading-zero", "HOST-SEL-1", "an index may have leading zeros",
          Edit("grammar.cpp", "digits.size() > 1 && digits.front() == '0'", "false")),
    fault("sel1-spaces", "HOST-SEL-1", "spaces in a selector are passed over",
          Edit("grammar.cpp", "space != item.end()", "false")),
    fault("sel1-caret", "HOST-SEL-1", "the text has no caret",
          Edit("grammar.cpp", "with_caret(selector.text, range, hint)", "std::string()")),
    fault("sel2-nearest", "HOST-SEL-2", "the nearest name is not told",
          Edit("selection.cpp", "did_you_mean(item.backend, registry_.names())", "std::string()")),
    fault("sel2-index", "HOST-SEL-2", "an index past the last device is an internal error",
          Edit("selection.cpp", "*item.index >= backend.device_count()", "false")),
    fault("sel3-auto", "HOST-SEL-3", "where nothing of a list is usable, the best device is taken",
          Edit("selection.cpp", "refuse_all(errors);", "return open_auto(registry_);")),
    fault("sel3-reasons", "HOST-SEL-3", "the text lacks the reasons",
          Edit("selection.cpp", "one_line(errors[i].message())", "std::string()")),
    fault("sel4-simulated", "HOST-SEL-4", "auto takes a simulated device",
          Edit("selection.cpp", "choice.properties.kind != COLLET_DEVICE_KIND_SIMULATED", "true")),
    fault("sel4-memory", "HOST-SEL-4", "auto prefers less memory",
          Edit("selection.cpp", "~choice.properties.memory_bytes",
               "choice.properties.memory_bytes")),
    fault("sel4-kind", "HOST-SEL-4", "auto does not look at the kind",
          Edit("selection.cpp", "rank_of(choice.properties)", "0")),
    fault("sel4-driver", "HOST-SEL-4", "auto prefers a processor behind a driver for its memory",
          Edit("selection.cpp", "COLLET_DEVICE_INLINE_STREAMS", "0")),
    fault("sel4-no-plugin", "HOST-SEL-4", "auto is silent about a driver without a plugin",
          Edit("selection.cpp", "!registry.misses(driver.backend)", "true")),
    fault("sel4-left-out", "HOST-SEL-4", "auto misses back ends that settings leave out",
          Edit("registry.cpp", "allowed_.allows(name) && !visible_devices_.hides(name)", "true")),
    fault("sel5-empty", "HOST-SEL-5", "a variable that is empty counts as unset",
          Edit("configuration.cpp", 'variable("COLLET_DEVICE")', """[] {
                 auto value = variable("COLLET_DEVICE");
                 return value && value->empty() ? std::nullopt : value;
               }()""")),
    fault("sel6-another-handle", "HOST-SEL-6", "opening a device again gives another handle",
          Edit("backend.cpp", "opening.stage.begin()", "(opening.stage.begin(), true)")),
]
