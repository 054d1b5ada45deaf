# SPDX-License-Identifier: Apache-2.0
"""Faults of the layers between the program and the plugins."""

from fault import Edit, fault

VALIDATOR = "layers/validate/validator.cpp"

LAYERS = [
    fault("lay1-unknown", "HOST-LAY-1", "a layer that does not exist is left out",
          Edit("layers/layer_settings.cpp", "refuse_layer(written, range, name);", "continue;")),
    fault("lay1-twice", "HOST-LAY-1", "a layer may be given twice",
          Edit("layers/layer_settings.cpp", "settings.*is_on", "false", after="refuse_layer(written, range, name);")),
    fault("lay1-blocking", "HOST-LAY-1", "COLLET_LAUNCH_BLOCKING takes anything",
          Edit("layers/layer_settings.cpp", 'written.text != "0" && written.text != "1"', "false")),

    fault("lay2-no-wait", "HOST-LAY-2", "a command is not waited for",
          Edit("layers/launch_blocking.cpp", "status == COLLET_OK", "false")),
    fault("lay2-off", "HOST-LAY-2", "the layer is never there",
          Edit("device.cpp", "settings.is_launch_blocking", "false")),

    fault("lay3-blind", "HOST-LAY-3", "nothing is found",
          Edit(VALIDATOR, "earlier.stream == stream.number", "true")),
    fault("lay3-event", "HOST-LAY-3", "a wait for an event does not order",
          Edit(VALIDATOR, "stream.before.join(event.recorded);", "")),
    fault("lay3-host", "HOST-LAY-3", "a wait of the host does not order",
          Edit(VALIDATOR, "host_.join(clock);", "")),
    fault("lay3-later", "HOST-LAY-3", "a wait orders what its event does not have",
          Edit(VALIDATOR, "clock.see(stream.number, stream.commands);",
               "clock.see(stream.number, stream.commands + 1);")),
    fault("lay3-ranges", "HOST-LAY-3", "all of a buffer counts as touched",
          Edit(VALIDATOR, "!overlap(access.region, other.region)", "false")),
    fault("lay3-rows", "HOST-LAY-3", "the gaps of a rectangle count as touched",
          Edit("layers/validate/region.cpp", "region.is_dense()", "true")),
    fault("lay3-kernels", "HOST-LAY-3", "two kernels may not share memory",
          Edit(VALIDATOR, "(a == Touch::kMayWrite) != (b == Touch::kMayWrite)",
               "a == Touch::kMayWrite || b == Touch::kMayWrite")),
    fault("lay3-pinned", "HOST-LAY-3", "pinned memory is not looked at",
          Edit(VALIDATOR, "entry->second->host <= first", "false")),
    fault("lay3-label", "HOST-LAY-3", "the label of a command is not told",
          Edit("layers/validate/texts.cpp", "command.label.empty()", "true")),

    fault("lay4-blind", "HOST-LAY-4", "every stream counts as declared",
          Edit(VALIDATOR, "!done.has_seen(command.stream, command.number)", "false")),
    fault("lay4-declared", "HOST-LAY-4", "a declaration does not count",
          Edit(VALIDATOR, "done.see(stream.number, stream.commands);", "")),
    fault("lay4-ordered", "HOST-LAY-4", "what a declared stream waits for does not count",
          Edit(VALIDATOR, "done.join(stream.before);", "")),
    fault("lay4-registered", "HOST-LAY-4", "registered memory may be released at any time",
          Edit("layers/validate/validate.cpp", "validator().registered(memory, size_bytes);", "")),

    fault("lay5-blind", "HOST-LAY-5", "a source counts as unchanged",
          Edit("layers/validate/validator.hpp", "of(start, size_bytes).hash != hash", "false")),
    fault("lay5-forgotten", "HOST-LAY-5", "a source that is released is not looked at",
          Edit(VALIDATOR, "drop_sources(memory.host + place.offset_bytes, place.size_bytes);", ""),
          Edit(VALIDATOR, "drop_sources(memory.host, memory.size_bytes);", "")),
    fault("lay5-kept", "HOST-LAY-5", "a source is looked at when its copy is complete long since",
          Edit(VALIDATOR, "return true;", "return false;", after="check_source(pending);\n      }")),

    fault("lay6-blind", "HOST-LAY-6", "all memory counts as written",
          Edit(VALIDATOR, "touched.touch != Touch::kReads", "true")),
    fault("lay6-written", "HOST-LAY-6", "what a command writes counts as never written",
          Edit(VALIDATOR, "one.touch != Touch::kReads", "false")),

    fault("lay7-count", "HOST-LAY-7", "hazards are not counted",
          Edit(VALIDATOR, "count = reports_.count();", "count = 0;")),
    fault("lay7-leaks", "HOST-LAY-7", "what was not released is not told",
          Edit("layers/validate/exit_report.cpp", "is_on.load(std::memory_order_relaxed)", "false")),
    fault("lay7-callback", "HOST-LAY-7", "the callback of a program that has ended is called",
          Edit("log.cpp", "log == nullptr || log->callback == nullptr", "true")),

    fault("lay8-again", "HOST-LAY-8", "a pair of places is told each time",
          Edit("layers/validate/reports.hpp", "seen_.emplace(kind, first, second).second", "true")),
]
