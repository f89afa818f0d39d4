# SPDX-License-Identifier: Apache-2.0
"""Every reader of tables has the same verdict on each manifest of the list.

manifest_list_test.cpp runs the list by the C++ and the C interface.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli_program import CORRUPT, DONE, FAILURE, LIMIT, ON_WINE, ROOT, run
from manifests import ACCEPTED, REFUSED, Manifest

import numpact

DUMP = ROOT / "build/release/tests/tables/numpact_table_dump"
CODES = {"corrupt": CORRUPT, "unsupported version": CORRUPT, "limit exceeded": LIMIT}
ERRORS = {
    "corrupt": numpact.CorruptError,
    "unsupported version": numpact.UnsupportedVersionError,
    "limit exceeded": numpact.LimitExceededError,
}
APART = "nulls were left out"


def named(manifests: list[Manifest]) -> Any:
    return pytest.mark.parametrize("one", manifests, ids=[one.name for one in manifests])


# ---- the command ----


def kind_of(column: dict[str, Any]) -> str:
    marks = [column[key] for key in ("unit", "timezone") if column.get(key)]
    unit = f"[{', '.join(marks)}]" if marks else ""
    return f"{column['logical_type']}{unit}:{column['number_type']}"


def plain(value: str) -> str:
    """A cell of CSV as the list has it: the list's times are small counts of units."""
    return {"false": "0", "true": "1", "": "null", "2.0": "2"}.get(value, value)


@named(ACCEPTED)
def test_the_command_accepts(tmp_path: Path, one: Manifest) -> None:
    folder = one.folder(tmp_path / "t")
    found = json.loads(run("inspect", "--json", folder).text)
    columns = [f"{c['name']}:{kind_of(c)}" for c in found["columns"]]
    for other in found.get("others", []):
        columns.insert(other["position"], f"{other['name']}:other:{other['type']}")
    assert columns == [c.rpartition("=")[0].replace("\\0", "\0") for c in one.columns]
    run("verify", folder)
    is_apart = one.rows is None
    ran = run("decompress", folder, "--to", "csv", code=FAILURE if is_apart else DONE)
    if is_apart:
        assert APART in ran.err
        for name, values in zip(one.names(), one.values(), strict=True):
            alone = run("decompress", folder, "--column", name, "--to", "csv").text
            assert list(zip(*csv.reader(io.StringIO(alone)), strict=True)) == [(name, *values)]
        return
    is_number = all(re.search(r":(number|bool|other|text)[:\[]", column) for column in one.columns)
    if one.columns and is_number:
        cells = list(zip(*csv.reader(io.StringIO(ran.text)), strict=True))
        assert [list(map(plain, column[1:])) for column in cells] == one.values()


@named(REFUSED)
def test_the_command_refuses(tmp_path: Path, one: Manifest) -> None:
    folder = one.folder(tmp_path / "t")
    ran = run("verify", folder, code=CODES[one.kind])
    assert one.why.partition("\\")[0] in ran.err
    for words in (["inspect"], ["decompress", "--to", "csv"]):
        assert run(words[0], folder, *words[1:], code=CODES[one.kind]).text == ""


# ---- Python ----


@named(ACCEPTED)
def test_python_accepts(tmp_path: Path, one: Manifest) -> None:
    folder = one.folder(tmp_path / "t")
    with numpact.open_table(folder) as table:
        assert table.column_names == one.names()
        assert table.schema.names == one.names()
    for index, values in enumerate(one.values()):
        if one.names().count(one.names()[index]) > 1:
            continue
        column = numpact.read_table(folder, [one.names()[index]]).to_arrow().column(0)
        if re.search(r":(number|other|text):", one.columns[index]):
            cells = ["null" if value is None else f"{value}" for value in column.to_pylist()]
            assert list(map(plain, cells)) == values
        else:
            assert len(column) == len(values)
    if one.rows is None:
        with pytest.raises(numpact.InvalidArgumentError, match=APART):
            numpact.read_table(folder)
    else:
        assert len(numpact.read_table(folder)) == one.rows


@named(REFUSED)
def test_python_refuses(tmp_path: Path, one: Manifest) -> None:
    folder = one.folder(tmp_path / "t")
    for call in (numpact.open_table, numpact.read_table):
        with pytest.raises(ERRORS[one.kind]) as caught:
            call(folder)
        assert one.why in str(caught.value)


# ---- the C interface, which database plug-ins use ----

needs_dump = pytest.mark.skipif(ON_WINE or not DUMP.exists(), reason="nothing is built")


def dump(folder: Path, command: str = "") -> str:
    words = [str(DUMP), str(folder), *([command] if command else [])]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return ran.stdout


@needs_dump
@named(ACCEPTED)
def test_c_accepts(tmp_path: Path, one: Manifest) -> None:
    found = dump(one.folder(tmp_path / "t"))
    if one.rows is None:
        assert found.startswith("error: ") and APART in found
        return
    columns = []
    for column in one.columns:
        head, _, values = column.rpartition("=")
        head = re.sub(r"\[(\w+), .*\]", r"[\1, zone]", head).replace("\\0", "\u2400")
        columns.append(f"{head}={'' if ':other:' in head else values}")
    assert found.splitlines() == [str(one.rows), *columns]


@needs_dump
@named(REFUSED)
def test_c_refuses(tmp_path: Path, one: Manifest) -> None:
    found = dump(one.folder(tmp_path / "t"))
    assert found.startswith("error: ") and one.why in found


@needs_dump
def test_c_reads_null_runs_that_fit(tmp_path: Path) -> None:
    import numpy as np

    folder = tmp_path / "t"
    numpact.write_table({"a": [5, None, None, 7]}, folder)
    assert dump(folder).splitlines()[1:] == ["a:number:i64=5,null,null,7"]
    for runs in ([1, 2, 2], [1, 3, 5], [1, 2, 1, 1], [1, 2, 1, 2**63, 1], [1, 1, 0, 1, 1], [4]):
        (folder / "a.nulls.pco").write_bytes(numpact.compress(np.array(runs, np.uint64)))
        assert "error: " in dump(folder)


# ---- folders ----


def chain(folder: Path, name: str, links: int) -> None:
    """Makes a file the end of a chain of links of its name."""
    target = folder / f"{name}.0"
    (folder / name).rename(target)
    for index in range(1, links):
        (folder / f"{name}.{index}").symlink_to(target.name)
        target = folder / f"{name}.{index}"
    (folder / name).symlink_to(target.name)


def readers(folder: Path) -> dict[str, bool]:
    """Which readers can read a table."""
    try:
        numpact.read_table(folder)
        python = True
    except (numpact.Error, OSError):
        python = False
    ran = run("decompress", folder, "--to", "csv", code=None)
    found = {"python": python, "command": ran.code == DONE}
    if DUMP.exists():
        found["c"] = "error: " not in dump(folder)
    return found


@pytest.mark.skipif(ON_WINE, reason="Windows has no such links")
@pytest.mark.parametrize("name", ["a.pco", "a.nulls.pco", "manifest.json"])
@pytest.mark.parametrize(
    ("links", "target", "is_read"),
    [(1, "", True), (8, "", True), (9, "", False), (0, "../out", False), (0, "/etc/passwd", False),
     (0, "..", False), (0, "./a.pco.0", False), (0, "", False)],
)  # fmt: skip
def test_links(tmp_path: Path, name: str, links: int, target: str, is_read: bool) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"a": [5, None], "b": [1, 2]}, folder)
    if links:
        chain(folder, name, links)
    elif target:
        (folder / name).rename(folder.parent / "out")
        (folder / name).symlink_to(target)
    else:
        (folder / name).unlink()
        (folder / name).symlink_to(name)
    assert set(readers(folder).values()) == {is_read}


@needs_dump
@pytest.mark.parametrize("columns", [3, 300])
def test_c_reads_one_version_of_a_table(tmp_path: Path, columns: int) -> None:
    """reader_lists_test.cpp does so with more files than are mapped at once."""
    folder, new = tmp_path / "t", tmp_path / "new"
    old_rows = {f"c{index}": [1, 1, 1] for index in range(columns)}
    numpact.write_table(old_rows, folder)
    numpact.write_table({name: [2, 2, 2] for name in old_rows}, new)
    swap = f"mv {folder} {folder}.old && mv {new} {folder} && rm -r {folder}.old"
    lines = dump(folder, swap).splitlines()[1:]
    assert lines == [f"c{index}:number:i64=1,1,1" for index in range(columns)]
    numpact.write_table(old_rows, folder, overwrite=True)
    (tmp_path / "b").write_bytes(numpact.compress([9, 9, 9]))
    lines = dump(folder, f"mv {tmp_path / 'b'} {folder / 'c1.pco'}").splitlines()[1:]
    assert not any("9,9,9" in line for line in lines)
