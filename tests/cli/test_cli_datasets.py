# SPDX-License-Identifier: Apache-2.0
"""Tables that are divided among folders, and their index, in both commands."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from cli_program import CORRUPT, FAILURE, USAGE
from programs import Tool, tool  # noqa: F401
from untakeable import TYPES, untakeable

import numpact

pytestmark = [pytest.mark.usefixtures("arrow"), pytest.mark.wheel_takes(1)]

ROWS = 600


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table as CSV."""
    lines = [f"{i},2024-01-0{i % 3 + 1},{['x y', 'z', ''][i // 3 % 3]},{i / 4}\n"
             for i in range(ROWS)]  # fmt: skip
    path = tmp_path / "t.csv"
    path.write_text("id,day,name,price\n" + "".join(lines))
    return path


def test_rows_are_divided_in_order(tool: Tool, table: Path, tmp_path: Path) -> None:
    made = tmp_path / "made/t"
    ran = tool.run("compress", table, "--partition-by", "day,name", "-o", made)
    assert ran.err == f"numpact: {made}: 600 rows divided by day, name\n"
    names = sorted(str(path.relative_to(made)) for path in made.rglob("name=*"))
    assert names == [f"day=2024-01-0{day}/name={name}" for day in (1, 2, 3)
                     for name in ("__HIVE_DEFAULT_PARTITION__", "x%20y", "z")]  # fmt: skip
    part = numpact.read_table(made / "day=2024-01-02/name=z")
    assert part.column_names == ["id", "price"]
    assert part["id"].to_pylist() == [i for i in range(ROWS) if i % 3 == 1 and i // 3 % 3 == 1]
    assert part["price"].to_pylist() == [i / 4 for i in part["id"].to_pylist()]
    assert len(numpact.read_table(made)) == ROWS


def test_no_rows(tool: Tool, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"k": pa.array([], pa.int32()), "x": pa.array([], pa.float64())}),
                   tmp_path / "t.parquet")  # fmt: skip
    tool.run("compress", "-q", tmp_path / "t.parquet", "--partition-by=k", "-o", tmp_path / "t")
    assert os.listdir(tmp_path / "t") == ["dataset.json"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["day", "-o", "there"], FAILURE, "there: exists already"),
        (["day", "-o", "-"], USAGE, "--partition-by: makes a folder (-o FOLDER)"),
        (["day"], USAGE, "--partition-by: makes a folder (-o FOLDER)"),
        (["price", "-o", "n"], FAILURE, "t.csv: column 'price': is f64: folders are named by whole "
         "numbers, dates and text, so convert it"),
        (["nme", "-o", "n"], USAGE,
         "t.csv: no column 'nme'; there are 'id', 'day', 'name', 'price'"),
        (["day,day", "-o", "n"], USAGE, "--partition-by: names column 'day' twice"),
        (["day,name,id", "--skip", "price", "-o", "n"], FAILURE,
         "t.csv: --partition-by: tables need a column besides those of names"),
        (["day", "-o", "n", "--append"], USAGE, "--append: does not apply with --partition-by"),
        (["day", "-o", "n", "-f"], USAGE, "--force: does not apply with --partition-by"),
        (["day", "-o", "n", "--column", "id"], USAGE,
         "--column: does not apply with --partition-by"),
    ],
)  # fmt: skip
def test_refusals(tool: Tool, table: Path, tmp_path: Path, words: list[str], code: int,
                  said: str) -> None:  # fmt: skip
    (tmp_path / "there").mkdir()
    assert tool.refused("compress", table.name, "--partition-by", *words, code=code,
                        cwd=tmp_path) == said  # fmt: skip
    assert sorted(os.listdir(tmp_path)) == ["t.csv", "there"]
    assert os.listdir(tmp_path / "there") == []


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("__HIVE_DEFAULT_PARTITION__", "since readers take it for a null"),
        ("y" * 300, "the name of a folder would have 302 bytes, more than 255"),
        (str(10**18), "since readers take more than 18 digits for text"),
        ("12024-01-01", "is no date of a year from 1 to 9999"),
        ("range", "more than 16384 folders: choose a column with fewer values"),
    ],
)
def test_values_that_name_no_folders(tool: Tool, tmp_path: Path, value: str, said: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = pa.array([value, value])
    if value.isdigit():
        values = values.cast(pa.int64())
    elif value.startswith("1"):
        values = pa.array([3_672_424], pa.int32()).cast(pa.date32())
    elif value == "range":
        values = pa.array(range(16_385))
    pq.write_table(pa.table({"k": values, "n": range(len(values))}), tmp_path / "t.parquet")
    assert said in tool.refused("compress", "t.parquet", "--partition-by=k", "-o", "n",
                                cwd=tmp_path)  # fmt: skip
    assert os.listdir(tmp_path) == ["t.parquet"]


def test_nothing_stays_of_an_interrupted_command(tool: Tool, tmp_path: Path) -> None:
    lines = [f"{i % 4000},{i}\n" for i in range(40_000)]
    (tmp_path / "t.csv").write_text("k,n\n" + "".join(lines))
    running = subprocess.Popen([tool.program, "compress", "t.csv", "--partition-by=k", "-o", "n"],
                               cwd=tmp_path)  # fmt: skip
    while not list(tmp_path.glob(".n.*/dataset/k=1")) and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGTERM)
    assert running.wait() == -signal.SIGTERM
    assert os.listdir(tmp_path) == ["t.csv"]


def test_the_index_of_a_dataset(tool: Tool, table: Path, tmp_path: Path) -> None:
    root = tmp_path / "t"
    tool.run("compress", "-q", table, "--partition-by", "day", "-o", root)
    before = (root / "dataset.json").read_bytes()
    (root / "day=2024-01-03").rename(root / "new")
    ran = tool.run("index", root)
    assert ran.err.splitlines() == [
        f"numpact: {root}/new: is a table, but is left out, since its name is neither NAME=VALUE "
        "nor part-N",
        f"numpact: {root}: 2 tables indexed",
    ]
    assert before != (root / "dataset.json").read_bytes()
    with pytest.warns(UserWarning, match="is left out"):
        assert len(numpact.read_table(root)) == ROWS * 2 // 3
    (root / "new").rename(root / "day=2024-01-03")
    tool.run("index", "-q", root)
    assert (root / "dataset.json").read_bytes() == before
    numpact.index_dataset(root)
    assert (root / "dataset.json").read_bytes() == before
    assert tool.refused("index", "--remove", root, code=USAGE) == (
        "--remove: does not apply to the index of a dataset"
    )
    tool.run("index", "-q", root / "day=2024-01-01")  # a table gets trailers
    (root / "day=2024-01-02/manifest.json").write_text("{")
    assert "day=2024-01-02" in tool.refused("index", root, code=CORRUPT)
    assert tool.refused("index", tmp_path) == (
        f"{tmp_path}: is no folder of tables with names like day=2024-01-01 or part-00000"
    )


@pytest.mark.parametrize("name", TYPES)
def test_types_of_which_arrow_takes_no_rows(tool: Tool, tmp_path: Path, name: str) -> None:
    import pyarrow as pa

    table = untakeable(name)
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=50)
    tool.run("compress", "-q", tmp_path / "t.arrow", "--partition-by=k", "-o", tmp_path / "t")
    values = table["v"].to_pylist()
    for k in range(3):
        part = pa.table(numpact.read_table(tmp_path / f"t/k={k}"))
        part.validate(full=True)
        assert part["i"].to_pylist() == list(range(k, len(table), 3))
        assert part["v"].to_pylist() == values[k::3]


@pytest.mark.parametrize("name", TYPES)
def test_filters_of_types_of_which_arrow_takes_no_rows(
    tool: Tool, tmp_path: Path, name: str
) -> None:
    import pyarrow as pa

    table = untakeable(name)
    numpact.write_table(table, tmp_path / "t")
    values = table["v"].to_pylist()
    chosen = [[], [119], [3, 4, 5, 6, 69, 70, 118], list(range(120))]
    for at, rows in enumerate(chosen):
        where = f"i in ({', '.join(map(str, rows))})" if rows else "i < 0"
        out = tmp_path / f"{at}.arrow"
        tool.run("decompress", "-q", tmp_path / "t", "--where", where, "-o", out)
        found = pa.ipc.open_file(out).read_all()
        found.validate(full=True)
        assert found.schema.field("v").type == TYPES[name]
        assert found["v"].to_pylist() == [values[i] for i in rows]
