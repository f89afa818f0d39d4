# SPDX-License-Identifier: Apache-2.0
"""``max_output`` and ``max_memory`` of the functions that read tables."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from table_bombs import DECODED, LONG, ROWS, SPREAD, folder_of

import numpact
from numpact._core import IpcSizes
from numpact._limits import MIN_DECODED_BYTES, Limits
from numpact._tables.sizes import bytes_of_rows, spread_bytes
from numpact.dask import from_pco_table

Refused = numpact.LimitExceededError
LIMITS = (
    {"max_output": 1 << 22},
    {"max_memory": 1 << 22},
    {"max_output": 1 << 22, "max_memory": 1e9},
)
# What a process may take more while it refuses, in KiB: what a column may take, and what libraries
# allocate when they are used first.
SUPPORT = Path(__file__).resolve().parents[2] / "support"
MARGIN = (MIN_DECODED_BYTES >> 10) + (20 << 10)


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def readers(folder: Path, **limits: Any) -> dict[str, Callable[[], Any]]:
    """The ways to the values of the column "s", or to all columns."""

    def opened() -> Any:
        return numpact.open_table(folder, **limits)

    return {
        "read_table": lambda: numpact.read_table(folder, **limits),
        "columns": lambda: numpact.read_table(folder, ["s"], **limits),
        "rows": lambda: numpact.read_table(folder, rows=(0, len(opened())), **limits),
        "where": lambda: numpact.read_table(folder, where="n >= 0", **limits),
        "column": lambda: opened()["s"],
        "slice": lambda: opened()[:].to_arrow(),
        "batches": lambda: list(opened().batches()),
        "stream": lambda: pa.table(opened()),
        "scan": lambda: numpact.scan_table(folder, **limits).collect(),
        "dask": lambda: from_pco_table(str(folder), dtype_backend="pyarrow", **limits).compute(),
    }


def _refuse_all(folders: list[str]) -> None:
    """Runs in a process of its own."""
    numpact.read_table(folders[0], ["n"])
    for folder in folders:
        before = peak()  # what libraries keep since earlier folders does not count
        for limits in LIMITS:
            for name, call in readers(Path(folder), **limits).items():
                if limits.get("max_memory") == 1e9 and name == "where":
                    continue  # decoded before it is counted
                kind = Path(folder).name
                if name == "batches" and kind == "decimal" and "max_output" not in limits:
                    continue  # a batch of decimals takes no more than this
                if name == "dask" and kind not in ("string", "binary", "decimal"):
                    continue  # pandas has not all types, nor has polars
                if name == "scan" and kind in ("run ends", "list of dictionaries"):
                    continue
                # A consumer of a stream has errors of its own.
                error = pa.ArrowInvalid if name == "stream" else Refused
                with pytest.raises(error, match=r"column 's': limit exceeded: .* raise max_"):
                    call()
        assert peak() - before < MARGIN, (folder, peak() - before)


def test_what_arrow_would_decode_is_counted_before(tmp_path: Path) -> None:
    folders = [folder_of(tmp_path / kind, make()) for kind, make in DECODED.items()]
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.arrow")) < 1 << 20
    words = [sys.executable, __file__, *map(str, folders)]
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("limits", LIMITS[:2])
@pytest.mark.parametrize("is_coded", [False, True])
def test_values_that_are_copied_count_as_often_as_they_are(
    is_coded: bool, limits: dict[str, int], tmp_path: Path
) -> None:
    kind = "dictionary of long text" if is_coded else "views of one text"
    folder = folder_of(tmp_path / "t", SPREAD[kind](), is_coded)
    for name, call in readers(folder, **limits).items():
        if name == "dask" and not is_coded:
            continue  # it cannot take from views
        with pytest.raises((Refused, pa.ArrowInvalid), match="column 's': limit exceeded"):
            call()
    if is_coded:  # a filter compares each text once
        assert len(numpact.read_table(folder, ["n"], where="s = 'x'", **limits)) == 0
    else:
        with pytest.raises(Refused):
            numpact.read_table(folder, ["n"], where="s = 'x'", **limits)
    size = ROWS * (len(LONG) + 16)
    assert len(numpact.read_table(folder, max_output=size + (1 << 21)).to_arrow()) == ROWS


def test_a_dictionary_counts_once(tmp_path: Path) -> None:
    array = SPREAD["dictionary of long text"]()
    folder = folder_of(tmp_path / "t", pa.chunked_array([array] * 3).combine_chunks())
    numpact.read_table(folder, max_output=3 * ROWS * (1 + 2) + 2000)
    with pytest.raises(Refused):
        numpact.read_table(folder, max_output=3 * ROWS * (1 + 2))
    # A filter compares each value once.
    assert len(numpact.read_table(folder, ["n"], where="s = 'x'", max_output=1 << 20)) == 0


CHUNKS, NUMBERS = 16, 1 << 24


@pytest.fixture(scope="module")
def zeros(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of few bytes: 2 GiB of numbers."""
    folder = tmp_path_factory.mktemp("zeros") / "t"
    numpact.write_table({"n": np.zeros(1, "i8")}, folder)
    (folder / "n.pco").unlink()
    with numpact.Writer(folder / "n.pco", "int64", paging=NUMBERS) as writer:
        block = np.zeros(NUMBERS, "i8")
        for _ in range(CHUNKS):
            writer.write(block)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"count": 1', f'"count": {CHUNKS * NUMBERS}'))
    return folder


def test_numbers_are_counted_by_the_manifest(zeros: Path) -> None:
    assert (zeros / "n.pco").stat().st_size < 1 << 16
    before = peak()
    for limits in ({"max_output": 1 << 20}, {"max_memory": 1 << 20}):
        opened = numpact.open_table(zeros, **limits)
        calls: list[Callable[[], Any]] = [
            lambda limits=limits: numpact.read_table(zeros, **limits),
            lambda limits=limits: numpact.read_table(zeros, where="n = 0", **limits),
            lambda opened=opened: opened["n"],
            lambda opened=opened: opened.read(),
            lambda opened=opened: list(opened.batches(batch_rows=1 << 18)),
            lambda opened=opened: pa.table(opened),
            lambda limits=limits: numpact.scan_table(zeros, **limits).collect(),
            lambda limits=limits: from_pco_table(str(zeros), **limits).compute(),
        ]
        for call in calls:
            with pytest.raises(
                (Refused, pa.ArrowInvalid), match=r"n\.pco: column 'n': limit exceeded"
            ):
                call()
        # Windows count what they produce.
        assert opened[5 : 5 + (1 << 17)]["n"].to_numpy().sum() == 0
        assert len(opened.read(rows=(0, 1 << 17))) == 1 << 17
    assert peak() - before < 200 << 10


def test_a_result_of_exactly_the_limit_is_given(tmp_path: Path) -> None:
    table = {"a": np.arange(1000), "b": pa.array([None, *range(999)], pa.int16())}
    numpact.write_table(table, tmp_path / "t")
    calls = (
        lambda **limits: numpact.read_table(tmp_path / "t", **limits),
        lambda **limits: pa.table(numpact.open_table(tmp_path / "t", **limits)),
        lambda **limits: numpact.scan_table(tmp_path / "t", **limits).collect(),
        lambda **limits: from_pco_table(str(tmp_path / "t"), **limits).compute(),
    )
    for call in calls:
        assert len(call(max_output=10_000)) == 1000
        assert len(call(max_memory=8_000)) == 1000
        for wrong in ({"max_output": 9_999}, {"max_memory": 7_999}):
            with pytest.raises((Refused, pa.ArrowInvalid), match="raise max_"):
                call(**wrong)
    opened = numpact.open_table(tmp_path / "t", max_output=1000)
    assert len(opened[:100].read()) == len(opened.read(rows=(900, 1000))) == 100
    # Of the rows that are searched, only those that match count.
    assert len(opened.read(where="a < 100")) == 100
    assert len(opened.read(["b"], where="a < 500")) == 500
    with pytest.raises(Refused):
        opened.read(where="a <= 100")


def test_scans_count_rows_that_match(tmp_path: Path) -> None:
    import polars as pl

    texts = [f"text {i}" for i in range(1000)]
    numpact.write_table({"a": np.arange(1000), "s": texts}, tmp_path / "t")
    frame = numpact.scan_table(tmp_path / "t", max_output=500)
    assert frame.filter(pl.col("s") == "text 7").collect()["a"].to_list() == [7]
    assert frame.filter(pl.col("a") < 20).collect()["s"].to_list() == texts[:20]
    with pytest.raises(Refused):
        frame.filter(pl.col("a") < 50).collect()
    with pytest.raises(Refused):
        frame.filter(pl.col("s") != "").collect()


def test_streams_count_all_batches_and_max_memory_counts_each(tmp_path: Path) -> None:
    numpact.write_table({"a": np.arange(1000)}, tmp_path / "t")
    opened = numpact.open_table(tmp_path / "t", max_memory=800)
    assert sum(map(len, opened.batches(batch_rows=100))) == 1000
    with pytest.raises(Refused):
        list(opened.batches(batch_rows=101))
    with pytest.raises(Refused):
        list(numpact.open_table(tmp_path / "t", max_output=7999).batches(batch_rows=100))


def test_positions_of_nulls_are_counted(tmp_path: Path) -> None:
    rows = 1 << 21
    array = pa.array(np.arange(rows).astype("i2"), mask=np.arange(rows) % 2 == 0)
    numpact.write_table({"a": array}, tmp_path / "t")
    with pytest.raises(Refused, match=r"a\.nulls\.pco: column 'a': limit exceeded"):
        numpact.read_table(tmp_path / "t", rows=(0, 5), max_memory=1 << 20)
    found = numpact.read_table(tmp_path / "t", rows=(0, 5), max_output=10)
    assert found.to_arrow()["a"].to_pylist() == [None, 1, None, 3, None]


@pytest.mark.parametrize("limit", ["1M", -1, 1.5, True])
def test_limits_are_counts_of_bytes(limit: Any, tmp_path: Path) -> None:
    for function in (numpact.read_table, numpact.open_table, numpact.scan_table, from_pco_table):
        for name in ("max_output", "max_memory"):
            with pytest.raises(numpact.InvalidArgumentError, match=name):
                function(str(tmp_path), **{name: limit})


def sizes_of(array: pa.Array, **options: Any) -> tuple[IpcSizes, pa.Array]:
    """Of a file of an array, and the array as it is read back."""
    sink = pa.BufferOutputStream()
    schema = pa.schema([pa.field("s", array.type)])
    with pa.ipc.new_file(sink, schema, options=pa.ipc.IpcWriteOptions(**options)) as file:
        file.write_batch(pa.RecordBatch.from_arrays([array], schema=schema))
    content = sink.getvalue().to_pybytes()
    sizes = IpcSizes(lambda start, stop: content[start:stop], len(content))
    return sizes, pa.ipc.open_file(pa.py_buffer(content)).get_batch(0).column(0)


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
@pytest.mark.parametrize("kind", [*DECODED, *SPREAD])
def test_messages_tell_what_a_batch_takes(kind: str, compression: str | None) -> None:
    array = {**DECODED, **SPREAD}[kind]()[:ROWS]
    sizes, read = sizes_of(array, compression=compression)
    total = sizes.batch(0) + sizes.dictionaries()
    assert total == pytest.approx(read.get_total_buffer_size(), rel=0.01, abs=200)
    old, _ = sizes_of(array, compression=compression, use_legacy_format=True)
    assert old.batch(0) + old.dictionaries() == total


def test_messages_that_are_damaged_are_refused() -> None:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, pa.schema({"s": pa.string()}), options=options) as file:
        file.write_batch(pa.record_batch({"s": ["a" * 99, "b"]}))
    good = sink.getvalue().to_pybytes()
    for at in range(len(good)):
        for value in (0, 127, 255):
            bad = good[:at] + bytes([value]) + good[at + 1 :]
            try:
                sizes = IpcSizes(lambda start, stop, bad=bad: bad[start:stop], len(bad))
                sizes.batch(0)
                sizes.dictionaries()
            except (numpact.CorruptError, IndexError):
                pass


def test_rows_of_arrays_are_counted_without_the_others() -> None:
    texts = pa.array(["abc", None, "de", ""] * 100)
    assert bytes_of_rows(texts[4:8]) == 4 * 4 + 1 + 5
    views = texts.cast(pa.string_view())
    assert spread_bytes(views[4:7]) == 5
    assert bytes_of_rows(views[4:7]) == 3 * 16 + 5
    coded = texts.dictionary_encode()
    assert spread_bytes(coded[4:8]) == 5
    assert bytes_of_rows(coded[4:8]) == 4 * 4 + 1
    nested = pa.ListArray.from_arrays([0, 4, 400], coded)
    assert bytes_of_rows(nested) < 400 * 4 + 100
    numbers = pa.array([1, 2, 1]).dictionary_encode()
    assert spread_bytes(numbers) == 3 * 8


def test_limits_without_a_limit_allow_everything() -> None:
    assert not Limits()
    assert not Limits().budget()
    Limits().check_decoded(1 << 80, "x")
    Limits().budget().take(1 << 80, "x")


if __name__ == "__main__":
    _refuse_all(sys.argv[1:])
