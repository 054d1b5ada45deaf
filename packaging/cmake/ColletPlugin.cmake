# SPDX-License-Identifier: Apache-2.0
#
# How a back end is built, here and in a vendor's own project after find_package(Collet).

include_guard(GLOBAL)
include(GNUInstallDirs)

# collet_add_plugin(<name> SOURCES <file>... [LINK <library>...])
#
# Makes the plugin libcollet_<name>.so (target collet_<name>) that exports only its query function,
# sees only the API and the plugin SDK, and is installed where libcollet looks for plugins.
function(collet_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "collet_add_plugin: \"${name}\" is no back end name: [a-z][a-z0-9_]*")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "collet_add_plugin(<name> SOURCES <file>... [LINK <library>...])")
  endif()

  set(target collet_${name})
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/collet_plugin.map)
  add_library(${target} MODULE ${arg_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_link_libraries(${target} PRIVATE Collet::sdk ${arg_LINK})
  if(TARGET collet_warnings)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:collet_warnings>)
  endif()
  set_target_properties(${target} PROPERTIES
    PREFIX lib
    SUFFIX .so
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    INSTALL_RPATH "$ORIGIN"
    LINK_DEPENDS ${map})
  if(COLLET_PLUGIN_OUTPUT_DIRECTORY)
    set_target_properties(${target} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${COLLET_PLUGIN_OUTPUT_DIRECTORY})
  endif()

  target_link_options(${target} PRIVATE LINKER:--version-script=${map},-z,defs)

  set_property(GLOBAL APPEND PROPERTY COLLET_PLUGINS ${name})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/collet)
endfunction()

# collet_embed(<target> NAME <symbol> FILE <path>)
#
# Compiles the bytes of a file into a target. `#include "<symbol>.h"` declares
#   extern const unsigned char <symbol>[];   a NUL follows the last byte
#   extern const size_t <symbol>_size;       without that NUL
function(collet_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;FILE" "")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_FILE)
    message(FATAL_ERROR "collet_embed(<target> NAME <symbol> FILE <path>)")
  endif()

  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/collet_embed_file.cmake)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embed/${target})
  set(output ${folder}/${arg_NAME}.cpp)
  cmake_path(ABSOLUTE_PATH arg_FILE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_custom_command(OUTPUT ${output} ${folder}/${arg_NAME}.h
    COMMAND ${CMAKE_COMMAND}
      -D SYMBOL=${arg_NAME} -D INPUT=${arg_FILE} -D FOLDER=${folder} -P ${script}
    DEPENDS ${arg_FILE} ${script}
    COMMENT "Embedding ${arg_NAME}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
