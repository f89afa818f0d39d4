# SPDX-License-Identifier: Apache-2.0
"""Single-byte mutants of Pco files, read by the reference or by numpact in a process of its own.

`python mutants.py READER` takes lines `AT VALUE FILE` and prints a result for each: "refused", or
type, count and checksum of the numbers.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

BENCH = Path(__file__).resolve().parents[2] / "bench"
REACH = 1500  # bytes from the front
MEMORY = 2 << 30
SECONDS = 300  # of computing
DIED = "died"  # a result too: the process ended, out of memory or time


class Mutant(NamedTuple):
    path: Path
    at: int
    value: int

    def __str__(self) -> str:
        return f"{self.path.stem}, byte {self.at} set to {self.value}"


def mutants(path: Path) -> list[Mutant]:
    """Each byte of the front with one bit flipped, as 0x00 and as 0xFF."""
    result = []
    for at, byte in enumerate(path.read_bytes()[:REACH]):
        values = [byte ^ (1 << bit) for bit in range(8)] + [0x00, 0xFF]
        result += [Mutant(path, at, value) for value in dict.fromkeys(values) if value != byte]
    return result


def result_of(numbers: np.ndarray | None) -> str:
    if numbers is None or numbers.size == 0:  # the reference has no type for no numbers
        return "no numbers"
    checksum = zlib.crc32(np.ascontiguousarray(numbers).view(np.uint8))
    return f"{numbers.dtype.name} {numbers.size} {checksum:08x}"


def read_with_reference(file: bytes) -> str:
    import reference

    try:
        return result_of(reference.decompress_any(file))
    except reference.Refused:
        return "refused"


def read_with_numpact(file: bytes) -> str:
    import numpact_ctypes as numpact

    try:
        info = numpact.inspect(file)
        if info["count"] == 0:
            return result_of(None)
        dtype = numpact.DTYPES[numpact.TYPE_OF_BYTE[info["chunks"][0]["type"]]]
        return result_of(numpact.decompress(file, dtype, info["count"]))
    except numpact.NumpactError:
        return "refused"


READERS: dict[str, Callable[[bytes], str]] = {
    "reference": read_with_reference,
    "numpact": read_with_numpact,
}


def _run(reader: str, expected: Sequence[Mutant]) -> list[str]:
    text = "".join(f"{mutant.at} {mutant.value} {mutant.path}\n" for mutant in expected)
    done = subprocess.run(
        [sys.executable, __file__, reader],
        input=text,
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(BENCH)},
    )
    return done.stdout.splitlines()


def results(reader: str, requested: Sequence[Mutant]) -> list[str]:
    """One for each mutant. If a process dies, another one continues after that mutant."""
    result: list[str] = []
    while len(result) < len(requested):
        result += _run(reader, requested[len(result) :])
        if len(result) < len(requested):
            result.append(DIED)
    return result


def main() -> None:
    reader = READERS[sys.argv[1]]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    files: dict[str, bytes] = {}
    for line in sys.stdin:
        at, value, path = line.rstrip("\n").split(" ", 2)
        file = files.get(path) or files.setdefault(path, Path(path).read_bytes())
        mutant = file[: int(at)] + bytes([int(value)]) + file[int(at) + 1 :]
        print(reader(mutant), flush=True)


if __name__ == "__main__":
    main()
