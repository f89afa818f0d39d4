# SPDX-License-Identifier: Apache-2.0
"""Tables as lazy frames of polars."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from .._errors import Error, InvalidArgumentError
from .._optional import require
from .._remote.locations import StorageOptions
from .filters import IS_NOT_NULL, IS_NULL, Comparison, NumberCondition, bind_number
from .selecting import WINDOW_ROWS, Bound, NullTest, Span, candidates, windows
from .sources import NumberSource
from .tables import OpenTable, Path, open_table
from .values import Boolean, Duration, Instant, Number, TimeOfDay, Value

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl

    Array = npt.NDArray[Any]

_OPS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TICKS = {"Milliseconds": 10**3, "Microseconds": 10**6, "Nanoseconds": 10**9}
# Levels of an expression that are searched; deeper parts are left to polars.
_MAX_DEPTH = 64


def scan_table(
    path: Path,
    *,
    threads: int | None = None,
    storage_options: StorageOptions | None = None,
) -> pl.LazyFrame:
    """See ``numpact.scan_table``."""
    polars = require("polars", "polars")
    plugins = require("polars.io.plugins", "polars")
    table = open_table(path, threads=threads, storage_options=storage_options)
    names = table.column_names
    if len(set(names)) < len(names):
        raise InvalidArgumentError(f"{table.path}: names of columns repeat: {names}")

    def source(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        # A query that only counts rows needs a column, too.
        chosen = names if with_columns is None else with_columns or names[:1]
        span = (0, table.num_rows if n_rows is None else min(n_rows, table.num_rows))
        found = _frames(polars, table, chosen, predicate, span)
        for frame in found:
            yield from frame.iter_slices(batch_size) if batch_size else (frame,)

    schema = polars.from_arrow(table.schema.empty_table()).schema
    with warnings.catch_warnings():
        # The interface may change, which the tests of this package would show.
        warnings.simplefilter("ignore", getattr(polars.exceptions, "UnstableWarning", UserWarning))
        frame: pl.LazyFrame = plugins.register_io_source(source, schema=schema, is_pure=True)
    return frame


def _frames(
    polars: Any, table: OpenTable, chosen: Sequence[str], predicate: pl.Expr | None, span: Span
) -> Iterator[pl.DataFrame]:
    """The rows that match, in order."""
    bound = [] if predicate is None else pruning(predicate, table)
    tested = [] if predicate is None else sorted(set(predicate.meta.root_names()))
    is_empty = True
    for part in windows(candidates(bound, span), WINDOW_ROWS):
        frame = _window(polars, table, chosen, predicate, tested, part)
        is_empty = is_empty and not frame.height
        if frame.height:
            yield frame
    if is_empty:
        yield polars.from_arrow(table.schema.empty_table()).select(chosen)


def _window(
    polars: Any,
    table: OpenTable,
    chosen: Sequence[str],
    predicate: pl.Expr | None,
    tested: Sequence[str],
    span: Span,
) -> pl.DataFrame:
    if predicate is None or not tested:
        frame = _read(polars, table, chosen, span)
        return frame if predicate is None else frame.filter(predicate)
    front = _read(polars, table, tested, span)
    mask = front.select(predicate.alias("mask")).to_series()
    if mask.len() != front.height:  # not a filter of rows one by one
        both = _read(polars, table, sorted({*chosen, *tested}), span)
        return both.filter(predicate).select(chosen)
    rows = np.flatnonzero(mask.fill_null(False).to_numpy())
    rest = [name for name in chosen if name not in tested]
    front = front.filter(mask)
    if not rest:
        return front.select(chosen)
    if not len(rows):
        rest_frame = _read(polars, table, rest, (span[0], span[0]))
    elif len(rows) == span[1] - span[0]:
        rest_frame = _read(polars, table, rest, span)
    else:
        rest_frame = polars.from_arrow(table.take(rest, rows + span[0]).to_arrow())
    whole: pl.DataFrame = polars.concat([front, rest_frame], how="horizontal")
    return whole.select(chosen)


def _read(polars: Any, table: OpenTable, columns: Sequence[str], span: Span) -> pl.DataFrame:
    frame: pl.DataFrame = polars.from_arrow(table.read(columns, span).to_arrow())
    return frame


# ---- predicates ----


def pruning(predicate: pl.Expr, table: OpenTable) -> list[Bound]:
    """Conditions that every row that matches satisfies; polars judges the rows themselves.

    Translates only certain cases: comparisons of a column with a literal, and tests for
    null, joined by "and".
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # an expression without such a form
        return []
    found: list[Bound] = []
    for comparison in _conjuncts(tree, 0):
        if comparison.column not in table.column_names:
            continue
        index = table.column_names.index(comparison.column)
        source = table.source(index)
        if not isinstance(source, NumberSource):
            continue
        if comparison.op in (IS_NULL, IS_NOT_NULL):
            found.append(Bound(index, source, NullTest(comparison.op == IS_NULL)))
            continue
        try:
            condition = bind_number(comparison, source.logical)
        except Error:
            continue
        # For polars, NaN is equal to itself and greater than all others: it may always match.
        has_nan = not condition.is_negated
        condition = NumberCondition(condition.type, condition.ranges, has_nan, condition.is_negated)
        found.append(Bound(index, source, condition))
    return found


def _conjuncts(tree: Any, depth: int) -> Iterator[Comparison]:
    if depth > _MAX_DEPTH or not isinstance(tree, dict):
        return
    binary = tree.get("BinaryExpr")
    if isinstance(binary, dict):
        left, op, right = binary.get("left"), binary.get("op"), binary.get("right")
        if op == "And":
            yield from _conjuncts(left, depth + 1)
            yield from _conjuncts(right, depth + 1)
        elif op in _OPS:
            yield from _comparison(left, _OPS[op], right)
        return
    function = tree.get("Function")
    if not isinstance(function, dict) or not isinstance(function.get("function"), dict):
        return
    inputs, kind = function.get("input"), function["function"].get("Boolean")
    if not isinstance(inputs, list) or not inputs:
        return
    column = _column(inputs[0])
    if column is not None and kind in ("IsNull", "IsNotNull") and len(inputs) == 1:
        yield Comparison(column, IS_NULL if kind == "IsNull" else IS_NOT_NULL)
    if isinstance(kind, dict) and "IsBetween" in kind and len(inputs) == 3:
        yield from _comparison(inputs[0], ">=", inputs[1])
        yield from _comparison(inputs[0], "<=", inputs[2])


def _comparison(left: Any, op: str, right: Any) -> Iterator[Comparison]:
    if _column(left) is None:
        left, op, right = right, _FLIPPED.get(op, op), left
    column, value = _column(left), _literal(right)
    if column is not None and value is not None:
        yield Comparison(column, op, (value,))


def _column(tree: Any) -> str | None:
    name = tree.get("Column") if isinstance(tree, dict) and len(tree) == 1 else None
    return name if isinstance(name, str) else None


def _literal(tree: Any) -> Value | None:
    """The value of a literal; None if it is not understood, null, NaN or infinite."""
    literal = tree.get("Literal") if isinstance(tree, dict) else None
    typed = literal.get("Scalar", literal.get("Dyn")) if isinstance(literal, dict) else None
    if not isinstance(typed, dict) or len(typed) != 1:
        return None
    ((kind, value),) = typed.items()
    if isinstance(value, bool):
        return Boolean(value) if kind == "Boolean" else None
    if isinstance(value, (int, float)):
        if kind.rstrip("0123456789") in ("Int", "UInt", "Float"):
            return Number(Fraction(value))
        if kind == "Date":
            return Instant(Fraction(value) * 86_400)
        if kind == "Time":
            return TimeOfDay(Fraction(value) / 10**9)
    if kind in ("Datetime", "Duration") and isinstance(value, list) and value[1] in _TICKS:
        seconds = Fraction(value[0], _TICKS[value[1]])
        return Instant(seconds) if kind == "Datetime" else Duration(seconds)
    return None
