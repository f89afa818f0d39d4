# SPDX-License-Identifier: Apache-2.0
"""Access to a file that is replaced, meanwhile and afterwards."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from access_lists import access_list, list_of, set_list

import numpact
import numpact.cvc

NOBODY = 65534
NUMBERS = np.random.default_rng(0).integers(0, 1 << 60, 400_000)


def write(path: Path) -> None:
    with numpact.Writer(path, "int64") as writer:
        for _ in range(4):
            writer.write(NUMBERS)


def write_vectors(path: Path) -> None:
    with numpact.cvc.Writer(str(path), compression="fp16", chunk_size=1000) as writer:
        for _ in range(4):
            writer.append(NUMBERS.reshape(-1, 64).astype("f4"))


ENTRY_POINTS: list[Callable[[Path], None]] = [
    write,
    write_vectors,
    lambda path: numpact.append(path, NUMBERS),
    lambda path: numpact.append(path, NUMBERS, trailer=True),
]


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
@pytest.mark.parametrize("mode", [0o4755, 0o2711, 0o600])
def test_a04_only_permissions_are_kept(
    tmp_path: Path, entry_point: Callable[[Path], None], mode: int
) -> None:
    path = tmp_path / "a"
    path.write_bytes(numpact.compress(NUMBERS[:3]))
    path.chmod(mode)
    entry_point(path)
    assert mode_of(path) == mode & 0o777


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give files away")
@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_a04_files_of_others_stay_theirs(
    tmp_path: Path, entry_point: Callable[[Path], None]
) -> None:
    path = tmp_path / "a"
    path.write_bytes(numpact.compress(NUMBERS[:3]))
    os.chown(path, NOBODY, NOBODY)
    path.chmod(0o4750)
    entry_point(path)
    found = path.stat()
    assert (found.st_uid, found.st_gid, mode_of(path)) == (NOBODY, NOBODY, 0o750)


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_a05_temporaries_are_private(tmp_path: Path, entry_point: Callable[[Path], None]) -> None:
    path = tmp_path / "a"
    path.write_bytes(numpact.compress(NUMBERS[:3]))
    path.chmod(0o600)
    seen: set[int] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            for other in tmp_path.glob(".*.tmp"):
                with contextlib.suppress(FileNotFoundError):
                    seen.add(mode_of(other))
            time.sleep(0.0005)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        entry_point(path)
    finally:
        done.set()
        thread.join()
    assert seen <= {0o600}
    assert mode_of(path) == 0o600


@pytest.mark.parametrize("entry_point", ENTRY_POINTS[:2])
def test_new_files_are_as_others(tmp_path: Path, entry_point: Callable[[Path], None]) -> None:
    entry_point(tmp_path / "new")
    assert mode_of(tmp_path / "new") == 0o644


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
@pytest.mark.parametrize(
    "given",
    [b"", access_list(group=6), access_list(user=0)],
    ids=["no list", "the group writes", "the user has nothing"],
)
def test_a05_access_control_lists_are_kept_and_never_widened(
    tmp_path: Path, entry_point: Callable[[Path], None], given: bytes
) -> None:
    path = tmp_path / "a"
    path.write_bytes(numpact.compress(NUMBERS[:5]))
    path.chmod(0o600)
    set_list(path, given)
    before = mode_of(path)
    set_list(tmp_path, access_list(group=6), "default")
    entry_point(path)
    assert path.stat().st_size > 1000
    assert (list_of(path), mode_of(path)) == (given, before)
