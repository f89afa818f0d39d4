# SPDX-License-Identifier: Apache-2.0
"""integrations/sqlite: tables of Pco files in SQLite.

Python's own sqlite3 is often built without extensions; apsw loads them. The shell is Debian's.
"""

from __future__ import annotations

import datetime
import decimal
import math
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pyarrow as pa
import pytest
from conftest import run
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

ROWS = 50_000
CHUNK = 8_192

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def extension(build_integration: Callable[..., Path]) -> str:
    return str(build_integration("sqlite") / "numpact")


@pytest.fixture
def db(extension: str) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(extension)
    return connection


def table_of_all_types() -> pa.Table:
    """Every number type and logical type, with nulls in some."""
    rows = np.arange(ROWS)
    columns = number_columns(ROWS, unsigned=np.int64)
    columns["flag"] = pa.array(rows % 3 == 0, mask=nulls_of(ROWS))
    columns["day"] = pa.array((rows // 100).astype(np.int32), pa.date32())
    columns["at"] = pa.array(rows * 1_000_003, pa.timestamp("us"))
    columns["word"] = words(ROWS)
    return pa.table(columns)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return table_of_all_types()


@pytest.fixture(scope="module")
def folder(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "table"
    numpact.write_table(table, path)
    return path


def mount(db: apsw.Connection, path: Path, name: str = "t") -> None:
    quoted = str(path).replace("'", "''")
    db.execute(f"CREATE VIRTUAL TABLE {name} USING pco('{quoted}')")


def plain(value: Any) -> Any:
    """A value of Arrow as SQLite gives it."""
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days
    return int(value) if isinstance(value, bool) else value


def test_values_equal_what_python_reads(db: apsw.Connection, folder: Path, table: pa.Table) -> None:
    mount(db, folder)
    names = [name for name in table.column_names if name != "word"]
    read = numpact.read_table(folder, names).to_arrow()
    expected = [[plain(value) for value in read[name].to_pylist()] for name in names]
    found = db.execute(f"SELECT {', '.join(names)} FROM t").fetchall()
    assert len(found) == ROWS
    for index, name in enumerate(names):
        assert [row[index] for row in found] == expected[index], name


def test_counts_open_no_column(db: apsw.Connection, folder: Path, tmp_path: Path) -> None:
    mount(db, only_manifest(folder, tmp_path / "only-manifest"))
    assert db.execute("SELECT count(*) FROM t").fetchone() == (ROWS,)
    with pytest.raises(apsw.Error, match=r"i8\.pco"):
        db.execute("SELECT max(i8) FROM t").fetchone()


def test_counts_decode_nothing(db: apsw.Connection, tmp_path: Path) -> None:
    """Every chunk is damaged, but not the trailer."""
    path = tmp_path / "x.pco"
    path.write_bytes(numpact.compress(np.arange(3 * CHUNK), paging=CHUNK, trailer=True))
    for chunk in range(3):
        damage(path, chunk)
    mount(db, path)
    assert db.execute("SELECT count(*) FROM t").fetchone() == (3 * CHUNK,)
    assert db.execute("SELECT count(*) FROM t WHERE rowid > 9").fetchone() == (3 * CHUNK - 9,)
    found = db.execute("SELECT count(*) FROM read_pco(?)", (str(path),)).fetchone()
    assert found == (3 * CHUNK,)
    with pytest.raises(apsw.Error, match=r"x\.pco"):
        db.execute("SELECT count(x) FROM t").fetchone()


@pytest.mark.parametrize(
    "where",
    [
        "sorted = 123450",
        "sorted > 400000",
        "sorted BETWEEN 100000 AND 120000",
        "sorted < 100.5",
        "sorted >= 499990 AND gaps > 0",
        "gaps > 123456 AND gaps <= 130000",
        "gaps IN (10, 20, 30, 400000)",
        "gaps IS NULL",
        "gaps IS NOT NULL AND sorted < 1000",
        "gaps = NULL",
        "i64 > 9000000000000000000",
        "u64 > 9.2e18",
        "u8 = -1",
        "u8 < -0.5",
        "f32 > 3.5",
        "f16 <= -3.25",
        "f64 = 0",
        "rowid = 1",
        "rowid > 49990",
        "rowid BETWEEN 5 AND 9.5",
        "rowid < 1",
        "rowid > 1e300",
        "day = 12",
        "at >= 49999000000",
        "flag = 1 AND sorted < 500",
        "sorted = '250'",
        "sorted > 'text'",
        "f64 > 'text'",
        "NOT sorted < 499000",
    ],
)
def test_filters_give_the_rows_of_a_copy(
    db: apsw.Connection, folder: Path, table: pa.Table, where: str
) -> None:
    """The same filter on a common table of the same columns."""
    names = ", ".join(name for name in table.column_names if name != "word")
    mount(db, folder)
    db.execute(f"CREATE TABLE copy AS SELECT {names} FROM t")
    query = f"SELECT rowid, {names} FROM {{}} WHERE {where}"
    assert db.execute(query.format("t")).fetchall() == db.execute(query.format("copy")).fetchall()


def test_order_of_rows(db: apsw.Connection, folder: Path) -> None:
    mount(db, folder)
    plan = db.execute("EXPLAIN QUERY PLAN SELECT * FROM t ORDER BY rowid").fetchall()
    assert not any("ORDER BY" in row[3] for row in plan)
    found = db.execute("SELECT rowid, sorted FROM t ORDER BY rowid DESC LIMIT 2").fetchall()
    assert found == [(ROWS, 10 * (ROWS - 1)), (ROWS - 1, 10 * (ROWS - 2))]
    joined = "SELECT a.sorted FROM t a JOIN t b ON a.rowid = b.day WHERE b.rowid IN (500, 49999)"
    assert sorted(db.execute(joined).fetchall()) == [(30,), (4980,)]


def test_filters_leave_out_chunks(db: apsw.Connection, tmp_path: Path) -> None:
    """A damaged chunk is found only by queries that need it."""
    path = tmp_path / "x.pco"
    path.write_bytes(numpact.compress(np.arange(6 * CHUNK), paging=CHUNK, trailer=True))
    damage(path, 2)
    mount(db, path)
    outside = f"x < {2 * CHUNK} OR x >= {3 * CHUNK}"
    with pytest.raises(apsw.Error, match=r"x\.pco"):
        db.execute(f"SELECT sum(x) FROM t WHERE {outside}").fetchone()
    below = db.execute(f"SELECT count(x), max(x) FROM t WHERE x < {2 * CHUNK - 1}").fetchone()
    assert below == (2 * CHUNK - 1, 2 * CHUNK - 2)
    above = db.execute(f"SELECT count(x), min(x) FROM t WHERE x >= {3 * CHUNK}").fetchone()
    assert above == (3 * CHUNK, 3 * CHUNK)
    by_row = db.execute(f"SELECT sum(x) FROM t WHERE rowid > {6 * CHUNK - 2}").fetchone()
    assert by_row == (12 * CHUNK - 3,)


def test_floats_without_an_order(db: apsw.Connection, tmp_path: Path) -> None:
    """NaN is NULL; -0.0 equals 0 also where it is the greatest number of a chunk."""
    numbers = np.concatenate([np.full(CHUNK, -0.0), np.full(CHUNK, np.nan), np.full(CHUNK, 5.0)])
    path = tmp_path / "x.pco"
    path.write_bytes(numpact.compress(numbers, paging=CHUNK, trailer=True))
    mount(db, path)

    def count(where: str) -> int:
        return db.execute(f"SELECT count(*) FROM t WHERE {where}").fetchone()[0]

    assert count("x >= 0") == 2 * CHUNK
    assert count("x = 0.0") == CHUNK
    assert count("x IS NULL") == CHUNK
    assert count("x > 1") == CHUNK


def test_unsigned_beyond_integers(db: apsw.Connection, tmp_path: Path) -> None:
    numbers = np.array([0, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    path = tmp_path / "u.pco"
    path.write_bytes(numpact.compress(numbers, trailer=True))
    mount(db, path)
    found = [row[0] for row in db.execute("SELECT u FROM t")]
    assert found == [0, 2**63 - 1, float(2**63), float(2**64)]
    assert db.execute("SELECT count(*) FROM t WHERE u = 18446744073709551615").fetchone() == (1,)


def test_decimals(db: apsw.Connection, tmp_path: Path) -> None:
    """They are REAL, the nearest one; SQLite compares these."""
    texts = ["0.1", "-0.05", "1.50", "-99999999999999.9999"]
    values = [None, *map(decimal.Decimal, texts)]
    table = pa.table({"d": pa.array(values, pa.decimal128(18, 4))})
    numpact.write_table(table, tmp_path / "t")
    mount(db, tmp_path / "t")
    found = [row[0] for row in db.execute("SELECT d FROM t").fetchall()]
    assert found == [None if x is None else float(x) for x in values]
    assert db.execute("SELECT typeof(d), sum(d) FROM t WHERE d > 0.05").fetchall() == [
        ("real", 1.6)
    ]
    assert db.execute("SELECT d FROM t WHERE d = 0.1 OR d = -0.05").fetchall() == [(0.1,), (-0.05,)]


def test_function(db: apsw.Connection, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "it's one.pco"
    path.write_bytes(numpact.compress(np.linspace(0, 1, 1000)))
    query = "SELECT count(*), sum(value) FROM read_pco(?)"
    count, total = db.execute(query, (str(path),)).fetchone()
    assert count == 1000
    assert math.isclose(total, 500)
    query = "SELECT max(value), min(column) FROM read_pco(?, 'sorted')"
    assert db.execute(query, (str(folder),)).fetchone() == (10 * (ROWS - 1), "sorted")
    assert db.execute("SELECT count(*) FROM read_pco(NULL)").fetchone() == (0,)
    for arguments, message in (
        ((str(folder),), "name one"),
        ((str(folder), "absent"), 'no column "absent"'),
        ((str(tmp_path / "absent"),), "No such file"),
    ):
        marks = ", ".join("?" * len(arguments))
        with pytest.raises(apsw.Error, match=message):
            db.execute(f"SELECT * FROM read_pco({marks})", arguments).fetchall()
    with pytest.raises(apsw.Error, match="needs the path"):
        db.execute("SELECT * FROM read_pco").fetchall()


def test_text_is_refused_by_name(db: apsw.Connection, folder: Path) -> None:
    mount(db, folder)
    with pytest.raises(apsw.Error, match=r'column "word" is of type string, in word\.arrow'):
        db.execute("SELECT word FROM t").fetchone()


def test_texts_that_repeat(db: apsw.Connection, tmp_path: Path) -> None:
    texts = symbols(ROWS)
    table = pa.table({"s": texts, "b": texts.cast(pa.large_binary())})
    numpact.write_table(table, tmp_path / "t")
    mount(db, tmp_path / "t")
    rows = db.execute("SELECT s, b FROM t").fetchall()
    assert rows == list(zip(*table.to_pydict().values(), strict=True))
    db.execute("CREATE TABLE copy(s TEXT, b BLOB)")
    db.executemany("INSERT INTO copy VALUES(?, ?)", rows)
    for where in (
        "s = 's150'", "s < 's002'", "s >= 's299xxx'", "s IN ('s001', 's150x', 'none')",
        "s IS NULL", "s LIKE 'S15%'", "s = 'S150' COLLATE NOCASE", "s BETWEEN 's1' AND 's2'",
        "s = 5", "s > 5", "s = x'73313530'", "b = x'73313530'", "b < x'7330'", "b = 's150'",
    ):  # fmt: skip
        query = f"SELECT count(*), min(s), max(s) FROM {{}} WHERE {where}"
        found, expected = (db.execute(query.format(name)).fetchall() for name in ("t", "copy"))
        assert found == expected, where


def test_the_order_of_texts_in_utf_16(extension: str, tmp_path: Path) -> None:
    """BINARY compares other bytes there: U+1F600 comes before U+FFFD."""
    texts = ["\ufffd", "\U0001f600", "\u0100", "z"] * 4
    numpact.write_table(pa.table({"s": texts}), tmp_path / "t")
    for encoding in ("UTF-8", "UTF-16le"):
        other = apsw.Connection(":memory:")
        other.execute(f"PRAGMA encoding = '{encoding}'")
        other.enable_load_extension(True)
        other.load_extension(extension)
        mount(other, tmp_path / "t")
        other.execute("CREATE TABLE copy(s TEXT)")
        other.executemany("INSERT INTO copy VALUES(?)", [(text,) for text in texts])
        for where in ("s < 'y'", "s > '\U0001f600'", "s = 'z'", "s >= '\u0100'"):
            query = f"SELECT count(*) FROM {{}} WHERE {where}"
            found, expected = (
                other.execute(query.format(name)).fetchall() for name in ("t", "copy")
            )
            assert found == expected, (encoding, where)


def test_names_that_repeat(db: apsw.Connection, tmp_path: Path) -> None:
    path = tmp_path / "twice"
    columns = [pa.array([1]), pa.array([2]), pa.array([3])]
    numpact.write_table(pa.table(columns, names=["a", "A", 'quote"']), path)
    mount(db, path)
    cursor = db.execute("SELECT * FROM t")
    assert [column[0] for column in cursor.get_description()] == ["a", "A_2", 'quote"']
    assert cursor.fetchall() == [(1, 2, 3)]


def test_untrusted_schemas_open_nothing(db: apsw.Connection, folder: Path) -> None:
    mount(db, folder)
    db.execute("CREATE VIEW v AS SELECT sorted FROM t")
    with pytest.raises(apsw.Error, match="unsafe use"):
        db.execute("SELECT * FROM v").fetchone()
    with pytest.raises(apsw.Error, match="may not be modified"):
        db.execute("DELETE FROM t")


def test_hostile_folders(db: apsw.Connection, tmp_path: Path) -> None:
    """Each is refused with an error that says why."""
    for path, message in hostile_folders(tmp_path):
        with pytest.raises(apsw.Error, match=message):
            mount(db, path)


def test_sound_folders(db: apsw.Connection, tmp_path: Path) -> None:
    for path, rows, why in sound_folders(tmp_path):
        if why:
            with pytest.raises(apsw.Error, match=why):
                mount(db, path)
        else:
            mount(db, path, f'"{path.name}"')
            assert db.execute(f'SELECT count(*) FROM "{path.name}"').fetchone() == (rows,)


def test_hostile_files(db: apsw.Connection, folder: Path, tmp_path: Path) -> None:
    def case(name: str, change: Callable[[Path], None]) -> Path:
        path = tmp_path / name
        shutil.copytree(folder, path)
        change(path)
        return path

    def link(path: Path) -> None:
        (path / "i64.pco").unlink()
        (path / "i64.pco").symlink_to(folder / "i64.pco")

    def replace(name: str, content: bytes) -> Callable[[Path], None]:
        return lambda path: (path / name).write_bytes(content) and None

    whole = (folder / "i64.pco").read_bytes()
    runs = numpact.compress(np.array([1, 2, 3], np.uint64))
    cases = [
        (case("empty", replace("i64.pco", b"")), "i64", "truncated"),
        (case("short", replace("i64.pco", whole[:1000])), "i64", "truncated"),
        (case("noise", replace("i64.pco", b"\xff" * 1000)), "i64", "corrupt"),
        (case("other", replace("i64.pco", numpact.compress(np.arange(9)))), "i64", "another type"),
        (case("link", link), "i64", "leads out of the folder"),
        (case("absent", lambda path: (path / "i64.pco").unlink()), "i64", "No such file"),
        (case("runs", replace("gaps.nulls.pco", runs)), "gaps", "fewer nulls"),
        (case("noruns", replace("gaps.nulls.pco", b"")), "gaps", "truncated"),
    ]
    for index, (path, column, message) in enumerate(cases):
        mount(db, path, f"t{index}")
        with pytest.raises(apsw.Error, match=message):
            db.execute(f"SELECT sum({column}) FROM t{index}").fetchone()
        assert db.execute(f"SELECT max(sorted) FROM t{index}").fetchone() == (10 * (ROWS - 1),)


def test_mutants_do_not_crash(db: apsw.Connection, tmp_path: Path) -> None:
    """Single changed bytes give numbers or an error."""
    path = tmp_path / "x.pco"
    outcomes = set()
    for mutant in mutants(7):
        path.write_bytes(mutant)
        try:
            db.execute("SELECT sum(value), count(*) FROM read_pco(?)", (str(path),)).fetchone()
            outcomes.add("numbers")
        except apsw.Error:
            outcomes.add("error")
    assert outcomes == {"numbers", "error"}


def test_shell(extension: str, folder: Path) -> None:
    if shutil.which("sqlite3") is None:
        pytest.skip("the sqlite3 shell is not installed")
    create = f"CREATE VIRTUAL TABLE t USING pco('{folder}')"
    done = run("sqlite3", ":memory:", f".load {extension}", create, "SELECT max(sorted) FROM t")
    assert done.stdout == f"{10 * (ROWS - 1)}\n"


def test_bytes_behind_a_file_are_warned_of(extension: str, tmp_path: Path) -> None:
    """By SQLite's log, which is one for the process: another one opens the files."""
    file = numpact.compress(np.arange(1000))
    whole, joined = tmp_path / "whole.pco", tmp_path / "joined.pco"
    whole.write_bytes(file)
    joined.write_bytes(file + file)
    found = run(sys.executable, "-c", f"""
import apsw
apsw.config(apsw.SQLITE_CONFIG_LOG, lambda code, text: print(code, text))
db = apsw.Connection(":memory:")
db.enable_load_extension(True)
db.load_extension({extension!r})
for path in {[str(whole), str(joined)]!r}:
    assert db.execute("SELECT count(*) FROM read_pco(?)", (path,)).fetchall() == [(1000,)]
db.execute("CREATE VIRTUAL TABLE temp.t USING pco('{joined}')")
""").stdout.splitlines()  # fmt: skip
    assert len(found) == 2
    for line in found:
        assert line.startswith(f"28 {joined}: at byte {len(file)}: ")  # SQLITE_WARNING


def test_filters_of_the_list(db: apsw.Connection, tmp_path: Path) -> None:
    """Each filter that SQLite takes selects what it selects of a copy, which has no chunks."""
    filters = filter_folder(tmp_path / "t")
    mount(db, tmp_path / "t")

    def rows(query: str) -> list[Any] | None:
        try:
            return sorted(db.execute(query).fetchall())
        except apsw.Error:
            return None

    taken = 0
    for name, texts in filters.items():
        db.execute("DROP TABLE IF EXISTS copy")
        if rows(f'CREATE TABLE copy AS SELECT "row", "{name}" FROM t') is None:
            continue  # a column of text
        count, wrong = differing(
            texts,
            lambda text: rows(f'SELECT "row" FROM t WHERE {text}'),
            lambda text: rows(f'SELECT "row" FROM copy WHERE {text}'),
        )
        assert not wrong, name
        taken += count
    assert taken > 400
