# SPDX-License-Identifier: Apache-2.0
"""numpact explain: why a column has the size it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_program import CORRUPT, FAILURE, LIMIT, MADE, USAGE, refused, run



@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.npy"
    rng = np.random.default_rng(7)
    np.save(path, np.round(1000 + rng.normal(size=30_000).cumsum(), 2))
    return path


def explain(*arguments: object, **more: Any) -> dict[str, Any]:
    columns = json.loads(run("explain", *arguments, "--json", **more).text)["columns"]
    assert len(columns) == 1
    return columns[0]


def parts_of(entry: dict[str, Any]) -> int:
    return sum(entry["parts"].values())


@pytest.mark.parametrize("words", [(), ("--level", 2), ("--page-size", 10_000),
                                   ("--mode", "classic", "--delta", "none"),
                                   ("--compat", 3), ("--favor-decode-speed",)])
def test_is_of_the_file_that_compress_writes(prices: Path, words: tuple[object, ...]) -> None:
    column = explain(prices, *words)
    run("compress", prices, *words)
    info = json.loads(run("inspect", f"{prices}.pco", "--json").text)
    assert column["place"] == str(prices)
    assert column["file_bytes"] == info["file_bytes"]
    assert parts_of(column) == 8 * info["file_bytes"]
    for chunk, other in zip(column["chunks"], info["chunks"], strict=True):
        assert {key: chunk[key] for key in ("mode", "delta", "count", "page_bytes")} == \
            {key: other[key] for key in ("mode", "delta", "count", "page_bytes")}
        size = chunk["meta_bytes"] + chunk["page_bytes"]
        assert parts_of(chunk) == 8 * (size + 4)
        taken = [candidate for candidate in chunk["candidates"] if candidate["chosen"]]
        assert [(c["mode"], c["delta"], c["bytes"]) for c in taken] == \
            [(chunk["mode_text"], chunk["delta_text"], size)]


def test_candidates_and_entropies(prices: Path) -> None:
    column = explain(prices, "--page-size", 30_000)
    numbers = np.load(prices)
    _, counts = np.unique(numbers, return_counts=True)
    shares = counts / numbers.size
    assert column["entropy"]["distinct"] == counts.size
    assert column["entropy"]["bits"] == pytest.approx(-(shares * np.log2(shares)).sum())
    assert column["latent_entropy_bits"] < column["entropy"]["bits"]
    chunk = column["chunks"][0]
    modes = {candidate["mode"] for candidate in chunk["candidates"]}
    assert "classic" in modes and any(mode.startswith("float-mult=") for mode in modes)
    for candidate in chunk["candidates"]:
        if candidate["estimated_bits"] is not None:
            assert candidate["estimated_bytes"] == \
                pytest.approx(candidate["estimated_bits"] * 30_000 / 8)
    taken = next(c for c in chunk["candidates"] if c["chosen"])
    assert taken["outcome"] == "taken" and taken["error_bits"] > 0
    best = taken["estimated_bits"] + taken["error_bits"]
    outcomes = {c["outcome"] for c in chunk["candidates"]}
    assert "far" in outcomes and outcomes <= {"taken", "larger", "far", "near", "not repetitive",
                                              "decodes slowly"}
    for candidate in chunk["candidates"]:
        assert (candidate["outcome"] == "larger") == \
            (candidate["bytes"] is not None and not candidate["chosen"])
        if candidate["outcome"] == "far":
            assert candidate["estimated_bits"] - candidate["error_bits"] > best
    stored = sum(v["entropy"]["bits"] * v["stored"] for v in chunk["variables"])
    assert column["latent_entropy_bits"] == pytest.approx(stored / 30_000)
    spent = sum(v["code_bits"] + v["offset_bits"] for v in chunk["variables"])
    assert 0.9 * stored < spent < 1.3 * stored


def test_lookback_that_wins_and_that_loses(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    values = rng.integers(0, 1 << 16, 700).astype(np.uint32)
    # Few values in random order are cheaper as bins of one value.
    for name, numbers, wins in [("period", np.resize(values, 4000), True),
                                ("random", rng.choice(values[:100], 20_000), False)]:  # fmt: skip
        path, count = tmp_path / f"{name}.npy", numbers.size
        np.save(path, numbers)
        (chunk,) = explain(path, "--page-size", count)["chunks"]
        found = [c for c in chunk["candidates"] if c["delta"].startswith("lookback")]
        assert found
        assert any(c["chosen"] for c in found) == wins
        best = min(c["estimated_bits"] for c in chunk["candidates"])
        assert (min(c["estimated_bits"] for c in found) == best) == wins
        assert "lookback" in run("explain", path, "--page-size", count).text


def test_segments_that_win_and_that_lose(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    steps = np.arange(20_000) * 100
    noise = rng.integers(0, 1 << 40, 20_000)
    path = tmp_path / "parts.npy"
    np.save(path, np.concatenate([steps, noise]))
    column = explain(path)
    (race,) = column["runs"]
    assert race["segments"] == "taken"
    assert race["segment_count"] == race["chunk_count"] == len(column["chunks"]) > 1
    assert race["segment_bits"] < race["single_bits"] and race["segment_error_bits"] > 0
    assert "one chunk or segments" in run("explain", path).text
    np.save(path, noise)
    (race,) = explain(path)["runs"]
    assert race["segment_bits"] is None and race["chunk_count"] == 1
    assert "one chunk or segments" not in run("explain", path).text


def test_report(prices: Path) -> None:
    text = run("explain", prices, "--page-size", 30_000).text
    for words in ["what was tried", "taken", "classic", "offsets: where in the bin", "entropy",
                  "level 8, 1 chunk", "primary", "different"]:
        assert words in text
    lines = [line for line in text.splitlines() if line.startswith("all ")]
    assert len(lines) == 1 and "100.00 %" in lines[0]
    many = run("explain", prices, "--page-size", 3000).text
    assert "all 10 chunks (--chunk 0 to --chunk 9 show one)" in many
    assert "chunk 7:" not in many
    one = run("explain", prices, "--page-size", 3000, "--chunk", 7).text
    assert "chunk 7:" in one and "chunk 6:" not in one and "what was tried" in one


def test_chunk_as_json(prices: Path) -> None:
    column = explain(prices, "--page-size", 10_000, "--chunk", 2)
    assert [chunk["index"] for chunk in column["chunks"]] == [2]
    assert column["count"] == 30_000
    line = refused("explain", prices, "--page-size", 10_000, "--chunk", 3, code=USAGE)
    assert line == "--chunk: 3 is not within 0..2"
    refused("explain", prices, "--chunk", -1, code=USAGE)


def test_existing_files(prices: Path, tmp_path: Path) -> None:
    run("compress", prices, "--level", 1, "--mode", "classic", "--delta", "none", "--no-trailer")
    packed = Path(f"{prices}.pco")
    column = explain(packed)
    assert column["level"] is None and "again" not in column
    assert column["file_bytes"] == packed.stat().st_size
    assert all(chunk["candidates"] == [] for chunk in column["chunks"])
    assert column["entropy"] == explain(prices)["entropy"]
    piped = explain("-", stdin=packed.read_bytes())
    assert piped.pop("place") == "(stdin)"
    assert piped == {key: value for key, value in column.items() if key != "place"}
    again = explain(packed, "--again", "--level", 4)
    fresh = explain(prices, "--level", 4)
    assert again["again"]["level"] == 4
    assert again["again"]["file_bytes"] == fresh["file_bytes"] < column["file_bytes"]
    assert again["again"]["chunks"] == fresh["chunks"]
    text = run("explain", packed, "--again").text
    assert "chosen anew at level 8" in text and "instead of" in text and " (-" in text
    line = refused("explain", packed, "--level", 4, code=USAGE)
    assert "--again" in line
    assert "--again" in refused("explain", prices, "--again", code=USAGE)
    assert "columns" in refused("explain", packed, "--column", "a", code=USAGE)
    (tmp_path / "cut.pco").write_bytes(packed.read_bytes()[:-9])
    refused("explain", tmp_path / "cut.pco", code=CORRUPT)
    refused("explain", packed, "--max-output", "64K", code=LIMIT)


def test_raw_numbers_that_look_like_pco(tmp_path: Path) -> None:
    raw = b"pco!" * 100
    (tmp_path / "a.raw").write_bytes(raw)
    assert explain(tmp_path / "a.raw", "--dtype", "u32")["count"] == 100
    assert explain("-", "--dtype", "u32", stdin=raw)["count"] == 100


@pytest.mark.parametrize("path", sorted(MADE.glob("*.pco")), ids=lambda p: p.stem)
def test_made_files(path: Path, tmp_path: Path) -> None:
    column = explain(path)
    assert parts_of(column) == 8 * column["file_bytes"]


def test_tables(tmp_path: Path, arrow: None) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"a": list(range(1000)), "t<&>": [0.5] * 1000, "text": ["x"] * 1000})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    columns = json.loads(run("explain", path, "--json").text)["columns"]
    assert [column["place"] for column in columns] == \
        [f"{path}: column 'a'", f"{path}: column 't<&>'"]
    assert explain(path, "--column", "a")["number_type"] == "i64"
    assert run("explain", path).text.count("what the bytes are") == 2
    assert "--chunk" in refused("explain", path, "--chunk", 0, code=USAGE)
    run("compress", path, "-o", tmp_path / "folder", "-q")
    folder = json.loads(run("explain", tmp_path / "folder", "--json").text)["columns"]
    # The header of a file by itself has the count of numbers, in a byte more.
    assert [c["file_bytes"] + 1 for c in folder[:2]] == [c["file_bytes"] for c in columns]
    assert folder[2]["place"].endswith("column 'text'")  # the places of its texts
    assert explain(tmp_path / "folder", "--column", 1, "--again")["again"]["count"] == 1000


def test_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(0, np.float32))
    text = run("explain", tmp_path / "a.npy").text
    assert "0 chunks" in text and "headers of file and chunks" in text
    assert explain(tmp_path / "a.npy")["chunks"] == []
    refused("explain", tmp_path / "a.npy", "--chunk", 0, code=FAILURE)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]
    refused("explain", tmp_path / "none.npy", code=FAILURE)
