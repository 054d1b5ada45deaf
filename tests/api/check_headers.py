#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every public header alone, as strictly as the strictest host program, and a use of
each of its ..._INIT macros.

C headers must be C99, C++17 and C++20; the kernel language on the host is C++17 and C++20; the C++
wrapper and the plugin SDK are C++20.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wundef", "-Wshadow", "-Wconversion"]
PROGRAMS = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
INCLUDE_FOLDERS = ("api/c", "api/cpp", "api/kernel", "plugins/sdk/include")
C_WARNINGS = ["-Wstrict-prototypes"]
CXX_WARNINGS = ["-Wextra-semi", "-Wnon-virtual-dtor"]


def headers(root, language):
    """Pairs of a header's file and its name in an #include."""
    wanted = [("api/c", "*.h")]
    if language != "c99":
        wanted += [("api/kernel", "host.h"), ("api/kernel", "kernel.h")]
    if language == "c++20":
        wanted += [("api/cpp", "*.hpp"), ("plugins/sdk/include", "*.hpp")]
    for folder, pattern in wanted:
        for file in sorted((root / folder / "collet").rglob(pattern)):
            yield file, file.relative_to(root / folder)


def compile_command(program, language, folders):
    command = [program, f"-std={language}", "-fsyntax-only", *WARNINGS,
               *(C_WARNINGS if language == "c99" else CXX_WARNINGS)]
    for folder in folders:
        command += ["-I", str(folder)]
    return command + ["-x", "c" if language == "c99" else "c++", "-"]


def uses_of_initialisers(text):
    """A variable for each COLLET_..._INIT that the text of a header defines."""
    for name, type_name in re.findall(r"#define (COLLET_\w+_INIT)\s[^(]*\((\w+_t),", text):
        yield (f"{type_name} make_{type_name}(void);\n"
               f"{type_name} make_{type_name}(void) {{ {type_name} it = {name}; return it; }}\n")


def compiles(command, file, header):
    # Twice, so that a missing include guard is an error too. Strict compilers refuse an empty file.
    source = f"#include <{header.as_posix()}>\n" * 2 + "typedef int not_empty;\n"
    source += "".join(uses_of_initialisers(file.read_text()))
    return subprocess.run(command, input=source, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", choices=PROGRAMS, required=True)
    parser.add_argument("--language", choices=["c99", "c++17", "c++20"], required=True)
    parser.add_argument("--include", type=pathlib.Path, action="append", default=[],
                        help="a folder of headers that the build makes")
    args = parser.parse_args()

    program = PROGRAMS[args.compiler][args.language != "c99"]
    if not shutil.which(program):
        print(f"skipped: there is no {program} here")
        return SKIPPED

    folders = [args.root / folder for folder in INCLUDE_FOLDERS] + args.include
    command = compile_command(program, args.language, folders)
    found = list(headers(args.root, args.language))
    if not found:
        print(f"no public headers under {args.root}")
        return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda pair: compiles(command, *pair), found))
    failed = [(header, r) for (_, header), r in zip(found, results) if r.returncode]
    for header, result in failed:
        print(f"{header} is no {args.language} by itself:\n{result.stderr}")
    print(f"{len(found)} headers, {len(failed)} failed: {' '.join(command)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
