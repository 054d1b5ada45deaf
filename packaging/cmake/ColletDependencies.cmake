# SPDX-License-Identifier: Apache-2.0
#
# Everything that is not ours, found in one place; a missing one names the Debian package to install.
# Targets: DNNL::dnnl  Boost::headers  Boost::filesystem  spdlog::spdlog  CLI11::CLI11
#          nlohmann_json::nlohmann_json  DW::dw  OpenCL::Headers  collet::catch2  Threads::Threads

include_guard(GLOBAL)

macro(collet_require found package)
  if(NOT ${found})
    message(FATAL_ERROR "Collet needs ${package}. On Debian and Ubuntu:  apt-get install ${package}\n"
      "(packaging/quickstart installs all that is missing.)")
  endif()
endmacro()

find_package(Threads REQUIRED)

# Not by its own package file: that one insists on the OpenCL headers, which nothing here uses.
find_path(COLLET_DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(COLLET_DNNL_LIBRARY dnnl)
mark_as_advanced(COLLET_DNNL_INCLUDE_DIR COLLET_DNNL_LIBRARY)
collet_require(COLLET_DNNL_INCLUDE_DIR libdnnl-dev)
collet_require(COLLET_DNNL_LIBRARY libdnnl-dev)
if(NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl SHARED IMPORTED GLOBAL)
  set_target_properties(DNNL::dnnl PROPERTIES
    IMPORTED_LOCATION ${COLLET_DNNL_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${COLLET_DNNL_INCLUDE_DIR})
endif()

find_package(Boost 1.74 QUIET COMPONENTS filesystem)
collet_require(Boost_FOUND "libboost-dev libboost-filesystem-dev")

find_package(spdlog QUIET)
collet_require(spdlog_FOUND libspdlog-dev)

find_package(CLI11 QUIET)
collet_require(CLI11_FOUND libcli11-dev)

find_package(nlohmann_json QUIET)
collet_require(nlohmann_json_FOUND nlohmann-json3-dev)

# Reads the symbols of programs; has no package file.
find_path(COLLET_DW_INCLUDE_DIR elfutils/libdwfl.h)
find_library(COLLET_DW_LIBRARY dw)
mark_as_advanced(COLLET_DW_INCLUDE_DIR COLLET_DW_LIBRARY)
collet_require(COLLET_DW_INCLUDE_DIR libdw-dev)
collet_require(COLLET_DW_LIBRARY libdw-dev)
if(NOT TARGET DW::dw)
  add_library(DW::dw SHARED IMPORTED GLOBAL)
  set_target_properties(DW::dw PROPERTIES
    IMPORTED_LOCATION ${COLLET_DW_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${COLLET_DW_INCLUDE_DIR})
endif()

# The library is opened at run time.
find_path(COLLET_OPENCL_INCLUDE_DIR CL/cl.h)
mark_as_advanced(COLLET_OPENCL_INCLUDE_DIR)
collet_require(COLLET_OPENCL_INCLUDE_DIR opencl-c-headers)
if(NOT TARGET OpenCL::Headers)
  add_library(OpenCL::Headers INTERFACE IMPORTED GLOBAL)
  set_target_properties(OpenCL::Headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${COLLET_OPENCL_INCLUDE_DIR})
endif()

# Catch2 2 is one header, 3 a library: include "support/catch.hpp", which knows both.
find_package(Catch2 QUIET)
collet_require(Catch2_FOUND catch2)
string(REGEX MATCH "^[0-9]+" collet_catch2_major "${Catch2_VERSION}")
add_library(collet_catch2 INTERFACE)
add_library(collet::catch2 ALIAS collet_catch2)
target_link_libraries(collet_catch2 INTERFACE Catch2::Catch2)
target_include_directories(collet_catch2 INTERFACE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(collet_catch2 INTERFACE COLLET_CATCH2_VERSION=${collet_catch2_major})
