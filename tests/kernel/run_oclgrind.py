#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_oclgrind.py <oclgrind> <program>...: runs a program under Oclgrind, which must find nothing.

Oclgrind reports accesses out of bounds, data races and uninitialised values, and goes on.
"""

import pathlib
import subprocess
import sys
import tempfile

# On several threads its own lists get damaged now and then (21.10).
CHECKS = ["--data-races", "--uninitialized", "--num-threads", "1"]


def main():
    oclgrind, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        status = subprocess.run([oclgrind, *CHECKS, "--log", str(log), *program]).returncode
        reports = log.read_text() if log.exists() else ""
    print(reports, end="")
    return status or (1 if reports.strip() else 0)


if __name__ == "__main__":
    sys.exit(main())
