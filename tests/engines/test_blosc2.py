# SPDX-License-Identifier: Apache-2.0
"""integrations/blosc2: the wheel of Blosc2 compresses by the plug-in."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import ROOT, locked, run

import numpact

blosc2 = pytest.importorskip("blosc2")

Array = npt.NDArray[Any]
TYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]
SOURCE = ROOT / "integrations" / "blosc2"


@pytest.fixture(scope="module")
def wheel(static_prefix: Path) -> Path:
    """The wheel that integrations/blosc2/pyproject.toml makes, unpacked."""
    with locked("blosc2-wheel") as folder:
        run(
            sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
            "--disable-pip-version-check", SOURCE, "-w", folder,
            "-C", f"build-dir={folder / 'build'}",
            env=os.environ | {"CMAKE_PREFIX_PATH": str(static_prefix)},
        )  # fmt: skip
        [built] = folder.glob("blosc2_numpact-*.whl")
        with zipfile.ZipFile(built) as archive:
            archive.extractall(folder / "unpacked")
        return folder / "unpacked"


@pytest.fixture(scope="module")
def codec(wheel: Path) -> Iterator[ModuleType]:
    """The module of the wheel, registered."""
    sys.path.insert(0, str(wheel))
    import blosc2_numpact

    blosc2_numpact.register()
    blosc2_numpact.register()
    yield blosc2_numpact
    sys.path.remove(str(wheel))


def numbers_of(name: str, count: int = 50_000) -> Array:
    steps = np.random.default_rng(1).integers(0, 9, count).cumsum()
    numbers = (steps % 120).astype(name)
    if name[0] == "f":
        numbers[count // 2] = np.nan
    return numbers


def round_trip(numbers: Array, cparams: Any, **options: Any) -> Any:
    chunk = blosc2.SChunk(data=numbers, cparams=cparams, **options)
    assert chunk[:] == numbers.tobytes()
    return chunk


def plugin(codec: ModuleType) -> tuple[Any, Any]:
    """The two functions, for calls without Blosc2."""
    library = ctypes.CDLL(codec.libpath())
    types = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint8]
    types += [ctypes.c_void_p, ctypes.c_void_p]
    library.blosc2_numpact_encoder.argtypes = types
    library.blosc2_numpact_decoder.argtypes = types
    return library.blosc2_numpact_encoder, library.blosc2_numpact_decoder


@pytest.mark.parametrize("name", TYPES)
def test_types(codec: ModuleType, name: str) -> None:
    """Every type, in an SChunk of several chunks, and smaller than by zstd."""
    numbers = numbers_of(name)
    ours = round_trip(numbers, codec.cparams(name), chunksize=numbers.nbytes // 3 // 8 * 8)
    zstd = blosc2.CParams(codec=blosc2.Codec.ZSTD, clevel=9, typesize=numbers.itemsize)
    theirs = round_trip(numbers, zstd, chunksize=numbers.nbytes // 3 // 8 * 8)
    assert ours.cbytes < theirs.cbytes
    # The file of a block can be found in the chunk.
    assert bytes(ours.get_chunk(0)).count(b"pco!") >= 1


@pytest.mark.parametrize("level", range(1, 10))
def test_levels(codec: ModuleType, level: int) -> None:
    round_trip(numbers_of("f8"), codec.cparams("f8", level))


@pytest.mark.parametrize("nthreads", [1, 4])
def test_arrays(codec: ModuleType, tmp_path: Path, nthreads: int) -> None:
    """b2nd on disk, with edges that fill no block, and slices."""
    numbers = numbers_of("f4", 70_000).reshape(350, 200)
    path = str(tmp_path / "array.b2nd")
    blosc2.asarray(
        numbers, chunks=(100, 90), blocks=(40, 33), urlpath=path,
        cparams=codec.cparams("f4", nthreads=nthreads), dparams=blosc2.DParams(nthreads=nthreads),
    )  # fmt: skip
    array = blosc2.open(path)
    np.testing.assert_array_equal(array[...], numbers)
    np.testing.assert_array_equal(array[37:301:3, 5:180], numbers[37:301:3, 5:180])
    assert array.schunk.cparams.codec == codec.CODEC_ID


def test_another_process_reads(codec: ModuleType, wheel: Path, tmp_path: Path) -> None:
    """After register(), or by the name alone: Blosc2 asks the module for the library's path."""
    numbers = numbers_of("i8")
    path = str(tmp_path / "array.b2nd")
    blosc2.asarray(numbers, urlpath=path, cparams=codec.cparams("i8"))
    by_name = f"blosc2.register_codec('{codec.NAME}', {codec.CODEC_ID}, None, None)"
    environment = os.environ | {"PYTHONPATH": str(wheel)}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    for register in (by_name, "import blosc2_numpact; blosc2_numpact.register()"):
        script = f"import blosc2; {register}; print(blosc2.open({path!r})[...].sum())"
        out = run(sys.executable, "-c", script, env=environment, cwd=tmp_path).stdout
        assert int(out) == numbers.sum()
    named = run(sys.executable, "-c", "import blosc2_numpact as b; b.print_libpath()",
                env=environment)  # fmt: skip
    assert named.stdout == codec.libpath()


@pytest.mark.parametrize("blocksize", [64, 128, 1000, 4096])
def test_small_blocks(codec: ModuleType, blocksize: int) -> None:
    """Most blocks of a few numbers do not get smaller and are stored."""
    for name in TYPES:
        numbers = numbers_of(name, 5001)
        round_trip(numbers, codec.cparams(name, blocksize=blocksize // 8 * 8))
    for count in (1, 2, 3, 7, 31, 100):
        round_trip(numbers_of("f8", count), codec.cparams("f8"))


def test_incompressible(codec: ModuleType) -> None:
    noise = np.random.default_rng(2).integers(0, 2**63, 50_000)
    chunk = round_trip(noise, codec.cparams("i8"))
    assert chunk.cbytes < noise.nbytes + 1000


def test_filters(codec: ModuleType) -> None:
    """With filters in front the codec must be right, if not small: it takes bytes then."""
    numbers = np.nan_to_num(numbers_of("f8"))
    plain = round_trip(numbers, codec.cparams("f8")).cbytes
    sizes = {}
    for name in ("SHUFFLE", "BITSHUFFLE", "DELTA", "BYTEDELTA"):
        filters = [blosc2.Filter[name]]
        metas = [8 if name == "BYTEDELTA" else 0]
        params = codec.cparams("f8", filters=filters, filters_meta=metas)
        sizes[name] = round_trip(numbers, params).cbytes
    both = [blosc2.Filter.SHUFFLE, blosc2.Filter.DELTA]
    round_trip(numbers, codec.cparams("f8", filters=both, filters_meta=[0, 0]))
    assert plain < min(sizes.values())
    # Rounded numbers are still numbers.
    noise = np.random.default_rng(3).normal(size=50_000)
    params = codec.cparams("f8", filters=[blosc2.Filter.TRUNC_PREC], filters_meta=[10])
    chunk = blosc2.SChunk(data=noise, cparams=params)
    found = np.frombuffer(chunk[:], "f8")
    assert np.abs(found / noise - 1).max() < 2**-9
    assert chunk.cbytes < 0.5 * noise.nbytes


@pytest.mark.parametrize("mode", list(blosc2.SplitMode))
def test_split_modes(codec: ModuleType, mode: Any) -> None:
    """Streams of a split block may end within a number."""
    for name in ("f8", "i2"):
        for blocksize in (0, 8 * 1001):
            params = codec.cparams(name, splitmode=mode, blocksize=blocksize)
            round_trip(numbers_of(name), params)


def test_types_that_pco_has_not(codec: ModuleType) -> None:
    record = np.dtype([("a", "i4"), ("b", "f4"), ("c", "u1", 3)])
    rng = np.random.default_rng(4)
    for kind in (record, np.dtype("c16"), np.dtype(">i4"), np.dtype("M8[s]"), np.dtype("S5")):
        count = 20_000
        data = (rng.integers(0, 20, count * kind.itemsize) // 7).astype("u1").view(kind)
        round_trip(data, codec.cparams(kind))
    assert codec.type_code(">i4") == codec.type_code("S5") == codec.type_code(record) == 0


def test_a_wrong_type_code_is_an_error(codec: ModuleType) -> None:
    with pytest.raises(RuntimeError):
        blosc2.SChunk(data=numbers_of("f8"), cparams=codec.cparams("f8", codec_meta=99))
    # A type of another size is right, if not small.
    round_trip(numbers_of("f8"), codec.cparams("f8", codec_meta=codec.type_code("i2")))


def test_threads(codec: ModuleType) -> None:
    """Threads of Python, each with threads of Blosc2, which come and go."""
    numbers = {name: numbers_of(name) for name in TYPES}
    failures: list[str] = []

    def work() -> None:
        for name, array in numbers.items():
            chunk = blosc2.SChunk(data=array, cparams=codec.cparams(name, nthreads=3))
            if chunk[:] != array.tobytes():
                failures.append(name)

    for _ in range(2):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_hostile_chunks(codec: ModuleType) -> None:
    """Damaged chunks through Blosc2: an error, or other numbers, as neither has a checksum."""
    numbers = numbers_of("i4", 3000)
    good = bytes(blosc2.SChunk(data=numbers, cparams=codec.cparams("i4")).get_chunk(0))
    random = np.random.default_rng(5)
    start = good.index(b"pco!")
    outcomes = {"error": 0, "other": 0}
    for _ in range(300):
        damaged = bytearray(good)
        damaged[int(random.integers(start, len(good)))] ^= int(random.integers(1, 256))
        try:
            out = blosc2.decompress2(bytes(damaged))
        except (RuntimeError, ValueError):
            outcomes["error"] += 1
        else:
            outcomes["other"] += 1
            assert len(out) == numbers.nbytes
    assert outcomes["error"] > 20


def test_hostile_calls(codec: ModuleType) -> None:
    """The decoder alone: exactly the bytes that belong into the output, or an error; nothing is
    written behind the output."""
    _, decode = plugin(codec)
    numbers = numbers_of("f4", 1000)
    file = numpact.compress(numbers)
    large = numpact.compress(np.zeros(1 << 24, "u1"))
    guard = b"\xa5" * 64
    cases = [(file, 4000, True), (file, 4004, False), (file, 3996, False), (file, 3998, False),
             (file[:-1], 4000, False), (b"", 4000, False), (large, 100, False),
             (b"pco!" + bytes([3, 0, 0, 4, 1, 0]), 0, False), (file, 0, False)]  # fmt: skip
    for given, size, is_right in cases:
        out = ctypes.create_string_buffer(bytes(size) + guard)
        result = decode(given, len(given), out, size, 0, None, None)
        assert (result == size) == is_right, (len(given), size, result)
        assert is_right or result < 0
        assert out.raw[size : size + 64] == guard
    assert decode(None, 4, None, 4, 0, None, None) < 0
    assert decode(file, -1, ctypes.create_string_buffer(8), 8, 0, None, None) < 0


def test_libraries(codec: ModuleType, build_integration: Callable[..., Path]) -> None:
    """Built against the shared numpact, for hosts that are not Python, and that of the wheel, with
    the static one: only what Blosc2 looks up can be seen."""
    folder = build_integration("blosc2", Python3_EXECUTABLE=sys.executable)
    for library in (folder / "libblosc2_numpact.so", Path(codec.libpath())):
        names = run("nm", "-D", "--defined-only", library).stdout.split()
        exported = {name for name in names if "numpact" in name or name == "info"}
        assert exported == {"info", "blosc2_numpact_encoder", "blosc2_numpact_decoder"}
