#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that the HOST- cases catch faults of libcollet.

Runs them on a build of the loader that has all faults in it: each fault that is chosen makes a
case of its clause fail, and without a fault all pass. That last run is recorded, and shows which
of the documented statuses a case has seen.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import sys

from cases import host_cases
from coverage import coverage_problems, write_coverage
from faults import FAULTS

FULL_ROUNDS = 20
LIMIT_S = 60


class Setup:
    def __init__(self, arguments):
        self.arguments = arguments
        self.cases = host_cases(arguments.build)
        self.jobs = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
        # How long each case takes without a fault.
        self.usual_s = {}

    def environment(self, fault_id, *libraries):
        return {"LD_PRELOAD": ":".join([*libraries, self.arguments.library]),
                "COLLET_HOST_FAULT": fault_id,
                # The loader of an elevated process ignores LD_PRELOAD.
                "COLLET_HOST_TEST_LIFECYCLE": self.arguments.lifecycle}

    def run(self, cases, environment_of):
        """What each case shows, by its name."""
        futures = {case.name: self.jobs.submit(case.run, environment_of(case), self.limit_s(case))
                   for case in cases}
        return {name: future.result() for name, future in futures.items()}

    def limit_s(self, case):
        """A fault may make a case hang, so that it is not waited for much longer than usual."""
        usual_s = self.usual_s.get(case.name)
        return LIMIT_S if usual_s is None else 3 + 20 * usual_s


def run_without_fault(setup, folder):
    """What is wrong where nothing should be, and the records of the cases that passed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    files = {case.name: folder / str(number) for number, case in enumerate(setup.cases)}
    recorded = setup.environment("", setup.arguments.recorder)
    seen = setup.run(setup.cases,
                     lambda case: {**recorded, "COLLET_HOST_RECORD": str(files[case.name])})
    setup.usual_s = {name: duration_s for name, (_, duration_s) in seen.items()}
    problems = [f"without a fault: {name}: {verdict}" for name, (verdict, _) in seen.items()
                if verdict not in ("pass", "skipped")]
    records = {name: files[name].read_text().splitlines() for name, (verdict, _) in seen.items()
               if verdict == "pass" and files[name].exists()}
    return problems, records


class Fate:
    def __init__(self, fault):
        self.fault = fault
        self.rounds = 0
        self.survived = 0
        self.killers = collections.Counter()

    def is_killed(self):
        return self.rounds > 0 and self.survived == 0

    def run(self, setup):
        cases = [case for case in setup.cases if case.clause == self.fault.clause]
        environment = setup.environment(self.fault.id)
        deadly = {"fail", "crashed", "timed out"} if self.fault.is_fatal else {"fail"}
        seen = setup.run(cases, lambda _: environment)
        killers = [name for name, (verdict, _) in seen.items() if verdict in deadly]
        self.rounds += 1
        self.survived += not killers
        self.killers.update(killers)

    def text(self):
        word = "killed" if self.is_killed() else "ALIVE"
        lines = [f" {self.fault.clause:12} {self.fault.id:24} {word} "
                 f"{self.rounds - self.survived} of {self.rounds}  {self.fault.says}"]
        return "\n".join(lines + [f"{'':14}by {name}" for name in sorted(self.killers)])

    def json(self):
        return {"clause": self.fault.clause, "fault": self.fault.id, "says": self.fault.says,
                "rounds": self.rounds, "killed": self.rounds - self.survived,
                "cases": dict(sorted(self.killers.items()))}


def write_report(folder, fates, summary):
    (folder / "faults.txt").write_text("\n".join([fate.text() for fate in fates] + [summary, ""]))
    (folder / "faults.json").write_text(
        json.dumps([fate.json() for fate in fates], indent=1) + "\n")


def judge(arguments):
    setup = Setup(arguments)
    wanted = [fault for fault in FAULTS
              if not arguments.fault or fault.id in arguments.fault]
    if not setup.cases or not wanted:
        print("no case, or no fault, is selected")
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    problems = []
    if not arguments.fault:
        problems, records = run_without_fault(setup, arguments.out / "records")
        write_coverage(arguments.out / "statuses.txt", records, arguments.headers)
        problems += coverage_problems(records, arguments.headers)
    fates = [Fate(fault) for fault in wanted]
    for fate in fates:
        for _ in range(FULL_ROUNDS if arguments.full else 1):
            fate.run(setup)
        print(fate.text(), flush=True)
    summary = f" {sum(fate.is_killed() for fate in fates)} of {len(fates)} faults killed"
    write_report(arguments.out, fates, summary)
    print(*problems, summary, sep="\n")
    return 0 if not problems and all(fate.is_killed() for fate in fates) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only print id, clause and fault")
    parser.add_argument("--list-cases", action="store_true", help="only print name and clause")
    parser.add_argument("--fault", action="append", help="only this one")
    parser.add_argument("--full", action="store_true", help="twenty rounds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at a time")
    parser.add_argument("--build", help="folder of the build")
    parser.add_argument("--library", type=os.path.abspath, help="libcollet with the faults")
    parser.add_argument("--recorder", type=os.path.abspath, help="library that notes answers")
    parser.add_argument("--lifecycle", type=os.path.abspath, help="host_lifecycle, linked to it")
    parser.add_argument("--headers", type=pathlib.Path, help="folder of the public headers")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the reports")
    arguments = parser.parse_args()
    if arguments.list:
        for fault in FAULTS:
            print(fault.id, fault.clause, fault.says, sep="\t")
        return 0
    if arguments.list_cases:
        for case in host_cases(arguments.build):
            print(case.name, case.clause, sep="\t")
        return 0
    return judge(arguments)


if __name__ == "__main__":
    sys.exit(main())
