# SPDX-License-Identifier: Apache-2.0
#
# The build step of collet_embed(): FOLDER/SYMBOL.{h,cpp} from the bytes of INPUT.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")

file(WRITE "${FOLDER}/${SYMBOL}.h" "#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern \"C\" {
#endif
extern const unsigned char ${SYMBOL}[];
extern const size_t ${SYMBOL}_size;
#ifdef __cplusplus
}
#endif
")
file(WRITE "${FOLDER}/${SYMBOL}.cpp" "#include \"${SYMBOL}.h\"
const unsigned char ${SYMBOL}[] = {${bytes}0};
const size_t ${SYMBOL}_size = ${size};
")
