# SPDX-License-Identifier: Apache-2.0
"""`numpact cvc info`, `verify`, `unpack` on the files of other writers, good and bad."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from archives import unpacked as unpacked_archive
from cli_program import CORRUPT, DONE, FAILURE, LIMIT, USAGE, run
from cvc_support import ARRAYS, FIXTURES, GOOD, cvc, cvc_refused, info, unpacked, vectors

BAD = sorted((unpacked_archive("cvc/bad.zip") / "bad").glob("*.cvc"))


@pytest.fixture
def hurt(tmp_path: Path) -> Path:
    """Ten chunks of ten rows, the fourth and the last of them damaged."""
    np.save(tmp_path / "x.npy", vectors(100, 3))
    made = tmp_path / "hurt.cvc"
    cvc("pack", tmp_path / "x.npy", "--compression", "lossless", "--chunk-rows", 10, "-o", made)
    content = bytearray(made.read_bytes())
    for chunk in (3, 9):
        content[info(made)["chunks"][chunk]["offset"] + 30] ^= 0x10
    made.write_bytes(content)
    return made


def test_all_good_files(tmp_path: Path) -> None:
    listing = cvc("verify", *[FIXTURES / f"{name}.cvc" for name in GOOD]).text
    assert listing.count(": OK, ") == len(GOOD) > 70
    compared = 0
    for name in GOOD:
        described = info(FIXTURES / f"{name}.cvc")
        assert sum(chunk["rows"] for chunk in described["chunks"]) == described["rows"]
        assert described["layout"] in ("single", "columnar", "paged")
        for column in described["columns"]:
            array, options = f"{name}.{column['name']}", ["--column", column["name"]]
            if described["layout"] != "columnar":
                array, options = name, []
            if array not in ARRAYS:
                continue
            compared += 1
            expected = ARRAYS[array]
            cvc("unpack", FIXTURES / f"{name}.cvc", "-f", "-o", tmp_path / "y.npy", *options)
            got = np.load(tmp_path / "y.npy")
            assert got.size == expected.size, name
            # The package gives integers that are stored as they are as float32.
            assert np.array_equal(got.ravel().astype(expected.dtype), expected.ravel(),
                                  equal_nan=expected.dtype.kind == "f"), (name, column)
            assert got.dtype.kind != "i" or column["compression"] in ("none", "pco")
    assert compared > 90


def test_texts_about_all_good_files() -> None:
    for name in GOOD:
        text = cvc("info", FIXTURES / f"{name}.cvc").text
        assert text.startswith(f"{FIXTURES / name}.cvc: CVC ")
        assert max(map(len, text.splitlines())) < 300


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_files(tmp_path: Path, path: Path) -> None:
    assert run("cvc", "verify", path, code=CORRUPT).err
    (reported,) = json.loads(cvc("verify", "--json", path, code=CORRUPT).text)
    assert reported["ok"] is False and (reported.get("error") or reported["bad"])
    rejected = run("cvc", "info", path, code=None)
    assert rejected.code in (DONE, CORRUPT)
    ran = run("cvc", "unpack", path, "-o", tmp_path / "y.safetensors", code=None)
    assert ran.code in (DONE, CORRUPT) and list(tmp_path.iterdir()) == (
        [tmp_path / "y.safetensors"] if ran.code == DONE else [])
    for command in (["slice", path, tmp_path / "s.cvc", "--rows", "0:1"],
                    ["concat", path, "-o", tmp_path / "s.cvc"],
                    ["upgrade", path, tmp_path / "s.cvc"]):
        assert run("cvc", *command, "-f", code=None).code in (DONE, FAILURE, USAGE, CORRUPT)


def test_json_of_info(tmp_path: Path) -> None:
    reported = info(FIXTURES / "v20_mixed.cvc")
    assert list(reported) == ["file", "version", "layout", "checksums", "rows", "file_bytes",
                          "float32_bytes", "header_bytes", "columns", "chunks", "sections",
                          "metadata"]
    assert reported["version"] == "2.0" and reported["checksums"] is True
    assert list(reported["columns"][0]) == ["name", "dimension", "dtype", "compression"]
    assert list(reported["chunks"][0]) == ["first_row", "rows", "offset", "bytes", "metadata",
                                       "columns"]
    assert reported["file_bytes"] == (FIXTURES / "v20_mixed.cvc").stat().st_size
    reported = info(FIXTURES / "v10_sections_int8.cvc")
    assert reported["sections"][1] == {"first_row": 17, "rows": 40,
                                   "metadata": {"source": "arxiv", "year": 2024}}
    slices = [chunk["columns"][0] for chunk in reported["chunks"]]
    assert all(slice["compression"] == "int8" and slice["scale"] > 0 for slice in slices)
    reported = info(FIXTURES / "v10_int8_nan.cvc")
    assert reported["chunks"][0]["columns"][0]["min"] is None
    assert info(FIXTURES / "v01_int8.cvc")["checksums"] is False


def test_long_lists_are_cut(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", vectors(1000, 2))
    cvc("pack", tmp_path / "x.npy", "--chunk-rows", 5)
    text = cvc("info", tmp_path / "x.npy.cvc").text
    assert "... 184 more ..." in text and len(text.splitlines()) < 30


def test_selections(tmp_path: Path) -> None:
    source = FIXTURES / "v10_sections_int8.cvc"
    for name in ["wiki", "arxiv"]:
        for value in (name, json.dumps(name)):
            cvc("unpack", source, "-f", "-o", tmp_path / "y.npy", "--section", f"source={value}")
            expected = ARRAYS[f"v10_sections_int8.sel-source-{name}"]
            assert np.array_equal(np.load(tmp_path / "y.npy"), expected)
    cvc("unpack", source, "-f", "-o", tmp_path / "y.npy", "--section", "year=2024")
    assert len(np.load(tmp_path / "y.npy")) == 57
    cvc_refused("unpack", source, "-f", "-o", tmp_path / "y.npy", "--section", "year=2024",
                "--rows", "0:1", code=USAGE)
    cvc_refused("unpack", FIXTURES / "v20_mixed.cvc", "-o", tmp_path / "z.npy", code=USAGE)
    cvc_refused("unpack", FIXTURES / "v20_mixed.cvc", "-o", tmp_path / "z.npy", "--column", "nix",
                code=USAGE)
    cvc_refused("unpack", source, code=USAGE)
    cvc_refused("unpack", source, "-o", tmp_path / "y.zip", code=USAGE)
    assert not (tmp_path / "z.npy").exists()


def test_damage_is_named(hurt: Path) -> None:
    ran = cvc("verify", hurt, FIXTURES / "v10_int8.cvc", code=CORRUPT)
    assert "chunk 3: " in ran.err and "rows 30 to 39" in ran.err and "chunk 9: " in ran.err
    assert "2 of 10 chunks are damaged" in ran.err and ran.text.count(": OK, ") == 1
    damaged, sound = json.loads(cvc("verify", "--json", hurt, FIXTURES / "v10_int8.cvc",
                                    code=CORRUPT).text)
    assert sound["ok"] and sound["bad"] == []
    assert [(bad["chunk"], bad["first_row"], bad["rows"]) for bad in damaged["bad"]] == [
        (3, 30, 10), (9, 90, 10)]
    assert damaged["bad"][0]["offset"] == info(hurt)["chunks"][3]["offset"]
    assert "missing" in cvc("verify", hurt.with_name("missing"), code=FAILURE).err
    cvc("verify", FIXTURES / "v10_fp16.cvc", "--max-memory", "16", code=LIMIT)


def test_limits_are_no_damage(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", vectors(3000, 16))
    made = tmp_path / "x.cvc"
    cvc("pack", tmp_path / "x.npy", "--compression", "pco", "-o", made)
    cvc("verify", made, "--max-memory", "10M", "--max-output", 3000 * 16 * 4)
    for limit in [("--max-memory", "50K"), ("--max-output", 3000 * 16 * 4 - 1)]:
        assert "damaged" not in cvc("verify", made, *limit, code=LIMIT).err


def test_damage_of_a_chunk_without_rows(tmp_path: Path) -> None:
    header = b'{"num_vectors":0,"dimension":2,"compression":"fp16","chunks":[{"rows":0}]}'
    path = tmp_path / "x.cvc"
    path.write_bytes(b"CVCF" + struct.pack("<HHI", 1, 0, len(header)) + header
                     + struct.pack("<II", 0, 1))
    assert "no rows, record at byte" in cvc("verify", path, code=CORRUPT).err


def test_what_to_do_about_damage(hurt: Path) -> None:
    whole = vectors(100, 3)
    target = hurt.with_name("y.npy")
    error = cvc_refused("unpack", hurt, "-o", target, code=CORRUPT)
    assert "chunk 3" in error and not target.exists()
    cvc_refused("unpack", hurt, "-o", target, "--rows", "35:2", code=CORRUPT)
    assert np.array_equal(unpacked(hurt, "--rows", "40:50"), whole[40:90])

    ran = cvc("unpack", hurt, "-o", target, "-q", "--on-corruption", "drop")
    assert "rows 30 to 39 are left out" in ran.err and "rows 90 to 99" in ran.err
    assert np.array_equal(np.load(target), np.concatenate([whole[:30], whole[40:90]]))
    ran = cvc("unpack", hurt, "-f", "-o", target, "--on-corruption", "fill", "--fill", "-1")
    assert "filled with -1" in ran.err
    filled = whole.copy()
    filled[30:40] = filled[90:] = -1
    assert np.array_equal(np.load(target), filled)
    for name in ["y.safetensors", "y.fvecs"]:
        cvc("unpack", hurt, "-o", hurt.with_name(name), "--on-corruption", "drop")
    assert hurt.with_name("y.fvecs").stat().st_size == 80 * (4 + 3 * 4)
    cvc_refused("unpack", hurt, "-o", "-", "--to", "npy", "--on-corruption", "drop", code=FAILURE)


def test_damage_is_not_copied(hurt: Path) -> None:
    for command in (["slice", hurt, hurt.with_name("s.cvc"), "--rows", "35:2"],
                    ["slice", hurt, hurt.with_name("s.cvc"), "--rows", "30:10"],
                    ["concat", hurt, hurt, "-o", hurt.with_name("s.cvc")]):
        assert "chunk 3" in cvc_refused(*command, code=CORRUPT)
        assert not hurt.with_name("s.cvc").exists()
    cvc("slice", hurt, hurt.with_name("s.cvc"), "--rows", "40:50")
