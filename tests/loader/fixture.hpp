// SPDX-License-Identifier: Apache-2.0
// What the tests of the exported functions share: a process that sees certain plugins, and texts
// that say what Collet answered.
#pragma once

#include <collet/collet.h>

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <string>

#include "support/child.hpp"

namespace collet::test {

// The folders of fake plugins, as a COLLET_PLUGIN_PATH.
std::string plugin_path(std::initializer_list<std::string> folders);

// Runs the body in a child whose environment has that COLLET_PLUGIN_PATH, and no other variable of
// Collet's.
ChildResult with_plugins(std::initializer_list<std::string> folders,
                         const std::function<void(std::ostream&)>& body);

// What a child writes if it opens the selector (NULL: the default device): the device's id, or
// status and message of the error.
std::string opened(const char* selector);

// What the ledger has at an index. Throws std::runtime_error if there is nothing.
collet_backend_info_t ledger_at(std::uint32_t index);

// What the ledger has of the first candidate of that name. Throws std::runtime_error if there is
// none.
collet_backend_info_t ledger_entry(const std::string& name);

// "name state status: reason" of the first candidate of that name.
std::string ledger_line(const std::string& name);

// The number of devices, or status and message of the error.
std::string counted_devices(const char* backend);

// Status and message of the thread's last error.
std::string last_error();

}  // namespace collet::test
