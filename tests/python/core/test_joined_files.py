# SPDX-License-Identifier: Apache-2.0
"""Bytes behind the end of a file: reading warns of them, and nothing drops them unasked."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact

NUMBERS = np.arange(1000) * 7 % 13
MORE = np.arange(5000) ** 2 % 977
PLAIN = numpact.compress(NUMBERS)
WITH_TRAILER = numpact.compress(NUMBERS, trailer=256)
TRAILER = WITH_TRAILER[len(PLAIN) :]
OTHERS = {
    "file": numpact.compress(MORE),
    "file with a trailer": numpact.compress(MORE, trailer=True),
    "the same file": PLAIN,
    "zeros": bytes(100),
    "a zero": b"\0",
    "text": b"what is this\n",
    "magic": b"pco!",
    "noise": bytes(np.random.default_rng(5).integers(0, 256, 999, dtype=np.uint8)) + b"x",
}
joined = pytest.mark.parametrize(
    ("file", "rest"),
    [(file, rest) for file in (PLAIN, WITH_TRAILER) for rest in OTHERS.values()],
    ids=[f"{file}, {rest}" for file in ("plain", "trailer") for rest in OTHERS],
)


def opened(path: Path) -> Any:
    with numpact.open(path) as file:
        return file[:]


READS = {
    "decompress": lambda path: numpact.decompress(path.read_bytes()),
    "with progress": lambda path: numpact.decompress(path.read_bytes(), progress=lambda _: None),
    "into an array": lambda path: numpact.decompress(path.read_bytes(), np.empty(1000, int)),
    "decompress_into": lambda path: np.array(
        [numpact.decompress_into(path.read_bytes(), np.empty(1000, int))]
    ),
    "open": opened,
    "of bytes": lambda path: np.concatenate(list(numpact.open(path.read_bytes()))),
    "pickled": lambda path: pickle.loads(pickle.dumps(numpact.open(path)))[:],
}


@joined
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reading_warns(read: Any, file: bytes, rest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "joined.pco"
    path.write_bytes(file + rest)
    with pytest.warns(numpact.TrailingBytesWarning, match=f"at byte {len(file)}: bytes") as seen:
        numbers = read(path)
    assert numbers.size in (1, 1000)
    assert all(warning.filename == __file__ for warning in seen)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(numpact.TrailingBytesWarning):
            read(path)
        path.write_bytes(file)
        read(path)


def test_what_is_asked_for_is_no_surprise(tmp_path: Path) -> None:
    path = tmp_path / "joined.pco"
    path.write_bytes(PLAIN + PLAIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numpact.decompress(PLAIN + PLAIN, trailer="ignore").size == 1000
        assert numpact.open(path, trailer="ignore")[:].size == 1000
        numpact.verify(path)
        numpact.inspect(path)


@pytest.mark.parametrize("size", [1, 4, 40, len(TRAILER) - 1])
def test_damaged_trailers_are_reported(size: int) -> None:
    with pytest.warns(numpact.TrailingBytesWarning, match="trailer is damaged"):
        numpact.decompress(PLAIN + TRAILER[:size])


CHANGES = {
    "append": lambda path: numpact.append(path, [1, 2]),
    "append, trailer": lambda path: numpact.append(path, [1, 2], trailer=True),
    "add_trailer": numpact.add_trailer,
    "add_trailer to bytes": lambda path: numpact.add_trailer(path.read_bytes()),
}
changing = pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)


@joined
@changing
def test_nothing_is_dropped(change: Any, file: bytes, rest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "joined.pco"
    path.write_bytes(file + rest)
    with pytest.raises(numpact.CorruptError, match="numpact index --force") as caught:
        change(path)
    assert caught.value.offset == len(file)
    assert path.read_bytes() == file + rest
    assert [entry.name for entry in tmp_path.iterdir()] == ["joined.pco"]


@changing
def test_trailers_cut_anywhere(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "cut.pco"
    for size in [*range(1, 40), *range(40, len(TRAILER), 11)]:
        path.write_bytes(PLAIN + TRAILER[:size])
        with pytest.raises(numpact.CorruptError, match="trailer"):
            change(path)
        assert path.read_bytes() == PLAIN + TRAILER[:size]
        # One whose writer was stopped: its first byte is the last that is written.
        if size in (2, 3, 30, 51):
            path.write_bytes(PLAIN + b"\0" + TRAILER[1:size])
            change(path)
            assert numpact.verify(path).sound or change is CHANGES["add_trailer to bytes"]
