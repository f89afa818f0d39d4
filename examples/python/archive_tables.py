# SPDX-License-Identifier: Apache-2.0
"""Archives a day of trades as a table, appends the next, reads a filtered slice into polars.

./dev python examples/python/archive_tables.py
"""

import tempfile
from datetime import datetime, timedelta

import polars as pl

import numpact


def trades(day: datetime) -> pl.DataFrame:
    """A day of trades of two shares, one each second; some have no condition code."""
    at = [day + timedelta(seconds=i) for i in range(86_400)]
    price = [round(101 + i % 977 / 100 + day.day, 2) for i in range(86_400)]
    symbol = ["NPCT" if i % 3 else "CVCX" for i in range(86_400)]
    code = [None if i % 5 else i % 7 for i in range(86_400)]
    return pl.DataFrame({"at": at, "symbol": symbol, "price": price, "code": code})


with tempfile.TemporaryDirectory() as folder:
    archive = f"{folder}/trades"
    numpact.write_table(trades(datetime(2024, 1, 1)), archive)
    numpact.append_table(trades(datetime(2024, 1, 2)), archive)

    where = "at >= '2024-01-02T09:30' and at < '2024-01-02T09:31' and symbol = 'NPCT'"
    minute = numpact.read_table(archive, columns=["at", "price"], where=where).to_polars()
    mean = numpact.scan_table(archive).filter(pl.col("price") > 110).select(pl.mean("price"))
    print(minute.head(3), mean.collect().item(), sep="\n")
    assert minute.height == 40
    assert len(numpact.open_table(archive)) == 2 * 86_400
