# SPDX-License-Identifier: Apache-2.0
"""Texts that repeat: places among the different ones, and a file of these."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import filter_fixture
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tables_support import small_chunks

import numpact
from numpact._core import crc32

ROWS = 70_000
TYPES = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
if hasattr(pa, "string_view"):
    TYPES += [pa.string_view(), pa.binary_view()]
COPIES = 8


def words(rows: int, different: int, type: pa.DataType = TYPES[0], seed: int = 1) -> pa.Array:
    """Texts of which one in ten is null."""
    random = np.random.default_rng(seed)
    texts = [f"w{i}" for i in random.integers(0, different, rows)]
    return pa.array(texts, type=pa.string(), mask=random.random(rows) < 0.1).cast(type)


def run_cli(*words: Any, is_ok: bool = True) -> str:
    """Runs the command of the package; returns what it prints."""
    command = [sys.executable, "-m", "numpact", *map(str, words)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode == 0) == is_ok, ran.stderr
    return ran.stdout + ran.stderr


def manifest_of(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return made


def entry_of(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = manifest_of(folder)["columns"][0]
    return made


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_all_types(tmp_path: Path, type: pa.DataType) -> None:
    field = pa.field("s", type, metadata={"k": "v"})
    table = pa.table([words(ROWS, 300, type)], pa.schema([field]))
    numpact.write_table(table, tmp_path / "t")
    assert entry_of(tmp_path / "t")["logical_type"] == "text"
    assert entry_of(tmp_path / "t")["number_type"] == "u16"
    with numpact.open_table(tmp_path / "t") as opened:
        assert opened.schema.equals(table.schema, check_metadata=True)
        assert opened.to_arrow().equals(table)
        assert opened[5:9].to_arrow().equals(table.slice(5, 4))
        assert opened.take([7, 3, 3])["s"].to_pylist() == [table["s"][i].as_py() for i in (7, 3, 3)]
        batches = [batch for part in opened.batches(batch_rows=9_999) for batch in part]
    assert pa.Table.from_batches(batches).equals(table)


@pytest.mark.parametrize(
    ("texts", "is_coded"),
    [
        (["a"] * 4, True),
        (["a"] * 3, False),
        (["a", "b", None, None, None, None, None, None], True),
        (["a", "b", None, None, None, None, None], False),
        ([None] * 3, True),
        ([], False),
        ([str(i // 4) for i in range(ROWS)], True),
        ([str(i // 3) for i in range(ROWS)], False),
        ([str(i // 16) for i in range(100)] * 3, True),
    ],
)
def test_what_repeats(tmp_path: Path, texts: list[str | None], is_coded: bool) -> None:
    table = pa.table({"s": pa.array(texts, pa.string())})
    numpact.write_table(table, tmp_path / "t")
    assert (tmp_path / "t/s.values").exists() == is_coded
    assert numpact.read_table(tmp_path / "t").to_arrow().equals(table)
    # A stream decides the same.
    numpact.write_table(table.to_reader(max_chunksize=1000), tmp_path / "stream")
    assert (tmp_path / "stream/s.values").exists() == is_coded
    assert numpact.read_table(tmp_path / "stream").to_arrow().combine_chunks().equals(table)


def test_the_largest_count_of_texts(tmp_path: Path) -> None:
    for count in (65_536, 65_537):
        texts = pa.array(list(map(str, range(1, 9))) * 8192 + [f"x{i}" for i in range(count - 8)])
        numpact.write_table({"s": texts}, tmp_path / "t", overwrite=True)
        assert (tmp_path / "t/s.values").exists() == (count == 65_536)
        assert numpact.read_table(tmp_path / "t").to_arrow()["s"].combine_chunks().equals(texts)


def test_the_command_writes_the_same(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = pa.table({f"c{i}": words(ROWS, 300, type, i) for i, type in enumerate(TYPES)})
    pq.write_table(table, tmp_path / "t.parquet")
    numpact.write_table(table, tmp_path / "py")
    run_cli("compress", tmp_path / "t.parquet", "-o", tmp_path / "cli", "--restart", "16384")
    for file in (tmp_path / "py").iterdir():
        assert (tmp_path / "cli" / file.name).read_bytes() == file.read_bytes(), file.name


def test_appends(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    parts = [
        words(ROWS, 100),
        words(50, 100),
        words(500, 400, seed=3),
        words(ROWS, 100_000, seed=4),
    ]
    numpact.write_table({"s": parts[0]}, folder)
    forms: list[Any] = [parts[1].cast(pa.large_string()), parts[2], parts[3]]
    for form in forms:
        numpact.append_table({"s": form}, folder)
    numpact.append_table({"s": pa.nulls(3)}, folder)
    expected = pa.concat_arrays([*parts, pa.nulls(3, pa.string())])
    read = numpact.read_table(folder).to_arrow()["s"].combine_chunks()
    assert read.equals(expected)
    assert entry_of(folder)["values"]["count"] == len(expected.unique()) - 1
    numpact.compact_table(folder)
    assert numpact.read_table(folder).to_arrow()["s"].combine_chunks().equals(expected)
    run_cli("verify", folder)
    with pytest.raises(numpact.TypeMismatchError, match="the folder has string"):
        numpact.append_table({"s": [1, 2]}, folder)
    with pytest.raises(numpact.TypeMismatchError, match="schema 'extend' converts the rows"):
        numpact.append_table({"s": parts[1].dictionary_encode()}, folder)
    numpact.append_table({"s": parts[1].dictionary_encode()}, folder, schema="extend")
    numpact.append_table({"n": [1]}, folder, schema="extend")
    read = numpact.read_table(folder).to_arrow()["s"].combine_chunks()
    assert read.equals(pa.concat_arrays([expected, parts[1], pa.nulls(1, pa.string())]))


def test_old_columns_of_arrow_stay(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"s": ["a", "b", "c"]}, folder)
    numpact.append_table({"s": ["a"] * 100}, folder)
    assert manifest_of(folder)["others"][0]["rows"] == 103
    assert numpact.read_table(folder)["s"].to_pylist() == ["a", "b", "c", *["a"] * 100]


def test_not_nullable(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("s", pa.string(), nullable=False)])
    numpact.write_table(pa.table([pa.array(["a"] * 9)], schema), tmp_path / "t")
    assert not numpact.open_table(tmp_path / "t").schema.field("s").nullable
    with pytest.raises(numpact.InvalidArgumentError, match="not nullable"):
        numpact.append_table({"s": pa.nulls(3, pa.string())}, tmp_path / "t")
    with pytest.raises(numpact.InvalidArgumentError, match="not nullable"):
        numpact.write_table(pa.table([pa.array(["a", None] * 9)], schema), tmp_path / "n")


# ---- filters ----


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of the list of filters several times, so that its texts repeat."""
    folder = tmp_path_factory.mktemp("texts") / "t"
    table = pa.concat_tables([filter_fixture.table()] * COPIES).combine_chunks()
    table = table.set_column(0, "row", pa.array(range(len(table)), pa.int32()))
    small_chunks(table, folder, 7)
    return folder


def test_the_list_of_filters(copies: Path) -> None:
    opened = numpact.open_table(copies, threads=1)
    texts = [c["name"] for c in manifest_of(copies)["columns"] if c["logical_type"] == "text"]
    assert texts
    wrong = []
    for line in filter_fixture.lines():
        try:
            found = opened.read(["row"], where=line.filter)["row"].to_pylist()
        except (numpact.InvalidArgumentError, numpact.TypeMismatchError):
            found = None
        rows = line.rows
        expected = None if rows is None else [12 * i + row for i in range(COPIES) for row in rows]
        if found != expected:
            wrong.append(line)
    assert not wrong


def test_the_list_of_filters_by_dask(copies: Path) -> None:
    pytest.importorskip("dask.dataframe")
    import numpact.dask

    names = [c["name"] for c in manifest_of(copies)["columns"] if c["logical_type"] == "text"]
    lines = [line for line in filter_fixture.lines() if any(name in line.filter for name in names)]
    wrong = []
    for line in lines[:: max(1, len(lines) // 60)]:
        try:
            frame = numpact.dask.from_pco_table(copies, columns=["row"], filters=line.filter)
            found = frame["row"].compute().tolist()
        except (numpact.InvalidArgumentError, numpact.TypeMismatchError):
            found = None
        rows = line.rows
        expected = None if rows is None else [12 * i + row for i in range(COPIES) for row in rows]
        if found != expected:
            wrong.append((line, found))
    assert not wrong


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_filters(tmp_path: Path, type: pa.DataType) -> None:
    values = words(ROWS, 300, type)
    numpact.write_table({"s": values, "n": np.arange(ROWS)}, tmp_path / "t")
    is_bytes = "binary" in str(type)
    a, b = (b"w7", b"w250") if is_bytes else ("w7", "w250")
    small = values.cast(pa.binary() if is_bytes else pa.string())
    for op, compare in (
        ("=", pc.equal),
        ("!=", pc.not_equal),
        ("<", pc.less),
        (">=", pc.greater_equal),
    ):
        found = numpact.read_table(tmp_path / "t", ["n"], where=[("s", op, a)])["n"].to_numpy()
        mask = compare(small, pa.scalar(a, small.type)).fill_null(False)
        assert np.array_equal(found, np.flatnonzero(mask.to_numpy(zero_copy_only=False)))
    found = numpact.read_table(tmp_path / "t", ["s", "n"], where=[("s", "in", [a, b])])
    assert set(found["s"].to_pylist()) == {a, b}
    assert (
        numpact.read_table(tmp_path / "t", where=[("s", "is null", None)]).num_rows
        == values.null_count
    )
    with pytest.raises(
        numpact.TypeMismatchError, match="which the number 3 cannot be compared with"
    ):
        numpact.read_table(tmp_path / "t", where="s = 3")


def test_polars(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    values = words(ROWS, 300)
    numpact.write_table({"s": values}, tmp_path / "t")
    frame = polars.DataFrame({"s": values})
    scan = numpact.scan_table(tmp_path / "t")
    column = polars.col("s")
    for test in (
        column == "w7",
        column.is_in(["w7", "x"]),
        column < "w2",
        column.is_null(),
        column.str.starts_with("w29"),
        column != "w7",
    ):
        assert scan.filter(test).collect().equals(frame.filter(test))


@pytest.mark.parametrize("type", TYPES)
def test_polars_of_nulls_alone(tmp_path: Path, type: pa.DataType) -> None:
    pl = pytest.importorskip("polars")
    table = pa.table({"n": range(3), "s": pa.nulls(3, type)})
    numpact.write_table(table, tmp_path / "t")
    frame = numpact.scan_table(tmp_path / "t")
    assert frame.collect().equals(pl.from_arrow(table))
    assert frame.filter(pl.col("n") > 1).collect().rows() == [(2, None)]


def test_dask_of_texts_and_files_of_arrow(tmp_path: Path) -> None:
    """One partition repeats, the other does not."""
    pytest.importorskip("dask.dataframe")
    import numpact.dask

    numpact.write_table({"s": ["a", None] * 9}, tmp_path / "t/part-0")
    numpact.write_table({"s": ["b", "c"]}, tmp_path / "t/part-1")
    frame = numpact.dask.from_pco_table(tmp_path / "t")
    texts = frame["s"].compute()
    assert [x if isinstance(x, str) else None for x in texts] == ["a", None] * 9 + ["b", "c"]
    found = numpact.dask.from_pco_table(tmp_path / "t", filters="s > 'a'")["s"].compute()
    assert found.tolist() == ["b", "c"]


# ---- hostile folders ----


def forge(folder: Path, content: bytes, **changes: Any) -> None:
    """Puts bytes in the place of the file of texts, and their checksum into the manifest."""
    manifest = manifest_of(folder)
    described = {"bytes": len(content), "crc32": crc32(content), **changes}
    manifest["columns"][0]["values"].update(described)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "s.values").write_bytes(content)


@pytest.mark.parametrize(
    ("content", "count", "why"),
    [
        (b"NPTX\x02\x02\x01\x01ab", 2, "no file of texts"),
        (b"NPTX\x01\x02\x01\x01a", 2, "another size"),
        (b"NPTX\x01\x02\x01", 2, "ends early"),
        (b"NPTX\x01\x02\x01\x01aa", 2, "twice"),
        (b"NPTX\x01\x02\x01\x01a\xff", 2, "not UTF-8"),
        (
            b"NPTX\x01\xff\xff\xff\xff\x0f\x01\x01ab",
            0xFFFFFFFF,
            "4294967295 texts for 18 numbers of type u8",
        ),
        (b"NPTX\x01\x01\x01a", 1, "no place of a text"),
    ],
)
def test_forged_files(tmp_path: Path, content: bytes, count: int, why: str) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"s": ["a", "b"] * 9}, folder)
    forge(folder, content, count=count)
    with pytest.raises(numpact.CorruptError, match=why) as caught:
        numpact.read_table(folder)
    assert "s" in str(caught.value)
    assert run_cli("verify", folder, is_ok=False)


def test_damage(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"s": ["a", "b"] * 9}, folder)
    sound = (folder / "s.values").read_bytes()
    for bit in range(8 * len(sound)):
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << bit % 8
        (folder / "s.values").write_bytes(damaged)
        with pytest.raises(numpact.CorruptError, match=r"s\.values"):
            numpact.read_table(folder)
    assert "s.values" in run_cli("verify", folder, is_ok=False)
    (folder / "s.values").unlink()
    with pytest.raises(FileNotFoundError, match=r"s\.values"):
        numpact.read_table(folder)


def test_limits(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    numpact.write_table({"s": ["x" * 1000] * 5000}, folder)
    with pytest.raises(numpact.LimitExceededError):
        numpact.read_table(folder, max_output=1_000_000)
    assert numpact.read_table(folder, rows=(0, 900), max_output=1_000_000).num_rows == 900


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary"])
@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 300])
def test_rows_of_texts_of_every_length(kind: str, length: int) -> None:
    """As pyarrow decodes a dictionary: short texts are copied in one piece, long ones by size."""
    random = np.random.default_rng(length)
    texts = [b"%d" % i * (i % 5) for i in range(7)] + [bytes(range(65, 91)) * 12][:1]
    texts = [text[:length] for text in texts]
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.uint64)
    for dtype in ("u1", "u2", "u4"):
        codes = random.integers(0, len(texts), 1000).astype(dtype)
        valid = random.random(1000) < 0.7
        for bits in (None, np.packbits(valid, bitorder="little")):
            ends, content = numpact._core.text_rows(
                codes, bits, offsets, b"".join(texts), kind.startswith("large")
            )
            mask = None if bits is None else ~valid
            coded = pa.DictionaryArray.from_arrays(
                pa.array(codes, mask=mask), pa.array(texts, pa.large_binary()).cast(kind)
            )
            buffers = [None if bits is None else pa.py_buffer(bits)]
            buffers += [pa.py_buffer(ends), pa.py_buffer(content)]
            made = pa.Array.from_buffers(coded.type.value_type, 1000, buffers)
            made.validate(full=True)
            assert made.equals(coded.dictionary_decode())


def test_rows_of_texts_refuse_what_is_no_place() -> None:
    offsets = np.array([0, 1, 3], np.uint64)
    rows = numpact._core.text_rows
    assert rows(np.array([], "u1"), None, offsets, b"abc", False)[1].size == 0
    with pytest.raises(ValueError, match="no place of a text"):
        rows(np.array([2], "u1"), None, offsets, b"abc", False)
    with pytest.raises(ValueError, match="not those of texts"):
        rows(np.array([0], "u1"), None, offsets, b"ab", False)
    with pytest.raises(ValueError, match="as many bits"):
        rows(np.zeros(9, "u1"), np.zeros(1, "u1"), offsets, b"abc", False)
    none = np.array([0], np.uint64)
    with pytest.raises(ValueError, match="no place of a text"):
        rows(np.zeros(3, "u1"), None, none, b"", False)
    ends, content = rows(np.zeros(3, "u1"), np.zeros(1, "u1"), none, b"", False)
    assert ends.tolist() == [0, 0, 0, 0]
    assert content.size == 0
