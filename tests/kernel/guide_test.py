#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the examples of the guide for the host, as OpenCL C and as CUDA C++, without warnings;
and holds the guide against the words that there are."""

import argparse
import pathlib
import re
import subprocess
import sys
import unittest

import nvrtc

ARGS = None
COMPILER = None
HOST = ["-std=c++17", "-x", "c++"]
OPENCL = ["-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-x", "cl"]


def examples():
    return re.findall(r"^```c\n(.*?)^```", ARGS.guide.read_text(), re.M | re.S)


def prelude(target):
    return (ARGS.preludes / f"{target}.h").read_text()


def errors(program, options, target, source):
    text = f'{prelude(target)}#line 1 "example.clt"\n{source}'
    return subprocess.run([program, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *options, "-"],
                          input=text, capture_output=True, text=True).stderr


class Guide(unittest.TestCase):
    def test_each_example_compiles_for_all_targets(self):
        self.assertGreater(len(examples()), 5)
        for source in examples():
            name = re.search(r"COLLET_KERNEL\w*\((\w+)", source)[1]
            with self.subTest(example=name):
                self.assertEqual(errors("g++", HOST, "host", source), "")
                self.assertEqual(errors("clang++", HOST, "host", source), "")
                self.assertEqual(errors("clang", OPENCL, "opencl", source), "")
                loops = [*OPENCL, "-DCOLLET_KERNEL_OPENCL_LOOPS"]
                self.assertEqual(errors("clang", loops, "opencl", source), "")
                compiles, log, _, _ = COMPILER.compile(
                    prelude("cuda") + source, [*ARGS.options, "--gpu-architecture=sm_90"])
                self.assertTrue(compiles, log)
                self.assertEqual(log, "")

    def test_the_header_lists_every_word_of_every_target(self):
        header = ARGS.header.read_text()
        words = set(re.findall(r"\bCOLLET_[A-Z_]+\b", header.split("*/")[1]))
        for target in ("host", "opencl", "cuda"):
            with self.subTest(target=target):
                defined = set(re.findall(r"#define (COLLET_\w+)", prelude(target)))
                self.assertEqual({word for word in words if word not in defined}, set())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guide", type=pathlib.Path, required=True)
    parser.add_argument("--header", type=pathlib.Path, required=True, help="collet/kernel.h")
    parser.add_argument("--preludes", type=pathlib.Path, required=True)
    parser.add_argument("--nvrtc", type=pathlib.Path, required=True)
    parser.add_argument("--generator", type=pathlib.Path, required=True)
    ARGS, rest = parser.parse_known_args()
    COMPILER = nvrtc.load(ARGS.nvrtc)
    ARGS.options = nvrtc.options(ARGS.generator)
    unittest.main(argv=[sys.argv[0], *rest])
