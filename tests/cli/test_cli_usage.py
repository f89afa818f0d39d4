# SPDX-License-Identifier: Apache-2.0
"""Command lines that are wrong: one line names what, and the nearest right word."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli_program import CORRUPT, LIMIT, ROOT, USAGE, refused, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """a.npy, a.pco, v.npy, v.cvc and files of odd names."""
    np.save(tmp_path / "a.npy", np.arange(1000))
    np.save(tmp_path / "-x.npy", np.arange(5))
    np.save(tmp_path / "v.npy", np.ones((40, 3), np.float32))
    (tmp_path / "prices").write_bytes(b"12345678")
    run("compress", "a.npy", "-o", "a.pco", cwd=tmp_path)
    run("cvc", "pack", "v.npy", "-o", "v.cvc", cwd=tmp_path)
    return tmp_path


COMMANDS = ", ".join(["compress", "decompress", "head", "inspect", "explain", "estimate", "index",
                      "compact", "verify", "bench", "cpu", "cvc"])  # fmt: skip
CVC_COMMANDS = "pack, append, unpack, info, verify, slice, concat, upgrade, quality"
HELP = "(see numpact --help)"
OF_COMPRESS = "(see numpact compress --help)"


@pytest.mark.parametrize(("words", "line"), [
    ("", f"a command is missing: {COMMANDS} {HELP}"),
    ("compres a.npy", f"no command 'compres'; nearest: compress {HELP}"),
    ("decompres a.pco", f"no command 'decompres'; nearest: decompress {HELP}"),
    ("verfiy a.pco", f"no command 'verfiy'; nearest: verify {HELP}"),
    ("insp a.pco", f"no command 'insp'; nearest: inspect {HELP}"),
    ("INSPECT a.pco", f"no command 'INSPECT', but {COMMANDS} {HELP}"),
    ("frobnicate", f"no command 'frobnicate', but {COMMANDS} {HELP}"),
    ("pack v.npy", f"no command 'pack'; nearest: cvc pack {HELP}"),
    ("a.npy", f"a command is missing before 'a.npy': {COMMANDS} {HELP}"),
    ("prices", f"a command is missing before 'prices': {COMMANDS} {HELP}"),
    ("./verify.pco --json", f"a command is missing before './verify.pco': {COMMANDS} {HELP}"),
    ("--level 3 compress a.npy", f"no option '--level' before a command {HELP}"),
    ("cvc", f"a command is missing: {CVC_COMMANDS} (see numpact cvc --help)"),
    ("cvc pak v.npy", "no command 'pak'; nearest: pack (see numpact cvc --help)"),
    ("cvc v.cvc", f"a command is missing before 'v.cvc': {CVC_COMMANDS} (see numpact cvc --help)"),
    ("compress --colum a a.npy", f"no option '--colum'; nearest: --column {OF_COMPRESS}"),
    ("compress a.npy --levle=3", f"no option '--levle'; nearest: --level {OF_COMPRESS}"),
    ("compress a.npy -level 3", f"no option '-level'; nearest: --level {OF_COMPRESS}"),
    ("compress a.npy --frobnicate", f"no option '--frobnicate' {OF_COMPRESS}"),
    ("compress a.npy -z", f"no option '-z' {OF_COMPRESS}"),
    ("compress a.npy -fz", f"no option '-z' in '-fz' {OF_COMPRESS}"),
    ("compress -x.npy",
     f"no option '-x' in '-x.npy' (a file of that name: ./-x.npy) {OF_COMPRESS}"),
    ("cvc pack v.npy --compresion int8",
     "no option '--compresion'; nearest: --compression (see numpact cvc pack --help)"),
    ("compress", f"FILE is missing {OF_COMPRESS}"),
    ("compress -o b.pco", f"FILE is missing {OF_COMPRESS}"),
    ("cvc slice v.cvc", "OUT is missing (see numpact cvc slice --help)"),
    ("verify", "FILE is missing (see numpact verify --help)"),
    ("compress a.npy b.npy", f"'b.npy' is one argument too many {OF_COMPRESS}"),
    ("compress a.npy -- -x.npy", f"'-x.npy' is one argument too many {OF_COMPRESS}"),
    ("compress a.npy --level", f"--level: its value is missing (N) {OF_COMPRESS}"),
    ("compress a.npy -o", f"--output: its value is missing (PATH) {OF_COMPRESS}"),
    ("compress a.npy --level 3 --level 4", f"--level: is given 2 times {OF_COMPRESS}"),
    ("compress a.npy -o b --output c -o d", f"--output: is given 3 times {OF_COMPRESS}"),
    ("verify a.pco --json=maybe",
     "--json: takes no value, 'maybe' was given (see numpact verify --help)"),
    ("compress a.npy --level x", "--level: 'x' is not a whole number from 0 to 12"),
    ("compress a.npy --level 13", "--level: '13' is not a whole number from 0 to 12"),
    ("compress a.npy --level -1", "--level: '-1' is not a whole number from 0 to 12"),
    ("compress a.npy --level 1.5", "--level: '1.5' is not a whole number from 0 to 12"),
    ("compress a.npy -j 99999", "--threads: '99999' is not a whole number from 0 to 1024"),
    ("bench a.npy --rounds 0", "--rounds: '0' is not a whole number from 1 to 1000"),
    ("explain a.pco --chunk first", "--chunk: 'first' is not a whole number from 0 on"),
    ("explain a.pco --chunk 99999999999999999999",
     "--chunk: '99999999999999999999' is not a whole number from 0 on"),
    ("cvc unpack v.cvc -o b.npy --fill much", "--fill: 'much' is not a number"),
    ("compress a.npy --nulls dorp", "--nulls: 'dorp' is none of keep, error, drop; nearest: drop"),
    ("compress a.npy --nulls keep",
     "--nulls: a .pco file cannot keep nulls, the folder of a table does (-o FOLDER)"),
    ("compress a.npy --mode clasic",
     "--mode: 'clasic' is none of auto, classic, int-mult=BASE, float-mult=BASE, float-quant=K, "
     "dict; nearest: classic"),
    ("compress a.npy --mode intmult=60",
     "--mode: 'intmult=60' is none of auto, classic, int-mult=BASE, float-mult=BASE, "
     "float-quant=K, dict; nearest: int-mult=BASE"),
    ("compress a.npy --delta consecutve=1",
     "--delta: 'consecutve=1' is none of auto, none, consecutive=N, lookback, conv1=N; "
     "nearest: consecutive=N"),
    ("compress a.npy --compat 4.2",
     "--compat: '4.2' is none of 1, 2, 3, 4.0, 4.1; nearest: 4.0"),
    ("compress a.npy --dtype uu32",
     "--dtype: 'uu32' is none of u8, i8, u16, i16, f16, u32, i32, f32, u64, i64, f64; "
     "nearest: u32"),
    ("compress a.npy --from npz",
     "--from: 'npz' is none of npy, raw, csv, tsv, parquet, arrow, arrows; nearest: npy"),
    ("decompress a.pco --to parqet",
     "--to: 'parqet' is none of text, npy, raw, csv, tsv, parquet, arrow, arrows; "
     "nearest: parquet"),
    ("cvc pack v.npy --version 3", "--version: '3' is none of 0.1, 1.0, 2.0"),
    ("cvc quality v.npy --metric cosin",
     "--metric: 'cosin' is none of l2, cosine, dot; nearest: cosine"),
    ("cvc unpack v.cvc -o b.npy --on-corruption drp",
     "--on-corruption: 'drp' is none of raise, fill, drop; nearest: drop"),
    ("cvc unpack v.cvc -o b.npy --dtype float61",
     "--dtype: 'float61' is none of float32, float16, bfloat16; nearest: float16"),
])
def test_one_line_says_what_is_wrong(folder: Path, words: str, line: str) -> None:
    before = sorted(folder.iterdir())
    assert refused(*words.split(), code=USAGE, cwd=folder) == line
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("words", ["cvc pack v.npy -f --compression int9",
                                   "cvc pack v.npy -f --from npz",
                                   "cvc unpack v.cvc -o b --to npz"])
def test_long_lists_end_with_the_nearest(folder: Path, words: str) -> None:
    line = refused(*words.split(), code=USAGE, cwd=folder)
    assert re.search(r"is none of .*; nearest: (int8|int4|npy)$", line), line


def test_what_looks_like_an_option_is_a_file_behind_two_dashes(folder: Path) -> None:
    run("compress", "-q", "-o", "x.pco", "--", "-x.npy", cwd=folder)
    run("compress", "./-x.npy", "-q", "-o", "y.pco", cwd=folder)
    assert (folder / "x.pco").read_bytes() == (folder / "y.pco").read_bytes()


def test_help_and_version_are_no_errors(folder: Path) -> None:
    assert run("--version").text.startswith("numpact ")
    for words in ["--help", "compress --help", "cvc --help", "cvc pack --help", "verify -h"]:
        assert "Usage: " in run(*words.split()).text
    assert "--lock-timeout" in run("compress", "--help").text


@pytest.mark.parametrize(("words", "option"), [
    ("decompress a.pco -o b.npy --max-output 8", "--max-output"),
    ("decompress a.pco --max-output 8", "--max-output"),
    ("decompress a.pco -o b.npy --range 0:900 --max-output 8", "--max-output"),
    ("decompress a.pco -o b.npy --salvage --max-output 8", "--max-output"),
    ("decompress plain.pco -o b.npy --max-output 8", "--max-output"),
    ("verify a.pco --max-output 8", "--max-output"),
    ("verify plain.pco --max-output 8", "--max-output"),
    ("explain a.pco --max-output 8", "--max-output"),
    ("index plain.pco --max-output 8", "--max-output"),
    ("cvc unpack v.cvc -o b.npy --max-output 8", "--max-output"),
    ("cvc verify v.cvc --max-output 8", "--max-output"),
    ("decompress a.pco -o b.npy --max-memory 1", "--max-memory"),
    ("decompress a.pco -o b.npy --range 0:900 --max-memory 1", "--max-memory"),
    ("verify a.pco --max-memory 1", "--max-memory"),
    ("verify plain.pco --max-memory 1", "--max-memory"),
    ("index plain.pco --max-memory 1", "--max-memory"),
    ("cvc unpack v.cvc -o b.npy --max-memory 1", "--max-memory"),
    ("cvc verify v.cvc --max-memory 1", "--max-memory"),
])
def test_limits_are_named_as_the_option(folder: Path, words: str, option: str) -> None:
    run("compress", "a.npy", "--no-trailer", "-o", "plain.pco", cwd=folder)
    line = run(*words.split(), code=LIMIT, cwd=folder).err
    assert option in line and "limit exceeded" in line, line
    assert not re.search(r"::|max_|Limits", line), line


def test_settings_of_vectors_are_named_as_the_option(folder: Path) -> None:
    np.save(folder / "n.npy", np.full((4, 3), np.nan, np.float32))
    line = run("cvc", "pack", "n.npy", "--compression", "int8", cwd=folder, code=None).err
    assert "--allow-nonfinite" in line and "::" not in line, line


def test_messages_of_the_library_name_no_cpp() -> None:
    """Programs in other languages than C++ print the messages of the library."""
    text = re.compile(r'(?:Status\(ErrorKind::k\w+,|invalid\(|corrupt\(|wrong\([^,"]*,)\s*'
                      r'"((?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)')
    found = [(path, message) for path in sorted((ROOT / "src").rglob("*.[ch]pp"))
             for message in text.findall(path.read_text())]
    assert len(found) > 150
    for path, message in found:
        assert not re.search(r"::|\bk[A-Z]\w+|\btry_\w+", message), (path, message)


# ---- ./dev ----


def test_dev_takes_paths_from_the_callers_folder(folder: Path) -> None:
    if not (ROOT / "build/release/build.ninja").exists():
        pytest.skip("nothing is built in this tree")
    ran = subprocess.run([ROOT / "dev", "run", "--", "inspect", "a.pco"], cwd=folder, timeout=600,
                         capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stdout.startswith("file      a.pco\n"), ran.stderr
    (folder / "cut.pco").write_bytes((folder / "a.pco").read_bytes()[:20])
    ran = subprocess.run([ROOT / "dev", "run", "verify", "cut.pco"], cwd=folder, timeout=600,
                         capture_output=True, check=False)
    assert ran.returncode == CORRUPT
