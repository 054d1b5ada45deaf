# SPDX-License-Identifier: Apache-2.0
#
# cmake -D HEADER=<collet/base.h> -D OUTPUT=<file> -P status_texts.cmake
#
# Writes the documentation of collet_status_t as rows of a table in C++, so that `collet explain` and
# the header cannot disagree: {COLLET_OK, "The call has done what it says."}, ...
file(READ ${HEADER} text)
string(REGEX MATCH "typedef enum collet_status_t {.*} collet_status_t;" text "${text}")
if(NOT text)
  message(FATAL_ERROR "${HEADER} has no collet_status_t")
endif()
# A list in CMake ends its items with ";".
string(REPLACE ";" "<semicolon>" text "${text}")
string(REPLACE "\n" ";" lines "${text}")

set(rows "")
set(comment "")
foreach(line IN LISTS lines)
  if(line MATCHES "^  (COLLET_[A-Z_]+) = -?[0-9]+,$")
    set(name ${CMAKE_MATCH_1})
    if(NOT comment)
      message(FATAL_ERROR "${HEADER}: ${name} has no comment")
    endif()
    string(APPEND rows "{${name}, \"${comment}\"},\n")
    set(comment "")
  elseif(line MATCHES "^  (/\\*\\*| \\*)( +(.*[^ */]))? *(\\*/)?$" AND CMAKE_MATCH_3)
    string(REPLACE "<semicolon>" ";" words "${CMAKE_MATCH_3}")
    string(REPLACE "\\" "\\\\" words "${words}")
    string(REPLACE "\"" "\\\"" words "${words}")
    if(comment)
      string(APPEND comment " ")
    endif()
    string(APPEND comment "${words}")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${rows}")
