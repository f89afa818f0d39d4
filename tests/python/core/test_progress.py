# SPDX-License-Identifier: Apache-2.0
"""Progress: bars, functions, and stopping."""

from __future__ import annotations

import inspect
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import numpact

NUMBERS = np.arange(5000) % 99
PACKED = numpact.compress(NUMBERS, paging=500)
LARGE = np.random.default_rng(0).integers(0, 99, 900_000)
LARGE_PACKED = numpact.compress(LARGE, level=1)

WORK = {
    "compress": (lambda p: numpact.compress(NUMBERS, paging=500, progress=p), NUMBERS.size),
    "decompress": (lambda p: numpact.decompress(PACKED, progress=p), NUMBERS.size),
    "threads": (lambda p: numpact.decompress(LARGE_PACKED, threads=2, progress=p), LARGE.size),
    "into": (
        lambda p: numpact.decompress_into(PACKED, np.empty(5000, int), progress=p), NUMBERS.size,
    ),
    "open": (lambda p: len(numpact.open(LARGE_PACKED, progress=p)), LARGE.size),
    "compress_arrow": (
        lambda p: numpact.compress_arrow(
            pytest.importorskip("pyarrow").array(NUMBERS), paging=500, progress=p
        ),
        NUMBERS.size,
    ),
}  # fmt: skip


@pytest.fixture(params=WORK)
def work(request: pytest.FixtureRequest) -> Any:
    return WORK[request.param]


def test_a_function_receives_the_progress(work: Any) -> None:
    call, total = work
    reported: list[numpact.Progress] = []
    call(reported.append)
    assert reported
    assert all(a.numbers <= b.numbers and a.bytes <= b.bytes for a, b in pairwise(reported))
    assert reported[-1].numbers == total
    assert reported[-1].bytes > 0


def test_false_stops(work: Any) -> None:
    call, _ = work
    for answer in (False, np.False_):
        calls: list[object] = []

        def stop(p: object, answer: Any = answer, calls: list[object] = calls) -> Any:
            calls.append(p)
            return answer

        with pytest.raises(numpact.CancelledError):
            call(stop)
        assert len(calls) == 1


@pytest.mark.parametrize("answer", [None, True, 0, "", [], np.True_])
def test_other_answers_go_on(answer: Any) -> None:
    assert numpact.compress(NUMBERS, paging=500, progress=lambda _: answer) == PACKED


@pytest.mark.parametrize("kind", [KeyError, KeyboardInterrupt, SystemExit, numpact.CancelledError])
def test_exceptions_pass_through(work: Any, kind: type[BaseException]) -> None:
    call, _ = work
    error = kind("mine")

    def fail(_: object) -> None:
        raise error

    with pytest.raises(kind) as caught:
        call(fail)
    assert caught.value is error


def test_exceptions_leave_nothing_behind() -> None:
    def fail(_: object) -> None:
        raise KeyError

    references = sys.getrefcount(fail)
    for _ in range(30):
        with pytest.raises(KeyError):
            numpact.decompress(PACKED, progress=fail)
        with pytest.raises(KeyError):
            numpact.compress(NUMBERS, paging=500, progress=fail)
    assert sys.getrefcount(fail) == references
    np.testing.assert_array_equal(numpact.decompress(PACKED), NUMBERS)


def test_a_bar_ends_full(work: Any) -> None:
    call, total = work
    tqdm = pytest.importorskip("tqdm")
    with tqdm.tqdm(total=total, disable=None, file=open("/dev/null", "w")) as bar:
        steps: list[int] = []
        bar.update = steps.append
        call(bar)
    assert sum(steps) == total
    assert min(steps) >= 0


def test_a_bar_of_its_own(work: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    call, _ = work
    call(True)
    assert "100%" in capsys.readouterr().err


def test_a_bar_of_its_own_needs_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(numpact.InvalidArgumentError, match="tqdm"):
        numpact.compress(NUMBERS, progress=True)


def test_false_means_none() -> None:
    assert numpact.compress(NUMBERS, paging=500, progress=False) == PACKED


def test_a_second_attempt_does_not_go_back() -> None:
    """Where the header's claim is too small, decoding begins anew."""
    from test_outputs import _with_n_hint

    lying = _with_n_hint(LARGE_PACKED, LARGE.size - 1)
    reported: list[int] = []
    found = numpact.decompress(lying, progress=lambda p: reported.append(p.numbers))
    np.testing.assert_array_equal(found, LARGE)
    assert reported == sorted(reported)


def test_signatures_are_readable() -> None:
    for function in (numpact.compress, numpact.decompress, numpact.open, numpact.Writer):
        assert "progress" in inspect.signature(function).parameters or function is numpact.Writer
