# SPDX-License-Identifier: Apache-2.0
"""The cases that judge libcollet in a build, as ctest knows them, and what running one shows."""

import json
import os
import re
import signal
import subprocess
import time
from typing import Dict, List, NamedTuple

CLAUSE = re.compile(r"^[^:]+:(HOST-[A-Z]+-\d+) ")


class Case(NamedTuple):
    # With the program's name before it, so that each device's is a case of its own.
    name: str
    # "" for a case of no clause.
    clause: str
    command: List[str]
    environment: Dict[str, str]
    folder: str
    skip_code: int

    def run(self, environment, limit_s):
        """What it shows, and how long it took: pass, fail, skipped, crashed or timed out."""
        started = time.monotonic()
        with subprocess.Popen(self.command, cwd=self.folder, start_new_session=True,
                              env={**os.environ, **self.environment, **environment},
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            try:
                code = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                code = None
            try:
                # What the case has started must not outlive it.
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return self.verdict(code), time.monotonic() - started

    def verdict(self, code):
        if code is None:
            return "timed out"
        if code < 0:
            return "crashed"
        return {0: "pass", self.skip_code: "skipped"}.get(code, "fail")


def host_cases(build):
    """The HOST- cases, and all others of their programs."""
    shown = subprocess.run(["ctest", "--show-only=json-v1", "--test-dir", build], text=True,
                           capture_output=True, check=True).stdout
    tests = [test for test in json.loads(shown)["tests"] if "command" in test]
    # Processes over a driver take long to start, and show nothing that the others do not.
    programs = {test["command"][0] for test in tests if CLAUSE.match(test["name"])
                and not test["name"].startswith("host_opencl:")}
    cases = []
    for test in tests:
        if test["command"][0] not in programs:
            continue
        match = CLAUSE.match(test["name"])
        properties = {one["name"]: one["value"] for one in test["properties"]}
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        cases.append(Case(test["name"], match[1] if match else "", test["command"], environment,
                          properties["WORKING_DIRECTORY"], properties["SKIP_RETURN_CODE"]))
    return cases
