# SPDX-License-Identifier: Apache-2.0
"""Columns of fixed-size lists, which are CVC files, in both commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest
from cli_program import CORRUPT, FAILURE, PROGRAM, USAGE
from programs import Tool, tool  # noqa: F401

import numpact

MESSAGE = "another checksum than the manifest says"

pytestmark = pytest.mark.usefixtures("arrow")


def lists(rows: int, width: int, dtype: str, seed: int) -> pa.Array:
    numbers = np.random.default_rng(seed).normal(0, 20, rows * width).astype(dtype)
    return pa.FixedSizeListArray.from_arrays(pa.array(numbers), width)


def table(rows: int, seed: int = 1) -> pa.Table:
    tensor = pa.fixed_shape_tensor(pa.float32(), [2, 2])
    return pa.table({
        "n": pa.array(range(rows)),
        "f4": lists(rows, 8, "f4", seed),
        "f2": lists(rows, 5, "f2", seed),
        "lossy": lists(rows, 8, "f4", seed + 1),
        "u1": lists(rows, 3, "i1", seed),
        "i8": lists(rows, 1, "i8", seed),
        "f8": lists(rows, 3, "f8", seed),
        "tensor": pa.ExtensionArray.from_storage(tensor, lists(rows, 4, "f4", seed)),
    })  # fmt: skip


def saved(made: pa.Table, path: Path) -> Path:
    with pa.ipc.new_file(path, made.schema) as writer:
        writer.write_table(made)
    return path


def loaded(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def parts(folder: Path) -> list[tuple[Any, ...]]:
    """Of each file of another column: its column, compression, ending and bytes."""
    described = json.loads((folder / "manifest.json").read_text())
    return [
        (entry["name"], entry.get("vectors"), part["file"].rpartition(".")[2],
         part["ends"], (folder / part["file"]).read_bytes())
        for entry in described["others"] for part in entry["parts"]
    ]  # fmt: skip


def test_the_same_bytes_as_python(tool: Tool, tmp_path: Path) -> None:
    """Also of appended rows, of which the first ones are copied."""
    rows = [66_000, 700, 5000]
    ours, theirs = tmp_path / "python", tmp_path / "command"
    for index, count in enumerate(rows):
        made = table(count, index)
        path = saved(made, tmp_path / "t.arrow")
        if index == 0:
            numpact.write_table(made, ours, vectors={"lossy": "int8_dim"})
            tool.run("compress", "-q", path, "-o", theirs, "--vectors", "lossy=int8_dim")
        else:
            numpact.append_table(made, ours)
            tool.run("compress", "-q", path, "--append", "-o", theirs)
    assert parts(ours) == parts(theirs)
    assert {(name, form, ending) for name, form, ending, _, _ in parts(ours)} == {
        ("f4", None, "cvc"), ("f2", None, "cvc"), ("lossy", "int8_dim", "cvc"),
        ("u1", None, "cvc"), ("i8", None, "cvc"), ("f8", None, "arrow"), ("tensor", None, "cvc"),
    }  # fmt: skip
    whole = numpact.open_table(ours).to_arrow()
    tool.run("decompress", "-q", theirs, "-o", tmp_path / "all.arrow")
    assert loaded(tmp_path / "all.arrow").equals(whole, check_metadata=True)
    where = ("--where", "n >= 690 and n < 710")
    tool.run("decompress", "-q", theirs, "-o", tmp_path / "some.arrow", *where)
    assert loaded(tmp_path / "some.arrow").equals(
        numpact.open_table(ours).read(where=where[1]).to_arrow()
    )
    assert b"lossy: int8_dim" in tool.run("inspect", theirs).out
    notes = tool.run("explain", theirs).err
    assert "'u1' is not explained: values of type fixed_size_list" in notes
    assert notes.count("are kept by CVC") == 6
    assert notes.count("are kept by Arrow") == 1
    tool.run("compact", "-q", theirs)
    numpact.compact_table(ours)
    assert parts(ours) == parts(theirs)
    tool.run("verify", theirs)


def test_a_null_makes_a_file_of_arrow(tool: Tool, tmp_path: Path) -> None:
    values = lists(3000, 4, "f4", 1)
    made = pa.table({"v": pa.chunked_array([values, pa.nulls(1, values.type), values])})
    path = saved(made, tmp_path / "t.arrow")
    tool.run("compress", "-q", path, "-o", tmp_path / "t")
    numpact.write_table(made, tmp_path / "python")
    assert parts(tmp_path / "t") == parts(tmp_path / "python")
    assert [part[2] for part in parts(tmp_path / "t")] == ["arrow"]
    why = tool.refused("compress", path, "-o", tmp_path / "u", "--vectors", "v=int4")
    assert "column 'v': a null from row 3000 on" in why
    assert not (tmp_path / "u").exists()


def test_options_that_are_refused(tool: Tool, tmp_path: Path) -> None:
    path = saved(table(10), tmp_path / "t.arrow")
    for given, why, code in [
        ("f4=int9", "'f4=int9' is no column with a compression", USAGE),
        ("f4", "'f4' is no column with a compression", USAGE),
        ("n=int4", "column 'n' has no fixed-size lists", USAGE),
        ("x=int4", "no column 'x'", USAGE),
        ("f8=int4", "no fixed-size lists of float32 or float16", FAILURE),
    ]:
        found = tool.refused("compress", path, "-o", tmp_path / "t", "--vectors", given, code=code)
        assert why in found
        assert not (tmp_path / "t").exists()
    tool.run("compress", "-q", path, "-o", tmp_path / "t", "--vectors", "lossy=int4")
    append = ("compress", path, "--append", "-o", tmp_path / "t")
    why = tool.refused(*append, "--vectors", "lossy=fp16")
    assert "column 'lossy': its vectors are int4, not fp16" in why


def test_lossy_vectors_get_no_wider_type(tool: Tool, tmp_path: Path) -> None:
    """They would lose more. The program without Python widens no lists at all."""
    folder = tmp_path / "t"
    path = saved(pa.table({"v": lists(9, 4, "f4", 1)}), tmp_path / "t.arrow")
    tool.run("compress", "-q", path, "-o", folder, "--vectors", "v=int8_dim")
    before = parts(folder)
    wide = saved(pa.table({"v": lists(9, 4, "f8", 1)}), tmp_path / "wide.arrow")
    why = tool.refused("compress", wide, "--append", "--schema", "extend", "-o", folder)
    assert "column 'v'" in why
    assert "its vectors are int8_dim" in why or "this program makes no type" in why
    assert parts(folder) == before


def test_every_changed_byte_is_found(tool: Tool, tmp_path: Path) -> None:
    made = pa.table({"v": lists(40, 4, "f4", 1)})
    folder = tmp_path / "t"
    tool.run("compress", "-q", saved(made, tmp_path / "t.arrow"), "-o", folder)
    good = (folder / "v.cvc").read_bytes()
    for at in range(0, len(good), 29 if tool.program == PROGRAM else 211):
        damaged = bytearray(good)
        damaged[at] ^= 1 << at % 8
        (folder / "v.cvc").write_bytes(damaged)
        found = tool.run("verify", folder, code=CORRUPT)
        assert MESSAGE in found.err + found.out.decode()
        read = tool.run("decompress", folder, "-o", tmp_path / "x.arrow", code=CORRUPT)
        assert "v.cvc" in read.err
        assert MESSAGE in read.err


def test_signals_remove_what_lies_in_the_temporary_folder(tmp_path: Path) -> None:
    """The file of vectors grows there until the column ends."""
    source = saved(pa.table({"v": lists(400_000, 64, "f4", 1)}), tmp_path / "v.arrow")
    place = tmp_path / "temporary"
    place.mkdir()
    command = [PROGRAM, "compress", source, "-o", tmp_path / "f", "-j", "1"]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(place)},
                          stderr=subprocess.PIPE) as process:  # fmt: skip
        deadline = time.monotonic() + 300
        # Of a folder that has just been made the command does not know yet.
        while not list(place.glob(".*/*")) and time.monotonic() < deadline:
            time.sleep(0.001)
        (folder,) = place.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == -signal.SIGTERM
    assert list(place.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["temporary", "v.arrow"]
