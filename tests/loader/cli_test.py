#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program `collet` on fake plugins, and compares what it prints."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import unittest

COLLET = None
PLUGINS = None


def collet(*arguments, folders=(), **environment):
    """Exit status, stdout and stderr."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("COLLET_")}
    variables["COLLET_CACHE_DIR"] = "/dev/null/nothing"
    variables["COLLET_PLUGIN_PATH"] = ":".join(str(PLUGINS / folder) for folder in folders)
    variables.update(environment)
    done = subprocess.run([COLLET, *arguments], env=variables, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Devices(unittest.TestCase):
    maxDiff = None

    def test_table_has_devices_and_the_reason_of_each_unusable_back_end(self):
        status, out, err = collet("devices", folders=(
            "good", "count_reports", "no_devices", "garbage_text"))
        self.assertEqual(status, 0)
        self.assertEqual(out.splitlines(), [
            " device     name                                      memory   units  types      state",
            " bad        -                                         -        -      -          "
            "libfake.so.1 not found (no driver on this machine)",
            " empty      -                                         -        -      -          "
            "no devices",
            " garbage:0  " + "?" * 37 + "...  1.0 KiB  1      f32 (f16)  default",
            " garbage:1  " + "?" * 37 + "...  1.0 KiB  1      f32 (f16)  ok",
            " good:0     Fake device                               1.0 KiB  1      f32 (f16)  ok",
            " good:1     Fake device                               1.0 KiB  1      f32 (f16)  ok",
            " (types in brackets are emulated)",
            "selected by: COLLET_DEVICE unset -> auto: garbage:0",
        ])
        self.assertEqual(err, "collet: warning: auto has chosen garbage:0; bad is installed but "
                              "not usable: libfake.so.1 not found (no driver on this machine)\n")

    def test_selected_device_is_marked(self):
        status, out, err = collet("devices", folders=("good",), COLLET_DEVICE="good:1")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out.splitlines(), [
            " device  name         memory   units  types      state",
            " good:0  Fake device  1.0 KiB  1      f32 (f16)  ok",
            " good:1  Fake device  1.0 KiB  1      f32 (f16)  default",
            " (types in brackets are emulated)",
            "selected by: COLLET_DEVICE=good:1 -> good:1",
        ])

    def test_visible_devices_are_shown_with_their_physical_numbers(self):
        status, out, err = collet("devices", folders=("addresses", "good"),
                                  COLLET_VISIBLE_DEVICES="many:3,1", CUDA_VISIBLE_DEVICES="1")
        self.assertEqual((status, err), (0, ""))
        uuid = "GPU-00000000-fake-0000-0000-00000000000"
        self.assertEqual(out.splitlines(), [
            " device  name           memory   units  types      state",
            " good    -              -        -      -          no visible devices",
            " many:0  Fake device 3  1.0 KiB  1      f32 (f16)  default",
            " many:1  Fake device 1  1.0 KiB  1      f32 (f16)  ok",
            " (types in brackets are emulated)",
            "visible by: COLLET_VISIBLE_DEVICES=many:3,1",
            " logical  physical  PCI address   uuid",
            f" many:0   many:3    0000:03:00.0  {uuid}3",
            f" many:1   many:1    0000:01:00.0  {uuid}1",
            "set for a driver, and acting before Collet: CUDA_VISIBLE_DEVICES=1",
            "selected by: COLLET_DEVICE unset -> auto: many:0",
        ])

    def test_wrong_visible_devices_are_an_error(self):
        status, _, err = collet("devices", folders=("good",), COLLET_VISIBLE_DEVICES="good:7")
        self.assertEqual(status, 2)
        self.assertEqual(err, 'collet: COLLET_VISIBLE_DEVICES: "good:7" does not exist\n'
                              '    good:7\n'
                              '         ^   good has 2 devices: 0 to 1\n')

    def test_device_that_cannot_be_described_is_a_row(self):
        status, out, _ = collet("devices", folders=("good", "properties_report"),
                                COLLET_DEVICE="good")
        self.assertEqual(status, 0)
        self.assertIn(" bad:1   -            -        -      -          "
                      "the fake device does not answer\n", out)

    def test_wrong_selection_shows_the_table_and_the_error(self):
        status, out, err = collet("devices", folders=("good",), COLLET_DEVICE="god:0")
        self.assertEqual(status, 2)
        self.assertIn(" good:1  Fake device", out)
        self.assertNotIn("selected by", out)
        self.assertEqual(err, 'collet: COLLET_DEVICE: there is no back end "god"\n'
                              '    god:0\n'
                              '    ^^^   did you mean "good"?\n'
                              'back ends here: good (2 devices)\n')

    def test_no_plugins_says_where_they_were_looked_for(self):
        status, _, err = collet("devices", folders=("none",))
        self.assertEqual(status, 2)
        self.assertIn(f"plugins are looked for in {PLUGINS}/none", err)

    def test_json_has_everything(self):
        status, out, err = collet("devices", "--json", folders=("good", "count_reports"))
        self.assertEqual(status, 0)
        report = json.loads(out)
        self.assertEqual(report["abi_version"], "1.0")
        self.assertEqual(report["selection"],
                         {"COLLET_DEVICE": None, "device": "good:0", "error": ""})
        bad, good = report["backends"]
        self.assertEqual(bad["state"], "unusable")
        self.assertEqual(bad["status"], "COLLET_ERROR_UNAVAILABLE")
        self.assertEqual(bad["devices"], [])
        self.assertEqual(good["path"], f"{PLUGINS}/good/libcollet_good.so")
        self.assertEqual(good["origin"], "COLLET_PLUGIN_PATH")
        device = good["devices"][1]
        self.assertEqual(device["id"], "good:1")
        self.assertEqual(device["memory_bytes"], 1024)
        self.assertEqual(device["native_types"], ["f32"])
        self.assertEqual(device["numa_node"], -1)
        self.assertIn("warning: auto has chosen", err)

    def test_json_survives_texts_that_are_not_utf8(self):
        status, out, _ = collet("devices", "--json", folders=("garbage_text",),
                                COLLET_DEVICE="\udcff")
        self.assertEqual(status, 2)
        report = json.loads(out)
        self.assertIn('"\\xff" is no name of a back end', report["selection"]["error"])
        self.assertIn("\ufffd", report["backends"][0]["devices"][0]["name"])


class Use(unittest.TestCase):
    def test_version(self):
        status, out, err = collet("--version")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^collet \d+\.\d+\.\d+ \(ABI \d+\.\d+\)\n$")

    def test_help_names_the_commands_and_the_variables(self):
        status, out, err = collet("--help")
        self.assertEqual((status, err), (0, ""))
        for text in ("$ collet devices", "--version", "COLLET_DEVICE", "COLLET_PLUGIN_PATH",
                     "COLLET_LOG", "COLLET_<BACKEND>_<OPTION>"):
            self.assertIn(text, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertEqual(collet(), (0, out, ""))

    def test_help_of_a_command(self):
        status, out, _ = collet("devices", "--help")
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("usage: collet devices [--json]\n"))

    def test_wrong_use_says_what_and_where_to_look(self):
        for arguments in (["device"], ["--wrong"], ["devices", "--jsn"], ["devices", "x"]):
            status, out, err = collet(*arguments)
            self.assertEqual((status, out), (2, ""))
            self.assertTrue(err.startswith("collet: "), err)
            self.assertTrue(err.endswith("`collet --help` shows what there is\n"), err)
            self.assertIn(arguments[-1], err)

    def test_full_disk_is_no_success(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([COLLET, "--help"], stdout=full)
        self.assertEqual(done.returncode, 1)


def main():
    global COLLET, PLUGINS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collet", type=pathlib.Path, required=True)
    parser.add_argument("--plugins", type=pathlib.Path, required=True)
    args, rest = parser.parse_known_args()
    COLLET, PLUGINS = args.collet, args.plugins.resolve()
    unittest.main(argv=sys.argv[:1] + rest)


if __name__ == "__main__":
    main()
