#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_symbols.py fails on a library that exports too much or too little."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("check_symbols.py")
QUERY = "int collet_plugin_query_v1(void) { return 0; }\n"


class CheckSymbols(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, text):
        source = self.folder / "lib.c"
        library = self.folder / "lib.so"
        source.write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
        return library

    def check(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *map(str, arguments)],
                              capture_output=True, text=True)

    def test_a_plugin_with_only_its_query_passes(self):
        self.assertEqual(self.check("plugin", self.build(QUERY)).returncode, 0)

    def test_a_plugin_without_its_query_is_named(self):
        result = self.check("plugin", self.build("static int unused;\n"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("missing     collet_plugin_query_v1", result.stdout)

    def test_a_plugin_with_a_second_symbol_is_named(self):
        result = self.check("plugin", self.build(QUERY + "int leak;\n"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("unexpected  leak", result.stdout)

    def test_a_library_is_compared_with_its_list(self):
        golden = self.folder / "golden"
        library = self.build("int a;\n")
        self.assertEqual(self.check("library", library, golden).returncode, 1)
        self.assertEqual(self.check("library", library, golden, "--update").returncode, 0)
        self.assertEqual(self.check("library", library, golden).returncode, 0)

        result = self.check("library", self.build("int b;\n"), golden)
        self.assertEqual(result.returncode, 1)
        self.assertIn("missing     a", result.stdout)
        self.assertIn("unexpected  b", result.stdout)


if __name__ == "__main__":
    unittest.main()
