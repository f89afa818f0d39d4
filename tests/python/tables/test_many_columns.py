# SPDX-License-Identifier: Apache-2.0
"""Tables of many columns: the work grows in proportion to them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from processor_time import seconds_of

import numpact
from numpact._folders import choosing
from numpact._remote.manifest import Column, LogicalType, Manifest, Other
from numpact.dask import _table as dask_table

FEW, MANY = 2_000, 16_000
I64 = LogicalType("number", "i64")


def _matches(names: list[str], given: list[str], may_extend: bool) -> Callable[[], object]:
    """Matches the columns of rows with those of a table without files."""
    folder = tempfile.TemporaryDirectory()
    entries = [Column(name, f"{index}.pco", I64, 1) for index, name in enumerate(names)]
    text = numpact._core.manifest_text(astuple(Manifest(entries, [], [])))
    Path(folder.name, "manifest.json").write_bytes(text)
    rows = astuple(Manifest([Column(name, "", I64, 0) for name in given], [], []))

    def work() -> None:
        path = os.fsencode(folder.name)
        writer = numpact._core.TableWriter(path, None, "append", 8, None, 1, None)
        writer.set_rows(rows, may_extend)
        assert (writer.source(0) is None) == may_extend
        writer.close()

    return work


def matched(count: int) -> Callable[[], object]:
    names = [f"c{index}" for index in range(count)]
    return _matches(names, names[::-1], False)


def matched_by_position(count: int) -> Callable[[], object]:
    return _matches(["c"] * count, ["c"] * count, False)


def none_matched(count: int) -> Callable[[], object]:
    names = [f"c{index}" for index in range(2 * count)]
    return _matches(names[:count], names[count:], True)


def ordered(count: int) -> Callable[[], object]:
    others = [Other(f"{index}", index, "string", 1, ()) for index in range(count)]
    columns = [Column(f"c{index}", "", I64, 1, "", 0) for index in range(count)]
    manifest = Manifest(columns, others, [])
    return lambda: [manifest.ordered() for _ in range(20)]


def chosen(count: int) -> Callable[[], object]:
    names = [f"c{index}" for index in range(count)]

    def work() -> None:
        assert choosing.indices_of(names, names[::-1])[0] == count - 1
        choosing.check_unique(names)
        dask_table._check_names(names, names, "t")

    return work


@pytest.mark.parametrize("make", [matched, matched_by_position, none_matched, ordered, chosen])
def test_the_work_is_linear(make: Callable[[int], Callable[[], object]]) -> None:
    """Eight times the columns; a search for each of them would take 64 times as long."""
    few, many = make(FEW), make(MANY)
    assert min(seconds_of(many) for _ in range(3)) < max(
        0.1, 24 * min(seconds_of(few) for _ in range(3))
    )


def test_columns_in_another_order_and_of_one_name_are_appended(tmp_path: Path) -> None:
    table = pa.table({f"c{index}": np.arange(3) + index for index in range(50)})
    numpact.write_table(table, tmp_path / "t")
    numpact.append_table(table.select(table.column_names[::-1]), tmp_path / "t")
    assert numpact.read_table(tmp_path / "t").to_arrow().equals(pa.concat_tables([table, table]))
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    numpact.write_table(twice, tmp_path / "u")
    numpact.append_table(twice, tmp_path / "u")
    found = numpact.read_table(tmp_path / "u").to_arrow()
    assert [column.to_pylist() for column in found.columns] == [[1, 1], [2, 2]]
