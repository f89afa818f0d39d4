# SPDX-License-Identifier: Apache-2.0
"""The command that the wheel carries: like that of a build tree, with tables by pyarrow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from environments import ROOT, Environment


def numpact(
    command: object, *words: object, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(command), *map(str, words)], capture_output=True, text=True, timeout=600, check=False,
        env=env,
    )  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.parquet"
    rng = np.random.default_rng(1)
    columns = {f"c{i}": rng.normal(size=200_000) for i in range(5)}
    pa.parquet.write_table(pa.table(columns), path)
    return path


def run_cli_tests(environment: Environment, *files: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
         "-c", ROOT / "tests/pytest.ini", *(ROOT / "tests/cli" / file for file in files)],
        env={**os.environ, "NUMPACT_CLI": str(environment.command)}, capture_output=True,
        text=True, check=False, cwd=ROOT / "tests",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout


def test_tables_with_pyarrow(with_pyarrow: Environment, table: Path) -> None:
    folder, again = table.parent / "folder", table.parent / "again.parquet"
    assert numpact(with_pyarrow.command, "compress", table, "-o", folder).returncode == 0
    assert numpact(with_pyarrow.command, "decompress", folder, "-o", again).returncode == 0
    assert pa.parquet.read_table(again).equals(pa.parquet.read_table(table))


@pytest.mark.slow
def test_like_the_build_tree(with_pyarrow: Environment) -> None:
    files = ["test_cli.py", "test_cli_tables.py", "test_cli_threads.py", "test_cli_failures.py"]
    run_cli_tests(with_pyarrow, *files, "test_cvc_formats.py")


def test_module_is_the_command(fresh: Environment) -> None:
    version = numpact(fresh.command, "--version").stdout
    assert version.startswith("numpact ")
    assert fresh.run("-m", "numpact", "--version").stdout == version
    assert numpact(fresh.command, "frobnicate").returncode == 2


@pytest.mark.parametrize(
    ("name", "needs"),
    [("t.parquet", "Parquet"), ("t.arrow", "Arrow IPC")],
)
def test_without_pyarrow(fresh: Environment, tmp_path: Path, name: str, needs: str) -> None:
    mark = b"PAR1" if name.endswith("parquet") else b"ARROW1\0\0"
    (tmp_path / name).write_bytes(mark + bytes(1000) + mark)
    ran = numpact(fresh.command, "compress", tmp_path / name)
    assert ran.returncode == 1
    assert ran.stderr == f"numpact: {tmp_path / name}: {needs} needs pyarrow: pip install pyarrow\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    piped = subprocess.run(
        [fresh.command, "compress", "-", "--from", name.split(".")[1], "-o", tmp_path / "x"],
        input=b"0" * (1 << 22), capture_output=True, check=False,
    )  # fmt: skip
    assert piped.returncode == 1
    assert b"needs pyarrow: pip install pyarrow" in piped.stderr


def test_text_without_pyarrow(fresh: Environment, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a\n1\n2\n")
    ran = numpact(fresh.command, "compress", tmp_path / "t.csv", "-o", tmp_path / "a.pco")
    assert ran.returncode == 0, ran.stderr
    assert numpact(fresh.command, "decompress", tmp_path / "a.pco").stdout == "1\n2\n"


def test_output_without_pyarrow(fresh: Environment, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(1000))
    numpact(fresh.command, "compress", tmp_path / "a.npy")
    before = sorted(tmp_path.iterdir())
    ran = numpact(fresh.command, "decompress", tmp_path / "a.npy.pco", "-o", tmp_path / "a.parquet")
    assert ran.returncode == 1
    assert ran.stderr.endswith("a.parquet: Parquet needs pyarrow: pip install pyarrow\n")
    assert sorted(tmp_path.iterdir()) == before
    text = numpact(fresh.command, "decompress", tmp_path / "a.npy.pco", "--to", "csv").stdout
    assert text.startswith("a\n0\n1\n")


def group_is_gone(group: int) -> bool:
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("to_all", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_signals_end_it(
    with_pyarrow: Environment, table: Path, number: signal.Signals, to_all: bool
) -> None:
    """Ctrl-C goes to the whole group, kill to the command alone."""
    with subprocess.Popen(
        [with_pyarrow.command, "compress", table, "--level", "12"], cwd=table.parent,
        stderr=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and len(list(table.parent.glob(".*/*"))) < 2:
            time.sleep(0.005)
        assert list(table.parent.glob(".*/*")), "no temporary file came to be"
        (os.killpg if to_all else os.kill)(process.pid, number)
        assert process.wait(10) == -number
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert group_is_gone(process.pid)
    if number != signal.SIGKILL:
        assert [path.name for path in table.parent.iterdir()] == ["t.parquet"]


def test_names_that_are_no_text(with_pyarrow: Environment, table: Path) -> None:
    odd = os.fsencode(table.parent) + b"/\xff\xfe t.parquet"
    os.rename(table, odd)
    done = subprocess.run(
        [with_pyarrow.command, "compress", odd, "--column", "c0", "-o", table.parent / "c.pco"],
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = numpact(with_pyarrow.command, "decompress", table.parent / "c.pco").stdout
    assert len(text.splitlines()) == 200_000


def test_many_row_groups_and_columns_of_odd_names(
    with_pyarrow: Environment, tmp_path: Path
) -> None:
    names = ["a.b", "", ".", "a", "a..b", "a"]
    arrays = [pa.array(np.arange(150_000) + i) for i in range(len(names) - 1)]
    arrays.append(pa.array([{"b": 0.5}] * 150_000))  # whose leaf has the path of the first column
    source = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table(arrays, names=names), source, row_group_size=40_000)
    ran = numpact(with_pyarrow.command, "compress", source, "-o", tmp_path / "f")
    assert ran.returncode == 0, ran.stderr
    assert "; 1 other column in " in ran.stderr
    numpact(with_pyarrow.command, "decompress", tmp_path / "f", "-o", tmp_path / "again.parquet")
    again = pa.parquet.ParquetFile(tmp_path / "again.parquet").read()
    assert again.column_names == names
    assert again.columns[-1].type == arrays[-1].type
    for i, column in enumerate(again.columns[:-1]):
        assert column.to_numpy().tolist() == list(range(i, 150_000 + i))
