# SPDX-License-Identifier: Apache-2.0
"""tests/fixtures/filters: the table, and filters with the rows that they select."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "fixtures/filters"


class Line(NamedTuple):
    filter: str
    rows: list[int] | None  #: None: it is refused


def oracle() -> ModuleType:
    """The script that wrote the lines."""
    spec = importlib.util.spec_from_file_location("filters_make", FOLDER / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _fields() -> list[list[str]]:
    text = (FOLDER / "filters.txt").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.split("\n") if line and not line.startswith("#")]


def lines() -> list[Line]:
    made = []
    for fields in _fields():
        if fields[0] == "column":
            continue
        filter = fields[0].replace("\\t", "\t").replace("\\n", "\n")
        rows = None if fields[1] == "refused" else [int(row) for row in fields[1].split()]
        made.append(Line(filter, rows))
    return made


def table():  # noqa: ANN201 - of pyarrow, which not all that import this have
    """The table of pyarrow, with the numbers of its rows as the first column."""
    import pyarrow as pa

    columns = {"row": pa.array(range(12), pa.int32())}
    for fields in _fields():
        if fields[0] == "column":
            texts = [None if text == "null" else text for text in fields[3].split("|")]
            columns[fields[1]] = _column(fields[2], texts)
    return pa.table(columns)


def _column(name: str, texts: list[str | None]):  # noqa: ANN202
    from decimal import Decimal

    import numpy as np
    import pyarrow as pa

    if name == "string":
        return pa.array(texts, pa.string())
    if name == "dictionary":
        return pa.array(texts, pa.string()).dictionary_encode()
    if name.startswith("decimal"):
        width, precision, scale = _numbers(name)
        type = (pa.decimal256 if width == 256 else pa.decimal128)(precision, scale)
        return pa.array([None if text is None else Decimal(text) for text in texts], type)
    if name == "list":
        return pa.array([None if x is None else [int(x)] for x in texts], pa.list_(pa.int64()))
    if name[0] == "f" and name[1:].isdigit():
        dtype = np.dtype(f"f{int(name[1:]) // 8}")
        numbers = np.array([float.fromhex(x or "0") for x in texts], dtype)
        return pa.array(numbers, mask=np.array([x is None for x in texts]))
    whole = [None if x is None else int(x) for x in texts]
    if name == "bool":
        return pa.array(whole, pa.uint8()).cast(pa.bool_())
    if name[0] in "iu" and name[1:].isdigit():
        return pa.array(whole, getattr(pa, f"{'u' * (name[0] == 'u')}int{name[1:]}")())
    return pa.array(whole, pa.int32() if "32" in name else pa.int64()).cast(_type_of(name))


def _numbers(name: str) -> list[int]:
    head, _, rest = name.removeprefix("decimal").partition("(")
    return [int(head), *(int(part) for part in rest.rstrip(")").split(","))]


def _type_of(name: str):  # noqa: ANN202
    import pyarrow as pa

    kind, _, rest = name.partition("[")
    arguments = rest.rstrip("]").split(", ") if rest else []
    return getattr(pa, kind)(*arguments)
