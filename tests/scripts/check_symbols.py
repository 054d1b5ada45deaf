#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the symbols that a shared library exports with those it may export.

    check_symbols.py library libcollet.so api/abi/libcollet.symbols [--update]
    check_symbols.py plugin  libcollet_cpu.so
"""

import argparse
import pathlib
import subprocess
import sys

PLUGIN_SYMBOLS = {"collet_plugin_query_v1"}


def exported(library):
    lines = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--format=posix", library],
        check=True, capture_output=True, text=True).stdout.splitlines()
    symbols = set()
    for line in lines:
        name, kind = line.split()[:2]
        if kind == "A":  # a version node of the symbol map, not an object of the program
            continue
        symbols.add(name.split("@")[0])
    return symbols


def read_golden(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def write_golden(path, symbols):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# SPDX-License-Identifier: Apache-2.0\n"
                    "# What libcollet exports, written by tests/scripts/check_symbols.py --update.\n"
                    + "".join(f"{name}\n" for name in sorted(symbols)))


def differences(found, expected):
    return ([f"missing     {name}" for name in sorted(expected - found)]
            + [f"unexpected  {name}" for name in sorted(found - expected)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    library = kinds.add_parser("library")
    library.add_argument("file")
    library.add_argument("golden", type=pathlib.Path)
    library.add_argument("--update", action="store_true", help="rewrite the list")
    kinds.add_parser("plugin").add_argument("file")
    args = parser.parse_args()

    found = exported(args.file)
    if args.kind == "plugin":
        expected = PLUGIN_SYMBOLS
    elif args.update:
        write_golden(args.golden, found)
        return 0
    elif not args.golden.exists():
        print(f"{args.golden}: no such list; --update writes it")
        return 1
    else:
        expected = read_golden(args.golden)

    wrong = differences(found, expected)
    for line in wrong:
        print(line)
    if wrong and args.kind == "library":
        print(f"If this change of the ABI is meant: check_symbols.py library {args.file} "
              f"{args.golden} --update")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
