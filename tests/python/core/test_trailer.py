# SPDX-License-Identifier: Apache-2.0
"""Trailers from Python: written, used, read, added; damage that they find."""

from __future__ import annotations

import io
import pickle
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processor_time import seconds_of
from test_limits import bomb, linux, rss

import numpact
from numpact import pcodec

NUMBERS = np.random.default_rng(3).normal(100, 5, 10_000).round(2)
PAGING = 1000
FILE = numpact.compress(NUMBERS, paging=PAGING, trailer=True)
PLAIN = numpact.compress(NUMBERS, paging=PAGING)
TRAILER = numpact.read_trailer(FILE)
assert TRAILER is not None


def damaged(chunk: int, file: bytes = FILE) -> bytes:
    """With one bit changed near the end of a chunk's page."""
    trailer = numpact.read_trailer(file)
    assert trailer is not None
    at = trailer.chunks[chunk].offset + trailer.chunks[chunk].bytes - 20
    return file[:at] + bytes([file[at] ^ 1]) + file[at + 1 :]


# A change that decodes in silence where nobody looks at checksums.
DAMAGED = damaged(7)
BAD_TRAILER = FILE[:-30] + bytes([FILE[-30] ^ 1]) + FILE[-29:]


def written(trailer: Any) -> bytes:
    target = io.BytesIO()
    with numpact.Writer(target, NUMBERS.dtype, paging=PAGING, trailer=trailer) as writer:
        for block in np.array_split(NUMBERS, 7):
            writer.write(block)
    return target.getvalue()


# ---- writing ----


def test_it_follows_the_file_that_would_be_there_without() -> None:
    assert FILE.startswith(PLAIN)
    assert len(FILE) - len(PLAIN) == 56 + 40 * 10
    np.testing.assert_array_equal(numpact.decompress(FILE), NUMBERS)


@pytest.mark.parametrize("make", [written, lambda t: numpact.compress(NUMBERS, trailer=t)])
def test_what_can_be_asked_for(make: Any) -> None:
    assert numpact.read_trailer(make(False)) is None
    index, points = numpact.read_trailer(make(True)), numpact.read_trailer(make(256))
    assert index is not None
    assert index.restart_every is None
    assert points is not None
    assert points.restart_every == 256
    assert sum(chunk.restart_points for chunk in points.chunks) > 20
    assert np.array_equal(numpact.decompress(make(np.int64(256))), NUMBERS)


@pytest.mark.parametrize("wrong", [1, 0, 255, 257, 128, 1 << 25, -256, "index", None, 256.0])
def test_what_cannot_be_asked_for(wrong: Any) -> None:
    for make in (
        lambda: numpact.compress(NUMBERS, trailer=wrong),
        lambda: numpact.Writer(io.BytesIO(), "float64", trailer=wrong),
        lambda: numpact.add_trailer(FILE, wrong),
    ):
        with pytest.raises(numpact.InvalidArgumentError, match="trailer is True, False or a power"):
            make()


# ---- what it says ----


def test_what_it_says() -> None:
    assert (TRAILER.type, TRAILER.dtype, TRAILER.count) == ("f64", np.float64, NUMBERS.size)
    assert (TRAILER.file_bytes, TRAILER.bytes) == (len(PLAIN), len(FILE) - len(PLAIN))
    inside = numpact.inspect(FILE).chunks
    assert [chunk.offset for chunk in TRAILER.chunks] == [chunk.offset for chunk in inside]
    for chunk in TRAILER.chunks:
        numbers = NUMBERS[chunk.first : chunk.first + chunk.count]
        assert (chunk.min, chunk.max) == (numbers.min(), numbers.max())
        assert type(chunk.min) is np.float64
        assert chunk.nan_count == chunk.restart_points == 0
    assert numpact.read_trailer(PLAIN) is None
    assert numpact.read_trailer(b"") is None


@pytest.mark.parametrize("code", ["u1", "u4", "u8", "i1", "i2", "i8", "f2", "f4", "f8"])
def test_ranges_of_every_type(code: str, tmp_path: Path) -> None:
    dtype = np.dtype(code)
    lowest = -3 if dtype.kind != "u" else 3
    x = np.arange(lowest, lowest + 50).astype(dtype)
    x[10] = np.iinfo(dtype).max if dtype.kind != "f" else np.inf
    path = tmp_path / "a.pco"
    path.write_bytes(numpact.compress(x, trailer=True))
    trailer = numpact.read_trailer(path)
    assert trailer is not None
    (chunk,) = trailer.chunks
    assert (chunk.min, chunk.max) == (x.min(), x.max())
    assert chunk.min.dtype == chunk.max.dtype == dtype


def test_nan_is_left_out() -> None:
    x = np.array([1, np.nan, 2, -0.0] + [np.nan] * 4, np.float32)
    trailer = numpact.read_trailer(numpact.compress(x, paging=4, trailer=True))
    assert trailer is not None
    some, none = trailer.chunks
    assert (some.min, some.max, some.nan_count) == (0, 2, 1)
    assert (none.min, none.max, none.nan_count) == (None, None, 4)
    assert trailer.chunks_within() == [some]
    assert trailer.chunks_within(0.0, 0.0) == [some]
    assert trailer.chunks_within(np.nan, 1) == []


def test_chunks_within() -> None:
    trailer = numpact.read_trailer(numpact.compress(range(3000), paging=1000, trailer=True))
    assert trailer is not None

    def firsts(*bounds: Any) -> list[int]:
        return [chunk.first for chunk in trailer.chunks_within(*bounds)]

    assert firsts(500, 1000) == [0, 1000]
    assert firsts(999.5, 999.9) == []
    assert firsts(None, 5) == [0]
    assert firsts(2000) == [2000]
    assert firsts(-(1 << 70), 1 << 70) == [0, 1000, 2000]
    assert firsts(np.int8(-1), np.float32(-0.5)) == []
    with pytest.raises(numpact.TypeMismatchError, match="numbers as they are stored"):
        firsts("a")
    with pytest.raises(numpact.TypeMismatchError):
        firsts(np.datetime64("2024-01-01"))


def test_of_an_empty_file() -> None:
    trailer = numpact.read_trailer(numpact.compress(np.empty(0, np.int16), trailer=True))
    assert trailer is not None
    assert (trailer.count, trailer.chunks, trailer.dtype) == (0, [], np.int16)
    assert trailer.chunks_within(1, 2) == []


def test_inspect_reports_it() -> None:
    points = numpact.add_trailer(PLAIN, 4096)
    more = "12 bytes follow that are not part of the file"
    for file, state, text in (
        (PLAIN, "none", ""),
        (FILE, "sound", "456 bytes of trailer"),
        (points, "sound", "of trailer, restart points every 4,096 numbers"),
        (BAD_TRAILER, "damaged", "456 bytes of trailer, which is damaged"),
        (PLAIN + b"what is this", "unrecognised", more),
    ):
        info = numpact.inspect(file)
        assert info.trailer == state
        assert info.restart_every == (4096 if file is points else None)
        assert text in str(info)


# ---- reading ----

READS = {
    "decompress": lambda f, t: numpact.decompress(f, trailer=t),
    "with_progress": lambda f, t: numpact.decompress(f, trailer=t, progress=lambda _: None),
    "out": lambda f, t: numpact.decompress(f, np.empty(NUMBERS.size), trailer=t),
    "open": lambda f, t: numpact.open(f, trailer=t)[:],
    "by_chunk": lambda f, t: np.concatenate(list(numpact.open(f, trailer=t))),
}
reading = pytest.mark.parametrize("read", READS.values(), ids=READS)


@reading
def test_damage_is_found_and_the_chunk_named(read: Any) -> None:
    for policy in ("use", "require"):
        np.testing.assert_array_equal(read(FILE, policy), NUMBERS)
        with pytest.raises(numpact.ChecksumError, match="checksum") as caught:
            read(DAMAGED, policy)
        assert caught.value.chunk == 7
        assert caught.value.offset == TRAILER.chunks[7].offset
    wrong = read(DAMAGED, "ignore")
    assert wrong.size == NUMBERS.size
    assert not np.array_equal(wrong, NUMBERS)


@reading
def test_what_must_be_there(read: Any) -> None:
    for file, error in ((PLAIN, numpact.CorruptError), (BAD_TRAILER, numpact.ChecksumError)):
        for policy in ("use", "ignore"):
            np.testing.assert_array_equal(read(file, policy), NUMBERS)
        with pytest.raises(error, match="trailer"):
            read(file, "require")
    for wrong in ("Use", True, None):
        with pytest.raises(numpact.InvalidArgumentError, match="trailer must be one of"):
            read(FILE, wrong)


def test_parts_are_read_by_the_trailer(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    path.write_bytes(damaged(0, written(256)))
    with numpact.open(path) as f:
        # A walk would meet the damage, or not see it; the other chunks are read all the same.
        np.testing.assert_array_equal(f[1500:9000], NUMBERS[1500:9000])
        with pytest.raises(numpact.ChecksumError):
            f.read(0, 1000)
        assert [chunk.count for chunk in f.chunks] == [1000] * 10
        again = pickle.loads(pickle.dumps(f))
        with pytest.raises(numpact.ChecksumError):
            again.read(0, 1000)
    known = numpact.open(path)
    with pytest.raises(numpact.InvalidArgumentError, match="chunks="):
        numpact.open(path, chunks=known.chunks, trailer="require")
    with numpact.open(path, chunks=known.chunks) as g:
        assert g[0:1000].size == 1000


# ---- adding one ----


def test_added_to_bytes() -> None:
    assert numpact.add_trailer(PLAIN) == FILE
    with pytest.raises(numpact.CorruptError, match="index --force") as caught:
        numpact.add_trailer(bytearray(PLAIN + b"something else"))
    assert caught.value.offset == len(PLAIN)
    with pytest.raises(numpact.ChecksumError):
        numpact.add_trailer(BAD_TRAILER)
    assert numpact.add_trailer(BAD_TRAILER[: numpact.verify(BAD_TRAILER).file_bytes]) == FILE
    points = numpact.add_trailer(FILE, 256)
    assert points == numpact.compress(NUMBERS, paging=PAGING, trailer=256)
    with pytest.raises(numpact.LimitExceededError):
        numpact.add_trailer(PLAIN, max_output=79_999)
    with pytest.raises(numpact.CorruptError):
        numpact.add_trailer(PLAIN[:-1])


def test_added_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    path.write_bytes(PLAIN)
    assert numpact.add_trailer(path) is None
    assert path.read_bytes() == FILE
    path.write_bytes(PLAIN[:-1])
    with pytest.raises(numpact.CorruptError):
        numpact.add_trailer(path)
    assert path.read_bytes() == PLAIN[:-1]
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.pco"]
    with pytest.raises(FileNotFoundError):
        numpact.add_trailer(tmp_path / "none.pco")


def test_a_new_one_does_not_hide_damage() -> None:
    with pytest.raises(numpact.ChecksumError) as caught:
        numpact.add_trailer(DAMAGED)
    assert caught.value.chunk == 7
    with pytest.raises(numpact.CorruptError):
        numpact.add_trailer(bytes([FILE[0] ^ 1]) + FILE[1:])


# ---- appending ----


def test_append_keeps_what_the_file_has(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    for before, after in ((False, False), (True, False), (512, False), (True, 256), (False, 256)):
        path.write_bytes(numpact.compress(NUMBERS[:5000], paging=PAGING, trailer=before))
        numpact.append(path, NUMBERS[5000:], paging=PAGING, trailer=after)
        trailer = numpact.read_trailer(path)
        kind = after or before
        if kind is False:
            assert trailer is None
        else:
            assert trailer is not None
            assert trailer.count == NUMBERS.size
            assert trailer.restart_every == (None if kind is True else kind)
        assert numpact.verify(path).sound
        np.testing.assert_array_equal(numpact.open(path)[:], NUMBERS)


def test_append_does_not_hide_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    for file in (DAMAGED, BAD_TRAILER):
        path.write_bytes(file)
        with pytest.raises(numpact.ChecksumError, match=r"a\.pco: "):
            numpact.append(path, NUMBERS)
        assert path.read_bytes() == file
    # The numbers are as they were: it is mended by taking the trailer away.
    path.write_bytes(BAD_TRAILER[: numpact.verify(BAD_TRAILER).file_bytes])
    numpact.append(path, NUMBERS, trailer=True)
    assert numpact.verify(path).sound


def bad_trailers() -> dict[str, bytes]:
    """Files whose chunk 7 and trailer are both damaged, as by one bad block of a disk."""
    assert TRAILER is not None
    at = TRAILER.file_bytes

    def changed(*places: int) -> bytes:
        file = bytearray(DAMAGED)
        for place in places:
            file[place] ^= 1
        return bytes(file)

    return {
        "front": changed(at + 8),
        "record": changed(at + 40),
        "footer": changed(-20),
        "checksums": changed(-16, -12),
        "first bytes": changed(at),
        "last bytes": changed(-1),
        "cut": DAMAGED[:-5],
        "cut to its front": DAMAGED[: at + 10],
    }


@pytest.mark.parametrize("trailer", [False, True, 256])
@pytest.mark.parametrize("name", bad_trailers())
def test_a11_append_hides(tmp_path: Path, name: str, trailer: Any) -> None:
    path = tmp_path / "a.pco"
    file = bad_trailers()[name]
    path.write_bytes(file)
    with pytest.raises(numpact.CorruptError, match=r"a\.pco: .*trailer"):
        numpact.append(path, [1.0], trailer=trailer)
    assert path.read_bytes() == file


@pytest.mark.parametrize("name", bad_trailers())
def test_a11_append_hides_add_trailer(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.pco"
    file = bad_trailers()[name]
    path.write_bytes(file)
    with pytest.raises(numpact.CorruptError, match=r"a\.pco: .*trailer"):
        numpact.add_trailer(path)
    assert path.read_bytes() == file
    with pytest.raises(numpact.CorruptError, match="trailer"):
        numpact.add_trailer(file)


# ---- lies ----


def rewritten(file: bytearray) -> bytes:
    """With the checksums of its trailer made right."""
    at = int.from_bytes(file[-24:-16], "little")
    file[-16:-12] = struct.pack("<I", zlib.crc32(file[at:-24]))
    file[-12:-8] = struct.pack("<I", zlib.crc32(file[-24:-12]))
    return bytes(file)


RANGES = [(1024, 1034), (1100, 1101), (1024, 1280), (0, 10), (4000, 4001), (0, 5000)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mask", [0x40, 0x01])
@pytest.mark.parametrize("point", [0, 3, 18])
def test_a02_lying_point(point: int, mask: int, threads: int) -> None:
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.integers(-50, 50, 5000)).astype("i8")
    file = bytearray(numpact.compress(x, 8, delta="consecutive=1", trailer=256))
    trailer = numpact.read_trailer(bytes(file))
    assert trailer is not None
    points = trailer.file_bytes + 32 + 40 * len(trailer.chunks)
    state_bytes = int.from_bytes(file[points : points + 2], "little")
    assert rewritten(bytearray(file)) == file
    sound = numpact.open(bytes(file), trailer="verify", threads=threads)
    np.testing.assert_array_equal(sound[:], x)
    file[points + 2 + point * (4 + state_bytes) + 4] ^= mask  # the sum so far
    lying = rewritten(file)
    for a, b in RANGES:
        with pytest.raises(numpact.CorruptError, match="restart points contradict"):
            numpact.open(lying, trailer="verify", threads=threads)[a:b]
    # Chunks that are decoded to their end do not use restart points.
    np.testing.assert_array_equal(numpact.decompress(lying, trailer="verify"), x)


def hidden_chunk() -> tuple[bytes, np.ndarray]:
    """A trailer that names a chunk within the raw bits of another, and the file's numbers."""
    small = numpact.compress(np.full(1000, 666, "u8"), 4)
    head = numpact.open(small).chunks[0].offset
    hidden = small[head:-1]
    x = np.random.default_rng(0).integers(0, 1 << 64, 3000, dtype="u8")
    padded = hidden + bytes(-len(hidden) % 8)
    x[1000 : 1000 + len(padded) // 8] = np.frombuffer(padded, "<u8")
    file = numpact.compress(x, 4, mode="classic", delta="none", paging=3000)
    at = file.find(hidden)
    first = numpact.open(file).chunks[0]
    page = numpact.open(small).chunks[0].page_offset - head
    end = at + len(hidden)

    def record(offset: int, page_at: int, stop: int) -> bytes:
        crc = zlib.crc32(file[offset:stop])
        return struct.pack("<QIIIIQQ", offset, 1000, page_at, crc, 0, 0, (1 << 64) - 1)

    major, minor = numpact.open(file).format_version
    front = b"pcoT" + bytes([1, file[first.offset], 0, 0])
    front += struct.pack("<HBBI", first.offset, major, minor, zlib.crc32(file[: first.offset]))
    front += struct.pack("<QQ", 3, 3000)
    body = front + record(first.offset, first.page_offset - first.offset, at)
    body += record(at, page, end) + record(end, 1, len(file) - 1)
    foot = struct.pack("<QII", len(file), zlib.crc32(body), 0)
    return rewritten(bytearray(file + body + foot + b"pcoTrail")), x


@pytest.mark.parametrize("threads", [1, 2])
def test_a03_hidden_chunk(threads: int) -> None:
    lying, x = hidden_chunk()
    assert numpact.read_trailer(lying) is not None
    for a, b in ((1000, 2000), (1500, 1504), (0, 1), (0, 3000), (2999, 3000)):
        with pytest.raises(numpact.CorruptError):
            numpact.open(lying, trailer="verify", threads=threads)[a:b]
    with pytest.raises(numpact.CorruptError):
        numpact.decompress(lying)
    np.testing.assert_array_equal(numpact.open(lying, trailer="ignore")[:], x)


def test_verified_trailers(tmp_path: Path) -> None:
    for file in (FILE, PLAIN):
        opened = numpact.open(file, trailer="verify")
        np.testing.assert_array_equal(opened[2500:2600], NUMBERS[2500:2600])
        np.testing.assert_array_equal(numpact.decompress(file, trailer="verify"), NUMBERS)
    for file in (DAMAGED, BAD_TRAILER):
        with pytest.raises(numpact.ChecksumError):
            numpact.open(file, trailer="verify")[0]
    with pytest.raises(numpact.InvalidArgumentError, match="verify"):
        numpact.open(FILE, trailer="verify", chunks=numpact.open(FILE).chunks)
    with pytest.raises(numpact.LimitExceededError):
        len(numpact.open(FILE, trailer="verify", max_output=10))
    path = tmp_path / "a.pco"
    path.write_bytes(FILE)
    again = pickle.loads(pickle.dumps(numpact.open(path, trailer="verify")))
    assert again[17] == NUMBERS[17]


# ---- damage ----


def test_verify_sound_files(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    for file, state, rest in ((PLAIN, "none", 0), (FILE, "sound", len(FILE) - len(PLAIN))):
        path.write_bytes(file)
        for source in (file, path, io.BytesIO(file)):
            found = numpact.verify(source)
            assert found.sound
            assert (found.trailer, found.trailing_bytes) == (state, rest)
            assert (found.type, found.sound_count) == ("f64", NUMBERS.size)
            assert found.good_bytes == found.file_bytes == len(PLAIN)
            assert found.damage == found.errors == []
            found.check()


@pytest.mark.parametrize("threads", [1, 2])
def test_verify_finds_all_damage(threads: int) -> None:
    found = numpact.verify(damaged(2, DAMAGED), threads=threads)
    assert not found.sound
    assert found.trailer == "sound"
    assert [(d.chunk, d.first, d.count) for d in found.damage] == [(2, 2000, 1000), (7, 7000, 1000)]
    assert [d.offset for d in found.damage] == [TRAILER.chunks[i].offset for i in (2, 7)]
    assert [d.bytes for d in found.damage] == [TRAILER.chunks[i].bytes for i in (2, 7)]
    assert all(isinstance(d.error, numpact.ChecksumError) for d in found.damage)
    assert (found.sound_count, found.good_bytes) == (8000, TRAILER.chunks[2].offset)
    with pytest.raises(numpact.ChecksumError, match="chunk 2"):
        found.check()


def test_verify_without_a_trailer() -> None:
    found = numpact.verify(PLAIN[:-100])
    assert not found.sound
    (part,) = found.damage
    assert (part.chunk, part.first, part.count) == (9, 9000, None)
    assert isinstance(part.error, numpact.TruncatedError)
    assert found.sound_count == 9000
    # Damage that keeps to the rules.
    assert numpact.verify(DAMAGED[: len(PLAIN)]).sound


def test_verify_reports_what_follows() -> None:
    assert numpact.verify(BAD_TRAILER).trailer == "damaged"
    assert isinstance(numpact.verify(BAD_TRAILER).trailer_error, numpact.ChecksumError)
    found = numpact.verify(PLAIN + b"what is this")
    assert (found.sound, found.trailer, found.trailing_bytes) == (False, "unrecognised", 12)
    with pytest.raises(numpact.CorruptError):
        found.check()


def test_verify_a_damaged_header() -> None:
    file = bytes([FILE[0] ^ 1]) + FILE[1:]
    found = numpact.verify(file)
    assert not found.sound
    assert found.header_error is not None
    numbers, lost = numpact.salvage(file)
    np.testing.assert_array_equal(numbers, NUMBERS)
    assert lost == []
    assert numpact.verify(file[: len(PLAIN)]).damage[0].first == 0
    with pytest.raises(numpact.CorruptError):
        numpact.salvage(file[: len(PLAIN)])


def test_verify_can_be_stopped_and_limited() -> None:
    with pytest.raises(numpact.CancelledError):
        numpact.verify(FILE, threads=1, progress=lambda _: False)
    for file in (FILE, PLAIN):
        with pytest.raises(numpact.LimitExceededError):
            numpact.verify(file, max_output=79_999)
        assert numpact.verify(file, max_output=80_000).sound


def test_salvage() -> None:
    numbers, lost = numpact.salvage(FILE)
    np.testing.assert_array_equal(numbers, NUMBERS)
    assert lost == []
    numbers, lost = numpact.salvage(damaged(0, damaged(3, damaged(9))))
    kept = np.ones(NUMBERS.size, bool)
    for part in lost:
        assert part.count is not None
        kept[part.first : part.first + part.count] = False
    assert [part.chunk for part in lost] == [0, 3, 9]
    np.testing.assert_array_equal(numbers, NUMBERS[kept])
    numbers, lost = numpact.salvage(PLAIN[:-100])
    np.testing.assert_array_equal(numbers, NUMBERS[:9000])
    assert [(part.first, part.count) for part in lost] == [(9000, None)]
    with pytest.raises(numpact.TruncatedError):
        numpact.salvage(b"")
    untyped = pcodec.standalone.simple_compress(np.empty(0), pcodec.ChunkConfig())
    with pytest.raises(numpact.TypeMismatchError, match="does not name its type"):
        numpact.salvage(untyped)


def test_all_chunks_lost() -> None:
    file = numpact.compress(NUMBERS[:1000], trailer=True)
    numbers, lost = numpact.salvage(damaged(0, file))
    assert numbers.size == 0
    assert numbers.dtype == np.float64
    assert len(lost) == 1


# ---- bombs ----


@pytest.mark.parametrize("wrong", [-1, "many", object()])
def test_limits_that_are_none(wrong: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    arrow = numpact.compress_arrow(pa.array([1.5, None]))
    for read in (
        lambda: numpact.decompress(FILE, max_output=wrong),
        lambda: numpact.decompress_arrow(arrow, max_output=wrong),
        lambda: numpact.open(FILE, max_output=wrong),
        lambda: numpact.inspect(FILE, max_output=wrong),
        lambda: numpact.verify(FILE, max_output=wrong),
        lambda: numpact.salvage(FILE, max_output=wrong),
        lambda: numpact.add_trailer(FILE, max_output=wrong),
    ):
        with pytest.raises(numpact.InvalidArgumentError, match="max_output must"):
            read()


@linux
@pytest.mark.parametrize("with_trailer", [False, True])
def test_bombs_are_refused_before_anything_is_decoded(with_trailer: bool) -> None:
    """256 MiB a MiB allowed: 285 bytes that stand for 2 GiB, and one with a trailer."""
    file = numpact.add_trailer(bomb(2)) if with_trailer else bomb(16)
    reads = [
        lambda: numpact.decompress(file, max_output=1 << 20),
        lambda: numpact.decompress(file, max_output=1 << 20, trailer="ignore"),
        lambda: numpact.decompress_into(file, np.empty(9, np.int64), max_output=1 << 20),
        lambda: len(numpact.open(file, max_output=1 << 20)),
        lambda: numpact.verify(file, max_output=1 << 20),
        lambda: numpact.salvage(file, max_output=1 << 20),
        lambda: numpact.add_trailer(file, max_output=1 << 20),
        lambda: numpact.inspect(file, max_output=1 << 20),
    ]

    def refused(read: Callable[[], object]) -> None:
        with pytest.raises(numpact.LimitExceededError):
            read()

    whole = seconds_of(lambda: numpact.inspect(bomb(16)))
    for read in reads:
        before = rss()
        assert seconds_of(lambda read=read: refused(read)) < max(0.2, whole / 4)
        assert rss() - before < 16 << 20


def test_chunks_that_look_back_are_short_where_there_are_restart_points() -> None:
    random = np.random.default_rng(5)
    series = random.integers(0, 200, 200_000)
    prices = np.empty(series.size, np.int64)
    for one in range(200):
        rows = np.flatnonzero(series == one)
        prices[rows] = random.integers(0, 1_000_000) + random.integers(-2, 3, rows.size).cumsum()
    for trailer, is_short in ((True, False), (2**14, True), (2**18, False)):
        packed = numpact.compress(prices, trailer=trailer)
        assert (numpact.decompress(packed) == prices).all()
        longest = max(chunk.count for chunk in numpact.read_trailer(packed).chunks)
        assert (longest <= 2**16) == is_short
