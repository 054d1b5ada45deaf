#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that COLLET_LAYERS=validate says nothing of a correct program.

Runs the program with the layer on; it must end as it does without, and nothing may be reported.
"""

import argparse
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skip-code", type=int, help="the program's exit status for a skipped test")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    done = subprocess.run(arguments.command, text=True, errors="replace", capture_output=True,
                          check=False, env={**os.environ, "COLLET_LAYERS": "validate",
                                            # The last line says that the layer was there.
                                            "COLLET_LOG": "info"})
    said = [line for line in done.stderr.splitlines() if "validate: " in line]
    if done.returncode == arguments.skip_code:
        return done.returncode
    if done.returncode != 0:
        print(f"it has ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return 1
    if said != ["collet: info: validate: nothing found"]:
        print("the layer says", *said, sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
