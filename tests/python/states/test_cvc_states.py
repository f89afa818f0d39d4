# SPDX-License-Identifier: Apache-2.0
"""numpact.cvc.Writer and Reader under random calls, by threads, forks, callbacks and errors."""

from __future__ import annotations

import contextlib
import io
import pickle
from collections.abc import Callable
from typing import Any

import fsspec
import hypothesis.strategies as st
import numpy as np
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis.stateful import initialize, precondition, rule
from states_support import (
    HAS_FORK,
    Blocks,
    Machine,
    WriterMachine,
    beside,
    in_child,
    in_threads,
    make_test,
    outcome_of,
)

import numpact
from numpact import cvc

DIMENSION = 3
OLD = b"what was there before"
LENGTHS = st.sampled_from([0, 1, 7, 400, 3000])
CALLS = st.sampled_from(["append"] * 4 + ["end_chunk", "set_chunk", "wrong", "close", "abort"])


class WriterStates(WriterMachine):
    """Against a list of what was appended, and of the sections."""

    NAME = "a.cvc"
    OLD = OLD

    @initialize(
        to_file=st.booleans(),
        threads=st.sampled_from([None, 1, 2]),
        chunk_size=st.sampled_from([5, 300, 100_000]),
        is_old=st.booleans(),
    )
    def open(self, to_file: bool, threads: Any, chunk_size: int, is_old: bool) -> None:
        self.choose(to_file, is_old)
        self.writer = cvc.Writer(
            self.path if to_file else None,
            compression="lossless",
            chunk_size=chunk_size,
            threads=threads,
            dimension=DIMENSION,
            sync=False,
        )
        self.blocks = Blocks()
        self.sections: list[list[int]] = []
        self.section: Any = None
        self.state = "open"

    # ---- calls ----

    def call(self, name: str, length: int = 5) -> tuple[Callable[[], Any], dict[int, int]]:
        """A call, and the run that it writes if it is fine."""
        writer = self.writer
        if name == "append":
            value = self.blocks.new()
            rows = np.full((length, DIMENSION), value, np.float32)
            return lambda: writer.append(rows), {value: length}
        if name == "wrong":
            # Refused before the file is touched.
            return lambda: writer.append(np.zeros((2, 2, 2), np.float32)), {}
        if name == "set_chunk":
            # The fault is in a chunk that may be complete, which ends the writer.
            return lambda: writer.set_chunk(0, metadata=[1]), {}
        return getattr(writer, name), {}

    def record(self, name: str, outcome: Any, runs: dict[int, int]) -> dict[int, int]:
        """Checks what came of a call while the writer was, or may have been, open."""
        if isinstance(outcome, Exception):
            assert isinstance(outcome, ValueError), outcome
            words = str(outcome)
            expected = {"wrong": "two dimensions", "set_chunk": "complete already"}
            assert "closed" in words or expected.get(name, "?") in words or self.is_unmet(outcome)
            return {}
        assert name != "wrong"
        return runs

    @staticmethod
    def is_unmet(outcome: Exception) -> bool:
        return "options were set for a chunk" in str(outcome)

    @rule(name=CALLS, length=LENGTHS)
    def one(self, name: str, length: int) -> None:
        work, runs = self.call(name, length)
        outcome = outcome_of(work)
        if self.state != "open":
            is_fine = name == "abort" or (name == "close" and self.state == "close")
            assert is_fine or isinstance(outcome, ValueError), outcome
            return
        written = self.record(name, outcome, runs)
        self.add(written)
        if name == "close" and not isinstance(outcome, Exception):
            self.end("close")
        elif name == "abort" or (isinstance(outcome, Exception) and name != "wrong"):
            self.end("abort")

    def add(self, written: dict[int, int]) -> None:
        self.blocks.add(written)
        if self.section is not None:
            self.sections[-1][1] += sum(written.values())

    @rule(names=st.lists(CALLS, min_size=2, max_size=4), length=LENGTHS)
    def at_once(self, names: list[str], length: int) -> None:
        calls = [self.call(name, length) for name in names]
        outcomes = in_threads([work for work, _ in calls])
        written: dict[int, int] = {}
        errors = False
        for name, outcome, (_, runs) in zip(names, outcomes, calls, strict=True):
            written |= self.record(name, outcome, runs)
            errors |= isinstance(outcome, Exception) and name != "wrong"
        if self.state != "open":
            assert not written
            return
        self.add(written)
        pairs = list(zip(names, outcomes, strict=True))
        if any(n == "close" and not isinstance(o, Exception) for n, o in pairs):
            self.end("close")
        elif errors or "abort" in names:
            self.end("abort")

    # ---- sections ----

    # Whether the writer is still open may depend on which of two calls was first. A precondition
    # that differs in a repetition is an error to hypothesis, so these rules do nothing instead.

    @rule()
    def begin_section(self) -> None:
        if self.state != "open" or self.section is not None:
            return
        self.sections.append([self.blocks.count, 0])
        self.section = self.writer.section(len(self.sections))
        self.section.__enter__()

    @rule()
    def begin_another(self) -> None:
        if self.state != "open" or self.section is None:
            return
        outcome = outcome_of(self.writer.section("inside").__enter__)
        assert isinstance(outcome, numpact.InvalidArgumentError), outcome

    @rule(by_error=st.booleans())
    def end_section(self, by_error: bool) -> None:
        if self.section is None:
            return
        section, self.section = self.section, None
        if by_error:
            error = KeyError("left")
            with contextlib.suppress(KeyError):
                assert not section.__exit__(KeyError, error, None)
        else:
            section.__exit__(None, None, None)

    # ---- other processes ----

    @precondition(lambda self: HAS_FORK)
    @rule(
        name=st.sampled_from(["append", "end_chunk", "close", "abort", "drop", "section"]),
        is_busy=st.booleans(),
        length=LENGTHS,
    )
    def child(self, name: str, is_busy: bool, length: int) -> None:
        if name == "drop":
            look: Callable[[], Any] = lambda: self.__dict__.pop("writer")  # noqa: E731
        elif name == "section":
            look = lambda: self.writer.section(1).__enter__()  # noqa: E731
        else:
            look = self.call(name)[0]
        if is_busy:
            work, runs = self.call("append", length)
            outcomes: list[Any] = []
            with beside(work, outcomes):
                answer = in_child(look)
            written = self.record("append", outcomes[0], runs)
            assert bool(written) == (self.state == "open")
            self.add(written)
        else:
            answer = in_child(look)
        if name in ("drop", "abort") or (name == "close" and self.state == "close"):
            assert answer == "fine", answer
        else:
            assert answer.startswith(("InvalidArgumentError", "ValueError")), answer

    # ---- what must hold ----

    def end(self, how: str) -> None:
        self.state = how
        if how == "close":
            reader = cvc.Reader(self.path if self.to_file else self.writer.contents)
            values = reader.read()
            assert (values == values[:, :1]).all()
            self.blocks.check(values[:, 0])
            found = [[section.first_row, section.rows] for section in reader.info.sections]
            assert found == self.sections
            assert reader.verify() == []
        self.check_folder(how)

    def finish(self) -> None:
        if not hasattr(self, "writer"):
            return
        if self.section is not None:
            self.end_section(False)
        if self.state == "open":
            outcome = outcome_of(self.writer.close)
            if isinstance(outcome, Exception):
                assert self.is_unmet(outcome), outcome
            self.end("abort" if isinstance(outcome, Exception) else "close")


ROWS = np.random.default_rng(2).normal(size=(5000, 4)).astype(np.float32)
PLACES = st.integers(-6000, 6000)


class Curious(io.BytesIO):
    """A file that may call something while it is read."""

    inside: Callable[[], object] | None = None
    answers: list[object]

    def readinto(self, buffer: Any) -> int:
        call, self.inside = self.inside, None
        if call is not None:
            self.answers.append(outcome_of(call))
        return super().readinto(buffer)


def packed(compression: str, chunk_size: int, rows: Any) -> bytes:
    with cvc.Writer(None, compression=compression, chunk_size=chunk_size) as writer:
        writer.append(rows)
    return writer.contents


class ReaderStates(Machine):
    """Against the array that the file was made of."""

    @initialize(
        kind=st.sampled_from(["path", "bytes", "stream", "file", "unbuffered", "store", "curious"]),
        threads=st.sampled_from([None, 1, 2]),
        compression=st.sampled_from(["lossless", "pco"]),
        chunk_size=st.sampled_from([90, 1300]),
    )
    def open(self, kind: str, threads: Any, compression: str, chunk_size: int) -> None:
        self.data = packed(compression, chunk_size, ROWS)
        path = self.folder / "a.cvc"
        path.write_bytes(self.data)
        self.stack = contextlib.ExitStack()
        self.kind = kind
        self.name = f"/states/{id(self)}.cvc"
        self.curious = Curious(self.data)
        self.curious.answers = []
        if kind == "store":
            MemoryFileSystem().pipe_file(self.name, self.data)
        sources: dict[str, Callable[[], Any]] = {
            "path": lambda: path,
            "bytes": lambda: self.data,
            "stream": lambda: io.BytesIO(self.data),
            "file": lambda: self.stack.enter_context(path.open("rb")),
            "unbuffered": lambda: self.stack.enter_context(path.open("rb", buffering=0)),
            "store": lambda: fsspec.open(f"memory:/{self.name}", "rb"),
            "curious": lambda: self.curious,
        }
        self.reader = cvc.Reader(sources[kind](), threads=threads)
        self.is_replaced = False

    # ---- calls ----

    def call(self, name: str, a: int, b: int, step: int) -> tuple[Callable[[], Any], Any]:
        """A call, and what it gives if it is fine: an array, or the class of an error."""
        reader, n = self.reader, len(ROWS)
        if name == "slice":
            step = step or 1
            return lambda: reader[a:b:step], ROWS[a:b:step]
        if name == "index":
            return lambda: reader[np.int16(a)], ROWS[a] if -n <= a < n else IndexError
        if name == "read":
            is_fine = a >= 0 and b >= 0 and a + b <= n
            return lambda: reader.read(a, b), ROWS[a : a + b] if is_fine else ValueError
        if name == "read_into":
            count = abs(b) % 700
            out = np.empty((count, 4), np.float32)
            expected_value: Any = ROWS[a : a + count] if 0 <= a <= n - count else ValueError
            return lambda: reader.read(a, count, out=out), expected_value
        if name == "gather":
            rows = [abs(a) % n, abs(b) % n, abs(a * 7 + b) % n]
            return lambda: reader.gather(rows), ROWS[rows]
        if name == "limit":
            return lambda: reader.read(0, 5, max_output=79), numpact.LimitExceededError
        if name == "verify":
            return lambda: np.array(reader.verify()), np.array([])
        chunks = reader.info.chunks
        chunk = chunks[abs(a) % len(chunks)]
        expected_value = ROWS[chunk.first_row : chunk.first_row + chunk.rows]
        return lambda: reader.read_chunk(np.uint8(abs(a) % len(chunks))), expected_value

    def check(self, outcome: Any, expected_value: Any) -> None:
        if isinstance(outcome, Exception):
            is_other = self.is_replaced and "two versions" in str(outcome)
            is_wrong = isinstance(expected_value, type) and isinstance(outcome, expected_value)
            assert is_other or is_wrong, outcome
            return
        assert not isinstance(expected_value, type), (outcome, expected_value)
        if self.is_replaced and np.size(expected_value):
            raise AssertionError("rows of a file that was replaced")
        np.testing.assert_array_equal(outcome, expected_value)

    names = st.sampled_from(
        ["slice", "index", "read", "read_into", "gather", "limit", "verify", "chunk"]
    )
    steps = st.integers(-40, 40)

    @rule(name=names, a=PLACES, b=PLACES, step=steps)
    def one(self, name: str, a: int, b: int, step: int) -> None:
        work, expected_value = self.call(name, a, b, step)
        self.check(outcome_of(work), expected_value)

    @rule(calls=st.lists(st.tuples(names, PLACES, PLACES, steps), min_size=2, max_size=4))
    def at_once(self, calls: list[tuple[str, int, int, int]]) -> None:
        made = [self.call(*call) for call in calls]
        outcomes = in_threads([work for work, _ in made])
        for (_, expected_value), outcome in zip(made, outcomes, strict=True):
            self.check(outcome, expected_value)

    @precondition(lambda self: HAS_FORK)
    @rule(name=names, a=PLACES, b=PLACES, step=steps, is_busy=st.booleans())
    def child(self, name: str, a: int, b: int, step: int, is_busy: bool) -> None:
        work, expected_value = self.call(name, a, b, step)

        def look() -> None:
            outcome = outcome_of(work)
            if self.kind in ("file", "unbuffered", "curious") and not isinstance(
                expected_value, type
            ):
                # An open file is shared with the parent.
                assert isinstance(outcome, numpact.InvalidArgumentError), outcome
            else:
                self.check(outcome, expected_value)

        if not is_busy:
            assert in_child(look) == "fine"
            return
        outcomes: list[Any] = []
        with beside(lambda: self.reader.read(threads=2), outcomes):
            assert in_child(look) == "fine"
        self.check(outcomes[0], ROWS)

    @precondition(lambda self: self.kind == "curious")
    @rule(
        name=st.sampled_from(["slice", "index", "gather", "verify"]),
        threads=st.sampled_from([1, 3]),
    )
    def inside_of_a_read(self, name: str, threads: int) -> None:
        before = len(self.curious.answers)
        self.curious.inside = self.call(name, 0, 100, 1)[0]
        np.testing.assert_array_equal(self.reader.read(threads=threads), ROWS)
        assert len(self.curious.answers) == before + 1
        assert isinstance(self.curious.answers[-1], numpact.InvalidArgumentError)

    @rule(a=st.integers(0, 4000))
    def inside_of_progress(self, a: int) -> None:
        answers: list[Any] = []
        work = lambda: self.reader.read(  # noqa: E731
            progress=lambda _: answers.append(self.reader.read(a, 3))
        )
        self.check(outcome_of(work), ROWS)
        for answer in answers:
            np.testing.assert_array_equal(answer, ROWS[a : a + 3])

    @precondition(lambda self: self.kind == "store")
    @rule(really=st.sampled_from([False, False, False, True]))
    def replace(self, really: bool) -> None:
        if really:
            MemoryFileSystem().pipe_file(self.name, packed("lossless", 77, -ROWS))
            self.is_replaced = True

    @rule()
    def pickled(self) -> None:
        outcome = outcome_of(lambda: pickle.loads(pickle.dumps(self.reader)))
        if self.kind == "path":
            np.testing.assert_array_equal(outcome[5:50], ROWS[5:50])
        else:
            assert isinstance(outcome, TypeError), outcome

    def finish(self) -> None:
        if not hasattr(self, "reader"):
            return
        self.stack.close()
        MemoryFileSystem.store.pop(self.name, None)


test_states = make_test({"writer": WriterStates, "reader": ReaderStates})
