# SPDX-License-Identifier: Apache-2.0
"""The same arrays come back whether the command or the Python package packs and unpacks them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import FAILURE
from cvc_support import cvc, cvc_refused, info, read_safetensors, safetensors, unpacked, vecs

from numpact import cvc as package

TENSORS = {"float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int16": "I16",
           "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64"}
STORED = {"int16": "int32", "uint16": "int32", "uint32": "int64", "uint64": "int64",
          "float16": "float32"}
NAMES = ["a", "é ü 😀", "two\nlines", "comma,equals=", "'quoted\"", "NaN", "\\ud800"]


def array_of(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


def packed_in_both_directions(tmp_path: Path, arrays: dict[str, np.ndarray]) -> list[Path]:
    """Several columns, by the command and by the package, with compressions that keep them."""
    content = safetensors({name: (TENSORS[array.dtype.name], array)
                           for name, array in arrays.items()})
    (tmp_path / "x.safetensors").write_bytes(content)
    cvc("pack", tmp_path / "x.safetensors", "-q", "--compression", "none", "-o", tmp_path / "c.cvc")
    package.pack_cvc_columns(arrays, tmp_path / "p.cvc", dict.fromkeys(arrays, "none"))
    # Tensors without bytes have no order.
    if next(iter(arrays.values())).size > 0:
        assert (tmp_path / "c.cvc").read_bytes() == (tmp_path / "p.cvc").read_bytes()
    return [tmp_path / "c.cvc", tmp_path / "p.cvc"]


def check_both_directions(tmp_path: Path, made: Path, arrays: dict[str, np.ndarray]) -> None:
    cvc("unpack", made, "-f", "-o", tmp_path / "y.safetensors")
    by_command = read_safetensors(tmp_path / "y.safetensors")
    by_package = package.load_cvc_columns(made)
    assert set(by_command) - {"__metadata__"} == set(by_package) == set(arrays)
    for name, array in arrays.items():
        dtype = STORED.get(array.dtype.name, array.dtype.name)
        kept = array.dtype.name if array.dtype.name == "float16" else dtype  # the command's
        for found, type in ((by_command[name], kept), (by_package[name], dtype)):
            assert (found.shape, found.dtype.name) == (array.shape, type), name
            assert np.array_equal(found, array), name


@pytest.mark.parametrize("dtype", sorted(TENSORS))
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_columns_keep_their_shapes(tmp_path: Path, dtype: str, rows: int) -> None:
    arrays = {"scalars": array_of((rows,), dtype), "ones": array_of((rows, 1), dtype),
              "rows": array_of((rows, 3), dtype)}
    for made in packed_in_both_directions(tmp_path, arrays):
        check_both_directions(tmp_path, made, arrays)


@pytest.mark.parametrize("rows", [0, 4])
def test_columns_keep_their_names(tmp_path: Path, rows: int) -> None:
    arrays = {name: array_of((rows, 2), "int32") for name in NAMES}
    for made in packed_in_both_directions(tmp_path, arrays):
        assert {column["name"] for column in info(made)["columns"]} == set(NAMES)
        check_both_directions(tmp_path, made, arrays)


@pytest.mark.parametrize("shape", [(3, 1), (0, 4), (1, 4), (5, 3), (0, 1)])
@pytest.mark.parametrize("compression", ["fp16", "lossless", "none", "pco"])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_one_array_keeps_its_shape(tmp_path: Path, shape: tuple[int, int], compression: str,
                                   dtype: str) -> None:
    array = array_of(shape, dtype)
    np.save(tmp_path / "x.npy", array)
    made = tmp_path / "x.cvc"
    cvc("pack", tmp_path / "x.npy", "-q", "--compression", compression, "-o", made)
    by_command, by_package = unpacked(made), package.Reader(made).read()
    assert by_command.shape == by_package.shape == shape
    assert by_command.dtype == by_package.dtype
    assert np.array_equal(by_command, array) and np.array_equal(by_package, array)
    if compression == "none":
        return
    package.pack_cvc(array, made, compression)
    by_command, by_package = unpacked(made), package.load_cvc(made)
    assert by_command.shape == by_package.shape == shape
    assert by_command.dtype == by_package.dtype == np.float32


def test_parts_keep_shapes(tmp_path: Path) -> None:
    arrays = {"ones": array_of((9, 1), "int64"), "scalars": array_of((9,), "int64")}
    made = packed_in_both_directions(tmp_path, arrays)[0]
    cvc("slice", made, tmp_path / "s.cvc", "--rows", "2:4")
    cvc("concat", tmp_path / "s.cvc", made, "-o", tmp_path / "m.cvc")
    for path, rows in [(tmp_path / "s.cvc", 4), (tmp_path / "m.cvc", 13)]:
        found = package.load_cvc_columns(path)
        assert found["ones"].shape == (rows, 1) and found["scalars"].shape == (rows,)


def test_no_rows_in_every_format(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.empty((0, 3), np.float32))
    (tmp_path / "x.raw").write_bytes(b"")
    (tmp_path / "x.safetensors").write_bytes(
        safetensors({"v": ("F32", np.empty((0, 3), np.float32))}))
    for name, words in [("x.npy", []), ("x.raw", ["--dtype", "f32", "--dimension", 3]),
                        ("x.safetensors", [])]:
        for compression in ["fp16", "int8", "none"]:
            made = tmp_path / "x.cvc"
            cvc("pack", tmp_path / name, *words, "-f", "--compression", compression, "-o", made)
            assert unpacked(made).shape == package.Reader(made).read().shape == (0, 3)
    (tmp_path / "x.fvecs").write_bytes(b"")
    assert "dimension is not known" in cvc_refused("pack", tmp_path / "x.fvecs", code=FAILURE)
    (tmp_path / "one.fvecs").write_bytes(vecs(np.ones((1, 3), np.float32)))
    cvc("pack", tmp_path / "one.fvecs", "-o", tmp_path / "one.cvc")
    assert unpacked(tmp_path / "one.cvc").shape == (1, 3)


# ---- lists of equal length ----

def write_table(table: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=2)
        return path
    opened = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
    with opened(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return path


ENDINGS = ["parquet", "arrow", "arrows"]


@pytest.mark.usefixtures("arrow")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", [pa.list_, pa.large_list])
@pytest.mark.parametrize("value", [pa.float16(), pa.float32(), pa.float64(), pa.int64(),
                                   pa.uint8()])
def test_lists_of_equal_length_are_vectors(tmp_path: Path, ending: str, kind: object,
                                           value: pa.DataType) -> None:
    values = np.arange(15).reshape(5, 3).astype(value.to_pandas_dtype())
    column = pa.array([list(row) for row in values], kind(value))
    path = write_table(pa.table({"id": np.arange(5), "emb": column}), tmp_path / f"t.{ending}")
    cvc("pack", path, "-q", "--compression", "none", "-o", tmp_path / "t.cvc")
    found = package.load_cvc_columns(tmp_path / "t.cvc")
    assert found["emb"].shape == (5, 3) and np.array_equal(found["emb"], values)
    assert found["id"].tolist() == list(range(5))
    cvc("pack", path, "-q", "--column", "emb", "-f", "-o", tmp_path / "t.cvc")
    assert unpacked(tmp_path / "t.cvc").shape == (5, 3)
    ones = pa.array([[x] for x in range(4)], kind(value))
    path = write_table(pa.table({"id": np.arange(4), "one": ones}), tmp_path / f"o.{ending}")
    cvc("pack", path, "-q", "--compression", "none", "-f", "-o", tmp_path / "t.cvc")
    assert unpacked(tmp_path / "t.cvc", "--column", "one").shape == (4, 1)


@pytest.mark.usefixtures("arrow")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("rows", "words"), [
    ([[1.0, 2.0], [3.0]], "row 1 has 1 numbers, row 0 has 2"),
    ([[1.0], [2.0], [3.0], [4.0, 5.0]], "row 3 has 2 numbers, row 0 has 1"),
    ([[1.0, 2.0], [2.0, 3.0], []], "row 2 has 0 numbers, row 0 has 2")])
def test_lists_of_other_lengths_are_named(tmp_path: Path, ending: str, rows: list[list[float]],
                                          words: str) -> None:
    column = pa.array(rows, pa.list_(pa.float32()))
    path = write_table(pa.table({"emb": column}), tmp_path / f"t.{ending}")
    error = cvc_refused("pack", path, "-o", tmp_path / "t.cvc", code=FAILURE)
    assert "column 'emb'" in error and words in error
    assert not (tmp_path / "t.cvc").exists()


@pytest.mark.usefixtures("arrow")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("rows", [[[1.0, 2.0], None], [[1.0, 2.0], [None, 3.0]]])
def test_lists_with_nulls_are_named(tmp_path: Path, ending: str, rows: list[object]) -> None:
    column = pa.array(rows, pa.list_(pa.float32()))
    path = write_table(pa.table({"emb": column}), tmp_path / f"t.{ending}")
    error = cvc_refused("pack", path, "-o", tmp_path / "t.cvc", code=FAILURE)
    assert "column 'emb'" in error and "null" in error


@pytest.mark.usefixtures("arrow")
def test_nested_lists_are_left_out_by_name(tmp_path: Path) -> None:
    table = pa.table({"deep": pa.array([[[1.0]], [[2.0]]]), "s": pa.array([{"a": 1}] * 2),
                      "id": [1, 2]})
    for ending in ENDINGS:
        path = write_table(table, tmp_path / f"t.{ending}")
        ran = cvc("pack", path, "-f", "-o", tmp_path / "t.cvc")
        assert "column 'deep' is left out" in ran.err and "column 's' is left out" in ran.err
        assert unpacked(tmp_path / "t.cvc").tolist() == [1, 2]


@pytest.mark.usefixtures("arrow")
@pytest.mark.parametrize("ending", ENDINGS)
def test_tables_without_rows(tmp_path: Path, ending: str) -> None:
    table = pa.table({"a": pa.array([], pa.int64()), "f": pa.array([], pa.float32()),
                      "v": pa.array([], pa.list_(pa.float32(), 3))})
    path = write_table(table, tmp_path / f"t.{ending}")
    cvc("pack", path, "-q", "-o", tmp_path / "t.cvc")
    found = package.load_cvc_columns(tmp_path / "t.cvc")
    assert {name: (array.shape, array.dtype.name) for name, array in found.items()} == {
        "a": ((0,), "int64"), "f": ((0,), "float32"), "v": ((0, 3), "float32")}
    for name, array in found.items():
        back = unpacked(tmp_path / "t.cvc", "--column", name)
        assert (back.shape, back.dtype) == (array.shape, array.dtype)
    cvc("pack", path, "-q", "-f", "--column", "a", "-o", tmp_path / "t.cvc")
    assert unpacked(tmp_path / "t.cvc").shape == (0,)
