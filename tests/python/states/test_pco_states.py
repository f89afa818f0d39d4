# SPDX-License-Identifier: Apache-2.0
"""numpact.Writer and numpact.File under random calls, by threads, forks, callbacks and errors."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
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

OLD = numpact.compress([1, 2, 3])
LENGTHS = st.sampled_from([0, 1, 7, 1000, 20_000])
CALLS = st.sampled_from(["write", "write", "wrong", "end_chunk", "close", "abort"])


class Calling(io.BytesIO):
    """A file that may call something while it is written to."""

    then: Callable[[], object] | None = None
    answers: list[object]

    def write(self, data: Any) -> int:
        call, self.then = self.then, None
        if call is not None:
            self.answers.append(outcome_of(call))
        return super().write(data)


class WriterStates(WriterMachine):
    """Against a list of what was written."""

    NAME = "a.pco"
    OLD = OLD

    @initialize(
        to_file=st.booleans(),
        threads=st.sampled_from([None, 1, 2]),
        paging=st.sampled_from([700, "auto"]),
        trailer=st.booleans(),
        is_old=st.booleans(),
    )
    def open(self, to_file: bool, threads: Any, paging: Any, trailer: bool, is_old: bool) -> None:
        self.file = Calling()
        self.file.answers = []
        self.choose(to_file, is_old)
        self.writer = numpact.Writer(
            self.path if to_file else self.file,
            "int64",
            threads=threads,
            paging=paging,
            trailer=trailer,
        )
        self.blocks = Blocks()
        self.state = "open"

    # ---- calls ----

    def call(self, name: str, length: int = 5) -> tuple[Callable[[], Any], dict[int, int]]:
        """A call, and the run that it writes if it is fine."""
        writer = self.writer
        if name == "write":
            value = self.blocks.new()
            numbers = np.full(length, value, np.int32)
            return lambda: writer.write(numbers), {value: length}
        if name == "wrong":
            return lambda: writer.write([1, 2.5]), {}
        return getattr(writer, name), {}

    def record(self, name: str, outcome: Any, runs: dict[int, int]) -> dict[int, int]:
        """Checks what came of a call while the writer was, or may have been, open."""
        if name == "wrong":
            assert isinstance(outcome, (numpact.TypeMismatchError, ValueError)), outcome
            return {}
        if outcome is None:
            return runs
        assert isinstance(outcome, ValueError), outcome
        assert "the writer is" in str(outcome)
        return {}

    @rule(name=CALLS, length=LENGTHS)
    def one(self, name: str, length: int) -> None:
        work, runs = self.call(name, length)
        outcome = outcome_of(work)
        if self.state == "open":
            assert (outcome is None) == (name != "wrong"), outcome
            self.blocks.add(self.record(name, outcome, runs))
            if name in ("close", "abort"):
                self.end(name)
        elif name == "abort" or (name == "close" and self.state == "close"):
            assert outcome is None, outcome
        else:
            assert isinstance(outcome, ValueError), outcome

    @rule(names=st.lists(CALLS, min_size=2, max_size=4), length=LENGTHS)
    def at_once(self, names: list[str], length: int) -> None:
        calls = [self.call(name, length) for name in names]
        outcomes = in_threads([work for work, _ in calls])
        written: dict[int, int] = {}
        for name, outcome, (_, runs) in zip(names, outcomes, calls, strict=True):
            written |= self.record(name, outcome, runs)
        if self.state != "open":
            assert not written
            return
        self.blocks.add(written)
        if "close" in names or "abort" in names:
            assert self.writer.closed
            ended = [n for n, o in zip(names, outcomes, strict=True) if n == "close" and o is None]
            self.end("close" if ended else "abort")

    @precondition(lambda self: HAS_FORK)
    @rule(name=st.sampled_from(["write", "end_chunk", "close", "abort", "drop", "nothing"]))
    def child(self, name: str) -> None:
        answer = in_child(self.child_work(name))
        self.check_child(name, answer)

    @precondition(lambda self: HAS_FORK and self.state == "open")
    @rule(name=st.sampled_from(["write", "close", "abort", "drop"]), length=LENGTHS)
    def child_while_another_thread_writes(self, name: str, length: int) -> None:
        work, runs = self.call("write", length)
        outcomes: list[Any] = []
        with beside(work, outcomes):
            answer = in_child(self.child_work(name))
        self.check_child(name, answer)
        self.blocks.add(self.record("write", outcomes[0], runs))

    def child_work(self, name: str) -> Callable[[], Any]:
        if name == "nothing":
            return lambda: None
        if name == "drop":
            return lambda: self.__dict__.pop("writer")
        return self.call(name)[0]

    def check_child(self, name: str, answer: str) -> None:
        if name in ("nothing", "drop", "abort") or (name == "close" and self.state == "close"):
            assert answer == "fine", answer
        else:
            assert answer.startswith(("InvalidArgumentError", "ValueError")), answer

    @precondition(lambda self: not self.to_file and self.state == "open")
    @rule(name=CALLS)
    def inside_of_a_write(self, name: str) -> None:
        inner, _ = self.call(name)
        self.file.then = inner
        before = len(self.file.answers)
        work, runs = self.call("write", 30_000)
        assert outcome_of(work) is None
        self.blocks.add(runs)
        self.writer.end_chunk()
        self.file.then = None
        assert len(self.file.answers) == before + 1
        expected = numpact.TypeMismatchError if name == "wrong" else numpact.InvalidArgumentError
        assert isinstance(self.file.answers[-1], expected), self.file.answers[-1]

    # ---- what must hold ----

    def end(self, how: str) -> None:
        self.state = how
        assert self.writer.closed
        if how == "close":
            data = self.path.read_bytes() if self.to_file else self.file.getvalue()
            self.blocks.check(numpact.decompress(data))
            assert self.writer.bytes_written == len(data)
        self.check_folder(how)

    def finish(self) -> None:
        if not hasattr(self, "writer"):
            return
        if self.state == "open":
            assert self.writer.count == self.blocks.count
            self.writer.close()
            self.end("close")


NUMBERS = np.cumsum(np.random.default_rng(1).integers(-9, 10, 20_000))
PLACES = st.integers(-25_000, 25_000)


class FileStates(Machine):
    """Against the array that the file was made of."""

    @initialize(
        kind=st.sampled_from(["path", "bytes", "bytearray", "stream"]),
        threads=st.sampled_from([None, 1, 2]),
        trailer=st.sampled_from([False, True, 256]),
        paging=st.sampled_from([300, 7000]),
        has_progress=st.booleans(),
    )
    def open(self, kind: str, threads: Any, trailer: Any, paging: int, has_progress: bool) -> None:
        path = self.folder / "a.pco"
        data = numpact.compress(NUMBERS, trailer=trailer, paging=paging, level=2)
        path.write_bytes(data)
        sources: dict[str, Any] = {
            "path": path,
            "bytes": data,
            "bytearray": bytearray(data),
            "stream": io.BytesIO(data),
        }
        self.kind, self.path = kind, path
        self.inside: Callable[[], object] | None = None
        self.answers: list[object] = []
        self.file = numpact.open(
            sources[kind], threads=threads, progress=self.progress if has_progress else None
        )
        self.has_progress = has_progress
        self.is_closed = self.is_replaced = False

    def progress(self, _: numpact.Progress) -> None:
        call, self.inside = self.inside, None
        if call is not None:
            self.answers.append(outcome_of(call))

    # ---- calls ----

    def call(self, name: str, a: int, b: int, step: int) -> tuple[Callable[[], Any], Any]:
        """A call, and what it gives if it is fine: an array, or the class of an error."""
        file, n = self.file, len(NUMBERS)
        if name == "slice":
            step = step or 1
            return lambda: file[a:b:step], NUMBERS[a:b:step]
        if name == "index":
            expected_value: Any = NUMBERS[a] if -n <= a < n else IndexError
            return lambda: file[np.int64(a)], expected_value
        if name == "read":
            is_fine = a >= 0 and b >= 0 and a + b <= n
            return lambda: file.read(a, b), NUMBERS[a : a + b] if is_fine else ValueError
        if name == "read_into":
            count = abs(b) % 3000
            out = np.empty(count, np.int64)
            is_fine = 0 <= a <= n - count
            expected_value = NUMBERS[a : a + count] if is_fine else ValueError
            return lambda: (file.read_into(a, out), out)[1], expected_value
        if name == "all":
            return lambda: np.concatenate(list(file)), NUMBERS
        if name == "len":
            return lambda: len(file), n
        return file.close, None

    def check(self, outcome: Any, expected_value: Any, may_be_closed: bool) -> None:
        if isinstance(outcome, Exception):
            is_closed = may_be_closed and "closed" in str(outcome)
            is_wrong = isinstance(expected_value, type) and isinstance(outcome, expected_value)
            assert is_closed or is_wrong, outcome
            return
        assert not isinstance(expected_value, type), (outcome, expected_value)
        np.testing.assert_array_equal(outcome, expected_value)

    names = st.sampled_from(["slice", "index", "read", "read_into", "all", "len"])
    steps = st.integers(-300, 300)

    @rule(name=names, a=PLACES, b=PLACES, step=steps)
    def one(self, name: str, a: int, b: int, step: int) -> None:
        work, expected_value = self.call(name, a, b, step)
        self.check(outcome_of(work), expected_value, self.is_closed)

    @rule(
        calls=st.lists(st.tuples(names, PLACES, PLACES, steps), min_size=2, max_size=4),
        closes=st.sampled_from([False, False, False, True]),
    )
    def at_once(self, calls: list[tuple[str, int, int, int]], closes: bool) -> None:
        made = [self.call(*call) for call in calls]
        works = [work for work, _ in made] + ([self.file.close] if closes else [])
        outcomes = in_threads(works)
        for (_, expected_value), outcome in zip(made, outcomes, strict=False):
            self.check(outcome, expected_value, self.is_closed or closes)
        if closes:
            assert outcomes[-1] is None
            self.is_closed = True

    @precondition(lambda self: HAS_FORK)
    @rule(name=names, a=PLACES, b=PLACES, step=steps, is_busy=st.booleans())
    def child(self, name: str, a: int, b: int, step: int, is_busy: bool) -> None:
        work, expected_value = self.call(name, a, b, step)

        def look() -> None:
            self.check(outcome_of(work), expected_value, self.is_closed)
            self.file.close()

        if not is_busy:
            assert in_child(look) == "fine"
            return
        outcomes: list[Any] = []
        other, expected = self.call("all", 0, 0, 1)
        with beside(other, outcomes):
            assert in_child(look) == "fine"
        self.check(outcomes[0], expected, self.is_closed)

    @precondition(lambda self: self.has_progress and not self.is_closed)
    @rule(name=st.sampled_from(["close", "len", "slice"]))
    def inside_of_the_walk(self, name: str) -> None:
        before = len(self.answers)
        self.inside = self.call(name, 0, 100, 1)[0]
        assert len(self.file) == len(NUMBERS)
        self.inside = None
        for answer in self.answers[before:]:
            assert isinstance(answer, numpact.InvalidArgumentError), answer

    @precondition(lambda self: not self.has_progress)
    @rule()
    def pickled(self) -> None:
        outcome = outcome_of(lambda: pickle.loads(pickle.dumps(self.file)))
        if self.kind != "path":
            assert isinstance(outcome, TypeError), outcome
        elif not self.is_replaced:
            np.testing.assert_array_equal(outcome[5:50], NUMBERS[5:50])

    @rule()
    def replaced(self) -> None:
        """A mapped file does not change."""
        beside_it = self.folder / "b.pco"
        beside_it.write_bytes(OLD)
        beside_it.rename(self.path)
        self.is_replaced = True

    @rule(really=st.sampled_from([False, False, True]))
    def close(self, really: bool) -> None:
        if really:
            self.file.close()
            self.is_closed = True

    def finish(self) -> None:
        if hasattr(self, "file"):
            self.file.close()


test_states = make_test({"writer": WriterStates, "file": FileStates})
