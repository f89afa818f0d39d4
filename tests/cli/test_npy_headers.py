# SPDX-License-Identifier: Apache-2.0
"""NPY headers that others write, for `compress` and `cvc pack`."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from cli_program import CORRUPT, refused, run


def npy(header: str, data: bytes, version: int = 1) -> bytes:
    text = header.encode("utf-8" if version == 3 else "latin-1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def header(shape: str, descr: str = "'<i8'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".ljust(69) + "\n"


NUMBERS = np.arange(6, dtype=np.int64)


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("shape", ["(6L,)", "(6,)", "( 6L , )", "(6L ,)", "(\t6L,\n)", "(6l,)"])
def test_one_dimension(tmp_path: Path, shape: str, version: int) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(npy(header(shape), NUMBERS.tobytes(), version))
    run("compress", path, "-q", "-o", tmp_path / "x.pco")
    run("decompress", tmp_path / "x.pco", "-o", tmp_path / "y.npy")
    assert np.array_equal(np.load(tmp_path / "y.npy"), NUMBERS)
    run("cvc", "pack", path, "-q", "-o", tmp_path / "x.cvc")
    run("cvc", "unpack", tmp_path / "x.cvc", "-o", tmp_path / "z.npy")
    assert np.array_equal(np.load(tmp_path / "z.npy"), NUMBERS)


@pytest.mark.parametrize("shape", ["(3L, 2L)", "(3L,2L)", "(3L,  2)", "(3, 2L ,)"])
def test_two_dimensions(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(npy(header(shape), NUMBERS.tobytes()))
    run("compress", path, "-q", "--flatten", "-o", tmp_path / "x.pco")
    run("cvc", "pack", path, "-q", "-o", tmp_path / "x.cvc")
    run("cvc", "unpack", tmp_path / "x.cvc", "-o", tmp_path / "z.npy")
    assert np.array_equal(np.load(tmp_path / "z.npy"), NUMBERS.reshape(3, 2))


def test_strings_of_python_2(tmp_path: Path) -> None:
    text = "{u'shape': (6L,), u'descr': u'<i8', \"fortran_order\": False}\n"
    (tmp_path / "x.npy").write_bytes(npy(text, NUMBERS.tobytes()))
    run("compress", tmp_path / "x.npy", "-q", "-o", tmp_path / "x.pco")
    run("cvc", "pack", tmp_path / "x.npy", "-q", "-o", tmp_path / "x.cvc")


@pytest.mark.parametrize("text", [
    header("(L,)"), header("(6LL,)"), header("(6L 1,)"), header("(-6L,)"), header("(6.0,)"),
    header("6L"), header("(18446744073709551616L,)"), header("(" + "1L, " * 65 + ")"),
    header("(6L,)", "uu'<i8'"), header("(6L,)", "u '<i8'"), header("(6L,") , header("(6L,)")[:-20],
    "{" * 60000, "(" * 60000, header("(" + "9" * 60000 + "L,)"), ""])
def test_malformed_headers(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(npy(text, NUMBERS.tobytes()))
    for words in (["compress", path, "-o", tmp_path / "x.pco"],
                  ["cvc", "pack", path, "-o", tmp_path / "x.cvc"]):
        assert len(refused(*words, code=CORRUPT)) < 300
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.npy"]


def test_lengths_that_are_not_there(tmp_path: Path) -> None:
    for content in [b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1) + b"{",
                    b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**20 + 1) + b" " * (2**20 + 1),
                    b"\x93NUMPY\x01\x00\xff\xff{", b"\x93NUMPY\x04\x00\x10\x00", b"\x93NUMPY\x01"]:
        (tmp_path / "x.npy").write_bytes(content)
        refused("compress", tmp_path / "x.npy", code=CORRUPT)
        refused("cvc", "pack", tmp_path / "x.npy", code=CORRUPT)
