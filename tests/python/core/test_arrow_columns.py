# SPDX-License-Identifier: Apache-2.0
"""Columns of the libraries that speak Arrow, with and without nulls."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pytest

import numpact

pa = pytest.importorskip("pyarrow")

TYPES = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
    pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.date32(), pa.date64(),
    pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"), pa.timestamp("s"),
    pa.timestamp("ns", "Europe/Berlin"), pa.duration("ms"),
]  # fmt: skip


def column(type: Any, n: int = 200, nulls: str = "some") -> Any:
    rng = np.random.default_rng(n)
    mask = {
        "none": np.zeros(n, bool),
        "some": rng.random(n) < 0.3,
        "most": rng.random(n) < 0.97,
        "all": np.ones(n, bool),
    }[nulls]
    if type == pa.bool_():
        return pa.array(rng.random(n) < 0.5, type, mask=mask)
    if type == pa.float16():
        return pa.array(rng.normal(size=n).astype(np.float16), type, mask=mask)
    if type == pa.date64():
        return (
            pa.array(rng.integers(0, 30000, n), pa.int64(), mask=mask)
            .cast(pa.int32())
            .view(pa.date32())
            .cast(type)
        )
    values = pa.array(rng.integers(0, 100, n), pa.int64(), mask=mask)
    if pa.types.is_temporal(type):
        return values.cast(pa.int32() if type.bit_width == 32 else pa.int64()).view(type)
    return values.cast(type)


def back(x: Any) -> Any:
    return pa.array(numpact.decompress_arrow(numpact.compress_arrow(x)))


@pytest.mark.parametrize("type", TYPES, ids=str)
@pytest.mark.parametrize("nulls", ["none", "some", "most", "all"])
@pytest.mark.parametrize("n", [0, 1, 200])
def test_a_column_comes_back(type: Any, nulls: str, n: int) -> None:
    values = column(type, n, nulls)
    found = back(values)
    found.validate(full=True)
    assert found.type == type
    assert found.equals(values)


@pytest.mark.parametrize("first", [0, 1, 7, 8, 63, 64, 65])
@pytest.mark.parametrize("count", [0, 1, 9, 100])
def test_slices(first: int, count: int) -> None:
    for type in (pa.int32(), pa.bool_(), pa.float64()):
        part = column(type)[first : first + count]
        assert back(part).equals(part)
        table = pa.table({"x": column(type)})[first : first + count]
        assert back(table).equals(part)
        batch = pa.record_batch({"x": column(type)})[first : first + count]
        assert back(batch).equals(part)
        dense = column(type, nulls="none")[first : first + count]
        found = numpact.decompress(numpact.compress(dense))
        assert found.tolist() == dense.cast(pa.float64()).to_pylist()


def test_nulls_in_front_and_behind() -> None:
    for pattern in ("n", "v", "nv", "vn", "nvn", "vnv", "nnvv" * 5, "v" * 70 + "n" * 70):
        values = pa.array([None if c == "n" else i for i, c in enumerate(pattern)], pa.int64())
        assert back(values).equals(values)


def test_blocks_with_and_without_nulls() -> None:
    chunks = pa.chunked_array([[1, 2], [], [None, 3], [4]], pa.int16())
    assert back(chunks).equals(chunks.combine_chunks())
    nothing = pa.chunked_array([], pa.float16())
    assert back(nothing).equals(pa.array([], pa.float16()))
    assert numpact.decompress(numpact.compress(nothing)).dtype == np.float16
    struct = pa.chunked_array([pa.array([{"a": 1}, {"a": None}]), pa.array([{"a": 3}])])
    assert back(struct).to_pylist() == [1, None, 3]


@pytest.mark.parametrize(
    "x",
    [
        pa.array(["a"]), pa.array(["a"], pa.string_view()), pa.array([b"ab"], pa.binary(2)),
        pa.array([[1]]), pa.array([[1, 2]], pa.list_(pa.int32(), 2)), pa.nulls(3),
        pa.array([1, 1]).dictionary_encode(), pa.array([decimal.Decimal("1.5")]),
        pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
        pa.RunEndEncodedArray.from_arrays([2], [5]),
        pa.array([{"a": [1]}]), pa.array([{"a": {"b": 1}}]),
    ],
    ids=lambda x: str(x.type),
)  # fmt: skip
def test_columns_of_other_things(x: Any) -> None:
    for compress in (numpact.compress, numpact.compress_arrow):
        with pytest.raises(numpact.TypeMismatchError, match="Arrow column"):
            compress(x)


def test_objects_that_are_no_columns() -> None:
    for x in ([1, None], np.arange(3), None, pa.scalar(5)):
        with pytest.raises(numpact.TypeMismatchError, match="not an Arrow column"):
            numpact.compress_arrow(x)


def test_tables_of_several_columns() -> None:
    for table in (pa.table({}), pa.table({"a": [1], "b": [2]})):
        for compress in (numpact.compress, numpact.compress_arrow):
            with pytest.raises(numpact.InvalidArgumentError, match="columns"):
                compress(table)


def test_null_rows_of_a_table_are_not_dropped() -> None:
    rows = pa.array([{"a": 1}, None, {"a": 3}])
    for part in (rows, rows[1:], rows[1:2]):
        with pytest.raises(numpact.InvalidArgumentError, match="null"):
            numpact.compress_arrow(part)
    assert back(rows[2:]).to_pylist() == [3]


def test_nulls_need_compress_arrow() -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="1 nulls: compress_arrow"):
        numpact.compress(pa.array([1, None]))


def test_a_failing_stream_says_why() -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": [1]})
        raise KeyError("gone")

    schema = pa.schema({"a": pa.int64()})
    with pytest.raises(numpact.InputOutputError, match="gone") as caught:
        numpact.compress_arrow(pa.RecordBatchReader.from_batches(schema, batches()))
    assert isinstance(caught.value, OSError)


def test_streams_are_read_without_the_gil() -> None:
    import threading

    def batches() -> Any:
        # Another thread has to run Python before the next piece comes.
        for i in range(3):
            helper = threading.Thread(target=lambda: None)
            helper.start()
            helper.join(10)
            assert not helper.is_alive()
            yield pa.record_batch({"a": [i]})

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    assert numpact.decompress(numpact.compress(reader)).tolist() == [0, 1, 2]


def test_the_result_by_itself() -> None:
    found = numpact.decompress_arrow(numpact.compress_arrow(pa.array([1.5, None])))
    assert repr(found) == "<numpact.ArrowArray of 2 (g), 1 nulls>"
    assert found.format == "g"
    assert len(found) == 2
    assert found.null_count == 1
    assert found.values.tolist() == [1.5, 0]
    assert found.validity is not None
    assert found.validity.tolist() == [True, False]
    assert found.to_numpy(-1).tolist() == [1.5, -1]
    with pytest.raises(numpact.InvalidArgumentError, match="fill_value"):
        np.asarray(found)
    for part in (found.values, found.validity):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 0


@pytest.mark.parametrize(
    ("type", "dtype"),
    [
        (pa.bool_(), "?"), (pa.date32(), "M8[D]"), (pa.date64(), "M8[ms]"),
        (pa.timestamp("us"), "M8[us]"), (pa.timestamp("ns", "UTC"), "M8[ns]"),
        (pa.duration("s"), "m8[s]"), (pa.time64("ns"), "i8"), (pa.time32("s"), "i4"),
        (pa.float16(), "f2"),
    ],
    ids=str,
)  # fmt: skip
def test_the_result_as_numpy(type: Any, dtype: str) -> None:
    values = column(type, nulls="none")
    found = numpact.decompress_arrow(numpact.compress_arrow(values))
    array = np.asarray(found)
    assert array.dtype == np.dtype(dtype)
    raw = values.cast(pa.uint8()) if type == pa.bool_() else values
    expected = raw if type in (pa.bool_(), pa.float16()) else raw.view(f"int{type.bit_width}")
    assert array.astype("f8" if dtype == "f2" else "i8").tolist() == expected.to_pylist()


def test_a_plain_file_is_a_column_too() -> None:
    found = pa.array(numpact.decompress_arrow(numpact.compress(np.arange(5, dtype=np.int16))))
    assert found.equals(pa.array(range(5), pa.int16()))


def test_the_result_outlives_what_it_came_from() -> None:
    import gc

    arrays = [back(column(pa.int64(), 10_000)) for _ in range(5)]
    gc.collect()
    assert all(array.equals(column(pa.int64(), 10_000)) for array in arrays)


def test_an_exported_capsule_that_nobody_takes_is_freed() -> None:
    resource = pytest.importorskip("resource")
    found = numpact.decompress_arrow(numpact.compress_arrow(column(pa.int64(), 100_000)))
    before = 0
    for i in range(60):
        for _ in range(5):
            found.__arrow_c_array__()
        if i == 10:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


# ---- other libraries ----


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    for values in (
        pl.Series([1, None, 3]),
        pl.Series(range(100)).slice(3, 40),
        pl.Series([1.5]).append(pl.Series([None, 2.5], dtype=pl.Float64)),
        pl.Series([True, None, False]),
        pl.Series([datetime.date(2020, 1, 1), None]),
        pl.Series([], dtype=pl.UInt8),
    ):
        found = pl.Series(numpact.decompress_arrow(numpact.compress_arrow(values)))
        assert found.dtype == values.dtype
        assert found.to_list() == values.to_list()
        assert back(pl.DataFrame({"a": values})).to_pylist() == values.to_list()


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    found = numpact.compress(duckdb.sql("select range as a from range(5000)"))
    np.testing.assert_array_equal(numpact.decompress(found), np.arange(5000))
    assert back(duckdb.sql("select unnest([1, null, 3]) as a")).to_pylist() == [1, None, 3]


def test_nanoarrow() -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    for values in (
        nanoarrow.c_array([1, None, 3], nanoarrow.int32()),
        nanoarrow.Array([1, None, 3], nanoarrow.int32()),
    ):
        assert back(values).to_pylist() == [1, None, 3]


def test_pandas_columns_of_numpy_arrays_keep_their_bits() -> None:
    pd = pytest.importorskip("pandas")
    nan = pd.Series([1.0, np.nan, 3.0])
    assert numpact.decompress(numpact.compress(nan)).tobytes() == nan.to_numpy().tobytes()
    times = pd.Series(np.array(["2020-01-01", "NaT"], "M8[s]"))
    assert numpact.decompress(numpact.compress(times)).tolist() == [1577836800, -(2**63)]
    for x in (pd.Index([1, 2]), pd.RangeIndex(2), pd.Series([1, 2], dtype="int8")[::-1]):
        assert numpact.decompress(numpact.compress(x)).tolist() == x.tolist()
    with pytest.raises(numpact.TypeMismatchError):
        numpact.compress(pd.Series([1, "a"], dtype=object))


def test_data_arrays_of_xarray_are_their_numbers() -> None:
    """Since 2026.9 they export Arrow streams, too, in which NaN could be null."""
    xr = pytest.importorskip("xarray")
    numbers = np.array([1.0, np.nan, -0.0] * 500)
    numbers.view("u8")[1] = 0x7FF8_0000_0000_1234
    assert numpact.compress(xr.DataArray(numbers)) == numpact.compress(numbers)


def test_pandas_columns_with_nulls() -> None:
    pd = pytest.importorskip("pandas")
    for x in (pd.Series([1, None], dtype="Int64"), pd.array([1, None], dtype="Int64")):
        with pytest.raises(numpact.InvalidArgumentError, match="1 nulls"):
            numpact.compress(x)
    dense = pd.array([1, 2], dtype="Int16")
    assert numpact.decompress(numpact.compress(dense)).dtype == np.int16
    assert back(pd.Series([1, None], dtype="Int64")).to_pylist() == [1, None]
    assert back(pd.DataFrame({"a": [1.5, np.nan]})).to_pylist() == [1.5, None]


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")

    def missing(*_: object, **__: object) -> None:
        raise ImportError("pyarrow")

    monkeypatch.setattr(pd.Series, "__arrow_c_stream__", missing)
    assert numpact.decompress(numpact.compress(pd.Series([1.5, 2]))).tolist() == [1.5, 2]
    assert numpact.decompress(numpact.compress(pd.Series([1], dtype="Int64"))).tolist() == [1]
    with pytest.raises(numpact.InvalidArgumentError, match="1 nulls"):
        numpact.compress(pd.Series([1, None], dtype="Int64"))
    with pytest.raises(ImportError, match="pyarrow"):
        numpact.compress_arrow(pd.Series([1.5, 2]))
