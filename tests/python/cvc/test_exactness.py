# SPDX-License-Identifier: Apache-2.0
"""No value is changed in silence: refused with its place, or counted; headers are JSON."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import unpacked

import numpact
import numpact.decompressed as stand_in
from numpact import cvc

Array = np.ndarray[Any, Any]
FIXTURES = unpacked("cvc/files.zip")
BAD_JSON = [float("nan"), {"a": [1, float("inf")]}, "\ud800", {"\udc00": 1}, [-float("inf")]]


def written(values: Array, **options: Any) -> tuple[cvc.WriteReport, cvc.Reader]:
    with cvc.Writer(None, **options) as writer:
        writer.append(values)
    return writer.close(), cvc.Reader(writer.contents)


def header_of(reader: cvc.Reader) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in the header")

    return json.loads(reader.info.header, parse_constant=refuse)


def any_bits(dtype: str, count: int) -> Array:
    size = np.dtype(dtype).itemsize
    return np.frombuffer(np.random.default_rng(3).bytes(count * size), dtype).reshape(-1, 4)


@pytest.mark.parametrize("compression", ["lossless", "pco"])
@pytest.mark.parametrize("pack", [cvc.pack_cvc, stand_in.pack_cvc])
def test_wider_types_are_kept_or_refused_by_name(
    compression: str, pack: Any, tmp_path: Path
) -> None:
    path = tmp_path / "x.cvc"
    odd: list[tuple[Array, str]] = [
        (np.random.default_rng(0).normal(size=(20, 4)), "float64"),
        (np.array([[5, 2147483649], [0, 2**53 + 1]]), "row 0, dimension 1 .* int64"),
        (np.array([[1], [16777217]], np.int32), "row 1, dimension 0 .* int32"),
        (np.array([[2**32 - 1]], np.uint32), "int64"),
    ]
    for values, words in odd:
        with pytest.raises(numpact.InvalidArgumentError, match=words):
            pack(values, path, compression)
        assert not path.exists()
    for values in (
        np.array([[0.5, -0.0, np.inf, 2.0**-149]]),
        np.array([[-(2**40), 7]]),
        any_bits("i2", 40),
        any_bits("u2", 40),
        any_bits("i1", 40),
        any_bits("u1", 40),
    ):
        pack(values, path, compression)
        found = cvc.load_cvc(path)
        assert np.array_equal(found, values)
        assert np.array_equal(np.signbit(found), np.signbit(values))


@pytest.mark.parametrize("compression", ["lossless", "pco"])
@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_floats_keep_every_bit(compression: str, dtype: str) -> None:
    values = any_bits(dtype, 8000)
    reader = written(values, compression=compression)[1]
    assert reader.read(dtype=dtype).tobytes() == values.tobytes()


def test_bfloat16_is_taken() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = any_bits("u2", 4000).view(ml_dtypes.bfloat16)
    wide = (values.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    for compression in ("lossless", "pco", "bfloat16"):
        found = written(values, compression=compression)[1].read()
        steady = np.isfinite(wide) if compression == "bfloat16" else np.ones(wide.shape, bool)
        assert found[steady].tobytes() == wide[steady].tobytes()


def test_types_that_files_do_not_have(tmp_path: Path) -> None:
    values = {
        "i2": any_bits("i2", 12), "u2": any_bits("u2", 12), "u4": any_bits("u4", 12),
        "u8": any_bits("u8", 12) >> 1,
    }  # fmt: skip
    cvc.pack_cvc_columns(values, tmp_path / "x.cvc")
    found = cvc.load_cvc_columns(tmp_path / "x.cvc")
    assert [array.dtype.name for array in found.values()] == ["int32", "int32", "int64", "int64"]
    for name, array in values.items():
        assert np.array_equal(found[name], array)
    with pytest.raises(numpact.InvalidArgumentError, match=r"column 'a': row 1: .* past .* int64"):
        cvc.pack_cvc_columns({"a": np.array([1, 2**63], np.uint64)}, tmp_path / "x.cvc")
    for bad, name in ((np.ones((2, 2)), "float64"), (np.ones(2, bool), "bool")):
        with pytest.raises(numpact.Error, match=name):
            cvc.pack_cvc_columns({"a": bad}, tmp_path / "x.cvc")


@pytest.mark.parametrize("compression", ["int8", "int8_row", "int8_dim", "int4"])
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(compression: str, odd: float) -> None:
    values = np.random.default_rng(0).normal(size=(90, 8)).astype(np.float32)
    values[53, 2] = odd
    options = {"compression": compression, "chunk_size": 30}
    with pytest.raises(numpact.InvalidArgumentError, match=rf"row 53, dimension 2 \({odd}\)"):
        written(values, **options)
    count = {"int8": 239, "int8_row": 7}.get(compression, 29)
    with pytest.warns(RuntimeWarning, match=f"{count} finite values are lost"):
        report, reader = written(values, allow_nonfinite=True, **options)
    found = reader.read()
    assert report.lost == count == np.isfinite(values).sum() - np.isfinite(found).sum()
    assert pickle.loads(pickle.dumps(report)).lost == count
    assert len(report) == 4
    header_of(reader)


def test_allow_nonfinite_of_the_functions(tmp_path: Path) -> None:
    path = tmp_path / "x.cvc"
    values = np.ones((4, 2), np.float32)
    values[1, 1] = np.nan
    with pytest.raises(numpact.InvalidArgumentError, match="column 'v': row 1, dimension 1"):
        cvc.pack_cvc_columns({"v": values}, path, {"v": "int8_row"})
    with pytest.warns(RuntimeWarning, match="1 finite values are lost"):
        cvc.pack_cvc_columns({"v": values}, path, {"v": "int8_row"}, allow_nonfinite=True)
    with pytest.warns(RuntimeWarning, match="7 finite values are lost"):
        assert cvc.pack_cvc(values, path, "int8", allow_nonfinite=True).lost == 7


@pytest.mark.parametrize("value", BAD_JSON)
def test_metadata_that_is_no_json(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.cvc"
    rows = np.ones((2, 2), np.float32)
    with pytest.raises(numpact.InvalidArgumentError, match="metadata"):
        cvc.Writer(path, metadata=value)
    with pytest.raises(numpact.InvalidArgumentError, match="metadata of chunk 0"):
        cvc.pack_cvc(rows, path, chunk_metadata=[value])
    with pytest.raises(numpact.InvalidArgumentError, match="metadata"):
        cvc.pack_cvc_sections([(rows, value)], path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["\ud800", "", " \n"])
def test_names_that_columns_cannot_have(name: str, tmp_path: Path) -> None:
    rows = {name: np.ones(2, np.float32)}
    with pytest.raises(numpact.InvalidArgumentError, match="name"):
        cvc.pack_cvc_columns(rows, tmp_path / "x.cvc")
    path = tmp_path / "y.cvc"
    cvc.pack_cvc_columns({"a": np.ones(2, np.float32)}, path)
    for change in (cvc.add_column, lambda path, name, _: cvc.rename_column(path, "a", name)):
        with pytest.raises(numpact.InvalidArgumentError, match="name"):
            change(path, name, np.ones(2, np.float32))


def test_headers_of_other_writers(tmp_path: Path) -> None:
    """They are read as they are, and what is made of them is JSON, or is not made."""
    for name in ("v10_int8_nan", "v10_int8_inf", "v10_int8_neg_inf", "v10_int8_huge_range"):
        source, target = FIXTURES / f"{name}.cvc", tmp_path / f"{name}.cvc"
        cvc.upgrade_cvc(source, target)
        header_of(cvc.Reader(target))
        np.testing.assert_array_equal(cvc.load_cvc(target), cvc.load_cvc(source))
    source = FIXTURES / "v10_chunk_metadata.cvc"
    assert np.isnan(cvc.Reader(source).info.chunks[2].metadata["nested"]["b"][3])
    with pytest.raises(numpact.InvalidArgumentError, match=r"\['nested'\]\['b'\]\[3\]: nan is no"):
        cvc.upgrade_cvc(source, tmp_path / "x.cvc")
    assert not (tmp_path / "x.cvc").exists()


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_columns_keep_their_shapes(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.cvc"
    data: dict[str, Array] = {
        "scalar": np.arange(rows), "one": np.arange(rows)[:, None],
        "three": np.zeros((rows, 3), np.float32),
    }  # fmt: skip
    cvc.pack_cvc_columns(data, path)
    cvc.add_column(path, "more", data["one"])
    data["more"] = data["one"]
    found = cvc.load_cvc_columns(path)
    for name, array in data.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype
    assert cvc.Reader(path).info.columns[1].is_vector
    # The package that the format comes from knows scalars only.
    cvc.pack_cvc_columns({"one": np.ones((rows, 1), np.float32)}, path)
    theirs = pytest.importorskip("decompressed").load_cvc_columns(str(path))
    assert theirs["one"].shape == (rows,)


def test_lists_of_equal_length() -> None:
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    expected = np.array([[1, 2], [3, 4]], np.float32)
    lists = pa.array(expected.tolist(), pa.list_(pa.float32()))
    fixed = lists.cast(pa.list_(pa.float32(), 2))
    for form in (lists, fixed, pa.chunked_array([lists[:1], lists[1:]]), pd.Series(list(expected))):
        assert np.array_equal(written_column(form), expected)
    bad: list[tuple[Any, str]] = [
        (pa.array([[1.0, 2.0], [3.0]]), "row 1 has 1 numbers, row 0 has 2"),
        ([[1.0], [2.0, 3.0]], "row 1 has 2 numbers, row 0 has 1"),
        (pa.array([[1.0], None]), "1 null"),
        (pa.array([[1.0], [None]]), "1 null"),
        (pa.array([1.0, None], pa.float32()), "1 null"),
        (pd.Series([[1.0], None]), "row 1 is None"),
        (pa.array([[[1.0]], [[2.0]]]), "row 0"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), "masked"),
    ]
    for form, words in bad:
        with pytest.raises(numpact.Error, match=words):
            written_column(form)


def written_column(values: Any) -> Array:
    with cvc.Writer(None, columns={"v": (2, "float32")}, compression="none") as writer:
        writer.append({"v": values})
    return cvc.Reader(writer.contents).read()
