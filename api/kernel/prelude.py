#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the preludes of the kernel language that need no include path.

For each target, `collet/kernel/prelude/<target>.h`: its header with all that it includes of ours,
without comments. And `collet/sdk/kernel_prelude.hpp` with the same as text, for plugins.
"""

import argparse
import pathlib
import re

# What a compiler is called with: what the language says holds only with these.
OPTIONS = {
    "host": ["-std=c++17", "-O3", "-fPIC", "-ffp-contract=off", "-fno-math-errno",
             "-fno-trapping-math"],
    "opencl": ["-cl-std=CL1.2", "-cl-kernel-arg-info"],
    "cuda": ["--std=c++17", "--fmad=false"],
}
COMMENT_OR_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
INCLUDE = re.compile(r"^\s*#\s*include\s*<(collet/[^>]+)>\s*$")
LICENCE = "SPDX-License-Identifier: Apache-2.0"


def without_comments(text):
    text = COMMENT_OR_TEXT.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    lines = (line.rstrip() for line in text.splitlines())
    return [line for line in lines if line]


def flatten(name, folders, seen):
    """The lines of a header and of all headers of ours that it includes, each once."""
    if name in seen:
        return
    seen.add(name)
    file = next(folder / name for folder in folders if (folder / name).is_file())
    for line in without_comments(file.read_text()):
        match = INCLUDE.match(line)
        if match:
            yield from flatten(match[1], folders, seen)
        else:
            yield line


def text_constant(target, lines):
    name = f"k{target.capitalize()}Kernel"
    options = ", ".join(f'"{option}"' for option in OPTIONS[target])
    return (f'inline constexpr char {name}Prelude[] = R"collet({lines})collet";\n'
            f"inline constexpr const char* {name}Options[] = {{{options}}};\n")


def sdk_header(preludes):
    constants = "\n".join(text_constant(*item) for item in preludes.items())
    return f"""// {LICENCE}
/**
 * The kernel language for plugins that compile its sources at run time, made by the build.
 *
 * A program is the prelude, `#line 1 "<label>"` on a line of its own, and the source; so errors name
 * the lines of the source. The language means what it says only with the options.
 */
#pragma once

namespace collet::plugin {{

{constants}
}}  // namespace collet::plugin
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    args = parser.parse_args()

    preludes = {target: "\n".join(flatten(f"collet/kernel/{target}.h", args.include, set())) + "\n"
                for target in OPTIONS}
    files = {f"collet/kernel/prelude/{target}.h": f"/* {LICENCE} */\n{text}"
             for target, text in preludes.items()}
    files["collet/sdk/kernel_prelude.hpp"] = sdk_header(preludes)
    for name, text in files.items():
        file = args.output / name
        file.parent.mkdir(parents=True, exist_ok=True)
        # What has not changed is not compiled again.
        if not file.is_file() or file.read_text() != text:
            file.write_text(text)


if __name__ == "__main__":
    main()
