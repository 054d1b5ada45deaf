# SPDX-License-Identifier: Apache-2.0
"""Which answers of the public functions the cases have seen."""

import collections

from public_functions import all_functions, status_numbers


def seen_answers(records, headers):
    """For each (function, status) the cases that saw it. A record has lines "function number"."""
    names = {number: name for name, number in status_numbers(headers / "base.h").items()}
    seen = collections.defaultdict(list)
    for case, lines in sorted(records.items()):
        for line in lines:
            function, number = line.split()
            seen[function, names[int(number)]].append(case)
    return seen


def documented(headers):
    """Every function with COLLET_OK, for that it can be called, and what else it documents."""
    return {(function.name, status) for function in all_functions(headers)
            for status in ["COLLET_OK", *function.statuses]}


def coverage_problems(records, headers):
    for function, status in sorted(documented(headers) - set(seen_answers(records, headers))):
        yield f"no case has seen {function}() answer {status}, which its header documents"


def write_coverage(file, records, headers):
    seen = seen_answers(records, headers)
    lines = []
    for answer in sorted(documented(headers) | set(seen)):
        lines.append(f"{answer[0]} {answer[1]}: {len(seen.get(answer, []))} cases")
        lines += [f"    {case}" for case in seen.get(answer, [])[:3]]
    file.write_text("\n".join(lines) + "\n")
