// SPDX-License-Identifier: Apache-2.0
// Variables that look like Collet's and that nothing reads: most likely misspelt.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace collet::loader {

struct UnreadVariable {
  std::string name;
  // The name that was meant; empty if none is near.
  std::string meant;
};

// Those of the names that begin with COLLET_, in any case of letters, and that nobody reads:
// neither are they known, nor options of one of the back ends (COLLET_<BACKEND>_<OPTION>). What may
// be an option of a back end that is not here is left out, unless a known name is near.
std::vector<UnreadVariable> unread_variables(std::span<const std::string> names,
                                             std::span<const std::string> backends);

// "COLLET_DEVIC is set, and nothing reads it; did you mean COLLET_DEVICE?"
std::string text_of(const UnreadVariable& variable);

}  // namespace collet::loader
