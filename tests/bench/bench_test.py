#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that collet-bench gives a figure for every row, and what its options do."""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = None
FIELDS = {"name": str, "value": float, "unit": str, "reference": str, "reference_value": float,
          "ratio": float, "difference": float, "noise": float}


def bench(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True)


def names(*arguments):
    return bench("--list", *arguments).stdout.split()


class Bench(unittest.TestCase):
    def test_every_row_is_in_the_table_and_in_the_json_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "figures.json")
            result = bench("--json", str(path))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr, "")
            rows = json.loads(path.read_text())

        self.assertEqual([row["name"] for row in rows], names())
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()[1:]], names())
        for row in rows:
            self.assertEqual(set(row), set(FIELDS), row)
            for field, kind in FIELDS.items():
                self.assertIsInstance(row[field], kind, row)
            self.assertGreater(row["value"], 0, row)
            self.assertGreater(row["reference_value"], 0, row)
            self.assertTrue(math.isclose(row["ratio"], row["value"] / row["reference_value"]), row)

    def test_names_have_four_parts_and_none_is_used_twice(self):
        self.assertEqual(len(names()), len(set(names())))
        for name in names():
            self.assertRegex(name, r"^[a-z0-9_]+/[a-z0-9_]+/[A-Za-z0-9-]+/[a-z0-9]+$")

    def test_a_filter_selects_by_the_start_of_the_name(self):
        chosen = names("--filter", "launch/host")
        self.assertEqual(chosen, [name for name in names() if name.startswith("launch/host")])
        result = bench("--filter", "launch/host")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()[1:]], chosen)

    def test_a_filter_without_a_row_is_an_error(self):
        result = bench("--filter", "no/such/row")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no/such/row", result.stderr)

    def test_a_json_file_that_cannot_be_written_is_an_error(self):
        result = bench("--filter", "launch/host", "--json", "/nonexistent/figures.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nonexistent/figures.json", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True)
    options, rest = parser.parse_known_args()
    BENCH = options.bench
    unittest.main(argv=[sys.argv[0], *rest])
