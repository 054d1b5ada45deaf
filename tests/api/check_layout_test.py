#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_layout.py fails on every change of the binary interface, and on nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("check_layout.py")
HEADER = """
#ifndef COLLET_A_H
#define COLLET_A_H
#include <stdint.h>
#define COLLET_API
#define COLLET_MAX_RANK 8
#define COLLET_NAME "a;b"
/* A comment; with { and }. */
typedef enum collet_kind_t { COLLET_ONE = 1, COLLET_TWO = -2 } collet_kind_t;
typedef struct collet_a_t {
  uint32_t first;
  /** Says something; at length. */
  const char *texts[COLLET_MAX_RANK];
  int (*call)(const struct collet_a_t *self, uint64_t size_bytes);
} collet_a_t;
typedef void (*collet_callback_t)(void *user_data);
COLLET_API int collet_open(const char *selector,
                           collet_a_t **out);
#endif
"""


class CheckLayout(unittest.TestCase):
    def check(self, header, *arguments):
        file = pathlib.Path(self.folder, "api/c/collet/a.h")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(header)
        return subprocess.run(
            [sys.executable, "-B", SCRIPT, "--root", self.folder, *arguments],
            capture_output=True, text=True)

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.assertEqual(self.check(HEADER, "--update").returncode, 0)

    def assert_found(self, old, new, words):
        self.assertIn(old, HEADER)
        result = self.check(HEADER.replace(old, new))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(words, result.stdout)

    def test_no_change_passes(self):
        self.assertEqual(self.check(HEADER).returncode, 0)

    def test_another_comment_or_line_break_passes(self):
        changed = HEADER.replace("at length", "in short").replace("selector,\n", "selector, ")
        self.assertNotEqual(changed, HEADER)
        self.assertEqual(self.check(changed).returncode, 0)

    def test_a_missing_record_fails(self):
        pathlib.Path(self.folder, "api/abi/layout.txt").unlink()
        self.assertEqual(self.check(HEADER).returncode, 1)

    def test_a_member_that_is_wider_renamed_moved_or_new_is_found(self):
        self.assert_found("uint32_t first;", "uint64_t first;", "uint64_t first")
        self.assert_found("uint32_t first;", "uint32_t second;", "uint32_t second")
        self.assert_found("uint32_t first;", "uint32_t zero; uint32_t first;", "at   4")
        self.assert_found("uint64_t size_bytes);", "uint64_t size_bytes); int last;", "int last")

    def test_another_signature_of_a_slot_is_found(self):
        self.assert_found("uint64_t size_bytes);", "uint32_t size_bytes);", "uint32_t size_bytes")

    def test_another_value_is_found(self):
        self.assert_found("COLLET_TWO = -2", "COLLET_TWO = 2", "COLLET_TWO = 2")
        self.assert_found("COLLET_MAX_RANK 8", "COLLET_MAX_RANK 9", "COLLET_MAX_RANK = 9")
        self.assert_found('"a;b"', '"a"', "COLLET_NAME = a")

    def test_another_function_is_found(self):
        self.assert_found("collet_a_t **out", "collet_a_t *out", "collet_a_t *out")
        self.assert_found("(void *user_data)", "(int user_data)", "collet_callback_t")


if __name__ == "__main__":
    unittest.main()
