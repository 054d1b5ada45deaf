#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the layout of everything in the C headers with what it was when it was released.

    check_layout.py --root <repository> [--compiler gcc] [--update]

The headers are read for names; sizes, offsets and values come from a C99 program that is compiled
against them. The record is api/abi/layout.txt. Drafts (plugin/experimental.h) may change and are
left out.
"""

import argparse
import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HEADERS = "api/c"
RECORD = "api/abi/layout.txt"
DRAFTS = {"plugin/experimental.h"}
# They are no part of the ABI, or change with every version of the product.
NO_CONSTANTS = re.compile(r"COLLET_VERSION_\w+|COLLET_API|COLLET_\w+_DECLS|COLLET_\w+_INIT|\w+_H")

STRUCT = re.compile(r"\b(struct|union)\s+(\w+)\s*\{([^{}]*)\}\s*(\w*)\s*;")
ENUM = re.compile(r"\btypedef\s+enum\s+\w+\s*\{([^{}]*)\}\s*(\w+)\s*;")
FUNCTION = re.compile(r"\bCOLLET_API\s+([^;{}]*?)\s*;")
POINTER = re.compile(r"\btypedef\s+([^;{}]*\(\*\w+\)\([^;{}]*\))\s*;")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(COLLET_\w+)[ \t]+(\S.*)$", re.MULTILINE)


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def member_name(declaration):
    pointer = re.search(r"\(\*(\w+)\)", declaration)
    return pointer.group(1) if pointer else re.search(r"(\w+)(\[[^\]]*\])*$", declaration).group(1)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def statements(header):
    """C statements that print what a header declares."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.DOTALL).replace("\\\n", " ")
    for name, value in DEFINE.findall(text):
        if not NO_CONSTANTS.fullmatch(name):
            format_, cast = ("%s", "") if value.startswith('"') else ("%lld", "(long long)")
            yield f'printf("constant {name} = {format_}\\n", {cast}({name}));'
    text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.MULTILINE)
    for keyword, tag, body, alias in STRUCT.findall(text):
        name = alias or tag
        yield (f'printf("{keyword} {name}: %zu bytes, aligned to %zu\\n", sizeof({name}), '
               f"offsetof(struct {{ char c; {name} t; }}, t));")
        for declaration in filter(None, map(one_line, body.split(";"))):
            member = member_name(declaration)
            yield (f'printf("  at %3zu, %4zu bytes: %s\\n", offsetof({name}, {member}), '
                   f"sizeof((({name} *)0)->{member}), {quoted(declaration)});")
    for body, name in ENUM.findall(text):
        yield f'printf("enum {name}: %zu bytes\\n", sizeof({name}));'
        for enumerator in filter(None, map(one_line, body.split(","))):
            enumerator = enumerator.split("=")[0].strip()
            yield f'printf("  {enumerator} = %lld\\n", (long long){enumerator});'
    for kind, pattern in (("type", POINTER), ("function", FUNCTION)):
        for declaration in pattern.findall(text):
            yield f'printf("{kind} %s\\n", {quoted(one_line(declaration))});'


def program(root):
    folder = root / HEADERS
    headers = [file for file in sorted((folder / "collet").rglob("*.h"))
               if file.relative_to(folder / "collet").as_posix() not in DRAFTS]
    lines = [f"#include <{file.relative_to(folder).as_posix()}>" for file in headers]
    lines += ["#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    for file in headers:
        lines.append(f'printf("\\n# %s\\n", "{file.relative_to(folder).as_posix()}");')
        lines += statements(file.read_text())
    return "\n".join(lines + ["return 0;", "}", ""])


def layout(root, compiler):
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder, "layout")
        subprocess.run([compiler, "-std=c99", "-I", root / HEADERS, "-x", "c", "-", "-o", binary],
                       input=program(root), text=True, check=True)
        found = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    return ("# SPDX-License-Identifier: Apache-2.0\n"
            "# The binary interface on 64-bit systems, written by tests/api/check_layout.py --update."
            "\n" + found)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--update", action="store_true", help="write the record anew")
    args = parser.parse_args()
    if not shutil.which(args.compiler):
        print(f"skipped: there is no {args.compiler} here")
        return SKIPPED

    found = layout(args.root, args.compiler)
    record = args.root / RECORD
    if args.update:
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(found)
        return 0
    known = record.read_text() if record.exists() else ""
    if found == known:
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        known.splitlines(keepends=True), found.splitlines(keepends=True), RECORD, "the headers"))
    print("\nThe binary interface has changed. What was released may only grow at its end; if that "
          "is all,\nrun this script with --update and commit the record with the headers.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
