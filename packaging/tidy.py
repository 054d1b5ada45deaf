#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the sources of a build, and remembers what has passed.

A source is looked at again when its preprocessed text, its flags, the checks or clang-tidy itself
have changed; that keeps the gate short where only a few files have.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT_S = 600


def own_sources(build):
    """Each source once, as it is compiled first; several targets may be made of it."""
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"]).resolve()
        # The checks are about C++: C has names of its own.
        if (file.suffix == ".cpp" and file.is_relative_to(ROOT)
                and not file.is_relative_to(build) and file not in seen):
            seen.add(file)
            yield file, entry


def preprocess_command(entry):
    arguments = entry.get("arguments") or shlex.split(entry["command"])
    output = arguments.index("-o")
    del arguments[output:output + 2]
    arguments.remove("-c")
    # Comments stay, because NOLINT is one.
    return [*arguments, "-E", "-CC"]


def fingerprint(file, entry, version):
    digest = hashlib.sha256(version)
    for folder in file.parents:
        config = folder / ".clang-tidy"
        if config.exists():
            digest.update(config.read_bytes())
        if folder == ROOT:
            break
    digest.update(json.dumps(entry, sort_keys=True).encode())
    text = subprocess.run(preprocess_command(entry), cwd=entry["directory"], capture_output=True)
    digest.update(text.stdout)
    return digest.hexdigest() if text.returncode == 0 else None


def tidy(file, entry, args, version):
    """None if the file is clean, else what is wrong with it."""
    key = fingerprint(file, entry, version)
    stamp = args.cache / key if key else None
    if stamp and stamp.exists():
        return None
    try:
        result = subprocess.run(["clang-tidy", "--quiet", "-p", str(args.build), str(file)],
                                capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"{file}: clang-tidy took more than {TIMEOUT_S} s"
    if result.returncode:
        return result.stdout + result.stderr
    if stamp:
        stamp.touch()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build by clang")
    parser.add_argument("--cache", type=pathlib.Path, required=True, help="folder of stamps")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="only sources below these")
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.cache.mkdir(parents=True, exist_ok=True)
    only = [path.resolve() for path in args.paths]

    version = subprocess.run(["clang-tidy", "--version"], check=True, capture_output=True).stdout
    sources = [(f, e) for f, e in own_sources(args.build)
               if not only or any(f.is_relative_to(path) for path in only)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda source: tidy(*source, args, version), sources))
    problems = [text for text in results if text]
    for text in problems:
        print(text)
    print(f"clang-tidy: {len(sources)} sources, {len(problems)} with findings")
    return 1 if problems or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
