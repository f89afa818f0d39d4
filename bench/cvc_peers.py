#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vectors in CVC files and in other formats: bytes, and the times of reading all, 1,000 random rows
and one row, into arrays of NumPy, from files that are open and in the page cache; and recall@10.
With --codes it prints the bytes of a row and the recall of codes only, also those of faiss.

Recall: the last 1,000 rows are queries, which no file holds; the nearest by l2 among the others.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import faiss
import lance
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import vortex
from rounds import best_of_rounds
from safetensors import numpy as safe_numpy
from safetensors import safe_open

from numpact import cvc

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "emb_wine_minilm_384.npy"
QUERIES, NEIGHBOURS, RANDOM_ROWS = 1000, 10, 1000
# Rows of a chunk of CVC, and of a row group of Parquet.
CHUNK_ROWS = 16_384

# Reads rows; None: all.
Read = Callable[[np.ndarray | None], np.ndarray]


def column(rows: np.ndarray) -> pa.Table:
    flat = pa.array(rows.reshape(-1))
    return pa.table({"v": pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])})


def values(found: pa.Table | pa.RecordBatch | pa.ChunkedArray, dimension: int) -> np.ndarray:
    if isinstance(found, pa.Table | pa.RecordBatch):
        found = found.column(0)
    if isinstance(found, pa.ChunkedArray):
        found = found.combine_chunks()
    return np.asarray(found.flatten()).reshape(-1, dimension)


def with_cvc(path: Path, rows: np.ndarray, compression: str) -> Read:
    cvc.pack_cvc(rows, path, compression, chunk_size=CHUNK_ROWS)
    reader = cvc.Reader(path, threads=1)
    dtype = "float16" if compression == "fp16" else "float32"
    return lambda chosen_rows: (reader.read(dtype=dtype) if chosen_rows is None
                           else reader.gather(chosen_rows, dtype=dtype))


def with_npy(path: Path, rows: np.ndarray, dtype: str) -> Read:
    np.save(path, rows.astype(dtype))
    mapped = np.load(path, mmap_mode="r")
    return lambda chosen_rows: np.array(mapped) if chosen_rows is None else mapped[chosen_rows]


def with_safetensors(path: Path, rows: np.ndarray) -> Read:
    safe_numpy.save_file({"v": rows}, path)
    file = safe_open(path, "np")

    def read(chosen_rows: np.ndarray | None) -> np.ndarray:
        if chosen_rows is None:
            return file.get_tensor("v")
        part = file.get_slice("v")
        return np.concatenate([part[int(row) : int(row) + 1] for row in chosen_rows])

    return read


def with_parquet(path: Path, rows: np.ndarray) -> Read:
    pq.write_table(column(rows), path, row_group_size=CHUNK_ROWS, compression="zstd",
                   use_dictionary=False, column_encoding={"v.list.element": "BYTE_STREAM_SPLIT"})
    file = pq.ParquetFile(path)

    def read(chosen_rows: np.ndarray | None) -> np.ndarray:
        if chosen_rows is None:
            return values(file.read(use_threads=False), rows.shape[1])
        out = np.empty((len(chosen_rows), rows.shape[1]), rows.dtype)
        for group in np.unique(chosen_rows // CHUNK_ROWS):
            here = chosen_rows // CHUNK_ROWS == group
            found = values(file.read_row_group(group, use_threads=False), rows.shape[1])
            out[here] = found[chosen_rows[here] % CHUNK_ROWS]
        return out

    return read


def with_lance(path: Path, rows: np.ndarray) -> Read:
    data = lance.write_dataset(column(rows), path)
    return lambda chosen_rows: values(data.to_table() if chosen_rows is None
                                 else data.take(chosen_rows.tolist()), rows.shape[1])


def with_vortex(path: Path, rows: np.ndarray) -> Read:
    vortex.io.write(vortex.array(column(rows)), str(path))
    file = vortex.open(str(path))

    def read(chosen_rows: np.ndarray | None) -> np.ndarray:
        if chosen_rows is None:
            return values(file.scan().read_all().to_arrow_table(), rows.shape[1])
        order = np.argsort(chosen_rows, kind="stable")  # indices are to be sorted
        found = file.scan(indices=vortex.array(pa.array(np.sort(chosen_rows).astype("u8"))))
        out = np.empty((len(chosen_rows), rows.shape[1]), rows.dtype)
        out[order] = values(found.read_all().to_arrow_table(), rows.shape[1])
        return out

    return read


def nearest(rows: np.ndarray, queries: np.ndarray) -> np.ndarray:
    norms = np.einsum("ij,ij->i", rows, rows)
    found = [np.argpartition(norms - 2 * (part @ rows.T), NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
             for part in np.array_split(queries, 10)]
    return np.concatenate(found)


def recall(exact: np.ndarray, found: np.ndarray) -> float:
    return float(np.mean([len(set(a) & set(b)) / NEIGHBOURS
                          for a, b in zip(exact.tolist(), found.tolist(), strict=True)]))


def size_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def faiss_codes(rows: np.ndarray, kind: str) -> tuple[np.ndarray, float]:
    """What codes of faiss decode to, and bytes of a row: of its code, and its share of the tables
    that product quantization learns from all rows."""
    faiss.omp_set_num_threads(1)
    index = faiss.index_factory(rows.shape[1], kind)
    if kind.startswith("PQ"):
        index.do_polysemous_training = False  # orders codes for another kind of search, by minutes
    index.train(rows)
    index.add(rows)
    tables = 4 * 256 * rows.shape[1] if kind.startswith("PQ") else 8 * rows.shape[1]
    return index.reconstruct_n(0, len(rows)), index.code_size + tables / len(rows)


def cvc_codes(rows: np.ndarray, compression: str) -> tuple[np.ndarray, float]:
    with cvc.Writer(None, compression=compression, chunk_size=len(rows)) as writer:
        writer.append(rows)
    return cvc.Reader(writer.contents).read(dtype=np.float32), len(writer.contents) / len(rows)


def print_codes(rows: np.ndarray, queries: np.ndarray, exact: np.ndarray) -> None:
    """Product quantization divides the dimensions evenly: each byte stands for 2 to 8 of them."""
    dimension = rows.shape[1]
    made = {name: lambda name=name: cvc_codes(rows, name)
            for name in ("rot1", "rot2", "rot3", "rot4", "int4", "int8_dim", "int8_row")}
    made["faiss SQ4"] = lambda: faiss_codes(rows, "SQ4")
    for count in (n for n in range(dimension // 2, dimension // 8, -1) if dimension % n == 0):
        made[f"faiss PQ{count}"] = lambda count=count: faiss_codes(rows, f"PQ{count}x8")
    print("| | bytes of a row | recall@10 |\n| --- | --- | --- |")
    for name, codes in made.items():
        decoded, row_bytes = codes()
        print(f"| {name} | {row_bytes:.1f} | {recall(exact, nearest(decoded, queries)):.4f} |",
              flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", default=DATA, help="a matrix, .npy")
    parser.add_argument("--seconds", type=float, default=20, help="for each kind of reading")
    parser.add_argument("--codes", action="store_true", help="the recall of codes, nothing else")
    options = parser.parse_args()
    matrix = np.load(options.file).astype(np.float32)
    rows, queries = np.ascontiguousarray(matrix[:-QUERIES]), matrix[-QUERIES:]
    exact = nearest(rows, queries)
    if options.codes:
        return print_codes(rows, queries, exact)
    random = np.random.default_rng(1)
    chosen = random.permutation(len(rows))[:RANDOM_ROWS]
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        made: dict[str, Callable[[Path], Read]] = {
            **{f"CVC {name}": lambda path, name=name: with_cvc(path, rows, name)
               for name in ("pco", "lossless", "fp16", "int8_dim", "rot4", "int4")},
            ".npy float32, mapped": lambda path: with_npy(path, rows, "f4"),
            ".npy float16, mapped": lambda path: with_npy(path, rows, "f2"),
            "safetensors": lambda path: with_safetensors(path, rows),
            f"Lance {lance.__version__}": lambda path: with_lance(path, rows),
            "Parquet, zstd": lambda path: with_parquet(path, rows),
            "Vortex": lambda path: with_vortex(path, rows),
        }  # fmt: skip
        paths = {name: Path(folder) / f"{i}.npy" for i, name in enumerate(made)}
        reads = {name: make(paths[name]) for name, make in made.items()}
        recalls = {name: recall(exact, nearest(read(None).astype(np.float32), queries))
                   for name, read in reads.items()}
        for read in reads.values():
            assert (read(chosen) == read(None)[chosen]).all()
        times = [
            best_of_rounds({name: lambda read=read, rows=chosen_rows: read(rows)
                            for name, read in reads.items()}, 3, options.seconds)[0]
            for chosen_rows in (None, chosen, chosen[:1])
        ]  # fmt: skip
        print(f"{options.file.name}: {rows.shape[0]:,} x {rows.shape[1]} float32")
        print(f"| | bytes | all, ms | {RANDOM_ROWS:,} rows, ms | one row, us | recall@10 |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name in made:
            whole, some, one = (time[name] for time in times)
            print(f"| {name} | {size_of(paths[name]):,} | {whole * 1e3:.1f} | {some * 1e3:.2f} | "
                  f"{one * 1e6:.1f} | {recalls[name]:.4f} |")


if __name__ == "__main__":
    main()
