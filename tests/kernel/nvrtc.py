# SPDX-License-Identifier: Apache-2.0
"""NVRTC, the compiler of CUDA C++, which needs no GPU."""

import ctypes
import sys


class Nvrtc:
    """The library in a folder such as .../site-packages/nvidia/cuda_nvrtc/lib."""

    def __init__(self, folder):
        # It opens its helper by name only; one that is loaded already is found so.
        for builtins in sorted(folder.glob("libnvrtc-builtins.so.*")):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(next(folder.glob("libnvrtc.so.*"))))
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def _call(self, function, *arguments):
        status = getattr(self._library, function)(*arguments)
        if status:
            raise RuntimeError(f"{function}: {self._library.nvrtcGetErrorString(status).decode()}")

    def _text(self, program, what):
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", program, text)
        return text.raw

    def compile(self, source, options):
        """Whether the source compiles, the log, and its PTX and machine code."""
        program = ctypes.c_void_p()
        self._call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"prelude", 0, None,
                   None)
        try:
            words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            failed = self._library.nvrtcCompileProgram(program, len(options), words)
            log = self._text(program, "ProgramLog").rstrip(b"\0").decode()
            if failed:
                return False, log, "", b""
            return (True, log, self._text(program, "PTX").decode(),
                    self._text(program, "CUBIN"))
        finally:
            self._call("nvrtcDestroyProgram", ctypes.byref(program))


def load(environment):
    """NVRTC of the virtual environment that packaging/test installs it into."""
    folders = sorted(environment.glob("lib/python3*/site-packages/nvidia/cuda_nvrtc/lib"))
    if not folders:
        sys.exit(f"there is no NVRTC in {environment}; packaging/test installs it")
    return Nvrtc(folders[0])


def options(generator):
    """What the language is compiled with, as prelude.py says."""
    sys.path.insert(0, str(generator.parent))
    import prelude
    return prelude.OPTIONS["cuda"]
