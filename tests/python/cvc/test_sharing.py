# SPDX-License-Identifier: Apache-2.0
"""One Writer, many users: threads, sections, errors, metadata."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc

Array = np.ndarray[Any, Any]
ROWS = np.random.default_rng(0).normal(size=(40_000, 64)).astype("f4")


def rows(count: int) -> Array:
    return np.zeros((count, 2), "f4")


def append_thrice(writer: cvc.Writer, errors: list[BaseException]) -> None:
    try:
        for _ in range(3):
            writer.append(ROWS)
    except BaseException as error:
        errors.append(error)


@pytest.mark.parametrize("how", ["refused", "abort", "with", "close", "end_chunk", "set_chunk"])
@pytest.mark.parametrize("to_file", [False, True])
def test_a01_cvc_writer_threads(how: str, to_file: bool, tmp_path: Path) -> None:
    """While one thread appends, another one does something that ends the writer, or does not."""
    path = tmp_path / "a.cvc"
    for round_ in range(4):
        errors: list[BaseException] = []
        writer = cvc.Writer(
            path if to_file else None, compression="int8", chunk_size=1000, threads=1 + round_ % 2
        )

        thread = threading.Thread(target=append_thrice, args=(writer, errors))
        try:
            with writer:
                thread.start()
                time.sleep(0.004 * round_)
                if how == "refused":
                    writer.append(ROWS[:10].astype("u2"))
                elif how == "abort":
                    writer.abort()
                elif how == "with":
                    raise RuntimeError("gives up")
                elif how == "end_chunk":
                    writer.end_chunk()
                elif how == "set_chunk":
                    writer.set_chunk(1000, metadata=1)
                    writer.abort()
        except (RuntimeError, ValueError, TypeError) as error:
            errors.append(error)
        thread.join()
        for error in errors:
            assert isinstance(error, (numpact.Error, ValueError, RuntimeError)), errors
        if to_file and how in ("refused", "abort", "with", "set_chunk"):
            assert list(tmp_path.iterdir()) == []
        for file in tmp_path.iterdir():
            assert cvc.Reader(file).verify() == []
            file.unlink()


def test_appends_of_many_threads_are_all_there() -> None:
    writer = cvc.Writer(None, compression="lossless", chunk_size=77, dimension=3)

    def append(number: int) -> None:
        for _ in range(50):
            writer.append(np.full((5, 3), number, "f4"))

    threads = [threading.Thread(target=append, args=(n,)) for n in range(6)]
    with writer:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    got = cvc.Reader(writer.contents).read()[:, 0].reshape(-1, 5)
    assert (got == got[:, :1]).all()
    assert np.bincount(got[:, 0].astype(int)).tolist() == [50] * 6


# ---- sections ----


def sections(writer: cvc.Writer) -> list[tuple[Any, int, int]]:
    info = cvc.Reader(writer.contents).info
    return [(section.metadata, section.first_row, section.rows) for section in info.sections]


def test_a19_sections() -> None:
    writer = cvc.Writer(None)
    for name in ("good", "bad", "other"):
        try:
            with writer.section({"doc": name}):
                writer.append(rows(2))
                if name == "bad":
                    raise KeyError("a page that cannot be parsed")
        except KeyError:
            pass
        writer.append(rows(3))
    writer.close()
    assert sections(writer) == [
        ({"doc": "good"}, 0, 2),
        ({"doc": "bad"}, 5, 2),
        ({"doc": "other"}, 10, 2),
    ]


def test_sections_in_sections_are_refused_and_the_writer_goes_on() -> None:
    writer = cvc.Writer(None)
    with writer.section("book"):
        writer.append(rows(3))
        inner = writer.section("chapter")
        with pytest.raises(numpact.InvalidArgumentError, match="inside of another"):
            inner.__enter__()
        writer.append(rows(1))
    with writer.section("next"):
        writer.append(rows(2))
    writer.close()
    assert sections(writer) == [("book", 0, 4), ("next", 4, 2)]


def test_two_threads_with_sections() -> None:
    """The other one's is refused, and its rows are never given to the wrong one."""
    writer = cvc.Writer(None)
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait()
        with pytest.raises(numpact.InvalidArgumentError), writer.section("other"):
            pass
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with writer.section("mine"):
        writer.append(rows(2))
        inside.set()
        done.wait()
    thread.join()
    writer.close()
    assert sections(writer) == [("mine", 0, 2)]


def test_a_writer_that_ends_inside_of_a_section() -> None:
    writer = cvc.Writer(None)
    with writer.section(1):
        writer.append(rows(2))
        writer.close()
    assert sections(writer) == [(1, 0, 2)]
    writer = cvc.Writer(None)
    with writer.section(1):
        writer.abort()
    writer = cvc.Writer(None)
    with pytest.raises(KeyError), writer, writer.section(1):
        raise KeyError
    with pytest.raises(ValueError, match="closed"), writer.section(2):
        pass


def test_a_refused_append_inside_of_a_section_is_what_is_raised() -> None:
    writer = cvc.Writer(None)
    writer.append(rows(1))
    with pytest.raises(numpact.TypeMismatchError), writer.section(1):
        writer.append(rows(1).astype("f8"))


# ---- metadata ----


def nested(depth: int, kind: str) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if kind == "list" or level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("kind", ["list", "both"])
@pytest.mark.parametrize(("where", "maximum"), [("file", 511), ("chunk", 509), ("section", 507)])
def test_metadata_that_no_reader_takes_are_refused_at_once(
    where: str, maximum: int, kind: str
) -> None:
    def write(depth: int) -> bytes:
        value = nested(depth, kind)
        with cvc.Writer(None, metadata=value if where == "file" else None) as writer:
            if where == "chunk":
                writer.set_chunk(0, metadata=value)
            if where == "section":
                with writer.section(value):
                    writer.append(rows(1))
            writer.append(rows(1))
        return writer.contents

    reader = cvc.Reader(write(maximum))
    info = reader.info
    found = {"file": info.metadata, "chunk": info.chunks[0].metadata}
    assert found.get(where, info.sections and info.sections[0].metadata) == nested(maximum, kind)
    for depth in (maximum + 1, maximum + 2, maximum + 5, 5000):
        with pytest.raises(numpact.InvalidArgumentError, match="deep"):
            write(depth)


# ---- signals ----


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
@pytest.mark.parametrize("kind", ["cvc", "pco"])
def test_a_signal_handler_that_uses_the_writer_gets_an_error(kind: str) -> None:
    import io

    writer: Any
    if kind == "cvc":
        writer = cvc.Writer(None, compression="int8_row", chunk_size=5000, threads=1)
        work = lambda: writer.append(ROWS)  # noqa: E731
    else:
        writer = numpact.Writer(io.BytesIO(), "float32", threads=1)
        work = lambda: writer.write(ROWS)  # noqa: E731
    answers: list[str] = []

    def handler(*_: object) -> None:
        for call in (work, writer.abort, writer.close, writer.end_chunk):
            try:
                call()
            except numpact.InvalidArgumentError as error:
                answers.append(str(error))

    signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        end = time.monotonic() + 300
        while not answers and time.monotonic() < end:
            try:
                work()
            except ValueError:  # the handler came between two calls, and closed it
                signal.setitimer(signal.ITIMER_REAL, 0)
                pytest.skip("the signal came between two calls")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert len(answers) == 4
    assert all("at work" in answer for answer in answers)
    work()
    writer.close()
