# SPDX-License-Identifier: Apache-2.0
#
# How kernels in collet-c get into a program, here and in a user's own project after
# find_package(Collet).

include_guard(GLOBAL)

# Where the definitions of the language are: COLLET_KERNEL_PRELUDE_DIR.
# What the language means, it means with these; see collet/kernel.h.
set(COLLET_KERNEL_OPTIONS
  -O3 -fPIC -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden)

# collet_add_kernels(<target> <file>.clt... [OPTIONS <option>...])
#
# Compiles kernels into a target: for the host now, by the compiler of the build, and as source for
# the devices that compile it when the program runs, in collet-c and, with the language's definition
# before it, in opencl-c and cuda-c. `#include "<file>_kernels.h"` declares
#   extern const collet_program_desc_t <file>_kernels;
# which is what collet_program_create() and collet::Program take. No file is looked for at run time.
# Options, such as -DTILE=16, are for both.
function(collet_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  if(NOT TARGET ${target} OR NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "collet_add_kernels(<target> <file>.clt... [OPTIONS <option>...])")
  endif()
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    collet_add_kernel_file(${target} ${file} "${arg_OPTIONS}")
  endforeach()
endfunction()

function(collet_add_kernel_file target file options)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE source)
  cmake_path(GET file STEM name)
  if(NOT file MATCHES "\\.clt$" OR NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$" OR
      NOT EXISTS ${source})
    message(FATAL_ERROR "collet_add_kernels: ${file} is no file of the form <name>.clt, where "
      "<name> has letters, digits and underscores")
  endif()
  cmake_path(GET file FILENAME label)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels/${target})

  # The name in messages is that of the file as it is written, at run time too.
  file(CONFIGURE OUTPUT ${folder}/${name}.cpp @ONLY
    CONTENT "#include <collet/kernel.h>\n#include \"@source@\"\n")
  set(object ${target}_${name}_kernels)
  add_library(${object} MODULE ${folder}/${name}.cpp)
  set_property(SOURCE ${folder}/${name}.cpp APPEND PROPERTY OBJECT_DEPENDS ${source})
  target_link_libraries(${object} PRIVATE Collet::headers)
  target_compile_options(${object} PRIVATE ${COLLET_KERNEL_OPTIONS} ${options})
  set_target_properties(${object} PROPERTIES
    PREFIX "" SUFFIX .so OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${folder})

  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/collet_bundle_file.cmake)
  # As one text for compilers that read it word by word.
  list(TRANSFORM options REPLACE "^(.*[ \t\"].*)$" "'\\1'")
  list(JOIN options " " options)
  add_custom_command(OUTPUT ${folder}/${name}_kernels.cpp ${folder}/${name}_kernels.h
    COMMAND ${CMAKE_COMMAND} -D NAME=${name}_kernels -D LABEL=${label} -D "OPTIONS=${options}"
      -D OBJECT=$<TARGET_FILE:${object}> -D SOURCE=${source} -D FOLDER=${folder}
      -D PRELUDES=${COLLET_KERNEL_PRELUDE_DIR} -P ${script}
    DEPENDS ${object} ${source} ${script}
      ${COLLET_KERNEL_PRELUDE_DIR}/opencl.h ${COLLET_KERNEL_PRELUDE_DIR}/cuda.h
    COMMENT "Embedding the kernels of ${label}"
    VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}_kernels.cpp)
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE Collet::headers)
endfunction()
