# SPDX-License-Identifier: Apache-2.0
"""The chart of the README, and the tables that it is drawn from."""

from __future__ import annotations

import csv
from pathlib import Path

import chart
import pytest
import result_tables
from measure import Column
from test_bench_tools import SAMPLE, run


@pytest.mark.parametrize("name", chart.THEMES)
def test_the_stored_chart_is_that_of_the_stored_tables(name: str) -> None:
    stored = (chart.IMAGES / f"speed-{name}.svg").read_text()
    assert stored == chart.svg(chart.read_points(chart.DATA), chart.THEMES[name])


def test_codecs_that_lack_a_column_are_not_drawn(tmp_path: Path) -> None:
    found = [Column("a", "u8", 4, 4_000_000, {"ours": 10, "x": 20},
                    seconds={"decompress.ours": 0.5, "decompress.x": 0.25}),
             Column("b", "u8", 4, 4_000_000, {"ours": 40, "y": 40},
                    seconds={"decompress.ours": 0.5, "decompress.y": 1.0})]
    rows = result_tables.codec_rows(found)
    assert [row[0] for row in rows] == ["ours", "x", "y"]
    assert rows[0][1:] == ["2", "8000000", "50", "160000.000", "200000.00", "8", "8"]
    result_tables.write_csv(tmp_path / "codecs.csv", result_tables.CODEC_TITLES, rows)
    result_tables.write_csv(tmp_path / "levels.csv", result_tables.LEVEL_TITLES, [])
    assert [point.codec for point in chart.read_points(tmp_path)] == ["ours"]


def test_beaten_settings_are_not_drawn(tmp_path: Path) -> None:
    def column(name: str, sizes: dict[str, int], seconds: dict[str, float]) -> Column:
        times = {f"decompress.{codec}": value for codec, value in seconds.items()}
        return Column(name, "u8", 4, 4_000_000, sizes, seconds=times)

    sizes = {"ours": 10, "zip-1": 20, "zip-9": 15, "zip-fast": 30, "pcodec-12": 9, "other": 40}
    seconds = dict.fromkeys(sizes, 0.5) | {"zip-fast": 0.25}
    rows = result_tables.codec_rows([column("a", sizes, seconds)])
    result_tables.write_csv(tmp_path / "codecs.csv", result_tables.CODEC_TITLES, rows)
    levels = [["pcodec", "8", *["1"] * (len(result_tables.LEVEL_TITLES) - 2)]]
    result_tables.write_csv(tmp_path / "levels.csv", result_tables.LEVEL_TITLES, levels)
    found = [point.codec for point in chart.read_points(tmp_path)]
    assert found == ["pcodec", "ours", "zip-9", "zip-fast", "other"]


def test_programs_write_the_tables(tmp_path: Path) -> None:
    run("peers", SAMPLE, "--columns", "altitude", "--rounds", 1, "--seconds", 0, "--csv", tmp_path)
    run("levels", SAMPLE, "--columns", "altitude", "--levels", "4", "--theirs", "", "--rounds", 1,
        "--seconds", 0, "--csv", tmp_path)
    points = chart.read_points(tmp_path)
    assert [(point.codec, point.level) for point in points] == \
        [("ours", "4"), ("pcodec", "8"), ("zstd-3", "")]
    rows = list(csv.reader((tmp_path / "columns.csv").open()))
    assert rows[0] == result_tables.COLUMN_TITLES
    assert len(rows) == 2 and len(rows[1]) == len(rows[0])
    assert all(cell and "%" not in cell for cell in rows[1])
