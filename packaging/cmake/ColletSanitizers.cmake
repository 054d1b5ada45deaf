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
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # One runtime for programs in C, programs in C++, and libraries: by itself clang would give
    # each program only the part that the program's own language needs.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
      OUTPUT_VARIABLE collet_asan_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    cmake_path(GET collet_asan_runtime PARENT_PATH collet_asan_folder)
    add_link_options(-shared-libsan LINKER:-rpath,${collet_asan_folder})
  endif()
endif()
