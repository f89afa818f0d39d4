# SPDX-License-Identifier: Apache-2.0
"""Files that say a lot in few bytes, or what a terminal would obey."""

from __future__ import annotations

import json
import os
import pty
import resource
import shutil
import struct
import subprocess
from pathlib import Path

import numpact
import numpy as np
import pytest
from cli_program import CORRUPT, LIMIT, ON_WINE
from programs import Tool, tool  # noqa: F401
from test_cli_terminal import NASTY, harmless

MIB = 1 << 20
# What a libc keeps, and the least blocks that a decoder takes at once.
MARGIN = 8 * MIB
# Processor seconds of a walk that stops after 16 GiB of numbers; the whole bomb takes 160 times.
WALK_SECONDS = 60


def children_seconds() -> float:
    """Processor seconds of all processes that have ended: what else runs does not change them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cvc_of(text: bytes, more: bytes = b"") -> bytes:
    return b"CVCF" + struct.pack("<HHI", 1, 0, len(text)) + text + more


HEAD = b'{"num_vectors":0,"dimension":4,"compression":"fp16","chunks":['


def hostile(tmp_path: Path, kind: str, size: int) -> list[list[object]]:
    """Commands, each of which reads about `size` bytes."""
    table, cvc, tensors = tmp_path / "t", tmp_path / "x.cvc", tmp_path / "x.safetensors"
    table.mkdir(parents=True)
    column = (b'{"name":"","file":"a","number_type":"i8","logical_type":"number","count":0},')
    start = b'{"format":"numpact-table","version":1,"skipped":[],"columns":['
    manifests = {"deep": b"[" * size, "objects": b'{"a":' * (size // 5),
                 "columns": start + column * (size // len(column)) + column[:-1] + b"]}",
                 "zeros": start + b"0," * (size // 2) + b"0]}",
                 "string": start[:-1] + b'[],"metadata":[["' + b"\\u0041" * (size // 6)
                           + b'",""]]}',
                 "unknown": start + b'],"more":[' + b"{}," * (size // 3) + b"{}]}"}
    if kind in manifests:
        (table / "manifest.json").write_bytes(manifests[kind])
        return [[verb, table] for verb in ("inspect", "verify", "decompress", "explain")]
    tensor = b'"%d":{"dtype":"F32","shape":[],"data_offsets":[0,4]},'
    headers = {"tensors-deep": b'{"a":' + b"[" * size,
               "tensors-zeros": b'{"a":[' + b"0," * (size // 2) + b"0]}",
               "tensors-shape": b'{"a":{"dtype":"F32","data_offsets":[0,0],"shape":['
                                + b"1," * (size // 2) + b"1]}}",
               "tensors-many": b"{" + b"".join(tensor % i for i in range(size // 60))[:-1] + b"}"}
    if kind in headers:
        header = headers[kind]
        tensors.write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
        return [["cvc", "pack", tensors, "-o", tmp_path / "o.cvc"]]
    n = size // 19
    texts = {"cvc-metadata": cvc_of(HEAD + b'],"metadata":[' + b"0," * (size // 2) + b"0]}"),
             "cvc-chunks": cvc_of(HEAD + b'{"rows":0},' * (n - 1) + b'{"rows":0}]}', bytes(8 * n)),
             "cvc-deep": cvc_of(HEAD + b"[" * size),
             "cvc-sections": cvc_of(HEAD + b'],"sections":['
                                    + b'{"start_index":0,"end_index":0},' * (size // 31)
                                    + b'{"start_index":0,"end_index":0}]}')}
    cvc.write_bytes(texts[kind])
    return [["cvc", "info", cvc], ["cvc", "info", cvc, "--json"], ["cvc", "verify", cvc]]


@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("kind", ["deep", "objects", "columns", "zeros", "string", "unknown",
                                  "tensors-deep", "tensors-zeros", "tensors-shape", "tensors-many",
                                  "cvc-metadata", "cvc-chunks", "cvc-deep", "cvc-sections"])
def test_a07_headers_take_little_memory(tmp_path: Path, kind: str,
                                        tool: Tool) -> None:  # noqa: F811
    """At most MARGIN and three times the input more than the same with a small input; the output
    is in memory, too."""
    size, small = 4 * MIB, 4096
    commands = zip(hostile(tmp_path / "small", kind, small), hostile(tmp_path, kind, size),
                   strict=True)
    for at_first, words in commands:
        least = tool.peak_of(*at_first)[2]
        code, said, peak = tool.peak_of(*words)
        assert code in (0, 1, CORRUPT, LIMIT), said
        assert said.count("\n") <= 1
        output = 3 * size if "--json" in words else 0
        assert peak - least < MARGIN + 3 * size + output, words


def bomb(path: Path) -> Path:
    """The chunk of 2^24 equal numbers, 20,000 times."""
    if not path.exists():
        made = numpact.compress(np.zeros(1 << 24, "f8"), paging=1 << 24)
        head = numpact._core.read_header(made)["size_bytes"]
        path.write_bytes(made[:head] + made[head:-1] * 20_000 + b"\0")
    return path


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bomb(tmp_path_factory.mktemp("bombs") / "bomb.pco")


@pytest.mark.wheel_takes(3)
@pytest.mark.parametrize("words", [["inspect"], ["inspect", "--json"],
                                   ["inspect", "--max-output", "1G"],
                                   ["decompress", "--range", "5:5", "--max-output", "1K"],
                                   ["decompress", "--range", "5:5"],
                                   ["verify", "--max-output", "1G"]], ids=" ".join)
def test_a22_walks_stop(bombs: Path, words: list[str], tool: Tool) -> None:  # noqa: F811
    begin = children_seconds()
    line = tool.refused(words[0], bombs, *words[1:], code=LIMIT)
    assert children_seconds() - begin < WALK_SECONDS
    assert line.startswith(f"{bombs}: ") and "--max-output" in line


def test_a22_walks_of_folders_stop(tmp_path: Path, bombs: Path, tool: Tool) -> None:  # noqa: F811
    """All files of a folder count together."""
    table = tmp_path / "t"
    table.mkdir()
    shutil.copy(bombs, table / "a.pco")
    column = ('{"name":"","file":"a.pco","number_type":"f64","logical_type":"number","count":1}')
    (table / "manifest.json").write_text(
        '{"format":"numpact-table","version":1,"skipped":[],"columns":['
        + ",".join([column] * 50) + "]}")
    begin = children_seconds()
    tool.refused("inspect", table, code=LIMIT)
    tool.refused("decompress", table, "--range", "0:1", code=LIMIT)
    assert "holds 1 rows" in tool.refused("decompress", table, "--range", "5:5")
    assert children_seconds() - begin < 2 * WALK_SECONDS


def test_a22_many_equal_numbers_are_inspected(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    path = tmp_path / "zeros.pco"
    path.write_bytes(numpact.compress(np.zeros(1 << 24, "f8")))
    tool.run("inspect", path)
    assert tool.run("decompress", path, "--range", "16000000:2").text.split() == ["0", "0"]
    tool.refused("inspect", path, "--max-output", "1M", code=LIMIT)


@pytest.fixture
def nasty_table(tmp_path: Path) -> Path:
    table = tmp_path / "m"
    table.mkdir()
    (table / "q.pco").write_bytes(numpact.compress([1]))
    (table / "manifest.json").write_text(json.dumps({
        "format": "numpact-table", "version": 1,
        "columns": [{"name": NASTY, "file": "q.pco", "number_type": "i64",
                     "logical_type": "number", "count": 1}],
        "skipped": [{"name": NASTY, "type": NASTY, "reason": NASTY}]}))
    return table


def test_a17_names_of_files_do_not_steer_terminals(tmp_path: Path, nasty_table: Path,
                                                   tool: Tool) -> None:  # noqa: F811
    bad = tmp_path / "bad"
    for field, value in [("file", f"../{NASTY}"), ("number_type", NASTY), ("logical_type", NASTY)]:
        shutil.copytree(nasty_table, bad, dirs_exist_ok=True)
        manifest = json.loads((bad / "manifest.json").read_text())
        manifest["columns"][0][field] = value
        (bad / "manifest.json").write_text(json.dumps(manifest))
        tool_reports(tool, ["inspect", bad], ["verify", bad, "--json"], ["decompress", bad])
    tool_reports(tool, ["inspect", nasty_table], ["inspect", nasty_table, "--json"],
              ["explain", nasty_table], ["verify", nasty_table], ["verify", nasty_table, "--json"],
              ["decompress", nasty_table, "--column", "x"], ["index", nasty_table],
              ["decompress", nasty_table, "--to", NASTY])
    table = tmp_path / NASTY
    table.mkdir()
    (table / NASTY).write_text("foreign")
    (tmp_path / "t.csv").write_text(f"a,{NASTY}\n1,x\n")
    tool_reports(tool, ["compress", tmp_path / "t.csv", "-f", "-o", table],
              ["compress", tmp_path / "t.csv", "-o", tmp_path / "made"])


def test_a17_messages_about_tables_do_not_steer_terminals(tmp_path: Path,
                                                           tool: Tool) -> None:  # noqa: F811
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet
    path = tmp_path / f"{NASTY}.parquet"
    pa.parquet.write_table(pa.table({NASTY: [1, None], "b": ["x", "y"]}), path)
    damaged = tmp_path / f"{NASTY}2.parquet"
    damaged.write_bytes(path.read_bytes()[:40] + b"PAR1")
    tool_reports(tool, ["compress", path, "--nulls", "error", "-o", tmp_path / "o"],
              ["compress", damaged, "-o", tmp_path / "o"], ["compress", path, "--column", NASTY],
              ["explain", path], ["compress", path, "-o", tmp_path / "o2"])


def tool_reports(tool: Tool, *commands: list[object]) -> None:  # noqa: F811
    for words in commands:
        ran = subprocess.run([tool.program, *map(str, words)], capture_output=True, timeout=600,
                             check=False)
        assert harmless(ran.stdout) and harmless(ran.stderr), (words, ran.stdout, ran.stderr)
        if "--json" in words and ran.stdout:
            json.loads(ran.stdout)


def test_a17_names_in_text_on_a_terminal(nasty_table: Path, tool: Tool) -> None:  # noqa: F811
    """As data they stay what they are."""
    assert NASTY in tool.run("decompress", nasty_table).text
    ours, theirs = pty.openpty()
    with subprocess.Popen([tool.program, "decompress", str(nasty_table)], stdout=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while block := os.read(ours, 65536):
                shown += block
        except OSError:
            pass  # it has closed its end
        assert process.wait(20) == 0
    os.close(ours)
    if ON_WINE:  # it hides the cursor while it draws what the program wrote
        shown = shown.replace(b"\x1b[?25l", b"").replace(b"\x1b[?25h", b"")
    assert harmless(shown) and b"\\x1b[31m" in shown
