#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the samples as a user would: what they print, what they answer to bad input."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WRONG_INPUT = 2
BAD_SELECTORS = ["cudaa", "cpu:256", "cpu:-1", "cpu:00", "cpu:", "", " cpu", "cpu :0",
                 "cpu:9223372036854775808"]


class Samples:
    def __init__(self, args):
        self.programs = args.programs
        self.source = args.source

    def run(self, name, *arguments, device="cpu", program=None, **variables):
        program = program or self.programs / name
        environment = {**os.environ, "COLLET_DEVICE": device, **variables}
        print("+", f"COLLET_DEVICE='{device}'", name, *arguments, flush=True)
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                              env=environment, timeout=250)
        print(done.stdout, done.stderr, sep="", flush=True)
        return done

    def succeed(self, name, *arguments, **options):
        done = self.run(name, *arguments, **options)
        check(done.returncode == 0, f"exit status {done.returncode}, not 0")
        return done.stdout

    def refuse(self, name, *arguments, **options):
        """The error text of a program that must do nothing but refuse."""
        done = self.run(name, *arguments, **options)
        check(done.returncode == WRONG_INPUT, f"exit status {done.returncode}, not {WRONG_INPUT}")
        return done


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def devices(samples):
    output = samples.succeed("devices")
    check(re.search(r"^ cpu:0 ", output, re.M), "cpu:0 is not listed")
    check("Default device: cpu:0" in output, "the default device is not cpu:0")


def custom_kernel(samples):
    """The kernels inside, those of a file, and a file with a mistake; a warm cache compiles nothing."""
    source = samples.source / "custom_kernel" / "normalize.clt"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        runs, wrapper = folder / "runs", folder / "cxx"
        wrapper.write_text(f'#!/bin/sh\necho run >> {runs}\nexec c++ "$@"\n')
        wrapper.chmod(0o700)
        own = {"COLLET_CACHE_DIR": str(folder / "cache"), "COLLET_HOST_CXX": str(wrapper)}
        for device in ("cpu", "sim"):
            output = samples.succeed("custom_kernel", device=device, **own)
            check("the kernels inside: built in" in output, "the kernels inside are not used")
            check(not runs.exists(), "what is compiled ahead of time was compiled again")
        for device in ("cpu", "sim"):
            for _ in range(2):
                output = samples.succeed("custom_kernel", "--kernels", source, device=device, **own)
                check("with scale sum_squares" in output, "the kernels are not listed")
                check("was 3000 long, and is 1 long now" in output, "the result is wrong")
        check(runs.read_text().count("run") == 2, "a warm cache has run the compiler")
        mistake = folder / "mistake.clt"
        mistake.write_text(source.read_text().replace("< count", "< size"))
        refused = samples.refuse("custom_kernel", "--kernels", mistake, **own)
        line = 1 + source.read_text().split("< count")[0].count("\n")
        check(f"mistake.clt:{line}:" in refused.stderr, f"line {line} is not told")
    samples.refuse("custom_kernel", "--kernels", "/nowhere/no.clt")
    samples.refuse("custom_kernel", "--size", 1)


def overlap(samples):
    """On the simulated clock all times are exact."""
    costs = {"COLLET_SIM_CLOCK": "virtual", "COLLET_SIM_CHECK": "fail",
             "COLLET_SIM_COSTS": "to_device=20GB/s,latency=0ns,launch=300us"}
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        output = samples.succeed("overlap", "--bytes", 1000000, "--steps", 20, "--trace", trace,
                                 device="sim", **costs)
        events = json.loads(trace.read_text())["traceEvents"]
    # A copy takes 50 us, and a kernel 300.
    titles = {"pageable, blocking": 20 * 350, "pinned, blocking": 20 * 350,
              "pageable, non-blocking": 50 + 20 * 300, "pinned, non-blocking": 50 + 20 * 300}
    for process, (title, length_us) in enumerate(titles.items()):
        check(re.search(rf"^ {title} +{length_us / 1000:.3f} ms", output, re.M),
              f"{title} does not take {length_us} us")
        names = [event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["pid"] == process]
        check(title in names, f"the trace does not name {title}")
        for thread, duration_us in ((0, 50), (1, 300)):
            spans = [event for event in events if event["ph"] == "X" and
                     (event["pid"], event["tid"]) == (process, thread)]
            check(len(spans) == 20, f"the trace has {len(spans)} spans, not 20")
            for before, span in zip([None, *spans], spans):
                check(span["dur"] >= duration_us, f"{span} is shorter than {duration_us} us")
                check(before is None or before["ts"] + before["dur"] <= span["ts"],
                      f"{before} and {span} overlap")
    check("13.6 % less" in output, "the time that is saved is not that of the hidden copies")
    check(len(re.findall(r"^   (copy|compute) +[0-9.]{80}$", output, re.M)) == 8,
          "there are not eight lines of drawings")
    samples.succeed("overlap", "--bytes", 400000, "--steps", 3)
    for arguments in (["--steps", "1"], ["--bytes", "3"], ["--bytes", "x"], ["--trace"], ["--what"]):
        error = samples.refuse("overlap", *arguments).stderr
        check("Usage: overlap" in error, f"{arguments}: the usage is not told")
    done = samples.run("overlap", "--bytes", 4000, "--steps", 2, "--trace", "/nowhere/trace.json")
    check(done.returncode == 1 and "cannot write /nowhere/trace.json" in done.stderr,
          "a trace that cannot be written is not told")


def saxpy(samples):
    for count in (1, 255, 1000003):
        output = samples.succeed("saxpy", "--n", count)
        check(f"all {count} values are right" in output, "the values were not checked")
    check(len(re.findall(r"GB/s", output)) == 3, "not all three parts were timed")


def accuracy(samples):
    output = samples.succeed("train_digits")
    check("on cpu:0 " in output.splitlines()[0], "the first line does not name the device")
    last_epoch = float(re.findall(r"^epoch .* test accuracy +([\d.]+) %$", output, re.M)[-1])
    final = float(re.search(r"^test accuracy +([\d.]+) %$", output, re.M)[1])
    check(final == last_epoch, "the result is not the last epoch's")
    check(final >= 96, f"{final} % of the test images are recognized, less than 96 %")
    check(re.search(r"^training time +[\d.]+ s$", output, re.M), "no training time")
    check(re.search(r"^moved +[1-9]\d* bytes host -> device, [1-9]\d* bytes device -> host$",
                    output, re.M), "no bytes moved")


def same_seed_same_losses(samples):
    def epochs(seed):
        output = samples.succeed("train_digits", "--epochs", 3, f"--seed={seed}")
        return re.findall(r"^epoch .*", output, re.M)

    first = epochs(7)
    check(len(first) == 3, "there are not three epochs")
    check(epochs(7) == first, "the same seed gives other losses")
    check(epochs(8) != first, "another seed gives the same losses")


def bad_files(good):
    """Names of faults, with a file's bytes and where the fault is: line and column."""
    lines = good.splitlines(keepends=True)

    def with_line(number, line):
        return b"".join(lines[:number - 1] + [line] + lines[number:])

    first_values = lines[0].rstrip(b"\n").split(b",")

    def with_value(index, value):
        values = [*first_values]
        values[index] = value
        column = len(b",".join(values[:index])) + (2 if index else 1)
        return with_line(1, b",".join(values) + b"\n"), 1, column

    short, long = b",".join(first_values[:-1]) + b"\n", b",".join(first_values + [b"0"]) + b"\n"
    full = len(lines[0])
    return {
        "empty": (b"", 1, 1),
        "only a line end": (b"\n", 1, 1),
        "cut after a line": (b"".join(lines[:900]), 901, 1),
        "cut inside a line": (b"".join(lines[:9]) + lines[9][:6], 10, 7),
        "last line end missing": (good[:-1], 1797, len(lines[-1])),
        "one line too many": (good + lines[0], 1798, 1),
        "a value too few": (with_line(1, short), 1, len(short)),
        "a value too many": (with_line(1, long), 1, full),
        "an empty line": (with_line(3, b"\n"), 3, 1),
        "a letter": with_value(5, b"x"),
        "a sign": with_value(5, b"-1"),
        "a fraction": (with_value(5, b"1.5")[0], 1, with_value(5, b"1.5")[2] + 1),
        "a leading zero": with_value(5, b"07"),
        "a space": with_value(5, b" 7"),
        "a pixel of 17": with_value(5, b"17"),
        "a pixel of 2^64 + 1": with_value(5, b"18446744073709551617"),
        "a label of 10": with_value(64, b"10"),
        "no label": with_value(64, b""),
        "a NUL byte": with_value(0, b"\0"),
        "Windows line ends": (good.replace(b"\n", b"\r\n"), 1, full),
        "a byte order mark": (b"\xef\xbb\xbf" + good, 1, 1),
        "a line without end": (b"0," * 1000000, 1, 130),
        "a hundred times the lines": (good * 100, 1798, 1),
    }


def bad_data(samples):
    good = (samples.source / "train_digits/data/digits.csv").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "digits.csv"
        for fault, (content, line, column) in bad_files(good).items():
            print(f"-- {fault}")
            path.write_bytes(content)
            done = samples.refuse("train_digits", "--data", path)
            check(done.stdout == "", "something was printed")
            check(done.stderr.count("\n") == 1, "the error is not one line")
            where = f"{path}:{line}:{column}: expected "
            check(where in done.stderr, f"the error does not say {where}")

        print("-- larger than any memory, and all zeros")
        with path.open("wb") as file:
            file.truncate(1 << 40)
        check(f"{path}:1:1: expected " in samples.refuse("train_digits", "--data", path).stderr,
              "the error does not say where")
        for unreadable in (path.parent, path.parent / "missing.csv"):
            done = samples.refuse("train_digits", "--data", unreadable)
            check(f"{unreadable}: cannot be read" in done.stderr, "the error does not name the file")


def bad_device(samples):
    for selector in BAD_SELECTORS:
        for name in ("devices", "saxpy", "train_digits"):
            done = samples.refuse(name, device=selector)
            check("^" in done.stderr, "no caret shows where the fault is")
            check("COLLET_DEVICE" in done.stderr, "the variable is not named")
            check("epoch" not in done.stdout and "values" not in done.stdout,
                  "it ran on another device")
    for name in ("saxpy", "train_digits"):
        done = samples.refuse(name, "--device", "cudaa")
        check("cudaa" in done.stderr, "the selector is not shown")


def bad_usage(samples):
    for arguments in (["--epochs"], ["--epochs", "0"], ["--epochs", "3x"], ["--epochs="],
                      ["--batch", "1438"], ["--seed", "-1"], ["--data="], ["--dat", "x"], ["x"]):
        check("--help" in samples.refuse("train_digits", *arguments).stderr, "no way to help")
    for arguments in (["--n"], ["--n", "0"], ["--n", "1e6"], ["--m", "1"]):
        check("Usage" in samples.refuse("saxpy", *arguments).stderr, "no way to help")
    for name in ("saxpy", "train_digits"):
        check(samples.succeed(name, "--help").startswith("Usage: "), "no usage")


def data_beside(samples):
    """The data is found from the program's own place, through links and in a moved tree."""
    with tempfile.TemporaryDirectory() as folder:
        moved = pathlib.Path(folder) / "bin" / "train_digits"
        moved.parent.mkdir()
        shutil.copy(samples.programs / "train_digits", moved)
        expected = pathlib.Path(folder) / "share" / "collet" / "digits.csv"
        done = samples.refuse("train_digits", program=moved)
        check(f"{expected}: cannot be read" in done.stderr, "the data is looked for elsewhere")

        link = pathlib.Path(folder) / "link"
        link.symlink_to(samples.programs / "train_digits")
        samples.succeed("train_digits", "--epochs", 1, program=link)


def simulated(samples):
    """A device without operations: what needs none works, and what does says why it cannot."""
    output = samples.succeed("saxpy", "--n", 1003, device="sim")
    check("all 1003 values are right" in output, "the values were not checked")
    done = samples.run("train_digits", device="sim")
    check(done.returncode == 1, f"exit status {done.returncode}, not 1")
    check("sim:0 has no native operations: " in done.stderr, "the error does not say why")
    check("epoch" not in done.stdout, "it trained on another device")


def split(samples):
    data = samples.source / "train_digits" / "data"
    made = subprocess.run([sys.executable, "-B", data / "make_split.py"], check=True,
                          capture_output=True, text=True).stdout
    check(made == (data / "test_indices.csv").read_text(), "the committed split is another one")
    indices = [int(word) for word in made.replace(",", " ").split()]
    check(len(set(indices)) == 360, "there are not 360 test images")
    check(indices == sorted(indices) and indices[-1] < 1797, "the indices are not as they must be")


CASES = {case.__name__: case for case in (
    custom_kernel, devices, overlap, saxpy, accuracy, same_seed_same_losses, bad_data, bad_device,
    bad_usage, data_beside, simulated, split)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the samples")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the folder samples/")
    args = parser.parse_args()
    try:
        CASES[args.case](Samples(args))
    except (AssertionError, subprocess.SubprocessError) as error:
        print(f"{args.case}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
