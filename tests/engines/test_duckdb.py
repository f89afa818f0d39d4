# SPDX-License-Identifier: Apache-2.0
"""integrations/duckdb: the table function read_pco."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tables_support import (
    damage,
    differing,
    filter_folder,
    hostile_folders,
    mutants,
    nulls_of,
    number_columns,
    only_manifest,
    sound_folders,
    symbols,
    words,
)

import numpact

duckdb = pytest.importorskip("duckdb", minversion="2.0", reason="duckdb 2.0 is not installed")

ROWS = 140_000
CHUNK = 8_192


@pytest.fixture(scope="module")
def extension(duckdb_extensions: Path) -> Path:
    """The build for one version of DuckDB, as one file, with a static library in it."""
    return duckdb_extensions / "numpact.duckdb_extension"


def connect(extension: Path) -> Any:
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.load_extension(str(extension))
    return connection


@pytest.fixture
def db(extension: Path) -> Any:
    return connect(extension)


@pytest.fixture(scope="module")
def with_copy(extension: Path, folder: Path) -> Any:
    """A connection with the table as DuckDB's own."""
    db = connect(extension)
    db.execute(f"CREATE TABLE copy AS SELECT * EXCLUDE (word) FROM read_pco('{folder}')")
    return db


# DuckDB stores decimals of up to 4 digits in 16 bits, of up to 9 in 32 and of up to 18 in 64.
DECIMALS = ((1, 0), (4, 1), (5, 5), (9, 2), (10, 3), (18, 4))


def table_of_all_types() -> pa.Table:
    rows = np.arange(ROWS)
    nulls = nulls_of(ROWS)
    columns = number_columns(ROWS)
    columns["nothing"] = pa.nulls(ROWS, pa.int32())
    columns["flag"] = pa.array(rows % 3 == 0, mask=nulls)
    columns["day"] = pa.array((rows // 100 - 500).astype(np.int32), pa.date32())
    columns["noon"] = pa.array((rows // 100 - 500) * 86_400_000, pa.date64())
    columns["t_s"] = pa.array((rows % 86_400).astype(np.int32), pa.time32("s"))
    columns["t_ms"] = pa.array((rows * 7).astype(np.int32), pa.time32("ms"))
    columns["t_us"] = pa.array(rows * 1001, pa.time64("us"))
    columns["t_ns"] = pa.array(rows * 1001, pa.time64("ns"))
    for unit in ("s", "ms", "us", "ns"):
        columns[f"at_{unit}"] = pa.array(rows * 1_003 - 7, pa.timestamp(unit), mask=nulls)
        columns[f"utc_{unit}"] = pa.array(rows * 1_003 - 7, pa.timestamp(unit, "UTC"))
        columns[f"lasts_{unit}"] = pa.array(rows * 1_003 - 7, pa.duration(unit))
    for digits, scale in DECIMALS:
        whole = pa.array((rows * 7_919 - 30_000) % 10**digits - 10**digits // 2, mask=nulls)
        type = pa.decimal128(digits, scale)
        columns[f"d{digits}"] = (
            whole.cast(pa.decimal128(20, 0)).view(pa.decimal128(20, scale)).cast(type)
        )
    columns["word"] = words(ROWS)
    return pa.table(columns)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return table_of_all_types()


@pytest.fixture(scope="module")
def folder(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("duckdb") / "table"
    numpact.write_table(table, path)
    return path


TYPES = {
    "i8": "TINYINT", "u64": "UBIGINT", "f16": "FLOAT", "f64": "DOUBLE", "flag": "BOOLEAN",
    "day": "DATE", "noon": "DATE", "t_s": "TIME", "t_us": "TIME", "t_ns": "TIME_NS",
    "at_s": "TIMESTAMP_S", "at_ms": "TIMESTAMP_MS", "at_us": "TIMESTAMP", "at_ns": "TIMESTAMP_NS",
    "utc_s": "TIMESTAMP WITH TIME ZONE", "utc_ns": "TIMESTAMPTZ_NS",
    "lasts_us": "INTERVAL", "word": "VARCHAR", "d4": "DECIMAL(4,1)", "d9": "DECIMAL(9,2)",
    "d18": "DECIMAL(18,4)",
}  # fmt: skip


def test_types(db: Any, folder: Path, table: pa.Table) -> None:
    described = db.execute(f"DESCRIBE FROM read_pco('{folder}')").fetchall()
    found = {row[0]: row[1] for row in described}
    assert list(found) == table.column_names
    assert {name: found[name] for name in TYPES} == TYPES


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_values_equal_what_python_reads(
    db: Any, folder: Path, table: pa.Table, threads: int
) -> None:
    """Also in their order, as threads read parts at once. DuckDB compares with its own import."""
    db.execute(f"SET threads = {threads}")
    names = [name for name in table.column_names if name != "word"]
    read = numpact.read_table(folder, names).to_arrow()
    read = read.set_column(names.index("f16"), "f16", read["f16"].cast(pa.float32()))
    db.register("read", read)
    found = db.sql(f"SELECT {', '.join(names)} FROM read_pco('{folder}')").to_arrow_table()
    assert found.num_rows == ROWS
    for name in names:
        expected = db.sql(f"SELECT {name} FROM read").to_arrow_table()[name]
        if name == "utc_ns" or name == "t_ns":
            expected = read[name]
            assert found[name].cast(pa.int64()).equals(expected.cast(pa.int64())), name
            continue
        assert found[name].cast(expected.type).equals(expected), name


def test_projection(db: Any, folder: Path, tmp_path: Path) -> None:
    """Columns that a query does not use are not opened."""
    copy = only_manifest(folder, tmp_path / "part", "sorted.pco")
    assert db.execute(f"SELECT max(sorted) FROM read_pco('{copy}')").fetchone() == (
        10 * (ROWS - 1),
    )
    with pytest.raises(duckdb.Error, match=r"i8\.pco"):
        db.execute(f"SELECT max(sorted), max(i8) FROM read_pco('{copy}')").fetchone()


@pytest.mark.parametrize(
    "where",
    [
        "sorted = 123450",
        "sorted > 1390000",
        "sorted BETWEEN 700000 AND 900000",
        "sorted < 100.5",
        "1000 > sorted",
        "sorted >= 1399990 AND gaps > 0",
        "gaps > 123456 AND gaps <= 130000",
        "gaps IN (10, 20, 30, 400000)",
        "gaps IS NULL",
        "gaps IS NOT NULL AND sorted < 1000",
        "sorted = NULL",
        "sorted < 100 OR sorted > 1399900",
        "NOT (sorted < 1399900)",
        "sorted != 10 AND sorted < 50",
        "i64 > 9000000000000000000",
        "u64 > 18400000000000000000",
        "u8 < 0",
        "i8 = 127",
        "f32 > 3.5",
        "f16 <= -3.25",
        "f64 = 0",
        "flag AND sorted < 500",
        "NOT flag AND sorted < 500",
        "day = DATE '1970-01-12'",
        "noon BETWEEN DATE '1970-01-12' AND DATE '1970-01-14'",
        "t_s > TIME '23:59:50'",
        "t_ms < TIME '00:00:01'",
        "at_s < TIMESTAMP '1970-01-01 01:00:00'",
        "at_us >= TIMESTAMP '1970-01-01 00:05:00.5'",
        "at_ns = TIMESTAMP_NS '1970-01-01 00:00:00.000000996'",
        "utc_s < TIMESTAMPTZ '1970-01-01 01:00:00+00'",
        "utc_us < TIMESTAMPTZ '1970-01-01 00:00:01+00'",
        "lasts_s < INTERVAL 1 HOUR",
        "d4 > 12.3",
        "d9 BETWEEN 0.5 AND 700",
        "d18 = -4999999992.0815",
        "d18 < -12.34567",
        "d10 IS NULL AND sorted < 900",
        "sorted + 1 = 11",
        "sorted = (SELECT 20)",
        "sorted IN (SELECT gaps FROM copy WHERE gaps < 500)",
    ],
)
def test_filters_give_the_rows_of_a_copy(with_copy: Any, folder: Path, where: str) -> None:
    select = "SELECT sorted, gaps, f64, at_us FROM"
    found = with_copy.execute(f"{select} read_pco('{folder}') WHERE {where}").fetchall()
    assert found == with_copy.execute(f"{select} copy WHERE {where}").fetchall()


def test_counts(db: Any, folder: Path) -> None:
    assert db.execute(f"SELECT count(*) FROM read_pco('{folder}')").fetchone() == (ROWS,)
    found = db.execute(f"SELECT count(gaps), count(nothing) FROM read_pco('{folder}')").fetchone()
    nulls = db.execute(f"SELECT nulls FROM pco_columns('{folder}') WHERE name = 'gaps'").fetchone()
    assert found == (ROWS - nulls[0], 0)


def test_columns_of_a_folder(db: Any, folder: Path, tmp_path: Path) -> None:
    """Counts without the files of the columns."""
    copy = only_manifest(folder, tmp_path / "only-manifest")
    found = db.execute(
        f"SELECT name, type, rows, nulls FROM pco_columns('{copy}') WHERE name IN ('u8', 'nothing')"
    ).fetchall()
    assert found == [("u8", "UTINYINT", ROWS, 0), ("nothing", "INTEGER", ROWS, ROWS)]


@pytest.mark.parametrize("threads", [1, 4])
def test_filters_leave_out_chunks(db: Any, tmp_path: Path, threads: int) -> None:
    """A damaged chunk is found only by queries that need it."""
    db.execute(f"SET threads = {threads}")
    path = tmp_path / "x.pco"
    path.write_bytes(numpact.compress(np.arange(12 * CHUNK), paging=CHUNK, trailer=True))
    damage(path, 2)
    with pytest.raises(duckdb.Error, match=r"x\.pco"):
        db.execute(f"SELECT sum(x) FROM read_pco('{path}') WHERE x != 3").fetchone()
    for where, expected in (
        (f"x < {2 * CHUNK - 1}", (2 * CHUNK - 1, 2 * CHUNK - 2)),
        (f"x >= {3 * CHUNK}", (9 * CHUNK, 12 * CHUNK - 1)),
        (f"x BETWEEN {5 * CHUNK} AND {5 * CHUNK + 4}", (5, 5 * CHUNK + 4)),
        ("x = 70000", (1, 70_000)),
        ("x < 10 AND x > 20", (0, None)),
    ):
        found = db.execute(
            f"SELECT count(x), max(x) FROM read_pco('{path}') WHERE {where}"
        ).fetchone()
        assert found == expected, where


def test_floats_without_an_order(db: Any, tmp_path: Path) -> None:
    """For DuckDB, NaN is the greatest number, and -0.0 equals 0."""
    numbers = np.concatenate([np.full(CHUNK, -0.0), np.full(CHUNK, np.nan), np.full(CHUNK, 5.0)])
    for dtype in ("f8", "f4", "f2"):
        path = tmp_path / f"x{dtype}.pco"
        path.write_bytes(numpact.compress(numbers.astype(dtype), paging=CHUNK, trailer=True))

        def count(where: str, path: Path = path, name: str = f"x{dtype}") -> int:
            query = f"SELECT count(*) FROM read_pco('{path}') WHERE {name} {where}"
            found: tuple[int] = db.execute(query).fetchone()
            return found[0]

        assert count(">= 0") == 3 * CHUNK
        assert count("= 0") == CHUNK
        assert count("> 1") == 2 * CHUNK
        assert count("> 5") == CHUNK
        assert count("< 6") == 2 * CHUNK
        assert count("= 'NaN'") == CHUNK
        assert count("< 'NaN'") == 2 * CHUNK
        assert count("BETWEEN 5 AND 'NaN'") == 2 * CHUNK


def test_prepared_filters(db: Any, folder: Path) -> None:
    """Each execution leaves out the chunks of its own values."""
    db.execute(f"PREPARE q AS SELECT count(*) FROM read_pco('{folder}') WHERE sorted < ?")
    for limit in (100, 1_000_000, 50, 10**9):
        expected = min(-(-limit // 10), ROWS)
        assert db.execute(f"EXECUTE q({limit})").fetchone() == (expected,)


def test_joins_and_unions_of_one_table(db: Any, folder: Path) -> None:
    """Filters of one use of a table do not reach another."""
    found = db.execute(f"""
        WITH t AS (SELECT sorted, gaps FROM read_pco('{folder}'))
        SELECT (SELECT count(*) FROM t WHERE sorted < 100), (SELECT count(*) FROM t),
          (SELECT count(*) FROM t a JOIN t b USING (sorted) WHERE a.sorted >= 1399000),
          (SELECT count(*) FROM (SELECT * FROM t WHERE sorted < 50 UNION ALL
                                 SELECT * FROM t WHERE sorted >= 1399900))""").fetchone()
    assert found == (10, ROWS, 100, 15)
    db.execute(f"CREATE VIEW v AS FROM read_pco('{folder}')")
    assert db.execute("SELECT count(*) FROM v WHERE sorted < 100").fetchone() == (10,)
    assert db.execute("SELECT count(*) FROM v").fetchone() == (ROWS,)


def test_globs(db: Any, tmp_path: Path) -> None:
    for part in range(3):
        data = pa.table({"a": np.arange(1000) + 1000 * part, "b": np.full(1000, part)})
        numpact.write_table(data, tmp_path / f"part-{part}")
        numbers = np.arange(10) + 10 * part
        (tmp_path / f"n{part}.pco").write_bytes(numpact.compress(numbers, trailer=True))
        (tmp_path / f"part-{part}" / "same.pco").write_bytes(numpact.compress(numbers))
    found = db.execute(f"SELECT count(*), sum(a), max(b) FROM read_pco('{tmp_path}/part-*')")
    assert found.fetchone() == (3000, 3000 * 2999 // 2, 2)
    query = f"SELECT a FROM read_pco('{tmp_path}/part-*') WHERE a >= 1998 AND a < 2002"
    assert db.execute(query).fetchall() == [(1998,), (1999,), (2000,), (2001,)]
    found = db.execute(f"SELECT value FROM read_pco('{tmp_path}/n?.pco')").fetchall()
    assert found == [(number,) for number in range(30)]
    found = db.execute(f"SELECT sum(same) FROM read_pco('{tmp_path}/part-*/same.pco')").fetchone()
    assert found == (435,)
    with pytest.raises(duckdb.Error, match="no file or folder matches"):
        db.execute(f"FROM read_pco('{tmp_path}/absent-*')").fetchall()
    with pytest.raises(duckdb.Error, match=r"differs in name or type|has 1 columns"):
        db.execute(f"FROM read_pco('{tmp_path}/*[01]*')").fetchall()


def test_single_files(db: Any, tmp_path: Path) -> None:
    """Every number type; without a trailer the file is walked."""
    for name in ("u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"):
        numbers = np.arange(100).astype(name)
        path = tmp_path / f"it is {name}.pco"
        path.write_bytes(numpact.compress(numbers))
        found = db.execute(f"FROM read_pco('{path}')")
        assert [column[0] for column in found.description] == [f"it is {name}"]
        assert [row[0] for row in found.fetchall()] == numbers.tolist()


def test_empty_tables(db: Any, tmp_path: Path) -> None:
    numpact.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "empty")
    assert db.execute(f"FROM read_pco('{tmp_path}/empty')").fetchall() == []
    assert db.execute(f"SELECT count(*) FROM read_pco('{tmp_path}/empty')").fetchone() == (0,)


def test_names_that_repeat(db: Any, tmp_path: Path) -> None:
    columns = [pa.array([1]), pa.array([2]), pa.array([3])]
    numpact.write_table(pa.table(columns, names=["a", "A", 'quote"']), tmp_path / "twice")
    found = db.execute(f"FROM read_pco('{tmp_path}/twice')")
    assert [column[0] for column in found.description] == ["a", "A_1", 'quote"']
    assert found.fetchall() == [(1, 2, 3)]


def test_text_is_refused_by_name(db: Any, folder: Path) -> None:
    with pytest.raises(duckdb.Error, match=r'column "word" is of type string, in word\.arrow'):
        db.execute(f"SELECT word FROM read_pco('{folder}')").fetchall()


def test_values_out_of_range(db: Any, tmp_path: Path) -> None:
    columns = {
        "t": pa.array([1, 2**62], pa.time64("us")),
        "d": pa.array([0, 2**62], pa.date64()),
        "utc": pa.array([0, 2**62], pa.timestamp("s", "UTC")),
        "short": pa.array([1, 999], pa.decimal128(3, 0)),
        "long": pa.array([1, 10**17], pa.decimal128(18, 0)),
    }
    numpact.write_table(pa.table(columns), tmp_path / "far")
    for name, number in (("short", 1000), ("long", 10**18)):
        (tmp_path / f"far/{name}.pco").write_bytes(numpact.compress([1, number]))
    for name in columns:
        with pytest.raises(duckdb.Error, match=f'column "{name}": the stored value'):
            db.execute(f"SELECT {name} FROM read_pco('{tmp_path}/far')").fetchall()


def test_settings_of_access(extension: Path, folder: Path) -> None:
    """A database that may not open files opens none."""
    closed = connect(extension)
    closed.execute("SET enable_external_access = false")
    for path in (folder, folder / "sorted.pco", folder / "*.pco"):
        with pytest.raises(duckdb.Error, match=r"disabled|[Pp]ermission"):
            closed.execute(f"FROM read_pco('{path}')").fetchall()


def test_hostile_folders(db: Any, tmp_path: Path) -> None:
    for path, message in hostile_folders(tmp_path):
        with pytest.raises(duckdb.Error, match=message):
            db.execute(f"FROM read_pco('{path}')").fetchall()


def test_sound_folders(db: Any, tmp_path: Path) -> None:
    for path, rows, why in sound_folders(tmp_path):
        if why:
            with pytest.raises(duckdb.Error, match=why):
                db.execute(f"FROM read_pco('{path}')").fetchall()
        else:
            found = db.execute(f"SELECT rows FROM pco_columns('{path}')").fetchall()
            assert found
            assert set(found) == {(rows,)}
            db.execute(f"DESCRIBE FROM read_pco('{path}')").fetchall()


def test_nulls_of_text_are_not_known(db: Any, tmp_path: Path) -> None:
    texts = pa.array(["x", None, None])
    table = pa.table({"s": texts, "a": pa.array([1, None, 3]), "t": texts, "b": [1, 2, 3]})
    numpact.write_table(table, tmp_path / "t")
    found = db.execute(f"SELECT name, nulls FROM pco_columns('{tmp_path}/t')").fetchall()
    assert found == [("s", None), ("a", 1), ("t", None), ("b", 0)]
    found = db.execute(f"SELECT sum(nulls), count(nulls) FROM pco_columns('{tmp_path}/t')")
    assert found.fetchone() == (1, 2)


def test_hostile_files(db: Any, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.pco"
    whole = numpact.compress(np.random.default_rng(5).normal(size=50_000), paging=CHUNK)
    for content, message in (
        (b"", "truncated"),
        (whole[:100_000], "truncated"),
        (b"\xff" * 1000, "corrupt"),
        (whole[:4] + b"\x63" + whole[5:], "version"),
    ):
        path.write_bytes(content)
        with pytest.raises(duckdb.Error, match=message):
            db.execute(f"SELECT sum(x) FROM read_pco('{path}')").fetchone()
    for missing in (tmp_path / "absent", tmp_path):
        with pytest.raises(duckdb.Error, match=r"No such file|No files found|does not exist"):
            db.execute(f"FROM read_pco('{missing}')").fetchall()
    with pytest.raises(duckdb.Error, match="path"):
        db.execute("FROM read_pco(NULL)")


def test_mutants_do_not_crash(db: Any, tmp_path: Path) -> None:
    """Single changed bytes give numbers or an error."""
    path = tmp_path / "x.pco"
    outcomes = set()
    for mutant in mutants(11):
        path.write_bytes(mutant)
        try:
            db.execute(f"SELECT sum(x), count(*) FROM read_pco('{path}') WHERE x > 3").fetchone()
            outcomes.add("numbers")
        except duckdb.Error:
            outcomes.add("error")
    assert outcomes == {"numbers", "error"}


MICROS = -9_223_372_022_400_000_000, 2**63 - 2  # DuckDB's calendar
DAYS = -(2**31) + 2, 2**31 - 2
NANOS = -(2**63) + 2, 2**63 - 2
#: The first and the last value that DuckDB has, by type.
ENDS: dict[str, tuple[pa.DataType, tuple[int, int]]] = {
    "date32": (pa.date32(), DAYS),
    "date64": (pa.date64(), (DAYS[0] * 86_400_000, DAYS[1] * 86_400_000 + 86_399_999)),
    "time32[s]": (pa.time32("s"), (0, 86_400)),
    "time32[ms]": (pa.time32("ms"), (0, 86_400_000)),
    "time64[us]": (pa.time64("us"), (0, 86_400_000_000)),
    "time64[ns]": (pa.time64("ns"), (0, 86_400_000_000_000)),
    "duration[s]": (pa.duration("s"), (-9_223_372_036_854, 9_223_372_036_854)),
    "duration[ms]": (pa.duration("ms"), (-9_223_372_036_854_775, 9_223_372_036_854_775)),
    **{
        f"timestamp[{unit}{zone or ''}]": (
            pa.timestamp(unit, zone),
            NANOS if unit == "ns" else (-(-MICROS[0] // factor), MICROS[1] // factor),
        )
        for unit, factor in (("s", 10**6), ("ms", 1000), ("us", 1), ("ns", 1))
        for zone in (None, "UTC")
    },
}


@pytest.mark.parametrize("name", ENDS)
def test_values_at_the_ends_of_types(db: Any, tmp_path: Path, name: str) -> None:
    """Those that DuckDB has are read; others are refused by name, infinity's bits among them."""
    type, ends = ENDS[name]
    storage = pa.int32() if type.bit_width == 32 else pa.int64()
    low, high = (-(2 ** (type.bit_width - 1)), 2 ** (type.bit_width - 1) - 1)

    def read(value: int, nulls: bool = False) -> Any:
        numbers = [0, value, None] if nulls else [0, value]
        array = pa.Array.from_buffers(type, len(numbers), pa.array(numbers, storage).buffers())
        numpact.write_table(pa.table({"x": array}), tmp_path / "t", overwrite=True)
        return db.execute(f"SELECT x::VARCHAR FROM read_pco('{tmp_path}/t')").fetchall()

    for value in ends:
        assert len(read(value)) == 2
        assert len(read(value, nulls=True)) == 3
        assert all("inf" not in row[0] for row in read(value))
    refused = {ends[0] - 1, ends[1] + 1, ends[0] - 1000, ends[1] + 1000, low, low + 1, high}
    for value in sorted(value for value in refused if low <= value <= high):
        for nulls in (False, True):
            with pytest.raises(duckdb.Error, match=f'"x": the stored value {value} is out of'):
                read(value, nulls)
    # What is not read does not matter, and pco_columns decodes nothing.
    found = db.execute(f"SELECT rows, nulls FROM pco_columns('{tmp_path}/t')").fetchall()
    assert found == [(3, 1)]


def test_bytes_behind_a_file_are_warned_of(db: Any, tmp_path: Path) -> None:
    file = numpact.compress(np.arange(1000))
    path = tmp_path / "a.pco"
    db.execute("CALL enable_logging(level = 'warning')")
    warnings = "SELECT message FROM duckdb_logs WHERE type = 'numpact'"
    path.write_bytes(file)
    assert db.execute(f"SELECT count(*) FROM read_pco('{path}')").fetchall() == [(1000,)]
    assert db.execute(warnings).fetchall() == []
    for behind in (file, b"xyz"):
        path.write_bytes(file + behind)
        assert db.execute(f"SELECT count(*) FROM read_pco('{path}')").fetchall() == [(1000,)]
        found = {text for (text,) in db.execute(warnings).fetchall()}
        assert len(found) == 1
        assert next(iter(found)).startswith(f"{path}: at byte {len(file)}: ")
        db.execute("CALL truncate_duckdb_logs()")


def test_filters_of_the_list(db: Any, tmp_path: Path) -> None:
    """Each filter that DuckDB takes selects what it selects of a copy, which has no chunks."""
    filters = filter_folder(tmp_path / "t")

    def rows(query: str) -> list[Any] | None:
        try:
            return sorted(db.execute(query).fetchall())
        except duckdb.Error:
            return None

    taken = 0
    for name, texts in filters.items():
        columns = f'SELECT "row", "{name}" AS "{name}" FROM read_pco(\'{tmp_path}/t\')'
        if rows(f"CREATE OR REPLACE TABLE copy AS {columns}") is None:
            continue  # a column of text, or a value that DuckDB does not have
        count, wrong = differing(
            texts,
            lambda text: rows(f"SELECT \"row\" FROM read_pco('{tmp_path}/t') WHERE {text}"),
            lambda text: rows(f'SELECT "row" FROM copy WHERE {text}'),
        )
        assert not wrong, name
        taken += count
    assert taken > 400


def test_texts_that_repeat(db: Any, tmp_path: Path) -> None:
    texts = symbols(ROWS)
    table = pa.table({"s": texts, "b": texts.cast(pa.large_binary()), "n": range(ROWS)})
    for name, part in (("a", table), ("b", table.slice(0, 100))):  # numbers of two types
        numpact.write_table(part, tmp_path / name)
    source = f"read_pco('{tmp_path}/*')"
    db.execute(f"CREATE TABLE copy AS SELECT * FROM {source}")
    expected = pa.concat_tables([table, table.slice(0, 100)])
    found = db.execute("SELECT * FROM copy").to_arrow_table()
    assert found.column("s").to_pylist() == expected.column("s").to_pylist()
    assert found.column("b").to_pylist() == expected.column("b").to_pylist()
    assert db.execute(f"DESCRIBE SELECT s, b FROM {source}").fetchall()[0][1] == "VARCHAR"
    for where in (
        "s = 's150'",
        "s < 's002'",
        "s IN ('s001', 's150x')",
        "s IS NULL",
        "b = 's150'::BLOB",
        "s LIKE 's15%'",
        "s = 's150' AND n > 9",
    ):
        query = f"SELECT count(*), min(s), max(n) FROM {{}} WHERE {where}"
        one, other = (db.execute(query.format(name)).fetchall() for name in (source, "copy"))
        assert one == other, where
