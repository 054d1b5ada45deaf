#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles sources that are wrong: each must be refused, with the line and the words that it says.

A source says `/* error: <regular expression> */` near its top and `/* here */` on the line.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ARGS = None


def compile_text(text, *options):
    return subprocess.run([ARGS.compiler, "-std=c++17", "-Wall", "-Wextra", "-fsyntax-only",
                           *options, "-x", "c++", "-"], input=text, capture_output=True, text=True)


def with_prelude(name, source):
    return f'{ARGS.prelude.read_text()}#line 1 "{name}"\n{source}'


class Refused(unittest.TestCase):
    def test_each_wrong_use_is_an_error_that_names_the_line_and_says_what_is_wrong(self):
        files = sorted((HERE / "refused").glob("*.clt"))
        self.assertGreater(len(files), 8)
        for file in files:
            with self.subTest(file=file.name):
                source = file.read_text()
                said = re.search(r"/\* error: (.*) \*/", source)[1]
                line = 1 + source[:source.index("/* here */")].count("\n")
                result = compile_text(with_prelude(file.name, source))
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(f"{file.name}:{line}:", result.stderr)
                self.assertRegex(result.stderr, said)

    def test_fast_math_is_an_error(self):
        result = compile_text(with_prelude("f.clt", ""), "-ffast-math")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("leave out -ffast-math", result.stderr)

    def test_an_older_language_is_an_error_that_says_how_to_compile(self):
        result = compile_text(with_prelude("f.clt", ""), "-std=c++14")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("g++ -std=c++17", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--prelude", type=pathlib.Path, required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
