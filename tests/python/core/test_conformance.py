# SPDX-License-Identifier: Apache-2.0
"""Every file of the format's fixtures, through every way in; and the reference where it is."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import unpacked

import numpact

FIXTURES = Path(__file__).parents[2] / "fixtures" / "pco"
MADE = sorted((unpacked("pco/made.zip") / "made").glob("*.pco"))
FILES = [*sorted(FIXTURES.glob("*.pco")), *MADE]


def expected(path: Path) -> Any:
    values = path.with_suffix(".npy")
    return np.load(values) if values.exists() else None


def names_a_type(path: Path) -> bool:
    header = numpact._core.read_header(path.read_bytes())
    return header["number_type"] is not None


def test_the_fixtures_are_there() -> None:
    assert len(MADE) > 20
    assert len(FILES) - len(MADE) == 13


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_entry_points_agree(path: Path) -> None:
    file = path.read_bytes()
    if not names_a_type(path):
        with pytest.raises(numpact.TypeMismatchError):
            numpact.decompress(file)
        assert len(numpact.open(path)) == 0
        assert numpact.inspect(file).type is None
        return
    numbers = numpact.decompress(file)
    expected_value = expected(path)
    if expected_value is not None:
        assert numbers.dtype == expected_value.dtype
        assert numbers.tobytes() == expected_value.tobytes()
    for threads in (1, 2, 0):
        assert numpact.decompress(file, threads=threads).tobytes() == numbers.tobytes()
    out = np.empty(numbers.size, numbers.dtype)
    assert numpact.decompress_into(file, out) == numbers.size
    assert out.tobytes() == numbers.tobytes()
    with numpact.open(path) as f:
        assert len(f) == numbers.size
        assert f.dtype == numbers.dtype
        assert f[:].tobytes() == numbers.tobytes()
        assert f[::-3].tobytes() == numbers[::-3].tobytes()
        assert b"".join(part.tobytes() for part in f) == numbers.tobytes()
    assert numpact.decompress_arrow(file).values.tobytes() == numbers.tobytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_inspect_shows_every_file(path: Path) -> None:
    info = numpact.inspect(path)
    size = path.stat().st_size
    assert info.file_bytes + info.trailing_bytes == size
    assert sum(chunk.count for chunk in info.chunks) == info.count
    assert [chunk.offset for chunk in info.chunks] == [c.offset for c in numpact.open(path).chunks]
    for chunk in info.chunks:
        assert 0 < chunk.bytes <= size
        for variable in chunk.variables:
            weights = sum(b.weight for b in variable.bins)
            assert weights in (0, 1 << variable.ans_size_log)
            assert variable.bits >= 0
    text = repr(info)
    assert text.startswith(f"Pco {info.format_version[0]}.")
    assert str(info) == text
    root = ElementTree.fromstring(info._repr_html_())
    assert root.tag == "div"
    rows = root.findall(".//tr")
    assert len(rows) == (0 if not info.chunks else 1 + min(9, len(info.chunks)))
    bars = root.findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(bars) == sum(len(v.bins) for c in info.chunks[:1] for v in c.variables)


def test_inspect_of_many_chunks() -> None:
    info = numpact.inspect(numpact.compress(np.arange(2000), paging=100))
    assert len(info.chunks) == 20
    assert "and 12 more" in repr(info)
    ElementTree.fromstring(info._repr_html_())
    assert info.raw_bytes == 16_000
    assert info.ratio == pytest.approx(16_000 / info.file_bytes)
    assert info.bits_per_number == pytest.approx(info.file_bytes * 8 / 2000)


def test_inspect_of_nothing() -> None:
    info = numpact.inspect(numpact.compress(np.empty(0, np.float32)))
    assert (info.type, info.count, info.chunks, info.ratio) == ("f32", 0, [], 0)
    assert info.bits_per_number == 0
    ElementTree.fromstring(info._repr_html_())


def test_inspect_gives_what_compress_takes() -> None:
    numbers = np.round(np.random.default_rng(0).normal(size=4000), 2)
    for mode in ("auto", "classic", "dict", "float-mult=0.01", "float-quant=20"):
        chunk = numpact.inspect(numpact.compress(numbers, mode=mode)).chunks[0]
        again = numpact.compress(numbers, mode=chunk.mode, delta=chunk.delta)
        assert numpact.inspect(again).chunks[0].mode == chunk.mode


def test_inspect_counts_bytes_behind() -> None:
    packed = numpact.compress([1, 2, 3])
    info = numpact.inspect(packed + b"tail")
    assert info.trailing_bytes == 4
    assert "4 bytes follow" in repr(info)


def test_infos_are_values() -> None:
    import copy
    import dataclasses
    import pickle

    packed = numpact.compress(np.arange(100))
    info = numpact.inspect(packed)
    assert info == numpact.inspect(packed)
    assert pickle.loads(pickle.dumps(info)) == copy.deepcopy(info) == info
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.count = 5  # type: ignore[misc]
    assert dataclasses.asdict(info)["chunks"][0]["count"] == 100


# ---- the reference ----

DTYPES = ["u2", "u4", "u8", "i2", "i4", "i8", "f2", "f4", "f8"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 5000])
def test_the_reference_reads_ours_and_we_its(dtype: str, n: int) -> None:
    pcodec = pytest.importorskip("pcodec")
    rng = np.random.default_rng(n)
    numbers = (rng.normal(size=n) * 100).cumsum().astype(dtype)
    ours = pcodec.standalone.simple_decompress(numpact.compress(numbers))
    if ours is not None:  # its way of saying: nothing
        assert ours.dtype == numbers.dtype
        assert ours.tobytes() == numbers.tobytes()
    theirs = pcodec.standalone.simple_compress(numbers, pcodec.ChunkConfig())
    if n > 0:
        assert numpact.decompress(theirs).tobytes() == numbers.tobytes()
        assert numpact.open(theirs)[-1].tobytes() == numbers[-1].tobytes()
    assert len(numpact.open(theirs)) == n


@pytest.mark.parametrize("dtype", ["u2", "i8", "f4", "f8"])
def test_the_reference_reads_what_writers_write(dtype: str) -> None:
    import io

    pcodec = pytest.importorskip("pcodec")
    sink = io.BytesIO()
    numbers = np.arange(3000).astype(dtype)
    with numpact.Writer(sink, np.dtype(dtype), paging=700) as writer:
        for part in np.array_split(numbers, 11):
            writer.write(part)
    np.testing.assert_array_equal(pcodec.standalone.simple_decompress(sink.getvalue()), numbers)
