# SPDX-License-Identifier: Apache-2.0
"""tests/fixtures/filters through the doors of Python: text, lists and Dask."""

from __future__ import annotations

import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import filter_fixture
import pytest
from tables_support import small_chunks

import numpact
from numpact._folders.filters import Comparison, clauses_of, parse_where

LINES = filter_fixture.lines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filter_table") / "t"
    small_chunks(filter_fixture.table(), folder, 3)
    return folder


@pytest.fixture(scope="module")
def opened(folder: Path) -> numpact.OpenTable:
    return numpact.open_table(folder, threads=1)


def found(opened: numpact.OpenTable, where: Any) -> list[int] | None:
    try:
        return opened.read(["row"], where=where)["row"].to_pylist()
    except (numpact.InvalidArgumentError, numpact.TypeMismatchError):
        return None


def test_the_lines_are_those_of_the_script() -> None:
    text = filter_fixture.oracle().text()
    assert text == (filter_fixture.FOLDER / "filters.txt").read_text(encoding="utf-8")
    assert len(LINES) > 150
    assert sum(line.rows is None for line in LINES) > 100


def test_text(opened: numpact.OpenTable) -> None:
    wrong = [line for line in LINES if found(opened, line.filter) != line.rows]
    assert not wrong


def listed(comparison: Comparison) -> tuple[str, str, Any]:
    """A comparison as users write it in a list."""
    made = []
    for value in comparison.values:
        content: Any = value.content
        if value.kind == "number":
            is_whole = content.lstrip("+-").isdigit()
            content = int(content) if is_whole else Decimal(content)
            if not is_whole and str(content).isdigit():
                raise InvalidOperation  # 5e0 is written as 5 by Decimal, which is exact
        elif value.kind == "bool":
            content = content == "true"
        made.append(content)
    if comparison.is_null_test:
        return comparison.column, comparison.op, None
    return comparison.column, comparison.op, made if comparison.op.endswith("in") else made[0]


def as_lists(comparisons: list[Comparison]) -> list[Any] | None:
    """A filter as lists of comparisons; None if they cannot say it."""
    clauses = clauses_of(comparisons)
    has_several = any(len(clause) > 1 for clause in clauses)
    if any(item.other is not None for item in comparisons) or (has_several and len(clauses) > 1):
        return None
    if has_several:
        return [[listed(item) for item in alternative] for alternative in clauses[0]]
    return [listed(item) for item in comparisons]


def test_lists(opened: numpact.OpenTable) -> None:
    wrong, tried = [], 0
    for line in LINES:
        try:
            comparisons = parse_where(line.filter)
            where = as_lists(comparisons)
        except (numpact.InvalidArgumentError, InvalidOperation):  # no filter, or no Decimal
            continue
        if where is None:
            continue
        if any(v.kind == "time" for c in comparisons for v in c.values) and line.rows is None:
            continue  # a date without quotes is text in a list
        tried += 1
        if found(opened, where) != line.rows:
            wrong.append((line, where))
    assert not wrong
    assert tried > 1000


def test_dask(folder: Path) -> None:
    pytest.importorskip("dask.dataframe")
    import numpact.dask

    wrong = []
    for line in LINES[::11]:
        try:
            frame = numpact.dask.from_pco_table(folder, columns=["row"], filters=line.filter)
            rows = frame["row"].compute().tolist()
        except (numpact.InvalidArgumentError, numpact.TypeMismatchError):
            rows = None
        if rows != line.rows:
            wrong.append((line, rows))
    assert not wrong


@pytest.mark.parametrize("column", ["day", "at_us", "at_ns"])
def test_a_zone_for_a_column_without_one(opened: numpact.OpenTable, column: str) -> None:
    """Objects with a time zone are refused as text with one is."""
    at = datetime.datetime(1970, 1, 1)
    assert found(opened, [(column, ">=", at)]) is not None
    assert found(opened, [("utc", "=", at)]) == [0]
    assert found(opened, [("utc", "=", at.replace(tzinfo=datetime.timezone.utc))]) == [0]
    with pytest.raises(numpact.TypeMismatchError, match="has no time zone, the point in time has"):
        opened.read(where=[(column, ">=", at.replace(tzinfo=datetime.timezone.utc))])


def test_hints(opened: numpact.OpenTable) -> None:
    """Lists and text say the same."""
    for op, hint in (
        ("<>", "write != for '<>'"), ("ilike", "there is no 'ilike'"), ("=<", "write <="),
    ):  # fmt: skip
        for where in ([("i32", op, 5)], f"i32 {op} 5"):
            with pytest.raises(numpact.InvalidArgumentError, match=hint):
                opened.read(where=where)
    for op, hint in (("between", "two comparisons"), ("or", "a list of lists")):
        with pytest.raises(numpact.InvalidArgumentError, match=hint):
            opened.read(where=[("i32", op, 5)])
    with pytest.raises(numpact.InvalidArgumentError, match="one of the lists has no comparison"):
        opened.read(where=[[("i32", "=", 5)], []])
    with pytest.raises(numpact.InvalidArgumentError, match="text is written in single quotes"):
        opened.read(where="text = hello")


def test_text_that_is_not_unicode(opened: numpact.OpenTable) -> None:
    for where in ("text = '\ud800'", [("text", "=", "\ud800")], [("text", "\udfff", "a")]):
        with pytest.raises(numpact.InvalidArgumentError, match="surrogates"):
            opened.read(where=where)


def test_messages_show_a_few_of_many(opened: numpact.OpenTable) -> None:
    many = ", ".join(map(str, range(50_000)))
    for where in (
        f"i32 in ({many}", f"none in ({many})", f"i32 = {'7' * 99_999}x", f"day = '{'7' * 99_999}'",
        [("i32", "=", list(range(50_000)))], [("i32", "is null", list(range(50_000)))],
        [("day", "in", ["7" * 99_999])], [list(range(50_000))],
    ):  # fmt: skip
        with pytest.raises(numpact.Error) as error:
            opened.read(where=where)
        assert len(str(error.value)) < 600, str(error.value)[:200]
