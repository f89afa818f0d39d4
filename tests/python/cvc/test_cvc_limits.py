# SPDX-License-Identifier: Apache-2.0
"""max_output and max_memory in every function that reads CVC files."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc

ROWS, DIMENSION = 1000, 8
BYTES = ROWS * DIMENSION * 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "a.cvc"
    cvc.pack_cvc(np.ones((ROWS, DIMENSION), "f4"), target, "pco", 100)
    return target


@pytest.fixture
def columns(tmp_path: Path) -> Path:
    target = tmp_path / "c.cvc"
    cvc.pack_cvc_columns({"a": np.ones((ROWS, 7), "f4"), "b": np.arange(ROWS, dtype="i8")}, target)
    return target


READS: dict[str, tuple[int, Callable[..., Any]]] = {
    "read": (BYTES, lambda r, **k: r.read(**k)),
    "read half": (BYTES // 2, lambda r, **k: r.read(dtype="float16", **k)),
    "read bfloat16": (BYTES // 2, lambda r, **k: r.read(dtype="bfloat16", **k)),
    "read some": (320, lambda r, **k: r.read(5, 10, **k)),
    "read into": (320, lambda r, **k: r.read(5, 10, out=np.empty((10, 8), "f4"), **k)),
    "ranges": (640, lambda r, **k: r.read_ranges([(0, 10), (5, 10)], **k)),
    "chunk": (3200, lambda r, **k: r.read_chunk(3, **k)),
    "gather": (96, lambda r, **k: r.gather([1, 1, 1], **k)),
    "verify": (BYTES, lambda r, **k: r.verify(**k)),
}


@pytest.mark.parametrize("name", READS)
def test_reads(path: Path, name: str) -> None:
    needed, call = READS[name]
    call(cvc.Reader(path, max_output=needed))
    call(cvc.Reader(path, max_output=1), max_output=needed)
    for options, limit in (({"max_output": needed - 1}, None), ({}, needed - 1), ({}, 0)):
        with pytest.raises(numpact.LimitExceededError):
            call(cvc.Reader(path, **options), **({} if limit is None else {"max_output": limit}))


def test_indices_and_codes(path: Path, tmp_path: Path) -> None:
    reader = cvc.Reader(path, max_output=320)
    assert reader[5].shape == (8,)
    assert reader[5:15].shape == (10, 8)
    assert reader[::100].shape == (10, 8)
    assert reader[[1, 2]].shape == (2, 8)
    for key in (slice(11), slice(None, None, 99), slice(None, None, -1), [0] * 11):
        with pytest.raises(numpact.LimitExceededError):
            reader[key]
    half = tmp_path / "h.cvc"
    cvc.pack_cvc(np.ones((100, 8), "f4"), half, "fp16")
    coded = cvc.Reader(half, max_output=160)
    assert coded.read_codes(0, 10)[0].shape == (10, 8)
    with pytest.raises(numpact.LimitExceededError):
        coded.read_codes(0, 11)
    with pytest.raises(numpact.LimitExceededError):
        coded.read_codes(0, 10, max_output=159)


def test_columns_count_together(columns: Path) -> None:
    reader = cvc.Reader(columns, max_output=ROWS * 36)
    assert len(reader.read_ranges([(0, ROWS)])) == 2
    with pytest.raises(numpact.LimitExceededError):
        cvc.Reader(columns, max_output=ROWS * 36 - 1).read_ranges([(0, ROWS)])
    with pytest.raises(numpact.LimitExceededError):
        cvc.load_cvc_columns(columns, max_output=ROWS * 36 - 1)
    assert set(cvc.load_cvc_columns(columns, ["b"], max_output=ROWS * 8)) == {"b"}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "load_cvc": cvc.load_cvc,
    "load_cvc_chunked": lambda path, **k: list(cvc.load_cvc_chunked(path, **k)),
    "load_cvc_range": lambda path, **k: cvc.load_cvc_range(path, [1, 2], **k),
    "validate_cvc_integrity": lambda path, **k: _raised(cvc.validate_cvc_integrity(path, **k)),
    "mapped": lambda path, **k: _mapped(path, **k),
    "mapped chunk": lambda path, **k: _mapped(path, 3, **k),
    "from_cvc": lambda path, **k: _from_dask(path, **k),
}


def _raised(answer: dict[str, Any]) -> None:
    if not answer["valid"]:
        raise numpact.LimitExceededError(answer["error"])


def _mapped(path: Path, chunk: int | None = None, **options: Any) -> Any:
    with cvc.MMapCVCLoader(path, **options) as loader:
        return loader.load() if chunk is None else loader.load_chunk(chunk)


def _from_dask(path: Path, **options: Any) -> Any:
    dask = pytest.importorskip("numpact.dask")
    return dask.from_cvc(path, **options).compute(scheduler="synchronous")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("limit", ["max_output", "max_memory"])
def test_functions(path: Path, name: str, limit: str) -> None:
    call = FUNCTIONS[name]
    call(path, **{limit: 10**6})
    with pytest.raises(numpact.LimitExceededError):
        call(path, **{limit: 100})


INFOS: dict[str, Callable[..., Any]] = {
    "Reader": cvc.Reader,
    "get_cvc_info": cvc.get_cvc_info,
    "detect_version": cvc.detect_version,
    "list_columns": cvc.list_columns,
    "validate_cvc": lambda path, **k: _raised2(cvc.validate_cvc(path, **k)),
    "validate_cvc_version": lambda path, **k: _raised(cvc.validate_cvc_version(path, **k)),
    "rename_column": lambda path, **k: cvc.rename_column(path, "a", "z", **k),
    "delete_column": lambda path, **k: cvc.delete_column(path, "a", **k),
    "add_column": lambda path, **k: cvc.add_column(path, "n", np.zeros(ROWS, "i4"), **k),
    "update_column": lambda path, **k: cvc.update_column(path, "b", np.zeros(ROWS, "i4"), **k),
}


def _raised2(answer: dict[str, Any]) -> None:
    if not answer["valid"]:
        raise numpact.LimitExceededError(answer["errors"][0])


@pytest.mark.parametrize("name", INFOS)
def test_headers(columns: Path, name: str) -> None:
    before = columns.read_bytes()
    with pytest.raises(numpact.LimitExceededError):
        INFOS[name](columns, max_memory=64)
    assert columns.read_bytes() == before
    INFOS[name](columns, max_memory=10**6)


def test_upgrades(path: Path, tmp_path: Path) -> None:
    with pytest.raises(numpact.LimitExceededError):
        cvc.upgrade_cvc(path, tmp_path / "new.cvc", max_memory=64)
    assert not (tmp_path / "new.cvc").exists()


def test_limits_travel_with_a_pickle(path: Path) -> None:
    reader = pickle.loads(pickle.dumps(cvc.Reader(path, max_output=100, max_memory=10**6)))
    with pytest.raises(numpact.LimitExceededError):
        reader.read()


@pytest.mark.parametrize("limit", [-1, "", "12", b"1", True, 1.5, float("nan"), float("inf"), []])
@pytest.mark.parametrize("name", ["max_output", "max_memory"])
def test_limits_that_are_none(path: Path, limit: Any, name: str) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match=name):
        cvc.Reader(path, **{name: limit})
    if name == "max_output":
        with pytest.raises(numpact.InvalidArgumentError):
            cvc.Reader(path).read(max_output=limit)
        with pytest.raises(numpact.InvalidArgumentError):
            numpact.open(numpact.compress([1]), max_output=limit)
    cvc.Reader(path, **{name: 1e9}).read()


def test_absurd_claims_are_refused_before_memory_is_touched(tmp_path: Path) -> None:
    """A small file of equal values says that it holds 2**40 rows, or 2**62."""
    import json
    import struct
    import zlib

    with cvc.Writer(None, compression="lossless", chunk_size=100) as writer:
        writer.append(np.ones((100, 32), "f4"))
    data = writer.contents
    info = cvc.Reader(data).info
    record = data[info.header_bytes :]
    for rows in (1 << 40, 1 << 62):
        header = json.loads(info.header)
        header["num_vectors"] = header["chunks"][0]["rows"] = rows
        text = json.dumps(header).encode()
        claim = struct.pack("<4sHHI", b"CVCF", 1, 0, len(text)) + text + record
        assert zlib.crc32(record[8:]) == struct.unpack_from("<I", record, 4)[0]
        try:
            reader = cvc.Reader(claim)
        except numpact.Error:
            continue
        for key in (slice(None, None, 2), slice(None, None, -1), slice(None)):
            with pytest.raises((numpact.OutOfMemoryError, numpact.CorruptError)):
                reader[key]
        limited = cvc.Reader(claim, max_output=10**6)
        for key in (slice(None, None, 2), slice(None)):
            with pytest.raises(numpact.LimitExceededError):
                limited[key]
