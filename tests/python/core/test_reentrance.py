# SPDX-License-Identifier: Apache-2.0
"""Calls inside of calls: by file objects, progress functions, and what they must not break."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numpact

NUMBERS = np.arange(9000)
PACKED = numpact.compress(NUMBERS, paging=500)

pytestmark = pytest.mark.timeout(60)


class Calling(io.BytesIO):
    """A file that calls something at its second write."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.then: Callable[[], object] = lambda: None

    def write(self, data: Any) -> int:
        self.calls += 1
        if self.calls == 2:
            self.then()
        return super().write(data)


def write_all(writer: numpact.Writer) -> None:
    for _ in range(4):
        writer.write(NUMBERS)
    writer.close()


METHODS: dict[str, Callable[[numpact.Writer], object]] = {
    "write": lambda writer: writer.write(NUMBERS),
    "end_chunk": lambda writer: writer.end_chunk(),
    "close": lambda writer: writer.close(),
    "abort": lambda writer: writer.abort(),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("is_caught", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_that_calls_its_writer(method: str, is_caught: bool, threads: int) -> None:
    file = Calling()
    writer = numpact.Writer(file, "int64", paging=1000, threads=threads)
    caught: list[Exception] = []

    def call() -> None:
        try:
            METHODS[method](writer)
        except numpact.InvalidArgumentError as error:
            caught.append(error)
            if not is_caught:
                raise

    file.then = call
    if is_caught:
        # It goes on as if nothing had been tried.
        write_all(writer)
        np.testing.assert_array_equal(numpact.decompress(file.getvalue()), np.tile(NUMBERS, 4))
    else:
        with pytest.raises(numpact.InvalidArgumentError, match="at work"):
            write_all(writer)
        assert writer.closed
    assert len(caught) == 1


def test_properties_may_be_looked_at_inside() -> None:
    file = Calling()
    writer = numpact.Writer(file, "int64", paging=1000, threads=1)
    seen: list[Any] = []
    file.then = lambda: seen.append((writer.count, writer.bytes_written, writer.closed))
    with writer:
        writer.write(NUMBERS)
    assert len(seen) == 1
    assert seen[0][2] is False


def test_other_threads_wait_as_ever() -> None:
    file = Calling()
    writer = numpact.Writer(file, "int64", paging=1000, threads=1)
    others: list[threading.Thread] = []

    def start() -> None:
        others.append(threading.Thread(target=writer.write, args=(NUMBERS,)))
        others[0].start()

    file.then = start
    writer.write(NUMBERS)
    writer.write(NUMBERS)
    others[0].join()
    writer.close()
    np.testing.assert_array_equal(numpact.decompress(file.getvalue()), np.tile(NUMBERS, 3))


FILE_METHODS: dict[str, Callable[[numpact.File], object]] = {
    "close": lambda file: file.close(),
    "len": len,
    "read": lambda file: file.read(0, 1),
    "slice": lambda file: file[:],
    "chunks": lambda file: file.chunks,
    "repr": repr,
}


@pytest.mark.parametrize("method", FILE_METHODS)
@pytest.mark.parametrize("is_caught", [False, True])
def test_a_progress_function_that_uses_the_file(method: str, is_caught: bool) -> None:
    files: list[numpact.File] = []
    caught: list[Exception] = []

    def progress(_: numpact.Progress) -> None:
        try:
            FILE_METHODS[method](files[0])
        except numpact.InvalidArgumentError as error:
            caught.append(error)
            if not is_caught:
                raise

    file = numpact.open(PACKED, progress=progress, threads=1)
    files.append(file)
    if method == "repr" or is_caught:
        assert len(file) == 9000
        np.testing.assert_array_equal(file[:], NUMBERS)
    else:
        with pytest.raises(numpact.InvalidArgumentError, match="at work"):
            len(file)
    assert bool(caught) == (method != "repr")
    file.close()


def test_progress_functions_of_calls_that_read_others() -> None:
    other = numpact.open(PACKED)
    got: list[int] = []
    numpact.compress(NUMBERS, paging=500, progress=lambda _: got.append(int(other[5])))
    assert set(got) == {5}
