# SPDX-License-Identifier: Apache-2.0
"""The same calls give the same values, or errors of the same kind."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from drop_in_calls import CALLS, names

import numpact
import numpact.pcodec as ours

# Errors that programs can distinguish. The first that fits: numpact's classes are several at once.
KINDS = (TypeError, OverflowError, AttributeError, RuntimeError)


def kind_of(error: Exception) -> type[Exception]:
    return next((kind for kind in KINDS if isinstance(error, kind)), type(error))


def outcome(call: str, where: dict[str, Any]) -> tuple[str, Any, Exception | None]:
    try:
        value = eval(call, where)
    except Exception as error:
        return "raises", kind_of(error), error
    if isinstance(value, np.ndarray):
        value = (value.dtype, value.tobytes())
    return "gives", value, None


@pytest.fixture(scope="module")
def theirs(reference: Any) -> dict[str, Any]:
    return names(reference)


@pytest.fixture(scope="module")
def mine() -> dict[str, Any]:
    return names(ours)


@pytest.mark.parametrize("call", CALLS)
def test_as_the_reference(call: str, mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    expected_how, expected, expected_error = outcome(call, theirs)
    how, got, error = outcome(call, mine)
    assert how == expected_how, error or expected_error
    if how == "raises" and expected is RuntimeError:
        # Programs that catch this catch ours, which may be TypeErrors as well.
        assert isinstance(error, RuntimeError)
    else:
        assert got == expected


# Calls that Python itself refuses: no errors of numpact.
PYTHONS_OWN = ("takes no", "missing", "unexpected keyword", "positional argument", "has no")


@pytest.mark.parametrize("call", CALLS)
def test_errors_are_of_numpact(call: str, mine: dict[str, Any]) -> None:
    how, _, error = outcome(call, mine)
    if how == "raises" and not any(words in str(error) for words in PYTHONS_OWN):
        assert isinstance(error, (numpact.Error, AttributeError)), repr(error)
        assert str(error)


# ---- what differs, as docs/pcodec-drop-in.md says ----

DIFFERENT = {
    "back(x, C(paging_spec=S.equal_pages_up_to(0)))": numpact.InvalidArgumentError,
    "back(x, C(paging_spec=S.exact_page_sizes([1 << 63, 1 << 63, 1000])))": (
        numpact.InvalidArgumentError
    ),
    "files.chunk_compressor(x, C(paging_spec=S.equal_pages_up_to(0)))": (
        numpact.InvalidArgumentError
    ),
    "files.chunk_compressor(x, C(paging_spec=S.exact_page_sizes([1 << 63, 1 << 63, 1000])))": (
        numpact.InvalidArgumentError
    ),
    "into(f, np.frombuffer(bytes(8000), np.int64))": numpact.InvalidArgumentError,
    "page_into(page, 1000, np.frombuffer(bytes(8000), np.int64))": numpact.InvalidArgumentError,
    "page_into(page, (1 << 24) + 1, d[:768])": numpact.InvalidArgumentError,
}


@pytest.mark.parametrize("call", DIFFERENT)
def test_errors_instead_of_panics(call: str, mine: dict[str, Any]) -> None:
    with pytest.raises(DIFFERENT[call]):
        eval(call, mine)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_more_kinds_of_bytes(kind: Any, mine: dict[str, Any]) -> None:
    x, chunk = mine["x"], mine["chunk"]
    np.testing.assert_array_equal(ours.standalone.simple_decompress(kind(mine["f"])), x)
    out = np.zeros_like(x)
    assert ours.standalone.simple_decompress_into(kind(mine["f"]), out).finished
    np.testing.assert_array_equal(out, x)
    reader, _ = ours.wrapped.FileDecompressor.new(kind(b"\x04\x01"))
    decoder, _ = reader.chunk_decompressor(kind(chunk.write_meta()), "i64")
    out[:] = 0
    decoder.read_page_into(kind(chunk.write_page(0)), 1000, out)
    np.testing.assert_array_equal(out, x)


def test_more_numbers_than_a_chunk_holds() -> None:
    x = np.zeros((1 << 24) + 1, np.uint16)
    config = ours.ChunkConfig(0, paging_spec=ours.PagingSpec.equal_pages_up_to(1 << 25))
    file = ours.standalone.simple_compress(x, config)
    np.testing.assert_array_equal(ours.standalone.simple_decompress(file), x)


def test_specs_are_values() -> None:
    specs = [
        ours.ModeSpec.auto(),
        ours.ModeSpec.try_int_mult(60),
        ours.ModeSpec.try_int_mult(61),
        ours.ModeSpec.try_float_mult(0.1),
        ours.DeltaSpec.auto(),
        ours.DeltaSpec.try_conv1(3),
        ours.PagingSpec.equal_pages_up_to(3),
        ours.PagingSpec.exact_page_sizes([3, 4]),
    ]
    assert len(set(specs)) == len(specs)
    for spec in specs:
        for same in (pickle.loads(pickle.dumps(spec)), copy.copy(spec), copy.deepcopy(spec)):
            assert same == spec
            assert hash(same) == hash(spec)
            assert type(same) is type(spec)
        assert eval(f"ours.{spec!r}") == spec
    mode, paging = ours.ModeSpec.try_int_mult(60), ours.PagingSpec.exact_page_sizes([3, 4])
    config = ours.ChunkConfig(3, mode, ours.DeltaSpec.no_op(), paging, True)
    assert repr(pickle.loads(pickle.dumps(config))) == repr(config)
    assert "try_int_mult(60)" in repr(config)


def test_specs_in_calls_of_numpact() -> None:
    x = np.random.default_rng(1).integers(0, 1000, 5000) * 60
    file = numpact.compress(
        x,
        mode=numpact.ModeSpec.try_int_mult(60),
        delta=numpact.DeltaSpec.no_op(),
        paging=numpact.PagingSpec.exact_page_sizes([2000, 3000]),
    )
    chunks = numpact.inspect(file).chunks
    assert [(chunk.mode, chunk.delta, chunk.count) for chunk in chunks] == [
        ("int-mult=60", "none", 2000),
        ("int-mult=60", "none", 3000),
    ]
    np.testing.assert_array_equal(numpact.decompress(file), x)


def test_threads_share_objects() -> None:
    rng = np.random.default_rng(2)
    x = np.cumsum(rng.integers(-9, 9, 40_000))
    paging = ours.PagingSpec.equal_pages_up_to(1000)
    config = ours.ChunkConfig(paging_spec=paging)
    chunk = ours.wrapped.FileCompressor().chunk_compressor(x, config)
    reader, _ = ours.wrapped.FileDecompressor.new(b"\x04\x01")
    decoder, _ = reader.chunk_decompressor(chunk.write_meta(), "i64")
    file = ours.standalone.simple_compress(x, config)

    def work(index: int) -> bool:
        page = np.zeros(1000, np.int64)
        decoder.read_page_into(chunk.write_page(index), 1000, page)
        if index % 10 == 0 and ours.standalone.simple_compress(x, config) != file:
            return False
        whole = ours.standalone.simple_decompress(file)
        assert whole is not None
        return np.array_equal(whole, x) and np.array_equal(page, x[index * 1000 :][:1000])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(40)))


def test_a_call_leaves_no_reference_behind(mine: dict[str, Any]) -> None:
    x, f = mine["x"], mine["f"]
    before = sys.getrefcount(x), sys.getrefcount(f)
    for _ in range(10):
        ours.standalone.simple_compress(x, ours.ChunkConfig())
        ours.standalone.simple_decompress_into(f, x)
    assert (sys.getrefcount(x), sys.getrefcount(f)) == before
