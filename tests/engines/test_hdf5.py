# SPDX-License-Identifier: Apache-2.0
"""The HDF5 filter with the wheel of h5py, which brings an HDF5, and with Debian's tools."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import run

import numpact

h5py = pytest.importorskip("h5py")
import numpact.hdf5 as pco  # noqa: E402

TYPES = [
    "?", "i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8",
    ">i2", ">u2", ">i4", ">u4", ">i8", ">u8", ">f2", ">f4", ">f8",
]  # fmt: skip
SHAPE, CHUNKS = (70, 45), (32, 20)  # chunks at the edges are cut
MANDATORY = 0


def numbers(dtype: str, shape: tuple[int, ...] = SHAPE, seed: int = 1) -> np.ndarray:
    """A walk; of floats also NaNs with payloads, infinities, -0.0, subnormal numbers."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.integers(0, 2, shape).astype(kind)
    walk = rng.integers(-3, 4, shape).cumsum().reshape(shape)
    if kind.kind != "f":
        return walk.astype(np.int64).astype(kind)
    array = (walk / 8).astype(kind.newbyteorder("="))
    bits = array.view(f"u{kind.itemsize}")
    bits.flat[:200:10] = rng.integers(0, 1 << (8 * kind.itemsize - 1), 20, dtype=np.uint64)
    array.flat[1:5] = (np.inf, -np.inf, -0.0, np.nan)
    return array.astype(kind) if kind.isnative else array.byteswap().view(kind)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def write(path: Path, array: np.ndarray, name: str = "x", **settings: Any) -> None:
    settings = {"chunks": CHUNKS, **pco.Pco(), **settings}
    with h5py.File(path, "a") as file:
        file.create_dataset(name, data=array, **settings)


def read(path: Path, name: str = "x") -> np.ndarray:
    with h5py.File(path) as file:
        return file[name][()]


@pytest.fixture(scope="module")
def debian(
    build_integration: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The environment of Debian's tools, with the plug-in that integrations/hdf5 builds alone."""
    if shutil.which("h5dump") is None:
        pytest.skip("hdf5-tools is not installed")
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copy(build_integration("hdf5") / "libh5pco.so", folder)
    return {**os.environ, "HDF5_PLUGIN_PATH": str(folder)}


# ---- what is stored ----


@pytest.mark.parametrize("dtype", TYPES)
def test_types_and_byte_orders(tmp_path: Path, dtype: str) -> None:
    array = numbers(dtype)
    path = tmp_path / "a.h5"
    write(path, array)
    assert same(read(path), array)
    with h5py.File(path) as file:
        infos = [file["x"].id.get_chunk_info(i) for i in range(file["x"].id.get_num_chunks())]
        assert len(infos) == 9
        assert all(info.filter_mask == 0 for info in infos)
        _, chunk = file["x"].id.read_direct_chunk((0, 0))
    # A chunk is a Pco file, whose numbers others can decode without HDF5.
    values = numpact.decompress(chunk)
    expected = array[:32, :20].astype(array.dtype.newbyteorder("=")).reshape(-1)
    assert values.dtype == (np.int8 if dtype == "?" else expected.dtype)  # an enumeration
    assert np.array_equal(values, expected.view(values.dtype), equal_nan=values.dtype.kind == "f")


def test_enumerations_bit_fields_and_other_floats(tmp_path: Path) -> None:
    kind = h5py.enum_dtype({"cold": 0, "warm": 1, "hot": 7}, basetype="i2")
    array = np.tile(np.array([0, 1, 7, 7], "i2"), 300)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("enum", data=array, dtype=kind, chunks=(500,), **pco.Pco())
        brain = h5py.h5t.IEEE_F32LE.copy()  # bfloat16: float32 without its low half
        brain.set_fields(15, 7, 8, 0, 7)
        brain.set_size(2)
        brain.set_ebias(127)
        for name, kind in (("bits", h5py.h5t.STD_B16LE), ("bfloat16", brain)):
            dataset = create(file, name, kind, (1000,))
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, array[:1000], mtype=kind)
            again = np.zeros(1000, "i2")
            dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, again, mtype=kind)
            assert same(again, array[:1000])
            assert dataset.get_chunk_info(0).size < 500
    with h5py.File(tmp_path / "a.h5") as file:
        assert same(file["enum"][()].astype("i2"), array)
        assert file["enum"].id.get_chunk_info(0).size < 250


def create(
    file: Any,
    name: str,
    kind: Any,
    shape: tuple[int, ...],
    values: tuple[int, ...] = (8,),
    flags: int = MANDATORY,
    before: Callable[[Any], object] | None = None,
) -> Any:
    """A dataset of one chunk by HDF5's own functions; h5py calls every filter optional."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(shape)
    if before is not None:
        before(properties)
    properties.set_filter(pco.FILTER_ID, flags, values)
    space = h5py.h5s.create_simple(shape)
    return h5py.h5d.create(file.id, name.encode(), kind, space, properties)


def test_settings_change_the_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    array = (rng.integers(0, 1000, 20_000) * 37).cumsum()
    kinds = {
        "fast": pco.Pco(0),
        "small": pco.Pco(12),
        "classic": pco.Pco(mode="classic"),
        "none": pco.Pco(delta="none", favor_decode_speed=True),
        "second": pco.Pco(delta="consecutive=2"),
        "lookback": pco.Pco(delta="lookback"),
    }
    path = tmp_path / "a.h5"
    deltas = {}
    for name, settings in kinds.items():
        write(path, array, name, chunks=(20_000,), compression=settings, compression_opts=None)
        assert same(read(path, name), array)
        with h5py.File(path) as file:
            chunk = numpact.inspect(file[name].id.read_direct_chunk((0,))[1]).chunks[0]
            deltas[name] = (chunk.mode.partition("=")[0], chunk.delta)
    assert deltas["classic"][0].lower() == "classic"
    assert "none" in str(deltas["none"][1]).lower()
    assert "2" in str(deltas["second"][1])
    assert "lookback" in str(deltas["lookback"][1]).lower()


def test_settings_that_do_not_exist(tmp_path: Path) -> None:
    for settings in (
        {"level": 13}, {"level": "8"}, {"mode": "dict"}, {"delta": "conv1=4"}, {"delta": "much"},
    ):  # fmt: skip
        with pytest.raises(numpact.InvalidArgumentError):
            pco.Pco(**settings)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for values in ((13,), (8, 1 << 8), (8, 1 << 4)):
            with pytest.raises(ValueError, match=r"pco: the .* parameter"):
                create(file, "x", h5py.h5t.NATIVE_INT32, (10,), values)


def test_chunks_that_do_not_shrink(tmp_path: Path) -> None:
    noise = np.frombuffer(np.random.default_rng(3).bytes(8000), "u8")
    path = tmp_path / "a.h5"
    write(path, noise, chunks=(1000,))
    with h5py.File(path, "a") as file:
        info = file["x"].id.get_chunk_info(0)
        assert (info.filter_mask, info.size) == (1, 8000)  # stored as they are
        dataset = create(file, "y", h5py.h5t.NATIVE_UINT64, (1000,))
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, noise)
        info = dataset.get_chunk_info(0)
        assert info.filter_mask == 0
        assert 8000 < info.size < 8100
    assert same(read(path), noise)
    assert same(read(path, "y"), noise)


def test_other_types(tmp_path: Path) -> None:
    pair = np.zeros(100, [("a", "i4"), ("b", "f8")])
    path = tmp_path / "a.h5"
    others = {"pair": pair, "text": np.full(100, b"abc"), "complex": np.ones(100, "c16")}
    for name, array in others.items():
        write(path, array, name, chunks=(50,))
        assert same(read(path, name), array)
        with h5py.File(path) as file:
            assert file[name].id.get_chunk_info(0).filter_mask == 1
    with h5py.File(path, "a") as file:
        kind = h5py.h5t.py_create(pair.dtype)
        with pytest.raises(ValueError, match="pco: only integers"):
            create(file, "refused", kind, (100,))


def test_chunks_of_4_gib_are_refused(tmp_path: Path) -> None:
    """HDF5 2.0 and later has such chunks. Nothing of this size is allocated here."""
    shape = (1 << 30,)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        try:
            file.create_dataset("plain", shape, "<f4", chunks=shape)
        except (ValueError, OSError):
            pytest.skip(f"HDF5 {h5py.version.hdf5_version} has no such chunks")
        with pytest.raises(ValueError, match="pco: chunks of 4 GiB and more"):
            create(file, "refused", h5py.h5t.IEEE_F32LE, shape)


def test_the_reason_is_on_the_error_stack(tmp_path: Path) -> None:
    """HDF5 prints its stack of errors unless it is told not to, as h5py does."""
    program = (
        "import h5py, numpact.hdf5 as pco\n"
        "h5py._errors.unsilence_errors()\n"
        "p = h5py.h5p.create(h5py.h5p.DATASET_CREATE); p.set_chunk((10,))\n"
        "p.set_filter(pco.FILTER_ID, 0, (8,))\n"
        f"f = h5py.File({str(tmp_path / 'a.h5')!r}, 'w')\n"
        "kind = h5py.h5t.C_S1.copy(); kind.set_size(3)\n"
        "try: h5py.h5d.create(f.id, b'x', kind, h5py.h5s.create_simple((10,)), p)\n"
        "except ValueError: print('refused')\n"
    )
    done = run(sys.executable, "-c", program)
    assert "refused" in done.stdout
    assert "pco: only integers" in done.stderr


# ---- other filters ----


NEIGHBOURS: dict[str, dict[str, Any]] = {
    "shuffle": {"shuffle": True},
    "fletcher32": {"fletcher32": True},
    "scaleoffset": {"scaleoffset": 0},
    "all": {"shuffle": True, "scaleoffset": 0},
}


@pytest.mark.parametrize("name", NEIGHBOURS)
@pytest.mark.parametrize("dtype", ["u1", "<i4", ">i4", "<f8"])
def test_filters_of_h5py(tmp_path: Path, name: str, dtype: str) -> None:
    settings = NEIGHBOURS[name]
    array = np.abs(numbers(dtype.replace("f", "i"))).astype(dtype)
    path = tmp_path / "a.h5"
    write(path, array, **settings)
    assert same(read(path), array)


IN_FRONT: dict[str, Callable[[Any], object]] = {
    "fletcher32": lambda p: p.set_fletcher32(),
    "gzip": lambda p: p.set_deflate(1),
    "lzf": lambda p: p.set_filter(h5py.h5z.FILTER_LZF, h5py.h5z.FLAG_OPTIONAL),
    "shuffle": lambda p: p.set_shuffle(),
    "shuffle, fletcher32": lambda p: (p.set_shuffle(), p.set_fletcher32()),
    "scaleoffset": lambda p: p.set_scaleoffset(h5py.h5z.SO_INT, 0),
    "nbit": lambda p: p.set_filter(5, 0, ()),
}


@pytest.mark.parametrize("name", IN_FRONT)
@pytest.mark.parametrize("kind", ["u1", "<i2", "<i8", ">i4"])
def test_filters_in_front(tmp_path: Path, name: str, kind: str) -> None:
    """The filter receives other bytes than the numbers, of another length."""
    rng = np.random.default_rng(5)
    for seed, array in enumerate([numbers(kind, (3000,)), rng.integers(0, 99, 3000).astype(kind)]):
        path = tmp_path / f"{seed}.h5"
        stored = h5py.h5t.py_create(array.dtype)
        with h5py.File(path, "w") as file:
            dataset = create(file, "x", stored, (3000,), before=IN_FRONT[name])
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, array)
            assert dataset.get_chunk_info(0).filter_mask in (0, 1)  # gzip may give up
        assert same(read(path), array)


def test_filters_behind(tmp_path: Path) -> None:
    array = numbers("<i4", (3000,))
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((3000,))
        properties.set_filter(pco.FILTER_ID, MANDATORY, (8,))
        properties.set_deflate(9)
        properties.set_fletcher32()
        space = h5py.h5s.create_simple((3000,))
        dataset = h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_INT32, space, properties)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, array)
    assert same(read(path), array)
    assert path.stat().st_size < 8000


# ---- damage ----


def test_chunks_of_other_numbers_are_errors(tmp_path: Path) -> None:
    array = numbers("<i4", (1000,))
    good = numpact.compress(array)
    wrong = {
        "text": b"not a Pco file",
        "truncated": good[:-5],
        "too many": numpact.compress(np.append(array, array[:1])),
        "too few": numpact.compress(array[:-1]),
        "none": numpact.compress(array[:0]),
        "another type": numpact.compress(array.view("u4")),
        "bytes": numpact.compress(array.view("u1")),
        "a bomb": numpact.compress(np.zeros(1 << 24, "i4")),
    }
    assert len(wrong["a bomb"]) < 2000
    for name, chunk in wrong.items():
        path = tmp_path / f"{name}.h5"
        write(path, array, chunks=(1000,))
        with h5py.File(path, "a") as file:
            file["x"].id.write_direct_chunk((0,), chunk)
        with pytest.raises(OSError, match="filter"):
            read(path)
    write(tmp_path / "good.h5", array, chunks=(1000,))
    with h5py.File(tmp_path / "good.h5", "a") as file:
        file["x"].id.write_direct_chunk((0,), good)
    assert same(read(tmp_path / "good.h5"), array)


DAMAGE = """
import random, struct, sys
import h5py, numpact, numpact.hdf5, numpy as np
path, seed = sys.argv[1:]
random.seed(int(seed))
errors = 0
settings = [{}, {"shuffle": True}, {"scaleoffset": 2}]
for i in range(300):
    array = np.cumsum(np.random.default_rng(i).integers(0, 50, 500)).astype("<f4")
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=array, chunks=(500,), **numpact.hdf5.Pco(), **settings[i % 3])
    raw = bytearray(open(path, "rb").read())
    # The parameters, as they are stored, and the chunk, which begins with its magic number.
    at = raw.find(struct.pack("<II", 8, 0) + b"\\0\\0\\0\\0")
    chunk = raw.find(b"pco!")
    assert at > 0
    if i % 2 or chunk < 0:  # behind scaleoffset nothing is left to compress
        raw[at + random.randrange(24)] ^= 1 << random.randrange(8)
    else:
        for _ in range(random.randrange(1, 6)):
            raw[chunk + random.randrange(60)] = random.randrange(256)
    open(path, "wb").write(raw)
    try:
        with h5py.File(path) as f:
            assert f["x"][()].shape == (500,)
    except (OSError, KeyError, ValueError, RuntimeError):
        errors += 1
print(errors)
"""


def test_damaged_files_do_not_crash(tmp_path: Path) -> None:
    """Bits of chunks and of the parameters in files."""
    done = run(sys.executable, "-c", DAMAGE, tmp_path / "a.h5", 7)
    assert 60 < int(done.stdout) <= 300


# ---- several readers, several HDF5 ----


def read_sum(path: str) -> int:
    with h5py.File(path) as file:
        return int(file["x"][()].astype("i8").sum())


def test_threads_and_processes(tmp_path: Path) -> None:
    paths, sums = [], []
    for i in range(8):
        array = numbers("<i4", (20_000,), seed=i)
        write(tmp_path / f"{i}.h5", array, chunks=(1000,))
        paths.append(str(tmp_path / f"{i}.h5"))
        sums.append(int(array.astype("i8").sum()))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(read_sum, paths * 5)) == sums * 5
    # Forked while the parent has used the filter; each child imports what it needs.
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as processes:
        assert list(processes.map(read_sum, paths)) == sums


def test_calls_of_several_threads(tmp_path: Path) -> None:
    """h5py lets in one thread at a time; the filter itself serves any number."""
    library = ctypes.CDLL(str(Path(pco.PLUGIN_PATH, "libh5pco.so")))
    library.H5PLget_plugin_info.restype = ctypes.c_void_p
    filter_at = library.H5PLget_plugin_info() + 16 + 3 * ctypes.sizeof(ctypes.c_void_p)
    call = ctypes.CFUNCTYPE(
        ctypes.c_size_t, ctypes.c_uint, ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint),
        ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_void_p),
    )(ctypes.c_void_p.from_address(filter_at).value)  # fmt: skip
    c = ctypes.CDLL(None)
    c.malloc.restype = ctypes.c_void_p
    c.malloc.argtypes = [ctypes.c_size_t]
    c.free.argtypes = [ctypes.c_void_p]

    def both_directions(seed: int) -> bool:
        array = numbers("<i8", (5000,), seed)
        parameters = (ctypes.c_uint * 6)(8, 0, 0, 4, 0, array.nbytes)
        buffer = ctypes.c_void_p(c.malloc(array.nbytes))
        ctypes.memmove(buffer, array.ctypes.data, array.nbytes)
        capacity = ctypes.c_size_t(array.nbytes)
        out = (6, parameters, array.nbytes, ctypes.byref(capacity), ctypes.byref(buffer))
        packed = call(0, *out)
        assert 0 < packed < array.nbytes
        size = call(0x100, 6, parameters, packed, ctypes.byref(capacity), ctypes.byref(buffer))
        found = ctypes.string_at(buffer.value or 0, size)
        c.free(buffer)
        return found == array.tobytes()

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(both_directions, range(200)))


DEBIANS_LIBRARY = """
import ctypes, sys
import h5py, numpact.hdf5 as pco, numpy as np
lib = ctypes.CDLL(sys.argv[1])
ID, size = ctypes.c_int64, ctypes.c_uint64
for name in ("H5Pcreate", "H5Fcreate", "H5Screate_simple", "H5Dcreate2"):
    getattr(lib, name).restype = ID
lib.H5open()
one = lambda name: ID.in_dll(lib, name)
def create(path):
    array = np.arange(5000, dtype="i4") * 7
    plist = ID(lib.H5Pcreate(one("H5P_CLS_DATASET_CREATE_ID_g")))
    assert lib.H5Pset_chunk(plist, 1, (size * 1)(1000)) >= 0
    level = (ctypes.c_uint * 1)(8)
    assert lib.H5Pset_filter(plist, pco.FILTER_ID, 0, ctypes.c_size_t(1), level) >= 0
    space = ID(lib.H5Screate_simple(1, (size * 1)(5000), None))
    file = ID(lib.H5Fcreate(path.encode(), 2, ID(0), ID(0)))
    kind = one("H5T_NATIVE_INT32_g")
    data = ID(lib.H5Dcreate2(file, b"x", kind, space, ID(0), plist, ID(0)))
    assert data.value >= 0
    assert lib.H5Dwrite(data, kind, ID(0), ID(0), ID(0), array.ctypes.data_as(ctypes.c_void_p)) >= 0
    assert lib.H5Dclose(data) >= 0 and lib.H5Fclose(file) >= 0
    with h5py.File(path) as f:
        assert (f["x"][()] == array).all() and f["x"].id.get_chunk_info(0).filter_mask == 0
with h5py.File(sys.argv[2], "w") as f:
    f.create_dataset("y", data=np.arange(100.0), chunks=(50,), **pco.Pco())
create(sys.argv[3])
with h5py.File(sys.argv[2], "a") as f:
    f.create_dataset("z", data=np.arange(100.0), chunks=(50,), **pco.Pco())
    assert f["z"].id.get_chunk_info(0).filter_mask == 0
versions = (ctypes.c_uint * 3)()
lib.H5get_libversion(*(ctypes.byref(versions, 4 * i) for i in range(3)))
print(h5py.version.hdf5_version, ".".join(map(str, versions)))
"""


def test_two_hdf5_libraries_in_a_process(tmp_path: Path) -> None:
    """One plug-in serves both: it asks the one that calls it."""
    library = next(iter(sorted(Path("/usr/lib").glob("*/libhdf5_serial.so.*"))), None)
    if library is None:
        pytest.skip("Debian's HDF5 is not installed")
    done = run(
        sys.executable, "-c", DEBIANS_LIBRARY, library, tmp_path / "a.h5", tmp_path / "b.h5",
        env={**os.environ, "HDF5_PLUGIN_PATH": pco.PLUGIN_PATH},
    )  # fmt: skip
    first, second = done.stdout.split()
    assert first != second


# ---- Debian's tools ----


def test_h5dump_reads_what_h5py_wrote(tmp_path: Path, debian: dict[str, str]) -> None:
    path = tmp_path / "a.h5"
    for dtype in ("<i2", ">i4", "<f8", ">f4", "u1"):
        array = numbers(dtype)
        write(path, array, dtype, fletcher32=dtype == "<f8")
        out = tmp_path / "out.bin"
        run("h5dump", "-d", dtype, "-b", "FILE", "-o", out, path, env=debian)
        assert out.read_bytes() == array.tobytes()
    header = run("h5dump", "-pH", path, env=debian).stdout
    assert f"FILTER_ID {pco.FILTER_ID}" in header


def test_h5repack_in_both_directions(tmp_path: Path, debian: dict[str, str]) -> None:
    plain, packed, again = (tmp_path / name for name in ("plain.h5", "packed.h5", "again.h5"))
    arrays = {dtype: numbers(dtype) for dtype in ("<i2", ">i4", "<f8", "<f4")}
    with h5py.File(plain, "w") as file:
        for name, array in arrays.items():
            file.create_dataset(name, data=array, chunks=CHUNKS)
    run("h5repack", "-f", f"UD={pco.FILTER_ID},0,1,9", plain, packed, env=debian)
    assert packed.stat().st_size < plain.stat().st_size
    with h5py.File(packed) as file:
        for name, array in arrays.items():
            assert same(file[name][()], array)
            (filters,) = [file[name].id.get_create_plist().get_filter(0)]
            assert filters[0] == pco.FILTER_ID
            assert filters[2][0] == 9
    # Copied with other chunks, the parameters are those of the new ones.
    run("h5repack", "-l", "<f8:CHUNK=70x45", packed, again, env=debian)
    assert same(read(again, "<f8"), arrays["<f8"])
    run("h5repack", "-f", "NONE", packed, tmp_path / "none.h5", env=debian)
    assert same(read(tmp_path / "none.h5", ">i4"), arrays[">i4"])


def test_without_the_plugin_the_filter_is_named(tmp_path: Path, debian: dict[str, str]) -> None:
    write(tmp_path / "a.h5", numbers("<i4"))
    done = subprocess.run(
        ["h5dump", str(tmp_path / "a.h5")],
        env={**debian, "HDF5_PLUGIN_PATH": "/nowhere"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0


def test_another_filter_id(
    build_integration: Callable[..., Path], tmp_path: Path, debian: dict[str, str]
) -> None:
    folder = build_integration("hdf5", NUMPACT_HDF5_FILTER_ID=300)
    plain = tmp_path / "plain.h5"
    with h5py.File(plain, "w") as file:
        file["x"] = np.arange(1000)
    environment = {**debian, "HDF5_PLUGIN_PATH": str(folder)}
    run("h5repack", "-l", "CHUNK=1000", "-f", "UD=300,0,1,8", plain, tmp_path / "a.h5",
        env=environment)  # fmt: skip
    assert "FILTER_ID 300" in run("h5dump", "-pH", tmp_path / "a.h5", env=environment).stdout


# ---- the library ----


def test_the_plugin_links_no_hdf5_and_shows_its_entry_points_only() -> None:
    library = Path(pco.PLUGIN_PATH, "libh5pco.so")
    symbols = run("nm", "-D", "--defined-only", library).stdout.split("\n")
    assert {line.split()[-1] for line in symbols if line} == {
        "H5PLget_plugin_info", "H5PLget_plugin_type", "NCZ_get_codec_info",
    }  # fmt: skip
    needed = run("readelf", "-d", library).stdout
    assert "hdf5" not in needed
    assert "netcdf" not in needed
    assert "numpact" not in needed.replace("libh5pco", "")


# ---- Python ----


def test_python_module(tmp_path: Path) -> None:
    assert pco.Pco(3) == pco.Pco(level=3) != pco.Pco()
    assert dict(pco.Pco(5)) == {"compression": pco.FILTER_ID, "compression_opts": (5, 0)}
    assert len({pco.Pco(1), pco.Pco(1), pco.Pco(2)}) == 2
    assert repr(pco.FILTER_ID) in repr(pco.Pco())
    array = numbers("<f8")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", data=array, compression=pco.Pco(2))
        file.create_dataset("b", data=array, compression=pco.FILTER_ID)
        size = int(np.prod(file["a"].chunks)) * 8
        assert file["a"]._filters == {str(pco.FILTER_ID): (2, 0, 0, 6, 0, size)}
        assert same(file["b"][()], array)


def test_without_h5py() -> None:
    program = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'h5py':\n"
        "            raise ModuleNotFoundError(name, name='h5py')\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "import importlib.util\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, p=None: None if n == 'h5py' else find(n, p)\n"
        "import numpact.hdf5 as pco\n"
        "print(pco.FILTER_ID, pco.PLUGIN_PATH)\n"
        "try: pco.Pco()\n"
        "except ImportError as error: print(error)\n"
    )
    done = run(sys.executable, "-c", program)
    assert str(pco.FILTER_ID) in done.stdout
    assert "numpact needs the package h5py" in done.stdout


def test_xarray(tmp_path: Path) -> None:
    xr = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    temperature = (numbers("<i4").astype("f4") / 10).round(1)
    dataset = xr.Dataset({"t": (("y", "x"), temperature)}, {"x": np.arange(45)})
    dataset.to_netcdf(
        tmp_path / "a.nc", engine="h5netcdf", encoding={"t": {"chunksizes": CHUNKS, **pco.Pco(4)}}
    )
    with xr.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as again:
        xr.testing.assert_identical(again.load(), dataset)
    with h5py.File(tmp_path / "a.nc") as file:
        assert file["t"]._filters[str(pco.FILTER_ID)][0] == 4
