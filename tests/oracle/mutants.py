# SPDX-License-Identifier: Apache-2.0
"""Single-byte mutants of Pco files, read by the reference or by numpact in a process of its own.

`python mutants.py READER FIRST FILE` prints a line for each mutant from number FIRST on: its number
and a verdict, which is "refused" or type, count and checksum of the numbers.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

BENCH = Path(__file__).resolve().parents[2] / "bench"
REACH = 1500  # bytes from the front
MEMORY = 2 << 30
DIED = "died"  # a verdict too: the process ended, for want of memory


class Mutant(NamedTuple):
    at: int
    value: int

    def of(self, file: bytes) -> bytes:
        return file[: self.at] + bytes([self.value]) + file[self.at + 1 :]


def mutants(file: bytes) -> list[Mutant]:
    """Each byte of the front with one bit flipped, as 0x00 and as 0xFF."""
    result = []
    for at, byte in enumerate(file[:REACH]):
        values = [byte ^ (1 << bit) for bit in range(8)] + [0x00, 0xFF]
        result += [Mutant(at, value) for value in dict.fromkeys(values) if value != byte]
    return result


def verdict_of(numbers: np.ndarray | None) -> str:
    if numbers is None or numbers.size == 0:  # the reference has no type for no numbers
        return "no numbers"
    checksum = zlib.crc32(np.ascontiguousarray(numbers).view(np.uint8))
    return f"{numbers.dtype.name} {numbers.size} {checksum:08x}"


def read_with_reference(file: bytes) -> str:
    import reference
    from pcodec import standalone

    try:
        with reference._refusing():
            return verdict_of(standalone.simple_decompress(file))
    except reference.Refused:
        return "refused"


def read_with_numpact(file: bytes) -> str:
    import numpact_ctypes as numpact

    try:
        info = numpact.inspect(file)
        if info["count"] == 0:
            return verdict_of(None)
        dtype = numpact.DTYPES[numpact.TYPE_OF_BYTE[info["chunks"][0]["type"]]]
        return verdict_of(numpact.decompress(file, dtype, info["count"]))
    except numpact.NumpactError:
        return "refused"


READERS: dict[str, Callable[[bytes], str]] = {
    "reference": read_with_reference,
    "numpact": read_with_numpact,
}


def _lines(reader: str, first: int, path: Path) -> Iterator[str]:
    command = [sys.executable, __file__, reader, str(first), str(path)]
    environment = os.environ | {"PYTHONPATH": str(BENCH)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=environment) as process:
        assert process.stdout is not None
        yield from process.stdout


def verdicts(reader: str, path: Path) -> list[str]:
    """Of all mutants of a file; a process that dies is started again behind the one it died of."""
    count = len(mutants(path.read_bytes()))
    result: list[str] = []
    while len(result) < count:
        for line in _lines(reader, len(result), path):
            number, verdict = line.rstrip("\n").split(" ", 1)
            assert int(number) == len(result)
            result.append(verdict)
        if len(result) < count:
            result.append(DIED)
    return result


def main() -> None:
    reader, first, path = READERS[sys.argv[1]], int(sys.argv[2]), Path(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    file = path.read_bytes()
    for number, mutant in enumerate(mutants(file)):
        if number >= first:
            print(number, reader(mutant.of(file)), flush=True)


if __name__ == "__main__":
    main()
