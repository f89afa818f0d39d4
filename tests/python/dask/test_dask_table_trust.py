# SPDX-License-Identifier: Apache-2.0
"""Untrusted tables, and tables that are replaced while they are read."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
from dask_support import put
from fsspec.implementations.memory import MemoryFileSystem

import numpact
import numpact.dask
from numpact._remote import table_folder
from numpact._remote.locations import Location
from numpact._remote.manifest import parse_manifest
from numpact.dask import PcoIndex, from_pco_table

MIB = 1 << 20
NAMES = [f"c{i}" for i in range(6)]


def files_of(value: int, rows: int = 100, nulls: bool = False) -> dict[str, bytes]:
    """A table whose columns all hold one number."""
    columns: list[dict[str, Any]] = []
    made: dict[str, bytes] = {}
    for name in NAMES:
        entry = {"name": name, "file": f"{name}.pco", "logical_type": "number"}
        columns.append({**entry, "number_type": "i64", "count": rows})
        made[f"{name}.pco"] = numpact.compress(np.full(rows, value, "i8"), paging=40)
    if nulls:
        columns[0] |= {"nulls": {"file": "c0.nulls.pco", "count": 1}, "count": rows - 1}
        made["c0.pco"] = numpact.compress(np.full(rows - 1, value, "i8"))
        made["c0.nulls.pco"] = numpact.compress(np.array([rows - 1, 1], "u8"))
    manifest = {"format": "numpact-table", "version": 2, "columns": columns, "skipped": []}
    return {"manifest.json": json.dumps(manifest).encode(), **made}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def replace(folder: Path, files: dict[str, bytes]) -> None:
    """As the command does: another folder gets the name in one step, the old one is removed."""
    new = write(folder.with_name("new"), files)
    old = folder.with_name("old")
    if sys.platform == "linux":
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        exchange = 2
        names = os.fsencode(new), os.fsencode(folder)
        assert libc.renameat2(-100, names[0], -100, names[1], exchange) == 0
        new.rename(old)
    else:
        folder.rename(old)
        new.rename(folder)
    shutil.rmtree(old)


# ---- what is not a file of the folder ----


@pytest.mark.parametrize("name", ["c0.pco", "c0.nulls.pco", "manifest.json"])
@pytest.mark.parametrize("options", [{}, {"rows_per_partition": 10}])
def test_a23_pipes_and_devices_are_not_opened(
    tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    table = write(tmp_path / "t", files_of(1, nulls=True))
    (table / name).unlink()
    os.mkfifo(table / name)
    with pytest.raises(numpact.InputOutputError, match="is not a regular file"):
        from_pco_table(table, **options)
    (table / name).unlink()
    (table / name).mkdir()
    with pytest.raises(IsADirectoryError):
        from_pco_table(table, **options)


@pytest.mark.parametrize("name", ["c0.pco", "c0.nulls.pco", "manifest.json"])
@pytest.mark.parametrize("target", ["../out", "{}/out", "inner/out", "..", "first"])
def test_a23_links_out_of_the_folder_are_refused(tmp_path: Path, name: str, target: str) -> None:
    files = files_of(1, nulls=True)
    table = write(tmp_path / "t", files)
    (tmp_path / "out").write_bytes(files[name])
    (table / "inner").symlink_to("..")
    (table / "first").symlink_to("../out")
    (table / name).unlink()
    (table / name).symlink_to(target.format(tmp_path))
    with pytest.raises(numpact.CorruptError, match="leads out of the folder"):
        from_pco_table(table)


def test_a23_links_within_the_folder_and_to_it_are_followed(tmp_path: Path) -> None:
    table = write(tmp_path / "t", files_of(7))
    (table / "c0.pco").rename(table / "real.pco")
    (table / "link").symlink_to("real.pco")
    (table / "c0.pco").symlink_to("link")
    (tmp_path / "named").symlink_to("t")
    for options in ({}, {"rows_per_partition": 30}):
        frame = from_pco_table(tmp_path / "named", **options).compute(scheduler="synchronous")
        assert (frame == 7).all(axis=None)
    (table / "real.pco").unlink()
    (table / "real.pco").symlink_to("c0.pco")
    with pytest.raises(numpact.InputOutputError, match="lead back to themselves"):
        from_pco_table(table)


def test_a23_what_becomes_a_link_or_a_pipe_later(tmp_path: Path) -> None:
    files = files_of(7)
    table = write(tmp_path / "t", files)
    (tmp_path / "out.pco").write_bytes(files["c0.pco"])
    frame = from_pco_table(table)
    (table / "c0.pco").unlink()
    (table / "c0.pco").symlink_to("../out.pco")
    with pytest.raises(numpact.CorruptError, match="leads out of the folder"):
        frame.compute(scheduler="synchronous")
    (table / "c0.pco").unlink()
    os.mkfifo(table / "c0.pco")
    with pytest.raises(numpact.InputOutputError, match="is not a regular file"):
        frame.compute(scheduler="synchronous")


def test_a23_stores_say_what_is_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system of fsspec that is local, but is not known to be."""
    monkeypatch.setattr(Location, "local_path", None)
    table = write(tmp_path / "t", files_of(7))
    assert (from_pco_table(table).compute(scheduler="synchronous") == 7).all(axis=None)
    (table / "c0.pco").unlink()
    (table / "c0.pco").symlink_to("c1.pco")
    with pytest.raises(numpact.CorruptError, match="is a link"):
        from_pco_table(table)
    (table / "c0.pco").unlink()
    os.mkfifo(table / "c0.pco")
    with pytest.raises(numpact.InputOutputError, match="is not a regular file"):
        from_pco_table(table)


def test_a23_arrays_are_not_written_to_pipes(tmp_path: Path) -> None:
    da = pytest.importorskip("dask.array")
    os.mkfifo(tmp_path / "part-00000.pco")
    array = da.from_array(np.arange(5), chunks=5)
    with pytest.raises(numpact.InputOutputError, match="is not a regular file"):
        numpact.dask.to_pco(array, tmp_path, overwrite=True)


# ---- manifests ----

COLUMN = b'{"name":"","file":"a","number_type":"i8","logical_type":"number","count":0},'
START = b'{"format":"numpact-table","version":1,"skipped":[],"columns":['


def hostile(kind: str, size: int) -> bytes:
    return {
        "deep": b"[" * size,
        "objects": b'{"a":' * (size // 5),
        "columns": START + COLUMN * (size // len(COLUMN)) + COLUMN[:-1] + b"]}",
        "zeros": START + b"0," * (size // 2) + b"0]}",
        "key": START[:-1] + b'[],"metadata":[["' + b"\\u0041" * (size // 6) + b'",""]]}',
        "name": START + COLUMN[:9] + b"\\u0041" * (size // 6) + COLUMN[9:-1] + b"]}",
        "wide": START + COLUMN[:9] + b"a" * size + "\U0001f600".encode() + COLUMN[9:-1] + b"]}",
        "unknown": START + b'],"more":[' + b"{}," * (size // 3) + b"{}]}",
        "lists": START + b'],"more":[' + b"[1]," * (size // 4) + b"{}]}",
        "pairs": START + b'],"metadata":[' + b'["",""],' * (size // 8) + b'["",""]]}',
    }[kind]


@pytest.mark.parametrize(
    "kind",
    ["deep", "objects", "columns", "zeros", "key", "name", "wide", "unknown", "lists", "pairs"],
)
def test_a07_manifests_take_little_memory(tmp_path: Path, kind: str) -> None:
    """Within 4 MiB and twice the text, which itself is in memory once."""
    size = 8 * MIB
    (tmp_path / "manifest.json").write_bytes(hostile(kind, size))
    script = (
        "import resource, sys, time, numpact\n"
        "from numpact._remote.manifest import parse_manifest\n"
        "text = open(sys.argv[1], 'rb').read()\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before, begin = peak(), time.process_time()\n"
        "try: parse_manifest(text, 'm')\n"
        "except numpact.Error as error: assert len(str(error)) < 200, error\n"
        "print(peak() - before, time.process_time() - begin)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "manifest.json"],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    kibibytes, seconds = ran.stdout.split()
    assert int(kibibytes) << 10 < 4 * MIB + 2 * size + 2 * MIB  # what Python itself keeps
    assert float(seconds) < 20


class SizelessFileSystem(MemoryFileSystem):
    """A store that does not tell sizes, and whose files come in small pieces without an end."""

    protocol = "sizeless"
    given = 0

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.replace("sizeless://", "memory://")))

    def info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().info(path, **kwargs)
        return found | {"size": None}

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        found: list[Any] = super().ls(path, detail, **kwargs)
        return [entry | {"size": None} for entry in found] if detail else found

    def find(self, path: str, *args: Any, **kwargs: Any) -> Any:
        found = super().find(path, *args, **kwargs)
        return {name: info | {"size": None} for name, info in found.items()}

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> Any:
        text = io.BytesIO(super()._open(path, mode).read())

        def read(size: int) -> bytes:
            data = text.read(min(size, 1000))
            if not data and path.endswith("endless/manifest.json"):
                data = b" " * size
            type(self).given += len(data)
            return data

        return contextlib.closing(types.SimpleNamespace(read=read, close=text.close))


def test_manifests_of_unknown_size_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec.register_implementation("sizeless", SizelessFileSystem, clobber=True)
    for name, data in files_of(7).items():
        MemoryFileSystem().pipe_file(f"/sizeless/{name}", data)
        MemoryFileSystem().pipe_file(f"/endless/{name}", data)
    assert (from_pco_table("sizeless://sizeless").compute()["c3"] == 7).all()
    monkeypatch.setattr(table_folder, "MAX_BYTES", 3 << 20)
    SizelessFileSystem.given = 0
    with pytest.raises(numpact.CorruptError, match=r"endless/manifest.json: is too long"):
        from_pco_table("sizeless://endless")
    assert 3 << 20 < SizelessFileSystem.given <= 4 << 20


def changed(**fields: Any) -> dict[str, Any]:
    """A manifest with other fields; None removes one."""
    manifest = json.loads(files_of(1)["manifest.json"])
    manifest["columns"] = manifest["columns"][:1]
    return {name: value for name, value in (manifest | fields).items() if value is not None}


def column(**fields: Any) -> dict[str, Any]:
    manifest = changed()
    entry = manifest["columns"][0] | fields
    manifest["columns"] = [{name: value for name, value in entry.items() if value is not None}]
    return manifest


PAIRS: list[Any] = [["k", "v"], [{"hex": "00fF"}, ""]]
MANIFESTS: list[tuple[bool, Any]] = [
    (True, changed()),
    (True, changed(more=[[{}]])),
    (True, changed(metadata=PAIRS)),
    (True, column(metadata=PAIRS, nullable=False, nulls_dropped=0, timezone="UTC")),
    (True, b"\xef\xbb\xbf" + json.dumps(changed()).encode()),
    (True, json.dumps(changed()).replace('"version": 2', '"version": 3, "version": 2')),
    (True, json.dumps(changed()).replace('"columns"', '"\\u0063olumns"')),
    (True, json.dumps(changed(more=0)).replace('"more": 0', '"more": ' + "[" * 63 + "]" * 63)),
    (False, json.dumps(changed(more=0)).replace('"more": 0', '"more": ' + "[" * 64 + "]" * 64)),
    (True, json.dumps(changed(more=0)).replace('"more": 0', '"more": [' + "0," * 4194280 + "0]")),
    (False, json.dumps(changed(more=0)).replace('"more": 0', '"more": [' + "0," * 4194304 + "0]")),
    (False, json.dumps(changed()) + " " * (64 * MIB)),
    (False, json.dumps(changed()) + "x"),
    (False, json.dumps(changed()).encode("utf-16")),
    (False, json.dumps(changed(more=0)).replace('"more": 0', '"more": NaN')),
    (False, json.dumps(changed(more="x")).encode().replace(b'"x"', b'"\xed\xa0\x80"')),
    (False, json.dumps(changed()).replace("100", "100.0")),
    (False, json.dumps(changed()).replace("100", "-0")),
    (False, json.dumps(changed()).replace("100", str(1 << 64))),
    (True, changed(version=4)),
    (True, changed(version=5)),
    (False, changed(version=6)),
    (False, changed(version=True)),
    (False, changed(version=2.0)),
    (False, changed(version=None)),
    (False, changed(format="numpact")),
    (False, changed(skipped=None)),
    (False, changed(skipped={})),
    (False, changed(skipped=[{"name": "s"}])),
    (False, changed(skipped=[{"name": "s", "type": "t", "reason": 1}])),
    (False, changed(metadata={})),
    (False, changed(metadata=[["k"]])),
    (False, changed(metadata=[["k", {"hex": "0"}]])),
    (False, changed(metadata=[["k", {"hex": "0g"}]])),
    (False, changed(metadata=[["k", {"hex": "00", "more": 1}]])),
    (False, column(metadata=[["k", 1]])),
    (False, column(nullable=0)),
    (False, column(timezone=1)),
    (False, column(nulls_dropped=-1)),
    (False, column(nulls={"file": "c0.nulls.pco", "count": 0})),
    (False, column(nulls={"file": "c0.nulls.pco", "count": (1 << 64) - 100})),
    (False, column(nulls={"file": "../c0.nulls.pco", "count": 1})),
    (False, column(nulls=[])),
    *((False, column(file=name)) for name in ["", ".", "..", "a..b", "a/b", "a\\b", "a:b", "a\0b"]),
]


@pytest.mark.parametrize("number", range(len(MANIFESTS)))
def test_manifests_are_refused_as_by_the_command(tmp_path: Path, number: int) -> None:
    is_one, made = MANIFESTS[number]
    text = made if isinstance(made, (bytes, str)) else json.dumps(made)
    text = text.encode() if isinstance(text, str) else text
    table = write(tmp_path / "t", files_of(1) | {"manifest.json": text})
    command = [sys.executable, "-m", "numpact", "inspect", str(table)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode == 0) == is_one, ran.stderr
    if is_one:
        assert list(from_pco_table(table).columns) == ["c0"]
        return
    with pytest.raises((numpact.CorruptError, numpact.UnsupportedVersionError)) as caught:
        from_pco_table(table)
    said = str(caught.value).partition("manifest.json: ")[2]
    assert said
    # The command puts the kind of the error before it, and writes quotes and escapes its own way.
    words = said.removeprefix("version ").replace("\\", "").replace("'", "")
    assert words in ran.stderr.replace("\\", "").replace("'", "")


def test_rows_that_no_index_numbers(tmp_path: Path) -> None:
    nulls = {"file": "c0.nulls.pco", "count": (1 << 63) - 1}
    for fields in ({"count": 1 << 63}, {"count": 1 << 63, "nulls": nulls}):
        table = write(tmp_path / f"t{len(fields)}", files_of(1, nulls=True))
        (table / "manifest.json").write_text(json.dumps(column(**fields)))
        with pytest.raises(numpact.CorruptError, match="'count' is not a count"):
            from_pco_table(table)
    nulls["count"] = 1 << 62
    (table / "manifest.json").write_text(json.dumps(column(count=1 << 62, nulls=nulls)))
    with pytest.raises(numpact.CorruptError, match="has more rows than can be counted"):
        from_pco_table(table)


def test_deep_indexes_are_refused() -> None:
    with pytest.raises(numpact.CorruptError, match="no JSON"):
        PcoIndex.from_json("[" * 200_000)


def test_halves_of_surrogate_pairs_in_names() -> None:
    text = json.dumps(column(name="\ud800")).encode()
    with pytest.raises(numpact.CorruptError, match="half of a surrogate pair"):
        parse_manifest(text, "m")


# ---- tables that are replaced ----


@pytest.mark.parametrize("options", [{}, {"rows_per_partition": 30}])
def test_a_table_that_is_replaced_while_it_is_opened(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its manifest is read, then it goes: the new one is read whole."""
    table = write(tmp_path / "t", files_of(1, nulls=True))
    later = [files_of(2, 70), files_of(3, 50)]
    manifest = table_folder.TableFolder.manifest

    def replaced(folder: Any) -> Any:
        made = manifest(folder)
        if later:
            replace(table, later.pop(0))
        return made

    monkeypatch.setattr(table_folder.TableFolder, "manifest", replaced)
    frame = from_pco_table(table, **options).compute(scheduler="synchronous")
    assert frame.shape == (50, len(NAMES))
    assert (frame == 3).all(axis=None)


def test_a_table_that_is_replaced_before_it_is_computed(tmp_path: Path) -> None:
    table = write(tmp_path / "t", files_of(1))
    for options in ({}, {"rows_per_partition": 30}):
        frame = from_pco_table(table, **options)
        # As many bytes and rows.
        replace(table, files_of(2))
        with pytest.raises(numpact.CorruptError, match="mix two tables"):
            frame.compute(scheduler="synchronous")
        replace(table, {"manifest.json": b"{}"})
        with pytest.raises(numpact.CorruptError, match="mix two tables"):
            frame.compute(scheduler="synchronous")
        replace(table, files_of(1))


def test_a_table_that_is_replaced_all_the_time(tmp_path: Path) -> None:
    """Each frame is of one table, or is refused."""
    table = write(tmp_path / "t", files_of(0, 100))
    done = threading.Event()

    def work() -> None:
        value = 0
        while not done.is_set():
            value += 1
            replace(table, files_of(value, 100 + value % 3))

    thread = threading.Thread(target=work)
    thread.start()
    refused = 0
    try:
        for _ in range(30):
            frame = from_pco_table(table)
            try:
                made = frame.compute(scheduler="synchronous")
            except numpact.CorruptError as error:
                assert "mix two tables" in str(error)
                refused += 1
                continue
            assert len(np.unique(made.to_numpy())) == 1
    finally:
        done.set()
        thread.join()
    made = from_pco_table(table).compute(scheduler="synchronous")
    assert len(np.unique(made.to_numpy())) == 1


@pytest.mark.parametrize("options", [{}, {"rows_per_partition": 30}])
def test_a_table_of_a_store_that_is_replaced(folder: str, options: dict[str, Any]) -> None:
    def upload(files: dict[str, bytes]) -> None:
        for name, data in files.items():
            put(f"{folder}/{name}", data)

    upload(files_of(1))
    frame = from_pco_table(folder, **options)
    assert (frame.compute(scheduler="synchronous") == 1).all(axis=None)
    # The last file of all is enough.
    put(f"{folder}/c5.pco", files_of(2)["c5.pco"])
    assert (frame[["c0", "c4"]].compute(scheduler="synchronous") == 1).all(axis=None)
    with pytest.raises(numpact.CorruptError, match="mix two tables"):
        frame.compute(scheduler="synchronous")
    MemoryFileSystem().rm(f"{folder}/c5.pco")
    with pytest.raises(numpact.CorruptError, match="mix two tables"):
        frame.compute(scheduler="synchronous")


@pytest.mark.parametrize("name", ["manifest.json", "c0.nulls.pco"])
def test_a_table_of_a_store_that_is_replaced_while_it_is_opened(
    folder: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = files_of(1, nulls=True)
    for file, data in files.items():
        put(f"{folder}/{file}", data)
    fetch: Callable[..., bytes] = MemoryFileSystem.cat_file

    def replaced(self: Any, path: str, *args: Any, **options: Any) -> bytes:
        data = fetch(self, path, *args, **options)
        if path.endswith(name):
            # After the listing: also the manifest is checked by the files that it names.
            for file in files if name == "manifest.json" else [name]:
                put(f"{folder}/{file}", files[file])
        return data

    monkeypatch.setattr(MemoryFileSystem, "cat_file", replaced)
    with pytest.raises(numpact.CorruptError, match="mix two tables"):
        from_pco_table(folder).compute(scheduler="synchronous")
