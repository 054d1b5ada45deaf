# SPDX-License-Identifier: Apache-2.0
#
# How tests are registered. Labels: `long` runs only in the full gate, `bench` and `install`,
# `script`, `header` are left out where a second compiler or a sanitizer adds nothing.

include_guard(GLOBAL)
include(Catch)

# A test that exits with this has been skipped, and says so.
set(COLLET_SKIP_RETURN_CODE 77)

# collet_add_test(<name> SOURCES <file>... [LINK <library>...] [LABELS <label>...]
#                 [ENVIRONMENT <name=value>...] [TIMEOUT <seconds>] [SERIAL])
#
# Makes the Catch2 program <name>, and one ctest test per case named "<name>:<case>".
# SERIAL keeps the cases from running beside others (timing, process-wide resources).
function(collet_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "SOURCES;LINK;LABELS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "collet_add_test(${name}): see ColletTest.cmake")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()

  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE collet_test_main collet_warnings ${arg_LINK})

  set(properties
    LABELS "${arg_LABELS}"
    TIMEOUT ${arg_TIMEOUT}
    SKIP_RETURN_CODE ${COLLET_SKIP_RETURN_CODE})
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(arg_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
  catch_discover_tests(${name}
    TEST_PREFIX "${name}:"
    PROPERTIES ${properties})
endfunction()

# collet_add_script_test(<name> COMMAND <program> <argument>... [LABELS <label>...]
#                        [TIMEOUT <seconds>])
function(collet_add_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS script)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}"
    TIMEOUT ${arg_TIMEOUT}
    SKIP_RETURN_CODE ${COLLET_SKIP_RETURN_CODE}
    # What the user's programs remember of plugins is not for tests, nor the other way round.
    ENVIRONMENT COLLET_CACHE_DIR=${PROJECT_BINARY_DIR}/test-cache)
endfunction()
