// SPDX-License-Identifier: Apache-2.0
// Chooses and opens the device that a selector means.
#pragma once

#include <collet/device.h>

#include "selector.hpp"

namespace collet::loader {

class Registry;

// Opens the first usable device of the selector. An unknown name is an error even behind a usable
// item, since it is most likely a mistake; a back end that is known but unusable, and an index that
// it does not have, are passed over. Throws Error with each item's reason if nothing is usable.
collet_device_t* open_selected(Registry& registry, const Selector& selector);

}  // namespace collet::loader
