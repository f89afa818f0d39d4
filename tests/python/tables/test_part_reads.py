# SPDX-License-Identifier: Apache-2.0
"""Reading a part of a table touches that part only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import numpact
from numpact._tables.others import BATCH_ROWS, OtherReader, OtherWriter

ROWS = 40_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    numbers = np.random.default_rng(1).integers(0, 1000, ROWS)
    table = pa.table({"a": numbers, "b": numbers * 2, "s": [f"{n % 7}" for n in numbers]})
    numpact.write_table(table, tmp_path / "t")
    return tmp_path / "t"


def test_only_the_files_of_a_call_are_opened(folder: Path) -> None:
    whole = numpact.read_table(folder).to_arrow()
    for name in ("b.pco", "s.pco", "s.values"):
        (folder / name).unlink()
    assert numpact.read_table(folder, columns=["a"]).to_arrow().equals(whole.select(["a"]))
    found = numpact.read_table(folder, columns=["a"], where="a < 10").to_arrow()
    assert found.equals(whole.select(["a"]).filter(pa.compute.field("a") < 10))
    for columns, where in ((None, None), (["a", "b"], None), (["a"], "b > 3"), (["s"], None)):
        with pytest.raises(FileNotFoundError, match="the file of column"):
            numpact.read_table(folder, columns=columns, where=where)


def test_unknown_columns_list_all_columns(folder: Path) -> None:
    with pytest.raises(numpact.InvalidArgumentError, match=r"'x'.*\['a', 'b', 's'\]"):
        numpact.read_table(folder, columns=["a", "x"])
    with pytest.raises(numpact.InvalidArgumentError, match=r"'x'.*\['a', 'b', 's'\]"):
        numpact.read_table(folder, columns=["a"], where="x = 1")


def test_files_have_restart_points_by_default(folder: Path, tmp_path: Path) -> None:
    assert numpact.read_trailer(folder / "a.pco").restart_every == 1 << 14
    numpact.write_table({"a": np.arange(5)}, tmp_path / "u", trailer=True)
    assert numpact.read_trailer(tmp_path / "u" / "a.pco").restart_every is None


def test_a_file_that_changes_after_it_was_found_is_refused(folder: Path) -> None:
    from numpact._remote import table_folder
    from numpact._remote.locations import local_place

    with table_folder.opened(local_place(folder)) as table:
        file, _ = table.file("a.pco")
        assert bytes(file.contents()) == (folder / "a.pco").read_bytes()
        with open(folder / "a.pco", "ab") as content:
            content.write(b"x")
        with pytest.raises(numpact.CorruptError, match=r"a\.pco.*was replaced or changed"):
            file.contents()


def test_damage_in_other_rows_of_a_batch_does_not_matter() -> None:
    """Rows that are read are checked, also at the ends of the range."""
    offsets = np.array([0, 1, 2, 200, 4], np.int32)
    text = pa.Array.from_buffers(
        pa.string(), 4, [None, pa.py_buffer(offsets), pa.py_buffer(b"abcd")]
    )
    schema = pa.schema([pa.field("s", pa.string())])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch([text], schema=schema))
    reader = OtherReader(sink.getvalue(), 4, "s.arrow")
    assert reader.read(0, 2).to_pylist() == ["a", "b"]
    for first, count in ((0, 3), (2, 1), (3, 1), (0, 4)):
        with pytest.raises(numpact.CorruptError, match=r"s\.arrow"):
            reader.read(first, count)


def test_ranges_over_batches() -> None:
    array = pa.array([str(i) for i in range(2 * BATCH_ROWS + 3)])
    sink = pa.BufferOutputStream()
    writer = OtherWriter(sink, pa.field("s", pa.string()))
    writer.write(array)
    writer.close()
    reader = OtherReader(sink.getvalue(), len(array), "s.arrow")
    for first, count in ((BATCH_ROWS - 1, 2), (BATCH_ROWS, 1), (5, 2 * BATCH_ROWS - 2), (3, 0)):
        assert reader.read(first, count).to_pylist() == array[first : first + count].to_pylist()
