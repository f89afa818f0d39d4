# SPDX-License-Identifier: Apache-2.0
"""Numbers are the same whatever the process makes of floats, as libraries that it loads may."""

import ctypes
import ctypes.util
import platform
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import numpact
import numpact.cvc

ROUNDING = {"upward": 0x800, "downward": 0x400, "toward zero": 0xC00}  # fenv.h of x86
on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="values are those of x86")


@pytest.fixture
def rounding():
    """A function that sets how this thread rounds; afterwards it rounds to nearest again."""
    libm = ctypes.CDLL(ctypes.util.find_library("m"))
    yield lambda name: libm.fesetround(ROUNDING[name])
    libm.fesetround(0)


def prices(n):
    return np.round(np.random.default_rng(3).uniform(1, 500, n), 2)


@on_x86
@pytest.mark.parametrize("name", ROUNDING)
@pytest.mark.parametrize("threads", [1, 2])
def test_pco(rounding, name, threads):
    numbers = prices(100_000)
    expected = numpact.compress(numbers)
    rounding(name)
    file = numpact.compress(numbers, threads=threads)
    back = numpact.decompress(expected, threads=threads)
    part = numpact.open(expected)[70_000:70_100]
    rounded = np.float64(1) / np.float64(3)
    rounding("upward" if name != "upward" else "downward")
    assert rounded != np.float64(1) / np.float64(3), "the thread does not round as it did"
    assert file == expected
    assert back.tobytes() == numbers.tobytes()
    assert part.tobytes() == numbers[70_000:70_100].tobytes()


@on_x86
@pytest.mark.parametrize("name", ROUNDING)
def test_threads_made_by_the_caller(rounding, name):
    numbers = prices(20_000)
    expected = numpact.compress(numbers)
    rounding(name)
    got = []
    thread = threading.Thread(target=lambda: got.append(numpact.decompress(expected)))
    thread.start()
    thread.join()
    assert got[0].tobytes() == numbers.tobytes()


@on_x86
@pytest.mark.parametrize("name", ROUNDING)
@pytest.mark.parametrize(
    "compression", ["fp16", "bfloat16", "int8", "int8_dim", "int4", "lossless"]
)
def test_cvc(rounding, name, compression):
    rows = np.random.default_rng(4).normal(size=(300, 16)).astype(np.float32)

    def written():
        writer = numpact.cvc.Writer(None, compression=compression)
        writer.append(rows)
        writer.close()
        return writer.contents

    expected = written()
    values = numpact.cvc.Reader(expected).read()
    rounding(name)
    again = written()
    read = numpact.cvc.Reader(expected).read()
    assert again == expected
    assert read.tobytes() == values.tobytes()


FAST_MATH = """
import ctypes, sys
import numpy as np
import numpact

random = np.random.default_rng(1)
subnormals = random.integers(1, 1000, 5000) * 1e-310
singles = (random.integers(1, 1000, 5000) * np.float32(1e-40)).astype(np.float32)
files = [numpact.compress(x) for x in (subnormals, singles)]
ctypes.CDLL(sys.argv[1])
for x, file in zip((subnormals, singles), files):
    assert numpact.compress(x) == file
    assert numpact.decompress(file).tobytes() == x.tobytes()
    assert numpact.decompress(file, threads=2).tobytes() == x.tobytes()
"""


def test_library_with_fast_math(tmp_path):
    """Loading a library that was linked with -ffast-math makes the processor flush subnormals."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no compiler")
    library = tmp_path / "fast.so"
    source = tmp_path / "fast.cpp"
    source.write_text("extern int nothing; int nothing = 0;\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-ffast-math", source, "-o", library], check=True)
    subprocess.run([sys.executable, "-c", FAST_MATH, library], check=True)
