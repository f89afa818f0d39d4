# SPDX-License-Identifier: Apache-2.0
"""`numpact cvc slice`, `concat`, `upgrade`: payloads go from file to file as they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_program import FAILURE, USAGE, leftovers
from cvc_support import (
    FIXTURES,
    cvc,
    cvc_refused,
    info,
    payloads,
    safetensors,
    unpacked,
    vectors,
)

import decompressed

# The package takes the length of one header for a version.
OLD = [path for path in sorted(FIXTURES.glob("v01_*.cvc")) if "header_65537" not in path.name]
SECTIONS = [(5, {"n": 1}), (27, {"n": 2}), (3, {"n": 1}), (40, {"n": 3})]


def sectioned(path: Path, compression: str = "int8") -> np.ndarray:
    whole = vectors(75, 4)
    starts = np.cumsum([0] + [rows for rows, _ in SECTIONS])
    parts = [(whole[start : start + rows], about)
             for start, (rows, about) in zip(starts, SECTIONS)]
    decompressed.pack_cvc_sections(parts, str(path), chunk_size=10, compression=compression)
    return whole


@pytest.mark.parametrize("old", OLD, ids=lambda path: path.stem)
def test_upgrade_as_the_package_does(tmp_path: Path, old: Path) -> None:
    cvc("upgrade", old, tmp_path / "ours.cvc")
    decompressed.upgrade_cvc(str(old), str(tmp_path / "theirs.cvc"))
    assert (tmp_path / "ours.cvc").read_bytes() == (tmp_path / "theirs.cvc").read_bytes()


def test_upgrade_of_others(tmp_path: Path) -> None:
    target = tmp_path / "new.cvc"
    cvc("upgrade", FIXTURES / "v10_mmap_int8.cvc", target)
    assert info(target)["layout"] == "single"
    assert payloads(target) == payloads(FIXTURES / "v10_mmap_int8.cvc")
    assert "exists already" in cvc_refused("upgrade", OLD[0], target, code=FAILURE)
    assert info(target)["rows"] == 70
    cvc("upgrade", OLD[0], target, "-f")
    cvc_refused("upgrade", FIXTURES / "v20_mixed.cvc", target, "-f", code=FAILURE)
    cvc_refused("upgrade", target, target, "-f", code=FAILURE)
    out = cvc("upgrade", "-", "-", stdin=OLD[0].read_bytes()).out
    assert out == target.read_bytes() and leftovers(tmp_path) == []


@pytest.mark.parametrize("name", ["v01_int8", "v01_sections_fp16", "v10_sections_twice_in_chunk",
                                  "v10_mmap_metadata", "v10_lossless", "v20_mixed", "v20_sections",
                                  "v20_int_columns_compressed"])
def test_slices_of_all(tmp_path: Path, name: str) -> None:
    source, target = FIXTURES / f"{name}.cvc", tmp_path / "s.cvc"
    cvc("slice", source, target)
    assert target.read_bytes() == source.read_bytes() or name == "v10_mmap_metadata"
    assert payloads(target) == payloads(source)
    rows = info(source)["rows"]
    columns = info(source)["columns"] if info(source)["layout"] == "columnar" else [None]
    for first in range(0, rows, max(1, rows // 4)):
        count = min(rows - first, 1 + first % 13)
        cvc("slice", source, target, "-f", "--rows", f"{first}:{count}")
        cvc("verify", target)
        for column in columns:
            words = [] if column is None else ["--column", column["name"]]
            cvc("unpack", source, "-f", "-o", tmp_path / "x.npy", "--rows", f"{first}:{count}",
                *words)
            assert np.array_equal(unpacked(target, *words), np.load(tmp_path / "x.npy"))


def unpacked_copy(tmp_path: Path, source: Path) -> np.ndarray:
    """All rows of a file in a folder that is not written to."""
    copy = tmp_path / "copy.cvc"
    copy.write_bytes(source.read_bytes())
    array = unpacked(copy)
    for path in tmp_path.glob("copy.cvc*"):
        path.unlink()
    return array


def test_metadata_that_is_no_json_is_not_copied(tmp_path: Path) -> None:
    source = FIXTURES / "v10_chunk_metadata.cvc"  # a chunk has NaN in its metadata
    assert len(unpacked_copy(tmp_path, source)) == info(source)["rows"]
    for words in (["slice", source, tmp_path / "s.cvc"], ["concat", source, "-o",
                                                          tmp_path / "s.cvc"]):
        assert "metadata has NaN, which is not JSON" in cvc_refused(*words, code=USAGE)
    assert not (tmp_path / "s.cvc").exists() and leftovers(tmp_path) == []
    for name in ["v10_int8_nan", "v10_int8_inf", "v10_int8_neg_inf", "v10_int8_huge_range"]:
        cvc("slice", FIXTURES / f"{name}.cvc", tmp_path / "s.cvc", "-f")
        content = (tmp_path / "s.cvc").read_bytes()
        assert b"NaN" not in content and b"Infinity" not in content
        np.testing.assert_array_equal(unpacked(tmp_path / "s.cvc"),
                                      unpacked_copy(tmp_path, FIXTURES / f"{name}.cvc"))


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless"])
def test_whole_chunks_keep_their_bytes(tmp_path: Path, compression: str) -> None:
    source, target = tmp_path / "x.cvc", tmp_path / "s.cvc"
    sectioned(source, compression)
    cvc("slice", source, target, "--rows", "13:40")
    before, after = info(source)["chunks"], info(target)["chunks"]
    assert [chunk["rows"] for chunk in after] == [7, 10, 10, 10, 3]
    assert payloads(target)[1:4] == payloads(source)[2:5]
    for ours, theirs in zip(after, before[1:6]):
        # A cut chunk keeps the meaning of its codes.
        for key in ("compression", "min", "scale"):
            assert ours["columns"][0].get(key) == theirs["columns"][0].get(key)
    if compression != "lossless":
        width = {"fp16": 2, "int8": 1}[compression] * 4
        assert payloads(target)[0] == payloads(source)[1][3 * width :]
        assert payloads(target)[4] == payloads(source)[5][: 3 * width]
    assert info(target)["sections"] == [
        {"first_row": 0, "rows": 19, "metadata": {"n": 2}},
        {"first_row": 19, "rows": 3, "metadata": {"n": 1}},
        {"first_row": 22, "rows": 18, "metadata": {"n": 3}}]
    assert np.array_equal(decompressed.load_cvc(str(target)), unpacked(source)[13:53])


@pytest.mark.parametrize("compression", ["bfloat16", "int4", "int8_row", "int8_dim", "pco", "rot3"])
def test_values_of_cut_chunks_stay(tmp_path: Path, compression: str) -> None:
    """Bit for bit, whatever stands beside the codes; as many rows as dimensions are the trap."""
    for rows, dimension in [(50, 7), (14, 7), (49, 8)]:
        np.save(tmp_path / "x.npy", vectors(rows, dimension))
        source, target = tmp_path / "x.cvc", tmp_path / "s.cvc"
        cvc("pack", tmp_path / "x.npy", "-f", "--compression", compression, "--chunk-rows",
            dimension, "-o", source)
        ran = cvc("slice", source, target, "-f", "--rows", "3:10")
        assert "rounded again" not in ran.err
        assert np.array_equal(unpacked(target), unpacked(source)[3:13])
        assert info(target)["columns"][0]["compression"] == compression
    tables = {"text": vectors(50, 6), "id": np.arange(50)}
    (tmp_path / "x.safetensors").write_bytes(
        safetensors({"text": ("F32", tables["text"]), "id": ("I64", tables["id"])}))
    cvc("pack", tmp_path / "x.safetensors", "-f", "--compression", f"text={compression},id=pco",
        "--chunk-rows", 20, "-o", source)
    cvc("slice", source, target, "-f", "--rows", "5:30")
    assert np.array_equal(loaded(tmp_path, target, "id"), tables["id"][5:35])
    assert np.array_equal(loaded(tmp_path, target, "text"),
                          loaded(tmp_path, source, "text")[5:35])


def test_sections_and_columns(tmp_path: Path) -> None:
    source, target = tmp_path / "x.cvc", tmp_path / "s.cvc"
    sectioned(source)
    cvc("slice", source, target, "--section", "n=1")
    expected = np.concatenate([unpacked(source)[:5], unpacked(source)[32:35]])
    assert np.array_equal(unpacked(target), expected)
    assert [section["rows"] for section in info(target)["sections"]] == [5, 3]
    mixed = FIXTURES / "v20_mixed.cvc"
    names = [column["name"] for column in info(mixed)["columns"]]
    chosen = [names[2], names[0]]
    cvc("slice", mixed, target, "-f", "--column", chosen[0], "--column", chosen[1])
    assert [column["name"] for column in info(target)["columns"]] == chosen
    for name in chosen:
        assert np.array_equal(unpacked(target, "--column", name), loaded(tmp_path, mixed, name))
    cvc_refused("slice", source, target, "-f", "--column", "0", code=USAGE)
    cvc_refused("slice", source, target, "-f", "--rows", "70:6", code=USAGE)
    cvc("slice", source, target, "-f", "--rows", "3:0")
    assert info(target)["rows"] == 0


def loaded(tmp_path: Path, source: Path, column: str) -> np.ndarray:
    cvc("unpack", source, "-f", "-o", tmp_path / "c.npy", "--column", column)
    return np.load(tmp_path / "c.npy")


def test_concat(tmp_path: Path) -> None:
    first, target = tmp_path / "x.cvc", tmp_path / "c.cvc"
    sectioned(first)
    second = tmp_path / "y.cvc"
    np.save(tmp_path / "y.npy", vectors(23, 4, 2))
    cvc("pack", tmp_path / "y.npy", "--compression", "lossless", "--metadata", '{"a":1}', "-o",
        second)
    ran = cvc("concat", first, second, first, "-o", target)
    assert "its metadata is left out" in ran.err
    assert payloads(target) == payloads(first) + payloads(second) + payloads(first)
    # The package does not read chunks of several compressions.
    assert np.array_equal(unpacked(target), np.concatenate(
        [unpacked(first), unpacked(second), unpacked(first)]))
    starts = [section["first_row"] for section in info(target)["sections"]]
    assert starts == [0, 5, 32, 35, 98, 103, 130, 133]
    halves = [tmp_path / "a.cvc", tmp_path / "b.cvc"]
    cvc("slice", first, halves[0], "--rows", "0:40")
    cvc("slice", first, halves[1], "--rows", "40:35")
    cvc("concat", *halves, "-f", "-o", target)
    assert payloads(target) == payloads(first)
    assert np.array_equal(decompressed.load_cvc(str(target)), unpacked(first))


def test_concat_of_files_that_differ(tmp_path: Path) -> None:
    old, columns = FIXTURES / "v01_int8.cvc", FIXTURES / "v20_mixed.cvc"
    target = tmp_path / "c.cvc"
    np.save(tmp_path / "x.npy", vectors(5, 3))
    cvc("pack", tmp_path / "x.npy")
    for other in (columns, tmp_path / "x.npy.cvc"):
        assert "dimension" in cvc_refused("concat", old, other, "-o", target, code=FAILURE)
    assert "columns" in cvc_refused("concat", columns, FIXTURES / "v20_names.cvc", "-o", target,
                                    code=FAILURE)
    cvc_refused("concat", old, code=USAGE)
    assert not target.exists()
    new = tmp_path / "new.cvc"
    cvc("upgrade", old, new)
    cvc("concat", old, old, "-o", target)
    assert info(target)["version"] == "0.1"
    cvc("concat", old, new, "-f", "-o", target)
    assert info(target)["version"] == "1.0"
    cvc("concat", columns, columns, "-f", "-o", target)
    assert payloads(target) == payloads(columns) * 2
    assert json.loads(cvc("verify", "--json", target).text)[0]["ok"]
