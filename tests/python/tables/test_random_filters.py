# SPDX-License-Identifier: Apache-2.0
"""Random filters of random tables: the rows are those of NumPy, in the logic of three values."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from tables_support import filter_oracle, small_chunks

import numpact

# The long run takes some minutes.
FILTERS = 10_000 if os.environ.get("NUMPACT_FULL") else 500
FILTERS_OF_TABLE = 50
OPS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class Ternary:
    """Which rows satisfy a filter, and for which that is not known."""

    def __init__(self, true: np.ndarray, unknown: np.ndarray) -> None:
        self.true, self.unknown = true & ~unknown, unknown

    def __invert__(self) -> Ternary:
        return Ternary(~self.true, self.unknown)

    def __and__(self, other: Ternary) -> Ternary:
        is_false = (~self).true | (~other).true
        true = self.true & other.true
        return Ternary(true, ~true & ~is_false)

    def __or__(self, other: Ternary) -> Ternary:
        return ~(~self & ~other)


class Model:
    """A random table, and comparisons with its columns."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.rows = self.chance.choice([1, 5, 60, 300])
        self.values: dict[str, np.ndarray] = {}
        self.nulls: dict[str, np.ndarray] = {}
        arrays = {}
        for name, type in (
            ("a", pa.int16()), ("b", pa.int16()), ("u", pa.uint64()), ("f", pa.float64()),
            ("g", pa.float64()), ("ok", pa.bool_()), ("day", pa.date32()),
            ("at", pa.timestamp("us")), ("s", pa.string()), ("t", pa.large_string()),
        ):  # fmt: skip
            values = self.rng.integers(-9, 10, self.rows)
            if self.chance.random() < 0.3:
                values = np.sort(values)  # ranges of chunks that exclude something
            if name in "fg":
                values = values / 2.0
                values[self.rng.random(self.rows) < 0.1] = np.nan
                values[self.rng.random(self.rows) < 0.05] = -0.0
            elif name == "u":
                values = values % 10
            elif name == "ok":
                values = values % 2
            self.values[name] = values
            share = self.chance.choice([0.0, 0.2, 0.9])
            self.nulls[name] = self.rng.random(self.rows) < share
            if name in "st":
                made = [self.text_of(x) for x in values]
                arrays[name] = pa.array(made, type, mask=self.nulls[name])
            elif name in ("ok", "day", "at"):
                stored = pa.array(values.astype("i4" if name == "day" else "i8"))
                plain = pa.array(stored.to_numpy(), mask=self.nulls[name])
                arrays[name] = plain.cast(type) if name == "ok" else plain.view(type)
            else:
                arrays[name] = pa.array(values, type, mask=self.nulls[name])
        self.table = pa.table({"row": np.arange(self.rows), **arrays})

    @staticmethod
    def text_of(value: int) -> str:
        return "xyz"[value % 3] * (abs(value) // 3)

    def literal(self, name: str, value: int) -> str:
        if name in "fg":
            return self.chance.choice([str(value / 2), f"{value * 5}e-1"])
        if name == "ok":
            return "true" if value % 2 else "false"
        if name == "day":
            return str(np.datetime64(value, "D"))
        if name == "at":
            return f"'{np.datetime64(value, 'us')}'"
        return f"'{self.text_of(value)}'" if name in "st" else str(value)

    def keys(self, name: str) -> np.ndarray:
        """What is compared: texts by themselves."""
        values = self.values[name]
        return np.array([self.text_of(x) for x in values]) if name in "st" else values

    def key(self, name: str, value: int) -> object:
        if name in "fg":
            return value / 2
        if name == "ok":
            return value % 2
        return self.text_of(value) if name in "st" else value

    def ternary(self, name: str, test: Callable[[np.ndarray], np.ndarray]) -> Ternary:
        return Ternary(np.asarray(test(self.keys(name)), np.bool_), self.nulls[name])

    def leaf(self) -> tuple[str, Ternary]:
        chance = self.chance
        name = chance.choice([*self.values])
        value, other = chance.randrange(-10, 11), chance.randrange(-10, 11)
        kind = chance.choice(["compare"] * 4 + ["null", "in", "between", "like", "pair", "nan"])
        if kind == "null":
            is_null = chance.random() < 0.5
            known = np.zeros(self.rows, np.bool_)
            text = f"{name} is null" if is_null else f"{name} is not null"
            return text, Ternary(self.nulls[name] == is_null, known)
        if kind == "in":
            values = [chance.randrange(-10, 11) for _ in range(chance.choice([1, 3, 9]))]
            listed = ", ".join(self.literal(name, x) for x in values)
            keys = [self.key(name, x) for x in values]
            return f"{name} in ({listed})", self.ternary(name, lambda x: np.isin(x, keys))
        if kind == "between":
            low, high = self.key(name, value), self.key(name, other)
            text = f"{name} between {self.literal(name, value)} and {self.literal(name, other)}"
            return text, self.ternary(name, lambda x: (x >= low) & (x <= high))
        if kind == "like":
            name, start = chance.choice("st"), chance.choice(["", "x", "yy", "z"])
            return f"{name} like '{start}%'", self.ternary(
                name, lambda x: np.char.startswith(x, start)
            )
        if kind == "nan":
            name = chance.choice("fg")
            return f"{name} = nan", self.ternary(name, np.isnan)
        op = chance.choice([*OPS])
        if kind == "pair":
            name, second = chance.choice(["ab", "ba", "fg", "gf", "aa"])
            x, y = self.values[name], self.values[second]
            found = OPS[op](x, y)
            both = np.isnan(x) & np.isnan(y)
            found = found | both if op == "=" else found & ~both if op == "!=" else found
            return f"{name} {op} {second}", Ternary(found, self.nulls[name] | self.nulls[second])
        key = self.key(name, value)
        text = f"{name} {op} {self.literal(name, value)}"
        return text, self.ternary(name, lambda x: OPS[op](x, key))


def test_random_filters(tmp_path: Path) -> None:
    expression = filter_oracle().expression
    for seed in range(FILTERS // FILTERS_OF_TABLE):
        model = Model(seed)
        folder = tmp_path / str(seed)
        small_chunks(model.table, folder, model.chance.choice([3, 16, 100]))
        opened = numpact.open_table(folder, threads=1)
        for _ in range(FILTERS_OF_TABLE):
            leaves = [model.leaf() for _ in range(model.chance.choice([1, 2, 6]))]
            text, ternary = expression(leaves, model.chance, model.chance.randrange(4))
            rows = np.flatnonzero(ternary.true)
            assert opened.row_numbers(text).tolist() == rows.tolist(), (seed, text)
            found = opened.read(["row", "s"], where=text)
            assert found["row"].to_pylist() == rows.tolist(), (seed, text)
            expected = [model.table["s"][int(row)].as_py() for row in rows]
            assert found["s"].to_pylist() == expected, (seed, text)
            first = model.chance.randrange(model.rows)
            part = opened.read(["row"], rows=(first, model.rows), where=text)["row"].to_pylist()
            assert part == [row for row in rows.tolist() if row >= first], (seed, text)
