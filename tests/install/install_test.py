#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build into a fresh prefix and uses it as a stranger would: from outside, by its
package files, without a path into the source or build tree. Each step has a prefix of its own."""

import argparse
import ctypes
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Step:
    def __init__(self, args):
        self.args = args
        self.prefix = args.stage / "prefix"
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith("COLLET_") and name not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}
        shutil.rmtree(args.stage, ignore_errors=True)
        args.stage.mkdir(parents=True)
        self.run("cmake", "--install", args.build, "--prefix", self.prefix)

    @property
    def libdir(self):
        return self.prefix / self.args.libdir

    def run(self, *command, **environment):
        command = [str(word) for word in command]
        print("+", shlex.join(command), flush=True)
        environment = {name: str(value) for name, value in environment.items()}
        subprocess.run(command, check=True, cwd=self.args.stage,
                       env={**self.environment, **environment})

    def capture(self, *command, **environment):
        environment = {name: str(value) for name, value in environment.items()}
        return subprocess.run(command, check=True, capture_output=True, text=True,
                              env={**self.environment, **environment}).stdout

    def build_by_cmake(self, source, name):
        """Configures and builds a copy, so that nothing beside the source can be reached."""
        copy, build = self.args.stage / f"{name}-source", self.args.stage / f"{name}-build"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.rmtree(build, ignore_errors=True)
        shutil.copytree(source, copy)
        self.run("cmake", "-G", "Ninja", "-S", copy, "-B", build,
                 "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run("cmake", "--build", build)
        return build

    def build_c_host(self):
        program = self.args.stage / "c_host"
        flags = shlex.split(self.capture("pkg-config", "--cflags", "--libs", "collet",
                                         PKG_CONFIG_PATH=self.libdir / "pkgconfig"))
        self.run(self.environment.get("CC", "cc"), "-std=c99", "-Wall", "-Werror",
                 HERE / "c_host" / "main.c", "-o", program, *flags)
        return program


def c_host(step):
    step.run(step.build_c_host(), LD_LIBRARY_PATH=step.libdir)


def cpp_host(step):
    step.run(step.build_by_cmake(HERE / "cpp_host", "cpp_host") / "cpp_host")


def probe(step):
    """The helper lies where the library looks for it, and tries the plugins from there."""
    helper = step.libdir / "collet" / "collet-probe"
    assert os.access(helper, os.X_OK), f"{helper} is no program"
    log = step.args.stage / "log"
    step.run(step.prefix / "bin" / "collet", "devices", COLLET_LOG=f"debug:{log}",
             COLLET_CACHE_DIR=step.args.stage / "cache")
    lines = log.read_text()
    assert "cpu: probing" in lines and "without a probe" not in lines, lines


def without_probe(step):
    """Where the helper is missing, plugins are used all the same, and that is said."""
    (step.libdir / "collet" / "collet-probe").unlink()
    done = subprocess.run([step.prefix / "bin" / "collet", "devices"], capture_output=True, text=True,
                          env={**step.environment, "COLLET_CACHE_DIR": "/dev/null/nothing"})
    assert done.returncode == 0 and " cpu:0 " in done.stdout, done
    assert done.stderr.count("plugins are loaded without a probe: ") == 1, done.stderr


def vendor_plugin(step):
    build = step.build_by_cmake(HERE / "vendor_plugin", "vendor_plugin")
    step.run("cmake", "--install", build, "--prefix", step.prefix)
    plugin = step.libdir / "collet" / "libcollet_acme.so"
    step.run(sys.executable, "-B", step.args.source / "tests/scripts/check_symbols.py",
             "plugin", plugin)
    header = (step.prefix / "include/collet/base.h").read_text()
    expected = int(re.search(r"COLLET_ERROR_INCOMPATIBLE = (-?\d+)", header)[1])
    root = ctypes.c_void_p()
    status = ctypes.CDLL(str(plugin)).collet_plugin_query_v1(None, ctypes.byref(root))
    assert status == expected, f"the query answered {status}, not {expected}"


def samples(step):
    build = step.build_by_cmake(step.args.source / "samples", "samples")
    step.run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error",
             "--label-exclude", "^long$")


def moved(step):
    """Programs built before the move run after it, and new ones build from the new place."""
    old_host = step.build_c_host()
    away = step.args.stage / "another place" / "prefix"
    away.parent.mkdir()
    step.prefix.rename(away)
    step.prefix = away

    step.run(old_host, LD_LIBRARY_PATH=step.libdir)
    step.run(away / "bin" / "collet", "devices")
    step.run(step.build_by_cmake(HERE / "cpp_host", "cpp_host") / "cpp_host")


def code_blocks(markdown, language):
    return re.findall(rf"```{language}\n(.*?)```", markdown, re.DOTALL)


def readme(step):
    """The host program of the README builds and runs as it stands there."""
    text = (step.args.source / "README.md").read_text()
    project = step.args.stage / "readme"
    project.mkdir()
    [program] = [code for code in code_blocks(text, "cpp") if code.startswith("// host.cpp")]
    [cmake] = [code for code in code_blocks(text, "cmake") if "add_executable" in code]
    (project / "host.cpp").write_text(program)
    (project / "CMakeLists.txt").write_text(cmake)
    output = step.capture(step.build_by_cmake(project, "readme_host") / "host")
    assert output.split() == ["4", "5", "10", "11"], f"the program of the README printed {output}"

    listed = re.findall(r"^  (COLLET_\S+)", step.capture(step.prefix / "bin" / "collet", "--help"),
                        re.MULTILINE)
    missing = [name for name in listed if f"`{name}`" not in text]
    assert listed and not missing, f"the README has no row for {missing}"


STEPS = {step.__name__: step
         for step in (c_host, cpp_host, vendor_plugin, samples, moved, readme, probe, without_probe)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build to install")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the repository")
    parser.add_argument("--stage", type=pathlib.Path, required=True, help="emptied, then used")
    parser.add_argument("--libdir", required=True, help="lib, relative to the prefix")
    args = parser.parse_args()
    try:
        STEPS[args.step](Step(args))
    except (subprocess.CalledProcessError, AssertionError) as error:
        print(error, getattr(error, "stderr", None) or "")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
