# SPDX-License-Identifier: Apache-2.0
"""Frames of Dask whose partitions differ: one schema for all, their index, and what is left."""

from __future__ import annotations

import decimal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import numpact

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

from numpact.dask import from_pco_table, to_pco_table  # noqa: E402

D = decimal.Decimal


@pytest.fixture(autouse=True)
def in_this_thread() -> Iterator[None]:
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield


@pytest.fixture(params=["local", "store"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A folder that does not exist yet, of this machine or of a store."""
    if request.param == "local":
        yield str(tmp_path / "parts")
        return
    from fsspec.implementations.memory import MemoryFileSystem

    yield "memory://dask-parts/x"
    if MemoryFileSystem().exists("/dask-parts"):
        MemoryFileSystem().rm("/dask-parts", recursive=True)


def of(frames: list[pd.DataFrame], meta: pd.DataFrame | None = None) -> Any:
    """A frame of Dask with these partitions, as they are."""
    meta = frames[0].iloc[:0] if meta is None else meta
    return dd.from_map(lambda part: part, frames, meta=meta, enforce_metadata=False)


def columns(*values: Any) -> Any:
    return of([pd.DataFrame({"x": one}) for one in values])


def names_in(place: str) -> list[str]:
    import fsspec

    fs, path = fsspec.core.url_to_fs(place)
    fs.invalidate_cache()
    names = sorted(name.rpartition("/")[2] for name in fs.ls(path, detail=False))
    return [name for name in names if name != "dataset.json"]  # only after success


def cat(*values: Any, **options: Any) -> pd.Series:
    return pd.Series(pd.Categorical(list(values), **options))


def obj(*values: Any) -> pd.Series:
    return pd.Series(list(values), dtype=object)


def same(found: list[Any], expected: list[Any]) -> bool:
    def plain(value: Any) -> Any:
        if isinstance(value, (list, np.ndarray)):
            return [plain(item) for item in value]
        return None if pd.api.types.is_scalar(value) and pd.isna(value) else value

    return [plain(value) for value in found] == [plain(value) for value in expected]


def said(type: pa.DataType) -> str:
    """A type; which kind of text depends on the version of pandas."""
    return str(type).replace("large_string", "string")


UNLIKE: dict[str, tuple[list[Any], Any]] = {
    "text, None": ([obj("a", "b"), obj(None, None)], pa.string()),
    "None, text": ([obj(None, None), obj("a", "b")], pa.string()),
    "None, numbers": ([obj(None, None), pd.Series([1, 2])], pa.int64()),
    "numbers, None": ([pd.Series([1, 2]), obj(None, None)], pa.int64()),
    "None, booleans": ([obj(None), pd.Series([True])], pa.bool_()),
    "None, decimals, None": ([obj(None), obj(D("1.5")), obj(None)], pa.decimal128(2, 1)),
    "None alone": ([obj(None), obj(None, None)], pa.null()),
    "300 categories": (
        [cat(*(f"v{i}" for i in range(n))) for n in (50, 300, 4)],
        pa.dictionary(pa.int16(), pa.string()),
    ),
    "no categories": (
        [cat("a", "b"), cat(None, None)], pa.dictionary(pa.int8(), pa.string())),
    "no categories first": (
        [cat(None), cat(*map(str, range(200)))], pa.dictionary(pa.int16(), pa.string())),
    "categories of numbers": (
        [cat(1, 2), cat(*range(200))], pa.dictionary(pa.int16(), pa.int64())),
    "ordered categories": (
        [cat("a", ordered=True, categories=["b", "a"]), cat(None, ordered=True),
         cat("b", None, ordered=True, categories=["b", "a"])],
        pa.dictionary(pa.int8(), pa.string(), ordered=True)),
    "text, no numbers": ([obj("a"), pd.Series([np.nan, np.nan])], pa.string()),
    "floats, no text": ([pd.Series([0.5]), obj(None), cat(None)], pa.float64()),
    "nothing at all": ([pd.Series([np.nan]), pd.Series([np.nan, np.nan])], pa.float64()),
    "categories, text": ([cat("a", "b"), obj("c", None)], pa.string()),
    "decimals": ([obj(D("1.5")), obj(D("100.25")), obj(D("-7"))], pa.decimal128(5, 2)),
    "decimals of 50 digits": (
        [obj(D("1e-20")), obj(D(10) ** 29)], pa.decimal256(50, 20)),
    "empty lists": ([obj([1], [2, 3]), obj([], []), obj(None)], pa.list_(pa.int64())),
    "lists of floats": ([obj([1], []), obj([2.5], [None])], pa.list_(pa.float64())),
    "lists of lists": ([obj([[], []]), obj([["a"], None])], pa.list_(pa.list_(pa.string()))),
    "structures": (
        [obj({"a": 1, "b": None}), obj({"a": 2, "b": "x"})],
        pa.struct([("a", pa.int64()), ("b", pa.string())])),
    "integers, floats": ([pd.Series([1, 2]), pd.Series([2.5, np.nan])], pa.float64()),
    "small integers": (
        [pd.Series([1, 2], dtype="int8"), pd.Series([300], dtype="int16")], pa.int16()),
    "signs": ([pd.Series([200], dtype="uint8"), pd.Series([-1], dtype="int8")], pa.int16()),
    "floats": ([pd.Series([0.5], dtype="f4"), pd.Series([0.1])], pa.float64()),
    "units": (
        [pd.Series(np.array([5], "M8[s]")), pd.Series(np.array([5], "M8[ns]"))],
        pa.timestamp("ns")),
    "no rows": ([obj("a"), obj()], pa.string()),
}  # fmt: skip


@pytest.mark.parametrize("name", UNLIKE)
def test_one_type_for_all_partitions(place: str, name: str, tmp_path: Path) -> None:
    values, type = UNLIKE[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_pco_table(columns(*values), place)
    expected = [value for one in values for value in one]
    assert names_in(place) == [f"part-{i:05d}" for i in range(len(values))]
    for i, one in enumerate(values):
        table = numpact.read_table(f"{place}/part-{i:05d}").to_arrow()
        assert said(table.schema.field("x").type) == said(type)
        back = table.to_pandas()["x"]
        assert same(back.astype(object).to_list(), list(one)), "by itself, with pandas' metadata"
    for backend in ("numpy", "pyarrow"):
        made = from_pco_table(place, dtype_backend=backend)
        found = made.compute()["x"]
        if backend == "numpy":
            assert same(found.astype(object).to_list(), expected)
        else:
            assert said(found.dtype.pyarrow_dtype) == said(type)
            arrow = pa.chunked_array(pa.array(found))
            assert same(arrow.to_pylist(), [_plain(value) for value in expected])


def _plain(value: Any) -> Any:
    return pd.Timestamp(value) if isinstance(value, np.datetime64) else value


REFUSED: dict[str, tuple[list[Any], str]] = {
    "text, numbers": ([obj("a"), pd.Series([1])], "'x': partition 2 has values of type int64"),
    "booleans, numbers": ([pd.Series([True]), pd.Series([1])], "no type holds both"),
    "zones": (
        [pd.Series(pd.to_datetime([0], utc=True)), pd.Series(pd.to_datetime([0]))],
        "no type holds"),
    "order": ([cat("a", ordered=True), cat("a")], "no type holds both"),
    "another order": (
        [cat("a", "b", ordered=True), cat("a", "b", ordered=True, categories=["b", "a"])],
        "'x': partition 2 has other ordered categories than partition 1"),
    "integers beyond 2^53, floats": (
        [pd.Series([2**53 + 1]), pd.Series([0.5])], "'x': values of type int64 are not double"),
    "integers beyond 2^63": (
        [pd.Series([2**63], dtype="u8"), pd.Series([-1])],
        "'x': values of type uint64 are not int64"),
    "times beyond ns": (
        [pd.Series(np.array([2**40], "M8[s]")), pd.Series(np.array([5], "M8[ns]"))],
        "are not timestamp"),
    "decimals of 100 digits": ([obj(D("1e-60")), obj(D(10) ** 60)], "no type holds both"),
    "mixed in one": ([obj("a", 1), obj("b")], "partition of part-00001 is not a table of Arrow"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_partitions_without_a_common_type_are_refused(place: str, name: str) -> None:
    values, message = REFUSED[name]
    # A partition before and one behind, which are in order.
    frame = columns(values[0].iloc[:0], *values, values[1])
    with pytest.raises(numpact.TypeMismatchError, match=message):
        to_pco_table(frame, place)
    with pytest.raises(FileNotFoundError):
        from_pco_table(place)
    # Nothing is left that would be in the way.
    to_pco_table(columns(values[1]), place)
    assert len(from_pco_table(place)) == len(values[1])


def test_partitions_with_other_columns_are_refused(place: str) -> None:
    frames = [pd.DataFrame({"x": [1], "y": [2]}), pd.DataFrame({"x": [1]})]
    with pytest.raises(numpact.TypeMismatchError, match="partition 1 has the columns"):
        to_pco_table(of(frames), place)
    turned = [pd.DataFrame({"x": [1], "y": [2]}), pd.DataFrame({"y": [4], "x": [3]})]
    to_pco_table(of(turned), place)
    found = from_pco_table(place).compute()
    assert found.to_dict("list") == {"x": [1, 3], "y": [2, 4]}


@pytest.mark.parametrize("others", ["keep", "drop", "error"])
def test_columns_that_pco_cannot_hold(place: str, others: Any) -> None:
    frames = [
        pd.DataFrame({"n": obj(None), "s": obj("a"), "i": [1]}),
        pd.DataFrame({"n": obj(5), "s": obj(None), "i": [2]}),
    ]
    if others == "error":
        with pytest.raises(numpact.TypeMismatchError, match="column 's': values of type string"):
            to_pco_table(of(frames), place, others=others)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is left out
        to_pco_table(of(frames), place, others=others)
    found = from_pco_table(place).compute()
    assert list(found.columns) == (["n", "s", "i"] if others == "keep" else ["n", "i"])
    assert same(found["n"].to_list(), [None, 5])


def test_later_and_again(tmp_path: Path) -> None:
    """A graph that is computed later, and a folder that is written a second time."""
    place = tmp_path / "p"
    later = to_pco_table(columns(cat(*"abc"), cat(*map(str, range(300)))), place, compute=False)
    assert not place.exists()
    later.compute()
    assert len(from_pco_table(place)) == 303
    before = numpact.read_table(place / "part-00000").to_arrow()
    with pytest.raises(numpact.TypeMismatchError):
        to_pco_table(columns(obj("a"), pd.Series([1])), place, overwrite=True)
    assert sorted(path.name for path in place.glob("part-*")) == ["part-00000", "part-00001"]
    assert numpact.read_table(place / "part-00000").to_arrow().equals(before)
    to_pco_table(columns(obj(None), obj("z")), place, overwrite=True)
    assert same(from_pco_table(place).compute()["x"].to_list(), [None, "z"])
    assert sorted(path.name for path in place.glob("part-*")) == ["part-00000", "part-00001"]


# ---- folders that were written apart ----


def test_folders_of_other_writers_are_joined(tmp_path: Path) -> None:
    parts = [
        pa.table({"c": pa.array(["a", "b"]).dictionary_encode(), "d": pa.array([D("1.5"), None]),
                  "s": pa.array(["x", "y"]), "n": pa.array([1, 2])}),
        pa.table({"c": pa.array(["c"]).cast(pa.dictionary(pa.int8(), pa.string())),
                  "d": pa.array([D("100.25")]), "s": pa.array(["z"], pa.large_string()),
                  "n": pa.nulls(1)}),
        pa.table({"c": pa.nulls(1), "d": pa.nulls(1), "s": pa.nulls(1), "n": pa.array([5])}),
    ]  # fmt: skip
    for i, table in enumerate(parts):
        numpact.write_table(table, tmp_path / f"part-{i}")
    made = from_pco_table(tmp_path)
    found = made.compute()
    assert same(found["c"].astype(object).to_list(), ["a", "b", "c", None])
    assert same(found["d"].to_list(), [D("1.5"), None, D("100.25"), None])
    assert same(found["s"].to_list(), ["x", "y", "z", None])
    assert same(found["n"].to_list(), [1, 2, None, 5])
    assert found["n"].dtype == made._meta["n"].dtype == pd.Int64Dtype()
    arrow = from_pco_table(tmp_path, dtype_backend="pyarrow").compute()
    types = [dtype.pyarrow_dtype for dtype in arrow.dtypes]
    assert types == [pa.dictionary(pa.int32(), pa.string()), pa.decimal128(5, 2),
                     pa.large_string(), pa.int64()]  # fmt: skip
    for filters, rows in (("n is null", [2]), ("n > 1", [1, 3]), ("c = 'c'", [2]),
                          ("s is null", [3]), ("d > 1", [0, 2])):  # fmt: skip
        assert list(from_pco_table(tmp_path, filters=filters).compute().index) == rows, filters
    numpact.write_table({"c": ["a"], "d": [1.5], "s": ["x"], "n": [1]}, tmp_path / "part-3")
    with pytest.raises(numpact.TypeMismatchError, match=r"part-3: column 'd' is "):
        from_pco_table(tmp_path)


# ---- the index ----


def test_an_index_with_a_name_is_a_column(place: str) -> None:
    frame = pd.DataFrame({"key": [5, 6, 7, 8], "v": [1.0, 2.0, 3.0, 4.0]}).set_index("key")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_pco_table(dd.from_pandas(frame, npartitions=2), place)
    found = from_pco_table(place).compute()
    assert found.set_index("key").equals(frame)
    pd.testing.assert_frame_equal(numpact.read_table(f"{place}/part-00001").to_pandas(), frame[2:])


INDEXES = {
    "range": pd.RangeIndex(4, name="r"),
    "steps": pd.RangeIndex(10, 2, -2, name="r"),
    "times": pd.date_range("2024-01-01", periods=4, name="t", tz="Europe/Berlin"),
    "text": pd.Index(["a", "b", "c", None], name="s"),
    "the name of a column": pd.Index([9, 8, 7, 6], name="v"),
    "levels": pd.MultiIndex.from_tuples(
        [(1, "a"), (1, "b"), (2, "a"), (2, None)], names=["i", "s"]),
    "levels with one name": pd.MultiIndex.from_tuples(
        [(i, i) for i in range(4)], names=["i", None]),
}  # fmt: skip


@pytest.mark.parametrize("name", INDEXES)
def test_indexes(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame({"v": [1.0, 2.0, 3.0, 4.0]}, index=INDEXES[name])
    # The name of the whole counts, not that of a partition.
    parts = [frame[:2], frame[2:].rename_axis(index=[None] * frame.index.nlevels)]
    to_pco_table(of(parts, frame.iloc[:0]), tmp_path / "p")
    backs = [numpact.read_table(tmp_path / f"p/part-0000{i}").to_pandas() for i in range(2)]
    back = pd.concat(backs)
    assert list(back.index.names) == list(frame.index.names)
    assert same(back.index.to_list(), frame.index.to_list())
    assert back["v"].to_list() == frame["v"].to_list()
    assert len(from_pco_table(tmp_path / "p").compute().columns) == 1 + frame.index.nlevels


def test_an_index_without_a_name(tmp_path: Path) -> None:
    frame = pd.DataFrame({"v": [1.0, 2.0]}, index=pd.date_range("2024-01-01", periods=2))
    with pytest.warns(UserWarning, match="has no name and is left out"):
        to_pco_table(of([frame]), tmp_path / "a")
    assert list(from_pco_table(tmp_path / "a").columns) == ["v"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_pco_table(of([frame.reset_index(drop=True)[1:]]), tmp_path / "b")
    assert list(from_pco_table(tmp_path / "b").columns) == ["v"]
