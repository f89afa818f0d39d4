# SPDX-License-Identifier: Apache-2.0
"""Reports of objects as text and as HTML for notebooks."""

from __future__ import annotations

import pickle
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc
from numpact._views import Table, View, as_html, as_text

NUMBERS = np.round(1000 + np.random.default_rng(5).normal(size=6000).cumsum(), 2)
# Markup, a terminal's escape sequence, a mark of text direction.
HOSTILE = "<script>alert(1)</script>\"'&\x1b[31m\u202e"
TAGS = {"div", "p", "b", "table", "caption", "tr", "th", "td", "figure", "figcaption", "svg"}
TAGS |= {"rect", "title"}


class Content(HTMLParser):
    """The tags and the text of an HTML fragment."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style", "colspan"} or tag in ("svg", "rect")
        if tag in ("td", "th", "b", "caption"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def shown(thing: Any) -> Content:
    """The content of a view, whose text has no more than that of the notebook."""
    content = Content(thing._repr_html_())
    assert content.tags <= TAGS
    return content


def test_explanations() -> None:
    why = numpact.explain(NUMBERS)
    content = shown(why)
    for words in ("codes: which bin each latent is in", "padding", "taken", "6,000 f64"):
        assert any(words in cell for cell in content.cells), words
        assert words in str(why)
    packed = f"{why['file'].file_bytes:,} bytes"
    assert packed in str(why)
    assert any(packed in cell for cell in content.cells)
    # It remains a dictionary.
    assert pickle.loads(pickle.dumps(why)) == dict(why) == why
    many = numpact.explain(NUMBERS, paging=500)
    assert "and 4 more" in str(many)
    assert "and 4 more" in shown(many).cells
    assert "0 of no type" not in str(numpact.explain(np.empty(0, np.float32)))


def test_the_parts_of_an_explanation_add_up() -> None:
    why = numpact.explain(NUMBERS, paging=500)
    cells = shown(why).cells
    names = [
        cells.index(cell) for cell in cells if cell.startswith(("codes:", "offsets:", "bins:"))
    ]
    sizes = [float(cells[at + 1].replace(",", "")) for at in names]
    expected = [why["parts"][key] / 8 for key in ("codes", "offsets", "bins")]
    assert sizes == pytest.approx(expected, abs=0.06)
    assert cells[cells.index("all") + 1] == f"{why['file'].file_bytes:,}"


def test_verifications() -> None:
    file = bytearray(numpact.compress(NUMBERS, paging=1000, trailer=True))
    size = numpact.verify(file).file_bytes
    good = f"OK, 6,000 f64 numbers, {size:,} bytes and a trailer of {len(file) - size:,}; "
    assert str(numpact.verify(file)) == f"{good}checksums match"
    assert shown(numpact.verify(file)).cells == [f"{good}checksums match"]
    file[numpact.read_trailer(file).chunks[2].offset + 30] ^= 1
    found = numpact.verify(file)
    lines = str(found).splitlines()
    assert lines[0] == "corrupt: 5,000 numbers are good"
    assert lines[-1].split()[:3] == ["2", "2000", "1,000"]
    assert repr(found) == str(found)
    assert "1,000" in shown(found).cells
    other = numpact.verify(b"PAR1" + bytes(100))
    assert "corrupt" not in str(other)
    assert "a Parquet file" in str(other)


def test_trailers() -> None:
    numbers = NUMBERS.copy()
    numbers[:500] = np.nan
    trailer = numpact.read_trailer(numpact.compress(numbers, paging=500, trailer=True))
    assert trailer is not None
    lines = str(trailer).splitlines()
    assert "6,000 f64 numbers in 12 chunks" in lines[0]
    assert lines[2].split()[:3] == ["0", "0", "500"]
    assert lines[2].split()[-3:] == ["-", "-", "500"]  # only NaN
    assert lines[-1].strip() == "and 4 more"
    minimum, maximum = str(numbers[500:1000].min()), str(numbers[500:1000].max())
    assert lines[3].split()[5:7] == [minimum, maximum]
    assert minimum in shown(trailer).cells
    assert "and 4 more" in shown(trailer).cells


def test_open_files(tmp_path: Path) -> None:
    path = tmp_path / HOSTILE.replace("/", "|")
    path.write_bytes(numpact.compress(NUMBERS, paging=500, trailer=True))
    file = numpact.open(path)
    assert "numbers" in shown(file).cells
    assert file._reader is None  # was not scanned for the view
    assert len(file) == 6000
    content = shown(file)
    assert "6,000, 48,000 bytes" in content.cells
    assert "index and checksums" in content.cells
    assert "\\x1b[31m\\u202e" in content.cells[0]
    assert "6,000 numbers" in repr(file)
    file.close()
    assert shown(file).cells[0].endswith("closed")


def test_readers_of_vectors(tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    columns = {HOSTILE: np.ones((3000, 4), np.float32), "id": np.arange(3000)}
    cvc.pack_cvc_columns(columns, path, chunk_size=100)
    content = shown(cvc.Reader(path))
    assert "CVC 2.0, columnar" in content.cells[0]
    assert content.cells[content.cells.index("rows") + 1] == "3,000"
    assert any("<script>" in cell and "\\x1b" in cell for cell in content.cells)
    assert "and 22 more" in content.cells
    assert "3,000 rows" in repr(cvc.Reader(path))


def test_views_escape_what_they_show() -> None:
    table = Table(HOSTILE, [HOSTILE, ">b"], [[HOSTILE, "1"]], 3)
    view = View(HOSTILE, [(HOSTILE, HOSTILE)], [table])
    assert Content(as_html(view)).tags <= TAGS
    assert "<script" not in as_html(view)
    for text in (as_text(view), as_html(view)):
        assert not any(char in text for char in "\x1b\u202e")
        assert "and 2 more" in text
    assert as_text(View("x" * 10_000)) == "x" * 199 + "…"
    assert as_text(View("\ud800a")) == "\\ud800a"
