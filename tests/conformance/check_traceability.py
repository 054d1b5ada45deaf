#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that clauses, cases and mutants belong together.

Every clause of the contract has a case, a mutant and a common cause; every case and every mutant
names clauses that exist, and a case's name begins with its first one.
"""

import argparse
import pathlib
import re
import subprocess
import sys

CLAUSE = re.compile(r"^### (PLUG-[A-Z]+-\d+) (.*)$", re.MULTILINE)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contract", type=pathlib.Path, required=True)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--mutants", required=True)
    arguments = parser.parse_args()

    clauses = {match[1] for match in CLAUSE.finditer(arguments.contract.read_text())
               if "*withdrawn*" not in match[2]}
    cases = lines_of(arguments.judge, "run", "--list", "--large")
    mutants = lines_of(arguments.mutants, "--list")

    def explain(clause):
        return subprocess.run([arguments.judge, "explain", clause], text=True, capture_output=True,
                              check=True).stdout

    problems = list(check(clauses, cases, mutants, explain))
    print(*problems, sep="\n")
    print(f"{len(clauses)} clauses, {len(cases)} cases, {len(mutants)} mutants, "
          f"{len(problems)} problems")
    return 1 if problems or not clauses else 0


if __name__ == "__main__":
    sys.exit(main())
