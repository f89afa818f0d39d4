# SPDX-License-Identifier: Apache-2.0
"""CSV files of several blocks: the files and messages are those of any number of threads.

Blocks have 128 KiB (cli/csv/block_reader.hpp), so that each file here has some of them.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cli_program import CORRUPT, FAILURE, run

_ROWS = 60_000


def _lines(row: str, end: str = "\n") -> list[str]:
    return [row.format(i=i, f=i * 0.37, t=i % 60) + end for i in range(_ROWS)]


def _quoted(random_: random.Random) -> str:
    """Line ends, delimiters and quotes within quotes, at every offset of a block."""
    rows = []
    for i in range(_ROWS):
        text = "".join(random_.choice(["a", "\n", ",", '""', "\r\n", "é"])
                       for _ in range(random_.randrange(12)))
        rows.append(f'{i},"{text}",{i / 8}\n')
    return "a,b,c\n" + "".join(rows)


def _files() -> dict[str, str]:
    numbers = _lines("{i},{f:.2f},2024-02-29 12:30:{t:02}")
    head = "a,b,c\n"
    return {
        "plain": head + "".join(numbers),
        "CRLF": "\ufeffa,b,c\r\n" + "".join(_lines("{i},{f},{t}", "\r\n")),
        "CR": "a,b,c\r" + "".join(_lines("{i},{f},{t}", "\r")),
        "no last line end": (head + "".join(numbers)).rstrip("\n"),
        "quotes": _quoted(random.Random(1)),
        "empty lines": head + "\n\n".join(numbers),
        "floats at the end": head + "".join(_lines("{i},{i},{i}")) + "1,2.5,3\n",
        "text at the end": head + "".join(_lines("{i},{i},{t}")) + "1,x,3\n",
        "dates to times": head + "".join(_lines("{i},2024-02-29,{t}")) +
                          "".join(_lines("{i},2024-02-29T10:00:00.5,{t}")),
        "u64": head + "".join(_lines("{i},1844674407370955{t:02}00,9223372036854775807")) +
               "1,18446744073709551615,9223372036854775808\n",
        "negative after u64": head + "".join(_lines("{i},18446744073709551615,1.5")) +
                              "1,-1,1\n1,2.5,3\n",
        "notes": head + "".join(_lines("{i},0{i},+{t}")),
        "nulls": head + "".join(f"{i if i % 3 else ''},{'NA' if i % 7 else i},{i}\n"
                                for i in range(_ROWS)),
        "one column": "a\n" + "".join("\n" if i % 5 == 0 else f"{i}\n" for i in range(_ROWS)),
        "a field longer than a block": head + "".join(numbers[:100]) + f'1,"{"x" * 500_000}",2\n' +
                                       "".join(numbers),
        "booleans and zones": head + "".join(_lines("true,2024-02-29 10:00:{t:02}+01:00,12:30")),
    }


_FILES = _files()


def _state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", _FILES)
def test_threads_change_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(_FILES[name].encode())
    expected = None
    for threads in (1, 2, 3, 8):
        ran = run("compress", "t.csv", "-o", "out", "-f", "--level", 0, "--others", "drop",
                  "--null-values", "NA", "-j", threads, cwd=tmp_path, code=None)
        state = (ran.code, ran.err, _state(tmp_path / "out") if ran.code == 0 else None)
        expected = expected or state
        assert state == expected, threads


def test_texts_are_kept_by_any_number_of_threads(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(_FILES["quotes"].encode())
    if "no Arrow" in run("compress", "t.csv", "-o", "out", cwd=tmp_path, code=None).err:
        pytest.skip("the program has no Arrow")
    outputs = []
    for threads in (1, 3):
        run("compress", "-", "--from", "csv", "-o", "out", "-f", "-j", threads, cwd=tmp_path,
            stdin=_FILES["quotes"].encode())
        outputs.append(_state(tmp_path / "out"))
        run("compress", "t.csv", "-o", "out", "-f", "-j", threads, cwd=tmp_path)
        outputs.append(_state(tmp_path / "out"))
    assert all(one == outputs[0] for one in outputs)


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize(("end", "message"), [
    ("1,2\n", f"line {_ROWS + 5}: 2 fields, the header has 3"),
    ("1,2,3,4", f"line {_ROWS + 5}: 4 fields, the header has 3"),
    ('1,2,"3\n4', f"line {_ROWS + 5}: a quote is opened and never closed"),
])
def test_errors_name_the_line(threads: int, end: str, message: str, tmp_path: Path) -> None:
    """A field of two lines and an empty line count."""
    text = 'a,b,c\n1,"2\n",3\n\n' + "".join(_lines("{i},{f},{t}"))
    (tmp_path / "t.csv").write_text(text + end)
    err = run("compress", "t.csv", "-o", "out", "-j", threads, cwd=tmp_path, code=CORRUPT).err
    assert message in err


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_inexact_number_is_named(threads: int, tmp_path: Path) -> None:
    lines = _lines("{i},{f}")
    lines[50_000] = "1,0.12345678901234567891\n"
    lines[55_000] = "1,0.22345678901234567891\n"
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(lines))
    err = run("compress", "t.csv", "-o", "out", "-j", threads, cwd=tmp_path, code=FAILURE).err
    assert "line 50002: '0.12345678901234567891' has more digits than f64 keeps" in err
