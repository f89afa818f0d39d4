# SPDX-License-Identifier: Apache-2.0
"""Checksums of the files of columns that Pco cannot hold: damage is found by every reader."""

from __future__ import annotations

import decimal
import functools
import importlib.util
import io
import json
import pickle
import random
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.ipc
import pytest
from older_tables import as_version_3, texts_in_arrow

import numpact
from numpact import _core
from numpact._remote import checked_file
from numpact._remote.checked_file import BATCH_ROWS

ROWS = BATCH_ROWS + 500


@functools.cache
def column(kind: str, rows: int = ROWS) -> pa.Array:
    words = [None if i % 7 == 3 else f"word {i % 50}" for i in range(rows)]
    if kind == "text":  # its file has indices of a dictionary
        return pa.array(words)
    if kind == "plain":
        return pa.array([f"{i * 7919 % 1000003}" for i in range(rows)], pa.large_string())
    if kind == "dictionary":
        return pa.array(words).dictionary_encode()
    if kind == "decimal":
        return pa.array([decimal.Decimal(i) / 4 for i in range(rows)], pa.decimal128(20, 2))
    if kind == "list":
        return pa.array([[i, None] if i % 3 else [] for i in range(rows)], pa.list_(pa.int32()))
    if kind == "struct":
        codes = pa.array(words).dictionary_encode()
        return pa.StructArray.from_arrays([codes, column("decimal", rows)], ["code", "price"])
    # Dask makes text of bytes, if they are ASCII.
    return pa.array([bytes([i % 127, i % 13]) for i in range(rows)], pa.binary())


KINDS = ["text", "plain", "dictionary", "decimal", "list", "struct", "binary"]


@functools.cache
def written(root: Path, kind: str, rows: int) -> Path:
    folder = root / f"{kind}-{rows}"
    with texts_in_arrow():
        numpact.write_table({"s": column(kind, rows), "n": pa.array(range(rows))}, folder)
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Callable[..., Path]:
    def make(kind: str, rows: int = ROWS) -> Path:
        target = tmp_path / f"copy of {kind}"
        shutil.copytree(written(root, kind, rows), target)
        return target

    return make


def manifest_of(folder: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return made


def part_of(folder: Path) -> dict[str, Any]:
    (part,) = manifest_of(folder)["others"][0]["parts"]
    return dict(part)


def blocks_by_pyarrow(data: bytes) -> list[int]:
    """The ends of blocks by pyarrow's reader of messages."""
    source = pa.BufferReader(data)
    source.seek(8)
    ends: list[int] = []
    while True:
        begin = source.tell()
        try:
            message = pa.ipc.read_message(source)
        except EOFError:
            break
        if message.type == "record batch":
            ends += [source.tell()] if ends else [begin, source.tell()]
    return [*(ends or [begin]), len(data)]


# ---- the manifest ----


@pytest.mark.parametrize("rows", [0, 1, BATCH_ROWS, ROWS])
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_are_those_of_the_messages(root: Path, kind: str, rows: int) -> None:
    folder = written(root, kind, rows)
    part, data = part_of(folder), (folder / "s.arrow").read_bytes()
    assert manifest_of(folder)["version"] == 4
    assert part["ends"] == blocks_by_pyarrow(data)
    assert len(part["ends"]) == -(-rows // BATCH_ROWS) + 2
    assert part["bytes"] == len(data)
    starts = [0, *part["ends"]]
    assert part["crc32"] == [
        zlib.crc32(data[a:b]) for a, b in zip(starts, part["ends"], strict=False)
    ]


def test_a_table_of_numbers_stays_version_2(tmp_path: Path) -> None:
    numpact.write_table({"n": [1, 2]}, tmp_path / "t")
    assert manifest_of(tmp_path / "t")["version"] == 2


def test_walks_over_damaged_files_end(root: Path) -> None:
    rng = random.Random(5)
    whole = (written(root, "dictionary", ROWS) / "s.arrow").read_bytes()
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data)) if rng.random() < 0.3 else rng.randrange(800)] = (
                rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            )
        cut = rng.choice([len(data), len(data), rng.randrange(len(data))])
        try:
            _core.checked_part("s.arrow", bytes(data[:cut]), rng.choice([ROWS, 1, 1 << 62]), "s")
        except numpact.CorruptError:
            continue


# ---- damage ----


def readers(folder: Path) -> list[Callable[[], Any]]:
    dask = pytest.importorskip("numpact.dask")
    return [
        lambda: numpact.read_table(folder),
        lambda: numpact.read_table(folder, ["s"]).to_arrow(),
        lambda: numpact.open_table(folder).to_arrow(),
        lambda: list(numpact.open_table(folder).batches(["s"])),
        lambda: numpact.scan_table(folder).collect(),
        lambda: dask.from_pco_table(str(folder)).compute(scheduler="synchronous"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_flipped_bit_is_found(copy: Callable[..., Path], kind: str) -> None:
    folder = copy(kind)
    path = folder / "s.arrow"
    whole = path.read_bytes()
    rng = random.Random(kind)
    ends = part_of(folder)["ends"]
    places = [0, 3, 7, 8, 12, len(whole) - 1, len(whole) - 7, len(whole) - 12]
    for begin, end in zip([0, *ends], ends, strict=False):
        places += [begin, end - 1, *(rng.randrange(begin, end) for _ in range(20))]
    calls = readers(folder)
    # An append writes columns with dictionaries anew.
    is_whole = "dictionary" in manifest_of(folder)["others"][0]["type"]
    for at in places:
        changed = bytearray(whole)
        changed[at] ^= 1 << rng.randrange(8)
        path.write_bytes(changed)
        with pytest.raises(numpact.ChecksumError, match="another checksum than the manifest says"):
            rng.choice(calls[1:])() if at % 8 else calls[0]()
        if is_whole:
            with pytest.raises(numpact.ChecksumError):
                numpact.append_table({"s": column(kind, 3), "n": [1, 2, 3]}, folder)
    # Files that an append keeps are not read, and their checksums stay.
    if not is_whole:
        changed = bytearray(whole)
        changed[(ends[0] + ends[1]) // 2] ^= 4
        path.write_bytes(changed)
        numpact.append_table({"s": column(kind, 3), "n": [1, 2, 3]}, folder)
        with pytest.raises(numpact.ChecksumError, match="another checksum than the manifest says"):
            numpact.read_table(folder)


@pytest.mark.parametrize("kind", ["text", "plain", "struct"])
def test_only_the_blocks_of_the_rows_are_checked(copy: Callable[..., Path], kind: str) -> None:
    folder = copy(kind)
    path, ends = folder / "s.arrow", part_of(folder)["ends"]
    changed = bytearray(path.read_bytes())
    changed[(ends[1] + ends[2]) // 2] ^= 4  # the second batch
    path.write_bytes(changed)
    found = numpact.read_table(folder, rows=slice(0, BATCH_ROWS)).to_arrow()["s"]
    assert found.combine_chunks().equals(column(kind)[:BATCH_ROWS])
    with pytest.raises(numpact.ChecksumError, match=f"rows {BATCH_ROWS} to {ROWS - 1} have"):
        numpact.read_table(folder, rows=slice(ROWS - 1, ROWS))
    assert numpact.read_table(folder, ["n"]).num_rows == ROWS


def test_files_that_are_cut_extended_or_swapped(copy: Callable[..., Path]) -> None:
    folder, other = copy("plain"), copy("binary")
    path = folder / "s.arrow"
    whole = path.read_bytes()
    for data in (whole[:-1], whole + b"\0", b"", whole[:1000], (other / "s.arrow").read_bytes()):
        path.write_bytes(data)
        for call in readers(folder):
            with pytest.raises(numpact.CorruptError):
                call()
    # A file of the same rows and size, of another table.
    mirrored = [f"{i * 7919 % 1000003}" for i in range(ROWS - 2, -2, -1)]
    numpact.write_table({"s": pa.array(mirrored, pa.large_string())}, folder.parent / "m")
    path.write_bytes((folder.parent / "m/s.arrow").read_bytes())
    with pytest.raises(numpact.CorruptError):
        numpact.read_table(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"ends": []},
        {"crc32": []},
        {"ends": [1] * 4},
        {"ends": [8, 7, 9, 10]},
        {"ends": list(range(1, 6))},
        {"bytes": 1 << 62, "ends": [1, 2, 3, 1 << 62]},
        {"bytes": 1 << 70},
        {"crc32": [1 << 32, 0, 0, 0]},
        {"crc32": [-1, 0, 0, 0]},
        {"ends": None},
        {"file": "../s.arrow"},
        {"rows": 5},
    ],
    ids=str,
)
def test_forged_checksums_are_refused(copy: Callable[..., Path], change: dict[str, Any]) -> None:
    folder = copy("plain")
    manifest = manifest_of(folder)
    part = manifest["others"][0]["parts"][0]
    part |= change
    if change.get("ends", 0) is None:
        del part["ends"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for call in readers(folder):
        with pytest.raises(numpact.CorruptError):
            call()


# ---- older versions ----


@pytest.mark.parametrize("kind", KINDS)
def test_version_3_is_read_and_an_append_adds_checksums(
    copy: Callable[..., Path], kind: str
) -> None:
    folder = copy(kind)
    as_version_3(folder)
    assert numpact.read_table(folder).to_arrow()["s"].combine_chunks().equals(column(kind))
    for call in readers(folder):
        call()
    numpact.append_table({"s": column(kind, 3), "n": [1, 2, 3]}, folder)
    manifest = manifest_of(folder)
    assert manifest["version"] == 4
    for part in manifest["others"][0]["parts"]:
        assert part["ends"] == blocks_by_pyarrow((folder / part["file"]).read_bytes())
    assert numpact.read_table(folder).num_rows == ROWS + 3


@pytest.mark.parametrize("kind", ["dictionary", "plain"])
def test_an_append_checks_a_file_of_version_3(copy: Callable[..., Path], kind: str) -> None:
    folder = copy(kind)
    as_version_3(folder)
    before = (folder / "manifest.json").read_bytes()
    changed = bytearray((folder / "s.arrow").read_bytes())
    changed[len(changed) // 2 :][:50] = bytes(50)
    (folder / "s.arrow").write_bytes(
        changed[: len(changed) // 2] + bytes(60) + changed[len(changed) // 2 + 60 :]
    )
    with pytest.raises(numpact.CorruptError):
        numpact.append_table({"s": column(kind, 3), "n": [1, 2, 3]}, folder)
    assert (folder / "manifest.json").read_bytes() == before


# ---- dictionaries with deltas, which other writers make ----


def with_deltas(folder: Path) -> pa.Table:
    """A file whose dictionary grows in front of its second batch."""
    values = [[f"w{i}" for i in range(10)], [f"w{i}" for i in range(20)]]
    arrays = [
        pa.DictionaryArray.from_arrays(
            pa.array([i % len(words) for i in range(rows)], pa.int16()), pa.array(words)
        )
        for words, rows in zip(values, (BATCH_ROWS, 500), strict=True)
    ]
    schema = pa.schema([pa.field("s", arrays[0].type)])
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True, compression="zstd")
    with pa.ipc.new_file(sink, schema, options=options) as writer:
        for array in arrays:
            writer.write_batch(pa.RecordBatch.from_arrays([array], schema=schema))
    (folder / "s.arrow").write_bytes(sink.getvalue())
    manifest = manifest_of(folder)
    part = _core.checked_part("s.arrow", sink.getvalue(), ROWS, "s")
    manifest["others"][0]["parts"] = [
        dict(zip(("file", "rows", "bytes", "ends", "crc32"), part, strict=True))
    ]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert list(part[3]) == blocks_by_pyarrow(sink.getvalue())
    return pa.table([pa.chunked_array([array.dictionary_decode() for array in arrays])], ["s"])


def test_deltas_belong_to_the_block_of_their_batch(copy: Callable[..., Path]) -> None:
    folder = copy("dictionary")
    table = with_deltas(folder)
    found = numpact.read_table(folder, ["s"]).to_arrow()["s"].cast(pa.string())
    assert found.to_pylist() == table["s"].to_pylist()
    dask = pytest.importorskip("numpact.dask")
    frame = dask.from_pco_table(str(folder), columns=["s"], rows_per_partition=1000)
    part = frame.partitions[frame.npartitions - 1].compute(scheduler="synchronous")
    assert part["s"].astype(str).tolist() == table["s"].to_pylist()[-len(part) :]
    path = folder / "s.arrow"
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[part_of(folder)["ends"][1] + 20] ^= 1  # in the delta
    path.write_bytes(changed)
    with pytest.raises(numpact.ChecksumError):
        numpact.read_table(folder, ["s"])


# ---- stores ----


class Requests:
    """Ranges of a file that are fetched from fsspec's memory."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        fsspec = pytest.importorskip("fsspec")
        self.ranges: list[tuple[str, int | None, int | None]] = []
        self.fs = fsspec.filesystem("memory")
        self.url = f"/{folder.parent.name}-{random.random()}"
        for file in folder.iterdir():
            self.fs.pipe_file(f"{self.url}/{file.name}", file.read_bytes())
        cat_file = type(self.fs).cat_file

        def counted(fs: Any, path: str, start: Any = None, end: Any = None, **rest: Any) -> Any:
            if path.endswith(".arrow"):
                self.ranges.append((path, start, end))
            return cat_file(fs, path, start, end, **rest)

        monkeypatch.setattr(type(self.fs), "cat_file", counted)


def test_a_store_gives_only_the_blocks_of_the_rows(
    copy: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked_file, "_WHOLE_BYTES", 1000)
    rows = 4 * BATCH_ROWS + 7
    folder = copy("plain", rows)
    ends = part_of(folder)["ends"]
    store = Requests(monkeypatch, folder)
    table = numpact.read_table(
        f"memory:/{store.url}", ["s"], rows=slice(BATCH_ROWS + 5, 3 * BATCH_ROWS - 5)
    )
    expected = column("plain", rows)[BATCH_ROWS + 5 : 3 * BATCH_ROWS - 5]
    assert table.to_arrow()["s"].combine_chunks().equals(expected)
    assert sorted((a or 0, b) for _, a, b in store.ranges) == [
        (0, ends[0]),
        (ends[1], ends[3]),
        (ends[-2], ends[-1]),
    ]
    data = bytearray((folder / "s.arrow").read_bytes())
    data[ends[1] + 100] ^= 1
    store.fs.pipe_file(f"{store.url}/s.arrow", bytes(data))
    with pytest.raises(numpact.ChecksumError, match=f"rows {BATCH_ROWS} to {2 * BATCH_ROWS - 1} "):
        numpact.read_table(f"memory:/{store.url}", ["s"], rows=slice(BATCH_ROWS, BATCH_ROWS + 1))


def test_a_filter_and_its_rows_take_one_request(
    copy: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked_file, "_WHOLE_BYTES", 1000)
    folder = copy("plain")
    ends = part_of(folder)["ends"]
    store = Requests(monkeypatch, folder)
    calls: list[Callable[[str], Any]] = [
        lambda url: numpact.read_table(url, ["s"], where="s > '5'")
    ]
    if importlib.util.find_spec("dask") is not None:
        import numpact.dask

        def by_dask(url: str) -> Any:
            frame = numpact.dask.from_pco_table(url, ["s"], "s > '5'")
            store.ranges.clear()  # opening it looks at the type
            return frame.compute(scheduler="synchronous")

        calls.append(by_dask)
    for call in calls:
        store.ranges.clear()
        assert len(call(f"memory:/{store.url}")) == sum(
            x > "5" for x in column("plain").to_pylist()
        )
        assert sorted((a or 0, b) for _, a, b in store.ranges) == [
            (0, ends[0]),
            (ends[0], ends[2]),
            (ends[2], ends[3]),
        ]


def test_a_small_file_of_a_store_takes_one_request(
    copy: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy("text")
    store = Requests(monkeypatch, folder)
    assert numpact.read_table(f"memory:/{store.url}", ["s"]).num_rows == ROWS
    assert len(store.ranges) == 1


def parts_in(thing: Any) -> Iterator[Any]:
    """The partitions of tables in a graph of Dask."""
    from numpact.dask import _sources

    if isinstance(thing, _sources.TablePart):
        yield thing
        return
    for inner in _sources._inside(thing) or ():
        yield from parts_in(inner)


def test_tasks_of_dask_carry_the_blocks_that_they_read(copy: Callable[..., Path]) -> None:
    dask = pytest.importorskip("numpact.dask")
    rows = 40 * BATCH_ROWS
    folder = copy("plain", rows)
    frame = dask.from_pco_table(str(folder), columns=["s"], rows_per_partition=1000)
    parts = list(parts_in(frame.optimize().dask))
    assert len(parts) == frame.npartitions
    for part in parts[:50]:
        (piece,) = part.columns[0][1].other_blocks
        assert len(piece.blocks.known) <= 4
        assert len(pickle.dumps(part)) < 3000
    last = frame.partitions[frame.npartitions - 1].compute(scheduler="synchronous")
    assert last["s"].tolist() == column("plain", rows)[-len(last) :].to_pylist()


def test_bytes_of_a_checked_file_do_not_move_its_position() -> None:
    """Threads count its bytes while another one reads it."""
    content = bytes(range(200))
    blocks = checked_file.Blocks(
        rows=1,
        bytes=200,
        known=tuple(
            (i, first, end, zlib.crc32(content[first:end]))
            for i, (first, end) in enumerate([(0, 50), (50, 150), (150, 200)])
        ),
        count=3,
        has_vectors=False,
    )
    inside: list[bytes] = []

    def fetch(first: int, end: int) -> bytes:
        if first == 50 and not inside:
            inside.append(b"")
            inside[0] = bytes(file.between(10, 160))
        return content[first:end]

    file = checked_file.CheckedFile(fetch, 200, blocks, "f", is_near=True)
    file.seek(40)
    assert bytes(file.read(100)) == content[40:140]
    assert inside == [content[10:160]]
    assert file.tell() == 140
    assert bytes(file.read()) == content[140:]
