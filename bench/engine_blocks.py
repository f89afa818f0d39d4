#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks of 64 KiB to 1 MiB through the interface that a column store calls (integrations/
clickhouse), compared with zstd and LZ4: sizes and speeds.

Every codec gets as many bytes of output as the block has, and a block that does not fit is stored
as it is. All are called through ctypes with contexts that are kept. ALP is that of DuckDB, whose
file tells its size only.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import ctypes.util
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from ctypes import byref, c_char_p, c_int, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
from columns import columns, default_folder

KIB = 1024
LIBRARY = "libnumpact_bench_pco.so"
OK, WONT_FIT = 0, 1
# DuckDB keeps numbers in vectors of 1,024 for any size of block; its file grows by blocks of
# this size, the smallest it allows, which blurs sizes by 1.6 % of a column of 1 MiB.
DUCKDB_BLOCK_BYTES = 16 * KIB


def best_seconds(actions: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least processor time of each, which other programs of the machine disturb less than they
    disturb the clock. They take turns, in another order each time."""
    names = list(actions)
    best = dict.fromkeys(names, math.inf)
    shuffle = random.Random(1).shuffle
    for _ in range(rounds):
        shuffle(names)
        for name in names:
            start = time.thread_time_ns()
            actions[name]()
            best[name] = min(best[name], (time.thread_time_ns() - start) * 1e-9)
    return best


class BlockCodec:
    """Compresses from and to given addresses."""

    name: str

    def compress(self, source: int, size: int, target: int) -> int:
        """The bytes written, at most `size`; 0: they do not fit."""
        raise NotImplementedError

    def decompress(self, source: int, source_size: int, target: int, size: int) -> bool:
        raise NotImplementedError

    def use_type(self, code: int, width: int) -> None:
        """Resets the counts for the next blocks."""


class Pco(BlockCodec):
    """numpact by pco_compress and pco_decompress; `cold`: without memory of earlier calls."""

    def __init__(self, level: int, cold: bool = False):
        self.name = f"numpact-{level}{' cold' if cold else ''}"
        self._level = level
        self._cold = cold
        library = ctypes.CDLL(str(numpact.library_path().parent / LIBRARY))
        self._compress = library.pco_compress
        self._compress.restype = c_int32
        self._compress.argtypes = [c_uint8, c_void_p, c_uint64, c_int32, c_void_p, c_uint64,
                                   c_void_p]
        self._decompress = library.pco_decompress
        self._decompress.restype = c_int32
        self._decompress.argtypes = [c_uint32, c_uint8, c_void_p, c_uint64, c_void_p, c_uint64,
                                     c_uint64]
        self.release = library.pco_release_thread_memory
        self._size = c_uint64()
        self._code, self._width = 0, 1

    def use_type(self, code: int, width: int) -> None:
        self._code, self._width = code, width

    def compress(self, source: int, size: int, target: int) -> int:
        if self._cold:
            self.release()
        status = self._compress(self._code, source, size // self._width, self._level, target, size,
                                byref(self._size))
        if status == WONT_FIT:
            return 0
        if status != OK:
            raise RuntimeError(f"{self.name}: {status}")
        return self._size.value

    def decompress(self, source: int, source_size: int, target: int, size: int) -> bool:
        if self._cold:
            self.release()
        return self._decompress(self._width, self._code, source, source_size, target,
                                size // self._width, size) == OK


def system_library(name: str) -> ctypes.CDLL:
    found = ctypes.util.find_library(name)
    if found is None:
        raise SystemExit(f"lib{name} is missing: ./dev setup installs it")
    return ctypes.CDLL(found)


class Zstd(BlockCodec):
    def __init__(self, level: int):
        self.name = f"zstd-{level}"
        self._level = level
        library = system_library("zstd")
        library.ZSTD_createCCtx.restype = library.ZSTD_createDCtx.restype = c_void_p
        self._compress, self._decompress = library.ZSTD_compressCCtx, library.ZSTD_decompressDCtx
        self._is_error = library.ZSTD_isError
        self._is_error.argtypes = [c_size_t]
        self._compress.restype = self._decompress.restype = c_size_t
        sizes = [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]
        self._compress.argtypes, self._decompress.argtypes = [*sizes, c_int], sizes
        self._encoder, self._decoder = library.ZSTD_createCCtx(), library.ZSTD_createDCtx()
        library.ZSTD_versionNumber.restype = c_uint32
        number = library.ZSTD_versionNumber()
        self.package = f"zstd {number // 10000}.{number // 100 % 100}.{number % 100}"

    def compress(self, source: int, size: int, target: int) -> int:
        written = self._compress(self._encoder, target, size, source, size, self._level)
        return 0 if self._is_error(written) else written

    def decompress(self, source: int, source_size: int, target: int, size: int) -> bool:
        return self._decompress(self._decoder, target, size, source, source_size) == size


class Lz4(BlockCodec):
    name = "lz4"

    def __init__(self) -> None:
        library = system_library("lz4")
        self._compress, self._decompress = library.LZ4_compress_default, library.LZ4_decompress_safe
        self._compress.argtypes = self._decompress.argtypes = [c_void_p, c_void_p, c_int, c_int]
        library.LZ4_versionString.restype = c_char_p
        self.package = f"lz4 {library.LZ4_versionString().decode()}"

    def compress(self, source: int, size: int, target: int) -> int:
        return self._compress(source, target, size, size)

    def decompress(self, source: int, source_size: int, target: int, size: int) -> bool:
        return self._decompress(source, target, source_size, size) == size


class Blocks:
    """A column in blocks, through one codec."""

    def __init__(self, codec: BlockCodec, numbers: np.ndarray, block: int):
        self._codec = codec
        self._numbers = numbers
        self._stored = np.zeros(numbers.nbytes, np.uint8)
        self.out = np.zeros_like(numbers)
        self._code, self._width = numpact.type_byte(numbers), numbers.itemsize
        self._places = [(start, min(block, numbers.nbytes - start))
                        for start in range(0, numbers.nbytes, block)]
        self.sizes: list[int] = []  # 0: stored

    def compress(self) -> None:
        codec, source, target = self._codec, self._numbers.ctypes.data, self._stored.ctypes.data
        codec.use_type(self._code, self._width)
        sizes = []
        for start, size in self._places:
            written = codec.compress(source + start, size, target + start)
            if written == 0:
                ctypes.memmove(target + start, source + start, size)
            sizes.append(written)
        self.sizes = sizes

    def decompress(self) -> None:
        codec, source, target = self._codec, self._stored.ctypes.data, self.out.ctypes.data
        codec.use_type(self._code, self._width)
        for (start, size), written in zip(self._places, self.sizes, strict=True):
            if written == 0:
                ctypes.memmove(target + start, source + start, size)
            elif not codec.decompress(source + start, written, target + start, size):
                raise RuntimeError(f"{codec.name} does not read its own block")

    def total(self) -> int:
        return sum(written or size for (_, size), written in
                   zip(self._places, self.sizes, strict=True))

    def check(self) -> None:
        self.compress()
        self.decompress()
        if self.out.tobytes() != self._numbers.tobytes():
            raise RuntimeError(f"{self._codec.name} changes numbers")


@dataclass
class Sums:
    """The result of one codec and one size of blocks, over all columns."""

    raw: int = 0
    bytes: int = 0
    blocks: int = 0
    stored: int = 0
    ratios: list[float] = field(default_factory=list)
    compress: list[float] = field(default_factory=list)  # MB/s by column
    decompress: list[float] = field(default_factory=list)

    def add(self, blocks: Blocks, raw: int, times: dict[str, float]) -> None:
        self.raw += raw
        self.bytes += blocks.total()
        self.blocks += len(blocks.sizes)
        self.stored += blocks.sizes.count(0)
        self.ratios.append(raw / blocks.total())
        if times:
            self.compress.append(raw / times["compress"] / 1e6)
            self.decompress.append(raw / times["decompress"] / 1e6)


def mean(values: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def middle(numbers: np.ndarray, limit: int) -> np.ndarray:
    """`limit` bytes from the middle of a column, in memory of its own."""
    count = min(numbers.size, limit // numbers.itemsize)
    start = (numbers.size - count) // 2
    return np.array(numbers[start : start + count])


def measure(numbers: np.ndarray, codecs: list[BlockCodec], block: int,
            sums: dict[tuple[int, str], Sums], plan: argparse.Namespace) -> None:
    runs = {codec.name: Blocks(codec, numbers, block) for codec in codecs}
    actions: dict[str, Callable[[], object]] = {}
    for name, blocks in runs.items():
        blocks.check()
        actions[f"compress.{name}"] = blocks.compress
        actions[f"decompress.{name}"] = blocks.decompress
    best: dict[str, float] = {}
    if not plan.only_size:
        best = best_seconds(actions, plan.rounds)
    for name, blocks in runs.items():
        times = {what: best[f"{what}.{name}"] for what in ("compress", "decompress") if best}
        sums.setdefault((block, name), Sums()).add(blocks, numbers.nbytes, times)


def alp_bytes(numbers: np.ndarray) -> int | None:
    """The bytes of the smaller of DuckDB's ALP and ALP-RD; None without the package."""
    try:
        import duckdb
    except ImportError:
        return None
    sizes = []
    for method in ("alp", "alprd"):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "file.db")
            with duckdb.connect() as database:
                attach = f"attach '{place}' as stored (block_size {DUCKDB_BLOCK_BYTES})"
                database.execute(attach)
                used = []
                for rows in (numbers[:1], numbers):
                    database.register("given", {"x": rows})
                    database.execute(f"set force_compression='{method}'")
                    make = "create or replace table stored.t as select x from given"
                    database.execute(make).fetchall()
                    database.execute("checkpoint stored").fetchall()
                    query = "select used_blocks from pragma_database_size() where "
                    query += "database_name = 'stored'"
                    [[count]] = database.execute(query).fetchall()
                    used.append(count * DUCKDB_BLOCK_BYTES)
                sizes.append(used[1] - used[0])
    return min(sizes)


def noise_speeds(codecs: list[BlockCodec], plan: argparse.Namespace) -> Iterator[str]:
    """How fast a codec finds that random numbers do not get smaller."""
    numbers = np.frombuffer(np.random.default_rng(1).bytes(1024 * KIB), np.int64)
    for codec in codecs:
        blocks = Blocks(codec, numbers, 64 * KIB)
        blocks.check()
        best = best_seconds({"compress": blocks.compress}, plan.rounds)
        yield f"| {codec.name} | {numbers.nbytes / best['compress'] / 1e6:,.0f} |"


def held_bytes(level: int) -> int:
    """Scratch memory that a thread keeps after blocks of 1 MiB: what its release gives back."""
    def resident() -> int:
        ctypes.CDLL(None).malloc_trim(0)  # what is free goes back to the system
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * 4096

    codec = Pco(level)
    for dtype in numpact.DTYPES.values():
        count = 1024 * KIB // dtype.itemsize
        steps = np.random.default_rng(2).integers(0, 9, count).cumsum()
        Blocks(codec, (steps % 100).astype(dtype), 1024 * KIB).check()
    before = resident()
    codec.release()
    return before - resident()


def table(sums: dict[tuple[int, str], Sums]) -> Iterator[str]:
    yield ("| block | codec | ratio, all bytes | ratio, mean | compress MB/s | decompress MB/s | "
           "blocks stored |")
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for (block, name), s in sums.items():
        yield (f"| {block // KIB} KiB | {name} | {s.raw / s.bytes:.3f} | {mean(s.ratios):.3f} | "
               f"{mean(s.compress):,.0f} | {mean(s.decompress):,.0f} | "
               f"{s.stored:,} of {s.blocks:,} |")


def write_csv(path: Path, sums: dict[tuple[int, str], Sums]) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["block_kib", "codec", "ratio_all", "ratio_mean", "compress_mb_s",
                       "decompress_mb_s", "blocks", "blocks_stored"])
        for (block, name), s in sums.items():
            rows.writerow([block // KIB, name, f"{s.raw / s.bytes:.3f}", f"{mean(s.ratios):.3f}",
                           f"{mean(s.compress):.0f}", f"{mean(s.decompress):.0f}",
                           s.blocks, s.stored])


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--columns", default="", metavar="REGEX", help="only these columns")
    parser.add_argument("--limit", type=int, default=1024, help="KiB of each column")
    parser.add_argument("--blocks", type=int, nargs="+", default=[64, 256, 1024], help="KiB")
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 4, 8], help="of numpact")
    parser.add_argument("--zstd", type=int, nargs="+", default=[1, 3, 9], help="levels of zstd")
    parser.add_argument("--rounds", type=int, default=3, help="the best one counts")
    parser.add_argument("--only-size", action="store_true", help="do not time")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table")
    return parser.parse_args()


def report_alp(alp: dict[str, tuple[int, int, int]]) -> None:
    """By column: raw bytes, those of ALP, those of numpact in the smallest blocks."""
    if not alp:
        return
    raw, theirs, ours = (sum(row[i] for row in alp.values()) for i in range(3))
    print(f"\n{len(alp)} columns of floats: DuckDB's ALP {raw / theirs:.3f}, mean "
          f"{mean([row[0] / row[1] for row in alp.values()]):.3f}; numpact {raw / ours:.3f}, mean "
          f"{mean([row[0] / row[2] for row in alp.values()]):.3f}")


def main() -> int:
    plan = parse_arguments()
    codecs: list[BlockCodec] = [Pco(level) for level in plan.levels]
    codecs += [Pco(plan.levels[-1], cold=True)]
    codecs += [*(Zstd(level) for level in plan.zstd), Lz4()]
    sums: dict[tuple[int, str], Sums] = {}
    alp: dict[str, tuple[int, int, int]] = {}
    count = 0
    for name, whole in columns(plan.folder, plan.columns):
        numbers = middle(whole, plan.limit * KIB)
        count += 1
        for block in sorted(plan.blocks):
            measure(numbers, codecs, block * KIB, sums, plan)
        if numbers.dtype in (np.float32, np.float64):
            size = alp_bytes(numbers)
            if size:
                blocks = Blocks(codecs[len(plan.levels) - 1], numbers, min(plan.blocks) * KIB)
                blocks.check()
                alp[name] = (numbers.nbytes, size, blocks.total())
        print(f"\r{count} columns", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    packages = {getattr(codec, "package", "") for codec in codecs} - {""}
    print(f"{count} columns, at most {plan.limit} KiB of each; {', '.join(sorted(packages))}\n")
    print("\n".join(table(dict(sorted(sums.items(), key=lambda item: item[0][0])))))
    report_alp(alp)
    if not plan.only_size:
        print("\n| codec | random i64, MB/s until it is known not to fit |\n| --- | --- |")
        print("\n".join(noise_speeds(codecs, plan)))
        print(f"\na thread keeps {held_bytes(plan.levels[-1]) / 2**20:.1f} MiB after blocks of "
              "1 MiB of all types")
    if plan.csv:
        write_csv(plan.csv, dict(sorted(sums.items(), key=lambda item: item[0][0])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
