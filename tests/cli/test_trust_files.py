# SPDX-License-Identifier: Apache-2.0
"""Access to files that are written, removal, and files that change while they are read."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import stat
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpact
import numpy as np
import pytest
from cli_program import CORRUPT, FAILURE, PROGRAM, USAGE, leftovers
from access_lists import access_list, list_of, set_list
from programs import Tool, tool  # noqa: F401

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give files away")
NOBODY = 65534


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    return path


def access(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)


def copies(tmp_path: Path, tool: Tool) -> list[tuple[list[object], Path, bytes]]:  # noqa: F811
    """Commands that replace a file: their words, the file, and what it holds before."""
    np.save(tmp_path / "a.npy", np.arange(9))
    np.save(tmp_path / "v.npy", np.ones((4, 3), np.float32))
    pco, npy = numpact.compress(np.arange(5)), (tmp_path / "a.npy").read_bytes()
    (tmp_path / "in.pco").write_bytes(pco)
    tool.run("cvc", "pack", tmp_path / "v.npy", "-o", tmp_path / "in.cvc", "-q")
    made = tmp_path / "made"
    return [(["compress", tmp_path / "a.npy", "-f", "-o", made], made, b"old"),
            (["compress", tmp_path / "a.npy", "--append", "-o", made], made, pco),
            (["decompress", tmp_path / "in.pco", "-f", "--to", "raw", "-o", made], made, b"old"),
            (["index", made], made, pco),
            (["cvc", "pack", tmp_path / "v.npy", "-f", "-o", made], made, b"old"),
            (["cvc", "slice", tmp_path / "in.cvc", made, "-f"], made, b"old"),
            (["cvc", "unpack", tmp_path / "in.cvc", "-f", "--to", "npy", "-o", made], made, b"old")]


@pytest.mark.wheel_takes(2)
@pytest.mark.parametrize("mode", [0o4755, 0o6711, 0o600, 0o2640])
def test_a04_replaced_files_keep_access_alone(tmp_path: Path, mode: int,
                                              tool: Tool) -> None:  # noqa: F811
    for words, path, content in copies(tmp_path, tool):
        path.write_bytes(content)
        path.chmod(mode)
        tool.run(*words, "-q")
        assert path.read_bytes() != content, words
        assert access(path) == (os.geteuid(), os.getegid(), mode & 0o777), words


@as_root
def test_a04_files_of_others_stay_theirs(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    for words, path, content in copies(tmp_path, tool):
        path.write_bytes(content)
        os.chown(path, NOBODY, NOBODY)
        path.chmod(0o4750)
        tool.run(*words, "-q")
        assert access(path) == (NOBODY, NOBODY, 0o750), words


@as_root
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
def test_a04_a_group_that_cannot_be_kept_gives_nothing(tmp_path: Path,
                                                       tool: Tool) -> None:  # noqa: F811
    """A user in the folder of whom a file of another user and group lies."""
    if tool.program.endswith("venv/bin/numpact"):
        pytest.skip("the package's folder may not be open to all")
    tmp_path = Path(subprocess.run(["mktemp", "-d"], capture_output=True, check=True,
                                   text=True).stdout.strip())
    try:
        np.save(tmp_path / "a.npy", np.arange(9))
        made = tmp_path / "made.pco"
        made.touch()
        made.chmod(0o664)
        os.chown(tmp_path, NOBODY, NOBODY)
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        words = [*user, tool.program, "compress", str(tmp_path / "a.npy"), "-f", "-o", str(made)]
        ran = subprocess.run(words, capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert access(made) == (NOBODY, NOBODY, 0o644)
    finally:
        shutil.rmtree(tmp_path)


def test_a05_access_control_lists_are_kept_and_never_widened(tmp_path: Path,
                                                             tool: Tool) -> None:  # noqa: F811
    for words, path, content in copies(tmp_path, tool):
        for given in (b"", access_list(group=0), access_list(group=6), access_list(user=0)):
            path.unlink(missing_ok=True)
            path.write_bytes(content)
            path.chmod(0o600)
            set_list(path, given)
            before = access(path)
            # The access list that new files of the folder get.
            set_list(tmp_path, access_list(group=6), "default")
            tool.run(*words, "-q")
            set_list(tmp_path, b"", "default")
            assert path.read_bytes() != content, words
            assert (list_of(path), access(path)) == (given, before), words
    table = tmp_path / "tab"
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    tool.run("compress", tmp_path / "t.csv", "-o", table, "-q")
    set_list(table, access_list(group=6))
    set_list(table / "a.pco", access_list(user=0))
    (table / "b.pco").chmod(0o600)
    set_list(tmp_path, access_list(group=6), "default")
    tool.run("compress", tmp_path / "t.csv", "-f", "-o", table, "-q")
    assert list_of(table) == access_list(group=6)
    assert list_of(table / "a.pco") == access_list(user=0)
    assert list_of(table / "b.pco") == b"" and access(table / "b.pco")[2] == 0o600


def test_a05_temporaries_are_private(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """If only its owner may read a file, nobody else may read a temporary copy."""
    source = tmp_path / "n.raw"
    source.write_bytes(np.random.default_rng(1).bytes(16 << 20))
    old = tmp_path / "old.pco"
    old.write_bytes(numpact.compress(np.arange(5)))
    for words in [["compress", source, "--dtype", "i64", "-f", "-o", old],
                  ["compress", source, "--dtype", "i64", "--append", "-o", old]]:
        old.chmod(0o600)
        seen: set[int] = set()
        done = threading.Event()

        def look() -> None:
            while not done.is_set():
                for name in leftovers(tmp_path):
                    try:
                        seen.add(stat.S_IMODE((tmp_path / name).stat().st_mode))
                    except FileNotFoundError:
                        pass
                time.sleep(0.001)

        thread = threading.Thread(target=look)
        thread.start()
        tool.run(*words, "-q")
        done.set()
        thread.join()
        assert seen == {0o600}


def all_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a06_foreign_folders_stay(tmp_path: Path, text: Path, tool: Tool) -> None:  # noqa: F811
    foreign = tmp_path / "ext"
    (foreign / "src").mkdir(parents=True)
    (foreign / "src/app.js").write_text("years of work")
    for manifest in ['{"manifest_version": 3}', "", "[" * 100, '{"format": "numpact-table"}',
                     '{"format":"numpact-table","version":9,"columns":[],"skipped":[]}']:
        (foreign / "manifest.json").write_text(manifest)
        before = all_files(foreign)
        line = tool.refused("compress", text, "-f", "-o", foreign, code=FAILURE)
        assert "is not a folder of numpact (it holds 'manifest.json')" in line
        assert all_files(foreign) == before


@pytest.mark.wheel_takes(5)
@pytest.mark.parametrize("name", ["NOTES.md", ".git", "a.pco.bak", "zz", "B.pco"])
@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_a06_foreign_files_stay(tmp_path: Path, text: Path, name: str, kind: str,
                                tool: Tool) -> None:  # noqa: F811
    table = tmp_path / "tab"
    tool.run("compress", text, "-o", table, "-q")
    made = table / name
    if kind == "file":
        made.write_text("notes")
    elif kind == "folder":
        made.mkdir()
    else:
        made.symlink_to("a.pco")
    before = all_files(table)
    line = tool.refused("compress", text, "-f", "-o", table, code=FAILURE)
    assert f"holds '{name}', which is not part of the table" in line
    assert all_files(table) == before and leftovers(tmp_path) == []


def test_a06_tables_and_empty_folders_are_replaced(tmp_path: Path, text: Path,
                                                   tool: Tool) -> None:  # noqa: F811
    table = tmp_path / "tab"
    table.mkdir()
    tool.run("compress", text, "-f", "-o", table, "-q")
    other = tmp_path / "u.csv"
    other.write_text("c\n1\n\n3\n")  # with a file of nulls
    for source, names in [(other, ["c.nulls.pco", "c.pco"]), (text, ["a.pco", "b.pco"])]:
        tool.run("compress", source, "-f", "-o", table, "-q")
        assert sorted(os.listdir(table)) == [*names, "manifest.json"]
    assert leftovers(tmp_path) == []


def test_a18_private_folders_stay_private(tmp_path: Path, text: Path,
                                          tool: Tool) -> None:  # noqa: F811
    table = tmp_path / "tab"
    tool.run("compress", text, "-o", table, "-q")
    assert access(table)[2] == 0o755
    table.chmod(0o2700)
    for path in table.iterdir():
        path.chmod(0o600)
    (table / "a.pco").chmod(0o640)
    text.write_text("a,b,c\n1,2,3\n")
    tool.run("compress", text, "-f", "-o", table, "-q")
    assert access(table)[2] == 0o700
    modes = {path.name: access(path)[2] for path in table.iterdir()}
    assert modes == {"a.pco": 0o640, "b.pco": 0o600, "c.pco": 0o600, "manifest.json": 0o600}


@as_root
def test_a18_folders_of_others_stay_theirs(tmp_path: Path, text: Path,
                                           tool: Tool) -> None:  # noqa: F811
    table = tmp_path / "tab"
    tool.run("compress", text, "-o", table, "-q")
    for path in [table, *table.iterdir()]:
        os.chown(path, NOBODY, NOBODY)
    tool.run("compress", text, "-f", "-o", table, "-q")
    assert {path.stat().st_uid for path in [table, *table.iterdir()]} == {NOBODY}


def run_with(code: str, folder: Path, env: dict[str, str],
             words: list[object]) -> subprocess.CompletedProcess[str]:
    """The command of the build tree with functions of the system that this code puts before."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    library, source = folder / "shim.so", folder / "shim.c"
    source.write_text(code)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, check=False, text=True,
                          env={**os.environ, "LD_PRELOAD": str(library), **env})


SHORTENING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int open(const char* path, int flags, ...) {
  int (*real)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  va_list more;
  va_start(more, flags);
  int mode = va_arg(more, int);
  va_end(more);
  if (flags & O_CREAT && strstr(path, "b.pco")) {
    int source = real(getenv("SOURCE"), O_WRONLY);
    if (pwrite(source, "\xff\xff\xff\xff\0\0\0\0", 8, atoll(getenv("CUT_AT"))) != 8) abort();
    close(source);
  }
  return real(path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
"""


@pytest.mark.usefixtures("arrow")
def test_columns_of_different_lengths_are_no_table(tmp_path: Path) -> None:
    """A stream of Arrow is read once for each column. Here it ends after its first batch from the
    second column on: somebody writes there while it is read."""
    pa = pytest.importorskip("pyarrow")
    source, table = tmp_path / "t.arrows", tmp_path / "tab"
    batch = pa.record_batch({"a": list(range(100)), "b": list(range(100))})
    with source.open("wb") as file, pa.ipc.new_stream(file, batch.schema) as writer:
        writer.write_batch(batch)
        end_of_first = file.tell()
        writer.write_batch(batch)
    content = source.read_bytes()
    env = {"SOURCE": str(source), "CUT_AT": str(end_of_first)}
    for before in (None, [200, 200]):
        if before:
            Tool(PROGRAM).run("compress", source, "-o", table, "-q")
        files = all_files(table) if before else {}
        ran = run_with(SHORTENING, tmp_path, env, ["compress", source, "-f", "-o", table])
        source.write_bytes(content)
        assert ran.returncode == FAILURE, ran.stderr
        assert "column 'b': has 100 rows, column 'a' has 200: did the file change" in ran.stderr
        assert leftovers(tmp_path) == [] and table.exists() == bool(before)
        assert not before or (columns_of(table) == before and all_files(table) == files)


def columns_of(table: Path) -> list[int]:
    return [c["count"] for c in json.loads((table / "manifest.json").read_text())["columns"]]


def test_a21_a_file_that_grows_makes_equal_columns(tmp_path: Path,
                                                   tool: Tool) -> None:  # noqa: F811
    log, table = tmp_path / "log.csv", tmp_path / "log"
    rows = [f"{i},{i * 2},{i % 7}\n" for i in range(200_000)]
    log.write_text("a,b,c\n" + "".join(rows))
    done = threading.Event()

    def grow() -> None:
        with log.open("a") as file:
            while not done.is_set():
                file.writelines(rows[:500])
                file.write("12")  # a line that is cut for a while
                file.flush()
                time.sleep(0.002)
                file.write("34,5,6\n")
                file.flush()

    thread = threading.Thread(target=grow)
    thread.start()
    try:
        tool.run("compress", log, "-o", table, "-q")
    finally:
        done.set()
        thread.join()
    counts = columns_of(table)
    assert len(set(counts)) == 1 and counts[0] >= 200_000
    tool.run("decompress", table, "-o", tmp_path / "back.csv")
    tool.run("verify", table)


SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int fstat(int descriptor, struct stat* found) {
  int (*real)(int, struct stat*) = dlsym(RTLD_NEXT, "fstat");
  int result = real(descriptor, found);
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n > 0) path[n] = 0;
  if (n > 0 && strstr(path, "/log.csv")) found->st_size = atoll(getenv("SHOWN_SIZE"));
  return result;
}
"""


def compressed_while_it_grows(log: Path, size: int) -> subprocess.CompletedProcess[str]:
    """The command finds a file of that size when it opens it, and all of it when it has read it."""
    return run_with(SHIM, log.parent, {"SHOWN_SIZE": str(size)},
                    ["compress", log, "-o", log.with_name("log")])


@pytest.mark.parametrize("end,later,left_out", [
    ("3,4", "5,6\n", True), ("3,4", "\n5,6\n", False), ("3,4", "", False),
    ("3,4\n", "5,6\n", False),
    ("3", ",4\n", True), ('3,"4', '5"\n', True), ('3,"4"', "\n", False), ("3,4", "\r\n", False)])
def test_a21_a_line_that_was_cut_is_left_out(tmp_path: Path, end: str, later: str,
                                             left_out: bool) -> None:
    log = tmp_path / "log.csv"
    log.write_text("a,b\n" + "1,2\n" * 3 + end + later)
    ran = compressed_while_it_grows(log, log.stat().st_size - len(later))
    assert ran.returncode == 0, ran.stderr
    assert columns_of(tmp_path / "log") == ([3, 3] if left_out else [4, 4])
    assert ("line 5 is left out" in ran.stderr) == left_out


def gzip_member(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def zstd_frame(text: str) -> bytes:
    """One block of bytes as they are, behind their count in four bytes."""
    data = text.encode()
    return (struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data))
            + struct.pack("<I", len(data) << 3 | 1)[:3] + data)


@pytest.mark.parametrize("kind,pack", [("gz", gzip_member), ("zst", zstd_frame)])
def test_a21_compressed_text_that_grows(tmp_path: Path, kind: str,
                                        pack: Callable[[str], bytes]) -> None:
    log = tmp_path / f"log.csv.{kind}"
    first, second = pack("a,b\n" + "1,2\n" * 3), pack("3,4\n")
    log.write_bytes(first + second)
    whole = len(first + second)
    # Cut within data: what is missing is still to come, or is not.
    for size, file_size in [(len(first) - 3, whole), (whole - 1, whole), (whole - 1, whole - 1),
                            (len(first) // 2, len(first) // 2)]:
        log.write_bytes((first + second)[:file_size])
        ran = compressed_while_it_grows(log, size)
        assert ran.returncode == CORRUPT and ran.stderr.count("\n") == 1
        assert ("is still being written" in ran.stderr) == (size < file_size), ran.stderr
        assert ("ends too early" in ran.stderr) == (size == file_size), ran.stderr
        assert not (tmp_path / "log").exists()
    # Between members all lines are there, but for one that has no end yet.
    for front, rows in [(first, 3), (pack("a,b\n1,2\n3"), 1)]:
        log.write_bytes(front + second)
        ran = compressed_while_it_grows(log, len(front))
        assert ran.returncode == 0, ran.stderr
        assert columns_of(tmp_path / "log") == [rows, rows]
        assert ("line 3 is left out" in ran.stderr) == (rows == 1)
        shutil.rmtree(tmp_path / "log")


MANIFEST = ('{"format":"numpact-table","version":1,"columns":[{"name":"a","file":"a.pco",'
            '"number_type":"i64","logical_type":"number","count":3}],"skipped":[]}')
READERS = [["verify"], ["verify", "--json"], ["inspect"], ["decompress"], ["explain"],
           ["decompress", "--range", "0:1"], ["decompress", "--salvage"], ["index"]]


@pytest.fixture
def untrusted(tmp_path: Path) -> Path:
    folder = tmp_path / "sl"
    folder.mkdir()
    (folder / "manifest.json").write_text(MANIFEST)
    return folder


@pytest.mark.wheel_takes(3)
@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a23_pipes_and_devices_are_not_opened(untrusted: Path, words: list[str],
                                              tool: Tool) -> None:  # noqa: F811
    os.mkfifo(untrusted / "a.pco")
    ran = tool.run(words[0], untrusted, *words[1:], code=FAILURE)
    text = ran.err or ran.text
    assert ("a.pco: " in text and "is not a regular file" in text) or "--json" in words
    (untrusted / "manifest.json").unlink()
    os.mkfifo(untrusted / "manifest.json")
    tool.run(words[0], untrusted, *words[1:], code=FAILURE)


@pytest.mark.wheel_takes(7)
@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("target", ["../out.pco", "{}/out.pco", "inner/out.pco"])
def test_a23_links_out_of_the_folder_are_refused(untrusted: Path, target: str, words: list[str],
                                                 tool: Tool) -> None:  # noqa: F811
    (untrusted / "inner").symlink_to("..")
    outside = untrusted.parent / "out.pco"
    outside.write_bytes(numpact.compress([1, 2, 3]))
    before = outside.read_bytes()
    (untrusted / "a.pco").symlink_to(target.format(untrusted.parent))
    ran = tool.run(words[0], untrusted, *words[1:], code=CORRUPT)
    assert "leads out of the folder" in ran.err + ran.text
    assert outside.read_bytes() == before


def test_a23_links_within_the_folder_and_to_it_are_followed(untrusted: Path,
                                                            tool: Tool) -> None:  # noqa: F811
    (untrusted / "real.pco").write_bytes(numpact.compress([1, 2, 3]))
    (untrusted / "a.pco").symlink_to("real.pco")
    (untrusted.parent / "named").symlink_to("sl")
    for words in READERS:
        tool.run(words[0], untrusted.parent / "named", *words[1:])
    assert (untrusted / "a.pco").is_symlink()


def test_a23_append_and_index_wait_for_no_pipe(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    np.save(tmp_path / "a.npy", np.arange(3))
    os.mkfifo(tmp_path / "p.pco")
    for words in [["index", tmp_path / "p.pco"],
                  ["compress", tmp_path / "a.npy", "--append", "-o", tmp_path / "p.pco"]]:
        assert "is not a regular file" in tool.refused(*words, code=FAILURE)


@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("option", ["--max-output", "--max-memory", "--range", "--dtype",
                                    "--threads", "-o", "--to", "--lock-timeout"])
def test_a23_empty_values_are_errors(tmp_path: Path, option: str, tool: Tool) -> None:  # noqa: F811
    path = tmp_path / "a.pco"
    path.write_bytes(numpact.compress([1, 2, 3]))
    line = tool.refused("decompress", path, option, "", code=USAGE)
    assert line in (f"{'--output' if option == '-o' else option}: its value is empty",
                    "--threads: '' is not a whole number from 0 to 1024",
                    "--lock-timeout: '' is not a number of seconds from 0 on")


@pytest.mark.wheel_takes(5)
@pytest.mark.parametrize("words", [["compress", "--memory"], ["compress", "--page-size"],
                                   ["compress", "--restart"], ["verify", "--max-output"],
                                   ["inspect", "--max-output"], ["index", "--restart"],
                                   ["cvc", "pack", "--chunk-rows"], ["cvc", "pack", "--dimension"],
                                   ["cvc", "slice", "--rows"], ["cvc", "unpack", "--max-output"]],
                         ids=" ".join)
def test_a23_empty_values_of_other_commands(tmp_path: Path, words: list[str],
                                            tool: Tool) -> None:  # noqa: F811
    line = tool.refused(*words[:-1], tmp_path / "x", words[-1], "", code=USAGE)
    assert line == f"{words[-1]}: its value is empty"


def test_a_table_that_is_replaced_is_read_whole(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    """Old or new: each column holds one number, the same in all of them."""
    columns = [f"c{i}" for i in range(20)]
    table = tmp_path / "tab"
    sources = []
    for value in (1, 2):
        source = tmp_path / f"{value}.csv"
        source.write_text(",".join(columns) + "\n" + (",".join([str(value)] * 20) + "\n") * 50)
        sources.append(source)
    tool.run("compress", sources[0], "-o", table, "-q")
    done = threading.Event()

    def replace() -> None:
        while not done.is_set():
            for source in sources:
                tool.run("compress", source, "-f", "-o", table, "-q")

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        for _ in range(12 if tool.program.endswith("release/cli/numpact") else 4):
            text = tool.run("decompress", table).text.splitlines()
            assert len(text) == 51 and len(set(",".join(text[1:]).split(","))) == 1
            tool.run("verify", table, "-q")
            tool.run("inspect", table)
    finally:
        done.set()
        thread.join()
