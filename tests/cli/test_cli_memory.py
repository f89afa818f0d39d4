# SPDX-License-Identifier: Apache-2.0
"""The memory of the command: bounded by threads and chunks, not by the input."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import peak_memory
import pytest
from cli_program import PROGRAM

COUNT = 12_000_000  # 96 MB of float64
MIB = 1 << 20
# Memory of each thread; and memory that is held once: chunks of numbers, a row group.
THREAD = 64 * MIB
CHUNKS = 24 * MIB

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")


def memory_of(*arguments: object, stdin: Path | None = None) -> int:
    """The most that it held, in bytes."""
    with open(stdin or os.devnull, "rb") as source, tempfile.NamedTemporaryFile("r") as report:
        command = peak_memory.measured(report.name, [PROGRAM, *map(str, arguments)])
        done = subprocess.run(command, stdin=source, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        return int(report.read()) * 1024


@pytest.fixture(scope="module")
def program() -> int:
    """Memory of the program and its libraries."""
    return memory_of("--version")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("memory")
    numbers = np.arange(COUNT) // 5 * 0.5
    np.save(made / "a.npy", numbers)
    numbers.tofile(made / "a.raw")
    return made


@pytest.mark.parametrize("threads", [1, 2])
def test_arrays(folder: Path, program: int, threads: int) -> None:
    maximum = program + threads * THREAD + CHUNKS
    pco = folder / "a.pco"
    fast = ["-f", "-j", threads, "--level", 2, "-o", pco]
    held = {
        "npy": memory_of("compress", folder / "a.npy", *fast),
        "pipe": memory_of("compress", "-", "--dtype", "f64", *fast, stdin=folder / "a.raw"),
        "raw": memory_of("compress", folder / "a.raw", "--dtype", "f64", *fast),
        "append": memory_of("compress", folder / "a.npy", "--append", "-j", threads, "--level", 2,
                            "-o", pco),
        "verify": memory_of("verify", pco, "-j", threads),
        "index": memory_of("index", pco, "--restart", 65536),
        "inspect": memory_of("inspect", pco),
        "decompress": memory_of("decompress", pco, "-f", "-j", threads, "-o", folder / "b.raw"),
        "from a pipe": memory_of("decompress", "-", "--to", "raw", "-j", threads, stdin=pco),
    }
    assert {name: size // MIB for name, size in held.items() if size > maximum} == {}
    assert (folder / "b.raw").stat().st_size == 16 * COUNT


@pytest.mark.usefixtures("arrow")
def test_tables(folder: Path, program: int) -> None:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet
    count = COUNT // 2
    table = pa.table({"x": np.arange(count) // 5 * 0.5, "y": np.arange(count) % 1000})
    pa.parquet.write_table(table, folder / "t.parquet", row_group_size=1 << 20)
    pa.csv.write_csv(table, folder / "t.csv")
    maximum = program + THREAD + CHUNKS
    fast = ["-f", "-j", 1, "--level", 2]
    held = {
        "csv": memory_of("compress", folder / "t.csv", *fast, "-o", folder / "c"),
        "parquet": memory_of("compress", folder / "t.parquet", *fast, "-o", folder / "p"),
        "to parquet": memory_of("decompress", folder / "p", "-f", "-j", 1, "-o",
                                folder / "out.parquet"),
        "csv from a pipe": memory_of("compress", "-", "--from", "csv", "--column", "x", *fast, "-o",
                                     folder / "x.pco", stdin=folder / "t.csv"),
    }
    assert {name: size // MIB for name, size in held.items() if size > maximum} == {}
    assert pa.parquet.read_table(folder / "out.parquet").equals(table)


@pytest.mark.parametrize("threads", [2, 4])
def test_columns_at_the_same_time(tmp_path: Path, program: int, threads: int) -> None:
    rows = "".join(f"{i // 5 * 0.5},{i % 1000},{i * i % 997},{i}\n" for i in range(COUNT // 8))
    (tmp_path / "t.csv").write_text("a,b,c,d\n" + rows)
    held = memory_of("compress", tmp_path / "t.csv", "-j", threads, "--level", 2, "-o",
                     tmp_path / "t")
    assert held // MIB <= (program + threads * THREAD + CHUNKS) // MIB


@pytest.mark.parametrize("arguments", [
    ["inspect"], ["inspect", "--bins"], ["inspect", "--json"], ["verify"], ["verify", "--json"],
    ["decompress", "--to", "raw"], ["decompress", "--range", "5:5"],
    ["decompress", "--to", "raw", "--salvage"]])
def test_a20_many_chunks(tmp_path: Path, program: int, arguments: list[str]) -> None:
    """Millions of chunks of one number and nine bytes: 4 MiB and twice the input, beside the pages
    of the file, which is mapped, and what the program takes."""
    np.zeros(1, "u1").tofile(tmp_path / "one.raw")
    subprocess.run([PROGRAM, "compress", tmp_path / "one.raw", "--dtype", "u8", "--level", "0",
                    "--no-trailer", "-q", "-o", tmp_path / "one.pco"], check=True)
    one = (tmp_path / "one.pco").read_bytes()
    chunk = one[-10:-1]
    size = 4 * MIB
    path = tmp_path / "many.pco"
    path.write_bytes(one[:-10] + chunk * (size // len(chunk)) + one[-1:])
    command, *options = arguments
    held = memory_of(command, path, *options)
    # A few pieces of numbers are held at a time, whatever the input.
    assert held <= program + 4 * MIB + 3 * size + 4 * MIB, held // MIB
