# SPDX-License-Identifier: Apache-2.0
"""docs/from-xarray.md: its code runs, and prints what the page shows; so do its tables."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from zarr_environments import ROOT, run_script

pytest.importorskip("xarray")

PAGE = (ROOT / "docs/from-xarray.md").read_text(encoding="utf-8")
DATA = ROOT.parent / "shared" / "data"
# Python blocks, the comment before it and the output after it, where there are any.
BLOCKS = re.findall(
    r"(<!-- [^\n]* -->\n)?^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?",
    PAGE,
    re.MULTILINE | re.DOTALL,
)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
# An encoder that chooses otherwise changes sizes a little, and which bits do harm.
SIZE_TOLERANCE = 0.03
FLIPS_TOLERANCE = 6
RUN_BLOCKS = """
import contextlib, io, json, sys, warnings
warnings.simplefilter("ignore")
names, printed = {"__name__": "document"}, []
for code in json.load(open(sys.argv[1])):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "from-xarray.md", "exec"), names)
    printed.append(out.getvalue())
print(json.dumps(printed))
"""


def numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]


def assert_same(printed: str, shown: str) -> None:
    """The same words; the same numbers within the tolerance of their kind."""
    assert NUMBER.sub("N", printed) == NUMBER.sub("N", shown), printed
    for line, expected_value in zip(printed.splitlines(), shown.splitlines(), strict=True):
        tolerance = {"abs": FLIPS_TOLERANCE} if "flipped" in line else {"rel": SIZE_TOLERANCE}
        got = numbers(line)
        if "flipped" in line:
            *got, size = got
            *expected, expected_size = numbers(expected_value)
            assert size == pytest.approx(expected_size, rel=SIZE_TOLERANCE)
        else:
            expected = numbers(expected_value)
        assert got == pytest.approx(expected, **tolerance), line


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str]]]:
    """The folder in which the page was run, and what each block printed and the page shows."""
    folder = tmp_path_factory.mktemp("page")
    blocks = [(code, shown) for comment, code, shown in BLOCKS if not comment]
    (folder / "blocks.json").write_text(json.dumps([code for code, _ in blocks]))
    command = [sys.executable, "-c", RUN_BLOCKS, "blocks.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder, list(zip(json.loads(done.stdout), [shown for _, shown in blocks], strict=True))


def test_blocks_print_what_the_page_shows(page: tuple[Path, list[tuple[str, str]]]) -> None:
    shown = [expected_value for _, expected_value in page[1] if expected_value]
    assert len(shown) == 6
    for printed, expected_value in page[1]:
        assert_same(printed, expected_value)


def test_no_flipped_bit_passes_the_checksum(page: tuple[Path, list[tuple[str, str]]]) -> None:
    (printed,) = [printed for printed, _ in page[1] if "flipped" in printed]
    without, checked = printed.splitlines()
    assert numbers(checked.removeprefix("crc32c:"))[:3] == [0, 60, 60]
    sizes = [numbers(line)[-1] for line in (without, checked)]
    assert sizes[1] - sizes[0] == 4


def test_colleagues_read_the_stores_without_numpact(
    page: tuple[Path, list[tuple[str, str]]], with_pcodec: Path
) -> None:
    ((code, shown),) = [(code, shown) for comment, code, shown in BLOCKS if comment]
    check = "\nimport importlib.util\nassert importlib.util.find_spec('numpact') is None\n"
    printed = run_script(with_pcodec, ["-W", "ignore", "-c", code + check], cwd=page[0])
    assert_same(printed, shown)


def table_rows(text: str) -> dict[tuple[str, ...], list[str]]:
    """Rows of tables of figures by their leading cells: the grid, and its rounding if it has."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if line.startswith("| ") and len(cells) in (6, 7) and NUMBER.fullmatch(cells[-3]):
            width = 1 if len(cells) == 7 else 2
            rows[tuple(cells[:width])] = cells[width:]
    return rows


@pytest.mark.parametrize(
    ("grids", "count"),
    [(["sea surface"], 7), pytest.param([""], 24, marks=pytest.mark.slow)],
    ids=["one grid", "all grids"],
)
def test_tables_are_those_of_the_benchmark(grids: list[str], count: int) -> None:
    if not DATA.exists():
        pytest.skip(f"no grids in {DATA}")
    command = [sys.executable, ROOT / "bench/zarr_stores.py", "--rounding", "--data", DATA]
    done = subprocess.run([*command, "--grids", *grids], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    measured, shown = table_rows(done.stdout), table_rows(PAGE)
    assert len(measured) == count
    assert set(measured) <= set(shown)
    assert count < 24 or set(measured) == set(shown)
    for key, cells in measured.items():
        for cell, expected_value in zip(cells[:-1], shown[key][:-1], strict=True):
            assert numbers(cell) == pytest.approx(numbers(expected_value), rel=0.01), key
        less, expected_less = (percent(row[-1]) for row in (cells, shown[key]))
        assert less == pytest.approx(expected_less, abs=1), key


def percent(cell: str) -> float:
    value = numbers(cell)[0]
    return -value if "more" in cell else value
