# SPDX-License-Identifier: Apache-2.0
"""Columns that Pco cannot hold, as files of Arrow IPC (docs/format/table-folder.md).

A file has one field and batches of BATCH_ROWS rows, so that division finds the batch of a row.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from .. import _core
from .._errors import (
    CorruptError,
    Error,
    InvalidArgumentError,
    LimitExceededError,
    OutOfMemoryError,
    TypeMismatchError,
)
from .._limits import Budget, Limits
from .._remote.checked_file import BATCH_ROWS, CheckedFile
from .columns import large_of_views, storage_array, storage_of
from .sizes import bytes_of_rows, spread_bytes
from .vectors import VectorFile, dtype_of_vectors, has_nulls, numbers_of, vector_array

# Metadata of the schema of a file whose values are indices of a dictionary, though the column has
# none.
_ENCODING, _DICTIONARY = b"numpact:encoding", b"dictionary"
_COMPRESSION = "zstd"
# Of a file of vectors that are passed on at a time.
_COPIED_BYTES = 1 << 22
# Types of the indices of a dictionary, from narrow to wide.
_SIGNED = [pa.int8(), pa.int16(), pa.int32(), pa.int64()]
_UNSIGNED = [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


class Sink(io.RawIOBase):
    """A file whose bytes a function takes."""

    def __init__(self, write: Callable[[Any], object]) -> None:
        super().__init__()
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._write(data)
        return memoryview(data).nbytes


def sink_to(write: Callable[[bytes], None]) -> Sink:
    """A file for a function of the command, which takes no other objects than bytes."""
    return Sink(lambda data: write(bytes(data)))


class OtherWriter:
    """Writes the values of one column, with memory for one batch.

    A column with dictionaries is kept in memory until ``close``: a file has one dictionary for
    all batches. Its indices are small, and its batches share the dictionary.

    The joined dictionary may have more values than the indices of the field can number. The indices
    then get the narrowest type that can, and ``close`` sets ``field`` to the field with that type.

    Args:
        sink: A file object that is open for writing in binary mode. It is not closed: only its
            ``write`` is called.
        field: The field of the column; its name, type, ``nullable`` and metadata are kept.
        vectors: How fixed-size lists of numbers are compressed as CVC if there are no nulls, as in
            a manifest; None: not, as the caller reads them as Arrow.
    """

    def __init__(self, sink: Any, field: pa.Field, vectors: str | None = None) -> None:
        self.field = field
        self.rows = 0  #: passed to ``write`` so far
        self.digests: list[int] = []  #: of the batches, see ``digest``
        self._sink = sink
        self._schema = pa.schema([field])
        self._pending: list[pa.Array] = []
        self._pending_rows = 0
        self._is_whole = holds_dictionary(field.type)
        self._compression = vectors or ""
        has_vectors = vectors is not None and dtype_of_vectors(field.type) is not None
        self._vectors = VectorFile(field, self._compression) if has_vectors else None
        self._check: int | None = None  # a checksum of exact vectors
        # Only the last row decides the type of a column with dictionaries, and the form of vectors.
        is_late = self._is_whole or has_vectors
        self._writer: Any = None if is_late else self._opened()

    def write(self, array: pa.Array | pa.ChunkedArray) -> None:
        """Appends values, any number of them.

        Raises:
            TypeMismatchError: They are of another type than the field. The type of the indices of a
                dictionary does not matter.
            InvalidArgumentError: There are nulls, which the field excludes.
            LimitExceededError: Arrow's offsets cannot number the bytes of a batch.
        """
        if not have_same_values(array.type, self.field.type):
            raise TypeMismatchError(
                f"column {self.field.name!r}: values of type {array.type}, not {self.field.type}"
            )
        if array.null_count and not self.field.nullable:
            raise InvalidArgumentError(
                f"column {self.field.name!r}: {array.null_count} nulls, but its field is not "
                "nullable"
            )
        for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
            if len(chunk):
                self._add(chunk)
                self.rows += len(chunk)

    def copy(self, reader: OtherReader) -> None:
        """Appends the rows of a file; vectors that lose values do not lose more of them."""
        vectors = getattr(reader, "vectors", None)
        if vectors is None or self._vectors is None:
            for array in reader.batches():
                self.write(array)
            return
        if self._compression == "":
            for array in reader.batches():
                self._check = zlib.crc32(numbers_of(array).data, self._check or 0)
        self._vectors.copy(vectors)
        self.rows += reader.rows

    def _add(self, array: pa.Array) -> None:
        if self._vectors is not None and has_nulls(array):
            self._give_up_vectors()
        if self._vectors is not None:
            numbers = numbers_of(array)
            if self._compression == "":
                self._check = zlib.crc32(numbers.data, self._check or 0)
            self._vectors.add(numbers)
            return
        self._pending.append(array)
        self._pending_rows += len(array)
        if not self._is_whole and self._pending_rows >= BATCH_ROWS:
            self._flush(self._pending_rows // BATCH_ROWS * BATCH_ROWS)

    def _give_up_vectors(self) -> None:
        """Writes the rows so far as they are: there are nulls, which CVC does not have."""
        if self._compression:
            raise InvalidArgumentError(
                f"column {self.field.name!r}: a null from row {self.rows} on, which vectors of the "
                f"compression {self._compression!r} cannot be"
            )
        vectors, self._vectors, self._check = self._vectors, None, None
        assert vectors is not None
        self._writer = self._opened()
        try:
            if self.rows:
                for numbers in vectors.blocks():
                    self._add(vector_array(numbers, self.field.type))
        finally:
            vectors.remove()

    def reads_as(self, reader: OtherReader) -> bool:
        """Whether a file has what was written, as far as that was kept."""
        if getattr(reader, "vectors", None) is None:
            return [digest(batch) for batch in reader.batches()] == self.digests
        check = 0
        for array in reader.batches():
            check = zlib.crc32(numbers_of(array).data, check)
        return self._compression != "" or check == (self._check or 0)

    def _end_vectors(self, vectors: VectorFile) -> None:
        """Passes the file on; without rows it is one of Arrow."""
        self._vectors = None
        try:
            if not self.rows:
                self._opened().close()
                return
            with open(vectors.finish(), "rb") as file:
                while block := file.read(_COPIED_BYTES):
                    self._sink.write(block)
        finally:
            vectors.remove()

    def close(self) -> None:
        """Writes the last batch and the end of the file."""
        if self._vectors is not None:
            self._end_vectors(self._vectors)
            return
        if self._is_whole:
            self._pending = self._unified()
            self._schema = pa.schema([self.field])
            self._writer = self._opened()
        self._flush(self._pending_rows)
        self._writer.close()

    def _opened(self) -> Any:
        options = pa.ipc.IpcWriteOptions(compression=_COMPRESSION)
        return pa.ipc.new_file(Sink(self._sink.write), self._schema, options=options)

    def _unified(self) -> list[pa.Array]:
        """The pending arrays with one dictionary; sets the field to their type."""
        problem: Exception | None = None
        for type in _with_wider_indices(self.field.type):
            try:
                arrays = [_with_indices(array, type) for array in self._pending]
                if len(arrays) > 1 and not _have_one_dictionary(arrays):
                    arrays = pa.chunked_array(arrays, type).unify_dictionaries().chunks
            except pa.ArrowInvalid as error:  # the indices are too narrow, or it cannot be done
                problem = error
                continue
            except (pa.ArrowException, NotImplementedError) as error:
                problem = error
                break
            self.field = self.field.with_type(type)
            return arrays
        raise TypeMismatchError(
            f"column {self.field.name!r}: its dictionaries cannot be joined to one: {problem}"
        )

    def _flush(self, rows: int) -> None:
        """Writes that many pending rows as batches."""
        left = rows
        while left:
            count = min(BATCH_ROWS, left)
            self._write_batch(self._take(count))
            left -= count

    def _take(self, count: int) -> list[pa.Array]:
        taken: list[pa.Array] = []
        self._pending_rows -= count
        done = 0  # arrays that are taken whole
        for array in self._pending:
            if count == 0:
                break
            taken.append(array[:count])
            if len(array) > count:
                self._pending[done] = array[count:]
                break
            count -= len(array)
            done += 1
        del self._pending[:done]
        return taken

    def _write_batch(self, arrays: list[pa.Array]) -> None:
        try:
            array = arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)
            array = _compact(array)
            self.digests.append(digest(array))
            self._writer.write_batch(pa.RecordBatch.from_arrays([array], schema=self._schema))
        except pa.ArrowInvalid as error:
            raise LimitExceededError(
                f"column {self.field.name!r}: {BATCH_ROWS} rows of type {self.field.type} are "
                f"too large for a batch: {error}"
            ) from None


class OtherReader:
    """Reads rows of a file; its content is untrusted.

    Args:
        source: The bytes of the file, as a buffer of pyarrow or an object with the buffer protocol;
            or a file that checks them.
        rows: Rows that the file must have.
        place: How messages call the file.
        name: The name that the column must have; None: any.

    Raises:
        CorruptError: It is not such a file, or it has another name or count of rows.
    """

    def __init__(self, source: Any, rows: int, place: str, name: str | None = None) -> None:
        self.rows = rows
        self.limits = Limits()  #: of what is decoded; may be set at any time
        self._sizes: _core.IpcSizes | None = None
        self._place = place
        self._checked = source if isinstance(source, CheckedFile) else None
        self._source = source
        if self._checked is not None:
            source = pa.PythonFile(source, mode="r")
        elif not isinstance(source, pa.Buffer):
            source = pa.py_buffer(source)
        with typed(place):
            options = pa.ipc.IpcReadOptions(use_threads=False)
            self._reader: Any = pa.ipc.open_file(source, options=options)
            schema = self._reader.schema
            if len(schema) != 1:
                raise CorruptError(f"{place}: has {len(schema)} fields, not 1")
            #: the field as it was written
            self.field = checked_field(schema.field(0), place, name)
        #: Whether the file has dictionaries, which may have pieces behind any batch.
        self.has_dictionary = holds_dictionary(self.field.type)
        self._is_coded = (schema.metadata or {}).get(_ENCODING) == _DICTIONARY
        if self._is_coded:
            if not pa.types.is_dictionary(self.field.type):
                raise CorruptError(f"{place}: has no dictionary, which its metadata announces")
            self.field = self.field.with_type(self.field.type.value_type)
        expected = -(-rows // BATCH_ROWS)
        if self._reader.num_record_batches != expected:
            raise CorruptError(
                f"{place}: has {self._reader.num_record_batches} batches, not the {expected} of "
                f"{rows} rows"
            )

    @property
    def place(self) -> str:
        """Names the file and the column."""
        return f"{self._place}: column {self.field.name!r}"

    def read(
        self, first: int, count: int, budget: Budget | None = None, is_output: bool = False
    ) -> pa.ChunkedArray:
        """The rows from ``first`` to before ``first + count``; decodes only their batches.

        Args:
            budget: The rows count in it; None: the caller counts what it uses of them.
            is_output: That will be all of them; so it is with a budget.

        Raises:
            InvalidArgumentError: The file has no such rows.
            CorruptError: A batch is damaged, or has another count of rows.
            LimitExceededError: They exceed ``limits`` or the budget.
        """
        arrays = []
        for index, a, b in self._batches_of(first, count):
            arrays.append(self._batch(index, a, b, is_output or bool(budget)))
            if budget:
                self.count(arrays[-1], budget)
        return pa.chunked_array(arrays, self.field.type)

    def read_coded(self, first: int, count: int) -> list[pa.Array]:
        """As ``read``, but text that repeats stays in dictionaries, which the field has not."""
        return [self._batch(*part, as_coded=True) for part in self._batches_of(first, count)]

    def decoded(self, array: pa.Array) -> pa.Array:
        """Rows of ``read_coded`` in the type of the field; errors as ``check_spread``."""
        if not self._is_coded or not isinstance(array, pa.DictionaryArray):
            return array
        self.check_spread(array)
        return array.dictionary_decode()

    def _batches_of(self, first: int, count: int) -> Iterator[tuple[int, int, int]]:
        """The batches of a range of rows, with its first row and the end in each."""
        if first < 0 or count < 0 or first + count > self.rows:
            raise InvalidArgumentError(
                f"{self._place}: has {self.rows} rows, not {count} from row {first} on"
            )
        if not count:
            return
        indices = range(first // BATCH_ROWS, (first + count - 1) // BATCH_ROWS + 1)
        if self._checked is not None:
            self._checked.expect(indices.start, indices.stop)
        for index in indices:
            begin = index * BATCH_ROWS
            yield index, max(first - begin, 0), min(first + count - begin, BATCH_ROWS)

    def count(self, array: pa.Array, budget: Budget) -> None:
        """Counts rows that a call returns; LimitExceededError if they are too many bytes."""
        if isinstance(storage_array(array), pa.DictionaryArray):
            budget.take_once(self._known_sizes().dictionaries(), self.place)
        budget.take(bytes_of_rows(array), self.place)

    def check_spread(self, array: pa.Array, is_output: bool = False) -> None:
        """To be called before values are copied out of dictionaries or views."""
        if self.limits:
            self.limits.check_decoded(spread_bytes(array), self.place, is_output)

    def _known_sizes(self) -> _core.IpcSizes:
        if self._sizes is None:
            checked = self._checked
            view = memoryview(b"" if checked is not None else self._source)
            with typed(self._place):
                if checked is not None:
                    self._sizes = _core.IpcSizes(checked.between, checked.size)
                else:
                    self._sizes = _core.IpcSizes(lambda a, b: view[a:b], view.nbytes)
        return self._sizes

    def _check_batch(self, index: int, is_output: bool) -> int:
        """The bytes that a batch takes, which the limits allow; 0: there are no limits."""
        if not self.limits:
            return 0
        sizes = self._known_sizes()
        with typed(self._place):
            size = sizes.batch(index) + sizes.dictionaries()
        self.limits.check_decoded(size, self.place, is_output)
        return size

    def batches(self) -> Iterator[pa.Array]:
        """All rows, batch by batch; errors as for ``read``."""
        for index in range(self._reader.num_record_batches):
            yield self._batch(index)

    def _batch(
        self,
        index: int,
        first: int = 0,
        stop: int = BATCH_ROWS,
        is_output: bool = False,
        as_coded: bool = False,
    ) -> pa.Array:
        expected = min(BATCH_ROWS, self.rows - index * BATCH_ROWS)
        is_output = is_output and first == 0 and stop >= expected
        size = self._check_batch(index, is_output)
        with typed(self._place):
            batch = self._reader.get_batch(index)
            if batch.num_rows != expected:
                raise CorruptError(
                    f"{self._place}: batch {index} has {batch.num_rows} rows, not {expected}"
                )
            # Offsets and views of untrusted content may point anywhere. Of the rows that are not
            # wanted nothing is used.
            batch = batch.slice(first, stop - first)
            batch.validate(full=True)
            array: pa.Array = batch.column(0)
            if self._is_coded and not as_coded:
                if self.limits:
                    self.limits.check_decoded(size + spread_bytes(array), self.place, is_output)
                array = array.dictionary_decode()
            if array.null_count and not self.field.nullable:
                raise CorruptError(f"{self._place}: has nulls, which its field excludes")
        return array


def digest(array: pa.Array) -> int:
    """A checksum of the values of a batch, which is the same before writing and after reading."""
    array = storage_array(array)
    parts = [array, array.dictionary] if isinstance(array, pa.DictionaryArray) else [array]
    check = 0
    for part in parts:
        batch = pa.RecordBatch.from_arrays([part], names=["values"])
        check = zlib.crc32(batch.serialize(), check)
    return check


@contextmanager
def typed(place: str) -> Iterator[None]:
    """Converts exceptions of pyarrow to those of numpact."""
    try:
        yield
    except Error:
        raise
    except MemoryError as error:
        raise OutOfMemoryError(f"{place}: {error}") from None
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, TypeError) as error:
        text = str(error).partition("\n")[0] or type(error).__name__
        raise CorruptError(f"{place}: {text}") from None


def checked_field(field: pa.Field, place: str, name: str | None) -> pa.Field:
    """The field of a file; names in it are text, and its own is ``name`` unless that is None.

    Raises:
        CorruptError: It has another name.
        UnicodeDecodeError: A name is no UTF-8.
    """
    if name is not None and field.name != name:
        raise CorruptError(f"{place}: holds column {field.name!r}, the manifest says {name!r}")
    _names_in(field.type)
    return field


def _names_in(type: pa.DataType) -> list[str]:
    """The names of nested fields, which pyarrow takes from a file as bytes, and decodes here."""
    type = storage_of(type)
    fields = [type.field(index) for index in range(type.num_fields)]
    return [name for field in fields for name in (field.name, *_names_in(field.type))]


def holds_dictionary(type: pa.DataType) -> bool:
    type = storage_of(type)
    if pa.types.is_dictionary(type):
        return True
    return any(holds_dictionary(type.field(index).type) for index in range(type.num_fields))


def have_same_values(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether types are the same, or dictionaries of the same values with other indices."""
    if one.equals(other):
        return True
    if not (pa.types.is_dictionary(one) and pa.types.is_dictionary(other)):
        return False
    return bool(one.value_type.equals(other.value_type) and one.ordered == other.ordered)


def _with_wider_indices(type: pa.DataType) -> Iterator[pa.DataType]:
    """The type, and for a dictionary those with wider indices of the same sign."""
    yield type
    if not pa.types.is_dictionary(type):
        return
    is_signed = pa.types.is_signed_integer(type.index_type)
    wider = _SIGNED if is_signed else _UNSIGNED
    for indices in wider[wider.index(type.index_type) + 1 :]:
        yield pa.dictionary(indices, type.value_type, type.ordered)


def _with_indices(array: pa.Array, type: pa.DataType) -> pa.Array:
    """The same values with the indices of a type; ArrowInvalid if one does not fit."""
    if array.type.equals(type):
        return array
    indices = array.indices.cast(type.index_type)
    return pa.DictionaryArray.from_arrays(indices, array.dictionary, ordered=type.ordered)


def _have_one_dictionary(arrays: list[pa.Array]) -> bool:
    if not all(isinstance(array, pa.DictionaryArray) for array in arrays):
        return False
    return all(array.dictionary.equals(arrays[0].dictionary) for array in arrays[1:])


def _compact(array: pa.Array) -> pa.Array:
    """The same values; for views without the bytes of other rows, which a slice keeps.

    pyarrow writes all bytes that the views of a slice could point to.
    """
    large = large_of_views(array.type)
    return array if large is None else array.cast(large).cast(array.type)
