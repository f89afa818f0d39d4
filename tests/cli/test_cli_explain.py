# SPDX-License-Identifier: Apache-2.0
"""numpact explain: why a column has the size it has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from cli_program import CORRUPT, FAILURE, LIMIT, MADE, USAGE, refused, run

SVG = "{http://www.w3.org/2000/svg}"


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
    if column["chunks"]:
        run("explain", path, "--plot", tmp_path / "a.svg")
        ElementTree.parse(tmp_path / "a.svg")
    else:
        refused("explain", path, "--plot", tmp_path / "a.svg", code=FAILURE)


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
    assert "--plot" in refused("explain", path, "--plot", tmp_path / "p.svg", code=USAGE)
    assert not (tmp_path / "p.svg").exists()
    run("explain", path, "--column", "t<&>", "--plot", tmp_path / "p.svg")
    texts = [n.text for n in ElementTree.parse(tmp_path / "p.svg").iter(f"{SVG}text")]
    assert f"{path}: column 't<&>', chunk 0" in texts
    run("compress", path, "-o", tmp_path / "folder", "-q")
    folder = json.loads(run("explain", tmp_path / "folder", "--json").text)["columns"]
    # The header of a file by itself has the count of numbers, in a byte more.
    assert [c["file_bytes"] + 1 for c in folder[:2]] == [c["file_bytes"] for c in columns]
    assert folder[2]["place"].endswith("column 'text'")  # the places of its texts
    assert explain(tmp_path / "folder", "--column", 1, "--again")["again"]["count"] == 1000


def boxes(path: Path) -> list[ElementTree.Element]:
    return [box for box in ElementTree.parse(path).iter(f"{SVG}rect")
            if box.find(f"{SVG}title") is not None]


def test_plot(prices: Path, tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"
    run("explain", prices, "--plot", picture)
    root = ElementTree.parse(picture).getroot()
    texts = " ".join(node.text or "" for node in root.iter(f"{SVG}text"))
    chunk = explain(prices)["chunks"][0]  # the first is what is drawn
    assert f"mode {chunk['mode_text']}, delta {chunk['delta_text']}" in texts
    assert len(boxes(picture)) == sum(v["bins"] for v in chunk["variables"])
    for box in boxes(picture):
        x, y, width, height = (float(box.get(key, "nan")) for key in ("x", "y", "width", "height"))
        assert 0 <= x and x + width <= 961 and 0 <= y and height >= 0 and width >= 0
    before = picture.read_bytes()
    assert "exists" in refused("explain", prices, "--plot", picture, code=FAILURE)
    assert "itself" in refused("explain", prices, "--plot", prices, "-f", code=FAILURE)
    run("explain", prices, "--plot", picture, "-f")
    assert picture.read_bytes() == before
    run("explain", prices, "--page-size", 10_000, "--chunk", 2, "--plot", picture, "-f")
    assert picture.read_bytes() != before


def texts_of(path: Path) -> list[str]:
    return [node.text or "" for node in ElementTree.parse(path).iter(f"{SVG}text")]


def marks_of(path: Path) -> dict[str, float]:
    """The labels of the first panel's axis of numbers, and where they are."""
    nodes = [node for node in ElementTree.parse(path).iter(f"{SVG}text")
             if node.get("y") == "348.0"]
    return {node.text or "": float(node.get("x", "nan")) for node in nodes}


def test_plots_show_the_numbers_of_the_user(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    prices = np.round(rng.uniform(50, 150, 20_000), 2)
    np.save(tmp_path / "a.npy", prices)
    picture = tmp_path / "a.svg"
    run("explain", tmp_path / "a.npy", "--mode", "float-mult=0.01", "--delta", "none",
        "--plot", picture)
    marks = marks_of(picture)
    assert set(marks) == {"60", "80", "100", "120", "140"}
    assert marks["80"] - marks["60"] == pytest.approx(marks["140"] - marks["120"], abs=0.2)
    assert "number" in texts_of(picture)
    # A bin is as wide as it is, by the scale of the marks.
    pixels = (marks["140"] - marks["60"]) / 80
    chunk = explain(tmp_path / "a.npy", "--mode", "float-mult=0.01", "--delta", "none")["chunks"][0]
    assert chunk["mode_text"] == "float-mult=0.01"
    wide = 0
    for box in boxes(picture):
        title = box.findtext(f"{SVG}title", "")
        range_ = re.match(r"([\d.]+) to below ([\d.]+): (\d+) offset bits", title)
        if range_ is None:
            continue
        low, high, bits = float(range_[1]), float(range_[2]), int(range_[3])
        assert high - low == pytest.approx(0.01 * 2**bits)
        assert float(box.get("width", "nan")) == pytest.approx((high - low) * pixels, abs=0.1)
        assert float(box.get("x", "nan")) == \
            pytest.approx(marks["100"] + (low - 100) * pixels, abs=0.2)
        wide += 1
    assert wide > 3


@pytest.mark.parametrize(("numbers", "arguments", "title", "marks"), [
    (np.arange(20_000) * 25 + 1_000_000, ["--mode", "int-mult=25", "--delta", "none"], "number",
     ["1,000,000", "1,200,000", "1,400,000"]),
    (np.arange(-9000, 9000, dtype=np.int16), ["--delta", "none"], "number",
     ["-5,000", "0", "5,000"]),
    (np.arange(20_000) ** 2, ["--mode", "classic", "--delta", "consecutive=1"],
     "difference from the number before", ["10,000", "20,000", "30,000"]),
    (np.tile([0.1, 2.5, 7.25, 3.0], 5000), ["--mode", "dict", "--delta", "none"],
     "numbers of the dictionary, in its order", ["0.1", "2.5", "7.25"]),
], ids=["multiples", "signed", "differences", "dictionary"])
def test_axes_of_plots(tmp_path: Path, numbers: np.ndarray, arguments: list[str], title: str,
                       marks: list[str]) -> None:
    np.save(tmp_path / "a.npy", numbers)
    run("explain", tmp_path / "a.npy", *arguments, "--plot", tmp_path / "a.svg")
    assert title in texts_of(tmp_path / "a.svg")
    assert set(marks) <= set(marks_of(tmp_path / "a.svg"))


def test_plots_of_times(tmp_path: Path, arrow: None) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(3)
    times = np.datetime64("2019-01-01", "us") + rng.integers(0, 5 * 365 * 86_400 * 10**6, 20_000)
    hours = np.datetime64("2024-03-05T00:00", "s") + rng.integers(0, 86_400, 20_000)
    table = pa.table({"time": times, "day": times.astype("datetime64[D]"), "hours": hours,
                      "minute": np.datetime64("2024-01-01", "s") + 60 * np.arange(20_000)})
    pq.write_table(table, tmp_path / "t.parquet")
    run("compress", tmp_path / "t.parquet", "-q", "-o", tmp_path / "folder")
    for source in (tmp_path / "t.parquet", tmp_path / "folder"):
        for column, title, marks in [("time", "time", ["2020-01-01", "2022-01-01"]),
                                     ("day", "date", ["2020-01-01", "2022-01-01"]),
                                     ("hours", "time", ["2024-03-05 06:00:00",
                                                        "2024-03-05 18:00:00"])]:
            run("explain", source, "--column", column, "-f", "--plot", tmp_path / "a.svg")
            assert title in texts_of(tmp_path / "a.svg")
            assert set(marks) <= set(marks_of(tmp_path / "a.svg"))
    run("explain", tmp_path / "t.parquet", "--column", "minute", "-f", "--plot",
        tmp_path / "a.svg", "--delta", "consecutive=1", "--mode", "classic")
    assert "difference from the number before in s" in texts_of(tmp_path / "a.svg")
    titles = [box.findtext(f"{SVG}title", "") for box in boxes(tmp_path / "a.svg")]
    assert any(title.startswith("60: 0 offset bits") for title in titles)


def test_plots_leave_out_nan(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.tile([1.5, 2.25, np.nan, np.inf, -np.inf], 4000))
    run("explain", tmp_path / "a.npy", "--mode", "classic", "--delta", "none", "--plot",
        tmp_path / "a.svg")
    assert any(text.startswith("not drawn: NaN and infinities, ")
               for text in texts_of(tmp_path / "a.svg"))
    assert {"1.6", "1.8", "2.0", "2.2"} <= set(marks_of(tmp_path / "a.svg"))


@pytest.mark.parametrize("numbers", [
    np.zeros(5), np.arange(1), np.array([0, 2**64 - 1] * 500, np.uint64),
    np.array([1e-300, 1e300, -1e300, np.nan] * 200), np.arange(-128, 128, dtype=np.int8),
], ids=["zeros", "one", "extremes", "floats", "bytes"])
def test_plots_of_odd_ranges(tmp_path: Path, numbers: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", numbers)
    run("explain", tmp_path / "a.npy", "--plot", tmp_path / "a.svg", "--delta", "none")
    for box in boxes(tmp_path / "a.svg"):
        assert 80 <= float(box.get("x", "nan")) <= 960
        assert 0 <= float(box.get("height", "nan")) <= 330
    assert "nan" not in (tmp_path / "a.svg").read_text()


def test_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(0, np.float32))
    text = run("explain", tmp_path / "a.npy").text
    assert "0 chunks" in text and "headers of file and chunks" in text
    assert explain(tmp_path / "a.npy")["chunks"] == []
    refused("explain", tmp_path / "a.npy", "--plot", tmp_path / "a.svg", code=FAILURE)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]
    refused("explain", tmp_path / "none.npy", code=FAILURE)
