# SPDX-License-Identifier: Apache-2.0
"""The command line with several threads, and on parts of files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli_program import CORRUPT, FAILURE, LIMIT, PROGRAM, USAGE, any_bits, refused, run


@pytest.fixture(scope="module")
def column(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("threads") / "column.npy"
    rng = np.random.default_rng(11)
    np.save(path, np.round(rng.normal(size=300_000).cumsum(), 2))
    run("compress", path, "--page-size", 20_000, "--level", 2)
    return path


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_any_number_of_threads_gives_the_same(column: Path, tmp_path: Path, threads: int) -> None:
    packed = f"{column}.pco"
    run("decompress", packed, "-j", threads, "-o", tmp_path / "out.npy")
    assert (tmp_path / "out.npy").read_bytes() == column.read_bytes()
    raw = run("decompress", "-", "--to", "raw", "--threads", threads,
              stdin=Path(packed).read_bytes()).out
    assert raw == np.load(column).tobytes()
    assert "300,000 f64 numbers" in run("verify", packed, "-j", threads).text


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="threads cannot be counted")
def test_the_environment_sets_the_default(column: Path) -> None:
    def threads_of(environment: str, *options: object) -> int:
        """Those that a program has when its output begins."""
        process = subprocess.Popen(
            [PROGRAM, "decompress", f"{column}.pco", "--to", "raw", *map(str, options)],
            stdout=subprocess.PIPE, env={**os.environ, "NUMPACT_THREADS": environment})
        with process:
            assert process.stdout is not None
            process.stdout.read(1)
            status = Path(f"/proc/{process.pid}/status").read_text()
            process.stdout.read()
        return int(status.split("Threads:")[1].split()[0])

    alone = threads_of("1")
    assert threads_of(" 01 ") == threads_of("4", "-j", 1) == threads_of("abc", "-j", 1) == alone
    assert threads_of("4") == threads_of("4", "-j", 4) == threads_of("1", "-j", 4) > alone


@pytest.mark.parametrize("value", ["abc", "-1", "1.5", "2 3", "0x2", "\u0663", "1e3"])
def test_the_environment_must_be_a_number(column: Path, tmp_path: Path, value: str) -> None:
    packed = f"{column}.pco"
    for command in (("decompress", packed, "-o", tmp_path / "out.npy"), ("verify", packed),
                    ("compress", column, "-o", tmp_path / "out.pco"), ("bench", column)):
        said = refused(*command, code=USAGE, env={"NUMPACT_THREADS": value})
        assert said == f"NUMPACT_THREADS: is '{value}', not a number of threads"
    assert list(tmp_path.iterdir()) == []
    # Where threads are given, or make no difference, it is not read, as in Python.
    run("verify", packed, "-j", 2, env={"NUMPACT_THREADS": value})
    run("inspect", packed, env={"NUMPACT_THREADS": value})
    for same in ("", "  ", "2", "99999999999999999999"):
        run("verify", packed, env={"NUMPACT_THREADS": same})


@pytest.mark.parametrize("more", [[], ["--no-verify"], ["--append"]])
def test_files_do_not_depend_on_the_threads(column: Path, tmp_path: Path, more: list[str]) -> None:
    expected = None
    for threads in (1, 2, 5, 0):
        packed = tmp_path / f"{threads}.pco"
        if "--append" in more:
            packed.write_bytes(Path(f"{column}.pco").read_bytes())
        run("compress", column, "--page-size", 20_000, "--level", 2, "-j", threads, "-o", packed,
            *more)
        expected = expected or packed.read_bytes()
        assert packed.read_bytes() == expected
    assert ("--append" in more) == (expected != Path(f"{column}.pco").read_bytes())


def test_folders_do_not_depend_on_the_threads(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 0.5}\n" for i in range(50_000))
    (tmp_path / "t.csv").write_text("a,b\n" + rows)
    if "no Arrow" in run("compress", tmp_path / "t.csv", "-o", tmp_path / "1", "-j", 1,
                         "--page-size", 5000, code=None).err:
        pytest.skip("the program has no Arrow")
    run("compress", tmp_path / "t.csv", "-o", tmp_path / "2", "-j", 2, "--page-size", 5000)
    for path in (tmp_path / "1").iterdir():
        assert (tmp_path / "2" / path.name).read_bytes() == path.read_bytes()


def mixed_rows(count: int) -> list[str]:
    """Rows of integers, floats, text, timestamps, booleans, and numbers with nulls."""
    rng = np.random.default_rng(13)
    floats = rng.normal(size=count)
    rows = []
    for i in range(count):
        null = "" if i % 11 == 0 else str(i % 4096)
        rows.append(f"{i * 37 % 1000},{float(floats[i])!r},{round(float(floats[i]), 2)},t {i % 5},"
                    f"2024-{i % 12 + 1:02}-03T{i % 24:02}:00:{i % 60:02},"
                    f"{'true' if i % 3 else 'false'},{null}")
    return ["i,x,price,text,at,flag,rare", *rows]


@pytest.mark.parametrize("more", [[], ["--no-verify"], ["--nulls", "drop", "--skip", "price"]])
def test_folders_of_csv_do_not_depend_on_the_threads(tmp_path: Path, more: list[str]) -> None:
    # Columns have several chunks, and threads that have ended their column take part in others.
    (tmp_path / "t.csv").write_text("\n".join(mixed_rows(60_000)) + "\n")
    files, messages = {}, {}
    for threads in (1, 2, 3, 9):
        folder = tmp_path / str(threads)
        done = run("compress", tmp_path / "t.csv", "--level", 2, "--page-size", 7000, "-j", threads,
                   "-o", folder, *more)
        messages[threads] = done.err.replace(str(folder), "folder")
        files[threads] = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(files[1]) >= 6
    for threads in (2, 3, 9):
        assert messages[threads] == messages[1]
        assert files[threads] == files[1]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_errors_of_later_columns_do_not_depend_on_the_threads(tmp_path: Path, threads: int) -> None:
    rows = mixed_rows(60_000)
    (tmp_path / "t.csv").write_text("\n".join([*rows, "1,2,3,4,2024-01-01,true,5,6"]) + "\n")
    line = refused("compress", tmp_path / "t.csv", "-j", threads, "-o", tmp_path / "out",
                   code=CORRUPT)
    assert "line 60002: 8 fields, the header has 7" in line
    # Nulls are refused when the column is opened, while those before it are being compressed.
    (tmp_path / "t.csv").write_text("\n".join([*rows, "1,2,3,4,2024-01-01,true,"]) + "\n")
    line = refused("compress", tmp_path / "t.csv", "--nulls", "error", "--skip", "text", "-q",
                   "-j", threads, "-o", tmp_path / "out", code=FAILURE)
    assert "column 'rare': 5456 nulls, the first on line 2" in line
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_the_first_error_is_that_of_the_first_column(tmp_path: Path) -> None:
    rows = ["a,b,c,d", *(f"{i},,{i},{i if i % 2 else ''}" for i in range(30_000)), "1,2,3,4"]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    lines = {refused("compress", tmp_path / "t.csv", "--nulls", "error", "-j", threads, "-o",
                     tmp_path / "out", code=FAILURE) for threads in (1, 2, 3, 4, 4, 4)}
    assert len(lines) == 1
    assert "column 'b': 30000 nulls" in lines.pop()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV file of more rows than a block has; the folder made from it is next to it."""
    path = tmp_path_factory.mktemp("text") / "t.csv"
    rng = np.random.default_rng(12)
    floats = rng.normal(size=90_000)
    floats[::7] = np.round(floats[::7], 3)
    lines = [f"{i},{float(floats[i])!r},2024-{i % 12 + 1:02}-03 {i % 24:02}:00:{i % 60:02}.{i:06},"
             + ("" if i % 5 == 0 else f'"{i}, ""{i % 3}"""') for i in range(floats.size)]
    path.write_text("\n".join(["a,b,at,text", *lines]) + "\n")
    if "Arrow" in run("compress", path, "-o", path.parent / "folder", "--level", 2, code=None).err:
        pytest.skip("the program has no Arrow")
    return path


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_text_does_not_depend_on_the_threads(table: Path, tmp_path: Path, threads: int) -> None:
    folder = table.parent / "folder"
    run("decompress", folder, "-j", threads, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == table.read_text()
    lines = run("decompress", folder, "--column", "b", "-j", threads).text.splitlines()
    written = [line.split(",")[1] for line in table.read_text().splitlines()[1:]]
    assert [float(line) for line in lines] == [float(text) for text in written]
    some = run("decompress", folder, "--columns", "a,text", "--where", "a >= 89990", "--to", "tsv",
               "-j", threads).text
    assert some.splitlines()[1:3] == ["89990\t", '89991\t"89991, ""0"""']


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_text_before_a_failure_does_not_depend_on_the_threads(tmp_path: Path, threads: int) -> None:
    texts = [f"line {i}" for i in range(80_000)]
    texts[70_001] = texts[70_002] = '"two\nlines"'
    (tmp_path / "t.csv").write_text("text\n" + "\n".join(texts) + "\n")
    if "Arrow" in run("compress", tmp_path / "t.csv", "-o", tmp_path / "t", code=None).err:
        pytest.skip("the program has no Arrow")
    done = run("decompress", tmp_path / "t", "--column", "text", "-j", threads, code=FAILURE)
    assert "a text has several lines" in done.err
    assert texts[:70_001][: len(done.text.splitlines())] == done.text.splitlines()
    refused("decompress", tmp_path / "t", "--column", "text", "-o", tmp_path / "out.txt", "-j",
            threads, code=FAILURE)
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_damage_is_reported_the_same(column: Path, tmp_path: Path, threads: int) -> None:
    damaged = bytearray(Path(f"{column}.pco").read_bytes())
    cut = tmp_path / "cut.pco"
    cut.write_bytes(damaged[: len(damaged) * 7 // 10])  # amid the eleventh of fifteen chunks
    line = refused("verify", cut, "-j", threads, code=CORRUPT)
    assert line == refused("verify", cut, "-j", 1, code=CORRUPT)
    assert "good before: 10 chunks, 200000 numbers" in line
    line = refused("decompress", cut, "-j", threads, "-o", tmp_path / "out.raw", code=CORRUPT)
    assert "chunk 10" in line
    assert not (tmp_path / "out.raw").exists()
    refused("verify", f"{column}.pco", "-j", threads, "--max-output", "2M", code=LIMIT)


@pytest.mark.parametrize(("first", "count"), [(0, 300_000), (0, 0), (0, 1), (19_990, 20),
                                              (123_456, 77_777), (299_999, 1), (300_000, 0)])
def test_ranges(column: Path, tmp_path: Path, first: int, count: int) -> None:
    expected = np.load(column)[first : first + count]
    packed = f"{column}.pco"
    run("decompress", packed, "--range", f"{first}:{count}", "-o", tmp_path / "out.npy")
    read = np.load(tmp_path / "out.npy")
    assert read.dtype == expected.dtype and read.tobytes() == expected.tobytes()
    raw = run("decompress", "-", "--range", f"{first}:{count}", "--to", "raw", "-j", 1,
              stdin=Path(packed).read_bytes()).out
    assert raw == expected.tobytes()
    piped = run("decompress", packed, "--range", f"{first}:{count}", "--to", "npy").out
    assert piped == (tmp_path / "out.npy").read_bytes()


@pytest.mark.parametrize("words", ["5", "5:", ":5", "a:b", "1:2:3", "-1:5", "1: 2", ":",
                                   "18446744073709551616:1"])
def test_words_that_are_no_range(column: Path, words: str) -> None:
    assert "--range" in refused("decompress", f"{column}.pco", f"--range={words}", code=USAGE)


@pytest.mark.parametrize("words", ["300001:0", "300000:1", "0:300001",
                                   "18446744073709551615:18446744073709551615"])
def test_ranges_past_the_end(column: Path, words: str) -> None:
    line = refused("decompress", f"{column}.pco", "--range", words, code=FAILURE)
    assert "holds 300000 numbers" in line


def test_range_limits_are_about_the_range(column: Path) -> None:
    packed = f"{column}.pco"
    run("decompress", packed, "--range", "1000:100", "--max-output", 800, "--to", "raw")
    assert run("decompress", packed, "--range", "1000:101", "--max-output", 800, "-o", "/dev/null",
               "--to", "raw", "-f", code=LIMIT).out == b""


def test_range_of_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"a": np.arange(100_000), "b": np.arange(100_000) * 0.5})
    pq.write_table(table, tmp_path / "t.parquet")
    if "no Arrow" in run("compress", tmp_path / "t.parquet", "-o", tmp_path / "t", code=None).err:
        pytest.skip("the program has no Arrow")
    for threads in (1, 3):
        text = run("decompress", tmp_path / "t", "--range", "70000:2", "-j", threads).text
        assert text.splitlines() == ["a,b", "70000,35000.0", "70001,35000.5"]
        run("decompress", tmp_path / "t", "-j", threads, "-f", "-o", tmp_path / "again.parquet")
        assert pq.read_table(tmp_path / "again.parquet").equals(table)
    text = run("decompress", tmp_path / "t", "--range", "99999:1", "--column", "b").text
    assert text == "49999.5\n"


def test_empty_files(tmp_path: Path) -> None:
    np.save(tmp_path / "empty.npy", any_bits("i16", 0))
    run("compress", tmp_path / "empty.npy")
    packed = tmp_path / "empty.npy.pco"
    assert run("decompress", packed, "--range", "0:0").out == b""
    refused("decompress", packed, "--range", "0:1", code=FAILURE)
