# SPDX-License-Identifier: Apache-2.0
"""Columns of fixed-size lists of numbers, which are CVC files if no row is null."""

from __future__ import annotations

import base64
import gc
import json
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import numpact
from numpact import cvc

TYPES = ["f2", "f4", "i1", "u1", "i4", "i8"]
WIDTH = 5


def vectors(rows: int, dtype: str = "f4", width: int = WIDTH, seed: int = 1) -> pa.Array:
    """Lists with NaN, infinities and -0 among floats, and the bounds of integers."""
    rng = np.random.default_rng(seed)
    made = np.dtype(dtype)
    numbers = rng.normal(0, 20, rows * width).astype(made)
    special: Any = [np.nan, np.inf, -np.inf, -0.0]
    if made.kind != "f":
        special = [np.iinfo(made).min, np.iinfo(made).max]
    numbers[: len(special)] = special[: len(numbers)]
    return pa.FixedSizeListArray.from_arrays(pa.array(numbers), width)


def plain(rows: int, width: int = WIDTH, seed: int = 1) -> pa.Array:
    """Finite lists, which every compression takes."""
    numbers = np.random.default_rng(seed).normal(size=rows * width).astype("f4")
    return pa.FixedSizeListArray.from_arrays(pa.array(numbers), width)


def bits(column: Any) -> bytes:
    """The stored bytes of the numbers of a column: NaNs are equal only to themselves."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return bytes(array.flatten().to_numpy(zero_copy_only=False).tobytes())


def manifest(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def endings(folder: Path) -> list[str]:
    """Of the files of the only column."""
    parts = manifest(folder)["others"][0]["parts"]
    return [part["file"].rpartition(".")[2] for part in parts]


def stored(folder: Path) -> pa.Table:
    return numpact.open_table(folder).to_arrow()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("width", [1, 5])
def test_every_type_comes_back(dtype: str, width: int, tmp_path: Path) -> None:
    table = pa.table({"v": vectors(3000, dtype, width)})
    numpact.write_table(table, tmp_path / "t")
    assert endings(tmp_path / "t") == ["cvc"]
    found = stored(tmp_path / "t")
    assert found.schema.equals(table.schema, check_metadata=True)
    assert bits(found["v"]) == bits(table["v"])
    rows = [2999, 0, 17, 17]
    taken = numpact.open_table(tmp_path / "t").take(rows).to_arrow()
    assert bits(taken["v"]) == bits(table["v"].take(pa.array(rows)))


def test_the_field_comes_back(tmp_path: Path) -> None:
    item = pa.field("x", pa.float32(), nullable=False, metadata={"unit": "m"})
    field = pa.field("v", pa.list_(item, 3), nullable=False, metadata={b"k": b"\xff"})
    values = pa.array(np.arange(30, dtype="f4"))
    array = pa.Array.from_buffers(field.type, 10, [None], children=[values])
    tensors = pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.float32(), [2, 2]), plain(10, 4)
    )
    schema = pa.schema([field, pa.field("t", tensors.type)])
    table = pa.Table.from_arrays([array, tensors], schema=schema)
    numpact.write_table(table, tmp_path / "t")
    numpact.append_table(table.slice(3, 4), tmp_path / "t")
    found = stored(tmp_path / "t")
    assert found.schema.equals(schema, check_metadata=True)
    assert found.equals(pa.concat_tables([table, table.slice(3, 4)]))


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2)),
        pa.array([[1.0, 2.0], [None, 3.0]], pa.list_(pa.float32(), 2)),
        pa.array([], pa.list_(pa.float32(), 2)),
        pa.array([[], []], pa.list_(pa.float32(), 0)),
        pa.array([[1.0], [2.0]], pa.list_(pa.float64(), 1)),
        pa.array([[1], [2]], pa.list_(pa.uint16(), 1)),
        pa.array([["x"], ["y"]], pa.list_(pa.string(), 1)),
        pa.array([[1.0], [2.0]], pa.list_(pa.float32())),
    ],
    ids=["row", "item", "empty", "no items", "f64", "u16", "text", "list"],
)
def test_other_lists_are_files_of_arrow(array: pa.Array, tmp_path: Path) -> None:
    table = pa.table({"v": array})
    numpact.write_table(table, tmp_path / "t")
    assert endings(tmp_path / "t") == ["arrow"]
    assert manifest(tmp_path / "t")["version"] == 4
    assert stored(tmp_path / "t").equals(table)


@pytest.mark.parametrize("before", [0, 1000, 70_000])
def test_a_null_after_many_rows(before: int, tmp_path: Path) -> None:
    """Rows that were written as CVC already become Arrow."""
    null = pa.array([None], plain(1).type)
    table = pa.table({"v": pa.chunked_array([plain(before), null, plain(3)])})
    numpact.write_table(table, tmp_path / "t")
    assert endings(tmp_path / "t") == ["arrow"]
    assert stored(tmp_path / "t").equals(table)


def test_appends_and_compaction(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    tables = [pa.table({"v": plain(rows, seed=rows)}) for rows in (70_000, 10, 5000, 66_000, 3)]
    numpact.write_table(tables[0], folder)
    for table in tables[1:]:
        numpact.append_table(table, folder)
    assert endings(folder) == ["cvc", "cvc", "cvc"]
    whole = pa.concat_tables(tables)
    assert stored(folder).equals(whole)
    null = pa.table({"v": pa.array([None], plain(1).type)})
    numpact.append_table(null, folder)
    assert endings(folder) == ["cvc", "cvc", "arrow"]
    whole = pa.concat_tables([whole, null])
    assert stored(folder).equals(whole)
    numpact.compact_table(folder)
    assert endings(folder) == ["arrow"]
    assert stored(folder).equals(whole)


@pytest.mark.parametrize("name", ["fp16", "bfloat16", "int8_dim", "int4", "rot4"])
def test_values_are_lost_once(name: str, tmp_path: Path) -> None:
    """Appends and compaction copy what is stored, so that rows stay as they were."""
    folder = tmp_path / "t"
    tables = [pa.table({"v": plain(rows, seed=rows)}) for rows in (66_000, 900, 900, 300)]
    numpact.write_table(tables[0], folder, vectors={"v": name})
    before = stored(folder)["v"].to_pylist()
    assert not stored(folder).equals(tables[0])
    for table in tables[1:]:
        numpact.append_table(table, folder)
        after = stored(folder)["v"].to_pylist()
        assert after[: len(before)] == before
        before = after
    numpact.compact_table(folder)
    assert stored(folder)["v"].to_pylist() == before
    [entry] = manifest(folder)["others"]
    assert entry["vectors"] == name
    [part] = entry["parts"]
    assert cvc.Reader(folder / part["file"]).info.columns[0].compression == name
    exact = np.array(pa.concat_tables(tables)["v"].to_pylist())
    assert np.abs(exact - np.array(before)).max() < 1.5


def test_rows_of_a_narrower_type_leave_the_stored_ones(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table(pa.table({"v": plain(100)}), folder, vectors={"v": "int8_dim"})
    before = stored(folder)["v"].to_pylist()
    half = pa.table({"v": plain(50, seed=2).cast(pa.list_(pa.float16(), WIDTH))})
    numpact.append_table(half, folder, schema="extend")
    after = stored(folder)["v"]
    assert after.type == pa.list_(pa.float32(), WIDTH)
    assert (len(after), after.to_pylist()[:100]) == (150, before)


@pytest.mark.parametrize(("old", "new"), [("f2", "f4"), ("f4", "f8")])
def test_lossy_vectors_get_no_wider_type(old: str, new: str, tmp_path: Path) -> None:
    """Their rows would be written anew, and lose more."""
    folder = tmp_path / "t"
    column = plain(9).cast(pa.list_(pa.from_numpy_dtype(old), WIDTH))
    wide = pa.table({"v": column.cast(pa.list_(pa.from_numpy_dtype(new), WIDTH))})
    numpact.write_table(pa.table({"v": column}), folder, vectors={"v": "int8_dim"})
    before = stored(folder)
    with pytest.raises(numpact.TypeMismatchError, match="column 'v': its vectors are int8_dim"):
        numpact.append_table(wide, folder, schema="extend")
    assert stored(folder).equals(before)
    numpact.write_table(pa.table({"v": column}), folder, overwrite=True)
    numpact.append_table(wide, folder, schema="extend")
    assert stored(folder)["v"].to_pylist() == column.to_pylist() * 2


def test_the_compression_of_a_column_stays(tmp_path: Path) -> None:
    table = pa.table({"v": plain(100), "w": plain(100), "i": vectors(100, "i4"), "n": range(100)})
    folder = tmp_path / "t"
    numpact.write_table(table.slice(0, 0), folder, vectors={"v": "int8_dim"})
    numpact.append_table(table, folder, vectors={"v": "int8_dim", "w": "pco"})
    forms = [entry.get("vectors") for entry in manifest(folder)["others"]]
    assert forms == ["int8_dim", None, None]
    for wrong, why in (("v", "are int8_dim, not int4"), ("w", "are pco, not int4")):
        with pytest.raises(numpact.InvalidArgumentError, match=why):
            numpact.append_table(table, folder, vectors={wrong: "int4"})
    with pytest.raises(numpact.InvalidArgumentError, match="there is no column 'x'"):
        numpact.append_table(table, folder, vectors={"x": "int4"})
    with pytest.raises(numpact.InvalidArgumentError, match="'int9' is not 'pco' or one of"):
        numpact.append_table(table, folder, vectors={"v": "int9"})
    with pytest.raises(numpact.InvalidArgumentError, match="must map names of columns"):
        numpact.append_table(table, folder, vectors=["v"])  # type: ignore[arg-type]
    with pytest.raises(numpact.TypeMismatchError, match="no fixed-size lists of float32"):
        numpact.append_table(table, folder, vectors={"n": "int4"})
    with pytest.raises(numpact.TypeMismatchError, match="int32 is stored exactly only"):
        numpact.append_table(table, folder, vectors={"i": "int4"})
    assert len(stored(folder)) == 100


def test_nulls_and_infinities_are_not_lossy(tmp_path: Path) -> None:
    null = pa.chunked_array([plain(7), pa.array([None], plain(1).type)])
    with pytest.raises(numpact.InvalidArgumentError, match="column 'v': a null from row 7 on"):
        numpact.write_table(pa.table({"v": null}), tmp_path / "t", vectors={"v": "int8_dim"})
    with pytest.raises(numpact.InvalidArgumentError, match="nan"):
        numpact.write_table(pa.table({"v": vectors(9)}), tmp_path / "t", vectors={"v": "int8_dim"})
    assert not (tmp_path / "t").exists()


def test_new_columns_with_null_rows(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table(pa.table({"n": range(5)}), folder)
    more = pa.table({"n": range(3), "v": plain(3)})
    numpact.append_table(more, folder, schema="extend")
    assert endings(folder) == ["arrow"]
    assert stored(folder)["v"].to_pylist() == [None] * 5 + more["v"].to_pylist()


def test_the_reader_of_vectors(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    table = pa.table({"v": plain(70_000), "n": range(70_000)})
    numpact.write_table(table, folder)
    more = pa.table({"v": plain(9, seed=2), "n": range(9)})
    numpact.append_table(more, folder)
    opened = numpact.open_table(folder)
    reader = opened.vectors("v", threads=1)
    rows = opened.row_numbers("n < 9")
    expected = np.array(opened.take(rows).to_arrow()["v"].to_pylist(), "f4")
    assert len(rows) == 18
    assert (reader.gather(rows) == expected).all()
    assert (reader.read(70_000, 2, dims=2) == expected[9:11, :2]).all()
    with pytest.raises(numpact.TypeMismatchError, match="column 'n'"):
        opened.vectors("n")
    with pytest.raises(numpact.InvalidArgumentError, match="slice"):
        opened[5:].vectors("v")
    numpact.append_table(pa.table({"v": pa.nulls(1, plain(1).type), "n": [1]}), folder)
    with pytest.raises(numpact.TypeMismatchError, match="has rows in a file of Arrow"):
        numpact.open_table(folder).vectors("v")


def test_of_a_store_ranges_are_read(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    folder = tmp_path / "t"
    table = pa.table({"v": plain(140_000, 64)})  # three chunks, the last one small
    numpact.write_table(table, folder)
    store = fsspec.filesystem("memory")
    store.put(str(folder), "/vectors", recursive=True)
    read: list[int] = []
    plain_read = type(store).cat_file

    def counted(self: Any, path: str, *args: Any, **options: Any) -> Any:
        data = plain_read(self, path, *args, **options)
        read.append(len(data))
        return data

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(store), "cat_file", counted)
        opened = numpact.open_table("memory://vectors")
        assert opened.read(rows=(139_990, 140_000)).to_arrow().equals(table.slice(139_990))
        assert opened.vectors("v").read(139_999, 1)[0].tolist() == table["v"][139_999].as_py()
    assert sum(read) < (folder / "v.cvc").stat().st_size / 2
    store.rm("/vectors", recursive=True)


def test_datasets_and_scans(tmp_path: Path) -> None:
    table = pa.table({"day": ["a", "b"] * 50, "n": range(100), "v": plain(100)})
    root = tmp_path / "d"
    numpact.write_table(table, root, partition_by=["day"], vectors={"v": "fp16"})
    assert json.loads((root / "dataset.json").read_text())["format"] == "numpact-dataset"
    dask = pytest.importorskip("numpact.dask")
    frame = dask.from_pco_table(str(root)).compute()
    assert len(frame) == 100
    one = next(root.glob("day=a"))
    found = numpact.open_table(one).read(where="n >= 90").to_arrow()
    assert found["n"].to_pylist() == [90, 92, 94, 96, 98]
    exact = np.array(table["v"].take(pa.array(found["n"])).to_pylist())
    assert np.abs(np.array(found["v"].to_pylist()) - exact).max() < 2e-3


@pytest.mark.parametrize("kind", ["lists", "nested", "struct"])
def test_polars_gets_slices_with_nulls(kind: str, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    column = plain(10).take(pa.array([0, None, 2, 3, None, 5, 6, 7, 8, 9]))
    if kind == "nested":
        column = pa.ListArray.from_arrays(pa.array(range(11), pa.int32()), column)
    if kind == "struct":
        column = pa.StructArray.from_arrays([column], ["a"])
    table = pa.table({"n": range(10), "v": column})
    numpact.write_table(table, tmp_path / "t")
    frame = numpact.scan_table(tmp_path / "t")
    expected = column.to_pylist()
    assert frame.head(4).collect()["v"].to_list() == expected[:4]
    assert frame.filter(pl.col("n") > 2).collect()["v"].to_list() == expected[3:]
    opened = numpact.open_table(tmp_path / "t")
    assert opened[1:5].to_polars()["v"].to_list() == expected[1:5]
    chosen = opened[1:6].read(where=pl.col("v").is_not_null() & (pl.col("n") < 4))
    assert chosen.to_arrow()["n"].to_pylist() == ([1, 2, 3] if kind != "lists" else [2, 3])
    numpact.append_table(table, tmp_path / "t")  # columns have chunks of their own
    numpact.append_table(pa.table({"n": range(66_000), "v": [None] * 66_000}), tmp_path / "t")
    frame = numpact.open_table(tmp_path / "t").to_polars()
    assert frame["v"].to_list() == expected * 2 + [None] * 66_000


# ---- what is untrusted ----


def forged(folder: Path, file: bytes, rows: int) -> None:
    """Puts a file in place of the only one, with its checksums."""
    described = manifest(folder)
    [entry] = described["others"]
    [part] = entry["parts"]
    (folder / part["file"]).write_bytes(file)
    header = 12 + int.from_bytes(file[8:12], "little")
    ends = [header]
    while ends[-1] < len(file):
        ends.append(ends[-1] + 8 + int.from_bytes(file[ends[-1] : ends[-1] + 4], "little"))
    sums = [zlib.crc32(file[a:b]) for a, b in pairwise([0, *ends])]
    part |= {"bytes": len(file), "ends": ends, "crc32": sums, "rows": rows}
    entry["rows"] = rows
    (folder / "manifest.json").write_text(json.dumps(described))


def cvc_file(numbers: Any, column: str = "vectors", metadata: Any = None) -> bytes:
    shape = (numbers.shape[1],)
    writer = cvc.Writer(
        None,
        columns={column: (shape, numbers.dtype.name)},
        compression={column: "pco"},
        metadata=metadata,
    )
    with writer:
        writer.append({column: numbers})
    return writer.contents


def with_name(old: bytes, new: bytes) -> str:
    """The field of the column with a name that is no UTF-8, as metadata of a file."""
    message = pa.schema([pa.field("v", plain(1).type)]).serialize().to_pybytes()
    sized = [len(name).to_bytes(4, "little") + name for name in (old, new)]
    assert message.count(sized[0]) == 1
    return base64.b64encode(message.replace(*sized)).decode()


def test_files_of_other_columns(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table(pa.table({"v": plain(10)}), folder)
    [name] = [file.name for file in folder.glob("*.cvc")]
    metadata = cvc.Reader(folder / name).info.metadata
    numbers = np.zeros((10, WIDTH), "f4")
    cases = [
        (cvc_file(numbers, metadata=metadata), 11, "has 10 rows"),
        (cvc_file(numbers[:, :3].copy(), metadata=metadata), 10, "'vectors', 'float32', 3"),
        (cvc_file(numbers.astype("f2"), metadata=metadata), 10, "'vectors', 'float16', 5"),
        (cvc_file(numbers, "other", metadata), 10, "'other', 'float32', 5"),
        (cvc_file(numbers), 10, name),
        (cvc_file(numbers, metadata={"arrow": "no base64"}), 10, name),
        (cvc_file(numbers, metadata={"arrow": "AAAA"}), 10, name),
        (cvc_file(numbers, metadata={"arrow": with_name(b"v", b"\xff")}), 10, "utf-8"),
        (cvc_file(numbers, metadata={"arrow": with_name(b"item", b"ite\xff")}), 10, "utf-8"),
        (cvc_file(numbers, metadata=metadata)[:-1], 10, name),
    ]
    for file, rows, why in cases[:-1]:
        forged(folder, file, rows)
        with pytest.raises(numpact.CorruptError, match=why):
            stored(folder)
    forged(folder, cases[0][0], 10)
    assert stored(folder).num_rows == 10
    (folder / name).write_bytes(cases[-1][0])
    with pytest.raises(numpact.CorruptError, match=name):
        stored(folder)


def test_every_changed_byte_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table(pa.table({"v": plain(40)}), folder)
    good = (folder / "v.cvc").read_bytes()
    for at in range(len(good)):
        damaged = bytearray(good)
        damaged[at] ^= 1 << at % 8
        (folder / "v.cvc").write_bytes(damaged)
        with pytest.raises(numpact.CorruptError):
            stored(folder)
    (folder / "v.cvc").write_bytes(good)
    assert stored(folder).num_rows == 40


def test_limits(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table(pa.table({"v": plain(1000)}), folder)
    size = 1000 * WIDTH * 4
    assert len(numpact.open_table(folder, max_output=size).to_arrow()) == 1000
    with pytest.raises(numpact.LimitExceededError, match="column 'v'"):
        numpact.open_table(folder, max_output=size - 1).to_arrow()
    with pytest.raises(numpact.LimitExceededError, match="column 'v'"):
        numpact.open_table(folder, max_memory=size - 1).to_arrow()


def test_nothing_stays_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = tmp_path / "temporary"
    used.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(used))
    table = pa.table({"v": plain(100)})
    numpact.write_table(table, tmp_path / "t")
    null = pa.chunked_array([plain(7), pa.array([None], plain(1).type)])
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.write_table(pa.table({"v": null}), tmp_path / "u", vectors={"v": "int4"})
    with pytest.raises(numpact.InvalidArgumentError):
        numpact.write_table(pa.table({"v": vectors(9)}), tmp_path / "u", vectors={"v": "int4"})
    gc.collect()  # of what exceptions hold
    assert list(used.iterdir()) == []
