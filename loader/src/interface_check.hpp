// SPDX-License-Identifier: Apache-2.0
// Checks that what a plugin hands over fits this library: version, size, and no empty slot.
#pragma once

#include <collet/plugin.h>

#include <string>

namespace collet::loader {

// Throws INCOMPATIBLE, naming both sides, unless the root table is one of the back end `name` and
// of this major version, and complete. Minor versions may differ: tables only ever grow.
void check_root(const collet_plugin_t* root, const std::string& name);

// Throws INCOMPATIBLE, naming the back end, the table and the slot, unless the table is complete.
// Tables of ids that this library does not know are only checked for being there.
void check_complete(collet_interface_t id, const void* table, const std::string& backend);

}  // namespace collet::loader
