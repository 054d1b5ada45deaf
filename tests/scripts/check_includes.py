#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom, the length of files, and their licence line.

Each part of the repository has a set of kinds of headers that it may include; everything else is
an error. Prints `file:line: rule: text`, and exits with 1 if there is any.
"""

import argparse
import pathlib
import re
import sys

PARTS = ("api", "loader", "plugins", "conformance", "samples", "tests", "packaging")
INCLUDING = {".h", ".hpp", ".c", ".cpp"}
CHECKED = INCLUDING | {".cl", ".clt", ".cmake", ".in", ".map", ".py", ".sh"}
MAX_LINES = 500
# Longer by decision: path -> why.
LENGTH_EXCEPTIONS = {}

# Spelled so that this file passes its own check.
SIBLING_FOLDER = ".." + "/shared"

C_STANDARD = set(
    "assert ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign "
    "stdarg stdbool stddef stdint stdio stdlib string tgmath time uchar wchar wctype".split())
POSIX = re.compile(
    r"^(sys|linux|asm|bits)/|^(dirent|dlfcn|elf|fcntl|fnmatch|ftw|glob|grp|libgen|link|poll|pthread|pwd|"
    r"sched|semaphore|spawn|strings|syslog|termios|unistd|execinfo|cxxabi|cpuid|immintrin|x86intrin|"
    r"features|malloc|numaif|byteswap|endian)\.h$")
THIRD_PARTY = [
    # Finds and loads files; the rest of Boost is containers and the like.
    ("boost-dll", re.compile(r"^boost/(dll|filesystem)")),
    ("boost", re.compile(r"^boost/")),
    ("spdlog", re.compile(r"^(spdlog|fmt)/")),
    ("catch2", re.compile(r"^(catch2/|support/catch\.hpp$)")),
    ("cli11", re.compile(r"^CLI/")),
    ("json", re.compile(r"^nlohmann/")),
    ("dw", re.compile(r"^(elfutils/|dwarf\.h|libelf)")),
    ("onednn", re.compile(r"^(dnnl|oneapi/)")),
    ("opencl", re.compile(r"^CL/")),
    ("cuda", re.compile(r"^(cuda|cublas|cudnn|cufft|curand|cusolver|cusparse|nccl|nvrtc|nvml|"
                        r"nvJitLink|crt/|driver_types|vector_types)")),
    ("vendor", re.compile(r"^(hip|level_zero|ze_|vulkan/|Metal/|sycl/|rocblas|miopen|mkl|omp\.h)")),
]

STANDARD = {"c", "c++", "posix"}
# What a plugin may use besides the API and the SDK.
PLUGIN_VENDOR = {
    "cpu": {"onednn"},
    "opencl": {"opencl"},
    "cuda": {"cuda"},
    "sim": set(),
}
# "own" is the including part itself (for plugins and samples: the single folder).
ALLOWED = {
    "api/c": {"c-abi", "api-c", "own"},
    "api/cpp": {"c", "c++", "api-c", "api-cpp", "own"},
    "api": {"c", "c++", "api-c", "api-cpp", "own"},
    "loader": STANDARD | {"api-c", "api-cpp", "boost", "boost-dll", "spdlog", "cli11", "json", "dw", "own"},
    "plugins/sdk": STANDARD | {"api-c", "sdk", "own"},
    # A program that stands alone: its command line and its reports are not worth own code.
    "conformance": STANDARD | {"api-c", "catch2", "cli11", "json", "own"},
    "samples": STANDARD | {"api-c", "api-cpp", "sdk", "own"},
}
# Only one file of the loader may know each of these.
ONE_FILE = {"loader": {"boost-dll", "dw", "spdlog"}}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def area_of(path):
    """The set of rules that a file is under, and the folder that is its own."""
    parts = path.parts
    if parts[0] == "api":
        area = "/".join(parts[:2]) if len(parts) > 2 and parts[1] in ("c", "cpp") else "api"
        return area, pathlib.PurePath("api")
    if parts[0] == "plugins" and len(parts) > 2:
        folder = pathlib.PurePath(*parts[:2])
        return folder.as_posix(), folder
    if parts[0] == "samples" and len(parts) > 2:
        return "samples", pathlib.PurePath(*parts[:2])
    return parts[0], pathlib.PurePath(parts[0])


def allowed_in(area):
    if area.startswith("plugins/") and area != "plugins/sdk":
        vendor = PLUGIN_VENDOR.get(area.split("/")[1], {"vendor"})
        return STANDARD | {"api-c", "sdk", "own"} | vendor
    return ALLOWED.get(area)  # None: free (tests, packaging)


class Tree:
    """The files of the repository, and where an include leads."""

    def __init__(self, root):
        self.root = root
        self.files = sorted(self._walk(root))
        self.headers = [f for f in self.files if f.suffix in INCLUDING]

    @staticmethod
    def _walk(root):
        for part in PARTS:
            for file in (root / part).rglob("*"):
                relative = file.relative_to(root)
                skipped = any(p.startswith("build") or p == "__pycache__" for p in relative.parts[:-1])
                if file.is_file() and not skipped:
                    yield relative

    def owner(self, includer, target):
        """The repository's file that a quoted or private include means, or None."""
        beside = (self.root / includer.parent / target).resolve()
        if beside.is_file() and beside.is_relative_to(self.root):
            return pathlib.PurePath(beside.relative_to(self.root))
        wanted = pathlib.PurePath(target).parts
        wanted = tuple(p for p in wanted if p not in ("..", "."))
        matches = [f for f in self.headers if f.parts[-len(wanted):] == wanted]
        own = area_of(includer)[1]
        inside = [f for f in matches if f.is_relative_to(own)]
        return (inside or matches or [None])[0]


def kind_of(tree, includer, quoted, target):
    """The kind of a header: one of the words in ALLOWED, or what it is instead."""
    stem = target[:-2] if target.endswith(".h") else None
    if not quoted and stem in C_STANDARD:
        return "c-abi" if stem in ("stddef", "stdint") else "c"
    if not quoted and re.fullmatch(r"[a-z_0-9]+", target):
        return "c++"
    if not quoted and POSIX.match(target):
        return "posix"
    for kind, pattern in THIRD_PARTY:
        if pattern.match(target):
            return kind
    if target.startswith("collet/sdk/"):
        return "sdk"
    if target.startswith("collet/"):
        return "api-cpp" if target.endswith(".hpp") else "api-c"

    file = tree.owner(includer, target)
    if file is None:
        # Nowhere in the repository: generated beside the quoting file, or foreign.
        return "own" if quoted else "unknown"
    if file.is_relative_to(area_of(includer)[1]):
        return "own"
    return area_of(file)[0]


def check_includes(tree):
    users = {}
    for path in tree.headers:
        area = area_of(path)[0]
        allowed = allowed_in(area)
        if allowed is None:
            continue
        allowed = allowed | ({"c-abi"} if "c" in allowed else set())
        for number, line in enumerate(read(tree, path).splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            kind = kind_of(tree, path, match[1] == '"', match[2])
            if kind not in allowed:
                yield path, number, "include", f"{area} may not include {match[2]} ({kind})"
            if kind in ONE_FILE.get(area, ()):
                users.setdefault((area, kind), {}).setdefault(path, number)
    for (area, kind), files in users.items():
        for path, number in list(files.items())[1:]:
            yield path, number, "one-file", (
                f"{kind} is known to one file of {area} only: {next(iter(files))}")


def check_text(tree):
    for path in tree.files:
        if path.suffix not in CHECKED and path.name != "CMakeLists.txt":
            continue
        lines = read(tree, path).splitlines()
        if len(lines) > MAX_LINES and path.as_posix() not in LENGTH_EXCEPTIONS:
            yield path, MAX_LINES + 1, "length", f"{len(lines)} lines, more than {MAX_LINES}"
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
            yield path, 1, "licence", "no SPDX-License-Identifier: Apache-2.0 at the top"
        for number, line in enumerate(lines, 1):
            if SIBLING_FOLDER in line:
                yield path, number, "outside", "a path outside the repository"


def read(tree, path):
    return (tree.root / path).read_text(encoding="utf-8", errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    tree = Tree(parser.parse_args().root.resolve())
    problems = [*check_includes(tree), *check_text(tree)]
    for path, number, rule, text in problems:
        print(f"{path}:{number}: {rule}: {text}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
