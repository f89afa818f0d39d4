# SPDX-License-Identifier: Apache-2.0
"""Files of columns that Pco cannot hold, for the command: reads, writes and joins them."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from .._errors import InvalidArgumentError, TypeMismatchError
from .._limits import Budget, Limits
from .._remote.checked_file import BATCH_ROWS, blocks_of, in_memory
from .._remote.manifest import Part
from .coded import text_rows
from .columns import OTHER_ENUM, has_enums_of, storage_of, text_family
from .errors import Refused, about
from .joining import as_type, nulls_of
from .others import OtherReader, OtherWriter, have_same_values, holds_dictionary, sink_to
from .taking import kept as kept_rows
from .unifying import as_common, common_type
from .vector_reader import MAGIC, open_other
from .vectors import ENDING, EXACT, compression_for, require_exact


def write_file(
    write: Callable[[bytes], None],
    field: pa.Field,
    arrays: Iterable[pa.Array],
    vectors: str | None,
) -> tuple[int, str]:
    """Writes a file; its rows and its type. ``vectors``: a compression; None: as Arrow."""
    with _refusing_lossy(field, vectors):
        writer = _writer(write, field, vectors)
        for array in arrays:
            writer.write(array)
        return _finish(writer)


@contextmanager
def _refusing_lossy(field: pa.Field, vectors: str | None) -> Iterator[None]:
    """Values that a lossy compression does not take are no damage of the file that has them."""
    try:
        yield
    except InvalidArgumentError as error:
        if vectors in (None, EXACT):
            raise
        raise Refused(str(error).removeprefix(f"column {field.name!r}: ")) from None


def _writer(write: Callable[[bytes], None], field: pa.Field, vectors: str | None) -> OtherWriter:
    if vectors == EXACT:
        vectors = ""
    elif vectors is not None:
        vectors = compression_for(field, vectors)
    return OtherWriter(sink_to(write), field, vectors)


def _finish(writer: OtherWriter) -> tuple[int, str]:
    writer.close()
    return writer.rows, str(writer.field.type)


def kind_of(type: pa.DataType) -> str:
    """How the command can use the values: as "text", as "decimal" numbers, or not ("opaque")."""
    type = storage_of(type)
    if pa.types.is_dictionary(type):
        type = type.value_type
    if text_family(type) == "string":
        return "text"
    return "decimal" if pa.types.is_decimal(type) else "opaque"


def _plain(array: pa.Array) -> pa.Array:
    """The values without extension types and dictionaries."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if isinstance(array, pa.DictionaryArray) else array


def _joinable(array: pa.Array, field: pa.Field, is_null: bool) -> list[pa.Array]:
    """Rows to append to a column, in its type. CSV has text for columns of any type."""
    if is_null:
        return list(nulls_of(field.type, len(array)).chunks)
    type, family = storage_of(field.type), text_family(array.type)
    is_coded = pa.types.is_dictionary(type) and not type.ordered
    if is_coded and family is not None and family == text_family(type.value_type):
        array = array.cast(type.value_type).dictionary_encode()
    try:
        return list(as_type(pa.chunked_array([array]), field).chunks)
    except TypeMismatchError:
        raise Refused(f"its type is {array.type}, not {field.type}") from None


def _common(old: pa.DataType, new: pa.DataType) -> pa.DataType:
    common = common_type([old, new])
    if common is None:
        raise Refused(f"its type is {new}, not {old}: no type holds the values of both")
    return common


def _widest(field: pa.Field, new: pa.DataType, vectors: str) -> pa.DataType:
    common = _common(field.type, new)
    if not have_same_values(common, field.type):
        try:
            require_exact(field, common, "" if vectors == EXACT else vectors)
        except TypeMismatchError as error:
            raise Refused(str(error).removeprefix(f"column {field.name!r}: ")) from None
    return common


def _widened(array: pa.Array, field: pa.Field) -> list[pa.Array]:
    if have_same_values(array.type, field.type):
        return [array]
    return list(as_common(pa.chunked_array([array]), field.type, f"column {field.name!r}").chunks)


def _require_nullable(field: pa.Field, nulls: int) -> None:
    if nulls and not field.nullable:
        raise Refused("has nulls, which the folder's column excludes")


def _nulls(field: pa.Field, count: int) -> Iterator[pa.Array]:
    for first in range(0, count, BATCH_ROWS):
        yield from nulls_of(field.type, min(BATCH_ROWS, count - first)).chunks


def open_reader(file: dict[str, Any]) -> OtherReader:
    """Opens a file that the command gives by its bytes or a descriptor."""
    buffer = file["content"]
    if isinstance(buffer, int):
        is_empty = os.fstat(buffer).st_size == 0
        buffer = b"" if is_empty else mmap.mmap(buffer, 0, access=mmap.ACCESS_READ)
    if not len(buffer):
        raise Refused("corrupt: the file is empty", "corrupt")
    source: Any = pa.py_buffer(buffer)
    if file["part"] is not None:
        name = ENDING if buffer[: len(MAGIC)] == MAGIC else ""
        part = Part(name, file["rows"], *file["part"])
        blocks = blocks_of(part)
        assert blocks is not None
        source = in_memory(source, blocks, "corrupt")
    return open_other(source, file["rows"], "corrupt", file["name"])


class OtherColumn:
    """A column in several files of a folder, which is untrusted; their rows follow each other."""

    def __init__(self, files: list[dict[str, Any]]) -> None:
        self._readers: list[tuple[str, OtherReader]] = []
        for file in files:
            place = file["place"]
            with about(place):
                reader = open_reader(file)
                if not self._readers:
                    self.field = reader.field
                    self.kind = kind_of(reader.field.type)
                elif holds_dictionary(reader.field.type) or not reader.field.equals(
                    self.field, check_metadata=True
                ):
                    why = "corrupt: parts of the column are of another type, or have dictionaries"
                    raise Refused(why, "corrupt", place)
                self._readers.append((place, reader))

    def _parts(
        self, first: int, left: int, limits: Limits
    ) -> Iterator[tuple[str, OtherReader, int, int]]:
        """The files with rows of a range: the first row and how many in each."""
        for place, reader in self._readers:
            reader.limits = limits
            count = min(left, reader.rows - first)
            if count > 0:
                yield place, reader, first, count
                left -= count
            first = max(0, first - reader.rows)

    def check(self, limits: Limits) -> None:
        """Decodes all batches, which count as output; the limits apply to each file."""
        for place, reader in self._readers:
            reader.limits = limits
            budget = limits.budget()
            with about(place):
                for first in range(0, reader.rows, BATCH_ROWS):
                    reader.read(first, min(BATCH_ROWS, reader.rows - first), budget)
                    budget.begin_part()

    def texts(
        self, first: int, rows: int, is_output: bool, limits: Limits
    ) -> list[tuple[memoryview, memoryview, memoryview]]:
        """Rows as text, as ``text_rows`` gives them; of values that have none, empty ones."""
        blocks = []
        for place, reader, at, count in self._parts(first, rows, limits):
            with about(place):
                for array in reader.read(at, count, None, is_output).chunks:
                    if self.kind == "opaque":
                        array = _emptied(array)
                    else:
                        reader.check_spread(array, is_output)
                        array = _plain(array).cast(pa.large_string())
                    blocks.append(text_rows(array))
        return blocks

    def array(
        self, first: int, count: int, kept: pa.Array | None, budget: Budget, limits: Limits
    ) -> pa.Array:
        """``count`` rows from ``first`` on, or those of a longer range that are kept."""
        arrays: list[pa.Array] = []
        done = 0
        rows = count if kept is None else len(kept)
        for place, reader, at, there in self._parts(first, rows, limits):
            with about(place):
                found = reader.read(at, there, budget if kept is None else None)
                if kept is not None:
                    found = kept_rows(found, kept[done : done + there])
                    for array in found.chunks if budget else ():
                        reader.count(array, budget)
            arrays += found.chunks
            done += there
        arrays = arrays or [pa.nulls(0, self.field.type)]
        # Not combine_chunks for one chunk, since it copies; and it cannot join some types.
        return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _emptied(array: pa.Array) -> pa.Array:
    """Nulls stay, other rows are empty texts."""
    if not array.null_count:
        return pa.repeat("", len(array))
    return pa.array([None, ""]).take(array.is_valid().cast(pa.int8()))


def join(
    write: Callable[[bytes], None],
    like: dict[str, Any],
    nulls_before: int,
    before: list[dict[str, Any]],
    added: dict[str, Any] | None,
    nulls_after: int,
    may_widen: bool,
    vectors: str,
) -> tuple[int, str]:
    """Writes a file of the rows of others and of nulls: JoinedRows of cli/formats/others.hpp."""
    with about(like["place"]):
        field = open_reader(like).field
    new = None
    if added is not None:
        with about(added["place"]):
            new = open_reader(added)
    is_null = new is None or all(a.null_count == len(a) for a in new.batches())
    if new is not None and not is_null:
        if not has_enums_of(new.field, field):
            raise Refused(OTHER_ENUM)
        if may_widen:
            field = field.with_type(_widest(field, new.field.type, vectors))
    if nulls_before:
        field = field.with_nullable(True)

    def add(arrays: Iterable[pa.Array]) -> None:
        for array in arrays:
            writer.write(array)

    with _refusing_lossy(field, vectors):
        writer = _writer(write, field, vectors)
        add(_nulls(field, nulls_before))
        for file in before:
            with about(file["place"]):
                reader = open_reader(file)
                if reader.field.type.equals(field.type):
                    writer.copy(reader)
                    continue
                for array in reader.batches():
                    add(_widened(array, field))
        for array in new.batches() if new is not None else ():
            _require_nullable(field, array.null_count)
            is_wide = may_widen and not is_null
            add(_widened(array, field) if is_wide else _joinable(array, field, is_null))
        _require_nullable(field, nulls_after)
        add(_nulls(field, nulls_after))
        return _finish(writer)


class TextFile:
    """A file of a column of text that the command writes."""

    def __init__(self, name: str, write: Callable[[bytes], None]) -> None:
        self._writer = OtherWriter(sink_to(write), pa.field(name, pa.string()))

    def write(self, address: int) -> None:
        """Takes texts over, which the command has exported."""
        self._writer.write(pa.Array._import_from_c(address, pa.string()))

    def close(self) -> tuple[int, str]:
        """Its rows and its type."""
        return _finish(self._writer)
