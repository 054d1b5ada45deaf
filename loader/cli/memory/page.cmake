# SPDX-License-Identifier: Apache-2.0
#
# Makes a constant of the page's template: cmake -D INPUT=page.html -D OUTPUT=<file> -P page.cmake
file(READ ${INPUT} text)
# Literals longer than 64 KiB are not portable, so that it is one for each line.
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n\"" text "${text}")
file(WRITE ${OUTPUT} "constexpr const char* kPageTemplate =\n\"${text}\";\n")
