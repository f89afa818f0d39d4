# SPDX-License-Identifier: Apache-2.0
"""A made table of trades with the types that a day of a market has: times with a zone, text, a
dictionary, prices, nulls, decimals, durations. The same rows for the same seed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

ROWS = 5_000_000
SYMBOLS, VENUES = 200, 12
CONDITIONS = ("@", "@ I", "@F", "@F I", "@ T", "@FTI")
DAY_NS = 86_400 * 10**9
OPEN_NS, CLOSE_NS = (9 * 3600 + 1800) * 10**9, 16 * 3600 * 10**9
# 2024-03-11, 00:00 in New York, as nanoseconds since 1970 in UTC.
MIDNIGHT_NS = 1_710_129_600 * 10**9
BASIS_POINT = 1e-4


def _symbols(random: np.random.Generator) -> np.ndarray:
    """Distinct names of one to four letters."""
    names: set[str] = set()
    while len(names) < SYMBOLS:
        letters = random.integers(ord("A"), ord("Z") + 1, random.integers(1, 5))
        names.add("".join(map(chr, letters)))
    return np.array(sorted(names))


def _walks(random: np.random.Generator, which: np.ndarray) -> np.ndarray:
    """A price for each trade, in cents: a random walk for each symbol."""
    prices = np.empty(len(which), np.int64)
    for symbol in range(SYMBOLS):
        rows = np.flatnonzero(which == symbol)
        steps = random.normal(0, BASIS_POINT / 2, len(rows)).cumsum()
        start = np.exp(random.normal(4, 1))
        prices[rows] = np.maximum(1, np.rint(100 * start * np.exp(steps)))
    return prices


def trades(rows: int = ROWS, seed: int = 1) -> pa.Table:
    """`rows` trades of one day, sorted by time; 14 columns."""
    random = np.random.default_rng(seed)
    gaps = random.exponential(1.0, rows + 1).cumsum()
    since_midnight = OPEN_NS + (gaps[:-1] / gaps[-1] * (CLOSE_NS - OPEN_NS)).astype(np.int64)
    shares = 1 / np.arange(1, SYMBOLS + 1)
    which = random.choice(SYMBOLS, rows, p=shares / shares.sum())
    cents = _walks(random, which)
    spread = random.geometric(0.5, rows)
    lots = random.random(rows) < 0.6
    size = np.where(lots, 100 * random.geometric(0.6, rows), random.integers(1, 100, rows))
    latency = np.rint(random.lognormal(10.5, 0.7, rows)).astype(np.int64)
    fx = 1.09 + np.rint(random.normal(0, 0.6, rows)).cumsum() * 1e-5
    odd_lot = pa.array(size < 100, mask=random.random(rows) < 0.01)
    notional = pa.array(cents * size).cast(pa.decimal128(19, 0))
    cents_type, hundredth = pa.decimal128(18, 2), pa.scalar(100, pa.decimal128(3, 0))
    columns = {
        "ts": pa.array(MIDNIGHT_NS + since_midnight, pa.timestamp("ns", "America/New_York")),
        "symbol": pa.array(_symbols(random)).take(pa.array(random.permutation(SYMBOLS)[which])),
        "venue": pa.DictionaryArray.from_arrays(
            pa.array(random.choice(VENUES, rows, p=_falling(VENUES)), pa.int8()),
            [f"venue {i}" for i in range(VENUES)]),
        "price": pa.array(cents / 100),
        "bid": pa.array((cents - spread) / 100, mask=random.random(rows) < 0.03),
        "fx": pa.array(np.round(fx, 5)),
        "size": pa.array(size, pa.int32()),
        "odd_lot": odd_lot,
        "cond": pa.array(CONDITIONS).take(pa.array(random.choice(6, rows, p=_falling(6)))),
        "notional": pa.compute.divide(notional, hundredth).cast(cents_type),
        "latency": pa.array(latency, pa.duration("ns")),
        "date": pa.array(np.full(rows, MIDNIGHT_NS // DAY_NS, np.int32), pa.date32()),
        "time": pa.array((since_midnight - latency) // 1000, pa.time64("us")),
        "seq": pa.array(np.arange(rows) + 10_000_000, pa.uint64()),
    }
    return pa.table(columns)


def _falling(count: int) -> np.ndarray:
    shares = 0.5 ** np.arange(count)
    return shares / shares.sum()
