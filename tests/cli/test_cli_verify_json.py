# SPDX-License-Identifier: Apache-2.0
"""numpact verify --json: one document, whatever the files are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_program import CORRUPT, DONE, FAILURE, FIXTURES, LIMIT, MADE, run

CHUNK = 2500
COUNT = 10_000
KEYS = ["path", "ok", "error", "type", "numbers", "good_numbers", "bytes", "chunks", "trailer",
        "checksums", "damage"]


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """Four chunks of 2500 numbers, with a trailer."""
    numbers = np.random.default_rng(5).integers(-40, 50, COUNT)
    np.save(tmp_path / "a.npy", np.cumsum(numbers).astype(np.int64))
    run("compress", tmp_path / "a.npy", "-o", tmp_path / "a.pco", "--page-size", CHUNK)
    return tmp_path / "a.pco"


def verify(*arguments: object, code: int = DONE, **keywords: Any) -> list[dict[str, Any]]:
    ran = run("verify", *arguments, "--json", code=code, **keywords)
    assert ran.err == ""
    document = json.loads(ran.out)
    assert isinstance(document, list)
    for one in document:
        assert [key for key in one if key != "column"] == KEYS
        assert one["ok"] == (one["error"] is None)
    # The same exit code without.
    assert run("verify", *arguments, code=None, **keywords).code == code
    return document


def chunk_places(path: Path) -> list[dict[str, int]]:
    found = json.loads(run("inspect", path, "--json").out)
    assert isinstance(found["chunks"], list)
    return found["chunks"]


def damaged(path: Path, *chunks: int) -> Path:
    data = bytearray(path.read_bytes())
    for chunk in chunks:
        place = chunk_places(path)[chunk]
        data[place["offset"] + 4 + place["meta_bytes"] + place["page_bytes"] // 2] ^= 1
    bad = path.with_name("bad.pco")
    bad.write_bytes(data)
    return bad


@pytest.mark.parametrize("threads", [1, 3])
def test_sound_files(packed: Path, threads: int) -> None:
    expected = {"path": str(packed), "ok": True, "error": None, "type": "i64", "numbers": COUNT,
                "good_numbers": COUNT, "bytes": packed.stat().st_size, "chunks": 4,
                "trailer": "sound", "checksums": None, "damage": []}
    assert verify(packed, "-j", threads) == [expected]
    (one,) = verify("-", stdin=packed.read_bytes())
    assert one == {**expected, "path": "-"}
    run("index", "-q", packed, "--remove")
    plain = {**expected, "trailer": "none", "bytes": packed.stat().st_size}
    (old,) = verify(FIXTURES / "v1_0_0_dict.pco")
    assert verify(packed, FIXTURES / "v1_0_0_dict.pco") == [plain, old]
    assert old["ok"] and old["trailer"] == "none" and old["numbers"] > 0


def test_damage_is_listed(packed: Path) -> None:
    bad = damaged(packed, 1, 3)
    (one,) = verify(bad, code=CORRUPT)
    assert one["error"]["kind"] == "checksum mismatch"
    assert one["good_numbers"] == 2 * CHUNK and one["chunks"] == 4 and one["trailer"] == "sound"
    places = chunk_places(packed)
    for part, chunk in zip(one["damage"], [1, 3], strict=True):
        assert part["chunk"] == chunk
        assert (part["first"], part["count"]) == (chunk * CHUNK, CHUNK)
        assert part["offset"] == places[chunk]["offset"]
        assert part["bytes"] == 4 + places[chunk]["meta_bytes"] + places[chunk]["page_bytes"]
        assert part["kind"] == "checksum mismatch" and f"chunk {chunk}" in part["message"]


def test_files_without_a_trailer_end_at_the_first_damage(packed: Path) -> None:
    run("index", "-q", packed, "--remove")
    place = chunk_places(packed)[2]
    cut = packed.with_name("cut.pco")
    cut.write_bytes(packed.read_bytes()[: place["offset"] + place["meta_bytes"] + 20])
    (one,) = verify(cut, code=CORRUPT)
    assert one["error"]["kind"] == "truncated" and one["good_numbers"] == 2 * CHUNK
    assert one["damage"] == [{"chunk": 2, "first": 2 * CHUNK, "count": None,
                              "offset": place["offset"],
                              "bytes": cut.stat().st_size - place["offset"], "kind": "truncated",
                              "message": one["error"]["message"]}]
    cut.write_bytes(packed.read_bytes() + b"more")
    (one,) = verify(cut, code=CORRUPT)
    assert one["error"]["kind"] == "corrupt" and one["trailer"] == "unrecognised"
    assert one["good_numbers"] == one["numbers"] == COUNT and one["damage"] == []


def test_every_refused_file_gives_a_document() -> None:
    paths = sorted((MADE / "refused").glob("*.pco"))
    document = verify(*paths, code=CORRUPT)
    assert [one["path"] for one in document] == [str(path) for path in paths]
    assert not any(one["ok"] for one in document)
    assert all(one["error"]["message"].startswith(one["error"]["kind"]) for one in document)


def test_paths_that_are_no_files(packed: Path, tmp_path: Path) -> None:
    document = verify(tmp_path / "none.pco", packed, tmp_path, code=FAILURE)
    assert [one["ok"] for one in document] == [False, True, False]
    assert document[0]["error"] == {"kind": "input/output error",
                                    "message": "No such file or directory"}
    assert document[0]["numbers"] is None and document[0]["damage"] == []
    assert str(tmp_path / "manifest.json") in document[2]["error"]["message"]
    # The worst decides.
    verify(tmp_path / "none.pco", damaged(packed, 0), packed, code=CORRUPT)


def test_limits(packed: Path) -> None:
    for option, size in [("--max-output", COUNT * 8 - 1), ("--max-memory", 1)]:
        (one,) = verify(packed, option, size, code=LIMIT)
        assert one["error"]["kind"] == "limit exceeded" and option in one["error"]["message"]
        assert one["numbers"] is None


@pytest.mark.usefixtures("arrow")
def test_folders(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{i},{i / 2}\n" for i in range(100)))
    run("compress", tmp_path / "t.csv", "-o", tmp_path / "t")
    document = verify(tmp_path / "t")
    assert [(one["column"], one["numbers"], one["type"]) for one in document] == [
        ("a", 100, "i64"), ("b", 100, "f64")]
    assert document[0]["path"] == f"{tmp_path / 't'}/a.pco"
    (tmp_path / "t/a.pco").write_bytes((tmp_path / "t/b.pco").read_bytes())
    (tmp_path / "t/b.pco").unlink()
    document = verify(tmp_path / "t", code=CORRUPT)
    assert "manifest says" in document[0]["error"]["message"]
    assert document[0]["error"]["kind"] == "corrupt"
    assert document[1]["error"]["message"] == "No such file or directory"
