#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of check_includes.py fires on a file that breaks it, and on nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("check_includes.py")
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"

GOOD = {
    "api/c/collet/a.h": "#include <stddef.h>\n#include <stdint.h>\n#include \"collet/b.h\"\n",
    "api/c/collet/b.h": "",
    "api/cpp/collet/a.hpp": "#include <vector>\n#include <collet/a.h>\n",
    "loader/src/dispatch.hpp": "#include <collet/a.h>\n",
    "loader/src/library.cpp": "#include <boost/dll.hpp>\n#include <boost/filesystem.hpp>\n",
    "loader/src/log.cpp": "#include <spdlog/spdlog.h>\n#include \"dispatch.hpp\"\n",
    "plugins/sdk/include/collet/sdk/guard.hpp": "#include <collet/plugin.h>\n",
    "plugins/cpu/src/device.hpp": "#include <dnnl.hpp>\n#include <collet/sdk/guard.hpp>\n",
    "plugins/cpu/src/device.cpp": "#include \"device.hpp\"\n#include <sys/mman.h>\n",
    "plugins/sim/src/device.hpp": "",
    "plugins/sim/src/device.cpp": "#include \"device.hpp\"\n#include \"generated.h\"\n",
    "conformance/src/main.cpp": "#include <catch2/catch.hpp>\n#include <dlfcn.h>\n",
    "samples/hello/main.cpp": "#include <collet/collet.hpp>\n#include \"digits.hpp\"\n",
    "samples/hello/digits.hpp": "",
    "tests/loader/dispatch_test.cpp": "#include \"dispatch.hpp\"\n#include <boost/dll.hpp>\n",
}

# (rule, file, text): what is added to GOOD, and the rule that must see it.
BAD = [
    ("include", "api/c/collet/bad.h", "#include <stdio.h>\n"),
    ("include", "api/c/collet/bad.h", "#include <vector>\n"),
    ("include", "api/cpp/collet/bad.hpp", "#include <boost/any.hpp>\n"),
    ("include", "api/cpp/collet/bad.hpp", "#include <dlfcn.h>\n"),
    ("include", "api/cpp/collet/bad.hpp", "#include \"dispatch.hpp\"\n"),
    ("include", "api/abi/bad.c", "#include <CL/cl.h>\n"),
    ("include", "loader/src/bad.cpp", "#include <cuda.h>\n"),
    ("include", "loader/src/bad.cpp", "#include <dnnl.hpp>\n"),
    ("include", "loader/src/bad.cpp", "  #  include <collet/sdk/guard.hpp>\n"),
    ("include", "loader/src/bad.cpp", "#include \"../../plugins/cpu/src/device.hpp\"\n"),
    ("include", "loader/src/bad.cpp", "#include <catch2/catch.hpp>\n"),
    ("one-file", "loader/src/zbad.cpp", "#include <boost/dll.hpp>\n"),
    ("one-file", "loader/src/zbad.cpp", "#include <fmt/format.h>\n"),
    ("include", "plugins/cpu/src/bad.cpp", "#include \"dispatch.hpp\"\n"),
    ("include", "plugins/cpu/src/bad.cpp", "#include <dispatch.hpp>\n"),
    ("include", "plugins/cpu/src/bad.cpp", "#include <cuda.h>\n"),
    ("include", "plugins/cpu/src/bad.cpp", "#include <collet/a.hpp>\n"),
    ("include", "plugins/cpu/src/bad.cpp", "#include \"../../sim/src/device.hpp\"\n"),
    ("include", "plugins/cpu/src/bad.cpp", "#include <boost/dll.hpp>\n"),
    ("include", "plugins/sim/src/bad.cpp", "#include <dnnl.hpp>\n"),
    ("include", "plugins/sdk/include/collet/sdk/bad.hpp", "#include <spdlog/spdlog.h>\n"),
    ("include", "conformance/src/bad.cpp", "#include \"dispatch.hpp\"\n"),
    ("include", "conformance/src/bad.cpp", "#include <collet/a.hpp>\n"),
    ("include", "conformance/src/bad.cpp", "#include <collet/sdk/guard.hpp>\n"),
    ("include", "samples/hello/bad.cpp", "#include \"dispatch.hpp\"\n"),
    ("include", "samples/hello/bad.cpp", "#include <nlohmann/json.hpp>\n"),
    ("include", "samples/other/bad.cpp", "#include \"../hello/digits.hpp\"\n"),
    ("length", "tests/loader/bad.cpp", "int x;\n" * 500),
    ("outside", "tests/loader/bad.py", "data = '.." + "/shared/data'\n"),
]


class CheckIncludes(unittest.TestCase):
    def check(self, files, spdx=SPDX):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                file = pathlib.Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(spdx + text)
            return subprocess.run([sys.executable, "-B", SCRIPT, "--root", folder],
                                  capture_output=True, text=True)

    def test_a_tree_that_follows_the_rules_passes(self):
        result = self.check(GOOD)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.returncode, 0)

    def test_each_rule_fires_once_on_its_violation(self):
        for rule, file, text in BAD:
            with self.subTest(file=file, text=text[:60]):
                self.assertNotIn(file, GOOD)
                result = self.check({**GOOD, file: text})
                self.assertEqual(result.returncode, 1)
                lines = result.stdout.splitlines()
                self.assertEqual(len(lines), 1, result.stdout)
                self.assertTrue(lines[0].startswith(f"{file}:"), lines[0])
                self.assertIn(f": {rule}: ", lines[0])

    def test_a_missing_licence_line_is_named(self):
        result = self.check({"loader/src/a.cpp": "int a;\n"}, spdx="")
        self.assertEqual(result.returncode, 1)
        self.assertIn("loader/src/a.cpp:1: licence:", result.stdout)


if __name__ == "__main__":
    unittest.main()
