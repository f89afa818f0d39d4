# SPDX-License-Identifier: Apache-2.0
"""Trailers by the command line: written, added, compared, and what they save of damaged files."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from cli_program import CORRUPT, FAILURE, FIXTURES, USAGE, leftovers, refused, run

CHUNK = 2500
COUNT = 10_000


@pytest.fixture
def numbers() -> np.ndarray:
    return np.cumsum(np.random.default_rng(5).integers(-40, 50, COUNT)).astype(np.int64)


@pytest.fixture
def packed(tmp_path: Path, numbers: np.ndarray) -> Path:
    """Four chunks of 2500 numbers, with a trailer."""
    np.save(tmp_path / "a.npy", numbers)
    run("compress", tmp_path / "a.npy", "-o", tmp_path / "a.pco", "--page-size", CHUNK)
    return tmp_path / "a.pco"


def inspect(path: Path) -> dict[str, object]:
    found = json.loads(run("inspect", path, "--json").out)
    assert isinstance(found, dict)
    return found


def damaged(path: Path, chunk: int) -> Path:
    """A copy with a byte changed in a chunk's page that decodes all the same, to other numbers."""
    place = inspect(path)["chunks"][chunk]
    at = place["offset"] + 4 + place["meta_bytes"] + place["page_bytes"] // 2
    bad = bytearray(path.read_bytes())
    bad[at] ^= 4
    copy = path.with_name("bad.pco")
    copy.write_bytes(bad)
    return copy


def test_files_get_one_and_pipes_do_not(packed: Path, numbers: np.ndarray) -> None:
    source = packed.with_name("a.npy")
    plain = run("compress", source, "-o", "-", "--page-size", CHUNK).out
    whole = packed.read_bytes()
    assert whole.startswith(plain)
    assert len(whole) == len(plain) + 56 + 4 * 40
    assert run("compress", source, "-o", "-", "--page-size", CHUNK, "--trailer").out == whole
    ran = run("compress", source, "-o", packed, "-f", "--page-size", CHUNK)
    assert f"{len(whole):,} bytes" in ran.err and "216 of them the trailer" in ran.err
    run("compress", source, "-o", packed, "-f", "--page-size", CHUNK, "--no-trailer")
    assert packed.read_bytes() == plain
    assert run("decompress", packed, "--to", "raw").out == numbers.tobytes()


def test_inspect_and_verify_tell(packed: Path) -> None:
    assert inspect(packed)["trailer"] == "sound"
    assert "trailer   216 bytes, index and checksums" in run("inspect", packed).text
    line = run("verify", packed).text
    assert line.endswith("and a trailer of 216; checksums match\n")
    assert run("verify", "-", stdin=packed.read_bytes()).text.endswith("; checksums match\n")
    assert "trailer" not in run("verify", FIXTURES / "v1_0_0_dict.pco").text


def test_index_gives_old_files_one(tmp_path: Path) -> None:
    for source in sorted(FIXTURES.glob("*.pco")):
        path = tmp_path / source.name
        path.write_bytes(source.read_bytes())
        before = run("decompress", path, "--to", "raw").out
        said = run("index", path, "--restart", 256).err
        whole = path.read_bytes()
        assert whole.startswith(source.read_bytes())
        bytes_said = re.search(r"a trailer of (\d+)", said)
        assert bytes_said and int(bytes_said[1]) == len(whole) - source.stat().st_size
        run("verify", path)
        assert run("decompress", path, "--to", "raw").out == before
        run("index", path, "--remove")
        assert path.read_bytes() == source.read_bytes()
    assert leftovers(tmp_path) == []


def test_restart_points(packed: Path, numbers: np.ndarray) -> None:
    run("index", packed, "--restart", "1K")
    assert inspect(packed)["restart_every"] == 1024
    assert "restart points every 1024 numbers" in run("inspect", packed).text
    for first, count in [(0, 10_000), (1023, 3), (1024, 2000), (4999, 2), (9999, 1)]:
        ran = run("decompress", packed, "--range", f"{first}:{count}", "--to", "raw")
        assert ran.out == numbers[first : first + count].tobytes()
    again = packed.with_name("again.pco")
    run("compress", packed.with_name("a.npy"), "-o", again, "--page-size", CHUNK, "--restart", 1024)
    assert again.read_bytes() == packed.read_bytes()


@pytest.mark.parametrize("words", ["100", "1000", "128", "32M", "x", "-1"])
def test_restart_points_out_of_range(packed: Path, words: str) -> None:
    before = packed.read_bytes()
    refused("index", packed, f"--restart={words}", code=USAGE)
    assert packed.read_bytes() == before


@pytest.mark.parametrize("threads", [1, 2])
def test_damage_is_found_and_named(packed: Path, threads: int) -> None:
    bad = damaged(packed, 2)
    run("decompress", bad, "--ignore-trailer", "--to", "raw")  # in silence
    out = packed.with_name("out.raw")
    line = refused("decompress", bad, "-o", out, "-j", threads, code=CORRUPT)
    assert "checksum" in line
    assert threads > 1 or "chunk 2" in line
    assert not out.exists() and leftovers(packed.parent) == []
    ran = run("verify", bad, "-j", threads, code=CORRUPT)
    assert "numbers 5000 to 7499 lost, chunk 2" in ran.err
    assert "7500 of 10000 numbers in 3 of 4 chunks are good" in ran.err
    assert "checksum" in refused("verify", "-", "-j", threads, stdin=bad.read_bytes(), code=CORRUPT)


def test_salvage(packed: Path, numbers: np.ndarray) -> None:
    bad = damaged(packed, 1)
    out = packed.with_name("out.npy")
    ran = run("decompress", bad, "--salvage", "-o", out, code=CORRUPT)
    assert "numbers 2500 to 4999 lost" in ran.err
    np.testing.assert_array_equal(np.load(out), np.delete(numbers, np.s_[2500:5000]))
    # A header that says nothing any more is no hindrance.
    bytes_ = bytearray(bad.read_bytes())
    bytes_[:5] = b"12345"
    bad.write_bytes(bytes_)
    ran = run("decompress", bad, "--salvage", "--to", "raw", code=CORRUPT)
    assert ran.out == np.delete(numbers, np.s_[2500:5000]).tobytes()
    whole = run("decompress", packed, "--salvage", "--to", "raw")
    assert whole.out == numbers.tobytes() and whole.err == ""


def test_salvage_without_a_trailer(packed: Path, numbers: np.ndarray) -> None:
    run("index", packed, "--remove")
    third = inspect(packed)["chunks"][2]
    packed.write_bytes(packed.read_bytes()[: third["offset"] + 100])
    ran = run("decompress", packed, "--salvage", "--to", "raw", code=CORRUPT)
    assert ran.out == numbers[:5000].tobytes()
    assert "numbers from 5000 on, however many lost" in ran.err


def test_damaged_trailers(packed: Path, numbers: np.ndarray) -> None:
    whole = packed.read_bytes()
    for at in [len(whole) - 1, len(whole) - 20, len(whole) - 60, len(whole) - 216]:
        bad = bytearray(whole)
        bad[at] ^= 1
        packed.write_bytes(bad)
        ran = run("decompress", packed, "--to", "raw")
        assert ran.out == numbers.tobytes()
        assert "warning" in ran.err and "trailer" in ran.err
        assert "trailer" in refused("verify", packed, code=CORRUPT)
        refused("index", packed, code=CORRUPT)
        assert packed.read_bytes() == bad
    run("index", packed, "--force")
    assert packed.read_bytes() == whole


def test_trailers_that_contradict_the_file(packed: Path, numbers: np.ndarray) -> None:
    """One number more in the third chunk, and in all, under checksums that match."""
    bad = bytearray(packed.read_bytes())
    body, footer = len(bad) - 216, len(bad) - 24
    for at in (body + 24, body + 32 + 2 * 40 + 8):
        bad[at] += 1
    bad[footer + 8 : footer + 12] = zlib.crc32(bad[body:footer]).to_bytes(4, "little")
    bad[footer + 12 : footer + 16] = zlib.crc32(bad[footer : footer + 12]).to_bytes(4, "little")
    packed.write_bytes(bad)
    for threads in (1, 2):
        said = refused("decompress", packed, "--to", "raw", "--threads", threads, code=CORRUPT)
        assert "the trailer contradicts the file" in said
    assert inspect(packed)["trailer"] == "damaged"
    assert "the trailer contradicts the file" in run("verify", packed, code=CORRUPT).err
    ran = run("decompress", packed, "--ignore-trailer", "--to", "raw")
    assert ran.out == numbers.tobytes()


def test_bytes_that_are_no_trailer(packed: Path, numbers: np.ndarray) -> None:
    run("index", packed, "--remove")
    plain = packed.read_bytes()
    packed.write_bytes(plain + b"pco!")
    assert inspect(packed)["trailer"] == "unrecognised"
    ran = run("decompress", packed, "--to", "raw")
    assert ran.out == numbers.tobytes() and "bytes follow that are not a trailer" in ran.err
    assert "not a trailer" in refused("verify", packed, code=CORRUPT)
    for command in (("index", packed), ("index", packed, "--remove"),
                    ("compress", packed.with_name("a.npy"), "--append", "-o", packed)):
        said = refused(*command, code=CORRUPT)
        assert "--force" in said and f"byte {len(plain)}" in said
        assert packed.read_bytes() == plain + b"pco!"
    run("index", packed, "--force")
    assert packed.read_bytes().startswith(plain)
    run("verify", packed)


@pytest.mark.parametrize("has_trailer", [False, True])
@pytest.mark.parametrize("rest", [b"\0" * 9, b"text\n", None], ids=["zeros", "text", "file"])
def test_joined_files(packed: Path, numbers: np.ndarray, has_trailer: bool,
                      rest: bytes | None) -> None:
    """Of files that were joined, the first is read with a warning, and none is dropped."""
    if not has_trailer:
        run("index", packed, "--remove")
    first = packed.read_bytes()
    packed.write_bytes(first + (rest or first))
    ran = run("decompress", packed, "--to", "raw")
    assert ran.out == numbers.tobytes()
    assert f"warning: bytes follow that are not a trailer, and were not read" in ran.err
    assert f"(at byte {len(first):,})" in ran.err
    for command in (("index",), ("index", "--remove"), ("index", "--restart", "256")):
        said = refused(*command, packed, code=CORRUPT)
        assert f"byte {len(first)}" in said and "--force" in said
    refused("compress", packed.with_name("a.npy"), "--append", "-o", packed, code=CORRUPT)
    assert packed.read_bytes() == first + (rest or first)
    run("index", packed, "--force")
    run("verify", packed)
    assert run("decompress", packed, "--to", "raw").out == numbers.tobytes()


@pytest.mark.parametrize("options", [(), ("--where", "a > -1000000000"), ("--column", "a")],
                         ids=["all", "filter", "column"])
@pytest.mark.parametrize("damage, said", [(b"", ""), (b"text", "bytes follow"), (None, "damaged")],
                         ids=["none", "bytes", "trailer"])
def test_ends_of_the_files_of_a_table(packed: Path, numbers: np.ndarray, damage: bytes | None,
                                      said: str, options: tuple[str, ...]) -> None:
    """Whatever is read of a folder, what follows the numbers of a column is told."""
    table = packed.with_name("t.csv")
    table.write_text("a\n" + "".join(f"{number}\n" for number in numbers))
    folder = packed.with_name("t")
    run("compress", table, "-o", folder)
    file = folder / "a.pco"
    whole = file.read_bytes()
    file.write_bytes(whole + damage if damage is not None else whole[:-9] + b"X" + whole[-8:])
    ran = run("decompress", folder, *options, "--to", "raw")
    assert ran.out == numbers.tobytes()
    assert ran.err.count("warning") == (1 if said else 0) and said in ran.err
    assert "warning" not in run("decompress", folder, "--ignore-trailer", "--to", "raw").err


def test_unfinished_trailers_are_replaced(packed: Path) -> None:
    file = packed.read_bytes()
    run("index", packed, "--remove")
    plain = packed.read_bytes()
    for size in (2, 10, len(file) - len(plain)):
        packed.write_bytes(plain + b"\0" + file[len(plain) + 1 : len(plain) + size])
        run("index", packed)
        assert packed.read_bytes() == file


def test_index_does_not_bless_damage(packed: Path) -> None:
    bad = damaged(packed, 3)
    before = bad.read_bytes()
    assert "chunk 3" in refused("index", bad, "--restart", "256", code=CORRUPT)
    assert bad.read_bytes() == before


def test_append_keeps_it_true(packed: Path, numbers: np.ndarray) -> None:
    run("compress", packed.with_name("a.npy"), "--append", "-o", packed)
    assert run("decompress", packed, "--to", "raw").out == numbers.tobytes() * 2
    assert "checksums match" in run("verify", packed).text
    assert inspect(packed)["trailer"] == "sound"
    run("index", packed, "--restart", "512")
    run("compress", packed.with_name("a.npy"), "--append", "-o", packed)
    assert inspect(packed)["restart_every"] == 512
    run("verify", packed)
    run("compress", packed.with_name("a.npy"), "--append", "-o", packed, "--no-trailer")
    assert inspect(packed)["trailer"] == "none"
    run("index", packed)
    bad = damaged(packed, 1)
    before = bad.read_bytes()
    refused("compress", packed.with_name("a.npy"), "--append", "-o", bad, code=CORRUPT)
    assert bad.read_bytes() == before


@pytest.mark.parametrize("at", [8, 40, -20, -1, 0])
@pytest.mark.parametrize("options", [[], ["--no-trailer"], ["--restart", "256"]])
def test_a11_append_hides(packed: Path, at: int, options: list[str]) -> None:
    """A chunk and the trailer are damaged: neither is written on, or gets a new trailer."""
    bad = damaged(packed, 1)
    file = bytearray(bad.read_bytes())
    end = len(file) - 56 - 4 * 40
    file[at if at < 0 else end + at] ^= 1
    bad.write_bytes(file)
    said = refused("compress", packed.with_name("a.npy"), "--append", "-o", bad, *options,
                   code=CORRUPT)
    assert "bad.pco" in said and "trailer" in said
    assert bad.read_bytes() == file
    refused("index", bad, code=CORRUPT)
    assert bad.read_bytes() == file
    run("index", bad, "--remove", "-f")
    assert len(bad.read_bytes()) == end


def test_trailers_are_proven_before_parts_are_read(packed: Path, numbers: np.ndarray) -> None:
    run("index", packed, "--restart", "256")
    part = ("--range", "1024:10", "--to", "raw")
    assert run("decompress", packed, *part, "--verify-trailer").out == numbers[1024:1034].tobytes()
    file = bytearray(packed.read_bytes())
    at = int.from_bytes(file[-24:-16], "little")
    points = at + 32 + 40 * 4
    state_bytes = int.from_bytes(file[points : points + 2], "little")
    file[points + 2 + 3 * (4 + state_bytes) + 4] ^= 1
    file[-16:-12] = zlib.crc32(file[at:-24]).to_bytes(4, "little")
    file[-12:-8] = zlib.crc32(file[-24:-12]).to_bytes(4, "little")
    packed.write_bytes(file)
    said = refused("decompress", packed, *part, "--verify-trailer", code=CORRUPT)
    assert "restart points contradict the page" in said
    file[-30] ^= 1
    packed.write_bytes(file)
    for options in (part, ("--to", "raw")):
        refused("decompress", packed, *options, "--verify-trailer", code=CORRUPT)
    refused("decompress", packed, "--verify-trailer", "--ignore-trailer", code=USAGE)


def test_tables(tmp_path: Path, numbers: np.ndarray) -> None:
    text = "x,y\n" + "\n".join(f"{x},{x / 4}" for x in numbers[:500])
    (tmp_path / "t.csv").write_text(text + "\n")
    run("compress", tmp_path / "t.csv", "-o", tmp_path / "t")
    assert run("verify", tmp_path / "t").text.count("checksums match") == 2
    run("index", tmp_path / "t", "--restart", "256")
    assert run("decompress", tmp_path / "t").out
    refused("decompress", tmp_path / "t", "--salvage", code=USAGE)
    assert run("decompress", tmp_path / "t", "--salvage", "--column", "x").text.count("\n") == 500
