#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program once for each of some seeds of the simulated device's schedule.

With --cases the program is one of tests, and each of its cases runs in a process of its own. What
fails is printed with its seed, by which it can be run again.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys

SKIPPED = 77
TIMEOUT_S = 500


def run(command, seed, unwanted):
    """What is wrong, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT_S, env={**os.environ, "COLLET_SIM_SEED": str(seed)})
    except subprocess.TimeoutExpired:
        return f"took more than {TIMEOUT_S} s"
    output = done.stdout + done.stderr
    if done.returncode in (0, SKIPPED) and not (unwanted and unwanted in output):
        return None
    return f"exit status {done.returncode}\n{output}"


def cases_of(command):
    """One command for each case. The names come from the program, and are escaped for it."""
    listed = subprocess.run([*command, "--list-test-names-only"], capture_output=True, text=True)
    names = [line for line in listed.stdout.splitlines() if line]
    return [[command[0], "".join("\\" + c if c in ",[]\\" else c for c in name)] for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1, help="how many, from --first on")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--unwanted", default="", help="a text that no output may have")
    parser.add_argument("command", nargs="+", help="after --: the program and its arguments")
    args = parser.parse_args()

    commands = cases_of(args.command) if args.cases else [args.command]
    work = [(command, seed) for seed in range(args.first, args.first + args.seeds)
            for command in commands]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (command, seed), wrong in zip(work, pool.map(lambda w: run(*w, args.unwanted), work)):
            if wrong:
                failed += 1
                print(f"COLLET_SIM_SEED={seed} {command}: {wrong}", flush=True)
    print(f"{len(work)} runs, {failed} failures")
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())
