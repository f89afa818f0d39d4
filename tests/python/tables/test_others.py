# SPDX-License-Identifier: Apache-2.0
"""Columns beside the Pco files, as Arrow IPC."""

from __future__ import annotations

import decimal
import io
import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

import numpact
from numpact._tables.others import BATCH_ROWS, OtherReader, OtherWriter, digest

ROWS = 2 * BATCH_ROWS + 5


def written(field: pa.Field, arrays: Sequence[Any]) -> bytes:
    sink = io.BytesIO()
    writer = OtherWriter(sink, field)
    for array in arrays:
        writer.write(array)
    writer.close()
    assert writer.rows == sum(map(len, arrays))
    return sink.getvalue()


def blocks(array: pa.Array, seed: int = 1) -> list[pa.Array]:
    """The array in slices of various lengths, also 0."""
    at, out, rng = 0, [array[:0]], random.Random(seed)
    while at < len(array):
        size = rng.choice([1, 100, BATCH_ROWS - 1, BATCH_ROWS, BATCH_ROWS + 1])
        out.append(array[at : at + size])
        at += size
    return out


TEXTS = [f"name {i % 1000}" if i % 7 else None for i in range(ROWS)]
COLUMNS = {
    "string": pa.array(TEXTS),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "binary": pa.array([b"\0" * (i % 5) for i in range(ROWS)]),
    "decimal": pa.array([decimal.Decimal(i) / 100 for i in range(ROWS)], pa.decimal128(20, 2)),
    "list": pa.array([[i, None] if i % 3 else None for i in range(ROWS)]),
    "struct": pa.array([{"a": i, "b": str(i)} for i in range(ROWS)]),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "null": pa.nulls(ROWS),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_batches_have_one_size_whatever_is_written(kind: str) -> None:
    array = COLUMNS[kind]
    field = pa.field("a/b ü", array.type, metadata={"k": b"\xff"})
    data = written(field, blocks(array))
    file = pa.ipc.open_file(pa.py_buffer(data))
    sizes = [file.get_batch(i).num_rows for i in range(file.num_record_batches)]
    assert sizes == [BATCH_ROWS, BATCH_ROWS, 5]
    reader = OtherReader(pa.py_buffer(data), ROWS, "a.arrow")
    assert reader.field.equals(field, check_metadata=True)
    assert pa.chunked_array(list(reader.batches()), array.type).equals(pa.chunked_array([array]))
    for first, count in ((0, 0), (0, 1), (BATCH_ROWS - 1, 2), (ROWS - 1, 1), (7, ROWS - 7)):
        assert reader.read(first, count).to_pylist() == array[first : first + count].to_pylist()


@pytest.mark.parametrize("kind", COLUMNS)
def test_digests_are_those_of_what_is_read(kind: str) -> None:
    array = COLUMNS[kind]
    sink = io.BytesIO()
    writer = OtherWriter(sink, pa.field("a", array.type))
    for block in blocks(array, 2):
        writer.write(block)
    writer.close()
    read = list(OtherReader(sink.getvalue(), ROWS, "a").batches())
    assert [digest(batch) for batch in read] == writer.digests
    if kind != "null":
        assert digest(read[0][1:]) != digest(read[0][:-1])


def test_no_rows_no_batch() -> None:
    data = written(pa.field("a", pa.string()), [])
    assert pa.ipc.open_file(pa.py_buffer(data)).num_record_batches == 0
    reader = OtherReader(memoryview(data), 0, "a.arrow")
    assert list(reader.batches()) == []
    assert reader.read(0, 0).type == pa.string()


def test_dictionaries_are_joined() -> None:
    one = pa.array(["a", "b", None]).dictionary_encode()
    two = pa.array(["c", "a"]).dictionary_encode()
    for arrays in ([one, two], [two, one, two], [pa.chunked_array([one, two])]):
        data = written(pa.field("d", one.type), arrays)
        expected = [value for array in arrays for value in array.to_pylist()]
        reader = OtherReader(data, len(expected), "d.arrow")
        assert reader.read(0, len(expected)).to_pylist() == expected
        assert reader.field.type == one.type


def test_dictionaries_inside_of_lists_are_joined() -> None:
    arrays = [
        pa.ListArray.from_arrays([0, 1, 2], pa.array([text, text]).dictionary_encode())
        for text in ("x", "y")
    ]
    data = written(pa.field("d", arrays[0].type), arrays)
    assert OtherReader(data, 4, "d").read(0, 4).to_pylist() == [["x"], ["x"], ["y"], ["y"]]


def test_dictionaries_that_outgrow_their_indices_get_wider_ones() -> None:
    type = pa.dictionary(pa.int8(), pa.string())
    arrays = [
        pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array([f"{i}"]))
        for i in range(200)
    ]
    back = OtherReader(written(pa.field("d", type), arrays), 200, "d").read(0, 200)
    assert back.type == pa.dictionary(pa.int16(), pa.string())
    assert back.to_pylist() == [f"{i}" for i in range(200)]


def test_slices_of_views_do_not_store_all_bytes() -> None:
    texts = pa.array([f"{i * 2654435761 % 2**64:060x}" for i in range(ROWS)], pa.string_view())
    view = len(written(pa.field("a", texts.type), [texts]))
    plain = len(written(pa.field("a", pa.string()), [texts.cast(pa.string())]))
    assert view < 1.5 * plain


def test_wrong_values_are_refused() -> None:
    writer = OtherWriter(io.BytesIO(), pa.field("a", pa.string(), nullable=False))
    with pytest.raises(numpact.TypeMismatchError, match="'a': values of type int64, not string"):
        writer.write(pa.array([1]))
    with pytest.raises(numpact.InvalidArgumentError, match="'a': 1 nulls"):
        writer.write(pa.array(["x", None]))


def raw_file(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def test_hostile_files_are_refused() -> None:
    schema = pa.schema([pa.field("a", pa.string())])
    one = pa.record_batch([pa.array(["x"])], schema=schema)
    full = pa.record_batch([pa.array(["x"] * BATCH_ROWS)], schema=schema)
    good = raw_file([one], schema)
    assert OtherReader(good, 1, "f").read(0, 1).to_pylist() == ["x"]
    cases: list[tuple[bytes, int, str]] = [
        (good, 0, "has 1 batches, not the 0 of 0 rows"),
        (good, 2, "batch 0 has 1 rows, not 2"),
        (good, 1 << 62, "has 1 batches"),
        (raw_file([one, one], schema), 2, "has 2 batches"),
        (raw_file([one, full], schema), BATCH_ROWS + 1, "batch 0 has 1 rows"),
        (raw_file([full, one], schema), BATCH_ROWS + 2, "batch 1 has 1 rows, not 2"),
        (b"", 0, ""),
        (b"ARROW1\0\0", 0, ""),
        (b"not Arrow at all", 0, ""),
        (raw_file([], pa.schema([("a", pa.string()), ("b", pa.string())])), 0, "2 fields"),
    ]
    for data, rows, message in cases:
        with pytest.raises(numpact.CorruptError, match=f"f: .*{message}"):
            list(OtherReader(data, rows, "f").batches())
    with pytest.raises(numpact.InvalidArgumentError, match="has 1 rows, not 1 from row 1 on"):
        OtherReader(good, 1, "f").read(1, 1)


def test_nulls_that_the_field_excludes_are_refused() -> None:
    strict = pa.schema([pa.field("a", pa.string(), nullable=False)])
    data = raw_file([pa.record_batch([pa.array([None, "x"])], schema=strict)], strict)
    with pytest.raises(numpact.CorruptError, match="has nulls"):
        OtherReader(data, 2, "f").read(0, 2)


@pytest.mark.parametrize("kind", ["string", "list", "dictionary", "string_view"])
def test_damage_is_an_error_or_other_values(kind: str) -> None:
    array = COLUMNS[kind][:3000]
    data = written(pa.field("a", array.type), [array])
    rng, errors = random.Random(5), 0
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 8])):
            damaged[rng.randrange(len(data))] = rng.randrange(256)
        cut = bytes(damaged[: rng.choice([len(data), rng.randrange(len(data))])])
        try:
            OtherReader(cut, 3000, "f").read(0, 3000).to_pylist()
        except (numpact.CorruptError, numpact.OutOfMemoryError):
            errors += 1
        except UnicodeDecodeError:
            raise AssertionError("text that is not UTF-8 passed") from None
    assert errors > 50
