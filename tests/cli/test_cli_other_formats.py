# SPDX-License-Identifier: Apache-2.0
"""Intact files of other formats: commands name the format and the command for it."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest
from cli_program import CORRUPT, USAGE, refused, run


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files, each of the format of its name. Some are only the first bytes."""
    folder = tmp_path_factory.mktemp("formats")
    np.save(folder / "a.npy", np.arange(9, dtype=np.float32))
    (folder / "npy").write_bytes((folder / "a.npy").read_bytes())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a", "b")
    (folder / "zip").write_bytes(packed.getvalue())
    connection = sqlite3.connect(folder / "sqlite")
    connection.execute("create table t(a)")
    connection.commit()
    connection.close()
    run("compress", folder / "a.npy", "-q", "-o", folder / "pco")
    run("cvc", "pack", folder / "a.npy", "-q", "-o", folder / "cvc")
    for name, start in [("parquet", b"PAR1"), ("arrow", b"ARROW1\0\0"),
                        ("png", b"\x89PNG\r\n\x1a\n"), ("hdf5", b"\x89HDF\r\n\x1a\n"),
                        ("netcdf", b"CDF\x01"), ("gzip", b"\x1f\x8b\x08"),
                        ("zstd", b"\x28\xb5\x2f\xfd"), ("csv", b"a,b\n1,2\n3,4\n")]:
        (folder / name).write_bytes(start + (bytes(99) if name != "csv" else b""))
    return folder


NAMES = {"npy": "an NPY file", "zip": "a ZIP archive", "sqlite": "an SQLite database",
         "pco": "a standalone Pco file", "cvc": "a CVC file", "parquet": "a Parquet file",
         "arrow": "an Arrow IPC file", "png": "a PNG image", "hdf5": "an HDF5 or netCDF-4 file",
         "netcdf": "a netCDF file", "gzip": "a gzip file", "zstd": "a zstd file",
         "csv": "a text file"}
READ_BY_COMPRESS = ["npy", "parquet", "arrow", "csv"]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "pco"])
def test_commands_for_pco_files(files: Path, name: str) -> None:
    path = files / name
    advice = {"cvc": "; 'numpact cvc unpack FILE' reads "} | dict.fromkeys(
        READ_BY_COMPRESS, "; 'numpact compress FILE' reads ")
    before = path.read_bytes()
    for command in (["decompress"], ["decompress", "--range", "0:2"], ["inspect"], ["verify"],
                    ["index"]):
        line = refused(command[0], path, *command[1:], code=CORRUPT)
        assert line.startswith(f"{path}: another format: this is {NAMES[name]}, not a standalone "
                               "Pco file; "), command
        assert "corrupt" not in line and "good before" not in line and "at byte" not in line
        assert advice.get(name, "") in line
    assert path.read_bytes() == before
    (reported,) = json.loads(run("verify", path, "--json", code=CORRUPT).text)
    assert reported["error"]["kind"] == "another format"
    assert NAMES[name] in reported["error"]["message"]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "cvc"])
def test_commands_for_vectors(files: Path, tmp_path: Path, name: str) -> None:
    advice = {"pco": "; 'numpact decompress FILE' reads it"} | dict.fromkeys(
        ["npy", "parquet", "arrow"], "; 'numpact cvc pack FILE' reads it")
    out = tmp_path / "out.cvc"
    for command in (["info"], ["verify"], ["unpack", "-o", tmp_path / "a.npy"],
                    ["slice", out, "--rows", "0:1"], ["upgrade", out]):
        line = refused("cvc", command[0], files / name, *command[1:], code=CORRUPT)
        assert f"this is {NAMES[name]}, not a CVC file; " in line
        assert "corrupt" not in line
        assert advice.get(name, "") in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["pco", "cvc", "zip", "sqlite", "png", "hdf5", "gzip"])
@pytest.mark.parametrize("command", [["compress"], ["bench"], ["explain"], ["cvc", "pack"]])
def test_commands_that_read_other_formats(files: Path, name: str, command: list[str]) -> None:
    if (name, command) == ("pco", ["explain"]):
        return  # reads it
    line = refused(*command, files / name, code=USAGE)
    assert line.startswith(f"{files / name}: this is {NAMES[name]}; ")


@pytest.mark.parametrize(("ending", "content", "words"), [
    ("npy", "parquet", "this is a Parquet file, not npy as its name says; --from parquet reads it"),
    ("csv", "npy", "this is an NPY file, not csv as its name says; --from npy reads it"),
    ("npy", "pco", "this is a standalone Pco file, not npy as its name says; 'numpact decompress"),
    ("parquet", "cvc", "this is a CVC file, not parquet as its name says; 'numpact cvc unpack"),
    ("csv", "gzip", "this is a gzip file, not csv as its name says; decompress it first"),
])
def test_names_that_say_something_else(files: Path, tmp_path: Path, ending: str, content: str,
                                       words: str) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes((files / content).read_bytes())
    assert refused("compress", path, code=USAGE).startswith(f"{path}: {words}")


def test_text_that_begins_like_a_format(tmp_path: Path) -> None:
    for start in ("PAR1", "ORC", "BZh", "GRIB", "DUCK", "pco!"):
        (tmp_path / "a.csv").write_text(f"{start}\n1\n2\n3\n4\n5\n")
        run("compress", tmp_path / "a.csv", "-qf", "-o", tmp_path / "a.pco")
    # Raw numbers may begin with any bytes.
    (tmp_path / "a.raw").write_bytes(b"PAR1" * 8)
    run("compress", tmp_path / "a.raw", "--dtype", "u32", "-qf", "-o", tmp_path / "a.pco")
