# SPDX-License-Identifier: Apache-2.0
"""Vectors from CVC files in the indexes of other libraries, and from and to their files.

Where the other library's code is the same, codes are handed over as they are stored: fp16, int8_dim
and int4 to faiss, fp16 to usearch. hnswlib takes float32 values, chunk by chunk.

    ./dev python examples/python/vector_indexes.py [FILE.npy]

Needs those of faiss-cpu, usearch, hnswlib, pylance and pyarrow that are to be tried.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from embeddings_search import made_up, recall

from numpact import cvc

Matrix = npt.NDArray[Any]
Reader = cvc.Reader


def to_faiss(path: Path) -> Any:
    """An index that scans all codes, of a file of fp16, int8_dim or int4 in one chunk.

    faiss has one minimum and one range for each dimension, CVC one of each for each chunk. faiss
    reads a code q of 8 bits as minimum + (q + 0.5) / 255 * range, CVC as q * scale + min.
    """
    import faiss

    reader = Reader(path)
    codes, runs = reader.read_codes()
    run = runs[0]
    if len(runs) > 1 and run.compression != "fp16":
        raise ValueError(f"{path} has {len(runs)} chunks: pack it with chunk_size={len(reader)}")
    kinds = {
        "fp16": (faiss.ScalarQuantizer.QT_fp16, 0),
        "int8_dim": (faiss.ScalarQuantizer.QT_8bit, 255),
        "int4": (faiss.ScalarQuantizer.QT_4bit, 15),
    }
    kind, steps = kinds[run.compression]
    index = faiss.IndexScalarQuantizer(reader.shape[1], kind, faiss.METRIC_L2)
    if steps:
        trained = np.concatenate([run.mins - run.scales / 2, run.scales * np.float32(steps)])
        faiss.copy_array_to_vector(trained, index.sq.trained)
    faiss.copy_array_to_vector(codes.reshape(-1).view(np.uint8), index.codes)
    index.ntotal, index.is_trained = len(reader), True
    return index


def to_usearch(path: Path) -> Any:
    """A graph of fp16 vectors; their bits are those of the file."""
    from usearch.index import Index

    reader = Reader(path)
    index = Index(ndim=reader.shape[1], metric="l2sq", dtype="f16")
    for number, chunk in enumerate(reader.info.chunks):
        halves = reader.read_chunk(number, dtype=np.float16)
        index.add(np.arange(chunk.first_row, chunk.first_row + chunk.rows), halves)
    return index


def to_hnswlib(path: Path) -> Any:
    """A graph of float32 vectors, whatever the file holds."""
    import hnswlib

    reader = Reader(path)
    index = hnswlib.Index(space="l2", dim=reader.shape[1])
    index.init_index(max_elements=len(reader), ef_construction=100, M=16, random_seed=1)
    for number, chunk in enumerate(reader.info.chunks):
        rows = np.arange(chunk.first_row, chunk.first_row + chunk.rows)
        index.add_items(reader.read_chunk(number, dtype=np.float32), rows)
    index.set_ef(100)
    return index


def batches(path: Path) -> tuple[Any, Iterator[Any]]:
    """A schema and the chunks of a file as record batches of pyarrow, for Lance, Parquet, ..."""
    import pyarrow as pa

    reader = Reader(path)
    schema = pa.schema({"vectors": pa.list_(pa.float32(), reader.shape[1])})

    def read() -> Iterator[Any]:
        for number in range(len(reader.info.chunks)):
            values = reader.read_chunk(number, dtype=np.float32).reshape(-1)
            lists = pa.FixedSizeListArray.from_arrays(pa.array(values), reader.shape[1])
            yield pa.record_batch([lists], schema)

    return schema, read()


def pack_batches(stream: Any, path: Path, compression: str) -> None:
    """Packs a column ``vectors`` of fixed-size lists, batch by batch: the way back."""
    with cvc.Writer(path, compression=compression) as writer:
        for batch in stream:
            lists = batch.column("vectors")
            writer.append(lists.flatten().to_numpy().reshape(len(lists), -1))


def through_lance(path: Path, folder: Path) -> Path:
    """A dataset of Lance with the vectors of a file, and a file with those of the dataset."""
    import lance
    import pyarrow as pa

    schema, read = batches(path)
    data = lance.write_dataset(pa.RecordBatchReader.from_batches(schema, read), folder / "lance")
    pack_batches(data.to_batches(), folder / "lance.cvc", "lossless")
    return folder / "lance.cvc"


def through_parquet(path: Path, folder: Path) -> Path:
    """The same with Parquet."""
    import pyarrow.parquet as pq

    schema, read = batches(path)
    with pq.ParquetWriter(folder / "vectors.parquet", schema, compression="zstd") as writer:
        for batch in read:
            writer.write_batch(batch)
    pack_batches(
        pq.ParquetFile(folder / "vectors.parquet").iter_batches(),
        folder / "parquet.cvc",
        "lossless",
    )
    return folder / "parquet.cvc"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a matrix of floats")
    arguments = parser.parse_args()
    vectors = np.load(arguments.file) if arguments.file else made_up(4000, 96)
    vectors = vectors.astype(np.float32)
    queries = vectors[:: max(1, len(vectors) // 100)]
    squares = (vectors**2).sum(axis=1) - 2 * queries @ vectors.T
    expected = np.argsort(squares, axis=1, kind="stable")[:, :10]

    searches: list[tuple[str, str, str, Callable[[Path], Any], Callable[[Any], Any]]] = [
        ("faiss", "fp16", "as stored", to_faiss, lambda index: index.search(queries, 10)[1]),
        ("faiss", "int8_dim", "as stored", to_faiss, lambda index: index.search(queries, 10)[1]),
        ("faiss", "int4", "as stored", to_faiss, lambda index: index.search(queries, 10)[1]),
        ("usearch", "fp16", "as stored", to_usearch, lambda index: index.search(queries, 10).keys),
        (
            "hnswlib",
            "int8_dim",
            "decoded",
            to_hnswlib,
            lambda index: index.knn_query(queries, 10)[0],
        ),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("library   compression  handed over  recall@10")
        for library, compression, how, make, find in searches:
            if importlib.util.find_spec(library) is None:
                print(f"{library:9} is not installed")
                continue
            path = folder / f"{compression}.cvc"
            cvc.pack_cvc(vectors, path, compression, chunk_size=len(vectors))
            share = recall(np.asarray(find(make(path))).astype(np.int64), expected)
            print(f"{library:9} {compression:11}  {how:11}  {share:9.3f}")
        exact = folder / "exact.cvc"
        cvc.pack_cvc(vectors, exact, "lossless", chunk_size=1000)
        for library, through in (("lance", through_lance), ("pyarrow", through_parquet)):
            if importlib.util.find_spec(library) is None:
                print(f"{library:9} is not installed")
                continue
            same = np.array_equal(cvc.load_cvc(through(exact, folder)), vectors)
            print(f"{library:9} there and back: {'the same values' if same else 'other values'}")


if __name__ == "__main__":
    main()
