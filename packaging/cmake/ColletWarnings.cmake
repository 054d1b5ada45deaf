# SPDX-License-Identifier: Apache-2.0
#
# Link collet_warnings (PRIVATE) into every target of this repository.
include_guard(GLOBAL)

add_library(collet_warnings INTERFACE)

set(cxx_only "$<COMPILE_LANGUAGE:CXX>")
set(c_only "$<COMPILE_LANGUAGE:C>")
target_compile_options(collet_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wformat=2 -Wcast-align
  $<${c_only}:-Wstrict-prototypes;-Wmissing-prototypes>
  $<${cxx_only}:-Wnon-virtual-dtor;-Woverloaded-virtual;-Wextra-semi>
  # False alarms inside std::string, libstdc++ bug 105329.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<BOOL:${COLLET_WERROR}>:-Werror>)
