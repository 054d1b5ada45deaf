# SPDX-License-Identifier: Apache-2.0
#
# The build step of collet_add_kernels(): FOLDER/NAME.{h,cpp} from the kernels' OBJECT and SOURCE.
function(to_bytes hex out_bytes)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  set(${out_bytes} "${bytes}" PARENT_SCOPE)
endfunction()

# Behind the definition of the language, so that errors name the lines of the source.
function(read_behind prelude out_bytes)
  file(READ "${PRELUDES}/${prelude}.h" definition HEX)
  string(HEX "\n#line 1 \"${LABEL}\"\n" line)
  to_bytes("${definition}${line}${source_hex}" bytes)
  set(${out_bytes} "${bytes}" PARENT_SCOPE)
endfunction()

file(READ "${OBJECT}" object_hex HEX)
file(READ "${SOURCE}" source_hex HEX)
to_bytes("${object_hex}" object)
to_bytes("${source_hex}" source)
read_behind(opencl opencl)
read_behind(cuda cuda)
set(options nullptr)
if(OPTIONS)
  string(REPLACE "\\" "\\\\" options "${OPTIONS}")
  string(REPLACE "\"" "\\\"" options "${options}")
  set(options "\"${options}\"")
endif()

file(WRITE "${FOLDER}/${NAME}.h" "#pragma once
#include <collet/program.h>
#ifdef __cplusplus
extern \"C\"
#else
extern
#endif
/** The kernels of ${LABEL}, for the host and as source. */
const collet_program_desc_t ${NAME};
")
file(WRITE "${FOLDER}/${NAME}.cpp" "#include \"${NAME}.h\"
namespace {
constexpr unsigned char kObject[] = {${object}};
constexpr unsigned char kSource[] = {${source}};
constexpr unsigned char kOpencl[] = {${opencl}};
constexpr unsigned char kCuda[] = {${cuda}};
constexpr collet_program_image_t kImages[] = {
    {COLLET_FORMAT_HOST_SO, kObject, sizeof kObject},
    {COLLET_FORMAT_COLLET_C, kSource, sizeof kSource},
    {COLLET_FORMAT_OPENCL_C, kOpencl, sizeof kOpencl},
    {COLLET_FORMAT_CUDA_C, kCuda, sizeof kCuda}};
}  // namespace
constinit const collet_program_desc_t ${NAME} = {
    {COLLET_STRUCT_PROGRAM_DESC, sizeof(collet_program_desc_t), nullptr},
    kImages, 4, 0, ${options}, \"${LABEL}\", nullptr};
")
