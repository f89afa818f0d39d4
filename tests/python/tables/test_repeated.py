# SPDX-License-Identifier: Apache-2.0
"""Text whose values repeat is stored as indices of a dictionary."""

from __future__ import annotations

import io
import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import numpact
from numpact._tables.others import BATCH_ROWS, OtherReader, OtherWriter, digest

KINDS = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view()]


def written(field: pa.Field, arrays: list[Any]) -> tuple[bytes, list[int]]:
    sink = io.BytesIO()
    writer = OtherWriter(sink, field)
    for array in arrays:
        writer.write(array)
    writer.close()
    return sink.getvalue(), writer.digests


def texts(rows: int, different: int, kind: pa.DataType) -> pa.Array:
    rng = random.Random(rows + different)
    values = [None if i % 7 == 3 else f"text {rng.randrange(different)}" for i in range(rows)]
    return pa.array(values, pa.large_string()).cast(kind)


def is_coded(data: bytes) -> bool:
    return pa.types.is_dictionary(pa.ipc.open_file(pa.py_buffer(data)).schema.field(0).type)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("rows", [0, 1, 300, BATCH_ROWS + 1])
@pytest.mark.parametrize("different", [1, 60, 1 << 40])
def test_values_and_type_come_back(kind: pa.DataType, rows: int, different: int) -> None:
    array = texts(rows, different, kind)
    field = pa.field("s", kind, metadata={"k": "v"})
    data, digests = written(field, [array[: rows // 2], array[rows // 2 :]])
    assert is_coded(data) == (rows > 1 and different < 1 << 40 and kind != pa.string_view())
    reader = OtherReader(data, rows, "s.arrow")
    assert reader.field.equals(field, check_metadata=True)
    batches = list(reader.batches())
    assert pa.chunked_array(batches, kind).equals(pa.chunked_array([array], kind))
    assert list(map(digest, batches)) == digests
    if rows > 2:
        assert reader.read(1, rows - 2).to_pylist() == array[1:-1].to_pylist()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([None, "", "a", "a\0", "ä", "b" * 300]), max_size=60))
def test_any_text_comes_back(values: list[str | None]) -> None:
    data, _ = written(pa.field("s", pa.string()), [pa.array(values, pa.string())])
    assert OtherReader(data, len(values), "s").read(0, len(values)).to_pylist() == values


def test_text_that_stops_repeating_is_written_as_it_is() -> None:
    """Later batches have more values than indices of 16 bits number."""
    few, many = texts(2 * BATCH_ROWS, 50, pa.string()), texts(BATCH_ROWS, 1 << 40, pa.string())
    data, digests = written(pa.field("s", pa.string()), [few, many])
    assert not is_coded(data)
    batches = list(OtherReader(data, 3 * BATCH_ROWS, "s").batches())
    assert pa.chunked_array(batches).equals(pa.chunked_array([few, many]))
    assert list(map(digest, batches)) == digests


def test_repeated_text_is_small() -> None:
    array = texts(3 * BATCH_ROWS, 12, pa.string())
    coded, _ = written(pa.field("s", pa.string()), [array])
    view = array.cast(pa.string_view())
    plain, _ = written(pa.field("s", view.type), [view])
    assert len(coded) < 0.7 * len(plain)
    assert len(written(pa.field("s", pa.string()), [pa.array(["N"] * 500_000)])[0]) < 8_000


def test_columns_with_dictionaries_stay_what_they_are() -> None:
    array = texts(1000, 5, pa.string()).dictionary_encode()
    field = pa.field("d", array.type, metadata={"numpact:encoding": "dictionary"})
    data, _ = written(field, [array])
    reader = OtherReader(data, 1000, "d")
    assert reader.field.equals(field, check_metadata=True)
    assert reader.read(0, 1000).to_pylist() == array.to_pylist()


def hostile(array: pa.Array, nullable: bool = True) -> bytes:
    field = pa.field("s", array.type, nullable=nullable)
    schema = pa.schema([field], metadata={"numpact:encoding": "dictionary"})
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.record_batch([array], schema=schema))
    return sink.getvalue()


def test_hostile_files_are_refused() -> None:
    with pytest.raises(numpact.CorruptError, match="f: has no dictionary"):
        OtherReader(hostile(pa.array(["x"])), 1, "f")
    beyond = pa.DictionaryArray.from_arrays(pa.array([7], pa.int16()), ["x"], safe=False)
    with pytest.raises(numpact.CorruptError, match="f: "):
        OtherReader(hostile(beyond), 1, "f").read(0, 1)
    # A null that no index shows, but the dictionary has.
    inside = pa.DictionaryArray.from_arrays(pa.array([0], pa.int16()), pa.array([None], pa.utf8()))
    with pytest.raises(numpact.CorruptError, match="f: has nulls"):
        OtherReader(hostile(inside, nullable=False), 1, "f").read(0, 1)
