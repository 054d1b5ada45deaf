#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a recording stand-in for each public function; see recorder.hpp."""

import argparse
import pathlib
import re

from public_functions import all_functions


def stand_in(function):
    arguments = ", ".join(re.search(r"\w+$", one)[0] for one in function.parameters)
    signature = f"({', '.join(function.parameters)}), ({arguments})"
    if function.result == "void":
        return f"COLLET_RECORDED_VOID({function.name}, {signature})"
    return f"COLLET_RECORDED({function.result}, {function.name}, {signature})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--headers", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    lines = [stand_in(function) for function in all_functions(arguments.headers)]
    arguments.out.write_text('#include "recorder.hpp"\n\n' + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
