# SPDX-License-Identifier: Apache-2.0
"""Reports as text and as HTML: a heading, named facts and tables, described once for both.

Reports hold names from files, which may be hostile: text has no control characters, so that a
terminal does not obey them, and HTML is escaped. Counts have thousands separators.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# Rows of a table that are shown: a report fits on a screen.
MAX_SHOWN_ROWS = 8
# Characters of a cell or fact that are shown.
_MAX_SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class Table:
    """Rows of cells under titles.

    ``total`` is the count of all rows; those that ``rows`` lacks are mentioned.
    """

    title: str
    columns: Sequence[str]  #: their titles; after ">" those of numbers, aligned to the right
    rows: Sequence[Sequence[str]]
    total: int


@dataclass(frozen=True)
class View:
    """A report; an object returns it for both of its forms."""

    heading: str
    facts: Sequence[tuple[str, str]] = ()  #: names and values, shown line by line
    tables: Sequence[Table] = ()
    figures: str = ""  #: HTML that notebooks show in addition


class Report:
    """Prints as a report, which notebooks show as tables."""

    def _view(self) -> View:
        raise NotImplementedError

    def __str__(self) -> str:
        return as_text(self._view())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self._view())


def printable(text: str) -> str:
    """One line of text without characters that a terminal or a reader may obey.

    Control characters, marks of text direction and lone surrogates become escapes, as the command
    shows them; long text is cut.
    """
    shown = text if len(text) <= _MAX_SHOWN_CHARACTERS else text[: _MAX_SHOWN_CHARACTERS - 1] + "…"
    return "".join(
        char
        if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else char.encode("unicode_escape").decode()
        for char in shown
    )


def count_text(count: int, noun: str) -> str:
    """A count with its noun: "1 chunk", "2,000 chunks"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def as_text(view: View) -> str:
    """The report as lines of text."""
    lines = [printable(view.heading)]
    width = max((len(name) for name, _ in view.facts), default=0)
    lines += [f"  {printable(name):<{width}}  {printable(value)}" for name, value in view.facts]
    for table in view.tables:
        lines += _table_lines(table)
    return "\n".join(lines)


def _table_lines(table: Table) -> list[str]:
    rows = [[printable(cell) for cell in row] for row in table.rows]
    titles = [printable(title.removeprefix(">")) for title in table.columns]
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    lines = [f"  {printable(table.title)}"] if table.title else []
    for row in (titles, *rows):
        cells = [
            cell.rjust(width) if title.startswith(">") else cell.ljust(width)
            for cell, width, title in zip(row, widths, table.columns, strict=True)
        ]
        lines.append(("    " + "  ".join(cells)).rstrip())
    if table.total > len(rows):
        lines.append(f"    and {table.total - len(rows):,} more")
    return lines


def as_html(view: View) -> str:
    """The report for a notebook."""
    parts = [f"<p><b>{_escaped(view.heading)}</b></p>"]
    if view.facts:
        rows = (
            f'<tr><th style="text-align:left">{_escaped(name)}</th>'
            f'<td style="text-align:left">{_escaped(value)}</td></tr>'
            for name, value in view.facts
        )
        parts.append(f"<table>{''.join(rows)}</table>")
    parts += [_table_html(table) for table in view.tables]
    return f"<div>{''.join(parts)}{view.figures}</div>"


def _table_html(table: Table) -> str:
    aligns = ["right" if title.startswith(">") else "left" for title in table.columns]
    titles = [title.removeprefix(">") for title in table.columns]
    lines = [_row(titles, aligns, "th"), *(_row(row, aligns, "td") for row in table.rows)]
    if table.total > len(table.rows):
        more = f"and {table.total - len(table.rows):,} more"
        lines.append(f'<tr><td colspan="{len(aligns)}">{more}</td></tr>')
    caption = f"<caption>{_escaped(table.title)}</caption>" if table.title else ""
    return f"<table>{caption}{''.join(lines)}</table>"


def _row(cells: Sequence[str], aligns: Sequence[str], tag: str) -> str:
    columns = (
        f'<{tag} style="text-align:{align}">{_escaped(cell)}</{tag}>'
        for cell, align in zip(cells, aligns, strict=True)
    )
    return f"<tr>{''.join(columns)}</tr>"


def _escaped(text: str) -> str:
    return escape(printable(text))
