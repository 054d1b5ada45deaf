# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

if(COLLET_SANITIZE)
  add_compile_options(
    -fsanitize=${COLLET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${COLLET_SANITIZE})
  # gcc's instrumentation makes it see uninitialized and out-of-range uses that are not there.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  if(COLLET_SANITIZE STREQUAL "thread")
    # Fences are outside its model; gcc says so at each one.
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-tsan>)
  endif()
endif()
