#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs collet-conformance on plugins that are broken on purpose, and reads what it says."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ARGUMENTS = None
CONFORMANT, NOT_CONFORMANT, USAGE = 0, 1, 2
LOADING = ["--filter", "DEV-2", "DEV-4", "ROOT-1", "STR-3"]


class Run:
    """One call of the program, and its reports."""

    def __init__(self, *words, plugin=None, **environment):
        with tempfile.TemporaryDirectory() as folder:
            command = [ARGUMENTS.judge, "run"]
            if plugin:
                command += [plugin, "--out", folder]
            done = subprocess.run([*command, *words], text=True, capture_output=True, timeout=300,
                                  env={**os.environ, **environment})
            self.status, self.text, self.errors = done.returncode, done.stdout, done.stderr
            lines = pathlib.Path(folder, "results.jsonl")
            self.lines = []
            if lines.exists():
                self.lines = [json.loads(line) for line in lines.read_text().splitlines()]
                self.junit = xml.etree.ElementTree.parse(pathlib.Path(folder, "junit.xml")).getroot()
        self.cases = {line["name"]: line for line in self.lines if line["kind"] == "case"}

    def verdicts(self):
        return {case["verdict"] for case in self.cases.values()}


def broken(harm, *words):
    return Run(*LOADING, *words, plugin=ARGUMENTS.broken, COLLET_BROKEN=harm)


def good(*words):
    return Run(*words, plugin=ARGUMENTS.good)


def mutant(mutant_id, *words):
    return Run(*words, plugin=ARGUMENTS.mutant, COLLET_MUTANT=mutant_id,
               COLLET_MUTANT_OVER=ARGUMENTS.good)


def waivers(entries, *words, run=good):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(entries if isinstance(entries, str) else json.dumps(entries))
        file.flush()
        return run("--waivers", file.name, *words)


def waiver(pattern, days=30):
    day = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=days)
    return {"pattern": pattern, "reason": "known", "link": "https://acme.example/1",
            "expires": day.isoformat()}


class BrokenPlugins(unittest.TestCase):
    def check_whole(self, run, verdict):
        self.assertEqual(run.status, NOT_CONFORMANT)
        self.assertEqual(run.lines[0]["cases"], len(run.cases))
        self.assertEqual(run.lines[-1]["kind"], "sums")
        self.assertEqual(len(run.junit), len(run.cases))
        hit = {name for name, case in run.cases.items() if case["verdict"] == verdict}
        self.assertTrue(any("DEV-4" in name for name in hit), run.text)
        # What does not open the device is judged as if nothing were wrong elsewhere.
        self.assertEqual(run.cases["PLUG-ROOT-1 the query starts no thread and always gives the "
                                   "same table"]["verdict"], "pass")
        self.assertIn("not conformant", run.text)

    def test_a_crash_costs_one_verdict(self):
        run = broken("crash")
        self.check_whole(run, "crashed")
        self.assertIn("SIGSEGV", run.text)
        self.assertIn("root.device_open", run.text)
        self.assertIn("about to do harm", run.text)

    def test_an_abort_costs_one_verdict(self):
        self.check_whole(broken("abort"), "crashed")

    def test_an_exit_in_the_middle_of_a_case_is_not_a_pass(self):
        run = broken("exit")
        self.check_whole(run, "crashed")
        self.assertIn("exited with status 0 in the middle", run.text)

    def test_a_hang_costs_one_verdict(self):
        self.check_whole(broken("hang", "--limit", "1", "--jobs", "4"), "timed out")

    def test_a_failure_says_what_was_seen(self):
        run = broken("")
        self.check_whole(run, "fail")
        for word in ("contract:", "seen:", "often:", "again:", "COLLET_ERROR_UNAVAILABLE"):
            self.assertIn(word, run.text)

    def test_a_file_that_is_no_plugin_is_a_mistake(self):
        for path in ("/nowhere/libcollet_x.so", __file__):
            run = Run(plugin=path)
            self.assertEqual(run.status, USAGE)
            self.assertEqual(run.cases, {})


class Selection(unittest.TestCase):
    def test_no_case_is_an_error(self):
        run = good("--filter", "nothing like that")
        self.assertEqual(run.status, USAGE)
        self.assertIn("no case matches", run.errors)

    def test_an_unknown_clause_is_an_error_that_names_the_nearest(self):
        for pattern in ("STR-99", "PLUG-STR-99", "SRT-3"):
            run = good("--filter", "STR-3", pattern)
            self.assertEqual(run.status, USAGE)
            self.assertIn("PLUG-STR-", run.errors)

    def test_unknown_options_and_devices_are_errors(self):
        for words in (["--nonsense"], ["--device", "cpu"], ["--device", "other:0"]):
            self.assertEqual(good("--filter", "DEV-2", *words).status, USAGE, words)

    def test_a_device_that_is_not_there_fails_every_case_that_opens_it(self):
        run = good("--filter", "DEV-4", "--device", "cpu:77")
        self.assertEqual(run.status, NOT_CONFORMANT)

    def test_a_clause_selects_its_cases_and_no_other(self):
        run = good("--filter", "STR-1")
        self.assertEqual(run.status, CONFORMANT, run.text)
        self.assertTrue(all("PLUG-STR-1" in case["clauses"] for case in run.cases.values()))
        self.assertNotIn(" conformant:", run.text)

    def test_list_needs_no_plugin(self):
        run = Run("--list")
        self.assertEqual(run.status, CONFORMANT)
        self.assertGreater(len(run.text.splitlines()), 100)

    def test_cases_run_in_one_process_on_request(self):
        run = good("--filter", "ROOT-1", "DEV-*", "EVT-3", "--in-process")
        self.assertEqual(run.status, CONFORMANT, run.text + run.errors)


class Seeds(unittest.TestCase):
    CASE = "PLUG-STR-1 random copies*"

    def seen(self, seed):
        run = mutant("str1-overtakes", "--filter", self.CASE, "--seed", str(seed))
        self.assertEqual(run.status, NOT_CONFORMANT)
        self.assertIn(f"--seed {seed} ", run.text)
        return next(iter(run.cases.values()))["seen"]

    def test_a_seed_brings_the_same_failure_back(self):
        self.assertEqual(self.seen(5), self.seen(5))

    def test_another_seed_tries_something_else(self):
        self.assertNotEqual(self.seen(5), self.seen(6))


class WaiverFiles(unittest.TestCase):
    FAILING = ("--filter", "EVT-6")

    def failing(self, *words):
        return mutant("evt6-microseconds", *self.FAILING, *words)

    def test_a_waived_failure_is_no_failure_and_is_shown(self):
        run = waivers([waiver("PLUG-EVT-6 elapsed counts*")], run=self.failing)
        self.assertEqual(run.status, CONFORMANT, run.text)
        self.assertIn("waived", run.verdicts())
        self.assertIn("https://acme.example/1", run.text)

    def test_without_a_waiver_it_is_one(self):
        self.assertEqual(self.failing().status, NOT_CONFORMANT)

    def test_a_waiver_that_matches_a_passing_case_is_an_error(self):
        run = waivers([waiver("EVT-6")], run=self.failing)
        self.assertEqual(run.status, NOT_CONFORMANT)
        self.assertIn("matches a case that passes", run.text)

    def test_an_expired_waiver_is_an_error(self):
        run = waivers([waiver("PLUG-EVT-6 elapsed counts*", days=-1)], run=self.failing)
        self.assertEqual(run.status, USAGE)
        self.assertIn("expired", run.errors)

    def test_a_waiver_holds_until_the_end_of_its_day(self):
        run = waivers([waiver("PLUG-EVT-6 elapsed counts*", days=0)], run=self.failing)
        self.assertEqual(run.status, CONFORMANT)

    def test_a_waiver_that_matches_nothing_is_an_error(self):
        for pattern in ("EVT-99", "no such case"):
            run = waivers([waiver(pattern)], run=self.failing)
            self.assertEqual(run.status, USAGE, run.text)

    def test_a_file_that_is_no_list_of_waivers_is_an_error(self):
        incomplete = waiver("EVT-6")
        del incomplete["reason"]
        for entries in ("", "{}", "[1]", [incomplete], [{**waiver("EVT-6"), "why": "?"}],
                        [{**waiver("EVT-6"), "expires": "soon"}]):
            run = waivers(entries, run=self.failing)
            self.assertEqual(run.status, USAGE, entries)
            self.assertIn("waivers:", run.errors)


class Explain(unittest.TestCase):
    def explain(self, clause):
        return subprocess.run([ARGUMENTS.judge, "explain", clause], text=True, capture_output=True)

    def test_a_clause_is_explained(self):
        for clause in ("STR-12", "PLUG-STR-12"):
            done = self.explain(clause)
            self.assertEqual(done.returncode, CONFORMANT)
            for word in ("A fill repeats its pattern", "cases", "often broken because"):
                self.assertIn(word, done.stdout)

    def test_an_unknown_clause_is_an_error(self):
        done = self.explain("STR-99")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("nearest", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("judge", "broken", "mutant", "good"):
        parser.add_argument("--" + name, required=True)
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
