# SPDX-License-Identifier: Apache-2.0
"""The functions that the public headers declare, and the statuses that they document."""

import re
from typing import List, NamedTuple

PROTOTYPE = re.compile(r"(?:/\*\*(?P<text>(?:(?!\*/).)*)\*/\s*)?"
                       r"COLLET_API\s+(?P<result>[^();]*?)(?P<name>collet_\w+)\("
                       r"(?P<parameters>[^()]*)\);", re.DOTALL)
STATUS = re.compile(r"^\s+(COLLET_(?:OK|NOT_READY|ERROR_\w+)) = (-?\d+)", re.MULTILINE)
RETVAL = re.compile(r"@retval\s+(COLLET_\w+)")


class Function(NamedTuple):
    name: str
    result: str
    # "type name" each; none for "void".
    parameters: List[str]
    statuses: List[str]


def functions_of(text):
    """Those that a header declares."""
    for match in PROTOTYPE.finditer(text):
        parameters = [" ".join(one.split()) for one in match["parameters"].split(",")]
        yield Function(match["name"], " ".join(match["result"].split()),
                       [one for one in parameters if one != "void"],
                       RETVAL.findall(match["text"] or ""))


def all_functions(folder):
    """Those of all headers that collet.h includes."""
    names = re.findall(r"#include <collet/(\w+\.h)>", (folder / "collet.h").read_text())
    found = []
    for text in [(folder / name).read_text() for name in names]:
        functions = list(functions_of(text))
        declared = len(re.findall(r"^COLLET_API ", text, re.MULTILINE))
        if len(functions) != declared:
            raise ValueError(f"of {declared} functions, only {len(functions)} are understood: "
                             + ", ".join(function.name for function in functions))
        found += functions
    return found


def status_numbers(base_header):
    """The value of each status."""
    return {name: int(value) for name, value in STATUS.findall(base_header.read_text())}
