# SPDX-License-Identifier: Apache-2.0
"""integrations/gdal: Debian's GDAL reads and writes Zarr v2 arrays by the plug-in.

GDAL runs in Debian's Python and programs; zarr-python writes in this one.
"""

from __future__ import annotations

import json
import os
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import ROOT, run

import numpact

zarr = pytest.importorskip("zarr")
numcodecs_pcodec = pytest.importorskip("numcodecs.pcodec")
from numpact.zarr import PCodec  # noqa: E402  # needs numcodecs

SCRIPTS = ROOT / "tests" / "engines" / "gdal"
SYSTEM_PYTHON = "/usr/bin/python3"
Array = npt.NDArray[Any]

# NumPy's type: what GDAL 3.6 reads it as.
GDAL_TYPES = {
    "u1": "Byte", "i1": "Int16", "u2": "UInt16", "i2": "Int16", "u4": "UInt32", "i4": "Int32",
    "u8": "UInt64", "i8": "Int64", "f2": "Float32", "f4": "Float32", "f8": "Float64",
}  # fmt: skip
# Types that the codec of numcodecs writes.
REFERENCE_TYPES = [name for name in GDAL_TYPES if name[1] != "1"]
SHAPES = [(1000,), (45, 70), (5, 33, 21)]
CHUNKS = [(300,), (20, 32), (3, 20, 21)]


@pytest.fixture(scope="module")
def environment(build_integration: Callable[..., Path]) -> dict[str, str]:
    """The environment of programs with GDAL and the plug-in."""
    return os.environ | {"GDAL_DRIVER_PATH": str(build_integration("gdal"))}


def numbers_of(name: str, shape: tuple[int, ...]) -> Array:
    count = int(np.prod(shape))
    values = np.random.default_rng(count).integers(-3, 9, count).cumsum() % 100
    numbers = values.astype(name)
    if name[0] == "f":
        numbers = (values * 0.25).astype(name)
        numbers[count // 2] = np.nan
        numbers[count // 3] = -np.inf
    elif name in ("u8", "i8"):
        numbers[0], numbers[1] = np.iinfo(name).max, np.iinfo(name).min
    return numbers.reshape(shape)


def write(path: Path, numbers: Array, codec: Any, **options: Any) -> None:
    array = zarr.create_array(
        str(path), shape=numbers.shape, dtype=numbers.dtype, zarr_format=2, compressors=codec,
        filters=None, **options,
    )  # fmt: skip
    array[...] = numbers


def read(folder: Path, environment: dict[str, str]) -> None:
    run(SYSTEM_PYTHON, SCRIPTS / "read_arrays.py", folder, env=environment)


def check(path: Path, numbers: Array) -> None:
    error = path.with_suffix(".error")
    assert not error.exists(), error.read_text()
    found = np.load(path.with_suffix(".npy"))
    np.testing.assert_array_equal(found, numbers)
    facts = json.loads(path.with_suffix(".json").read_text())
    assert facts["type"] == GDAL_TYPES[numbers.dtype.str[1:]]


@pytest.mark.parametrize("writer", ["numcodecs", "numpact"])
def test_types_and_shapes(tmp_path: Path, environment: dict[str, str], writer: str) -> None:
    """Every type that GDAL and the writer have, in one to three dimensions."""
    codec = numcodecs_pcodec.PCodec() if writer == "numcodecs" else PCodec()
    cases = {}
    for name in REFERENCE_TYPES if writer == "numcodecs" else GDAL_TYPES:
        for shape, chunks in zip(SHAPES, CHUNKS, strict=True):
            path = tmp_path / f"{name}-{len(shape)}.zarr"
            cases[path] = numbers_of(name, shape)
            write(path, cases[path], codec, chunks=chunks)
    read(tmp_path, environment)
    assert len(cases) == 3 * len(REFERENCE_TYPES if writer == "numcodecs" else GDAL_TYPES)
    for path, numbers in cases.items():
        check(path, numbers)


def test_orders_and_fill_values(tmp_path: Path, environment: dict[str, str]) -> None:
    """Chunks in Fortran order, chunks that are missing, and numbers that are the fill value."""
    cases = {}
    for order in "CF":
        path = tmp_path / f"order-{order}.zarr"
        cases[path] = numbers_of("i4", SHAPES[2])
        write(path, cases[path], PCodec(), chunks=CHUNKS[2], order=order)
    for name, fill in (("i2", -7), ("f8", np.nan), ("f4", 1.5), ("u8", 12345)):
        path = tmp_path / f"fill-{name}.zarr"
        numbers = np.full(SHAPES[1], fill, name)
        numbers[:20, :32] = numbers_of(name, (20, 32))
        write(path, numbers, PCodec(), chunks=CHUNKS[1], fill_value=fill)
        assert len(list(path.glob("0*"))) < 3, "chunks of fill values are not written"
        cases[path] = numbers
    read(tmp_path, environment)
    for path, numbers in cases.items():
        check(path, numbers)
        if path.name == "fill-i2.zarr":
            assert json.loads(path.with_suffix(".json").read_text())["fill"] == -7


def test_big_endian(tmp_path: Path, environment: dict[str, str]) -> None:
    """Neither codec writes numbers of the other byte order, so that GDAL cannot meet any."""
    numbers = numbers_of("i4", SHAPES[0]).astype(">i4")
    for codec in (numcodecs_pcodec.PCodec(), PCodec()):
        with pytest.raises((TypeError, RuntimeError, ValueError)):
            write(tmp_path / "big.zarr", numbers, codec, chunks=(300,), overwrite=True)


def test_gdal_translate(tmp_path: Path, environment: dict[str, str]) -> None:
    """The programs: a grid to GeoTIFF, and what gdalinfo and gdalmdiminfo say."""
    numbers = numbers_of("f4", (64, 96))
    write(tmp_path / "grid.zarr", numbers, numcodecs_pcodec.PCodec(), chunks=(32, 32))
    assert "Float32" in run("gdalinfo", tmp_path / "grid.zarr", env=environment).stdout
    text = run("gdalmdiminfo", tmp_path / "grid.zarr", env=environment).stdout
    assert json.loads(text)["arrays"]["grid"]["block_size"] == [32, 32]
    run("gdal_translate", "-q", "-of", "ENVI", tmp_path / "grid.zarr", tmp_path / "grid.raw",
        env=environment)  # fmt: skip
    found = np.fromfile(tmp_path / "grid.raw", "<f4").reshape(64, 96)
    np.testing.assert_array_equal(found, numbers)
    chunk = tmp_path / "grid.zarr" / "1.2"
    chunk.write_bytes(chunk.read_bytes()[:-5])
    failed = subprocess.run(
        ["gdal_translate", "-q", "-of", "ENVI", tmp_path / "grid.zarr", tmp_path / "bad.raw"],
        capture_output=True, text=True, env=environment, timeout=600, check=False,
    )  # fmt: skip
    assert failed.returncode != 0
    assert "pcodec: " in failed.stderr


def test_without_the_plug_in(tmp_path: Path) -> None:
    """GDAL refuses the array then, so that the other tests do test the plug-in."""
    write(tmp_path / "a.zarr", numbers_of("f4", SHAPES[1]), PCodec(), chunks=CHUNKS[1])
    read(tmp_path, dict(os.environ) | {"GDAL_DRIVER_PATH": "disable"})
    assert "pcodec not handled" in (tmp_path / "a.error").read_text()


def damaged_chunks(numbers: Array) -> dict[str, bytes]:
    file = numpact.compress(numbers)
    wider = numpact.compress(numbers.astype("f8"))
    random = np.random.default_rng(5)
    cases = {
        "empty": b"",
        "truncated": file[: len(file) // 2],
        "without-end": file[:-1],
        "magic": b"qco!" + file[4:],
        "version": file[:4] + bytes([99]) + file[5:],
        "noise": random.bytes(3000),
        "wider": wider,
        "more": numpact.compress(np.concatenate([numbers, numbers[:1]])),
        "fewer": numpact.compress(numbers[:-1]),
        "none": numpact.compress(numbers[:0]),
        "huge": numpact.compress(np.zeros(1 << 24, "f4")),
    }
    for index in range(40):
        damaged = bytearray(file)
        damaged[int(random.integers(0, len(file)))] ^= int(random.integers(1, 256))
        cases[f"flipped-{index}"] = bytes(damaged)
    return cases


def test_damaged_chunks(tmp_path: Path, environment: dict[str, str]) -> None:
    """Wrong bytes are an error of GDAL's. A flipped bit may give other numbers, as the format has
    no checksum, but never another count."""
    numbers = numbers_of("f4", (500,))
    cases = damaged_chunks(numbers)
    for name, chunk in cases.items():
        path = tmp_path / f"{name}.zarr"
        write(path, numbers, PCodec(), chunks=(500,))
        (path / "0").write_bytes(chunk)
    read(tmp_path, environment)
    for name in cases:
        error = tmp_path / f"{name}.error"
        if name.startswith("flipped") and not error.exists():
            assert np.load(tmp_path / f"{name}.npy").shape == (500,)
            continue
        text = error.read_text()
        # The driver itself finds a file of no bytes, and fewer numbers.
        is_ours = name not in ("empty", "fewer", "none")
        assert ("pcodec: " in text) == is_ours, (name, text)
        assert not (tmp_path / f"{name}.npy").exists()


@pytest.mark.parametrize("name", ["u1", "u2", "i2", "u4", "i4", "f4", "f8"])
def test_gdal_writes(tmp_path: Path, environment: dict[str, str], name: str) -> None:
    """GDAL compresses with the type of a configuration option; zarr-python reads the array, with
    both codecs."""
    numbers = np.nan_to_num(numbers_of(name, (40, 50)), neginf=0)
    write(tmp_path / "in.zarr", numbers, PCodec(), chunks=(40, 50))
    options = ["-co", "COMPRESS=pcodec", "-co", "pcodec_LEVEL=5", "-co", "BLOCKSIZE=16,16"]
    command = ["gdal_translate", "-q", "-of", "Zarr", *options, "in.zarr", "out.zarr"]
    without = subprocess.run(command, capture_output=True, text=True, env=environment,
                             cwd=tmp_path, timeout=600, check=False)  # fmt: skip
    assert "PCODEC_DTYPE" in without.stderr
    subprocess.run(["rm", "-r", "out.zarr"], cwd=tmp_path, check=True)
    run(*command, "--config", "PCODEC_DTYPE", f"<{name}", env=environment, cwd=tmp_path)
    [folder] = [path.parent for path in (tmp_path / "out.zarr").rglob(".zarray")
                if "pcodec" in path.read_text()]  # fmt: skip
    assert json.loads((folder / ".zarray").read_text())["compressor"] == {
        "id": "pcodec",
        "level": 5,
    }
    array = zarr.open_array(str(folder), mode="r", zarr_format=2)
    np.testing.assert_array_equal(array[...], numbers)
    chunk = (folder / "0.0").read_bytes()
    reference = numcodecs_pcodec.PCodec()
    if name in REFERENCE_TYPES:
        np.testing.assert_array_equal(reference.decode(chunk).reshape(16, 16), numbers[:16, :16])


def call(tmp_path: Path, environment: dict[str, str], *requests: dict[str, Any]) -> list[Any]:
    (tmp_path / "requests.json").write_text(json.dumps(requests))
    run(SYSTEM_PYTHON, SCRIPTS / "call_codec.py", tmp_path / "requests.json",
        tmp_path / "results.json", env=environment)  # fmt: skip
    results: list[Any] = json.loads((tmp_path / "results.json").read_text())
    return results


def with_forged_count(file: bytes, count: int) -> bytes:
    """A file of one chunk whose trailer, with sound checksums, claims another count."""
    start = int.from_bytes(file[-24:-16], "little")
    body = bytearray(file[start:-24])
    assert body[:4] == b"pcoT"
    assert len(body) == 32 + 40
    body[24:32] = count.to_bytes(8, "little")
    body[32 + 8 : 32 + 12] = count.to_bytes(4, "little")
    footer = file[-24:-16] + zlib.crc32(body).to_bytes(4, "little")
    footer += zlib.crc32(footer).to_bytes(4, "little") + file[-8:]
    return file[:start] + bytes(body) + footer


def test_the_decompressor(tmp_path: Path, environment: dict[str, str]) -> None:
    """Its three ways of calling: the caller's memory, the size, memory that it allocates."""
    numbers = numbers_of("i2", (3000,))
    file = numpact.compress(numbers)
    forged = with_forged_count(numpact.compress(numbers, trailer=True), 1 << 24)
    sizes = [6000, 7000, 5999, 6, 1]
    requests = [{"what": "Decompressor", "input": file.hex(), "capacity": size} for size in sizes]
    requests += [{"what": "Decompressor", "input": text.hex()} | form
                 for text in (file, b"", file[:20], file + b"rest", forged)
                 for form in ({}, {"capacity": -1})]  # fmt: skip
    results = call(tmp_path, environment, *requests)
    for size, result in zip(sizes, results, strict=False):
        assert result["guarded"]
        assert result["done"] == (size >= 6000)
        assert result["size"] == 6000
        assert result["done"] == ("output" in result)
        assert result.get("output", numbers.tobytes().hex()) == numbers.tobytes().hex()
        assert result["done"] or result["error"].startswith("pcodec: ")
    # The claims of the forged trailer are checked, and decoding refuses it.
    sound = [(6000, True), (0, False), (0, False), (6000, True), (6000, False)]
    for index, (expected, decodes) in enumerate(sound):
        allocated, asked = results[len(sizes) + 2 * index :][:2]
        assert asked["done"] == (expected > 0)
        assert asked["size"] == expected
        assert allocated["done"] == allocated["allocated"] == decodes
        if decodes:
            assert allocated["size"] == expected
            assert allocated["output"] == numbers.tobytes().hex()


def test_the_compressor(tmp_path: Path, environment: dict[str, str]) -> None:
    """Its ways of calling and its options: those of numcodecs, and DTYPE."""
    numbers = numbers_of("i4", (4000,))
    data = numbers.tobytes()
    base = {"what": "Compressor", "input": data.hex(), "options": ["DTYPE=<i4"]}
    good = [
        [], ["LEVEL=0"], ["LEVEL=12"], ["level=3", "id=pcodec"], ["MODE_SPEC=classic"],
        ["DELTA_SPEC=try_consecutive", "DELTA_ENCODING_ORDER=2"], ["DELTA_ENCODING_ORDER=null"],
        ["DELTA_SPEC=try_lookback"], ["DELTA_SPEC=none"], ["EQUAL_PAGES_UP_TO=1000"],
        ["PAGING_SPEC=equal_pages_up_to"],
    ]  # fmt: skip
    bad = [
        ["LEVEL=13"], ["LEVEL=-1"], ["LEVEL=x"], ["MODE_SPEC=float"], ["DELTA_SPEC=best"],
        ["DELTA_SPEC=try_consecutive"], ["DELTA_ENCODING_ORDER=8"], ["EQUAL_PAGES_UP_TO=0"],
        ["PAGING_SPEC=exact"],
    ]  # fmt: skip
    types = [["DTYPE=>i4"], ["DTYPE=f16"], ["DTYPE=<i8"], ["DTYPE="], []]
    odd = {"input": data[:-1].hex()}
    requests = [base | {"options": [*base["options"], *options]} for options in good + bad]
    requests += [base | {"options": options} for options in types] + [base | odd]
    requests += [base | {"capacity": capacity} for capacity in (-1, 16000, 10)]
    results = call(tmp_path, environment, *requests)
    for options, result in zip(good, results, strict=False):
        assert result["done"], (options, result)
        found = numpact.decompress(bytes.fromhex(result["output"]))
        np.testing.assert_array_equal(found, numbers)
    assert len({result["output"] for result in results[: len(good)]}) > 5, "options have effect"
    rest = results[len(good) :]
    for options, result in zip(bad + types, rest, strict=False):
        # <i8 is a type of the same bytes.
        assert result["done"] == (options == ["DTYPE=<i8"]), (options, result)
        assert result["done"] or result["error"].startswith("pcodec: ")
    assert not rest[len(bad + types)]["done"]
    bound, given, small = rest[len(bad + types) + 1 :]
    assert bound["done"]
    assert 16000 < bound["size"] < 17000
    assert given["done"]
    assert given["size"] == results[0]["size"]
    assert not small["done"]
    assert small["size"] == bound["size"]
    assert small["guarded"]
    assert given["guarded"]


@pytest.fixture(scope="module", params=["libcpcodec.so", "libcpcodec.a"])
def v3_client(
    request: pytest.FixtureRequest, static_prefix: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Built with the variables of GDAL's build, shared and static."""
    folder = tmp_path_factory.mktemp("v3")
    library = next(static_prefix.rglob(request.param))
    others = ";-ldeflate;-pthread" if library.suffix == ".a" else ""
    variables = [
        f"-DPCODEC_C_INCLUDE_DIR={static_prefix / 'include'}",
        f"-DPCODEC_C_LIBRARY={library}{others}",
        "-DCMAKE_BUILD_TYPE=Release",
    ]
    run("cmake", "-G", "Ninja", "-S", SCRIPTS, "-B", folder, *variables)
    run("cmake", "--build", folder)
    return folder / "v3_client"


def decode_v3(client: Path, file: Path, code: int, count: int, *flags: str) -> tuple[str, bytes]:
    done = subprocess.run(
        [client, *flags, file, str(code), str(count)], capture_output=True, timeout=600, check=True
    )
    return done.stdout.decode().strip(), done.stderr


def test_calls_of_the_v3_codec(tmp_path: Path, v3_client: Path) -> None:
    """The calls of GDAL's codec for Zarr v3, with files of the reference."""
    codes = {"u4": 1, "u8": 2, "i4": 3, "i8": 4, "f4": 5, "f8": 6, "u2": 7, "i2": 8, "f2": 9}
    for name, code in codes.items():
        numbers = numbers_of(name, (3000,))
        file = tmp_path / name
        file.write_bytes(numcodecs_pcodec.PCodec().encode(numbers))
        for flags in ((), ("--bytes",)):
            found = decode_v3(v3_client, file, code, 3000, *flags)
            assert found == ("whole inside", numbers.tobytes())
        assert decode_v3(v3_client, file, code, 3001)[0] == "wrong count inside"
        other = code % 9 + 1
        assert decode_v3(v3_client, file, other, 3000)[0] == "error inside"
        file.write_bytes(file.read_bytes()[:-20])
        assert decode_v3(v3_client, file, code, 3000)[0] == "error inside"


def test_the_byte_count_of_gdal_is_unsafe(tmp_path: Path, v3_client: Path) -> None:
    """GDAL passes bytes where the binding counts numbers: a chunk with more numbers than belong
    into it is written past GDAL's memory. The function with a capacity in bytes refuses it."""
    file = tmp_path / "more"
    file.write_bytes(numpact.compress(np.arange(1001.0)))
    assert decode_v3(v3_client, file, 6, 1000) == ("wrong count overrun", b"")
    assert decode_v3(v3_client, file, 6, 1000, "--bytes") == ("error inside", b"")
