# SPDX-License-Identifier: Apache-2.0
"""Checksums of the files of columns that Pco cannot hold, in both commands."""

from __future__ import annotations

import decimal
import json
import random
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pytest
from cli_program import CORRUPT, DONE
from older_tables import as_version_3
from programs import Tool, tool  # noqa: F401

pytestmark = pytest.mark.usefixtures("arrow")

ROWS = 66_000  # two batches
BATCH = 65_536
MESSAGE = "another checksum than the manifest says"


def columns(rows: int) -> dict[str, pa.Array]:
    codes = [None if i % 7 == 0 else i % 100 for i in range(rows)]
    return {
        "text": pa.array([None if i % 7 == 0 else f"w{i}" for i in range(rows)]),
        "plain": pa.array([f"{i * 7919 % 1000003}" for i in range(rows)]),
        "code": pa.array(codes).dictionary_encode(),
        "price": pa.array([decimal.Decimal(i) / 4 for i in range(rows)], pa.decimal128(20, 2)),
        "list": pa.array([[i, i + 1] if i % 3 else [] for i in range(rows)], pa.list_(pa.int32())),
        "blob": pa.array([i.to_bytes(3, "big") for i in range(rows)], pa.binary()),
        "n": pa.array(range(rows)),
    }


def write(columns: dict[str, pa.Array], path: Path) -> Path:
    table = pa.table(columns)
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.fixture
def folder(tool: Tool, tmp_path: Path) -> Path:
    tool.run("compress", "-q", write(columns(ROWS), tmp_path / "t.arrow"), "-o", tmp_path / "t")
    return tmp_path / "t"


def manifest_of(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return made


def part_of(folder: Path, name: str) -> dict[str, Any]:
    (other,) = (other for other in manifest_of(folder)["others"] if other["name"] == name)
    (part,) = other["parts"]
    return dict(part)


def flip(path: Path, at: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def test_compress_writes_checksums(tool: Tool, folder: Path) -> None:
    assert manifest_of(folder)["version"] == 4
    for name in ("text", "plain", "code", "price", "list", "blob"):
        part, data = part_of(folder, name), (folder / f"{name}.arrow").read_bytes()
        assert part["bytes"] == len(data) == part["ends"][-1]
        assert len(part["ends"]) == 4
        starts = [0, *part["ends"]]
        assert part["crc32"] == [
            zlib.crc32(data[a:b]) for a, b in zip(starts, part["ends"], strict=False)
        ]
    ran = tool.run("verify", folder)
    assert ran.text.count("; checksums match") >= 6 and "no checksum" not in ran.text


def reads(folder: Path, name: str) -> list[tuple[object, ...]]:
    """Commands that read the whole column."""
    out = folder.parent / "out"
    calls: list[tuple[object, ...]] = [
        ("verify", folder),
        ("decompress", folder, "-f", "-o", out.with_suffix(".arrow")),
        ("decompress", folder, "--columns", name, "-f", "-o", out.with_suffix(".parquet")),
    ]
    if name not in ("list", "blob", "code"):
        calls += [("decompress", folder, "--columns", name),
                  ("decompress", folder, "--columns", "n", "--where", f"{name} != '5'"
                   if name != "price" else "price != 5")]
    return calls


@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("name", ["text", "plain", "code", "price", "list", "blob"])
def test_every_flipped_bit_is_found(
    tool: Tool, folder: Path, name: str, request: pytest.FixtureRequest
) -> None:
    rng = random.Random(name)
    path, ends = folder / f"{name}.arrow", part_of(folder, name)["ends"]
    places = [0, 7, 8, path.stat().st_size - 1, path.stat().st_size - 8]
    for begin, end in zip([0, *ends], ends, strict=False):
        places += [begin, end - 1, rng.randrange(begin, end), rng.randrange(begin, end)]
    more = write(columns(3), folder.parent / "more.arrow")
    before = (folder / "manifest.json").read_bytes()
    # An append copies columns with dictionaries only, since these rows make a part of their own.
    appends = [("compress", "-q", more, "--append", "-o", folder)] if name == "code" else []
    is_slow = "wheel" in request.node.name  # a second for each command
    for at in rng.sample(places, 2) if is_slow else places:
        bit = rng.randrange(8)
        flip(path, at, bit)
        call = rng.choice(reads(folder, name))
        for arguments in [call, *appends]:
            ran = tool.run(*arguments, code=CORRUPT)
            assert f"{name}.arrow: column '{name}': checksum mismatch: " in ran.err
            assert MESSAGE in ran.err and ".tmp" not in ran.err
        flip(path, at, bit)
    assert (folder / "manifest.json").read_bytes() == before
    tool.run("verify", "-q", folder)


@pytest.mark.wheel_takes(2)
def test_only_the_rows_that_are_read_are_checked(tool: Tool, folder: Path) -> None:
    ends = part_of(folder, "plain")["ends"]
    flip(folder / "plain.arrow", (ends[1] + ends[2]) // 2)  # the second batch
    ran = tool.run("decompress", folder, "--columns", "plain,n", "--range", "0:3")
    assert ran.text.splitlines()[1:] == ["0,0", "7919,1", "15838,2"]
    assert tool.run("head", folder, "--columns", "plain").code == DONE
    line = tool.refused("decompress", folder, "--columns", "plain", "--range", f"{BATCH}:3",
                        "-o", folder.parent / "o.arrow", code=CORRUPT)
    assert f"rows {BATCH} to {ROWS - 1} have {MESSAGE}" in line
    tool.run("decompress", folder, "--columns", "text,n", "-o", folder.parent / "o.arrow")


@pytest.mark.wheel_takes(2)
def test_files_that_are_cut_extended_or_swapped(tool: Tool, folder: Path) -> None:
    path = folder / "plain.arrow"
    whole = path.read_bytes()
    for data in (whole[:-1], whole + b"\0", whole[:100], b"", (folder / "blob.arrow").read_bytes()):
        path.write_bytes(data)
        tool.run("verify", folder, code=CORRUPT)
        tool.run("decompress", folder, "--columns", "plain", code=CORRUPT)


@pytest.mark.wheel_takes(2)
def test_version_3_is_read_as_before(tool: Tool, folder: Path) -> None:
    expected = tool.run("decompress", folder, "--columns", "text,plain,price,n").out
    as_version_3(folder)
    assert tool.run("decompress", folder, "--columns", "text,plain,price,n").out == expected
    ran = tool.run("verify", folder)
    assert ran.text.count("; no checksum") == 6
    (entry,) = (e for e in json.loads(tool.run("verify", "--json", folder).text)
                if e.get("column") == "text")
    assert entry["ok"] and entry["checksums"] == "none"
    more = write(columns(3), folder.parent / "more.arrow")
    tool.run("compress", "-q", more, "--append", "-o", folder)
    assert manifest_of(folder)["version"] == 4
    assert "no checksum" not in tool.run("verify", folder).text


@pytest.mark.wheel_takes(2)
def test_verify_json(tool: Tool, folder: Path) -> None:
    found = {e["column"]: e for e in json.loads(tool.run("verify", "--json", folder).text)}
    assert {name: e["checksums"] for name, e in found.items()} == {
        **dict.fromkeys(("text", "plain", "code", "price", "list", "blob"), "sound"), "n": None}
    flip(folder / "text.arrow", 600)
    ran = tool.run("verify", "--json", folder, code=CORRUPT)
    (entry,) = (e for e in json.loads(ran.text) if e["column"] == "text")
    assert ran.err == "" and not entry["ok"] and entry["checksums"] == "damaged"
    assert entry["error"]["kind"] == "checksum mismatch" and MESSAGE in entry["error"]["message"]


@pytest.mark.wheel_takes(2)
def test_checksums_are_added(tool: Tool, folder: Path) -> None:
    made = manifest_of(folder)
    as_version_3(folder)
    (folder / "manifest.json").chmod(0o640)
    ran = tool.run("verify", "--add-checksums", folder)
    assert "checksums of 6 columns added" in ran.err
    assert manifest_of(folder) == made
    assert (folder / "manifest.json").stat().st_mode & 0o777 == 0o640
    assert not list(folder.glob(".*"))
    assert "no checksum is missing" in tool.run("verify", "--add-checksums", folder).err
    as_version_3(folder)
    before = (folder / "manifest.json").read_bytes()
    data = bytearray((folder / "plain.arrow").read_bytes())
    data[len(data) // 2 : len(data) // 2 + 60] = bytes(60)
    (folder / "plain.arrow").write_bytes(data)
    ran = tool.run("verify", "--add-checksums", folder, code=CORRUPT)
    assert "no checksums are added" in ran.err
    assert (folder / "manifest.json").read_bytes() == before


@pytest.mark.wheel_takes(2)
def test_a_damaged_table_of_numbers_gets_no_checksums(tool: Tool, folder: Path) -> None:
    as_version_3(folder)
    flip(folder / "n.pco", 30)
    tool.run("verify", "--add-checksums", folder, code=CORRUPT)
    assert manifest_of(folder)["version"] == 3


def test_forged_blocks_are_damage(tool: Tool, folder: Path) -> None:
    """Checksums that fit other blocks than those of the file."""
    manifest = manifest_of(folder)
    (part,) = manifest["others"][0]["parts"]
    data = (folder / "text.arrow").read_bytes()
    part["ends"][0] += 8
    starts = [0, *part["ends"]]
    part["crc32"] = [zlib.crc32(data[a:b]) for a, b in zip(starts, part["ends"], strict=False)]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert "do not end where the manifest says" in tool.run("verify", folder, code=CORRUPT).err
    for change in ({"ends": [1] * 4}, {"ends": []}, {"crc32": [1 << 32] * 4}, {"bytes": 1 << 62},
                   {"ends": list(range(1, 2000)), "crc32": [0] * 1999}):
        forged: Callable[..., Any] = dict
        manifest["others"][0]["parts"] = [forged(part, **change)]
        (folder / "manifest.json").write_text(json.dumps(manifest))
        tool.run("verify", folder, code=CORRUPT)
        tool.run("decompress", folder, "--columns", "text", code=CORRUPT)


@pytest.mark.wheel_takes(1)
def test_appends_and_added_checksums_at_the_same_time(tool: Tool, tmp_path: Path) -> None:
    small = tmp_path / "small"
    tool.run("compress", "-q", write(columns(50), tmp_path / "t.arrow"), "-o", small)
    more = write(columns(3), tmp_path / "more.arrow")
    appends = 4
    for _ in range(3):
        target = tmp_path / "t"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(small, target)
        as_version_3(target)
        calls: list[list[object]] = [["compress", more, "--append", "-q", "-o", target]] * appends
        calls += [["verify", "-q", "--add-checksums", target]] * 3
        random.Random(1).shuffle(calls)
        running = [subprocess.Popen([tool.program, *map(str, call)], stderr=subprocess.PIPE)
                   for call in calls]
        for process in running:
            with process:
                assert process.wait(110) == 0, process.stderr.read()
        assert manifest_of(target)["version"] == 4
        assert manifest_of(target)["others"][0]["rows"] == 50 + 3 * appends
        tool.run("verify", "-q", target)
