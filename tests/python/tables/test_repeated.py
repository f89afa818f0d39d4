# SPDX-License-Identifier: Apache-2.0
"""Files of Arrow whose values are indices of a dictionary, though the column has none."""

from __future__ import annotations

import io
import random

import pyarrow as pa
import pytest

import numpact
from numpact._tables.others import BATCH_ROWS, OtherReader, OtherWriter

KINDS = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]


def written(field: pa.Field, array: pa.Array) -> bytes:
    sink = io.BytesIO()
    writer = OtherWriter(sink, field)
    writer.write(array)
    writer.close()
    return sink.getvalue()


def coded(field: pa.Field, array: pa.Array) -> bytes:
    """As older versions of numpact wrote text that repeats."""
    values = array.dictionary_encode()
    indices = values.indices.cast(pa.int16())
    values = pa.DictionaryArray.from_arrays(indices, values.dictionary)
    schema = pa.schema([field.with_type(values.type)], metadata={"numpact:encoding": "dictionary"})
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, schema) as writer:
        for first in range(0, len(array), BATCH_ROWS):
            batch = pa.record_batch([values[first : first + BATCH_ROWS]], schema=schema)
            writer.write_batch(batch)
    return sink.getvalue()


def texts(rows: int, different: int, kind: pa.DataType) -> pa.Array:
    rng = random.Random(rows + different)
    values = [None if i % 7 == 3 else f"text {rng.randrange(different)}" for i in range(rows)]
    return pa.array(values, pa.large_string()).cast(kind)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("rows", [0, 1, 300, BATCH_ROWS + 1])
@pytest.mark.parametrize("different", [1, 60])
def test_values_and_type_come_back(kind: pa.DataType, rows: int, different: int) -> None:
    array = texts(rows, different, kind)
    field = pa.field("s", kind, metadata={"k": "v"})
    reader = OtherReader(coded(field, array), rows, "s.arrow")
    assert reader.field.equals(field, check_metadata=True)
    batches = list(reader.batches())
    assert pa.chunked_array(batches, kind).equals(pa.chunked_array([array], kind))
    if rows > 2:
        assert reader.read(1, rows - 2).to_pylist() == array[1:-1].to_pylist()


def test_text_that_repeats_is_written_as_it_is() -> None:
    array = texts(1000, 5, pa.string())
    data = written(pa.field("s", pa.string()), array)
    assert pa.ipc.open_file(pa.py_buffer(data)).schema == pa.schema({"s": pa.string()})
    assert OtherReader(data, 1000, "s").read(0, 1000).to_pylist() == array.to_pylist()


def test_columns_with_dictionaries_stay_what_they_are() -> None:
    array = texts(1000, 5, pa.string()).dictionary_encode()
    field = pa.field("d", array.type, metadata={"numpact:encoding": "dictionary"})
    data = written(field, array)
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
