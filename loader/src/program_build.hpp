// SPDX-License-Identifier: Apache-2.0
// Building a program of a bundle, or taking it from the cache.
#pragma once

#include <collet/plugin.h>
#include <collet/program.h>

namespace collet::loader {

struct Device;

// A program of the plugin. Fills the build log. Throws what the plugin answers.
collet_plugin_program_t* build_program(Device& on, const collet_program_desc_t& desc);

}  // namespace collet::loader
