# SPDX-License-Identifier: Apache-2.0
"""Tables of random schemas through the command, beside pyarrow's own reading of the file."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import table_files
from cli_program import FAILURE, USAGE
from folder import entries_of, manifest_of, numbers_of
from programs import SEED, Tool, tool, files_of  # noqa: F401

pytestmark = pytest.mark.usefixtures("arrow")

_EXTENSION = b"ARROW:extension:"
_FIELD_ID = b"PARQUET:field_id"


def storage_of(type: pa.DataType) -> pa.DataType:
    return storage_of(type.storage_type) if isinstance(type, pa.BaseExtensionType) else type


def storage_array(array: pa.ChunkedArray) -> pa.Array:
    array = array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    while isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    return array


def stored_numbers(array: pa.ChunkedArray) -> np.ndarray:
    """The bits of all that is not null."""
    present = storage_array(array).drop_null()
    if pa.types.is_boolean(present.type):
        return np.array(present.to_pylist(), np.uint8)
    width = present.type.bit_width // 8
    data = b"" if len(present) == 0 else present.buffers()[1].to_pybytes()
    first = present.offset * width
    return np.frombuffer(data[first : first + len(present) * width], f"u{width}")


def bits(numbers: np.ndarray) -> np.ndarray:
    return numbers.view(f"u{numbers.itemsize}")


def metadata_without(metadata: object, *prefixes: bytes) -> dict[bytes, bytes]:
    return {key: value for key, value in dict(metadata or {}).items()
            if not key.startswith(prefixes)}


def as_parquet_has_it(type: pa.DataType) -> set[str]:
    """The types that a column may have behind a way through Parquet (docs/cli-tables.md)."""
    if pa.types.is_date64(type):
        return {"date32[day]", "date64[ms]"}
    return {str(type), str(type).replace("[s", "[ms")}


def assert_same_column(got: pa.ChunkedArray, expected: pa.ChunkedArray, name: str) -> None:
    assert len(got) == len(expected), name
    assert got.is_valid().to_pylist() == expected.is_valid().to_pylist(), name
    if storage_of(got.type) != storage_of(expected.type):  # Parquet's other unit
        got = storage_array(got).cast(storage_of(expected.type))
    assert np.array_equal(stored_numbers(pa.chunked_array([got]) if isinstance(got, pa.Array)
                                         else got), stored_numbers(expected)), name


def assert_same_table(got: pa.Table, expected: pa.Table, through_parquet: bool) -> None:
    assert got.column_names == expected.column_names
    assert metadata_without(got.schema.metadata) == metadata_without(expected.schema.metadata)
    for index, field in enumerate(expected.schema):
        back = got.schema.field(index)
        if through_parquet:
            assert str(storage_of(back.type)) in as_parquet_has_it(storage_of(field.type)), field
        else:
            assert back.type == field.type
        assert back.nullable == field.nullable, field
        assert metadata_without(back.metadata, _FIELD_ID) == \
            metadata_without(field.metadata, _FIELD_ID), field
        assert_same_column(got.column(index), expected.column(index), field.name)


class UnreadableError(Exception):
    """pyarrow does not read what it wrote."""


class Checked:
    """One file of a random table, and what pyarrow reads from it."""

    def __init__(self, tool: Tool, seed: int, folder: Path) -> None:
        self.tool, self.rng, self.folder = tool, random.Random(seed + 1), folder
        self.path = table_files.make(seed).write(folder, "t")
        try:
            self.table = table_files.read(self.path)
        except (pa.ArrowInvalid, OSError) as error:
            raise UnreadableError(str(error)) from error
        self.names = self.table.column_names
        self.kept = [i for i, field in enumerate(self.table.schema)
                     if table_files.is_numeric(field.type)]
        self.out = folder / "out"

    def word_of(self, index: int) -> str | None:
        """The option that selects a column; None if there is none."""
        name = self.names[index]
        if self.names.count(name) == 1 and "\0" not in name:
            return name
        return None if str(index) in self.names else str(index)

    def check(self) -> None:
        if not self.kept:
            line = self.tool.refused("compress", self.path, "--others", "drop", "-o", self.out,
                                     code=FAILURE)
            assert "no column can be compressed" in line
            return
        shutil.rmtree(self.out, ignore_errors=True)
        ran = self.tool.run("compress", self.path, "--others", "drop", "-o", self.out)
        self.check_folder(ran.err)
        self.check_round_trip()
        self.rng.choice([self.check_range, self.check_one_column, self.check_counts,
                         self.check_skipped, self.check_repeated])()

    def check_folder(self, notes: str) -> None:
        entries = entries_of(self.out, reference=True)
        assert [entry.json["name"] for entry in entries] == [self.names[i] for i in self.kept]
        for index, entry in zip(self.kept, entries, strict=True):
            column = self.table.column(index)
            assert entry.valid.tolist() == column.is_valid().to_pylist()
            assert np.array_equal(bits(entry.numbers), stored_numbers(column)), entry.json
        skipped = manifest_of(self.out)["skipped"]
        others = [i for i in range(len(self.names)) if i not in self.kept]
        assert [one["name"] for one in skipped] == [self.names[i] for i in others]
        for index, one in zip(others, skipped, strict=True):
            reported = str(self.table.schema.field(index).type)
            assert one["type"] == reported and reported in one["reason"], one
        assert notes.count(" is left out: ") == len(others)

    def check_round_trip(self) -> None:
        ending = self.rng.choice([".arrow", ".arrows", ".parquet"])
        back = self.folder / f"back{ending}"
        self.tool.run("decompress", self.out, "-f", "-o", back)
        expected = self.table.select(self.kept)
        assert_same_table(table_files.read(back), expected, ending == ".parquet")

    def check_range(self) -> None:
        rows = self.table.num_rows
        first = self.rng.randint(0, rows)
        count = self.rng.randint(0, rows - first)
        back = self.folder / "range.arrow"
        self.tool.run("decompress", self.out, "--range", f"{first}:{count}", "-f", "-o", back)
        expected = self.table.select(self.kept).slice(first, count)
        assert_same_table(table_files.read(back), expected, False)

    def check_one_column(self) -> None:
        index = self.rng.choice(self.kept)
        word = self.word_of(index)
        if word is None:
            return
        column = self.table.column(index)
        packed = self.folder / "one.pco"
        packed.unlink(missing_ok=True)
        arguments = ["compress", self.path, "--column", word, "-f", "-o", packed]
        if column.null_count:
            line = self.tool.refused(*arguments, code=FAILURE)
            nulls = column.null_count
            first = column.is_valid().to_pylist().index(False)
            assert f"{nulls} null{'s' * (nulls != 1)}, the first in row {first} " in line, line
            assert "-o FOLDER" in line and not packed.exists()
            ran = self.tool.run(*arguments, "--nulls", "drop")
            assert f"{nulls:,} nulls left out" in ran.err or nulls == 1
        else:
            self.tool.run(*arguments)
        number_type = entries_of(self.out)[self.kept.index(index)].json["number_type"]
        assert np.array_equal(bits(numbers_of(packed, number_type)), stored_numbers(column))

    def check_counts(self) -> None:
        counts = [len(self.table) - self.table.column(i).null_count for i in self.kept]
        verb = self.rng.choice([["bench", "--rounds", "1"], ["explain"]])
        reported = json.loads(self.tool.run(*verb, self.path, "--json").text)["columns"]
        assert [column["count"] for column in reported] == counts

    def check_skipped(self) -> None:
        others = [i for i in range(len(self.names)) if i not in self.kept]
        if not others:
            return
        index = self.rng.choice(others)
        word = self.word_of(index)
        if word is None:
            return
        line = self.tool.refused("compress", self.path, "--column", word, "-o",
                                 self.folder / "no.pco", code=FAILURE)
        assert str(self.table.schema.field(index).type).partition("<")[0] in line

    def check_repeated(self) -> None:
        repeated = [name for name in self.names if self.names.count(name) > 1 and "\0" not in name]
        if not repeated:
            return
        line = self.tool.refused("compress", self.path, "--column", repeated[0], "-o",
                                 self.folder / "no.pco", code=USAGE)
        assert f"{self.names.count(repeated[0])} columns are named" in line and "index" in line


def each_file(tool: Tool, tmp_path: Path, count: int, check: Callable[[int, Path], None]) -> None:
    """Checks files of ``count`` seeds; a file that fails stays, and its seed is told."""
    unreadable = 0
    for index in range(count):
        seed = SEED * 1_000_003 + index
        try:
            check(seed, tmp_path)
        except UnreadableError:
            # Some lists of fixed length in structs, in Parquet.
            unreadable += 1
        except Exception as error:
            reported = f"table_files.make({seed}), kept in {tmp_path}: {error}"
            raise AssertionError(reported) from error
        for path in tmp_path.glob("t.*"):
            path.unlink()
    assert unreadable <= 1 + count // 100


def test_random_tables(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    each_file(tool, tmp_path, files_of(tool.program),
              lambda seed, folder: Checked(tool, seed, folder).check())


def vectors(seed: int) -> tuple[pa.Table, dict[str, np.ndarray], str]:
    """Columns that a CVC file can have, behind others; what they hold, and an ending."""
    rng = random.Random(seed)
    rows, length = rng.randint(1, 40), rng.randint(1, 5)
    drawn = np.random.default_rng(seed)
    flat = drawn.normal(size=rows * length).astype(np.float32)
    values = pa.array(flat)
    offsets = list(range(0, rows * length + 1, length))
    lists = rng.choice([
        lambda: pa.FixedSizeListArray.from_arrays(values, length),
        lambda: pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values),
        lambda: pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)])()
    ids = drawn.integers(-(2**60), 2**60, rows)
    other = table_files.values(rng, table_files.other_type(rng, True, 3), rows, 0.2)
    names = rng.sample(["meta", "id", "emb.list", "a.b"], 3)
    table = pa.table([other, pa.array(ids), lists], names=names)
    return table, {names[1]: ids, names[2]: flat.reshape(rows, length)}, \
        rng.choice([".parquet", ".arrow", ".arrows"])


def test_random_vectors(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    def check(seed: int, folder: Path) -> None:
        table, expected, ending = vectors(seed)
        path = folder / f"t{ending}"
        table_files.write(random.Random(seed), table, path)
        name = random.Random(seed).choice(sorted(expected))
        packed, back = folder / "v.cvc", folder / "v.npy"
        # Columns of integers are kept as they are.
        floats = ["--compression", "lossless"] if expected[name].dtype == np.float32 else []
        tool.run("cvc", "pack", path, "--column", name, *floats, "-f", "-o", packed)
        tool.run("cvc", "unpack", packed, "-f", "-o", back)
        assert np.array_equal(np.load(back).ravel(), expected[name].ravel())

    each_file(tool, tmp_path, max(1, files_of(tool.program) // 10), check)
