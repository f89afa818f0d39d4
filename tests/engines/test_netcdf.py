# SPDX-License-Identifier: Apache-2.0
"""The codec of NCZarr, and the HDF5 filter in netCDF files: Debian's tools, netCDF4's wheel."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import run

import numpact

h5py = pytest.importorskip("h5py")
import numpact.hdf5 as pco  # noqa: E402

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
SHAPE, CHUNKS = (60, 50), (32, 20)


def numbers(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(1)
    walk = rng.integers(-3, 4, SHAPE).cumsum().reshape(SHAPE)
    return (walk / 4 if dtype[0] == "f" else walk).astype(dtype)


def zarr_url(path: Path) -> str:
    return f"file://{path}#mode=zarr,file"


def nczarr_url(path: Path) -> str:
    return f"file://{path}#mode=nczarr,file"


@pytest.fixture(scope="module")
def debian() -> dict[str, str]:
    if shutil.which("nccopy") is None:
        pytest.skip("netcdf-bin is not installed")
    return {**os.environ, "HDF5_PLUGIN_PATH": pco.PLUGIN_PATH}


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A netCDF-4 file without compression, of a variable for each type."""
    h5netcdf = pytest.importorskip("h5netcdf")
    path = tmp_path / "plain.nc"
    with h5netcdf.File(path, "w") as file:
        file.dimensions = {"y": SHAPE[0], "x": SHAPE[1]}
        for dtype in TYPES:
            file.create_variable(dtype, ("y", "x"), data=numbers(dtype), chunks=CHUNKS)
    return path


def read_netcdf(path: Path, name: str) -> np.ndarray:
    with h5py.File(path) as file:
        return file[name][()]


# ---- HDF5 files ----


def test_nccopy_compresses_netcdf4_files(
    tmp_path: Path, plain: Path, debian: dict[str, str]
) -> None:
    packed = tmp_path / "packed.nc"
    run("nccopy", "-F", f"*,{pco.FILTER_ID},8", plain, packed, env=debian)
    with h5py.File(packed) as file:
        for dtype in TYPES:
            assert str(pco.FILTER_ID) in file[dtype]._filters
            assert np.array_equal(file[dtype][()], numbers(dtype))
    text = run("ncdump", "-v", "f8", packed, env=debian).stdout
    values = text.partition("data:")[2].partition("=")[2].partition(";")[0]
    assert np.array_equal(np.array(values.split(","), "f8"), numbers("f8").reshape(-1))
    run("nccopy", "-F", "none", packed, tmp_path / "again.nc", env=debian)
    assert np.array_equal(read_netcdf(tmp_path / "again.nc", "i4"), numbers("i4"))


PYTHON_READS = """
import sys, netCDF4, numpy as np
with netCDF4.Dataset(sys.argv[1]) as file:
    for name in file.variables:
        file[name].set_auto_mask(False)
    np.savez(sys.argv[2], **{n: v[:] for n, v in file.variables.items()})
print(netCDF4.__netcdf4libversion__, netCDF4.__hdf5libversion__)
"""


def read_by_netcdf4(url: object, tmp_path: Path) -> Any:
    """By the wheel of netCDF4, in a process of its own: plug-ins are looked for at the start."""
    pytest.importorskip("netCDF4")
    out = tmp_path / "read.npz"
    environment = {**os.environ, "HDF5_PLUGIN_PATH": pco.PLUGIN_PATH}
    run(sys.executable, "-c", PYTHON_READS, url, out, env=environment)
    return np.load(out)


def test_netcdf4_reads_hdf5(tmp_path: Path, plain: Path, debian: dict[str, str]) -> None:
    run("nccopy", "-F", f"*,{pco.FILTER_ID},8", plain, tmp_path / "packed.nc", env=debian)
    found = read_by_netcdf4(tmp_path / "packed.nc", tmp_path)
    assert all(np.array_equal(found[dtype], numbers(dtype)) for dtype in TYPES)


# ---- Zarr ----

# Debian's netCDF 4.9.0 is built without filters for Zarr: what reads and writes here is the library
# in the wheel of netCDF4. It has no function in Python for filters, so C's are called.
WRITES_ZARR = """
import ctypes, glob, json, os, sys
import netCDF4, numpy as np
url, filter_id, byte_order = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
data = np.load(sys.argv[4])
(library,) = glob.glob(os.path.dirname(netCDF4.__file__) + "/../netcdf4.libs/libnetcdf-*.so*")
c = ctypes.CDLL(library)
c.nc_strerror.restype = ctypes.c_char_p
def call(name, *arguments):
    error = getattr(c, name)(*arguments)
    if error:
        sys.exit(f"{name}: {c.nc_strerror(error).decode()}")
def made(name, *arguments):
    number = ctypes.c_int()
    call(name, *arguments, ctypes.byref(number))
    return number.value
types = {"i1": 1, "i2": 3, "i4": 4, "f4": 5, "f8": 6, "u1": 7, "u2": 8, "u4": 9, "i8": 10, "u8": 11}
sizes = ctypes.c_size_t * 2
file = made("nc_create", url.encode(), 0x1000)
lengths = next(iter(data.values())).shape
y, x = (ctypes.c_size_t(length) for length in lengths)
dimensions = [made("nc_def_dim", file, b"y", y), made("nc_def_dim", file, b"x", x)]
variables = {}
for name in data:
    kind = (ctypes.c_int * 2)(*dimensions)
    variables[name] = v = made("nc_def_var", file, name.encode(), types[name], 2, kind)
    call("nc_def_var_chunking", file, v, 0, sizes(32, 20))
    call("nc_def_var_endian", file, v, byte_order)
    parameters = (ctypes.c_uint * 1)(5)
    call("nc_def_var_filter", file, v, filter_id, ctypes.c_size_t(1), parameters)
call("nc_enddef", file)
for name, v in variables.items():
    array = np.ascontiguousarray(data[name])
    call("nc_put_var", file, v, array.ctypes.data_as(ctypes.c_void_p))
call("nc_close", file)
"""
LITTLE, BIG = 1, 2


def environment() -> dict[str, str]:
    return {**os.environ, "HDF5_PLUGIN_PATH": pco.PLUGIN_PATH}


def write_by_netcdf(url: str, tmp_path: Path, types: list[str], byte_order: int = LITTLE) -> None:
    pytest.importorskip("netCDF4")
    data = tmp_path / "data.npz"
    np.savez(data, **{dtype: numbers(dtype) for dtype in types})
    run(sys.executable, "-c", WRITES_ZARR, url, pco.FILTER_ID, byte_order, data, env=environment())


def write_zarr(store: Path, types: list[str], **settings: Any) -> None:
    """As xarray does: Zarr v2, with the names of dimensions."""
    zarr = pytest.importorskip("zarr", minversion="3")
    from numpact.zarr import PCodec

    group = zarr.create_group(store, zarr_format=2)
    for dtype in types:
        array = group.create_array(
            dtype, shape=SHAPE, chunks=CHUNKS, dtype=dtype, compressors=PCodec(**settings),
            filters=None, attributes={"_ARRAY_DIMENSIONS": ["y", "x"]},
        )  # fmt: skip
        array[:] = numbers(dtype)


def test_netcdf_reads_what_zarr_wrote(tmp_path: Path) -> None:
    store = tmp_path / "store"
    write_zarr(store, TYPES, level=9, delta_spec="try_consecutive", delta_encoding_order=1)
    found = read_by_netcdf4(zarr_url(store), tmp_path)
    assert all(np.array_equal(found[dtype], numbers(dtype)) for dtype in TYPES)


@pytest.mark.parametrize("url", [zarr_url, nczarr_url])
def test_netcdf_writes_zarr(tmp_path: Path, url: Callable[[Path], str]) -> None:
    store = tmp_path / "store"
    write_by_netcdf(url(store), tmp_path, TYPES)
    for dtype in TYPES:
        metadata = json.loads((store / dtype / ".zarray").read_text())
        assert metadata["compressor"]["id"] == "pcodec"
        assert metadata["compressor"]["level"] == 5
        # A chunk is a Pco file.
        chunk = numpact.decompress((store / dtype / "0.0").read_bytes())
        assert np.array_equal(chunk, numbers(dtype)[:32, :20].reshape(-1))
    found = read_by_netcdf4(url(store), tmp_path)
    assert all(np.array_equal(found[dtype], numbers(dtype)) for dtype in TYPES)


READS_ZARR = """
import sys, zarr, numpy as np
import numpact.zarr
if sys.argv[2] == "numpact":
    numpact.zarr.register()
found = {}
for name in sys.argv[4:]:
    array = zarr.open_array(f"{sys.argv[1]}/{name}", mode="r", zarr_format=2)
    is_ours = "numpact" in type(array.metadata.compressor).__module__
    assert is_ours == (sys.argv[2] == "numpact")
    found[name] = array[:].astype(array.dtype.newbyteorder("="))
np.savez(sys.argv[3], **found)
"""


@pytest.mark.parametrize("codec", ["numpact", "pcodec"])
@pytest.mark.parametrize("byte_order", [LITTLE, BIG])
def test_zarr_reads_what_netcdf_wrote(tmp_path: Path, codec: str, byte_order: int) -> None:
    """With numpact, and with the reference's package, which has no types of 8 bits."""
    pytest.importorskip("zarr", minversion="3")
    pytest.importorskip("pcodec")
    store, out = tmp_path / "store", tmp_path / "out.npz"
    types = ["i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
    write_by_netcdf(zarr_url(store), tmp_path, types, byte_order)
    assert json.loads((store / "i4/.zarray").read_text())["dtype"] == "?<>"[byte_order] + "i4"
    run(sys.executable, "-c", READS_ZARR, store, codec, out, *types)
    found = np.load(out)
    assert all(np.array_equal(found[dtype], numbers(dtype)) for dtype in types)
    again = read_by_netcdf4(zarr_url(store), tmp_path)
    assert all(np.array_equal(again[dtype], numbers(dtype)) for dtype in types)


def test_damaged_chunks_are_errors(tmp_path: Path) -> None:
    store = tmp_path / "store"
    write_zarr(store, ["i4"])
    chunk = store / "i4" / "0.0"
    good = chunk.read_bytes()
    bomb = numpact.compress(np.zeros(1 << 24, "i4"))
    for bad in (good[:-3], b"?", numpact.compress(numbers("i4").reshape(-1)), bomb):
        chunk.write_bytes(bad)
        with pytest.raises(AssertionError, match="NetCDF: Filter error"):
            read_by_netcdf4(zarr_url(store), tmp_path)
    chunk.write_bytes(good)
    assert np.array_equal(read_by_netcdf4(zarr_url(store), tmp_path)["i4"], numbers("i4"))


# ---- the settings as JSON ----


class CodecClass(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int), ("sort", ctypes.c_int), ("name", ctypes.c_char_p),
        ("filter_id", ctypes.c_uint), ("initialize", ctypes.c_void_p),
        ("finalize", ctypes.c_void_p), ("codec_to_hdf5", ctypes.c_void_p),
        ("hdf5_to_codec", ctypes.c_void_p), ("modify_parameters", ctypes.c_void_p),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def codec() -> CodecClass:
    library = ctypes.CDLL(str(Path(pco.PLUGIN_PATH, "libh5pco.so")))
    library.NCZ_get_codec_info.restype = ctypes.POINTER(CodecClass)
    return library.NCZ_get_codec_info().contents


def parameters_of(codec: CodecClass, text: str) -> list[int] | int:
    """The parameters, or the number of the error."""
    out = ctypes.POINTER(ctypes.c_uint)
    call = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(out)
    )(codec.codec_to_hdf5)
    count, values = ctypes.c_size_t(0), out()
    error = call(text.encode(), ctypes.byref(count), ctypes.byref(values))
    return error or values[: count.value]


def text_of(codec: CodecClass, parameters: list[int]) -> str | int:
    call = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint),
        ctypes.POINTER(ctypes.c_char_p),
    )(codec.hdf5_to_codec)  # fmt: skip
    text = ctypes.c_char_p()
    values = (ctypes.c_uint * len(parameters))(*parameters)
    error = call(len(parameters), values, ctypes.byref(text))
    return error or (text.value or b"").decode()


def test_the_codec_is_described(codec: CodecClass) -> None:
    assert (codec.version, codec.sort, codec.name) == (1, 1, b"pcodec")
    assert codec.filter_id == pco.FILTER_ID


def test_settings_of_zarr_and_back(codec: CodecClass) -> None:
    numcodecs = pytest.importorskip("numcodecs")
    from numpact.zarr import PCodec

    for settings in (
        {}, {"level": 0}, {"level": 12, "mode_spec": "classic"}, {"delta_spec": "no_op"},
        {"delta_spec": "try_consecutive", "delta_encoding_order": 7},
        {"delta_spec": "try_lookback", "equal_pages_up_to": 1000}, {"delta_encoding_order": 2},
    ):  # fmt: skip
        expected = PCodec(**settings).get_config()
        parameters = parameters_of(codec, json.dumps(expected))
        assert isinstance(parameters, list), settings
        text = text_of(codec, parameters)
        assert isinstance(text, str)
        found = json.loads(text)
        if expected["delta_spec"] == "auto" and expected["delta_encoding_order"] is not None:
            expected["delta_spec"] = "try_consecutive"  # the same
        assert found == expected
        assert numcodecs.get_codec(dict(found)).get_config()["id"] == "pcodec"


def test_no_differences_are_an_order(codec: CodecClass) -> None:
    """Other readers know one of the names "no_op" and "none", or neither."""
    for name in ("no_op", "none"):
        parameters = parameters_of(codec, f'{{"id":"pcodec","delta_spec":"{name}"}}')
        assert isinstance(parameters, list)
        found = json.loads(str(text_of(codec, parameters)))
        assert (found["delta_spec"], found["delta_encoding_order"]) == ("auto", 0)


def test_settings_as_others_write_them(codec: CodecClass) -> None:
    assert parameters_of(codec, '{"id":"pcodec"}') == [8, 0, 262144]
    assert parameters_of(codec, ' {\n"level" : "3" , "id" : "pcodec", "new": true } ')[0] == 3
    assert json.loads(str(text_of(codec, [])))["level"] == 8
    assert json.loads(str(text_of(codec, [3, 0, 0, 5, 0, 80])))["level"] == 3


def test_settings_that_are_none(codec: CodecClass) -> None:
    bad = [
        "", "{", "[]", "null", '{"id":"zstd"}', "{}", '{"id":"pcodec"', '{"id":"pcodec"} x',
        '{"id":"pcodec","level":13}', '{"id":"pcodec","level":-1}', '{"id":"pcodec","level":8.5}',
        '{"id":"pcodec","level":99999999999}', '{"id":"pcodec","level":}', '{"id":"pcodec",}',
        '{"id":"pcodec","mode_spec":"much"}', '{"id":"pcodec","delta_spec":"try_consecutive"}',
        '{"id":"pcodec","delta_encoding_order":8,"delta_spec":"try_consecutive"}',
        '{"id":"pcodec","delta_encoding_order":1,"delta_spec":"no_op"}',
        '{"id":"pcodec","paging_spec":"exact"}', '{"id":"pcodec","equal_pages_up_to":0}',
        '{"id":"pcodec","x":{"y":1}}', '{"id":"pcodec', '{"id\\":"pcodec"}',
    ]  # fmt: skip
    for text in bad:
        assert parameters_of(codec, text) == -132, text  # NC_EFILTER
    assert text_of(codec, [13]) == -36  # NC_EINVAL
    assert text_of(codec, [8, 1 << 12]) == -36
