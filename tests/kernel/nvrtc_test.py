#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels by NVRTC for all GPUs that the language is for, without a warning."""

import argparse
import pathlib
import re
import sys
import unittest

import nvrtc

HERE = pathlib.Path(__file__).resolve().parent
GPUS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
BUFFER, LOCAL = 1, 3
ARGS = None
COMPILER = None


def value(size_bytes):
    return 2 | size_bytes << 16


def compile_file(file, gpu):
    source = f'{ARGS.prelude.read_text()}#line 1 "{file.name}"\n{file.read_text()}'
    return COMPILER.compile(source, [*ARGS.options, f"--gpu-architecture={gpu}",
                                     "--ptxas-options=--warn-on-spills"])


def signature(ptx, kernel):
    """What the module says of a kernel's arguments."""
    found = re.search(rf"collet_signature_of_{kernel}\[(\d+)\] = \{{([^}}]*)\}}", ptx)
    bytes_given = bytes(int(number) for number in found[2].split(","))
    given = bytes_given.ljust(int(found[1]), b"\0")
    words = [int.from_bytes(given[i:i + 4], "little") for i in range(0, len(given), 4)]
    assert words[0] == len(words) - 1, words
    return words[1:]


class Cuda(unittest.TestCase):
    def test_all_kernels_compile_for_every_gpu_without_a_warning(self):
        files = sorted((HERE / "kernels").glob("*.clt"))
        self.assertGreater(len(files), 8)
        for file in files:
            for gpu in GPUS:
                with self.subTest(file=file.name, gpu=gpu):
                    compiles, log, ptx, code = compile_file(file, gpu)
                    self.assertTrue(compiles, log)
                    self.assertEqual(log, "")
                    self.assertGreater(len(code), 0)
                    for kernel in re.findall(r"^COLLET_KERNEL\w*\((\w+),", file.read_text(), re.M):
                        self.assertIn(f".visible .entry {kernel}(", ptx)

    def test_the_module_tells_the_arguments_of_its_kernels(self):
        _, _, ptx, _ = compile_file(HERE / "kernels" / "reduce.clt", "sm_90")
        self.assertEqual(signature(ptx, "block_sum"), [BUFFER, BUFFER, value(8)])
        self.assertEqual(signature(ptx, "block_sum_any"), [BUFFER, BUFFER, value(8), LOCAL])

    def test_a_size_that_is_part_of_the_kernel_bounds_its_launches(self):
        _, _, ptx, _ = compile_file(HERE / "kernels" / "matmul.clt", "sm_90")
        self.assertRegex(ptx, r"\.maxntid 256(, 1, 1)?\n")

    def test_multiply_adds_are_fused_only_where_that_is_asked_for(self):
        _, _, ptx, _ = compile_file(HERE / "kernels" / "saxpy.clt", "sm_90")
        self.assertNotIn("fma.rn.f32", ptx)
        _, _, ptx, _ = compile_file(HERE / "kernels" / "matmul.clt", "sm_90")
        self.assertIn("fma.rn.f32", ptx)

    def test_an_error_names_the_line_of_the_source(self):
        file = HERE / "refused" / "undeclared.clt"
        line = 1 + file.read_text().split("/* here */")[0].count("\n")
        compiles, log, _, _ = compile_file(file, "sm_90")
        self.assertFalse(compiles)
        self.assertIn(f"undeclared.clt({line}): error", log)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvrtc", type=pathlib.Path, required=True,
                        help="the virtual environment that packaging/test installs it into")
    parser.add_argument("--prelude", type=pathlib.Path, required=True)
    parser.add_argument("--generator", type=pathlib.Path, required=True,
                        help="prelude.py, which knows the options")
    ARGS, rest = parser.parse_known_args()
    COMPILER = nvrtc.load(ARGS.nvrtc)
    ARGS.options = nvrtc.options(ARGS.generator)
    unittest.main(argv=[sys.argv[0], *rest])
