#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the loader's sources with all faults in them; the environment chooses one at run time.

A file that has not changed is left as it is, so that nothing is compiled twice.
"""

import argparse
import pathlib
import sys

from faults import FAULTS


def faulty(name, text):
    """The file with all its faults. Those of one place are a chain of choices."""
    chains = {}
    for fault in FAULTS:
        for edit in fault.edits:
            if edit.file == name:
                try:
                    place = edit.place(text)
                except ValueError as problem:
                    raise ValueError(f"{fault.id}: {problem}") from None
                chains[place] = edit.choice(fault.id, chains.get(place, edit.good))
    above = len(text)
    for start, end in sorted(chains, reverse=True):
        if end > above:
            raise ValueError(f"two faults overlap in {name}, at\n{text[start:end]}")
        text = text[:start] + chains[start, end] + text[end:]
        above = start
    return text


def write(file, text):
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()

    sources = {str(file.relative_to(arguments.sources)): file
               for file in arguments.sources.rglob("*.[ch]pp")}
    unknown = {edit.file for fault in FAULTS for edit in fault.edits} - set(sources)
    if unknown:
        print(f"faults.py: the loader has no {', '.join(sorted(unknown))}")
        return 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, file in sources.items():
        try:
            (arguments.out / name).parent.mkdir(parents=True, exist_ok=True)
            write(arguments.out / name, faulty(name, file.read_text()))
        except ValueError as problem:
            print(f"faults.py: {problem}\nThe code has changed: mend the fault.")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
