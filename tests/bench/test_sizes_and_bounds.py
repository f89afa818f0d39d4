# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of bounds, levels and sizes, and short runs of the programs."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import bounds
import known_distributions as distributions
import levels
import numpact_ctypes as numpact
import numpy as np
import pytest
import sizes
from measure import Column
from test_bench_tools import BENCH, SAMPLE, run


def test_entropies_of_whole_numbers() -> None:
    assert distributions.entropy([0.25] * 4 + [0.0]) == 2
    assert distributions.binary_entropy(0.5) == 1
    geometric = distributions.entropy(0.1 * 0.9**k for k in range(1000))
    by_name = {d.name: d.entropy for d in distributions.DISTRIBUTIONS}
    assert by_name["geometric of 1/10"] == pytest.approx(geometric)
    # Where a distribution is wide, that of its density.
    assert by_name["Poisson of 1,000"] == \
        pytest.approx(distributions.NORMAL + math.log2(1000) / 2, abs=1e-3)
    assert by_name["normal of 100, rounded"] == \
        pytest.approx(distributions.NORMAL + math.log2(100), abs=1e-5)
    assert by_name["Laplace of 10, rounded"] == pytest.approx(math.log2(20 * math.e), abs=1e-3)
    for shares in (distributions.poisson_shares(3), distributions.laplace_shares(10),
                   distributions.whole_normal_shares(100)):
        assert math.fsum(shares) == pytest.approx(1)


def test_entropies_of_floats() -> None:
    def below(first: float, size: float) -> distributions.Callable[[float], float]:
        return lambda x: min(1.0, max(0.0, (x - first) / size))

    # One binade: each of its 2^52 floats is as likely.
    assert distributions.float_entropy(0, below(1, 1), 52) == pytest.approx(52)
    # Half of the draws in [1/2, 1), a quarter in the binade below, ...
    assert distributions.float_entropy(0, below(0, 1), 52) == pytest.approx(54)
    # Every float16 by itself, from midpoint to midpoint.
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    edges = [0.0, *((halves[1:] + halves[:-1]) / 2), math.inf]
    shares = np.diff([distributions.normal_below(x) for x in edges]) / 2
    exact = distributions.entropy(share for share in [*shares, *shares])
    assert distributions.float_entropy(distributions.NORMAL, distributions.normal_below, 10) == \
        pytest.approx(exact, abs=2e-3)


@pytest.mark.parametrize("distribution", distributions.DISTRIBUTIONS, ids=lambda d: d.name)
def test_draws_have_the_entropy(distribution: distributions.Distribution) -> None:
    numbers = bounds.draws(distribution, 200_000, seed=1)
    assert numbers.dtype in numpact.TYPE_NAMES
    assert numbers.tobytes() == bounds.draws(distribution, 200_000, seed=1).tobytes()
    _, counts = np.unique(numbers, return_counts=True)
    if counts.size > 2000:  # too many for their frequencies to tell
        return
    shares = counts / numbers.size
    found = -(shares * np.log2(shares)).sum()
    assert found == pytest.approx(distribution.entropy, abs=0.01)


def test_bounds_program(tmp_path: Path) -> None:
    out = tmp_path / "all.json"
    text = run("bounds", "Poisson of 3|uniform of 7$", "--count", 100_000, "--levels", "8",
               "--json", out)
    found = json.loads(out.read_text())
    assert [bound["name"] for bound in found] == ["Poisson of 3", "uniform of 7"]
    for bound in found:
        assert bound["bits"].keys() == {"ours 8", "pcodec 8"} and not bound["failures"]
        assert bound["entropy"] < bound["bits"]["ours 8"] < bound["entropy"] + 0.2
    assert "ours 8: within 0.05 bits of the entropy" in text


def example(name: str, ours: int, pcodec: int, raw: int = 1000, **peers: int) -> Column:
    return Column(name, "u8", raw, raw, {"ours": ours, "pcodec": pcodec, **peers})


COLUMNS = [example("a.x.y", 100, 200, zstd=50), example("a.z", 300, 300, zstd=90),
           example("b", 900, 600, zstd=990, openzl=500), example("c.x", 100_164, 100_000)]


def test_datasets() -> None:
    a, b, c = sizes.datasets_of(COLUMNS)
    assert (a.name, a.columns, a.raw) == ("a", 2, 2000)
    assert a.sizes == {"ours": 400, "pcodec": 500, "zstd": 140}
    assert (a.best_peer(), b.best_peer(), c.best_peer()) == ("zstd", "openzl", None)
    assert a.ratio("ours") == 5
    line = sizes.lost_line([a, b, c])
    assert "smallest: 0 of 3" in line and "a (zstd 0.350)" in line
    assert "b (pcodec 0.667, openzl 0.556)" in line
    assert sizes.dataset_row(a) == ["a", "2", "2,000", "400", "5.000", "0.8000", "zstd", "14.286",
                                    "2.8571"]


def test_a_dataset_that_a_codec_does_in_part() -> None:
    columns = [example("a.x", 1, 2, openzl=3), example("a.y", 1, 2)]
    assert sizes.datasets_of(columns)[0].sizes == {"ours": 2, "pcodec": 4}
    rows = {row[0]: row[1:] for row in sizes.sum_rows(columns, sizes.datasets_of(columns))}
    assert rows["openzl"] == ["1", "3", "1", "0.3333", "0.3333", ""]


def test_sums() -> None:
    rows = {row[0]: row[1:] for row in sizes.sum_rows(COLUMNS, sizes.datasets_of(COLUMNS))}
    columns = (0.5 * 1 * 1.5 * 1.00164) ** (1 / 4)
    datasets = (0.8 * 1.5 * 1.00164) ** (1 / 3)
    assert rows["pcodec"] == ["4", "101,100", "101,464", f"{101464 / 101100:.4f}",
                              f"{columns:.4f}", f"{datasets:.4f}"]
    assert rows["zstd"][:2] == ["3", "1,130"]


def test_columns_that_are_too_large() -> None:
    assert not sizes.is_too_large(100_164, 100_000)
    assert sizes.is_too_large(100_165, 100_000)
    assert not sizes.is_too_large(64, 0)
    lines = sizes.column_lines(COLUMNS)
    assert lines[0].endswith("1 of 4") and lines[1:] == ["  b 1.5000 (900 against 600)"]


def test_sizes_program(tmp_path: Path) -> None:
    out = tmp_path / "all.json"
    text = run("sizes", SAMPLE, "--columns", "altitude|time", "--peers", "zstd-3", "--json", out)
    found = json.loads(out.read_text())
    assert [c["name"] for c in found["columns"]] == ["aircraft_positions.time_ms",
                                                     "aircraft_positions.altitude"]
    assert found["datasets"][0]["sizes"].keys() == {"ours", "pcodec", "zstd-3"}
    assert "columns over pcodec by more than 0.1% and 64 bytes" in text
    assert "| dataset |" in run("sizes", SAMPLE, "--columns", "time", "--peers", "", "--markdown")


def row(name: str, size: int, speed: float) -> levels.Standing:
    return levels.Standing(name, size, 1, size / 100, speed, speed, 1, 1)


def test_front() -> None:
    rows = [row("ours 0", 100, 50), row("ours 1", 90, 50), row("ours 2", 80, 10),
            row("ours 3", 80, 10), row("pcodec 8", 95, 60)]
    assert [levels.fronts(one, rows) for one in rows] == \
        ["no", "sums, means", "sums, means", "sums, means", "sums, means"]


def test_standing_of_a_level() -> None:
    found = [levels.Timed("a", 4_000_000, {"ours 1": 10, "pcodec 8": 40}, {"ours 1": 1.0},
                          {"ours 1": 0.5}),
             levels.Timed("b", 1_000_000, {"ours 1": 30, "pcodec 8": 30}, {"ours 1": 1.0},
                          {"ours 1": 0.125})]
    got = levels.standing("ours 1", found)
    assert (got.bytes, got.ratio) == (40, 125_000)
    assert got.size == pytest.approx(0.5)
    assert (got.compress, got.compress_mean) == (pytest.approx(2.5), pytest.approx(2))
    assert (got.decode, got.decode_mean) == (pytest.approx(8), pytest.approx(8))


def test_words_of_levels() -> None:
    assert levels.levels_of("0-3,8,12") == [0, 1, 2, 3, 8, 12]
    assert levels.levels_of("") == []


def test_levels_program(tmp_path: Path) -> None:
    out = tmp_path / "all.json"
    text = run("levels", SAMPLE, "--columns", "altitude", "--levels", "0,4", "--theirs", "",
               "--rounds", 1, "--seconds", 0, "--json", out)
    found = json.loads(out.read_text())
    assert [level["name"] for level in found["levels"]] == ["ours 0", "ours 4", "pcodec 8"]
    assert found["levels"][0]["bytes"] >= found["levels"][1]["bytes"]
    assert found["levels"][2]["size"] == 1
    assert text.splitlines()[1].startswith("ours 0")


@pytest.mark.parametrize("name", ["bounds", "levels", "sizes"])
def test_they_can_be_asked(name: str) -> None:
    done = subprocess.run([sys.executable, str(BENCH / f"{name}.py"), "--help"], check=True,
                          capture_output=True, text=True)
    assert "--json" in done.stdout


def test_the_better_of_the_settings_of_a_peer_counts() -> None:
    column = Column("a.x", "f64", 10, 80, {"ours": 50, "pcodec": 60, "pcodec-12": 40, "openzl": 48,
                                           "openzl-7": 52, "zstd-22": 51})
    sizes.add_best(column)
    assert column.sizes["openzl, best"] == 48 and len(column.sizes) == 7
    dataset, = sizes.datasets_of([column])
    assert dataset.best_peer() == "openzl"  # no level of pcodec
    assert sizes.smaller_lines([column]) == [
        f"{name}: smaller than ours by over 1% on 1 of 1 columns, ours / it: a.x {ratio}"
        for name, ratio in (("pcodec-12", "1.250"), ("openzl", "1.042"), ("openzl, best", "1.042"))]
