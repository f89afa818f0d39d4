# SPDX-License-Identifier: Apache-2.0
"""``numpact head``, filters against pyarrow's, and arrays of several dimensions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import FAILURE, USAGE, refused, run

pytestmark = pytest.mark.usefixtures("arrow")

ROWS = 5000


def test_head_of_every_kind(tmp_path: Path) -> None:
    table = pa.table({
        "day": pa.array([1, 2, None, 4], pa.date32()), "x": [0.5, 1.0, 1.5, 2.0],
        "s": ["a", None, "two\nlines", "d"], "l": [[1], [2], [3], [4]],
    })
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    run("compress", tmp_path / "t.parquet", "-o", tmp_path / "f")
    ran = run("head", tmp_path / "f", "-n", 3)
    assert [line.split() for line in ran.text.splitlines()] == [
        ["day", "x", "s"], ["1970-01-02", "0.5", "a"], ["1970-01-03", "1", "null"],
        ["null", "1.5", "two", "lines"]]
    assert "column 'l' is left out" in ran.err
    assert run("head", tmp_path / "f", "-n", 2, "--columns", "s,x", "--csv").text == \
        "s,x\na,0.5\n,1.0\n"
    assert "have no text" in refused("head", tmp_path / "f", "--columns", "l", code=FAILURE)
    assert "no column 'z'" in refused("head", tmp_path / "f", "--columns", "z", code=USAGE)
    ran = run("head", tmp_path / "t.parquet", "-n", 3, "--columns", "day,x", "--csv")
    assert ran.text == "day,x\n1970-01-02,0.5\n1970-01-03,1.0\n,1.5\n"
    np.save(tmp_path / "a.npy", np.arange(20))
    run("compress", tmp_path / "a.npy")
    for path in [tmp_path / "a.npy", tmp_path / "a.npy.pco"]:
        assert run("head", path, "--csv").text == "number\n" + "".join(f"{i}\n" for i in range(10))
        assert "--columns" in refused("head", path, "--columns", "a", code=USAGE)
    assert run("head", "-", stdin=(tmp_path / "a.npy.pco").read_bytes()).text.count("\n") == 11


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[pa.Table, Path]:
    place = tmp_path_factory.mktemp("filter")
    rng = np.random.default_rng(5)
    numbers = np.sort(rng.integers(-1000, 1000, ROWS))
    floats = rng.normal(size=ROWS).round(2)
    floats[::50] = np.nan
    table = pa.table({
        "i": pa.array(numbers, mask=rng.random(ROWS) < 0.3),
        "x": floats,
        "small": pa.array(floats.astype(np.float32)),
        "t": pa.array(numbers * 3600, pa.timestamp("s")),
        "b": pa.array(numbers % 2 == 0, mask=rng.random(ROWS) < 0.1),
        "s": pa.array([f"{n % 17:x}" for n in numbers]),
    })
    with pa.ipc.new_file(place / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    run("compress", place / "t.arrow", "-o", place / "f", "--page-size", 256)
    return table, place / "f"


F = pc.field
TIME = pa.scalar(1_000_000, pa.timestamp("s"))
FILTERS = [
    ("i > 500", F("i") > 500), ("i <= -990.5 and b = true", (F("i") < -990) & F("b")),
    ("i is null and x > 1", F("i").is_null() & (F("x") > 1)), ("i != 3", F("i") != 3),
    ("i in (1, 5, 7.5, -999)", F("i").isin([1, 5, -999])), ("x = 0.5", F("x") == 0.5),
    ("x != 0.5", F("x") != 0.5), ("x = nan", F("x").is_nan()),
    ("small >= 0.1", F("small").cast(pa.float64()) >= 0.1), ("i is not null", F("i").is_valid()),
    ("t >= '1970-01-12T13:46:40'", F("t") >= TIME), ("b != true", ~F("b")),
    ("s = 'a' and i > 0", (F("s") == "a") & (F("i") > 0)), ("s < '5'", F("s") < "5"),
    ("i > 5000", F("i") > 5000),
]


@pytest.mark.parametrize(("text", "expression"), FILTERS, ids=[text for text, _ in FILTERS])
def test_filters_select_what_pyarrow_selects(folder: tuple[pa.Table, Path], tmp_path: Path,
                                             text: str, expression: pc.Expression) -> None:
    table, path = folder
    run("decompress", path, "--where", text, "-o", tmp_path / "b.arrow")
    back = pa.ipc.open_file(tmp_path / "b.arrow").read_all()
    expected = table.filter(expression)
    assert back.num_rows == expected.num_rows
    assert [repr(row) for row in back.to_pylist()] == [repr(row) for row in expected.to_pylist()]


def test_damaged_chunks_that_cannot_match_are_not_read(folder: tuple[pa.Table, Path],
                                                       tmp_path: Path) -> None:
    import shutil

    path = shutil.copytree(folder[1], tmp_path / "f")
    data = bytearray((path / "t.pco").read_bytes())
    data[60:64] = bytes(byte ^ 255 for byte in data[60:64])  # in the first chunk
    (path / "t.pco").write_bytes(data)
    run("decompress", path, "--columns", "t", "--where", "t < 1960-01-01", code=0)
    run("decompress", path, "--columns", "t", "--where", "t < '1969-11-21'", code=3)


def test_filters_of_other_places(folder: tuple[pa.Table, Path], tmp_path: Path) -> None:
    path = folder[1]
    assert "no column 'zz'" in refused("decompress", path, "--where", "zz = 1", code=USAGE)
    assert "cannot be compared" in refused("decompress", path, "--where", "i = 'a'", code=USAGE)
    assert "--where" in refused("decompress", path, "--where", "i = ", code=USAGE)
    assert "--salvage" in refused("decompress", path, "--where", "i = 1", "--salvage", code=USAGE)
    assert "is for a folder" in refused("decompress", path / "t.pco", "--where", "t = 1",
                                        code=USAGE)
    run("decompress", path, "--where", "i is not null", "--column", "i", "-o", tmp_path / "i.npy")
    assert len(np.load(tmp_path / "i.npy")) == ROWS - folder[0]["i"].null_count
    assert "has nulls among these rows" in refused(
        "decompress", path, "--where", "x > -9", "--column", "i", "-o", tmp_path / "n.npy",
        code=FAILURE)


def test_compress_and_explain_agree_on_matrices(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.arange(12).reshape(3, 4))
    lines = {refused(command, tmp_path / "m.npy", code=FAILURE)
             for command in ["compress", "explain"]}
    assert len(lines) == 1 and "--flatten gives up the shape" in lines.pop()
    assert "12 i64 numbers" in run("compress", tmp_path / "m.npy", "--flatten").err
    assert "12" in run("explain", tmp_path / "m.npy", "--flatten").text
    assert run("bench", tmp_path / "m.npy", "--rounds", 1).text  # which stores nothing
