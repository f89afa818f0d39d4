# SPDX-License-Identifier: Apache-2.0
# pyright: reportMissingImports=false
"""Folders of tables as a Spark data frame, read with filters and written: a recipe to copy.

It takes numpact, pyspark 4.1, pyarrow and fsspec.

python spark_tables.py                                     # makes a dataset and reads it
spark.read.format("numpact").load("s3://bucket/trips").where("fare > 50")
frame.write.format("numpact").mode("append").save("/mnt/shared/march")
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import datasource as source
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

import numpact

OPERATORS = {
    source.EqualTo: "=",
    source.GreaterThan: ">",
    source.GreaterThanOrEqual: ">=",
    source.LessThan: "<",
    source.LessThanOrEqual: "<=",
}


class TableSource(source.DataSource):  # type: ignore[misc, unused-ignore]
    """The tables below a folder, each a partition, with the types that Spark has."""

    @classmethod
    def name(cls) -> str:
        return "numpact"

    def schema(self) -> StructType:
        fields = numpact.open_table(tables(self.options["path"])[0]).schema
        return from_arrow_schema(fields)

    def reader(self, schema: StructType) -> source.DataSourceReader:
        return TableReader(self.options["path"], to_arrow_schema(schema))

    def writer(self, schema: StructType, overwrite: bool) -> source.DataSourceArrowWriter:
        return TableWriter(self.options["path"])


class TableReader(source.DataSourceReader):  # type: ignore[misc, unused-ignore]
    def __init__(self, root: str, schema: pa.Schema) -> None:
        self._root, self._schema = root, schema
        self._where: list[tuple[str, str, Any]] = []

    def pushFilters(self, filters: list[source.Filter]) -> Iterable[source.Filter]:
        for item in filters:
            column: tuple[str, ...] = getattr(item, "attribute", ())
            value: Any = getattr(item, "value", None)
            values = list(value) if isinstance(item, source.In) else [value]
            # Spark judges floats, of which NaN is the greatest, and times, which have its zone.
            is_plain = all(isinstance(one, (bool, int, str)) for one in values)
            if len(column) != 1 or not is_plain:
                yield item
            elif isinstance(item, source.In):
                self._where.append((column[0], "in", values))
            elif type(item) in OPERATORS:
                self._where.append((column[0], OPERATORS[type(item)], value))
            else:
                yield item

    def partitions(self) -> Sequence[source.InputPartition]:
        return [source.InputPartition(name) for name in tables(self._root)]

    def read(self, partition: source.InputPartition) -> Iterator[pa.RecordBatch]:
        # Spark runs a task for each processor: one thread is enough.
        with numpact.open_table(partition.value, threads=1) as table:
            for found in table.batches(self._schema.names, where=self._where or None):
                yield from found.to_arrow().cast(self._schema).to_batches()


class TableWriter(source.DataSourceArrowWriter):  # type: ignore[misc, unused-ignore]
    """Writes a table for each partition into a local folder, or one that all workers mount."""

    def __init__(self, root: str) -> None:
        self._root = root

    def write(self, iterator: Iterator[pa.RecordBatch]) -> source.WriterCommitMessage:
        batches = list(iterator)
        if batches:
            # A task that is run again replaces what it wrote.
            number = TaskContext.get().partitionId()
            rows = pa.Table.from_batches(batches)
            numpact.write_table(rows, f"{self._root}/part-{number:05}", threads=1, overwrite=True)
        return source.WriterCommitMessage()


def tables(root: str) -> list[str]:
    fs, path = fsspec.core.url_to_fs(root)
    found = sorted(fs.glob(f"{path}/**/manifest.json"))
    if not found:
        raise FileNotFoundError(f"{root} has no table of numpact")
    return [fs.unstrip_protocol(name.rpartition("/")[0]) for name in found]


def main() -> None:
    # Else Spark's workers are whatever python3 is first on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    random = np.random.default_rng(1)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = spark.config("spark.sql.python.filterPushdown.enabled", "true")
    session = spark.getOrCreate()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for day in range(3):
                prices = (random.integers(-3, 4, 50_000).cumsum() + 10_000) / 100
                rows = {"day": np.full(50_000, day), "price": prices, "size": np.arange(50_000)}
                numpact.write_table(rows, f"{folder}/in/day-{day}")
            session.dataSource.register(TableSource)
            frame = session.read.format("numpact").load(f"{folder}/in")
            frame.printSchema()
            some = frame.where("size >= 49000 and day in (1, 2) and price > 0")
            some.selectExpr("count(*)", "min(size)").show()
            some.write.format("numpact").mode("append").save(f"{folder}/out")
            again = session.read.format("numpact").load(f"{folder}/out")
            print(f"{again.count()} rows written")
    finally:
        session.stop()


if __name__ == "__main__":
    main()
