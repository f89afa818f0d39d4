# SPDX-License-Identifier: Apache-2.0
"""The parts of the benchmarks that compute something, and short runs of the whole programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import combo_data
import combos
import numpact_ctypes as numpact
import numpy as np
import peer_list
import pytest
import report
from goals import Standing, geometric_mean, goal_lines, short_of_goal
from measure import Column
from peer_codecs import Setting
from reference_cache import ReferenceCache
from rounds import best_of_rounds

BENCH = Path(numpact.__file__).parent
SAMPLE = numpact.ROOT / "samples" / "aircraft_positions.parquet"


def run(name: str, *words: object) -> str:
    command = [sys.executable, str(BENCH / f"{name}.py"), *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_names_of_peers() -> None:
    assert peer_list.chosen_names("pcodec,zstd") == ["pcodec", "zstd-3"]
    assert peer_list.chosen_names("parquet") == \
        [f"parquet-{word}" for word in ("plain", "dict", "delta", "split", "best")]
    assert peer_list.chosen_names("zstd-1,zstd-1,") == ["zstd-1"]
    assert peer_list.chosen_names("all") == list(peer_list.PEERS)
    assert peer_list.chosen_names("vortex") == ["vortex"]
    with pytest.raises(ValueError, match="nothing"):
        peer_list.chosen_names("pcodec,nothing")


def test_missing_packages(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("# none\nnumpy==1.0\n\nnumpact-no-such-package>=2 # really\n")
    assert peer_list.missing_packages(file) == ["numpact-no-such-package>=2"]


@pytest.mark.parametrize("name", peer_list.PEERS)
def test_peer_round_trip(name: str) -> None:
    codecs, skipped = peer_list.make_codecs([name], Setting())
    if name in skipped:
        pytest.skip(skipped[name])
    numbers = np.sin(np.arange(10_000) / 100).astype(np.float32)
    out = np.zeros_like(numbers)
    codec = codecs[1]
    compress, make = codec.writer(numbers)
    if compress is not None:
        compress()
    decode = codec.reader(make(), out)
    for _ in range(2):
        out.fill(0)
        found = codec.numbers(decode(), out)
        assert found.tobytes() == numbers.tobytes()


def test_goals() -> None:
    assert geometric_mean([2.0, 8.0, None]) == pytest.approx(4)
    assert geometric_mean([]) is None
    standings = [Standing("quick", 1.3, 0.1), Standing("at the limit", 1.0, 0.7),
                 Standing("slow", 0.9, 0.2), Standing("slower", 0.8)]
    assert [s.name for s in short_of_goal(standings)] == ["slower", "slow"]
    lines = goal_lines("columns", standings)
    assert "minimum 0.80 (slower)" in lines[0]
    assert lines[-1].split() == ["slow", "0.90,", "20%", "of", "memcpy"]
    assert goal_lines("columns", []) == []


def example_column() -> Column:
    return Column("c", "i64", 1000, 2_000_000, {"ours": 500_000, "pcodec": 1_000_000}, {}, {
        "decompress.ours": 0.001, "decompress.pcodec": 0.003, "cross.ours": 0.002,
        "cross.pcodec": 0.004, "decompress.memcpy": 0.0005})


def test_ratios_of_a_column() -> None:
    column = example_column()
    ours, theirs = report.standings([column], report.SAME_FILE["our files"])[0], \
        report.standings([column], report.SAME_FILE["pcodec's files"])[0]
    assert (ours.ratio, ours.memcpy) == (pytest.approx(4), pytest.approx(0.5))
    assert (theirs.ratio, theirs.memcpy) == (pytest.approx(1.5), pytest.approx(0.25))
    means = {m.name: m for m in report.codec_means([column])}
    assert means["ours"].ratio == 4 and means["ours"].decompress == pytest.approx(2000)
    assert means["memcpy"].ratio is None and means["memcpy"].ours == pytest.approx(0.5)


def test_rounds() -> None:
    calls: list[str] = []
    actions = {"quick": lambda: calls.append("q"), "slow": lambda: time.sleep(0.01)}
    best, rounds = best_of_rounds(actions, 3, 0)
    assert rounds == 3 and len(calls) == 3
    assert best["quick"] < 0.01 <= best["slow"]
    counted = {"a": lambda: (calls.append("a"), time.sleep(0.01)),
               "b": lambda: (calls.append("b"), time.sleep(0.01))}
    calls.clear()
    best_of_rounds(counted, 3, 0, once_over=0.001, always=["b"])
    assert calls.count("a") == 1 and calls.count("b") == 3


def test_cache_of_files(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return b"file"

    for numbers in (np.arange(3), np.arange(3), np.arange(4)):
        assert ReferenceCache(tmp_path).of(numbers).file("package 1.0 8", make) == b"file"
    assert len(made) == 2


SPECS = list(combo_data.combo_specs())


def test_all_types_and_modes_have_combos() -> None:
    assert {spec[0] for spec in SPECS} == set(numpact.DTYPES)
    assert len(SPECS) == len(set(SPECS)) == 258


@pytest.mark.parametrize("spec", SPECS[::7], ids=lambda spec: combo_data.combo_name(*spec))
def test_combo_is_encoded_as_asked(spec: tuple[str, str, str, int]) -> None:
    combo = combo_data.make_combo(*spec, level=8, count=20_000)
    writer, file = combos.write_file(combo, "pcodec")
    assert combos.is_as_asked(combos.choices_of(file), combo.config), writer
    decoded = numpact.decompress(file, combo.numbers.dtype, combo.numbers.size)
    assert decoded.tobytes() == combo.numbers.tobytes()


@pytest.mark.parametrize("width,type_name", [(8, "u8"), (20, "u32"), (64, "u64")])
def test_one_bin(width: int, type_name: str) -> None:
    combo = combo_data.make_special(type_name, f"bin{width}", level=8, count=5000)
    chunk = numpact.inspect(numpact.compress(combo.numbers, combo.config))["chunks"][0]
    assert [variable["bins"] for variable in chunk["variables"]] == [1]
    assert chunk["variables"][0]["offset_bits"] == width * 5000


def test_target_is_passed_on(monkeypatch: pytest.MonkeyPatch,
                             capsys: pytest.CaptureFixture[str]) -> None:
    from options import use_target

    monkeypatch.setenv("NUMPACT_TARGET", "")
    use_target("avx2")
    assert os.environ["NUMPACT_TARGET"] == "avx2"
    assert capsys.readouterr().err == "NUMPACT_TARGET=avx2\n"


def test_peers_program(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    out = tmp_path / "all.json"
    text = run("peers", SAMPLE, "--columns", "altitude|time", "--rounds", 1, "--seconds", 0,
               "--peers", "pcodec,memcpy,parquet-dict", "--json", out)
    columns = json.loads(out.read_text())["columns"]
    assert [column["name"] for column in columns] == ["aircraft_positions.time_ms",
                                                      "aircraft_positions.altitude"]
    assert {"compress.ours", "cross.ours", "cross.pcodec", "decompress.memcpy",
            "decompress.parquet-dict"} <= columns[0]["seconds"].keys()
    assert "compress.memcpy" not in columns[0]["seconds"] and not columns[0]["unfit"]
    assert "parquet-dict" in text


def test_combos_program(tmp_path: Path) -> None:
    out = tmp_path / "all.json"
    text = run("combos", "^u8/classic/none|special/i16/two", "--count", 3000, "--rounds", 1,
               "--seconds", 0, "--json", out)
    results = json.loads(out.read_text())
    assert [r["name"] for r in results] == ["u8/classic/none", "special/i16/two"]
    assert all(r["as_asked"] and r["seconds"]["ours"] > 0 for r in results)
    assert "by mode: classic" in text


def test_small_program(tmp_path: Path) -> None:
    out = tmp_path / "all.json"
    run("small", "--calls", 20, "--json", out)
    for row in json.loads(out.read_text()):
        assert row["ours"]["decode"]["allocations"] == 0, row["name"]
        assert 0 < row["ours"]["decode"]["median_ns"] <= row["ours"]["decode"]["p99_ns"]


def test_recipes_program(tmp_path: Path) -> None:
    np.save(tmp_path / "prices.npy", np.arange(4000) % 997 / 100)
    out = tmp_path / "all.json"
    run("recipes", tmp_path, "--lengths", 50, "--series", 40, "--rounds", 1, "--json", out)
    (row,) = json.loads(out.read_text())
    assert row["recipe"].startswith("f64 float-mult=") and row["series"] == 35
    assert 0 < row["with_recipe"]["ns"] < row["chosen"]["ns"]
    assert 0.5 < row["size"] < 1.5


def test_short_columns_against_forced_choices() -> None:
    text = run("drawn", "--short", "--columns", 4)
    assert "4 columns, ours / pcodec" in text and "auto / best forced: mean" in text


def test_engine_blocks_program(tmp_path: Path) -> None:
    pytest.importorskip("zstandard")
    out = tmp_path / "blocks.csv"
    text = run("engine_blocks", SAMPLE, "--columns", "altitude", "--blocks", 64, "--levels", 1,
               "--zstd", 1, "--rounds", 1, "--csv", out)
    assert "| 64 KiB | numpact-1 |" in text and "known not to fit: numpact-1 " in text
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert [row[1] for row in rows] == ["codec", "numpact-1", "zstd-1", "lz4"]
    assert rows[1][0] == "64" and rows[1][6] == "5"


def test_cvc_embeddings(tmp_path: Path) -> None:
    pytest.importorskip("blosc2")
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 24))
    np.save(tmp_path / "small.npy", rows.astype(np.float32))
    table = run("cvc_embeddings", tmp_path, "--seconds", 0)
    assert "small, 200 x 24 float32, 19,200 bytes" in table
    rows_of = {line.split()[0]: line for line in table.splitlines() if line.strip()}
    assert {"int8", "int8_row", "int8_dim", "int4", "rot4", "rot2", "rot1"} <= set(rows_of)
    assert rows_of["int8"].endswith("1.00")
