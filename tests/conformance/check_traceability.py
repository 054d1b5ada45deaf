#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that clauses, cases and mutants belong together.

Every PLUG- clause of the contract has a case, a mutant and a common cause; every case and every
mutant names clauses that exist, and a case's name begins with its first one. Every HOST- clause has
a case and a fault of the loader, and the same holds for those. (That the cases see each public
function, and each status that it documents, takes running them: host.faults.)
"""

import argparse
import pathlib
import re
import subprocess
import sys

CLAUSE = re.compile(r"^### ((?:PLUG|HOST)-[A-Z]+-\d+) (.*)$", re.MULTILINE)


def clauses_of(contract):
    return {match[1] for match in CLAUSE.finditer(contract.read_text())
            if "*withdrawn*" not in match[2]}


def lines_of(*command):
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def check(clauses, cases, mutants, explain):
    proven, broken = set(), set()
    for name, kind, ids, needs in cases:
        ids = ids.split()
        proven |= set(ids)
        if not ids or not name.startswith(ids[0] + " "):
            yield f'case "{name}" does not begin with its first clause'
        if kind == "capability" and not needs:
            yield f'case "{name}" is of class capability and needs none'
        for unknown in set(ids) - clauses:
            yield f'case "{name}" names {unknown}, which the contract does not have'
    names = [case[0] for case in cases]
    for name in {name for name in names if names.count(name) > 1}:
        yield f'two cases are called "{name}"'
    for mutant, clause, _ in mutants:
        broken.add(clause)
        if clause not in clauses:
            yield f"mutant {mutant} breaks {clause}, which the contract does not have"
    for clause in sorted(clauses):
        if clause not in proven:
            yield f"{clause} has no case"
        if clause not in broken:
            yield f"{clause} has no mutant"
        if "often broken because" not in explain(clause):
            yield f"{clause} has no common cause"


def check_host(clauses, cases, faults):
    proven = {clause for _, clause in cases if clause}
    broken = {clause for _, clause, _ in faults}
    for unknown in sorted((proven | broken) - clauses):
        yield f"a case or fault names {unknown}, which the contract does not have"
    for clause in sorted(clauses - proven):
        yield f"{clause} has no case"
    for clause in sorted(clauses - broken):
        yield f"{clause} has no fault of the loader"
    ids = [fault[0] for fault in faults]
    for fault in sorted({fault for fault in ids if ids.count(fault) > 1}):
        yield f"two faults are called {fault}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contract", type=pathlib.Path, required=True)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--mutants", required=True)
    parser.add_argument("--host-contract", type=pathlib.Path, required=True)
    parser.add_argument("--host-faults", required=True, help="run_faults.py")
    parser.add_argument("--build", required=True)
    arguments = parser.parse_args()

    clauses = clauses_of(arguments.contract)
    cases = lines_of(arguments.judge, "run", "--list", "--large")
    mutants = lines_of(arguments.mutants, "--list")

    def explain(clause):
        return subprocess.run([arguments.judge, "explain", clause], text=True, capture_output=True,
                              check=True).stdout

    host_clauses = clauses_of(arguments.host_contract)
    run_faults = (sys.executable, "-B", arguments.host_faults)
    host_cases = lines_of(*run_faults, "--list-cases", "--build", arguments.build)
    faults = lines_of(*run_faults, "--list")

    problems = [*check(clauses, cases, mutants, explain),
                *check_host(host_clauses, host_cases, faults)]
    print(*problems, sep="\n")
    print(f"PLUG-: {len(clauses)} clauses, {len(cases)} cases, {len(mutants)} mutants; "
          f"HOST-: {len(host_clauses)} clauses, {len(host_cases)} cases, {len(faults)} faults; "
          f"{len(problems)} problems")
    return 1 if problems or not clauses or not host_clauses else 0


if __name__ == "__main__":
    sys.exit(main())
