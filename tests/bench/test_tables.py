# SPDX-License-Identifier: Apache-2.0
"""The benchmark of tables: its sources, its comparison, and the documents that show its results."""

from __future__ import annotations

import datetime
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import table_report
import table_sources
from table_report import Result
from test_bench_tools import SAMPLE, run
from trades import trades

pytest.importorskip("numpact")


def part_of(path: Path) -> str:
    """The text between the marks of a document."""
    text = path.read_text(encoding="utf-8")
    return text.split(table_report.BEGIN, 1)[1].split(table_report.END, 1)[0]


def test_the_readme_shows_the_stored_results() -> None:
    results = table_report.read_results(table_report.DATA)
    assert part_of(table_report.README) == table_report.readme_table(results)


def test_the_page_shows_the_stored_results() -> None:
    results = table_report.read_results(table_report.DATA)
    setting, _, tables = part_of(table_report.PAGE).partition("\n\n")
    assert tables == table_report.page_tables(results)
    assert "docs/benchmarks/data" in setting and "pyarrow" in setting


def test_ratios_are_means_over_tables() -> None:
    def result(table: str, name: str, size: int, ms: float) -> Result:
        return Result(table, 10, 2, name, 1, size, dict.fromkeys(table_report.TASKS, ms))

    results = [result("a", table_report.BASE, 100, 1.0), result("a", "feather-zstd", 200, 2.0),
               result("b", table_report.BASE, 100, 1.0), result("b", "feather-zstd", 800, 8.0),
               result("c", "feather-zstd", 5, 0.1)]  # without ours there is no ratio
    assert table_report.mean_rows(results, 1) == [["Feather, zstd", *["4.00"] * 11]]


def test_results_come_back_from_the_file(tmp_path: Path) -> None:
    from result_tables import write_csv

    ms = {task: 0.125 * (i + 1) for i, task in enumerate(table_report.TASKS)}
    results = [Result("a", 10, 2, "parquet-zstd-9-64K", 2, 77, ms),
               Result("a", 10, 2, "feather-zstd", 2, 99, {"read": 0.5})]
    write_csv(tmp_path / "tables.csv", table_report.CSV_TITLES,
              map(table_report.csv_cells, results))
    assert table_report.read_results(tmp_path) == results


def test_parts_of_documents_are_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"a\n{table_report.BEGIN}old\n{table_report.END}b\n")
    table_report.replace_part(page, "new \\1\n")
    assert page.read_text() == f"a\n{table_report.BEGIN}new \\1\n{table_report.END}b\n"
    page.write_text("no marks")
    with pytest.raises(ValueError, match="has no part"):
        table_report.replace_part(page, "new")


def test_sources_have_times_and_text_again() -> None:
    source = table_sources.load(SAMPLE)
    kinds = {field.name: str(field.type) for field in source.table.schema}
    assert kinds["time"] == "timestamp[ms]" and kinds["icao24"] == "string"
    numbers = pq.read_table(SAMPLE)
    assert [int(text, 16) for text in source.table["icao24"].to_pylist()] == \
        numbers["icao24"].to_pylist()
    first, stop = source.middle
    assert stop - first == 1000
    for name, query in source.queries.items():
        kept = source.table.filter(
            table_sources.expression(query.conditions, source.table.schema))
        # More where values are equal: altitudes are. Keys have as many rows as there are.
        assert 0 < kept.num_rows / source.table.num_rows < 0.05, name
    assert source.group == ("icao24", "altitude")


def test_a_table_without_times_is_filtered_by_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"s": ["x"] * 1000, "n": range(1000), "m": range(1000)}), path)
    source = table_sources.load(path)
    queries = source.queries
    assert queries["by_time"].conditions == [("n", ">=", 500), ("n", "<", 510)]
    assert queries["by_value"] == table_sources.Query([("m", ">=", 990)], ["n", "s", "m"])
    assert queries["by_key"] == table_sources.Query([("s", "=", "x")], ["n", "m"])
    pq.write_table(pa.table({"s": ["x"]}), path)
    with pytest.raises(ValueError, match="no column of times or numbers"):
        table_sources.load(path)


def nan(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def test_tables_are_compared_bit_by_bit() -> None:
    quiet, other = nan(0x7FF8000000000000), nan(0x7FF8000000000001)
    base = pa.table({"f": pa.array([1.0, quiet, None]), "s": pa.array(["a", None, "b"])})
    assert table_sources.difference(base, base) is None
    assert table_sources.difference(base.slice(0, 2), base) == "2 rows, not 3"

    def differs(column: str, values: pa.Array) -> str | None:
        changed = base.set_column(base.schema.get_field_index(column), column, values)
        return table_sources.difference(changed, base)

    assert differs("f", pa.array([1.0, other, None])) == "f: values differ"
    assert differs("f", pa.array([1.0, None, None])) == "f: values differ"
    assert differs("s", pa.array(["a", None, "c"])) == "s: values differ"
    assert differs("s", pa.array(["a", None, "b"], pa.large_string())) == \
        "s: type large_string, not string"
    zero = pa.table({"f": pa.array([0.0])})
    assert table_sources.difference(pa.table({"f": pa.array([-0.0])}), zero) == "f: values differ"


def test_tables_program(tmp_path: Path) -> None:
    path = tmp_path / "small.parquet"
    day = datetime.datetime(2024, 1, 1)
    pq.write_table(pa.table({
        "at": [day + datetime.timedelta(minutes=i) for i in range(3000)],
        "price": [None if i % 7 == 0 else i % 300 / 100 for i in range(3000)],
        "place": [None if i % 11 == 0 else f"place {i % 5}" for i in range(3000)]}), path)
    out = run("tables", path, "--formats", "numpact-8|3-64K|feather", "--rounds", 1, "--seconds", 0,
              "--threads", 2, "--folder", tmp_path, "--csv", tmp_path / "data")
    results = table_report.read_results(tmp_path / "data")
    assert [(r.format, r.threads) for r in results] == [
        (name, 2) for name in ("numpact-8", "parquet-zstd-3-64K", "feather-zstd")]
    assert all(r.rows == 3000 and r.bytes > 0 and min(r.ms.values()) > 0 for r in results)
    assert all(("group" in r.ms) == (r.format != "feather-zstd") for r in results)
    assert "2 threads" in out and "Parquet, zstd 3, groups of 64K" in out
    assert list(tmp_path.glob("numpact-bench-*")) == []


def test_sizes_of_tables_without_times(tmp_path: Path) -> None:
    path = tmp_path / "small.parquet"
    pq.write_table(pa.table({"n": [i * i for i in range(3000)], "f": [i / 8 for i in range(3000)],
                             "place": [f"place {i % 5}" for i in range(3000)]}), path)
    out = run("tables", path, "--formats", "1M|19", "--folder", tmp_path, "--only-size")
    rows = {cells[1].strip(): float(cells[2]) for line in out.splitlines()
            if "zstd" in line and len(cells := line.split("|")) > 2}
    best = rows.pop("Parquet, zstd 19, chosen encodings")
    assert len(rows) == 1 and best < min(rows.values())
    assert "numpact, level 8 | 1.00" in out


def test_made_trades_are_the_same_each_time() -> None:
    table = trades(3000)
    assert table.equals(trades(3000)) and not table.equals(trades(3000, seed=2))
    assert table.num_columns == 14 and table["ts"].combine_chunks().null_count == 0
    assert table["ts"].cast(pa.int64()).to_pylist() == \
        sorted(table["ts"].cast(pa.int64()).to_pylist())
    price, size = table["price"].to_pylist(), table["size"].to_pylist()
    assert [float(one) for one in table["notional"].to_pylist()] == \
        pytest.approx([a * b for a, b in zip(price, size)])


def test_readers_agree_in_other_types() -> None:
    schema = pa.schema([("t", pa.timestamp("ns")), ("s", pa.string())])
    expected = pa.table([pa.array([1000], pa.int64()).cast(pa.timestamp("ns")), ["x"]], schema)
    other = pa.table({"t": pa.array([1], pa.timestamp("us")),
                      "s": pa.array(["x"]).dictionary_encode()})
    assert table_sources.difference(table_sources.comparable(other, schema),
                                    table_sources.comparable(expected)) is None
