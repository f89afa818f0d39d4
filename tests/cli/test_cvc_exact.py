# SPDX-License-Identifier: Apache-2.0
"""`numpact cvc pack`: no number is changed in silence, and headers are JSON."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from cli_program import FAILURE, USAGE, any_bits, leftovers
from cvc_support import cvc, cvc_refused, info, safetensors, unpacked, vectors

import decompressed

KINDS = ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
STEPS = ["int8", "int8_row", "int8_dim", "int4"]


def header_of(path: Path) -> Any:
    """The header, which must be JSON by the letter."""
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in the header")

    content = path.read_bytes()
    (length,) = struct.unpack_from("<I", content, 8)
    return json.loads(content[12 : 12 + length], parse_constant=refuse)


@pytest.mark.parametrize("compression", ["lossless", "pco", "none"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_type_is_kept_or_refused_by_name(tmp_path: Path, kind: str,
                                               compression: str) -> None:
    name = {"f": "f", "i": "i", "u": "u"}[kind[0]] + str(8 * int(kind[1]))
    array = any_bits(name, 240).reshape(-1, 4)
    np.save(tmp_path / "x.npy", array)
    made = tmp_path / "x.cvc"
    ran = cvc("pack", tmp_path / "x.npy", "-q", "-f", "--compression", compression, "-o", made,
              code=None)
    if ran.code != 0:
        assert kind not in ("f2", "f4", "i1", "u1", "i2", "u2"), ran.err
        assert not made.exists() and leftovers(tmp_path) == []
        wide = {"f8": "float64", "i4": "int32", "u4": "int64", "i8": "int64", "u8": "int64"}[kind]
        assert wide in ran.err and "::" not in ran.err
        return
    back = unpacked(made)
    if kind == "f2":  # halves come as float32, NaNs with their payload
        cvc("unpack", made, "-f", "--dtype", "float16", "-o", tmp_path / "h.npy")
        back = np.load(tmp_path / "h.npy")
    assert back.shape == array.shape
    if kind[0] == "f":
        assert back.tobytes() == array.tobytes()
    else:
        assert np.array_equal(back.astype(array.dtype), array)
        assert np.array_equal(back, array)


def test_what_would_be_rounded_is_named(tmp_path: Path) -> None:
    array = np.ones((50, 3))
    array[7, 2] = 0.1
    np.save(tmp_path / "x.npy", array)
    for compression in ["lossless", "pco", "none"]:
        error = cvc_refused("pack", tmp_path / "x.npy", "-q", "--compression", compression,
                            code=USAGE)
        assert "row 7, dimension 2 (0.1)" in error and "float64 would be rounded" in error
    np.save(tmp_path / "x.npy", np.where(array == 0.1, 0.5, array))
    for compression in ["lossless", "pco", "none"]:
        cvc("pack", tmp_path / "x.npy", "-f", "--compression", compression)
        assert unpacked(tmp_path / "x.npy.cvc")[7].tolist() == [1, 1, 0.5]


def test_integers_of_one_column_keep_their_type_by_pco(tmp_path: Path) -> None:
    array = np.array([[2**53 + 1], [-(2**62)]])
    np.save(tmp_path / "x.npy", array)
    cvc("pack", tmp_path / "x.npy", "--compression", "pco")
    back = unpacked(tmp_path / "x.npy.cvc")
    assert back.dtype == np.int64 and np.array_equal(back, array)
    assert "int64 would be rounded" in cvc_refused(
        "pack", tmp_path / "x.npy", "-f", "--compression", "pco", "--version", "1.0", code=USAGE)


@pytest.mark.usefixtures("arrow")
def test_columns_that_would_be_rounded_are_named(tmp_path: Path) -> None:
    wide = pa.FixedSizeListArray.from_arrays(pa.array([0.5, 1.5, 0.1, 2.5]), 2)
    pa.parquet.write_table(pa.table({"id": [1, 2], "wide": wide}), tmp_path / "t.parquet")
    for compression in ["none", "wide=none", "wide=pco"]:
        error = cvc_refused("pack", tmp_path / "t.parquet", "-q", "--compression", compression,
                            code=USAGE)
        assert "column 'wide': row 1, dimension 0 (0.1)" in error and "float64" in error
    ran = cvc("pack", tmp_path / "t.parquet")
    assert "column 'wide' is rounded to float32" in ran.err


@pytest.mark.parametrize("compression", STEPS)
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(tmp_path: Path, compression: str, odd: float) -> None:
    array = vectors(90, 8)
    array[53, 2] = odd
    np.save(tmp_path / "x.npy", array)
    words = ["pack", tmp_path / "x.npy", "--compression", compression, "--chunk-rows", 30, "-f",
             "-q"]
    error = cvc_refused(*words, code=USAGE)
    assert f"row 53, dimension 2 ({odd})" in error and "--allow-nonfinite" in error
    assert "::" not in error and leftovers(tmp_path) == []
    ran = cvc(*words, "--allow-nonfinite")
    made = tmp_path / "x.npy.cvc"
    back = unpacked(made)
    lost = int(np.isfinite(array).sum() - np.isfinite(back).sum())
    assert lost == {"int8": 239, "int8_row": 7}.get(compression, 29)
    assert f"{lost} finite numbers are lost" in ran.err
    hit = np.zeros(array.shape, bool)
    rows = slice(53, 54) if compression == "int8_row" else slice(30, 60)
    columns = slice(2, 3) if compression in ("int8_dim", "int4") else slice(None)
    hit[rows, columns] = True
    assert np.array_equal(np.isnan(back), hit)
    header_of(made)
    if compression == "int8":  # the package reads the same values
        assert np.array_equal(np.isnan(decompressed.load_cvc(str(made))), hit)


def test_columns_of_values_that_are_not_finite(tmp_path: Path) -> None:
    array, ids = vectors(20, 3), np.arange(20)
    array[4, 1] = np.nan
    content = safetensors({"text": ("F32", array), "id": ("I64", ids)})
    (tmp_path / "x.safetensors").write_bytes(content)
    error = cvc_refused("pack", tmp_path / "x.safetensors", "--compression", "int8_dim", code=USAGE)
    assert "column 'text': row 4, dimension 1 (nan)" in error


@pytest.mark.parametrize("text", ['{"a": 1e400}', "[-1e999]", "NaN", '{"a": [Infinity]}',
                                  "-Infinity", '"\\ud800"', '{"\\udfff": 1}', "1e-999"])
def test_metadata_that_is_no_json(tmp_path: Path, text: str) -> None:
    np.save(tmp_path / "x.npy", vectors(3, 2))
    for words in ([], ["--version", "0.1"], ["--compression", "none"]):
        error = cvc_refused("pack", tmp_path / "x.npy", "--metadata", text, *words, code=USAGE)
        assert "metadata" in error
    assert not (tmp_path / "x.npy.cvc").exists()


def test_metadata_that_is_json(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", vectors(3, 2))
    text = '{"a": [1e308, -0.0, 5e-324, "\\ud83d\\ude00 NaN"], "é": null}'
    cvc("pack", tmp_path / "x.npy", "--metadata", text)
    assert header_of(tmp_path / "x.npy.cvc")["metadata"] == json.loads(text)
    assert info(tmp_path / "x.npy.cvc")["metadata"] == json.loads(text)


@pytest.mark.parametrize(("names", "word"), [(["", "b"], "blank"), ([" ", "b"], "blank")])
def test_names_that_columns_cannot_have(tmp_path: Path, names: list[str], word: str) -> None:
    content = safetensors({name: ("F32", vectors(3, 2)) for name in names})
    (tmp_path / "x.safetensors").write_bytes(content)
    assert word in cvc_refused("pack", tmp_path / "x.safetensors", code=FAILURE)
    cvc("pack", tmp_path / "x.safetensors", "--column", 1)


@pytest.mark.usefixtures("arrow")
def test_names_that_two_columns_have(tmp_path: Path) -> None:
    table = pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    assert "two columns are named 'a'" in cvc_refused("pack", tmp_path / "t.arrow", code=FAILURE)
    cvc("pack", tmp_path / "t.arrow", "--column", 1)
    assert unpacked(tmp_path / "t.arrow.cvc").tolist() == [3, 4]
