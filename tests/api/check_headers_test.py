#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_headers.py fails on headers that some host program could not include."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("check_headers.py")
GOOD = {"api/c/collet/a.h": "#pragma once\n#include <stdint.h>\nuint32_t a(void);\n"}


class CheckHeaders(unittest.TestCase):
    def check(self, files, language):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                file = pathlib.Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return subprocess.run(
                [sys.executable, "-B", SCRIPT, "--root", folder, "--compiler", "gcc",
                 "--language", language],
                capture_output=True, text=True).returncode

    def test_a_good_header_passes(self):
        for language in ("c99", "c++17", "c++20"):
            self.assertEqual(self.check(GOOD, language), 0, language)

    def test_a_header_that_lacks_an_include_fails(self):
        bad = {**GOOD, "api/c/collet/b.h": "#pragma once\nsize_t b(void);\n"}
        self.assertEqual(self.check(bad, "c99"), 1)

    def test_a_header_without_a_guard_fails(self):
        bad = {**GOOD, "api/c/collet/b.h": "struct b { int c; };\n"}
        self.assertEqual(self.check(bad, "c99"), 1)

    def test_a_c_header_that_is_no_cxx_fails_as_cxx(self):
        bad = {**GOOD, "api/c/collet/b.h": "#pragma once\nint b(int class);\n"}
        self.assertEqual(self.check(bad, "c99"), 0)
        self.assertEqual(self.check(bad, "c++17"), 1)

    def test_the_wrapper_and_the_sdk_are_looked_at_as_cxx20(self):
        for folder in ("api/cpp", "plugins/sdk/include"):
            bad = {**GOOD, f"{folder}/collet/b.hpp": "#pragma once\nstd::vector<int> b();\n"}
            self.assertEqual(self.check(bad, "c++20"), 1, folder)

    def test_an_initialiser_that_warns_in_cxx_fails(self):
        bad = {**GOOD, "api/c/collet/b.h": "#pragma once\n"
               "#define COLLET_MAKE(type, value) { .a = value }\n"
               "typedef struct b_t { unsigned long a; int b; } b_t;\n"
               "#define COLLET_B_INIT COLLET_MAKE(b_t, 1)\n"}
        self.assertEqual(self.check(bad, "c99"), 0)
        self.assertEqual(self.check(bad, "c++20"), 1)

    def test_no_headers_at_all_is_a_failure(self):
        self.assertEqual(self.check({"README": ""}, "c99"), 1)


if __name__ == "__main__":
    unittest.main()
