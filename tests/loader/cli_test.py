#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program `collet` on fake plugins, and compares what it prints."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

COLLET = None
PLUGINS = None
DRIVER_FILES = None


def collet(*arguments, folders=(), **environment):
    """Exit status, stdout and stderr, with the fake plugins of the folders (None: the real ones)."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("COLLET_")}
    if folders is not None:
        variables["COLLET_PLUGIN_PATH"] = ":".join(str(PLUGINS / folder) for folder in folders)
    variables["COLLET_CACHE_DIR"] = "/dev/null/nothing"
    # The machine's GPUs are not for the tests.
    variables["LD_PRELOAD"] = str(DRIVER_FILES)
    # The address sanitizer would be the first library.
    variables["ASAN_OPTIONS"] = variables.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
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


class Explain(unittest.TestCase):
    def test_candidates_have_file_verdict_and_status(self):
        status, out, err = collet("devices", "--explain", folders=("good", "no_symbol"),
                                  COLLET_DEVICE="good")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"\ncandidates for back ends:\n bad   not usable:\s")
        self.assertIn("\n       to do    install a build of the plugin for ABI 1\n", out)
        self.assertIn("       status   COLLET_ERROR_INCOMPATIBLE, after ", out)
        self.assertIn(" good  usable: 2 devices\n       file     ", out)

    def test_status_is_explained_in_the_words_of_the_header(self):
        status, out, err = collet("explain", "NO_SUCH_DEVICE")
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(out.startswith(
            "COLLET_ERROR_NO_SUCH_DEVICE (-10)\n"
            "  A well-formed selector names a back end or a device that does not exist.\n"
            "To do\n"
            "  `collet devices` shows those that do"), out)
        for name in ("COLLET_ERROR_NO_SUCH_DEVICE", "no_such_device", "-10"):
            self.assertEqual(collet("explain", name), (0, out, ""))

    def test_every_status_is_listed_and_explained(self):
        status, out, err = collet("explain", "--json")
        self.assertEqual((status, err), (0, ""))
        rows = json.loads(out)
        self.assertEqual([row["value"] for row in rows], [0, 1] + list(range(-1, -26, -1)))
        for row in rows:
            self.assertTrue(row["meaning"].endswith("."), row)
            self.assertTrue(row["to_do"].endswith(".") or row["status"] == "COLLET_OK", row)
        status, out, _ = collet("explain")
        self.assertEqual(len(out.splitlines()), len(rows))

    def test_unknown_status_has_the_nearest_one(self):
        status, out, err = collet("explain", "NO_SUCH_DEVIC")
        self.assertEqual((status, out), (2, ""))
        self.assertEqual(err, 'collet: there is no status "NO_SUCH_DEVIC"; did you mean '
                              'NO_SUCH_DEVICE?\n')
        self.assertIn("`collet explain` lists them", collet("explain", "E0103")[2])


class Doctor(unittest.TestCase):
    maxDiff = None

    def test_all_is_well(self):
        status, out, err = collet("doctor", folders=("good",), COLLET_DEVICE="good:1")
        self.assertEqual((status, err), (0, ""))
        self.assertTrue(out.endswith("\nAll is well: programs run on good:1.\n"), out)
        headings = [line for line in out.splitlines() if line and not line.startswith(" ")]
        self.assertEqual(headings[1:], ["Search", "Candidates for back ends", "Devices", "Device map",
                                        "Programs", "Environment", "All is well: programs run on good:1."])
        self.assertRegex(headings[0], r"^collet \d+\.\d+\.\d+ \(ABI \d+\.\d+\)$")
        self.assertRegex(out, r" COLLET_DEVICE += good:1 \(selects good:1\)\n")

    def test_output_has_no_escape_sequences(self):
        _, out, _ = collet("doctor", folders=("good", "garbage_text", "count_reports"))
        self.assertTrue(all(c == "\n" or c.isprintable() for c in out))

    def test_wrong_selection_is_the_first_thing_to_do(self):
        status, out, err = collet("doctor", folders=("good",), COLLET_DEVICE="god:0")
        self.assertEqual((status, err), (1, ""))
        self.assertIn('To do (no device is selected):\n'
                      ' 1. COLLET_DEVICE: there is no back end "god"\n'
                      '        god:0\n'
                      '        ^^^   did you mean "good"?\n', out)

    def test_misspelt_variable_is_something_to_do(self):
        status, out, _ = collet("doctor", folders=("good",), COLLET_DEVIC="cpu",
                                COLLET_GOOD_SPEED="7")
        self.assertEqual(status, 1)
        self.assertIn("To do (programs run on good:0):\n"
                      " 1. COLLET_DEVIC is set, and nothing reads it; did you mean "
                      "COLLET_DEVICE?\n", out)
        self.assertRegex(out, r" COLLET_DEVIC += cpu \(nothing reads it; meant COLLET_DEVICE\?\)\n")
        self.assertRegex(out, r" COLLET_GOOD_SPEED += 7 \(for a back end")

    def test_junk_in_the_variable_of_the_log_is_something_to_do(self):
        status, out, _ = collet("doctor", folders=("good",), COLLET_LOG="verbose")
        self.assertEqual(status, 1)
        self.assertIn(' 1. COLLET_LOG: "verbose" is not understood', out)

    def test_cpu_by_default_beside_an_unusable_plugin_is_something_to_do(self):
        folders = ("good", "count_reports")
        status, out, err = collet("doctor", folders=folders)
        self.assertEqual((status, err), (1, ""))
        self.assertIn("bad is not usable: libfake.so.1 not found", out)
        self.assertIn("COLLET_DEVICE=good:0", out.split("To do")[-1].replace("\n    ", " "))
        status, out, _ = collet("doctor", folders=folders, COLLET_DEVICE="good")
        self.assertEqual(status, 0)
        self.assertIn(" bad   not usable: libfake.so.1 not found", out)

    def test_driver_of_a_gpu_without_a_plugin_is_something_to_do(self):
        status, out, err = collet("doctor", folders=("good",), FAKE_DRIVER_FILES="/dev/nvidiactl")
        self.assertEqual((status, err), (1, ""))
        self.assertIn(' 1. auto: the driver of an NVIDIA GPU is here (/dev/nvidiactl), and there is '
                      'no back end "cuda"; install its plugin, or set COLLET_DEVICE=good:0',
                      out.replace("\n    ", " "))
        self.assertEqual(collet("doctor", folders=("good",), COLLET_DEVICE="good",
                                FAKE_DRIVER_FILES="/dev/nvidiactl")[0], 0)

    def test_broken_plugin_is_something_to_do_whatever_is_selected(self):
        status, out, _ = collet("doctor", folders=("good", "wrong_major"), COLLET_DEVICE="good")
        self.assertEqual(status, 1)
        self.assertIn("; install a build of the plugin for ABI 1\n", out)

    def test_json_has_the_same(self):
        status, out, err = collet("doctor", "--json", folders=("good",), COLLET_DEVIC="cpu")
        self.assertEqual((status, err), (1, ""))
        report = json.loads(out)
        self.assertEqual(report["to_do"], ["COLLET_DEVIC is set, and nothing reads it; did you "
                                           "mean COLLET_DEVICE?"])
        self.assertEqual(report["selection"]["device"], "good:0")
        self.assertIn({"name": "COLLET_DEVIC", "value": "cpu",
                       "effect": "nothing reads it; meant COLLET_DEVICE?"}, report["environment"])


class Bench(unittest.TestCase):
    def test_device_without_operations_says_why(self):
        status, out, err = collet("bench", "matmul", "--size", "16", folders=("good",))
        self.assertEqual(status, 1)
        self.assertRegex(out, r"\n 16 +good:0 .* good:0 has no native operations: a fake device")
        self.assertIn("no device here has run a matrix product", err)

    def test_devices_are_timed_with_their_copies(self):
        status, out, err = collet("bench", "matmul", "--device", "cpu", "--size", "32", "--size",
                                  "64", "--json", folders=None)
        self.assertEqual((status, err), (0, ""))
        rows = json.loads(out)["rows"]
        self.assertEqual([(row["device"], row["size"], row["fault"]) for row in rows],
                         [("cpu:0", 32, ""), ("cpu:0", 64, "")])
        for row in rows:
            self.assertGreater(row["warm_up_s"], 0)
            self.assertGreater(row["compute_s"], 0)
            self.assertGreater(row["copy_in_s"], 0)
            self.assertGreater(row["copy_out_s"], 0)
            self.assertAlmostEqual(row["gflops"] * row["compute_s"], 2e-9 * row["size"] ** 3)
            self.assertAlmostEqual(row["flop_per_byte"], row["size"] / 6)

    def test_wrong_selector_and_size_are_refused(self):
        status, out, err = collet("bench", "matmul", "--device", "god", folders=("good",))
        self.assertEqual((status, out), (2, ""))
        self.assertIn('did you mean "good"?', err)
        for size in ("0", "-1", "16385", "x"):
            self.assertEqual(collet("bench", "matmul", "--size", size)[0], 2)
        self.assertEqual(collet("bench")[0], 2)


class Cache(unittest.TestCase):
    def test_what_is_kept_is_told_and_cleared(self):
        with tempfile.TemporaryDirectory() as root:
            programs = pathlib.Path(root, "programs")
            programs.mkdir(mode=0o700)
            (programs / "1.program").write_bytes(b"x" * 2048)
            (programs / "2.program").write_bytes(b"y" * 1024)
            (programs / "mine.txt").write_text("not an entry")
            self.assertEqual(
                collet("cache", COLLET_CACHE_DIR=root, COLLET_CACHE_SIZE="1MiB"),
                (0, f"{programs}: 2 programs, 3.00 KiB of 1.00 MiB\n", ""))
            _, out, _ = collet("cache", "--json", COLLET_CACHE_DIR=root)
            self.assertEqual(json.loads(out), {"folder": str(programs), "programs": 2,
                                               "bytes": 3072, "limit_bytes": 256 << 20})
            self.assertEqual(collet("cache", "clear", COLLET_CACHE_DIR=root),
                             (0, "removed 2 programs, 3.00 KiB\n", ""))
            self.assertEqual([file.name for file in programs.iterdir()], ["mine.txt"])

    def test_nothing_is_kept_where_the_size_is_zero_or_the_folder_is_none(self):
        for variables in ({"COLLET_CACHE_SIZE": "0"}, {"COLLET_CACHE_DIR": "here"}):
            status, out, _ = collet("cache", **variables)
            self.assertEqual(out, "programs that are built are not kept\n")
            self.assertEqual(status, 1 if "COLLET_CACHE_DIR" in variables else 0)

    def test_size_that_is_none_is_told(self):
        status, out, err = collet("cache", COLLET_CACHE_DIR="/dev/null/no", COLLET_CACHE_SIZE="much")
        self.assertEqual(status, 1)
        self.assertIn('COLLET_CACHE_SIZE: "much" is no size such as 256MiB', err)
        self.assertIn("0 programs, 0 B of 256.00 MiB", out)


class Use(unittest.TestCase):
    def test_version(self):
        status, out, err = collet("--version")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^collet \d+\.\d+\.\d+ \(ABI \d+\.\d+\)\n$")

    def test_help_names_the_commands_and_the_variables(self):
        status, out, err = collet("--help")
        self.assertEqual((status, err), (0, ""))
        for text in ("$ collet devices", "$ collet doctor", "$ collet explain",
                     "$ collet bench matmul", "--version", "COLLET_DEVICE", "COLLET_PLUGIN_PATH",
                     "COLLET_LOG", "COLLET_<BACKEND>_<OPTION>"):
            self.assertIn(text, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertEqual(collet(), (0, out, ""))

    def test_help_of_a_command(self):
        status, out, _ = collet("devices", "--help")
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("usage: collet devices [--explain] [--json]\n"))
        for command in (["doctor"], ["explain"], ["bench"], ["bench", "matmul"]):
            status, out, err = collet(*command, "--help")
            self.assertEqual((status, err), (0, ""))
            self.assertTrue(out.startswith(f"usage: collet {command[0]} "), out)
            self.assertLessEqual(max(map(len, out.splitlines())), 82)

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
    global COLLET, PLUGINS, DRIVER_FILES
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collet", type=pathlib.Path, required=True)
    parser.add_argument("--plugins", type=pathlib.Path, required=True)
    parser.add_argument("--driver-files", type=pathlib.Path, required=True)
    parser.add_argument("--copy-to", metavar="NAME",
                        help="run on a copy of the plugins below a folder of this name")
    args, rest = parser.parse_known_args()
    COLLET = args.collet
    DRIVER_FILES = args.driver_files
    with tempfile.TemporaryDirectory() as folder:
        PLUGINS = args.plugins.resolve()
        if args.copy_to:
            PLUGINS = pathlib.Path(shutil.copytree(
                PLUGINS, pathlib.Path(folder).resolve() / args.copy_to,
                ignore=shutil.ignore_patterns("CMakeFiles", "*.o")))
        unittest.main(argv=sys.argv[:1] + rest)


if __name__ == "__main__":
    main()
