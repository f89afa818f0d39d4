# SPDX-License-Identifier: Apache-2.0
"""Files of very many tiny chunks: memory stays within 4 MiB and twice the input, and the output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import numpact

FILE_BYTES = 4_000_000
# Memory in addition to the module, its imports and the file: the documented limit, and what the
# allocator keeps.
MAX_BYTES_ADDED = (4 << 20) + 2 * FILE_BYTES + (2 << 20)

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads peaks of memory")

# Maximum bytes that a call adds to the peak, with the file read and the package warm.
_CHILD = """
import sys
import numpact

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024

data = open(sys.argv[1], "rb").read()
small = numpact.compress(range(1000), paging=10, trailer=True)
call = eval("lambda data: " + sys.argv[2])
call(small)
before = peak()
call(data)
print(peak() - before)
"""


def tiny(number: int = 0) -> tuple[bytes, bytes]:
    """The header of a file of single numbers, and one of its chunks."""
    file = numpact.compress(np.full(1, number, "u1"), 0, mode="classic", delta="none")
    head = numpact.open(file).chunks[0].offset
    return file[:head], file[head:-1]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    head, chunk = tiny()
    assert len(chunk) == 9
    path = tmp_path_factory.mktemp("many") / "many.pco"
    path.write_bytes(head + chunk * (FILE_BYTES // len(chunk)) + b"\0")
    return path


def added(path: Path, call: str) -> int:
    command = [sys.executable, "-c", _CHILD, str(path), call]
    return int(subprocess.run(command, check=True, capture_output=True, timeout=600).stdout)


@linux
@pytest.mark.parametrize(
    "call",
    [
        "numpact.decompress(data)",
        "numpact.decompress(data, threads=2)",
        "numpact.open(data)[5]",
        "numpact.open(data, threads=2)[-1]",
        "numpact.open(data, threads=2)[:]",
        "numpact.verify(data)",
        "numpact.inspect(data)",
        "str(numpact.inspect(data))",
        "numpact.salvage(data)",
        "numpact.salvage(data, threads=2)",
    ],
)
def test_a20_many_chunks(many: Path, call: str) -> None:
    assert added(many, call) <= MAX_BYTES_ADDED


@linux
@pytest.mark.parametrize(
    "call",
    [
        "numpact.decompress(data)",
        "numpact.open(data)[5]",
        "numpact.open(data, trailer='verify')[5]",
        "numpact.verify(data)",
        "numpact.verify(data, threads=2)",
        "numpact.inspect(data)",
        "numpact.salvage(data)",
    ],
)
def test_a20_many_chunks_with_a_trailer(many: Path, tmp_path: Path, call: str) -> None:
    path = tmp_path / "with.pco"
    path.write_bytes(numpact.add_trailer(many.read_bytes()))
    assert added(path, call) <= (6 << 20) + 2 * path.stat().st_size


def test_what_inspect_lists(many: Path) -> None:
    info = numpact.inspect(many)
    count = FILE_BYTES // 9
    assert info.count == info.chunk_count == count
    assert info.raw_bytes == count
    assert 1000 < len(info.chunks) < count
    assert info.chunks[7].count == 1
    assert f"{count:,} chunks" in str(info)
    assert f"and {count - 8:,} more" in str(info)
    assert f"and {count - 8:,} more" in info._repr_html_()


def test_files_of_usual_chunks_are_listed_whole() -> None:
    x = np.random.default_rng(1).normal(size=200_000)
    info = numpact.inspect(numpact.compress(x, 4, paging=1000))
    assert len(info.chunks) == info.chunk_count == 200


def test_places_of_many_chunks() -> None:
    """Numbers are found by their places, whatever the chunks are like."""
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 40, 3000)
    x = np.cumsum(rng.integers(-9, 10, int(sizes.sum())))
    file = numpact.compress(x, 1, paging=sizes)
    plain = numpact.open(file)
    ends = np.cumsum(sizes)
    assert [c.first for c in plain.chunks] == [0, *ends[:-1]]
    assert [c.count for c in plain.chunks] == list(sizes)
    for opened in (
        plain,
        numpact.open(file, threads=2),
        numpact.open(file, chunks=plain.chunks),
        numpact.open(numpact.add_trailer(file), trailer="require"),
    ):
        np.testing.assert_array_equal(opened[:], x)
        for first in [0, 1, *rng.integers(0, x.size - 100, 200), x.size - 1]:
            stop = min(int(first) + int(rng.integers(1, 100)), x.size)
            np.testing.assert_array_equal(opened[int(first) : stop], x[first:stop])
