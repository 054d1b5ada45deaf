// SPDX-License-Identifier: Apache-2.0
// Manifests: small JSON files that name a plugin, so that its library may lie anywhere.
//
//   {
//     "name": "acme",                      name of the back end
//     "library": "../acme/libacme.so",     absolute, or from the manifest's own folder
//     "abi_versions": [1],                 optional: major versions that the library speaks
//     "settings": {"threads": "2"}         optional: options where the environment sets none
//   }
//
// A key that begins with "x-" is its author's own; any other that is not known is a mistake.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace collet::loader {

struct Manifest {
  std::string name;
  std::string library;
  std::map<std::string, std::string> settings;
  // Why it cannot be used, and what to do; empty if it can. What was read before the fault is kept.
  std::string fault;
  std::string hint;
  // The fault is that the library is for other versions of the ABI.
  bool other_abi = false;
};

// Never throws for what the text is.
Manifest parse_manifest(std::string_view text);

// Reads a regular file of bounded size, and parses it.
Manifest read_manifest(const std::string& path);

}  // namespace collet::loader
