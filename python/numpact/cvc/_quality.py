# SPDX-License-Identifier: Apache-2.0
"""Measures the losses of compressions of vectors, as the command ``numpact cvc quality`` does."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import InvalidArgumentError
from .._integers import index_of
from .._threads import resolve
from ._values import input_of

if TYPE_CHECKING:
    import numpy.typing as npt

#: Stands for all rows in numpact._core: no array has more.
_ALL_ROWS = 2**63 - 1

_Cells = tuple[str, ...]


@dataclass(frozen=True)
class Recall:
    """The share of the nearest neighbours that are still found, with its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class CompressionQuality:
    """The size and the loss of one compression.

    Attributes:
        compression: Its name.
        bytes: The size of the file, header included.
        bytes_per_vector: That size divided by the count of vectors.
        ratio: The size of the input, in its own type, divided by the size of the file.
        max_error, mean_error, rmse: Absolute errors of all values: the largest, the mean, and the
            square root of the mean of their squares.
        mean_cosine_error, worst_cosine_error: 1 - cos of the angle between a row and its decoded
            row, over all rows.
        overflows: Values that decode to infinity or NaN; their error is infinite.
        recall: None if there was no search.
    """

    compression: str
    bytes: int
    bytes_per_vector: float
    ratio: float
    max_error: float
    mean_error: float
    rmse: float
    mean_cosine_error: float
    worst_cosine_error: float
    overflows: int
    recall: Recall | None
    _cells: _Cells = field(repr=False, compare=False)


@dataclass(frozen=True, repr=False)
class Quality:
    """The result of ``quality``; printed, it is the table of the command.

    Attributes:
        compressions: A ``CompressionQuality`` for each compression, in the order of the request.
        recommended: The compression that keeps 99 % of the neighbours, by the lower end of the
            interval, in the fewest bytes; None if there is none.
        advice: The same in words; empty if there is none.
        left_out: Pairs of a compression that cannot store the values, and the reason.
        dtype: The name of the input's type, which ratios refer to.
        vectors, dimension: The shape of the input.
        metric, k: As requested.
        sample, queries: The rows that were searched, and how many of them were queries; 0: none.
    """

    compressions: tuple[CompressionQuality, ...]
    recommended: str | None
    advice: str
    left_out: tuple[tuple[str, str], ...]
    dtype: str
    vectors: int
    dimension: int
    metric: str
    k: int
    sample: int
    queries: int
    _titles: tuple[tuple[str, bool], ...]
    _explanation: str

    def __getitem__(self, compression: str) -> CompressionQuality:
        """The row of a compression; KeyError lists those that were measured."""
        for row in self.compressions:
            if row.compression == compression:
                return row
        known = ", ".join(row.compression for row in self.compressions)
        raise KeyError(f"{compression!r} was not measured, but {known}")

    def plot(self) -> Any:
        """Draws the share of neighbours lost against bytes per vector with matplotlib.

        Returns:
            A ``matplotlib.figure.Figure``; ``savefig`` writes it as SVG, PNG or PDF.

        Raises:
            InvalidArgumentError: There was no search.
            ImportError: matplotlib is not installed.
        """
        from .._plots import plot_quality

        return plot_quality(self)

    def _notes(self) -> list[str]:
        notes = [f"left out: {name}: {why}" for name, why in self.left_out]
        return [*notes, *filter(None, [*self._explanation.splitlines(), self.advice])]

    def __repr__(self) -> str:
        rows = [row._cells for row in self.compressions]
        lines = [tuple(title for title, _ in self._titles), *rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = []
        for line in lines:
            cells = [
                cell.rjust(width) if is_number else cell.ljust(width)
                for cell, width, (_, is_number) in zip(line, widths, self._titles, strict=True)
            ]
            texts.append("  ".join(cells).rstrip())
        texts.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
        return "\n".join([*texts, "", *self._notes()])

    def _repr_html_(self) -> str:
        """The same table for notebooks; the recommended row is bold."""

        def row(cells: Sequence[str], tag: str, style: str) -> str:
            aligned = [
                f'<{tag} style="text-align:{"right" if is_number else "left"};{style}">'
                f"{html.escape(cell)}</{tag}>"
                for cell, (_, is_number) in zip(cells, self._titles, strict=True)
            ]
            return f"<tr>{''.join(aligned)}</tr>"

        head = row([title for title, _ in self._titles], "th", "")
        body = "".join(
            row(r._cells, "td", "font-weight:bold" if r.compression == self.recommended else "")
            for r in self.compressions
        )
        notes = "<br>".join(html.escape(note) for note in self._notes())
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table><p>{notes}</p>"


def _rows(value: int | str | None, name: str, minimum: int) -> int | None:
    """A count of rows for numpact._core."""
    if value is None:
        return None
    if isinstance(value, str):
        if value == "all":
            return _ALL_ROWS
        raise InvalidArgumentError(f"{name} is a count of rows, 'all' or None, not {value!r}")
    return _count(value, name, minimum)


def _count(value: int, name: str, minimum: int = 1) -> int:
    count = index_of(value, name)
    if count < minimum:
        raise InvalidArgumentError(f"{name} must be at least {minimum}, not {count}")
    return min(count, _ALL_ROWS)


def quality(
    original: npt.ArrayLike,
    compressions: str | Sequence[str] | None = None,
    *,
    metric: str = "l2",
    k: int = 10,
    queries: int | str | None = None,
    sample: int | str | None = None,
    quantized_queries: bool = False,
    chunk_size: int = 100_000,
    rounding: str = "auto",
    threads: int | None = None,
) -> Quality:
    """Packs vectors with each compression, in memory, and measures sizes, errors and recall.

    Figures and words are those of the command ``numpact cvc quality``. The recall is that of an
    exhaustive search among decoded rows, compared with one among the original rows. The sample is
    random, but the same for every call.

    Args:
        original: Rows of floats or integers, (rows, values), as for ``pack_cvc``.
        compressions: One name or several; None: all that can store the values.
        metric: "l2", "cosine" or "dot".
        k: The number of neighbours to find.
        queries: Rows of the sample that are queries, or "all"; None: 1000, or all of up to 2000; 0:
            no search.
        sample: Rows that are searched, or "all"; None: 20 000, fewer if they are long.
        quantized_queries: Use decoded rows as queries, not the original ones.
        chunk_size: Rows in a chunk.
        rounding: As for ``pack_cvc``.
        threads: As for ``numpact.compress``.

    Raises:
        InvalidArgumentError: Unknown names, NaN or infinities (with their row), no rows, or a
            requested compression that cannot store the values. A ValueError.
        TypeMismatchError: The values are not numbers.

    >>> import numpy as np
    >>> vectors = np.random.default_rng(1).normal(size=(500, 32)).astype("float32")
    >>> report = quality(vectors, ["fp16", "int8_dim", "int4"])
    >>> report["int8_dim"].bytes, report["int4"].recall.mean < report["int8_dim"].recall.mean
    (16384, True)
    """
    names = [compressions] if isinstance(compressions, str) else compressions
    rows = input_of(original)
    if rows.array.ndim != 2:
        raise InvalidArgumentError(f"vectors must have two dimensions, not {rows.array.ndim}")
    if 0 in rows.array.shape:
        raise InvalidArgumentError(f"vectors of shape {rows.array.shape} have nothing to measure")
    made = _core.cvc_quality(
        rows.array,
        "vectors",
        rows.type,
        rows.item_bytes,
        None if names is None else [str(name) for name in names],
        _count(chunk_size, "chunk_size"),
        rounding,
        metric,
        _count(k, "k"),
        bool(quantized_queries),
        _rows(sample, "sample", 1),
        _rows(queries, "queries", 0),
        resolve(threads),
    )
    if names is not None and made["left_out"]:
        raise InvalidArgumentError("{}: {}".format(*made["left_out"][0]))
    return _quality_of(made, rows.type, rows.array.shape[1], metric, index_of(k, "k"))


def _quality_of(made: dict[str, Any], dtype: str, dimension: int, metric: str, k: int) -> Quality:
    """The report made of the dictionary of numpact._core."""
    measured = []
    for row in made["rows"]:
        recall, cells = row.pop("recall"), tuple(row.pop("cells"))
        found = None if recall is None else Recall(*recall)
        measured.append(CompressionQuality(**row, recall=found, _cells=cells))
    explanation = made["explanation"]
    if made["no_recall"]:
        explanation += made["no_recall"] + "\n"
    return Quality(
        compressions=tuple(measured),
        recommended=made["recommended"],
        advice=made["advice"],
        left_out=tuple(made["left_out"]),
        dtype=dtype,
        vectors=made["vectors"],
        dimension=dimension,
        metric=metric,
        k=k,
        sample=made["sample"],
        queries=made["queries"],
        _titles=tuple(made["titles"]),
        _explanation=explanation,
    )
