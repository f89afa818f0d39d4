#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stored inputs of a fuzz target as one file: for each input its size in bytes, a 32-bit little
endian integer, then its bytes. fuzz/replay.cpp reads these archives.

  archive.py pack ARCHIVE FOLDER [--max-inputs N] [--max-bytes N]   the smallest inputs first
  archive.py unpack ARCHIVE FOLDER                                  one file for each input
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path


def pack(archive: Path, folder: Path, max_inputs: int, max_bytes: int) -> None:
    found = sorted({file.read_bytes() for file in folder.iterdir() if file.is_file()},
                   key=lambda data: (len(data), data))
    stored = bytearray()
    count = 0
    for data in found[:max_inputs]:
        if len(stored) + 4 + len(data) > max_bytes:
            break
        stored += len(data).to_bytes(4, "little") + data
        count += 1
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(stored)
    print(f"{archive}: {count} of {len(found)} inputs, {len(stored)} bytes")


def inputs_of(archive: Path) -> list[bytes]:
    stored, place, inputs = archive.read_bytes(), 0, []
    while place < len(stored):
        size = int.from_bytes(stored[place : place + 4], "little")
        data = stored[place + 4 : place + 4 + size]
        if place + 4 > len(stored) or len(data) < size:
            raise SystemExit(f"{archive}: the input at byte {place} is cut off")
        inputs.append(data)
        place += 4 + size
    return inputs


def unpack(archive: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs_of(archive):
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=["pack", "unpack"])
    parser.add_argument("archive", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--max-inputs", type=int, default=1 << 20)
    parser.add_argument("--max-bytes", type=int, default=1 << 30)
    arguments = parser.parse_args()
    if arguments.verb == "pack":
        pack(arguments.archive, arguments.folder, arguments.max_inputs, arguments.max_bytes)
    else:
        unpack(arguments.archive, arguments.folder)


if __name__ == "__main__":
    main()
