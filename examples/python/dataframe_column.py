# SPDX-License-Identifier: Apache-2.0
"""A DataFrame to disk and back, a file for each column, nulls and types kept.

    ./dev python examples/python/dataframe_column.py [FILE.parquet]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import numpact

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "aircraft_positions.parquet"


def store(frame: pa.Table, folder: Path) -> dict[str, int]:
    """Writes each column that holds numbers; gives the bytes that each one takes."""
    sizes = {}
    for name in frame.column_names:
        try:
            packed = numpact.compress_arrow(frame[name])
        except numpact.TypeMismatchError as error:
            print(f"{name}: left out, {error}")
            continue
        (folder / f"{name}.npac").write_bytes(packed)
        sizes[name] = len(packed)
    return sizes


def load(folder: Path, columns: list[str]) -> pa.Table:
    """Reads columns back; pandas and polars take the result as well."""
    arrays = [pa.array(numpact.decompress_arrow((folder / f"{c}.npac").read_bytes())) for c in columns]
    return pa.table(dict(zip(columns, arrays, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=SAMPLE)
    frame = pq.read_table(parser.parse_args().file)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = store(frame, folder)
        again = load(folder, list(sizes))
        for column, size in sizes.items():
            same = again[column].combine_chunks().equals(frame[column].combine_chunks())
            raw = frame[column].nbytes
            print(
                f"{column:>16} {frame[column].type!s:>20} {raw:>10} -> {size:>9} bytes"
                f" {raw / size:6.2f} times smaller, {'equal' if same else 'NOT EQUAL'}"
            )
            if not same:
                raise SystemExit(1)


if __name__ == "__main__":
    main()
