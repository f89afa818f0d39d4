# SPDX-License-Identifier: Apache-2.0
"""Intact files of other formats are named, with what reads them, and not called corrupt."""

from __future__ import annotations

import gzip
import io
import pickle
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc


def npy() -> bytes:
    out = io.BytesIO()
    np.save(out, np.arange(9))
    return out.getvalue()


def npz() -> bytes:
    out = io.BytesIO()
    np.savez(out, a=np.arange(9))
    return out.getvalue()


def parquet() -> bytes:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2]}), out)
    return out.getvalue()


def arrow(is_stream: bool) -> bytes:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1, 2]})
    out = io.BytesIO()
    make = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with make(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("\x01a"), io.BytesIO())
    return out.getvalue()


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", "b")
    return out.getvalue()


def sqlite(folder: Path) -> bytes:
    connection = sqlite3.connect(folder / "a.db")
    connection.execute("create table t(a)")
    connection.commit()
    connection.close()
    return (folder / "a.db").read_bytes()


def vectors(folder: Path) -> bytes:
    cvc.pack_cvc(np.ones((5, 3), np.float32), folder / "a.cvc")
    return (folder / "a.cvc").read_bytes()


# The bytes, the name, and the start of the advice for readers of Pco files. Some are only the first
# bytes, by the documents of the formats.
FORMATS: dict[str, tuple[Callable[[Path], bytes], str, str]] = {
    "npy": (lambda _: npy(), "an NPY file", "'numpact compress FILE'"),
    "npz": (lambda _: npz(), "a ZIP archive", "extract"),
    "zip": (lambda _: zipped(), "a ZIP archive", "extract"),
    "parquet": (lambda _: parquet(), "a Parquet file", "'numpact compress FILE'"),
    "arrow": (lambda _: arrow(False), "an Arrow IPC file", "'numpact compress FILE'"),
    "stream": (lambda _: arrow(True), "an Arrow IPC stream", "'numpact compress FILE'"),
    "tar": (lambda _: tar(), "a tar archive", "extract"),
    "gzip": (lambda _: gzip.compress(b"a,b\n1,2\n"), "a gzip file", "decompress it first"),
    "csv": (lambda _: b"a,b\n1,2\n3,4\n", "a text file", "'numpact compress FILE'"),
    "bom": (lambda _: b"\xef\xbb\xbfa,b\n1,2\n3,4\n", "a text file", "'numpact compress FILE'"),
    "pickle": (lambda _: pickle.dumps([1] * 9, 5), "a Python pickle", "export"),
    "sqlite": (sqlite, "an SQLite database", "export"),
    "cvc": (vectors, "a CVC file", "'numpact cvc unpack FILE'"),
    "hdf5": (lambda _: b"\x89HDF\r\n\x1a\n" + bytes(99), "an HDF5 or netCDF-4 file", "xarray"),
    "netcdf": (lambda _: b"CDF\x02" + bytes(99), "a netCDF file", "xarray"),
    "png": (lambda _: b"\x89PNG\r\n\x1a\n" + bytes(99), "a PNG image", "export"),
    "zstd": (lambda _: b"\x28\xb5\x2f\xfd" + bytes(99), "a zstd file", "decompress it first"),
    "safetensors": (
        lambda _: (60).to_bytes(8, "little") + b'{"a":{"dtype":"F32"}}'.ljust(60),
        "a safetensors file",
        "'numpact cvc pack FILE'",
    ),
}

READERS: dict[str, Callable[[bytes], Any]] = {
    "decompress": numpact.decompress,
    "inspect": numpact.inspect,
    "open": numpact.open,
    "salvage": numpact.salvage,
    "decompress_arrow": numpact.decompress_arrow,
    "add_trailer": numpact.add_trailer,
    "decompress_into": lambda data: numpact.decompress_into(data, np.empty(9)),
}


@pytest.mark.parametrize("name", FORMATS)
def test_readers_of_pco_files(name: str, tmp_path: Path) -> None:
    make, words, advice = FORMATS[name]
    data = make(tmp_path)
    for read in READERS.values():
        with pytest.raises(numpact.OtherFormatError) as caught:
            read(data)
        message = str(caught.value)
        assert (
            message
            == f"another format: this is {words}, not a standalone Pco file; "
            + (message.partition("; ")[2])
        )
        assert message.partition("; ")[2].startswith(advice)
        assert caught.value.kind == "another format"
        assert isinstance(caught.value, numpact.CorruptError)  # code for older versions goes on
    assert "corrupt" not in str(numpact.verify(data))


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "cvc"])
def test_readers_of_vectors(name: str, tmp_path: Path) -> None:
    make, words, _ = FORMATS[name]
    path = tmp_path / "file"
    path.write_bytes(make(tmp_path))
    for read in (cvc.Reader, cvc.load_cvc):
        with pytest.raises(numpact.OtherFormatError, match=f"this is {words}, not a CVC file; "):
            read(path)


def test_files_of_the_package() -> None:
    pco = numpact.compress([1, 2, 3])
    with pytest.raises(numpact.OtherFormatError, match=r"a standalone Pco file.*decompress FILE"):
        cvc.Reader(pco)
    pa = pytest.importorskip("pyarrow")
    frame = numpact.compress_arrow(pa.array([1, None, 3]))
    with pytest.raises(numpact.OtherFormatError, match=r"numpact\.decompress_arrow"):
        numpact.decompress(frame)


@pytest.mark.parametrize("data", [b"pca!" + bytes(50), bytes(50), b"\xff" * 50, b"short"])
def test_unknown_bytes_are_corrupt(data: bytes) -> None:
    with pytest.raises(numpact.CorruptError, match="not a standalone Pco file") as caught:
        numpact.decompress(data)
    assert type(caught.value) is numpact.CorruptError
    assert str(caught.value).startswith("corrupt: ")


def test_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(npy())
    with pytest.raises(numpact.OtherFormatError, match=r"a\.npy: another format: this is an NPY"):
        numpact.add_trailer(path)
    assert path.read_bytes() == npy()
