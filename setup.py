"""What is written in C, built with the package; everything else is in pyproject.toml."""

import sys
from glob import glob

from setuptools import Extension, setup

COMPILE, NATIVE = "src/linkwork/compile", "src/linkwork/integrate/native"
MSVC = sys.platform == "win32"
BUILD = {
    "extra_compile_args": ["/O2", "/std:c11"] if MSVC else ["-O3", "-std=gnu11"],
    "libraries": [] if MSVC else ["m"],
}

setup(
    ext_modules=[
        Extension(
            "linkwork.compile._machine_code",
            sources=sorted(glob(f"{COMPILE}/*.c")),
            depends=sorted(glob(f"{COMPILE}/*.h")),
            **BUILD,
        ),
        Extension(
            "linkwork.integrate.native._native",
            sources=sorted(glob(f"{NATIVE}/*.c")),
            depends=sorted(glob(f"{NATIVE}/*.h")),
            **BUILD,
        ),
    ]
)
