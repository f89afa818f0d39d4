# SPDX-License-Identifier: Apache-2.0
"""Names that a terminal would obey: as data they stay, on terminals they are made visible."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import numpy as np
import pytest
from cli_program import PROGRAM, run

NASTY = "a\x1b[31m\u202eb\u009bc\x07"


def harmless(shown: bytes) -> bool:
    text = shown.decode()  # no bytes but UTF-8
    return not any((c < " " and c not in "\n\r") or "\x7f" <= c <= "\x9f" or
                   c in "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"
                        "\u2066\u2067\u2068\u2069" for c in text)


@pytest.fixture
def nasty(tmp_path: Path) -> bytes:
    """A folder whose name a terminal would obey, with such columns; a file of bytes beside it."""
    folder = os.fsencode(tmp_path) + b"/" + NASTY.encode() + b"\xff\x9b31m"
    os.mkdir(folder)
    return folder


def outputs(*arguments: bytes | str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=600, check=False)


def test_file_names_are_shown_harmlessly(nasty: bytes, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(1000))
    np.save(tmp_path / "v.npy", np.ones((40, 3), np.float32))
    inside = os.path.join(nasty, b"x\ny.npy")
    with open(inside, "wb") as file:
        file.write((tmp_path / "a.npy").read_bytes())
    vectors = inside + b".v.npy"
    with open(vectors, "wb") as file:
        file.write((tmp_path / "v.npy").read_bytes())
    pco, cvc = inside + b".pco", vectors + b".cvc"
    for arguments in [["compress", inside], ["inspect", pco], ["inspect", pco, "--json"],
                      ["explain", inside], ["explain", pco], ["explain", inside, "--json"],
                      ["verify", pco], ["verify", pco, "--json"], ["index", pco],
                      ["bench", inside, "--rounds", "1"], ["bench", inside, "--rounds", "1",
                                                           "--json"],
                      ["compress", inside, "--append", "-o", pco],
                      ["cvc", "pack", vectors], ["cvc", "info", cvc],
                      ["cvc", "info", cvc, "--json"],
                      ["cvc", "verify", cvc], ["cvc", "verify", cvc, "--json"],
                      ["cvc", "quality", vectors, "--compression", "int8"],
                      ["cvc", "quality", vectors, "--compression", "int8", "--json"],
                      ["decompress", pco, "-f", "-o", inside + b".again.npy"],
                      # These fail.
                      ["compress", inside], ["verify", inside], ["verify", inside, "--json"],
                      ["inspect", inside + b"none"], ["explain", inside, "--column", NASTY],
                      ["cvc", "verify", inside, "--json"], ["compress", inside, "--mode", NASTY],
                      ["compress", inside, "--" + NASTY], [inside], [NASTY],
                      ["verify", nasty, "--json"]]:
        ran = outputs(*arguments)
        assert ran.returncode in (0, 1, 2, 3), ran.stderr
        assert harmless(ran.stdout) and harmless(ran.stderr), (arguments, ran.stdout, ran.stderr)
        assert ran.stdout or ran.stderr or arguments[0] == "decompress"
        if "--json" in arguments:
            json.loads(ran.stdout or b"null")
    ran = outputs("inspect", pco)
    assert b"\\x1b[31m\\u{202e}b\\u{009b}c\\x07\\xff\\x9b31m" in ran.stdout
    assert ran.stdout.splitlines()[0].endswith(b"x y.npy.pco")


@pytest.mark.usefixtures("arrow")
def test_column_names_are_shown_harmlessly(nasty: bytes, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet
    table = pa.table({NASTY: [1, 2, 3], f"text {NASTY}": ["x", "y", "z"], "plain": [4, 5, 6]})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    folder = tmp_path / "t"
    for arguments in [["compress", tmp_path / "t.parquet", "-o", folder], ["inspect", folder],
                      ["inspect", folder, "--json"], ["explain", folder], ["explain", folder,
                                                                            "--json"],
                      ["verify", folder], ["verify", folder, "--json"],
                      ["bench", tmp_path / "t.parquet", "--rounds", "1"],
                      ["bench", tmp_path / "t.parquet", "--rounds", "1", "--json"],
                      ["compress", tmp_path / "t.parquet", "--column", NASTY + "!"],
                      ["compress", tmp_path / "t.parquet", "--column", f"text {NASTY}"]]:
        ran = outputs(*map(str, arguments))
        assert harmless(ran.stdout) and harmless(ran.stderr), (arguments, ran.stdout, ran.stderr)
        if "--json" in arguments:
            assert json.dumps(NASTY)[1:-1] in json.dumps(json.loads(ran.stdout))
    # As data they stay what they are.
    again = tmp_path / "again.parquet"
    run("decompress", folder, "-o", again)
    assert NASTY in pa.parquet.read_table(again).column_names


def shown_on_terminal(*arguments: object) -> str:
    """The output of the program on standard error, which is a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown = b""
    with subprocess.Popen([PROGRAM, *map(str, arguments)], stderr=theirs,
                          stdout=subprocess.DEVNULL) as process:
        os.close(theirs)
        # Bars are for what takes more than a second. On fast machines it does by pauses, and one of
        # them falls into the work: each comes half again as late as the one before.
        seconds = 0.03
        while process.poll() is None:
            time.sleep(seconds)
            process.send_signal(signal.SIGSTOP)
            time.sleep(1.2)
            process.send_signal(signal.SIGCONT)
            seconds *= 1.5
        while select.select([ours], [], [], 30)[0]:
            try:
                block = os.read(ours, 65536)
            except OSError:
                break
            shown += block
        assert process.wait(30) == 0
    os.close(ours)
    return shown.decode()


def test_progress_names_file_column_rate_and_time_left(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    folder = tmp_path / ("a_folder_with_a_long_name_" * 4)
    folder.mkdir()
    walk = rng.normal(size=800_000).cumsum()
    (folder / "t.csv").write_text("walk\n" + "\n".join(map(repr, walk.tolist())) + "\n")
    shown = shown_on_terminal("compress", folder / "t.csv", "--column", "walk", "-o",
                              tmp_path / "w.pco", "-j", 1, "--level", 12, "--page-size", 20_000)
    bars = [text for text in shown.split("\r\x1b[K") if "M numbers" in text]
    assert bars, shown
    for bar in bars:
        found = re.fullmatch(r"(?P<place>\S.*) \[#* *\] \d+ %(, (\d+ s|\d+:\d\d min) left)?, "
                             r"\d+\.\d M numbers, \d+ MB/s", bar)
        assert found, bar
        # The end of the place is shown: the file without its folders, and the column.
        assert found["place"].startswith("~") and found["place"].endswith("column 'walk'")
        assert len(bar) < 80  # else terminals break the line
    assert any(" left, " in bar for bar in bars)


@pytest.mark.usefixtures("arrow")
def test_progress_bars_are_harmless(tmp_path: Path) -> None:
    name = tmp_path / (NASTY + ".raw")
    os.mkfifo(name)
    ours, theirs = pty.openpty()
    with subprocess.Popen([PROGRAM, "compress", str(name), "--dtype", "i64", "-o",
                           str(tmp_path / "out.pco")], stderr=theirs) as process:
        os.close(theirs)
        with name.open("wb") as pipe:
            for _ in range(8):
                pipe.write(b"12345678" * 70_000)
                pipe.flush()
                time.sleep(0.2)
        shown = b""
        while select.select([ours], [], [], 10)[0]:
            try:
                block = os.read(ours, 65536)
            except OSError:
                break
            if not block:
                break
            shown += block
        assert process.wait(10) == 0
    os.close(ours)
    assert b"M numbers" in shown
    assert harmless(shown.replace(b"\r\x1b[K", b"")), shown
