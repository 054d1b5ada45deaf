#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the report of a simulated device says of sample programs."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ARGS = None
COUNT = 1000


def run(report, command=None, **settings):
    environment = {**os.environ, "COLLET_PLUGIN_PATH": str(ARGS.plugins), "COLLET_DEVICE": "sim:1",
                   "COLLET_SIM_REPORT": str(report), **settings}
    return subprocess.run(command or [ARGS.saxpy, "--n", str(COUNT)], capture_output=True,
                          text=True, env=environment)


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "report.json")

    def devices(self, **settings):
        self.done = run(self.path, **settings)
        return json.loads(self.path.read_text())["devices"]

    def test_it_counts_what_each_device_has_done(self):
        idle, used = self.devices()
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual([idle["id"], used["id"]], ["sim:0", "sim:1"])
        self.assertEqual(set(idle["done"].values()), {0})
        self.assertEqual(idle["peak_memory_bytes"], 0)
        # How often the library allocates for itself, to stage a copy, depends on luck.
        self.assertEqual(used["done"] | {"record": 0, "allocate": 0, "pin": 0}, {
            "copy": 0, "copy_rect": 0, "copy_peer": 0, "write": 4, "read": 1, "fill": 0, "launch": 2,
            "host_function": 0, "record": 0, "wait_event": 0, "allocate": 0, "pin": 0,
            "stream": 1, "program": 1, "connect": 0})
        self.assertGreaterEqual(used["done"]["record"], 4)
        self.assertEqual(used["bytes"], {"to_device": 16 * COUNT, "from_device": 4 * COUNT,
                                         "to_peers": 0, "inside": 0})
        self.assertEqual((used["failed"], used["conflicts"]), (0, 0))
        self.assertGreaterEqual(used["peak_memory_bytes"], 8 * COUNT)
        self.assertIs(used["lost"], False)

    def test_it_counts_the_waits_of_a_program_on_a_late_device(self):
        # Two writes find the stream at rest, and block; the read and a look at an event do too.
        self.assertGreaterEqual(self.devices(COLLET_SIM_SCHEDULE="lazy")[1]["waits"], 4)

    def test_it_tells_of_failures(self):
        used = self.devices(COLLET_SIM_FAULTS="launch:nth=2:trap")[1]
        self.assertNotEqual(self.done.returncode, 0)
        self.assertEqual((used["failed"], used["done"]["launch"]), (1, 1))
        used = self.devices(COLLET_SIM_FAULTS="launch:nth=2:lose")[1]
        self.assertIs(used["lost"], True)

    def test_it_counts_each_conflict_and_the_log_tells_of_each_sort_once(self):
        done = run(self.path, [ARGS.conflicts, "[.conflicts]"], COLLET_SIM_CHECK="warn")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        device = json.loads(self.path.read_text())["devices"][0]
        self.assertEqual((device["failed"], device["conflicts"]), (0, 20))
        told = [line for line in done.stderr.splitlines() if "COLLET_SIM_CHECK: " in line]
        # Whichever of the two runs later is the one that is told of.
        self.assertIn(len(told), (1, 2), told)
        self.assertIn("writes 4096 bytes at 0x", told[0])

    def test_the_samples_have_no_conflicts(self):
        samples = [ARGS.saxpy, "--n", "1000"], [ARGS.overlap, "--steps", "4", "--bytes", "4000"]
        for command in samples:
            for schedule in ("eager", "lazy", "random"):
                with self.subTest(command[0], schedule=schedule):
                    done = run(self.path, command, COLLET_SIM_CHECK="warn",
                               COLLET_SIM_SCHEDULE=schedule)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    used = json.loads(self.path.read_text())["devices"][1]
                    self.assertGreater(used["done"]["launch"], 0)
                    self.assertEqual(used["conflicts"], 0)
                    self.assertNotIn("COLLET_SIM_CHECK", done.stderr)

    def test_a_file_that_cannot_be_written_is_an_error_in_the_log(self):
        done = run(self.path / "none")
        self.assertEqual(done.returncode, 0)
        self.assertIn("COLLET_SIM_REPORT: cannot write", done.stderr)
        self.assertIn("report.json/none", done.stderr)


def main():
    global ARGS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugins", type=pathlib.Path, required=True)
    parser.add_argument("--saxpy", type=pathlib.Path, required=True)
    parser.add_argument("--overlap", type=pathlib.Path, required=True)
    parser.add_argument("--conflicts", type=pathlib.Path, required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
