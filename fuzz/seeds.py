#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""First inputs for the fuzz targets: seeds.py FOLDER makes FOLDER/TARGET/*.

Targets take choices from the end of an input and bytes from its front (common/draw.hpp), so a seed
is a file of the fixtures with the choices that lead to it behind it, last one first.
"""
import random
import struct
import sys
import zipfile
import zlib
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "tests/fixtures"
MAX_BYTES = 4000
STRUCTURED = ("pco_patch", "pco_wrapped", "pco_round_trip", "pco_stream", "pco_destination",
              "pco_targets", "pco_trailer", "pco_second", "cvc_patch", "cvc_round_trip",
              "cvc_range", "cvc_second", "cli_folder", "arrow_frame", "table_reader")


def small_files(pattern):
    """The bytes of the fixtures that are short enough to be changed often, archives opened."""
    for path in sorted(FIXTURES.glob(pattern)):
        if path.stat().st_size <= MAX_BYTES:
            yield path.read_bytes()
    folder, _, name = pattern.rpartition("/**/") if "/**/" in pattern else ("**", "", pattern[3:])
    for archive in sorted(FIXTURES.glob(f"{folder}/*.zip")):
        with zipfile.ZipFile(archive) as file:
            for entry in file.infolist():
                if entry.file_size <= MAX_BYTES and Path(entry.filename).match(name):
                    yield file.read(entry)


def with_choices(content, *choices):
    """The first choice is the last byte."""
    return content + bytes(reversed(choices))


def cvc_header(file):
    """The JSON of a header, or nothing."""
    for at in (8, 12):
        if len(file) <= at:
            break
        length = struct.unpack_from("<I", file, at - 4)[0]
        if file[at:at + 1] == b"{" and at + length <= len(file):
            return file[at:at + length]
    return b""


def arrow_frame(text, length, nulls, runs, numbers):
    """A frame around the files of an Arrow column (docs/format/arrow-column.md)."""
    head = struct.pack("<4sBBH4Q", b"npac", 1, 0, len(text), length, nulls, len(runs), len(numbers))
    body = head + text + runs + numbers
    return body + struct.pack("<I", zlib.crc32(body))


def seeds():
    """Pairs of target and input."""
    for i, file in enumerate(small_files("pco/**/*.pco")):
        yield "pco_raw", file
        yield "arrow_frame", with_choices(file, 1)
        text = (b"l", b"g", b"b", b"tsu:UTC", b"tdD")[i % 5]
        for runs in (b"", file):
            yield "arrow_frame", with_choices(arrow_frame(text, 5, len(runs) and 2, runs, file), 1)
        for target in ("pco_stream", "pco_destination", "pco_targets", "pco_trailer",
                       "pco_second"):
            yield target, with_choices(file, 1)
    for file in small_files("cvc/**/*.cvc"):
        yield "cvc_raw", file
        yield "cvc_second", with_choices(file, 3)
        header = cvc_header(file)
        yield "json_header", with_choices(header, 0)
        version = {1: 0, 2: 1}.get(file[4], 2) if len(file) > 8 else 2
        yield "json_header", with_choices(header, 1, version, 16)
    for i, file in enumerate(small_files("**/*.npy")):
        yield "cli_inputs", with_choices(file, 0, 0, i % 2, i % 11, 0, 0, 1, 0)
        yield "cli_inputs", with_choices(file, 1, 0, 0)
    for text in ("a,b,c\n1,2.5,x\n3,,y\n", "1\n2\n-3\n", "t\n2020-01-01\n", '"q,""",1e300\n'):
        yield "cli_inputs", with_choices(text.encode(), 0, 2, 0, 0, 0, 0, 1)
    tensor = b'{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}       '
    for vectors, choice in ((struct.pack("<I3f", 3, 1, 2, 3) * 3, 2),
                            (struct.pack("<I3B", 3, 1, 2, 3) * 3, 3),
                            (struct.pack("<Q", len(tensor)) + tensor + bytes(16), 5),
                            (bytes(range(64)), 1)):
        yield "cli_inputs", with_choices(vectors, 1, choice, 0, 4)
    values = random.Random(1)
    for target in STRUCTURED:
        for _ in range(200):
            count = values.choice((16, 64, 200, 500))
            maximum = values.choice((1, 3, 15, 255))
            yield target, bytes(values.randint(0, maximum) for _ in range(count))


def main():
    """Writes the seeds below the folder named."""
    folder = Path(sys.argv[1])
    for i, (target, content) in enumerate(seeds()):
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / f"seed-{i:04}").write_bytes(content)


if __name__ == "__main__":
    main()
