#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the tools that build the loader's faults, and judge what the cases show of them."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import build_faults
import run_faults
from coverage import coverage_problems
from fault import Edit, fault
from public_functions import functions_of

HEADER = """
/**
 * Opens it.
 * @retval COLLET_OK                   It is open.
 * @retval COLLET_ERROR_NO_SUCH_DEVICE There is none.
 */
COLLET_API collet_status_t collet_door_open(const char *name,
                                            void **out_door);
/** Closes it. */
COLLET_API void collet_door_close(void *door);
COLLET_API uint32_t collet_door_count(void);
"""


class FakeCase:
    def __init__(self, name, clause, verdicts):
        self.name, self.clause, self.verdicts = name, clause, verdicts

    def run(self, environment, limit_s):
        del limit_s
        return self.verdicts.get(environment["COLLET_HOST_FAULT"], "pass"), 0.0


def judged(cases, *faults):
    """What the program answers for these, and what it prints."""
    printed = []
    with tempfile.TemporaryDirectory() as folder, \
            mock.patch.object(run_faults, "FAULTS", faults), \
            mock.patch.object(run_faults, "host_cases", lambda build: cases), \
            mock.patch.object(run_faults, "write_coverage"), \
            mock.patch.object(run_faults, "coverage_problems", lambda records, headers: []), \
            mock.patch("builtins.print", lambda *words, **_: printed.extend(map(str, words))), \
            mock.patch.object(sys, "argv", [*"run_faults.py --build b --library l --recorder r "
                                            "--lifecycle p --out".split(), folder]):
        return run_faults.main(), "\n".join(printed)


class Judging(unittest.TestCase):
    def test_a_fault_that_a_case_of_its_clause_sees_is_killed(self):
        code, text = judged([FakeCase("a", "HOST-A-1", {"f": "fail"})], fault("f", "HOST-A-1", "x"))
        self.assertEqual(code, 0)
        self.assertIn("1 of 1 faults killed", text)

    def test_a_case_of_another_clause_does_not_kill(self):
        cases = [FakeCase("a", "HOST-A-2", {"f": "fail"}), FakeCase("b", "HOST-A-1", {})]
        code, text = judged(cases, fault("f", "HOST-A-1", "x"))
        self.assertEqual(code, 1)
        self.assertIn("0 of 1 faults killed", text)

    def test_a_crash_a_hang_and_a_skip_kill_only_where_they_are_the_fault(self):
        for verdict, of_harmless, of_fatal in [("crashed", 1, 0), ("timed out", 1, 0),
                                               ("skipped", 1, 1)]:
            cases = [FakeCase("a", "HOST-A-1", {"f": verdict})]
            self.assertEqual(judged(cases, fault("f", "HOST-A-1", "x"))[0], of_harmless)
            self.assertEqual(judged(cases, fault("f", "HOST-A-1", "x", is_fatal=True))[0], of_fatal)

    def test_a_case_that_fails_without_a_fault_is_an_error(self):
        code, text = judged([FakeCase("a", "HOST-A-1", {"f": "fail", "": "crashed"})],
                            fault("f", "HOST-A-1", "x"))
        self.assertEqual(code, 1)
        self.assertIn("without a fault: a: crashed", text)

    def test_no_case_and_no_fault_are_errors(self):
        self.assertEqual(judged([], fault("f", "HOST-A-1", "x"))[0], 2)
        self.assertEqual(judged([FakeCase("a", "HOST-A-1", {})])[0], 2)


class Building(unittest.TestCase):
    def built(self, text, *faults):
        with mock.patch.object(build_faults, "FAULTS", faults):
            return build_faults.faulty("a.cpp", text)

    def test_expressions_and_statements_become_choices(self):
        self.assertEqual(self.built("x = a; f();", fault("e", "", "", Edit("a.cpp", "a", "b")),
                                    fault("s", "", "", Edit("a.cpp", "f();", ""))),
                         'x = (::collet_fault::is_chosen("e") ? (b) : (a)); '
                         'if (::collet_fault::is_chosen("s")) {  } else { f(); }')

    def test_two_faults_may_be_at_one_place_but_not_overlap(self):
        first = fault("1", "", "", Edit("a.cpp", "a + b", "c"))
        text = self.built("x = a + b;", first, fault("2", "", "", Edit("a.cpp", "a + b", "d")))
        self.assertEqual(text.count("is_chosen"), 2)
        with self.assertRaisesRegex(ValueError, "overlap"):
            self.built("x = a + b;", first, fault("2", "", "", Edit("a.cpp", "b", "d")))

    def test_code_that_is_gone_or_ambiguous_is_an_error(self):
        for text in ("x = c;", "x = a; y = a;"):
            with self.assertRaisesRegex(ValueError, "not once"):
                self.built(text, fault("e", "", "", Edit("a.cpp", " a;", ";")))
        with self.assertRaisesRegex(ValueError, "lacks"):
            self.built("here", fault("e", "", "", Edit("a.cpp", "a;", ";", after="here")))

    def test_an_anchor_chooses_among_several(self):
        text = self.built("a; here a;", fault("e", "", "", Edit("a.cpp", "a;", "", after="here")))
        self.assertTrue(text.startswith("a; here if"))


class Coverage(unittest.TestCase):
    def test_headers_are_understood(self):
        opened, closed, count = functions_of(HEADER)
        self.assertEqual(opened.parameters, ["const char *name", "void **out_door"])
        self.assertEqual(opened.statuses, ["COLLET_OK", "COLLET_ERROR_NO_SUCH_DEVICE"])
        self.assertEqual((closed.result, closed.parameters), ("void", ["void *door"]))
        self.assertEqual((count.result, count.parameters), ("uint32_t", []))

    def test_what_no_case_has_seen_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            headers = pathlib.Path(folder)
            (headers / "collet.h").write_text("#include <collet/door.h>\n")
            (headers / "door.h").write_text(HEADER)
            (headers / "base.h").write_text("  COLLET_OK = 0,\n"
                                            "  COLLET_ERROR_NO_SUCH_DEVICE = -10,\n")
            seen = ["collet_door_open 0", "collet_door_count 0", "collet_door_close 0"]
            self.assertEqual(list(coverage_problems({"a": seen, "b": ["collet_door_open -10"]},
                                                    headers)), [])
            self.assertEqual(len(list(coverage_problems({"a": seen}, headers))), 1)
            self.assertEqual(len(list(coverage_problems({"a": seen[:1]}, headers))), 3)


if __name__ == "__main__":
    unittest.main()
