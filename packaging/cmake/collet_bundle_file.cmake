# SPDX-License-Identifier: Apache-2.0
#
# The build step of collet_add_kernels(): FOLDER/NAME.{h,cpp} from the kernels' OBJECT and SOURCE.
function(read_bytes file out_bytes)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  set(${out_bytes} "${bytes}" PARENT_SCOPE)
endfunction()

read_bytes(${OBJECT} object)
read_bytes(${SOURCE} source)
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
constexpr collet_program_image_t kImages[] = {
    {COLLET_FORMAT_HOST_SO, kObject, sizeof kObject},
    {COLLET_FORMAT_COLLET_C, kSource, sizeof kSource}};
}  // namespace
constinit const collet_program_desc_t ${NAME} = {
    {COLLET_STRUCT_PROGRAM_DESC, sizeof(collet_program_desc_t), nullptr},
    kImages, 2, 0, ${options}, \"${LABEL}\", nullptr};
")
