# SPDX-License-Identifier: Apache-2.0
# pyright: reportMissingImports=false
"""Pco files as a Spark data frame: a recipe to copy. It takes numpact, pyspark 4, pyarrow, fsspec.

python spark_pco.py                                        # makes some files and reads them
spark.read.format("pco").option("column", "price").load("s3://bucket/price/*.pco")
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import numpact

# Spark has neither unsigned nor half-precision numbers: the next wider type takes them.
TYPES = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "uint8": "smallint",
    "uint16": "int",
    "uint32": "bigint",
    "float16": "float",
    "float32": "float",
    "float64": "double",
}


class PcoDataSource(DataSource):  # type: ignore[misc, unused-ignore]
    """One column of numbers from the Pco files that a pattern names; a partition for each file."""

    @classmethod
    def name(cls) -> str:
        return "pco"

    def schema(self) -> str:
        dtype = numpact.open(fetch(matches(self.options["path"])[0], 64)).dtype.name
        if dtype not in TYPES:
            raise numpact.TypeMismatchError(f"Spark has no type for {dtype}")
        return f"`{self.options.get('column', 'value')}` {TYPES[dtype]} not null"

    def reader(self, schema: StructType) -> DataSourceReader:
        return PcoReader(self.options["path"], to_arrow_schema(schema))


class PcoReader(DataSourceReader):  # type: ignore[misc, unused-ignore]
    def __init__(self, pattern: str, schema: pa.Schema) -> None:
        self._pattern, self._schema = pattern, schema

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(name) for name in matches(self._pattern)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        # Spark runs a task for each processor: one thread is enough.
        numbers = numpact.open(fetch(partition.value), threads=1)
        for chunk in numbers:
            column = pa.array(chunk).cast(self._schema.field(0).type)
            yield pa.RecordBatch.from_arrays([column], schema=self._schema)


def fetch(url: str, end_byte: int | None = None) -> bytes:
    """The file's bytes, or the first of them."""
    fs, path = fsspec.core.url_to_fs(url)
    return bytes(fs.cat_file(path, start=0, end=end_byte))


def matches(pattern: str) -> list[str]:
    names = sorted(file.full_name for file in fsspec.open_files(pattern))
    if not names:
        raise FileNotFoundError(pattern)
    return names


def make_files(folder: Path, files: int = 4, rows: int = 100_000) -> None:
    for i in range(files):
        steps = np.random.default_rng(i).integers(-3, 4, rows)
        with numpact.Writer(folder / f"{i}.pco", "float64", paging=25_000) as writer:
            writer.write((steps.cumsum() + 10_000) / 100)


def main() -> None:
    # Else Spark's workers are whatever python3 is first on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as temporary:
        make_files(Path(temporary))
        source = sys.argv[1] if len(sys.argv) > 1 else f"{temporary}/*.pco"
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        session = spark.getOrCreate()
        try:
            session.dataSource.register(PcoDataSource)
            prices = session.read.format("pco").option("column", "price").load(source)
            prices.printSchema()
            prices.selectExpr("count(*)", "round(avg(price), 4) as mean").show()
        finally:
            session.stop()


if __name__ == "__main__":
    main()
