# SPDX-License-Identifier: Apache-2.0
"""Filters of rows: ``"price >= 100 or day = '2024-01-01'"``, or lists of tuples (docs/python.md).

The language is that of ``--where`` of the command. The library parses it and compares; all
comparisons are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from .. import _core
from .._errors import InvalidArgumentError
from .._remote.manifest import LogicalType
from .values import Value, value_of

if TYPE_CHECKING:
    from .._types import Array

#: A filter as users write it: text, comparisons that all must hold, or lists of them, of which one
#: must.
Where = Union[str, Sequence[tuple[str, str, Any]], Sequence[Sequence[tuple[str, str, Any]]]]

IS_NULL, IS_NOT_NULL, IN, LIKE = "is null", "is not null", "in", "like"
AND, OR, WITH = "and", "or", "with"
_SHOWN = 60  # characters of an object that a message repeats


class Comparison(NamedTuple):
    """A comparison of a column with values or with another column; a filter is a list of them."""

    column: str
    #: "=", "!=", "<", "<=", ">", ">=", "in", "like", "is null", "is not null"; all but the last two
    #: also behind "not ".
    op: str
    values: tuple[Value, ...] = ()  #: one; any count for "in"; none for tests for null
    #: "and" begins a clause, of which all must hold; "or" an alternative of it, of which one must;
    #: "with" belongs to the same alternative.
    join: str = AND
    other: str | None = None  #: the column that takes the place of the value

    @staticmethod
    def of_core(made: tuple[Any, ...]) -> Comparison:
        """A comparison that ``numpact._core`` has made."""
        column, op, values, join, other = made
        return Comparison(column, op, tuple(Value(*value) for value in values), join, other)

    @property
    def is_null_test(self) -> bool:
        return self.op in (IS_NULL, IS_NOT_NULL)


def parse_where(where: Any) -> list[Comparison]:
    """The comparisons of a filter; none for None.

    Raises:
        InvalidArgumentError: It does not follow the grammar; the message says where.
    """
    if where is None:
        return []
    if isinstance(where, str):
        return [Comparison.of_core(item) for item in _core.parse_filter(where)]
    items: Iterable[Any] = where
    if isinstance(where, tuple) and where and isinstance(where[0], str):
        items = [where]  # one comparison without a list
    try:
        given = list(items)
        if given and all(_is_list_of_comparisons(item) for item in given):
            return _any_of(given)
        return [_of_tuple(item) for item in given]
    except TypeError:
        raise InvalidArgumentError(
            f"where is text or a list of (column, operator, value), not {type(where).__name__}"
        ) from None


def _is_list_of_comparisons(item: Any) -> bool:
    is_list = isinstance(item, (list, tuple)) and not isinstance(item, Comparison)
    return is_list and not (item and isinstance(item[0], str))


def _any_of(lists: Sequence[Sequence[Any]]) -> list[Comparison]:
    """A clause of alternatives."""
    made: list[Comparison] = []
    for comparisons in lists:
        if not comparisons:
            raise InvalidArgumentError("where: one of the lists has no comparison")
        join = OR if made else AND
        for item in comparisons:
            made.append(_of_tuple(item)._replace(join=join))
            join = WITH
    return made


def clauses_of(comparisons: Sequence[Comparison]) -> list[list[list[Comparison]]]:
    """The clauses of a filter, their alternatives, and the comparisons of these."""
    clauses: list[list[list[Comparison]]] = []
    for item in comparisons:
        if item.join == AND or not clauses:
            clauses.append([[]])
        elif item.join == OR:
            clauses[-1].append([])
        clauses[-1][-1].append(item)
    return clauses


def joined(clauses: Sequence[Sequence[Sequence[Comparison]]]) -> list[Comparison]:
    """The list of comparisons of some clauses, each joined as its place says."""
    made = []
    for clause in clauses:
        join = AND
        for alternative in clause:
            for item in alternative:
                made.append(item._replace(join=join))
                join = WITH
            join = OR
    return made


def _shown(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _of_tuple(item: Any) -> Comparison:
    if isinstance(item, Comparison):
        return item
    if isinstance(item, str) or not 2 <= len(item) <= 3 or not isinstance(item[0], str):
        raise InvalidArgumentError(f"where: {_shown(item)} is not (column, operator, value)")
    column, op, value = item[0], item[1], item[2] if len(item) > 2 else None
    if not isinstance(op, str):
        raise InvalidArgumentError(f"where: {_shown(op)} is not an operator")
    op = _core.filter_op(op)
    if op in (IS_NULL, IS_NOT_NULL):
        if value is not None:
            raise InvalidArgumentError(f"where: {op!r} takes the value None, not {_shown(value)}")
        return Comparison(column, op)
    if op in (IN, f"not {IN}"):
        if not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
            raise InvalidArgumentError(f"where: 'in' takes a list of values, not {_shown(value)}")
        return Comparison(column, op, tuple(map(value_of, value)))
    return Comparison(column, op, (value_of(value),))


# ---- conditions: the comparisons of a filter with one column ----


class NumberCondition:
    """Comparisons of stored numbers, for columns that are Pco files.

    Raises:
        TypeMismatchError: A value is of another kind than the column.
    """

    def __init__(self, comparisons: Sequence[Comparison], logical: LogicalType) -> None:
        self._filter = _core.bind_numbers(comparisons, logical.key())
        #: Null rows satisfy it.
        self.matches_null = self._filter.matches_null

    def mask(self, numbers: Array) -> Array:
        """(n,) of bool: which numbers satisfy it."""
        import numpy as np

        return self._filter.mask(np.ascontiguousarray(numbers).reshape(-1)).view(np.bool_)
