# SPDX-License-Identifier: Apache-2.0
"""Triton and the extension for CUDA return the bits that the CPU returns. Without a GPU Triton's
interpreter runs its kernels: tests/python/packaging/test_torch.py runs this file so."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cvc_fixtures import FOLDER, WITH_ARRAY, array_of

import numpact
from numpact import cvc

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("triton", reason="Triton is not installed")
if os.environ.get("TRITON_INTERPRET") != "1" and not torch.cuda.is_available():
    pytest.skip("neither a GPU nor TRITON_INTERPRET=1", allow_module_level=True)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("error:invalid value", "error:overflow"),
    pytest.mark.filterwarnings("ignore:.*finite values became infinite"),
]

# Of one the header runs over the first chunks.
FILES = sorted(p for p in FOLDER.glob("*.cvc") if p.stem != "odd_mmap_overrun")

TYPES = ("float32", "float16", "bfloat16")
STEPS = ("int8", "int8_row", "int8_dim", "int4")
ROTATIONS = ("rot1", "rot2", "rot3", "rot4")
COMPRESSIONS = ("fp16", "bfloat16", "lossless", "pco", *STEPS, *ROTATIONS)
WHERE = {"device": "cuda", "framework": "torch"}


BACKENDS = ["triton"] if cvc.get_backend_errors()["cuda"] else ["triton", "cuda"]


@pytest.fixture(autouse=True, params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The backend that "auto" selects: "cuda" only where there is a GPU."""
    name: str = request.param
    if name == "triton":
        monkeypatch.setitem(sys.modules, "numpact._cuda", None)
    return name


def bits(tensor: Any) -> Any:
    kinds = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.cpu().contiguous().view(kinds[tensor.element_size()])


def same(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    different = (bits(found) != bits(expected)).nonzero()
    assert len(different) == 0, (
        f"{len(different)} differ, the first at {different[0].tolist()}: "
        f"{found.cpu()[tuple(different[0])]}, not {expected[tuple(different[0])]}"
    )


def pack(values: Any, compression: str, chunk: int, **options: Any) -> Any:
    """A file in memory."""
    with cvc.Writer(None, compression=compression, chunk_size=chunk, **options) as writer:
        writer.append(values)
    return writer.contents


def wild(rows: int, dimension: int) -> Any:
    """Values of all sizes: normal ones, subnormal ones, whole ones, zeros of both signs."""
    random = np.random.default_rng(rows + dimension)
    values = random.normal(size=(rows, dimension)).astype(np.float32)
    values *= np.float32(10) ** random.integers(-44, 4, (rows, 1)).astype(np.float32)
    values[random.random((rows, dimension)) < 0.05] = -0.0
    return values


def any_bits(rows: int, dimension: int) -> Any:
    """NaNs of every payload, infinities, subnormal numbers."""
    random = np.random.default_rng(dimension)
    values = random.integers(0, 1 << 32, (rows, dimension), np.uint64).astype(np.uint32)
    some = random.random((rows, dimension)) < 0.4
    values[some] |= np.uint32(0x7F800000)
    values[random.random((rows, dimension)) < 0.1] &= np.uint32(0x807FFFFF)
    values[random.random((rows, dimension)) < 0.1] &= np.uint32(0xFFF00000)
    return values.view(np.float32)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dimension", [1, 2, 7, 33, 48, 768])
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_shape(compression: str, dimension: int, dtype: str) -> None:
    rows = 530 if dimension < 100 else 70
    chunk = 100 if dimension < 100 else 32
    reader = cvc.Reader(pack(wild(rows, dimension), compression, chunk))
    expected = reader.read(dtype=dtype, framework="torch")
    same(reader.read(dtype=dtype, **WHERE), expected)
    for first, count in ((0, 0), (0, 1), (31, 2), (5, rows - 6), (rows - 1, 1), (32, 32)):
        same(reader.read(first, count, dtype=dtype, **WHERE), expected[first : first + count])
    many = [(40, 7), (3, 1), (0, 60), (33, 3)]
    rows_of_many = torch.cat([torch.arange(first, first + count) for first, count in many])
    same(reader.read_ranges(many, dtype=dtype, **WHERE)[0], expected[rows_of_many])
    ids = np.random.default_rng(1).integers(0, rows, 90)
    same(reader.gather(ids, dtype=dtype, **WHERE), expected[ids])
    buffer = torch.zeros((rows, dimension + 5), dtype=expected.dtype)
    buffer = reader.read(device="cuda", out=buffer.to(reader.read(0, 0, **WHERE).device)[:, 2:-3])
    same(buffer, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("compression", ["fp16", "bfloat16", "lossless", "pco"])
def test_bits_of_all_kinds(compression: str, dtype: str) -> None:
    reader = cvc.Reader(pack(any_bits(900, 13), compression, 250))
    same(reader.read(dtype=dtype, **WHERE), reader.read(dtype=dtype, framework="torch"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("compression", ["fp16", "bfloat16"])
def test_all_patterns_of_16_bits(compression: str, dtype: str) -> None:
    patterns = np.arange(1 << 16, dtype=np.uint16).reshape(-1, 256)
    file = bytearray(pack(np.zeros((256, 256), np.float32), compression, 256))
    file[-patterns.nbytes :] = patterns.tobytes()
    reader = cvc.Reader(file)
    ranges = [(0, 100), (100, 156)]  # parts of a chunk are not checked
    (found,) = reader.read_ranges(ranges, dtype=dtype, **WHERE)
    same(found, reader.read_ranges(ranges, dtype=dtype, framework="torch")[0])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_roundings(dtype: str) -> None:
    # Every half, and what lies between and just beside the middles.
    high = np.arange(0, 1 << 32, 1 << 12, dtype=np.uint64)
    values = np.concatenate([high + d for d in (0, 1, (1 << 32) - 1)]).astype(np.uint32)
    values = values.view(np.float32).reshape(-1, 512)
    reader = cvc.Reader(pack(values, "lossless", 700))
    same(reader.read(dtype=dtype, **WHERE), reader.read(dtype=dtype, framework="torch"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("compression", STEPS)
def test_steps_of_odd_ranges(compression: str, dtype: str) -> None:
    """Ranges that are infinite, NaN, subnormal, or overflow on the way."""
    odd = [0.0, -0.0, 1e-45, 1e-40, -3e-39, 1.0, 0.1, 3e38, -3e38, np.inf, -np.inf, np.nan]
    words = np.array(odd, np.float32).view(np.uint32)
    words = np.append(words, np.array([0x7FA12345, 0xFFC54321, 0xFF800001], np.uint32))
    random = np.random.default_rng(5)
    for _ in range(20):
        rows, dimension = 40, 30
        file = bytearray(pack(wild(rows, dimension), compression, rows))
        if compression == "int8":
            minimum, scale = random.choice(odd, 2)
            header = b'"min":', b'"scale":'
            file = _with_numbers(bytes(file), dict(zip(header, (minimum, scale), strict=True)))
        else:
            groups = rows if compression == "int8_row" else dimension
            file[-8 * groups :] = random.choice(words, 2 * groups).tobytes()
            codes = len(file) - 8 * groups
            size = rows * (dimension // 2 if compression == "int4" else dimension)
            file[codes - size : codes] = random.integers(0, 256, size).astype("u1").tobytes()
        reader = cvc.Reader(file)
        ranges = [(0, 15), (15, 25)]
        (found,) = reader.read_ranges(ranges, dtype=dtype, **WHERE)
        same(found, reader.read_ranges(ranges, dtype=dtype, framework="torch")[0])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("compression", ROTATIONS)
def test_rotations_of_odd_scales(compression: str, dtype: str) -> None:
    """Scales and means that are tiny, huge, infinite or NaN: sums overflow, and are NaN."""
    odd = [1.0, -2.5e-3, 0.0, -0.0, 1e-45, -3e-39, 1e36, 3e38, 7e37, -np.inf, np.inf, np.nan]
    random = np.random.default_rng(6)
    rows = 40
    for dimension in (1, 2, 3, 9, 64, 300):
        file = bytearray(pack(wild(rows, dimension), compression, rows))
        size = 4 + (dimension * int(compression[3:]) + 7) // 8
        start = len(file) - (rows * size + 4 * dimension + 8)
        file[start:] = random.integers(0, 256, len(file) - start).astype("u1").tobytes()
        for row in range(rows):
            at = start + row * size
            file[at : at + 4] = np.float32(odd[row % len(odd)]).tobytes()
        means = np.where(random.random(dimension) < 0.3, random.choice(odd, dimension), 0.25)
        file[-8 - 4 * dimension : -8] = means.astype(np.float32).tobytes()
        reader = cvc.Reader(file)
        ranges = [(0, 15), (15, 25)]
        (found,) = reader.read_ranges(ranges, dtype=dtype, **WHERE)
        same(found, reader.read_ranges(ranges, dtype=dtype, framework="torch")[0])


def test_long_rotated_rows() -> None:
    """The CPU decodes the longer ones."""
    for dimension in (8192, 8193):
        reader = cvc.Reader(pack(wild(5, dimension), "rot3", 3))
        same(reader.read(**WHERE), reader.read(framework="torch"))
        same(reader.gather([4, 1], **WHERE), reader.gather([4, 1], framework="torch"))


def _with_numbers(file: bytes, numbers: dict[bytes, float]) -> bytearray:
    """Other numbers in the header."""
    (size,) = struct.unpack_from("<I", file, 8)
    header = file[12 : 12 + size]
    for key, value in numbers.items():
        start = header.index(key) + len(key)
        end = min(header.index(c, start) for c in (b",", b"}") if c in header[start:])
        text = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(repr(float(value)))
        header = header[:start] + (text or repr(float(value))).encode() + header[end:]
    return bytearray(file[:8] + struct.pack("<I", len(header)) + header + file[12 + size :])


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.stem)
def test_conformance(file: Path) -> None:
    reader = cvc.Reader(file)
    for column, described in enumerate(reader.info.columns):
        is_kept = described.compression in ("none", "pco") and described.dtype.startswith(
            ("int", "uint")
        )
        for dtype in (described.dtype,) if is_kept else TYPES:
            expected = reader.read(column=column, dtype=dtype, framework="torch")
            same(reader.read(column=column, dtype=dtype, **WHERE), expected)
    if file in WITH_ARRAY:
        expected = torch.from_numpy(array_of(file.stem).astype(np.float32))
        same(cvc.load_cvc(file, device="cuda").reshape(expected.shape), expected)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    random = np.random.default_rng(8)
    data = {
        "v": random.normal(size=(500, 20)).astype(np.float32),
        "raw": random.normal(size=(500, 3)).astype(np.float32),
        "half": random.normal(size=(500, 5)).astype(np.float16),
        "packed": random.integers(0, 9, 500).astype(np.int32),
        **{name: random.integers(0, 100, 500).astype(name) for name in ("int32", "int64", "uint8")},
        "int8": random.integers(-100, 100, (500, 3)).astype(np.int8),
    }
    chosen = {"v": "int8", "raw": "none", "half": "none", "packed": "pco"}
    path = tmp_path / "t.cvc"
    cvc.pack_cvc_columns(data, path, chosen, 120)
    return path


def test_columns(table: Path, backend: str) -> None:
    expected = cvc.Reader(table, framework="torch").read_ranges([(0, 500)])
    reader = cvc.Reader(table, device="cuda", backend=backend)
    for found, one in zip(reader.read_ranges([(0, 500)]), expected, strict=True):
        same(found, one)
    for found, one in zip(reader.read_ranges([(130, 5), (7, 400)]), expected, strict=True):
        same(found, torch.cat([one[130:135], one[7:407]]))
    for found, one in zip(
        cvc.load_cvc_columns(table, device="cuda").values(), expected, strict=True
    ):
        same(found, one)
    same(reader.gather([499, 3, 3], column="packed"), expected[3][[499, 3, 3]])
    with pytest.raises(numpact.TypeMismatchError):
        reader.read(column="int64", dtype="float32")
    with pytest.raises(numpact.TypeMismatchError):
        reader.read(column="v", dtype="int32")


def test_remote_files(table: Path, tmp_path: Path) -> None:
    expected = cvc.Reader(table, framework="torch").read_ranges([(10, 300)])
    with table.open("rb") as file:
        reader = cvc.Reader(file, device="cuda")
        for verify in (False, True):
            for found, one in zip(
                reader.read_ranges([(10, 300)], verify=verify), expected, strict=True
            ):
                same(found, one)
    for compression in COMPRESSIONS:
        path = tmp_path / f"{compression}.cvc"
        data = bytearray(pack(wild(400, 9), compression, 150))
        path.write_bytes(data)
        with path.open("rb") as file:
            reader = cvc.Reader(file, framework="torch")
            same(reader.read(device="cuda"), reader.read())
            same(reader.gather([399, 4, 4, 160], device="cuda"), reader.gather([399, 4, 4, 160]))
        data[-1] ^= 1
        path.write_bytes(data)
        with path.open("rb") as file, pytest.raises(cvc.CorruptedChunkError):
            cvc.Reader(file, device="cuda").read()
        with path.open("rb") as file, pytest.raises(cvc.CorruptedChunkError):
            cvc.Reader(file, device="cuda").gather([399], verify=True)
        with path.open("rb") as file:
            reader = cvc.Reader(file, framework="torch")
            with pytest.warns(cvc.CorruptionWarning):
                found = reader.read(device="cuda", on_corruption="drop")
            same(found, reader.read(0, 300))


def test_the_other_functions(tmp_path: Path, backend: str) -> None:
    values = wild(300, 12)
    parts = [(values[:100], {"k": 1}), (values[100:], {"k": 2})]
    path = tmp_path / "s.cvc"
    cvc.pack_cvc_sections(parts, path, "int8", 80)
    expected = torch.from_numpy(cvc.load_cvc(path))
    same(cvc.load_cvc(path, device="cuda", backend=backend), expected)
    for index, chunk in cvc.load_cvc_chunked(path, [3, 1], device="cuda"):
        same(chunk, expected[80 * index : 80 * index + 80])
    found = cvc.load_cvc_range(path, device="cuda", section_key="k", section_value=2)
    same(found, expected[100:])
    with cvc.MMapCVCLoader(path) as loader:
        same(loader.load("cuda"), expected)
        same(loader.load_chunk(1, "cuda"), expected[80:160])
        assert isinstance(loader.load(), np.ndarray)
    reader = cvc.Reader(path, device="cuda", framework="torch")
    same(reader[5:50], expected[5:50])
    same(reader[-1], expected[-1])
    same(reader[[4, 1]], expected[[4, 1]])
    same(reader.read_chunk(2), expected[160:240])
    assert isinstance(reader.read(device="cpu"), np.ndarray)
    codes, _ = reader.read_codes(0, 5)
    assert isinstance(codes, np.ndarray)


@pytest.mark.parametrize("dtype", TYPES)
def test_damage(dtype: str) -> None:
    file = bytearray(pack(wild(400, 10), "int8", 100))
    chunk = cvc.Reader(file).info.chunks[1]
    file[(chunk.offset or 0) + 50] ^= 1
    reader = cvc.Reader(file)
    with pytest.raises(cvc.CorruptedChunkError) as caught:
        reader.read(dtype=dtype, **WHERE)
    assert caught.value.chunk == 1
    same(
        reader.read(100, 50, dtype=dtype, **WHERE),
        reader.read(100, 50, dtype=dtype, framework="torch"),
    )
    with pytest.raises(cvc.CorruptedChunkError):
        reader.read(100, 50, verify=True, **WHERE)
    with pytest.raises(cvc.CorruptedChunkError):
        reader.gather([5, 100], verify=True, **WHERE)
    for how in ("fill", "drop"):
        for value in (7.3, -1e9, float("nan"), float("inf")):
            options = {"dtype": dtype, "on_corruption": how, "fill_value": value}
            with pytest.warns(cvc.CorruptionWarning, match="chunk 1"):
                found = reader.read(**options, **WHERE)
            with pytest.warns(cvc.CorruptionWarning, match="chunk 1"):
                same(found, reader.read(**options, framework="torch"))
    with pytest.raises(numpact.InvalidArgumentError):
        reader.read(on_corruption="what", **WHERE)


def test_fills_of_columns(table: Path) -> None:
    file = bytearray(table.read_bytes())
    chunk = cvc.Reader(file).info.chunks[2]
    file[(chunk.offset or 0) + 50] ^= 1
    reader = cvc.Reader(file)
    for value in (3.9, -7.0, 1e30, -1e30, float("nan"), 200.0):
        options = {"on_corruption": "fill", "fill_value": value}
        with pytest.warns(cvc.CorruptionWarning):
            found = reader.read_ranges([(0, 500)], **options, **WHERE)
        with pytest.warns(cvc.CorruptionWarning):
            expected = reader.read_ranges([(0, 500)], **options, framework="torch")
        for one, other in zip(found, expected, strict=True):
            same(one, other)


def test_codes_past_the_dictionary() -> None:
    values = np.float32(2) ** np.random.default_rng(3).integers(-2, 3, (200, 4)).astype(np.float32)
    file = bytearray(pack(values, "lossless", 100))
    file[-1] = 0xFF  # plane 3 of the last chunk
    reader = cvc.Reader(file)
    for options in ({"framework": "torch"}, WHERE):
        with pytest.raises(numpact.CorruptError, match="past its dictionary") as caught:
            reader.read(150, 50, **options)
        assert caught.value.chunk == 1
        same(reader.read(100, 90, **options), torch.from_numpy(values[100:190]))


def test_buffers_that_are_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many batches, chunks in pieces, single rows longer than a buffer."""
    from numpact.cvc._device import _read, _triton

    for module in (_read, _triton):
        monkeypatch.setattr(module, "BUFFER_BYTES", 3000)
    for compression in COMPRESSIONS:
        reader = cvc.Reader(pack(wild(700, 21), compression, 300))
        expected = reader.read(framework="torch")
        same(reader.read(**WHERE), expected)
        ids = np.random.default_rng(4).permutation(700)
        same(reader.gather(ids, **WHERE), expected[ids])
        wide = cvc.Reader(pack(wild(3, 4000), compression, 3))
        same(wide.read(**WHERE), wide.read(framework="torch"))


def test_large_buffers() -> None:
    """By several threads."""
    for compression in ("int8", "pco", "lossless"):
        reader = cvc.Reader(pack(wild(30_000, 400), compression, 7_000))
        same(reader.read(threads=3, **WHERE), reader.read(framework="torch"))


class _Steps:
    """Stands in for streams and events of CUDA; everything is done at once."""

    def __init__(self, *_: object) -> None:
        self.waits: list[object] = []

    def record(self, stream: object) -> None:
        assert isinstance(stream, _Steps)

    def synchronize(self) -> None:
        return

    def wait_event(self, event: object) -> None:
        self.waits.append(event)


@pytest.mark.parametrize("backend", ["triton"], indirect=True)
def test_two_buffers_in_turn(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of copies and kernels, without a GPU."""
    from contextlib import nullcontext

    from numpact.cvc._device import _read, _triton

    if torch.cuda.is_available():
        pytest.skip("there is a GPU: all other tests use it")
    kernels, empty = _Steps(), torch.empty
    for name in ("Stream", "Event"):
        monkeypatch.setattr(torch.cuda, name, _Steps)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: kernels)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: nullcontext())
    monkeypatch.setattr(torch, "empty", lambda size, dtype, **_: empty(size, dtype=dtype))
    lanes: list[Any] = []

    def lane() -> Any:
        lanes.append(_triton._GpuLane(0))
        return lanes[-1]

    monkeypatch.setattr(_triton, "_CpuLane", lane)
    for module in (_read, _triton):
        monkeypatch.setattr(module, "BUFFER_BYTES", 3000)
    reader = cvc.Reader(pack(wild(700, 21), "int8", 300))
    same(reader.read(**WHERE), reader.read(framework="torch"))
    (used,) = lanes
    slots = {id(slot.copied) for slot in used._slots}
    copied = [id(event) for event in kernels.waits]
    assert len(copied) > 4
    assert set(copied) == slots
    assert copied[::2] == copied[:1] * len(copied[::2])
    # A buffer is copied to when all is launched that read it before.
    free = [id(event) for event in used._copies.waits]
    of_copies = {id(slot.copied): id(slot.decoded) for slot in used._slots}
    assert free == [of_copies[event] for event in copied]


def test_into_tensors() -> None:
    reader = cvc.Reader(pack(wild(50, 6), "int8", 20))
    where = reader.read(0, 0, **WHERE).device
    for dtype in TYPES:
        out = torch.zeros((50, 6), dtype=getattr(torch, dtype), device=where)
        assert reader.read(device="cuda", out=out) is out
        same(out, reader.read(dtype=dtype, framework="torch"))
    for bad in (
        torch.zeros((50, 5), device=where),
        torch.zeros((50, 6), device=where, requires_grad=True),
        torch.zeros((50, 6), device="meta"),
        torch.zeros((6, 50), device=where).T,
        np.zeros((50, 6), np.float32),
        torch.zeros((50, 6), dtype=torch.int32, device=where),
        torch.zeros((1, 6), device=where).expand(50, 6),
    ):
        with pytest.raises((ValueError, TypeError)):
            reader.read(device="cuda", out=bad)
    with pytest.raises(numpact.TypeMismatchError):
        reader.read(device="cuda", out=torch.zeros((50, 6), device=where), dtype="float16")


def test_progress_and_what_is_there(backend: str) -> None:
    reader = cvc.Reader(pack(wild(50, 6), "int8", 20))
    seen: list[int] = []
    reader.read(progress=lambda p: seen.append(p.numbers), **WHERE)
    assert seen == [120, 240, 300]
    with pytest.raises(numpact.CancelledError):
        reader.read(progress=lambda p: False, **WHERE)
    assert cvc.get_available_backends()[backend]
    with pytest.raises(numpact.InvalidArgumentError, match="is 50: the file has rows 0 to 49"):
        reader.gather([50], **WHERE)
    with pytest.raises(numpact.InvalidArgumentError, match="numpy"):
        reader.read(device="cuda", framework="numpy")
    if os.environ.get("TRITON_INTERPRET") == "1":
        with pytest.raises(numpact.InvalidArgumentError, match="interpreter"):
            reader.read(device="cuda", framework="cupy")
