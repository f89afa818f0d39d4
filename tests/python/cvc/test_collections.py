# SPDX-License-Identifier: Apache-2.0
"""Collections that grow, and other lists of files that are read as one."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from numpact import cvc
from numpact._errors import (
    ChecksumError,
    CorruptError,
    InvalidArgumentError,
    LimitExceededError,
    LockTimeoutError,
    TypeMismatchError,
    UnsupportedVersionError,
)

RNG = np.random.default_rng(1)
SPECS = ["fp16", "bfloat16", "int8", "int8_row", "int8_dim", "int4", "pco", "none"]


def vectors(rows: int, dimension: int = 8) -> np.ndarray:
    return RNG.standard_normal((rows, dimension)).astype(np.float32)


def index_of(folder: Path) -> dict:
    return json.loads((folder / "collection.json").read_text())


def write_index(folder: Path, index: object) -> None:
    (folder / "collection.json").write_text(index if isinstance(index, str) else json.dumps(index))


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("compression", SPECS)
def test_appends_keep_all_values(tmp_path: Path, compression: str) -> None:
    folder = tmp_path / "c"
    rows: list[np.ndarray] = []
    for count in (5, 3000, 1, 17_000, 2, 100, 20_000):
        new = vectors(count)
        report = cvc.append(folder, new, compression=compression, chunk_size=7000)
        assert report.rows == count
        before = np.concatenate(rows) if rows else new[:0]
        reader = cvc.Reader(folder)
        read = reader.read()
        assert np.array_equal(read[: len(before)].view("u4"), before.view("u4"))  # bit by bit
        assert len(read) == len(before) + count
        bound = {"int4": 0.4, "int8": 0.03, "int8_row": 0.03, "int8_dim": 0.05, "bfloat16": 0.02}
        assert np.abs(read[len(before) :] - new).max() <= bound.get(compression, 0.003)
        rows = [read]
        assert reader.verify() == []
    assert reader.shape == (len(rows[0]), 8)
    index = index_of(folder)
    assert sum(entry["rows"] for entry in index["files"]) == len(rows[0])
    assert names(folder) == sorted(["collection.json", *(f["file"] for f in index["files"])])
    assert len(index["files"]) < 4  # the files of a few rows were merged
    for entry in index["files"]:  # each is readable alone
        assert len(cvc.Reader(folder / entry["file"])) == entry["rows"]


def test_special_values_stay(tmp_path: Path) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    halves = bits.view(np.float16).astype(np.float32).reshape(-1, 16)
    folder = tmp_path / "c"
    for part in np.array_split(halves, 7):
        cvc.append(folder, part)
    once = tmp_path / "once.cvc"
    cvc.pack_cvc_columns({"vectors": halves}, once)
    a, b = cvc.Reader(folder).read(), cvc.Reader(once).read()
    assert np.array_equal(a.view("u4"), b.view("u4"))


def test_small_appends_make_no_small_chunks(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    for _ in range(40):
        cvc.append(folder, vectors(100))
    info = cvc.Reader(folder).info
    assert [chunk.rows for chunk in info.chunks] == [4000]
    cvc.append(folder, vectors(100))
    cvc.append(folder, vectors(100))
    assert [chunk.rows for chunk in cvc.Reader(folder).info.chunks] == [4100, 100]


def two(tmp_path: Path) -> tuple[Path, Path, dict[str, np.ndarray]]:
    """A folder of two files and one file with the same rows."""
    folder, single = tmp_path / "c", tmp_path / "one.cvc"
    data = {"id": np.arange(40_000, dtype=np.int64), "v": vectors(40_000)}
    parts = [slice(0, 20_000), slice(20_000, 40_000)]
    for part in parts:
        cvc.append(folder, {name: values[part] for name, values in data.items()}, chunk_size=6000)
    with cvc.Writer(single, columns={"id": (1, "int64"), "v": ((8,), "float32")}) as writer:
        writer.append(data)
    return folder, single, data


def test_every_call_is_as_for_one_file(tmp_path: Path) -> None:
    folder, single, data = two(tmp_path)
    files = [folder / entry["file"] for entry in index_of(folder)["files"]]
    assert len(files) == 2
    one = cvc.Reader(single)
    for many in (
        cvc.Reader(folder),
        cvc.Reader(files),
        cvc.Reader(tuple(map(str, files))),
        cvc.Reader([path.read_bytes() for path in files]),
        cvc.Reader(str(folder / "rows-*.cvc")),
        pickle.loads(pickle.dumps(cvc.Reader(folder))),
        pickle.loads(pickle.dumps(cvc.Reader(files))),
    ):
        assert len(many) == len(one) == 40_000
        assert many.shape == one.shape
        assert many.dtype == one.dtype
        assert many.info.columns == one.info.columns
        assert many.info.rows == one.info.rows
        assert many.info.chunks[-1].first_row + many.info.chunks[-1].rows == 40_000
        for column in ("id", "v"):
            assert np.array_equal(many.read(column=column), one.read(column=column))
            picked = np.concatenate([RNG.integers(0, 40_000, 100), [0, 19_999, 20_000, 39_999, 0]])
            assert np.array_equal(
                many.gather(picked, column=column), one.gather(picked, column=column)
            )
            ranges = [(19_990, 20), (0, 1), (39_999, 1), (5, 0)]
            got, expected = many.read_ranges(ranges, [column]), one.read_ranges(ranges, [column])
            assert np.array_equal(got[0], expected[0])
        codes, runs = many.read_codes(19_000, 2000, column="v")
        assert np.array_equal(codes, one.read_codes(19_000, 2000, column="v")[0])
        assert sum(run.rows for run in runs) == 2000
        assert many.verify() == []
        assert np.array_equal(many.read(column="v", dtype="float16"), data["v"].astype("f2"))
        assert np.array_equal(many.read_chunk(4, column="id"), np.arange(20_000, 26_000))
        assert "40,000 rows" in repr(many)
        assert many._repr_html_()


def test_indexing(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    rows = np.arange(60_000, dtype=np.float32).reshape(-1, 2)
    cvc.append(folder, rows[:20_000], compression="none")
    cvc.append(folder, rows[20_000:])
    reader = cvc.Reader(folder)
    assert np.array_equal(reader[5], rows[5])
    assert np.array_equal(reader[-1], rows[-1])
    assert np.array_equal(reader[[3, 25_000]], rows[[3, 25_000]])
    assert np.array_equal(reader[19_000:21_000], rows[19_000:21_000])
    assert np.array_equal(reader[::-7], rows[::-7])
    mask = np.arange(30_000) % 3 == 0
    assert np.array_equal(reader[mask], rows[mask])
    small = tmp_path / "small"
    cvc.append(small, rows[:3])
    assert np.array_equal(np.array(list(cvc.Reader(small))), rows[:3])
    with pytest.raises(IndexError):
        reader[30_000]


def test_old_readers_keep_their_rows(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    rows = vectors(100)
    cvc.append(folder, rows, compression="none")
    old = cvc.Reader(folder)
    for _ in range(3):
        cvc.append(folder, vectors(50))
    assert len(old) == 100
    assert np.array_equal(old.read(), rows)
    assert old.verify() == []
    assert len(cvc.Reader(folder)) == 250


def test_columns_are_matched(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    data = {"id": np.arange(3), "v": vectors(3)}
    cvc.append(folder, data)
    cvc.append(folder, dict(reversed(data.items())))  # in any order
    reader = cvc.Reader(folder)
    assert [column.name for column in reader.info.columns] == ["id", "v"]
    assert np.array_equal(reader.read(column="id"), [0, 1, 2, 0, 1, 2])
    text = (folder / "collection.json").read_bytes()
    for wrong, kind, said in (
        ({"id": np.arange(3)}, InvalidArgumentError, "1 columns are given"),
        ({"id": np.arange(3), "w": vectors(3)}, InvalidArgumentError, "'v' is not given"),
        ({"id": np.arange(3), "v": vectors(3, 9)}, InvalidArgumentError, "dimension 9"),
        ({"id": np.arange(3, dtype="i4"), "v": vectors(3)}, TypeMismatchError, "int32"),
        (vectors(3), InvalidArgumentError, "1 columns are given"),
    ):
        with pytest.raises(kind, match=said) as caught:
            cvc.append(folder, wrong)
        assert "the collection has 'id' (1 int64), 'v' (8 float32)" in str(caught.value)
        assert str(folder) in str(caught.value)
    assert (folder / "collection.json").read_bytes() == text
    assert len(names(folder)) == 2
    with pytest.raises(InvalidArgumentError, match="float64"):
        cvc.append(tmp_path / "new", np.zeros((2, 2)))
    assert not (tmp_path / "new").exists()


def test_compression_is_that_of_the_last_file(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    cvc.append(folder, vectors(20_000), compression="int8_dim")
    cvc.append(folder, vectors(10))
    cvc.append(folder, vectors(10), compression="pco")
    cvc.append(folder, vectors(10))
    chunks = cvc.Reader(folder).info.chunks
    assert [chunk.slices[0].compression for chunk in chunks] == ["int8_dim", "int8_dim", "pco"]


def test_writer_with_sections_and_metadata(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    rows = vectors(30)
    with (
        cvc.Writer(
            folder, append=True, columns={"v": ((8,), "float32")}, metadata={"model": "a"}
        ) as writer,
        writer.section({"part": 1}),
    ):
        writer.append(rows[:10])
    with cvc.Writer(folder, append=True) as writer:
        writer.set_chunk(0, metadata="x")
        with writer.section({"part": 2}):
            writer.append({"v": rows[10:15]})
        writer.append(rows[15:20])
    with cvc.Writer(folder, append=True) as writer:
        writer.append(rows[20:])
    reader = cvc.Reader(folder)
    assert reader.info.metadata == {"model": "a"}
    assert reader.find_sections("part", 1) == [(0, 10)]
    assert reader.find_sections("part", 2) == [(10, 5)]
    assert reader.info.chunks[0].metadata == "x"
    assert np.array_equal(reader.read(), rows.astype("f2").astype("f4"))
    with pytest.raises(InvalidArgumentError, match="when a collection is made"):
        cvc.append(folder, rows, metadata={"model": "b"})
    with pytest.raises(InvalidArgumentError, match="a new collection needs columns"):
        cvc.Writer(tmp_path / "other", append=True)
    with pytest.raises(InvalidArgumentError, match="lossless"):
        cvc.append(tmp_path / "other", rows, compression="lossless")
    assert not (tmp_path / "other").exists()
    writer = cvc.Writer(folder, append=True)
    writer.append(rows)
    writer.abort()
    assert len(names(folder)) == 2
    assert len(cvc.Reader(folder)) == 30
    writer = cvc.Writer(folder, append=True)
    with pytest.raises(InvalidArgumentError, match="dimension"):
        writer.append(vectors(2, 3))
    assert len(names(folder)) == 2


def test_without_rows_nothing_changes(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    cvc.append(folder, vectors(0))
    assert cvc.Reader(folder).shape == (0, 8)
    cvc.append(folder, vectors(3))
    text = (folder / "collection.json").read_bytes()
    assert cvc.append(folder, vectors(0)).rows == 0
    assert (folder / "collection.json").read_bytes() == text
    assert len(names(folder)) == 2


@pytest.mark.parametrize("compression", [*SPECS[:-1], "lossless"])
def test_rows_of_files(tmp_path: Path, compression: str) -> None:
    packed, folder = tmp_path / "packed.cvc", tmp_path / "c"
    rows = vectors(5000)
    with cvc.Writer(packed, compression=compression, chunk_size=2000, metadata={"m": 1}) as writer:
        with writer.section({"lang": "de"}):
            writer.append(rows[:10])
        writer.append(rows[10:])
    expected = cvc.load_cvc(packed)
    assert cvc.append(folder, packed).rows == 5000
    with cvc.Writer(folder, append=True) as writer:
        writer.append(cvc.Reader(packed))
        writer.append(rows[:7])
    reader = cvc.Reader(folder)
    assert reader.info.metadata == {"m": 1}
    assert reader.find_sections("lang", "de") == [(0, 10), (5000, 10)]
    assert np.array_equal(reader.read()[:10_000], np.concatenate([expected, expected]))
    assert np.abs(reader[10_000:] - rows[:7]).max() < 0.3
    assert reader.verify() == []
    assert cvc.append(tmp_path / "twice", str(tmp_path / "?ack*.cvc")).rows == 5000
    assert cvc.append(folder, folder).rows == 10_007
    with pytest.raises(InvalidArgumentError, match="copied as they are"):
        cvc.append(folder, packed, compression="int8")
    with pytest.raises(InvalidArgumentError, match=r"the collection has 'vectors' \(8 float32\)"):
        cvc.append(folder, cvc.Reader(cvc_file(vectors(5, 9))))
    assert len(cvc.Reader(folder)) == 20_014


def cvc_file(rows: np.ndarray) -> bytes:
    writer = cvc.Writer(None)
    writer.append(rows)
    writer.close()
    return writer.contents


def test_rows_of_stores(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    rows = vectors(5000)
    with fsspec.open("memory://rows.cvc", "wb") as file:
        file.write(cvc_file(rows))
    with fsspec.open("memory://rows.cvc", "rb") as file:
        cvc.append(tmp_path / "c", cvc.Reader(file))
    assert np.array_equal(cvc.Reader(tmp_path / "c").read(), cvc.Reader(cvc_file(rows)).read())


def test_refused_values_are_named_by_their_row(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    rows = vectors(50)
    cvc.append(folder, rows, compression="int8_dim")
    rows[30, 2] = np.nan
    for size in (20, 100_000):
        with pytest.raises(InvalidArgumentError, match="column 'vectors': row 30, dimension 2"):
            cvc.append(folder, rows, chunk_size=size)


def test_foreign_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(InvalidArgumentError, match=r"photo\.jpg"):
        cvc.append(tmp_path, vectors(3))
    assert names(tmp_path) == ["photo.jpg"]
    file = tmp_path / "file.cvc"
    cvc.pack_cvc(vectors(3), file)
    with pytest.raises(InvalidArgumentError, match="a collection that grows is a folder"):
        cvc.append(file, vectors(3))
    with pytest.raises(FileNotFoundError):
        cvc.append(tmp_path / "a" / "b", vectors(3))
    with pytest.raises(IsADirectoryError, match=r"collection\.json"):
        cvc.Reader(tmp_path)
    folder = tmp_path / "c"
    cvc.append(folder, vectors(3))
    (folder / "notes.txt").write_text("mine")
    (folder / "rows-9-00000000.cvc").write_bytes(b"left by a killed writer")
    (folder / ".rows-9-00000000.cvc.1-00000000.tmp").write_bytes(b"and this")
    cvc.append(folder, vectors(3))
    assert [name for name in names(folder) if not name.startswith("rows-2")] == [
        "collection.json",
        "notes.txt",
    ]


def damage(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def test_damaged_files_are_named(tmp_path: Path) -> None:
    folder, _, _ = two(tmp_path)
    second = folder / index_of(folder)["files"][1]["file"]
    damage(second, -1)
    reader = cvc.Reader(folder)
    (bad,) = reader.verify()
    assert bad.first_row == 20_000 + 18_000
    assert second.name in str(bad.reason)
    with pytest.raises(ChecksumError, match=second.name):
        reader.read(column="v", verify=True)
    assert len(reader.read(0, 20_000, column="v")) == 20_000
    # A header that is changed and still valid is found by the checksum of the file.
    damage(second, -1)
    text = second.read_bytes()
    index = index_of(folder)
    index["files"][1]["crc32"] ^= 1
    write_index(folder, index)
    (bad,) = cvc.Reader(folder).verify()
    assert (bad.first_row, bad.rows) == (20_000, 20_000)
    assert second.name in bad.reason
    second.write_bytes(text[:-1])
    with pytest.raises(CorruptError, match=f"{second.name}.*bytes, the index says"):
        cvc.Reader(folder)
    second.unlink()
    with pytest.raises(FileNotFoundError, match=second.name):
        cvc.Reader(folder)


def test_damage_is_not_copied(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    cvc.append(folder, vectors(10))
    damage(folder / index_of(folder)["files"][0]["file"], -1)
    before = names(folder)
    with pytest.raises(ChecksumError, match=r"rows-1-"):
        cvc.append(folder, vectors(10))
    assert names(folder) == before


def hostile(tmp_path: Path) -> list[tuple[object, type[Exception], str]]:
    good = {"file": "rows-1-00000000.cvc", "rows": 3, "bytes": 1, "crc32": 0}
    head = {"format": "numpact cvc collection", "version": 1}

    def files(*entries: object) -> dict:
        return {**head, "files": list(entries)}

    return [
        ("", CorruptError, "not an object"),
        ("[]", CorruptError, "not an object"),
        ("{" * 10_000, CorruptError, "not an object"),
        ({}, CorruptError, "not the index"),
        ({**head, "format": "table"}, CorruptError, "not the index"),
        ({**head, "version": 2, "files": []}, UnsupportedVersionError, "version"),
        (head, CorruptError, "no list"),
        (files(), InvalidArgumentError, "no files yet"),
        (files(3), CorruptError, "no object"),
        (files({**good, "file": 3}), CorruptError, "without a name"),
        *(
            (files({**good, "file": name}), CorruptError, "cannot be in the folder")
            for name in ("", "..", "../x", "/etc/passwd", "a/b", "a\\b", "a\0b", "collection.json")
        ),
        (files({**good, "file": "x" * 256}), CorruptError, "cannot be in the folder"),
        (files({**good, "rows": -1}), CorruptError, "`rows`"),
        (files({**good, "crc32": 1 << 32}), CorruptError, "`crc32`"),
        (files({**good, "bytes": 1.5}), CorruptError, "`bytes`"),
        (files(good, good), CorruptError, "twice"),
        (
            files({**good, "rows": 1 << 61}, {**good, "file": "b", "rows": (1 << 62) - 1}),
            CorruptError,
            "more rows",
        ),
        (files(good), FileNotFoundError, "rows-1"),
    ]


def test_hostile_indexes(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    for index, kind, said in hostile(tmp_path):
        write_index(folder, index)
        with pytest.raises(kind, match=said):
            cvc.Reader(folder)
        if said not in ("no files yet", "more rows"):
            with pytest.raises(kind, match=said):
                cvc.append(folder, vectors(3))
        assert names(folder) == ["collection.json"] or said == "no files yet"
    entries = [{"file": f"f{i}", "rows": 0, "bytes": 0, "crc32": 0} for i in range(2000)]
    write_index(folder, {"format": "numpact cvc collection", "version": 1, "files": entries})
    with pytest.raises(LimitExceededError):
        cvc.Reader(folder, max_memory=1 << 20)


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_links_and_pipes(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    cvc.append(folder, vectors(3))
    name = index_of(folder)["files"][0]["file"]
    outside = tmp_path / "outside.cvc"
    (folder / name).rename(outside)
    (folder / name).symlink_to(outside)
    with pytest.raises(CorruptError, match="leads out of the folder"):
        cvc.Reader(folder)
    with pytest.raises(CorruptError, match="leads out of the folder"):
        cvc.append(folder, vectors(3))
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(OSError, match="not a regular file"):
        cvc.Reader(folder)
    (folder / name).unlink()
    outside.rename(folder / "moved")
    (folder / name).symlink_to("moved")  # within the folder
    assert len(cvc.Reader(folder)) == 3
    (folder / "collection.json").rename(tmp_path / "index")
    (folder / "collection.json").symlink_to(tmp_path / "index")
    with pytest.raises(CorruptError, match="leads out of the folder"):
        cvc.Reader(folder)


def test_rows_of_the_index_are_checked(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    cvc.append(folder, vectors(3))
    index = index_of(folder)
    index["files"][0]["rows"] = 4
    write_index(folder, index)
    with pytest.raises(CorruptError, match="has 3 rows, the index says 4"):
        cvc.Reader(folder)
    other = tmp_path / "other.cvc"
    cvc.pack_cvc(vectors(3), other)  # version 1.0
    data = other.read_bytes()
    (folder / "x.cvc").write_bytes(data)
    entry = {"file": "x.cvc", "rows": 3, "bytes": len(data), "crc32": zlib.crc32(data)}
    write_index(folder, {**index, "files": [entry]})
    with pytest.raises(CorruptError, match="other columns"):
        cvc.Reader(folder)


def test_lists_of_files(tmp_path: Path) -> None:
    a, b, c = (tmp_path / name for name in ("a.cvc", "b.cvc", "c.cvc"))
    rows = vectors(10)
    cvc.pack_cvc(rows[:6], a)
    cvc.pack_cvc(rows[6:], b)
    cvc.pack_cvc(vectors(3, 5), c)
    reader = cvc.Reader([a, b])
    assert np.array_equal(reader.read(), rows.astype("f2").astype("f4"))
    assert np.array_equal(cvc.Reader([b, a, b]).read()[4:10], reader.read(0, 6))
    with pytest.raises(InvalidArgumentError, match=r"c\.cvc.*a\.cvc"):
        cvc.Reader([a, c])
    with pytest.raises(InvalidArgumentError, match="empty"):
        cvc.Reader([])
    with pytest.raises(TypeMismatchError):
        cvc.Reader([3])
    with pytest.raises(FileNotFoundError):
        cvc.Reader(str(tmp_path / "*.none"))
    with pytest.raises(FileNotFoundError):
        cvc.Reader([a, tmp_path / "missing.cvc"])
    b.write_bytes(b.read_bytes()[:20])
    with pytest.raises(CorruptError, match=r"b\.cvc"):
        cvc.Reader([a, b])


_APPENDER = """
import sys
import numpy as np
from numpact import cvc
folder, number = sys.argv[1], int(sys.argv[2])
for i in range(15):
    rows = np.full((200, 4), number * 100 + i, np.float32)
    cvc.append(folder, rows, compression="none")
"""


def test_processes_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    workers = [
        subprocess.Popen([sys.executable, "-c", _APPENDER, str(folder), str(number)])
        for number in range(4)
    ]
    assert [worker.wait() for worker in workers] == [0] * 4
    rows = cvc.Reader(folder).read()
    assert rows.shape == (4 * 15 * 200, 4)
    for number in range(4):
        own = rows[(rows[:, 0] // 100) == number, 0] % 100
        assert np.array_equal(own, np.repeat(np.arange(15), 200))  # in order
    assert len(names(folder)) == 2


def test_waiting_for_another_writer(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    cvc.append(folder, vectors(3))
    with cvc.Writer(folder, append=True) as writer:
        with pytest.raises(LockTimeoutError):
            cvc.append(folder, vectors(3), lock_timeout=0)
        writer.append(vectors(2))
    assert len(cvc.Reader(folder)) == 5


def test_dask_reads_folders(tmp_path: Path) -> None:
    dask = pytest.importorskip("numpact.dask")
    pytest.importorskip("dask.array")
    folder = tmp_path / "c"
    cvc.append(folder, vectors(3))
    assert (dask.from_cvc(folder).compute() == cvc.Reader(folder).read()).all()


def test_info_is_that_of_all_files(tmp_path: Path) -> None:
    rows = np.random.default_rng(2).normal(size=(40_000, 8)).astype(np.float32)
    folder = tmp_path / "v"
    cvc.append(folder, rows[:20_000])
    cvc.append(folder, rows[20_000:])
    info = cvc.get_cvc_info(folder)
    assert info["num_vectors"] == 40_000
    assert info["num_chunks"] == 2
    assert info["file_size"] == sum(path.stat().st_size for path in folder.glob("*.cvc"))
    assert cvc.get_cvc_info(str(folder / "*.cvc"))["file_size"] == info["file_size"]
