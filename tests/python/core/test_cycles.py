# SPDX-License-Identifier: Apache-2.0
"""Sources that keep what reads them: Python's collector frees both."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc


class File(io.BytesIO):
    """Has attributes."""

    reader: Any


class Rows(np.ndarray):  # type: ignore[type-arg]
    """Has attributes, and a buffer."""

    reader: Any


def vectors() -> bytes:
    with cvc.Writer(None) as writer:
        writer.append(np.ones((50, 4), np.float32))
    return writer.contents


def array_of(data: bytes) -> Rows:
    return np.frombuffer(bytearray(data), np.uint8).view(Rows)


def held_by_file() -> Any:
    file = File(vectors())
    file.reader = cvc.Reader(file)
    assert file.reader[3].tolist() == [1, 1, 1, 1]
    return file


def held_by_array() -> Any:
    array = array_of(vectors())
    array.reader = cvc.Reader(array)
    assert array.reader[3].tolist() == [1, 1, 1, 1]
    return array


def held_by_pco_array() -> Any:
    array = array_of(numpact.compress(np.arange(5000)))
    array.reader = numpact.open(array)
    assert array.reader[3] == 3
    return array


def held_by_error() -> Any:
    """As an interactive session keeps the last one: its frames have the reader."""
    file = File(vectors())
    reader = cvc.Reader(file)
    try:
        reader.read(40, 40)
    except ValueError as error:
        file.reader = error
    return file


def held_by_writer() -> Any:
    file = File()
    file.reader = numpact.Writer(file, "int64")
    file.reader.write([1, 2, 3])
    return file


def held_by_progress() -> Any:
    file = File()

    def progress(_: numpact.Progress) -> None:
        assert file

    file.reader = numpact.open(numpact.compress(np.arange(5000)), progress=progress)
    assert len(file.reader) == 5000
    return file


CYCLES = [held_by_file, held_by_array, held_by_pco_array, held_by_error, held_by_writer,
          held_by_progress]  # fmt: skip


@pytest.mark.parametrize("make", CYCLES)
def test_cycles_are_collected(make: Callable[[], Any]) -> None:
    gone = weakref.ref(make())
    gc.collect()
    assert gone() is None


def test_nothing_is_printed_at_the_end() -> None:
    """Cycles, and what a program keeps to its end."""
    code = "import sys, test_cycles\nkept = [make() for make in test_cycles.CYCLES]\n"
    code += "for make in test_cycles.CYCLES: make()\n"
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path.insert(0, sys.argv[1])\n{code}",
         __file__.rpartition("/")[0]],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
