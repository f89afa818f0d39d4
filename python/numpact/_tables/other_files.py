# SPDX-License-Identifier: Apache-2.0
"""Files of columns that Pco cannot hold, for the command: reads, writes and joins them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from .._errors import InvalidArgumentError, TypeMismatchError
from .._limits import Limits
from .._remote.checked_file import BATCH_ROWS
from .coded import text_rows
from .columns import OTHER_ENUM, has_enums_of, storage_of
from .errors import Refused, about
from .joining import as_type, nulls_of, text_family
from .others import OtherWriter, have_same_values
from .unifying import as_common, common_type
from .vectors import EXACT, compression_for, require_exact
from .writing import open_reader, sink_to


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
    is_view = getattr(pa.types, "is_string_view", None)  # not in pyarrow 14
    if pa.types.is_string(type) or pa.types.is_large_string(type):
        return "text"
    if is_view is not None and is_view(type):
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


class OtherFile:
    """A file of a folder, which is untrusted."""

    def __init__(self, file: dict[str, Any]) -> None:
        self._reader = open_reader(file)
        self.kind = kind_of(self._reader.field.type)

    def check(self, limits: Limits) -> None:
        """Decodes all batches, which count as output."""
        reader = self._reader
        reader.limits = limits
        budget = limits.budget()
        for first in range(0, reader.rows, BATCH_ROWS):
            reader.read(first, min(BATCH_ROWS, reader.rows - first), budget)
            budget.begin_part()

    def read(
        self, first: int, rows: int, is_output: bool, limits: Limits
    ) -> list[tuple[memoryview, memoryview, memoryview]]:
        """Rows as text, as ``text_rows`` gives them; of values that have none, empty ones."""
        reader = self._reader
        reader.limits = limits
        blocks = []
        for array in reader.read(first, rows, None, is_output).chunks:
            if self.kind == "opaque":
                array = _emptied(array)
            else:
                reader.check_spread(array, is_output)
                array = _plain(array).cast(pa.large_string())
            blocks.append(text_rows(array))
        return blocks


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
