# SPDX-License-Identifier: Apache-2.0
"""Faults of the ledger, of variables, and of visible devices."""

from fault import Edit, fault

ENVIRONMENT = [
    fault("load8-phase", "HOST-LOAD-8", "the ledger does not tell how far a plugin got",
          Edit("plugin.cpp", "phase = COLLET_BACKEND_PHASE_NEGOTIATED;", "")),
    fault("load8-hint", "HOST-LOAD-8", "the ledger lacks what to do",
          Edit("plugin.cpp",
               'info.hint = known.failure ? known.failure->hint().c_str() : "";',
               'info.hint = "";')),
    fault("load8-unreadable", "HOST-LOAD-8", "a wrong configuration closes the ledger",
          Edit("api_device.cpp", "Registry::instance()", "Registry::usable()",
               after="const auto& ledger =")),
    fault("load8-forgiven", "HOST-LOAD-8", "a wrong configuration is an error only once",
          Edit("registry.cpp", "throw Error(*registry.failure_);",
               """const Error failure = *registry.failure_;
                  registry.failure_.reset();
                  throw Error(failure);""")),
    fault("load9-ignored", "HOST-LOAD-9", "COLLET_PLUGINS is ignored",
          Edit("registry.cpp", "candidate.fault.empty() && !allowed_.allows(candidate.name)",
               "false")),
    fault("load9-hidden", "HOST-LOAD-9", "what COLLET_PLUGINS does not name is not in the ledger",
          Edit("registry.cpp", "add(candidate);",
               "if (allowed_.allows(candidate.name)) { add(candidate); }")),

    fault("env1-silent", "HOST-ENV-1", "variables that nothing reads are passed over in silence",
          Edit("registry.cpp", "log(COLLET_LOG_WARN, text_of(unread));", "")),
    fault("env1-nearest", "HOST-ENV-1", "the nearest known name is not told",
          Edit("variable_names.cpp", "variable.meant.empty()", "true")),
    fault("env1-options", "HOST-ENV-1", "the options of back ends are warned about",
          Edit("variable_names.cpp", "is_option(suffix)", "false")),
    fault("env2-log", "HOST-ENV-2", "a COLLET_LOG that is junk is passed over in silence",
          Edit("log.cpp", """fault = "COLLET_LOG: " + in_quotes(*text) +
            " is not understood, and warn is used; write off, error, warn, info, debug or trace, "
            "and optionally a file behind it, such as debug:/tmp/collet.log";""", "")),
    fault("env2-device", "HOST-ENV-2", "where COLLET_DEVICE is junk, the best device is taken",
          Edit("registry.cpp", "open_selected(*this, default_selector_)", """[&] {
                 try {
                   return open_selected(*this, default_selector_);
                 } catch (const Error&) {
                   return open_selected(*this, {"auto", "auto"});
                 }
               }()""")),

    fault("vis1-described", "HOST-VIS-1", "a device is described by its old number",
          Edit("backend.cpp", "plugin_.properties(physical)", "plugin_.properties(index)")),
    fault("vis1-opened", "HOST-VIS-1", "a device is opened by its old number",
          Edit("device.cpp", "owner.physical_index(index)", "index")),
    fault("vis1-text", "HOST-VIS-1", "texts lack the old number",
          Edit("backend.cpp", "physical == index", "true")),
    fault("vis2-loaded", "HOST-VIS-2", "a back end without visible devices is loaded",
          Edit("backend.hpp", "visible_.hides(name())", "false")),
    fault("vis2-empty", "HOST-VIS-2", "empty shows all devices",
          Edit("configuration.cpp", 'variable("COLLET_VISIBLE_DEVICES")', """[] {
                 auto value = variable("COLLET_VISIBLE_DEVICES");
                 return value && value->empty() ? std::nullopt : value;
               }()""")),
    fault("vis3-unknown", "HOST-VIS-3", "an unknown back end is passed over",
          Edit("visible_devices.cpp",
               "std::find(known.begin(), known.end(), section.backend) == known.end()", "false")),
    fault("vis3-fall-back", "HOST-VIS-3", "a device that does not exist is passed over in a list",
          Edit("selection.cpp", "is_misconfigured(item)", "false",
               after="return open(item);")),
    fault("vis4-environment", "HOST-VIS-4", "the environment wins over the configuration",
          Edit("configuration.cpp", "*visible_devices",
               'variable("COLLET_VISIBLE_DEVICES").value_or(*visible_devices)',
               after='"collet_configure: visible_devices",')),
]
