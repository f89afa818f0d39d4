# SPDX-License-Identifier: Apache-2.0
"""Indexes of datasets, which are untrusted, and scans of polars over several tables."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tables_support import every_kind

import numpact
from numpact._remote.dataset_index import MAX_BYTES, parse_index
from numpact._remote.partitions import partition_name, partition_values

DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in range(4)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Four tables, and what they hold."""
    for i, day in enumerate(DAYS):
        ids = np.arange(100 * i, 100 * i + 100)
        table = {"id": ids, "x": ids / 7, "s": pa.array([f"{i % 3}" for i in ids])}
        numpact.write_table(table, tmp_path / f"t/day={day}")
    return tmp_path / "t"


def whole(root: Path) -> pl.DataFrame:
    frames = []
    for day in DAYS:
        frame = numpact.read_table(root / f"day={day}").to_polars()
        frames.append(frame.with_columns(pl.lit(day).alias("day")))
    return pl.concat(frames)


# ---- the index ----


def entry(document: dict[str, Any], at: int = 0) -> Any:
    return document["folders"][at]


def edited(key: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda document: entry(document).update({key: value})


def with_sum(**members: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda document: entry(document)["files"]["id.pco"].update(members)


# What is changed, and what the message says besides the name of the file.
CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "format": (lambda d: d.update(format="numpact-table"), "no index"),
    "version text": (lambda d: d.update(version="1"), "'version' is no count"),
    "no schemas": (lambda d: d.pop("schemas"), "'schemas' is no list"),
    "schema of numbers": (lambda d: d.update(schemas=[5]), r"schemas\[0\]"),
    "schema not base64": (lambda d: d.update(schemas=["*"]), r"schemas\[0\]"),
    "schema garbage": (lambda d: d.update(schemas=["AAAA"]), "schema"),
    "no folders": (lambda d: d.update(folders={}), "'folders' is no list"),
    "folder a text": (lambda d: d.update(folders=["x"]), r"folders\[0\]: is no object"),
    "path out": (edited("path", "../day=1"), "is no path"),
    "path in a value": (edited("path", "day=/.."), "is no path"),
    "path absolute": (edited("path", "/day=1"), "is no path"),
    "path empty": (edited("path", ""), "is no path"),
    "path of windows": (edited("path", "day=\\..\\x"), "is no path"),
    "path a number": (edited("path", 7), "'path' is no text"),
    "path twice": (edited("path", "day=2024-01-02"), "occurs twice"),
    "path surrogate": (edited("path", "day=\ud800"), "surrogate"),
    "schema beyond": (edited("schema", 9), "there is no schema 9"),
    "schema negative": (edited("schema", -1), "'schema'"),
    "schema true": (edited("schema", True), "'schema' is no count"),
    "manifest an object": (edited("manifest", {}), "'manifest' is no text"),
    "manifest damaged": (edited("manifest", "{"), "day=2024-01-01"),
    "ranges short": (edited("ranges", []), "ranges"),
    "range of two": (edited("ranges", [[1, 2], None, None]), "three numbers"),
    "range float": (edited("ranges", [[1, 2.5, 0], None, None]), "whole number"),
    "range large": (edited("ranges", [[0, 1 << 64, 0], None, None]), "whole number"),
    "range text": (edited("ranges", ["1", None, None]), "three numbers"),
    "coded beyond": (edited("coded", [7]), "dictionaries"),
    "files a list": (edited("files", []), "'files' is no object"),
    "files missing": (lambda d: entry(d)["files"].pop("id.pco"), "files"),
    "files more": (lambda d: entry(d)["files"].update(y={"bytes": 1}), "files"),
    "bytes negative": (with_sum(bytes=-1), "'bytes'"),
    "bytes float": (with_sum(bytes=1.0), "'bytes' is no count"),
    "bytes large": (with_sum(bytes=1 << 63), "'bytes'"),
    "crc large": (with_sum(crc32=1 << 32), "'crc32'"),
    "end short": (with_sum(end="00"), "'end'"),
    "end no hex": (with_sum(end="g" * 48), "'end'"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_damaged_indexes_are_named(root: Path, name: str) -> None:
    change, said = CHANGES[name]
    numpact.index_dataset(root)
    path = root / "dataset.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(numpact.CorruptError, match=rf"dataset\.json.*{said}"):
        numpact.scan_table(root).filter(pl.col("id") > 0).collect()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"", numpact.CorruptError),
        (b"\xff{}", numpact.CorruptError),
        (b"[" * 100_000, numpact.CorruptError),
        (b'{"format": "numpact-dataset", "version": NaN}', numpact.CorruptError),
        (b'{"format": "numpact-dataset", "version": 1' + b"0" * 5000 + b"}", numpact.CorruptError),
        (b'{"format": "numpact-dataset", "version": 2}', numpact.UnsupportedVersionError),
        (b'"' + b'\\"[' * 1_000_000 + b"\\", numpact.CorruptError),
        (b"[" + b"[]," * (1 << 22) + b"[]]", numpact.CorruptError),
        (b" " * (MAX_BYTES + 1), numpact.LimitExceededError),
    ],
    ids=["empty", "no UTF-8", "deep", "NaN", "digits", "version", "open text", "values", "long"],
)
def test_texts_that_are_no_index(text: bytes, kind: type[numpact.Error]) -> None:
    with pytest.raises(kind, match=r"^x: "):
        parse_index(text, "x")


def test_unknown_members_and_the_last_of_several(root: Path) -> None:
    numpact.index_dataset(root)
    path = root / "dataset.json"
    text = path.read_text().replace(
        '"version": 1', '"new": {"a": [{}]}, "version": 7, "version": 1'
    )
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert numpact.scan_table(root).collect().equals(whole(root))


def test_tables_of_every_kind_are_indexed(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    for part in range(2):
        table = every_kind(300, seed=part)
        plain = pa.table(dict(zip(table.column_names, table.columns, strict=True)))
        numpact.write_table(plain.drop(["f2", "f2?"]), tmp_path / f"t/part-0000{part}")
    before = numpact.scan_table(tmp_path / "t").collect()
    numpact.index_dataset(tmp_path / "t")
    assert numpact.scan_table(tmp_path / "t").collect().equals(before, null_equal=True)


def test_only_datasets_are_indexed(tmp_path: Path) -> None:
    numpact.write_table({"a": [1]}, tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError, match="day=2024-01-01"):
        numpact.index_dataset(tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.index_dataset(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t"]


# ---- polars ----


@pytest.mark.parametrize("has_index", [False, True])
def test_scans_of_datasets(root: Path, has_index: bool) -> None:
    if has_index:
        numpact.index_dataset(root)
    frame, expected = numpact.scan_table(root), whole(root)
    assert frame.collect_schema() == expected.schema
    day = pl.col("day")
    for query in (
        lambda f: f,
        lambda f: f.select("day"),
        lambda f: f.select("s", "day", "id"),
        lambda f: f.filter(day == DAYS[2]),
        lambda f: f.filter(day.is_in(DAYS[1:3]), pl.col("id") % 2 == 0).select("x"),
        lambda f: f.filter(day > DAYS[3]),
        lambda f: f.filter((day == DAYS[0]) | (pl.col("id") == 250)),
        lambda f: f.filter(pl.col("id").is_between(95, 104)),
        lambda f: f.filter(day.dt.day() == 3).select("id"),
        lambda f: f.filter(pl.col("s") == "1", day < DAYS[2]),
        lambda f: f.filter(day.is_null()),
        lambda f: f.head(150),
        lambda f: f.head(150).filter(day == DAYS[1]),
        lambda f: f.group_by("day").agg(pl.col("id").sum()).sort("day"),
        lambda f: f.select(pl.len()),
    ):
        assert query(frame).collect().equals(query(expected.lazy()).collect())


def test_only_tables_that_may_match_are_opened(root: Path) -> None:
    for day in DAYS[:3]:
        (root / f"day={day}/id.pco").unlink()
    frame = numpact.scan_table(root)
    assert frame.filter(pl.col("day") == DAYS[3]).select("id").collect().height == 100
    with pytest.raises(Exception, match=r"id\.pco"):
        frame.filter(pl.col("id") >= 300).collect()


def test_ranges_leave_tables_out(root: Path) -> None:
    numpact.index_dataset(root)
    for day in DAYS[:3]:
        (root / f"day={day}/id.pco").unlink()
    frame = numpact.scan_table(root)
    assert frame.filter(pl.col("id") >= 300).collect().height == 100
    assert frame.filter(pl.col("id") >= 1000).collect().height == 0
    with pytest.raises(Exception, match=r"id\.pco"):
        frame.filter(pl.col("id") >= 299).collect()


def test_names_that_are_numbers_texts_and_nulls(tmp_path: Path) -> None:
    for i, name in enumerate(["k=1/z=a%20b", "k=-2/z=", "k=3/z=__HIVE_DEFAULT_PARTITION__"]):
        numpact.write_table({"x": [i]}, tmp_path / name)
    frame = numpact.scan_table(tmp_path)
    assert frame.sort("x").collect().rows() == [(0, 1, "a b"), (1, -2, None), (2, 3, None)]
    assert frame.filter(pl.col("z").is_null()).select("k").collect().rows() == [(-2,), (3,)]
    assert frame.filter(pl.col("z") == "a b").select("x").collect().rows() == [(0,)]


def test_a_column_of_the_table_goes_before_the_name(tmp_path: Path) -> None:
    for day in range(2):
        numpact.write_table({"day": [day + 5], "x": [day]}, tmp_path / f"day={day}")
    frame = numpact.scan_table(tmp_path)
    assert frame.sort("x").collect().rows() == [(5, 0), (6, 1)]
    assert frame.filter(pl.col("day") == 1).collect().height == 0


@pytest.mark.parametrize("has_index", [False, True])
def test_tables_of_other_types_are_named(tmp_path: Path, has_index: bool) -> None:
    numpact.write_table({"x": [1]}, tmp_path / "part-00000")
    numpact.write_table({"x": [1.5]}, tmp_path / "part-00001")
    if has_index:
        numpact.index_dataset(tmp_path)
    frame = numpact.scan_table(tmp_path)
    with pytest.raises(Exception, match=r"part-00001.*'x'.*Float64"):
        frame.collect()


def test_limits_count_all_tables(root: Path) -> None:
    assert numpact.scan_table(root, max_output=3200).select("id").collect().height == 400
    with pytest.raises(Exception, match="max_output"):
        numpact.scan_table(root, max_output=3100).select("id").collect()


# ---- names ----


@pytest.mark.parametrize(
    ("column", "value", "name"),
    [
        ("day", datetime.date(2024, 1, 1), "day=2024-01-01"),
        ("n", -5, "n=-5"),
        ("a b/c", "x=y/ü", "a%20b%2Fc=x%3Dy%2F%C3%BC"),
        (".h", None, "%2Eh=__HIVE_DEFAULT_PARTITION__"),
        ("s", "..", "s=.."),
    ],
)
def test_names_of_folders(column: str, value: Any, name: str) -> None:
    assert partition_name(column, value) == name
    assert partition_values(f"/b/{name}") == {column: None if value is None else str(value)}


@pytest.mark.parametrize("value", ["", "__HIVE_DEFAULT_PARTITION__", "x" * 300])
def test_values_that_name_no_folder(value: str) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="'s'"):
        partition_name("s", value)


# ---- read_table ----


@pytest.mark.parametrize("has_index", [False, True])
def test_read_table_reads_all_tables(root: Path, has_index: bool) -> None:
    if has_index:
        numpact.index_dataset(root)
    table = numpact.read_table(root)
    assert table.schema.field("day").type == pa.date32()
    assert table.to_polars().equals(whole(root))
    frame = whole(root)
    day = DAYS[1]
    tests = {
        f"day = '{day}'": frame.filter(pl.col("day") == day),
        f"day > '{day}' and id < 250 and s = '1'": frame.filter(
            pl.col("day") > day, pl.col("id") < 250, pl.col("s") == "1"
        ),
        f"day = '{day}' or id = 7": frame.filter((pl.col("day") == day) | (pl.col("id") == 7)),
        "day is null": frame.clear(),
    }
    for where, expected in tests.items():
        found = numpact.read_table(root, ["day", "x"], where=where).to_polars()
        assert found.equals(expected.select("day", "x")), where
        assert numpact.read_table(root, [], where=where).num_rows == expected.height
    assert numpact.read_table(root, ["day"]).to_polars()["day"].equals(frame["day"])


def test_read_table_of_a_dataset_refuses(root: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match="chosen by a filter"):
        numpact.read_table(root, rows=[1])
    with pytest.raises(numpact.InvalidArgumentError, match="none"):
        numpact.read_table(root, ["none"])
    with pytest.raises(numpact.LimitExceededError):
        numpact.read_table(root, ["x"], max_output=300 * 8)
    (root / "empty").mkdir()
    with pytest.raises(FileNotFoundError):
        numpact.read_table(root / "empty")
    numpact.write_table(
        {"id": [1.5], "x": [1.5], "s": ["a"]}, root / f"day={DAYS[2]}", overwrite=True
    )
    with pytest.raises(numpact.TypeMismatchError, match="'id' is double, not int64"):
        numpact.read_table(root)
