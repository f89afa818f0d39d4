# SPDX-License-Identifier: Apache-2.0
"""Writes tables: a Pco file for each column, and Arrow IPC for those that Pco cannot hold."""

from __future__ import annotations

import dataclasses
import errno
import os
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, Union, cast

import numpy as np
import pyarrow as pa

from .. import _core
from .._codec import compress, decompress
from .._errors import CorruptError, InvalidArgumentError, TypeMismatchError
from .._file import File, contents
from .._number_types import dtype_of
from .._remote.manifest import (
    NAME,
    Column,
    LogicalType,
    Manifest,
    Other,
    Part,
    Skipped,
    manifest_text,
)
from .._remote.null_runs import RunsBuilder
from .._specs import (
    DEFAULT_LEVEL,
    TABLE_TRAILER,
    TrailerSpec,
    core_level,
    core_trailer,
)
from .._tables.others import OtherReader, OtherWriter, digest
from .._threads import ALL, resolve
from .._writer import Writer
from .columns import (
    field_metadata,
    logical_of,
    numbers_in,
    table_metadata,
    validity_of,
    why_unfit,
)
from .replacing import NewFolder, final_path, locked_table, new_folder, table_files

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

Path = Union[str, "os.PathLike[str]"]
#: The treatment of columns that Pco cannot hold.
Others = Literal["keep", "drop", "error"]
OTHERS = ("keep", "drop", "error")

# Columns of a stream whose files stay open, since all are written at the same time: each takes a
# descriptor, of which processes often have 1,024.
_MAX_OPEN_FILES = 256
# Rows that a column passes on at a time, so that copies of them stay small: 8 MiB of numbers.
_MAX_ROWS = 1 << 20


@dataclass(frozen=True)
class Options:
    """How columns are compressed."""

    level: int = DEFAULT_LEVEL
    trailer: TrailerSpec = TABLE_TRAILER

    def check(self) -> None:
        core_level(self.level)
        core_trailer(self.trailer)


class _NewFile:
    """A new file to write to.

    Args:
        stays_open: False: it is opened for each write.
    """

    def __init__(self, path: str, stays_open: bool) -> None:
        self._path = path
        self._file: BinaryIO | None = open(path, "xb")  # noqa: SIM115
        if not stays_open:
            self.close()

    def write(self, data: Any) -> int:
        if self._file is not None:
            return self._file.write(data)
        with open(self._path, "ab") as file:
            return file.write(data)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class ColumnWriter(Protocol):
    """Writes the file of a column: ``write`` for each array, ``finish``, then ``verify``."""

    def write(self, array: pa.Array) -> None: ...
    def finish(self) -> None: ...
    def verify(self) -> None: ...
    def abort(self) -> None: ...
    def entry(self) -> Column | Other: ...


class NumberWriter:
    """Writes the numbers of a column, and the runs of its nulls."""

    def __init__(
        self,
        folder: NewFolder,
        field: pa.Field,
        logical: LogicalType,
        file: str,
        options: Options,
        stays_open: bool,
        threads: int,
    ) -> None:
        self._folder = folder
        self._field = field
        self._logical = logical
        self._file = file
        self._dtype = dtype_of(logical.number_type)
        self._runs = RunsBuilder()
        self._check = 0
        self._options = options
        self._threads = threads
        self._sink = _NewFile(folder.file(file), stays_open)
        self._writer = Writer(
            cast(BinaryIO, self._sink),
            self._dtype,
            level=options.level,
            threads=threads,
            trailer=options.trailer,
        )

    def write(self, array: pa.Array) -> None:
        for at in range(0, len(array), _MAX_ROWS):
            part = array[at : at + _MAX_ROWS]
            validity = validity_of(part)
            if validity is not None and not self._field.nullable:
                raise InvalidArgumentError(
                    f"column {self._field.name!r}: {part.null_count} nulls, but its field is not "
                    "nullable"
                )
            self._runs.add(validity, len(part))
            numbers = numbers_in(part, self._logical)
            self._check = zlib.crc32(_bytes_of(numbers), self._check)
            self._writer.write(numbers)

    def finish(self) -> None:
        self._writer.close()
        self._sink.close()
        if self._runs.null_count:
            with open(self._folder.file(_core.null_file_name(self._file)), "xb") as file:
                file.write(compressed_runs(self._runs, self._options, self._threads))

    def verify(self) -> None:
        check, count = 0, 0
        with File(self._folder.file(self._file), threads=self._threads) as file:
            is_same = file.dtype == self._dtype
            for numbers in file:
                check = zlib.crc32(_bytes_of(numbers), check)
                count += numbers.size
        if not is_same or count != self._writer.count or check != self._check:
            raise CorruptError(f"column {self._field.name!r}: does not decode to what was written")
        if self._runs.null_count:
            with open(self._folder.file(_core.null_file_name(self._file)), "rb") as null_file:
                runs = decompress(null_file.read(), threads=1)
            if not np.array_equal(runs, self._runs.lengths()):
                raise CorruptError(f"column {self._field.name!r}: its nulls do not decode")

    def abort(self) -> None:
        self._writer.abort()
        self._sink.close()

    def entry(self) -> Column:
        nulls = self._runs.null_count
        return Column(
            self._field.name,
            self._file,
            self._logical,
            self._writer.count,
            _core.null_file_name(self._file) if nulls else "",
            nulls,
            nullable=self._field.nullable,
            metadata=field_metadata(self._field),
        )


def compressed_runs(runs: RunsBuilder, options: Options, threads: int) -> bytes:
    """The file of the nulls of a column, with checksums unless the table is to have none."""
    return compress(runs.lengths(), threads=threads, trailer=options.trailer is not False)


def _bytes_of(numbers: Array) -> Any:
    return numbers.view(np.uint8)


class OtherColumnWriter:
    """Writes a column that Pco cannot hold."""

    def __init__(
        self,
        folder: NewFolder,
        field: pa.Field,
        file: str,
        position: int,
        stays_open: bool,
        threads: int,
    ) -> None:
        del threads  # one is enough
        self._folder = folder
        self._field = field
        self._file = file
        self._position = position
        self._sink = _NewFile(folder.file(file), stays_open)
        self._writer = OtherWriter(self._sink, field)
        self._part: Part | None = None

    def write(self, array: pa.Array) -> None:
        self._writer.write(array)

    def finish(self) -> None:
        self._writer.close()
        self._sink.close()

    def verify(self) -> None:
        name = f"column {self._field.name!r}"
        self._part = verified_part(self._folder, self._file, self._writer, name)

    def abort(self) -> None:
        self._sink.close()

    def entry(self) -> Other:
        assert self._part is not None
        type = str(self._writer.field.type)  # indices of a dictionary may have become wider
        return Other(self._field.name, self._position, type, self._writer.rows, (self._part,))


def verified_part(folder: NewFolder, file: str, writer: OtherWriter, name: str) -> Part:
    """The checksums of a file that a writer has closed, which is read back before.

    Raises:
        CorruptError: It does not read as what was written.
    """
    content = contents(folder.file(file))
    reader = OtherReader(content, writer.rows, name, writer.field.name)
    digests = [digest(batch) for batch in reader.batches()]
    is_same = reader.field.equals(writer.field, check_metadata=True)
    if not is_same or digests != writer.digests:
        raise CorruptError(f"{name}: does not read as what was written")
    return Part(*_core.checked_part(file, content, writer.rows, name))


@dataclass
class Source:
    """A table to write: in memory, or a stream of batches that is read once."""

    schema: pa.Schema
    table: pa.Table | None
    batches: Iterable[pa.RecordBatch] = dataclasses.field(default_factory=list)

    def arrays(self, index: int) -> list[pa.Array]:
        """The arrays of a column of a table in memory."""
        assert self.table is not None
        chunks: list[pa.Array] = self.table.column(index).chunks
        return chunks


def source_of(table: Any) -> Source:
    """A table of any library.

    Raises:
        TypeMismatchError: It is not a table.
    """
    library = type(table).__module__.partition(".")[0]
    if isinstance(table, Mapping):
        table = _table_of(dict(table), "the mapping")
    elif isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    elif library in ("pandas", "polars") and type(table).__name__ == "DataFrame":
        _refuse_unfit(table)
        table = _table_of(table, f"the data frame of {library}")
    if isinstance(table, pa.Table):
        return Source(table.schema, table)
    if isinstance(table, pa.RecordBatchReader):
        return Source(table.schema, None, table)
    is_column = isinstance(table, pa.ChunkedArray) or type(table).__name__ == "Series"
    if is_column or not hasattr(table, "__arrow_c_stream__"):
        raise TypeMismatchError(
            "expected a table: a data frame of pandas or polars, a table or stream of pyarrow, a "
            f"relation of DuckDB, or a mapping of names to columns, not {type(table).__name__}"
        )
    reader = pa.RecordBatchReader.from_stream(table)
    return Source(reader.schema, None, reader)


def _refuse_unfit(frame: Any) -> None:
    """Refuses columns that polars cannot pass on: objects leave as addresses, Int128 unreadable."""
    types = list(zip(frame.columns, frame.dtypes, strict=True))
    objects = [name for name, dtype in types if str(dtype) == "Object"]
    if objects:
        raise TypeMismatchError(f"columns {objects} hold Python objects, which have no type")
    wide = [name for name, dtype in types if "Int128" in str(dtype)]
    if wide:
        raise TypeMismatchError(
            f"columns {wide} hold integers of 128 bits, which Arrow does not have: cast them to "
            "Int64, UInt64, Decimal or Float64 of polars"
        )


def _table_of(source: Any, what: str) -> pa.Table:
    try:
        return pa.table(source)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        text = ": ".join(str(argument) for argument in error.args)
        raise TypeMismatchError(f"{what} is not a table of Arrow: {text}") from error


def write_table(
    table: Any,
    path: Path,
    *,
    level: int = DEFAULT_LEVEL,
    threads: int | None = None,
    trailer: TrailerSpec = TABLE_TRAILER,
    others: Others = "keep",
    overwrite: bool = False,
    lock_timeout: float | None = None,
) -> None:
    """See ``numpact.write_table``."""
    options = Options(level, trailer)
    options.check()
    check_others(others)
    final = final_path(path)
    is_there = os.path.lexists(final)
    if is_there and not overwrite:
        raise FileExistsError(
            errno.EEXIST, "exists already (overwrite=True replaces a table)", final
        )
    if is_there:
        table_files(final)  # raises before the work
    source = source_of(table)
    with new_folder(final, is_there) as folder:
        write_columns(source, folder, options, resolve(threads), others)
        if not is_there:
            folder.sync()
            folder.move()
            return
        with locked_table(final, lock_timeout):
            folder.replace(table_files(final))


def move_table(made: str, path: Path) -> None:
    """Gives a finished folder of a table its name in the same file system; replaces a table there.

    Raises:
        FileExistsError: The path exists and is not a table.
        LockTimeoutError: Another process is writing the table.
    """
    final = final_path(path)
    is_there = os.path.lexists(final)
    with new_folder(final, is_there) as folder:
        os.rmdir(folder.path)
        os.rename(made, folder.path)
        if not is_there:
            folder.move()
            return
        with locked_table(final, None):
            folder.replace(table_files(final))


def check_others(others: str) -> None:
    if others not in OTHERS:
        raise InvalidArgumentError(f"others must be one of {OTHERS}, not {others!r}")


def write_columns(
    source: Source, folder: NewFolder, options: Options, threads: int, others: Others
) -> None:
    """Writes all files of a table, and reads them back."""
    skipped: list[Skipped] = []
    stays_open = source.table is not None or len(source.schema) <= _MAX_OPEN_FILES
    plan = _plan(source.schema, folder, options, others, skipped, stays_open)
    entries = write_planned(source, plan, threads)
    manifest = Manifest(
        [entry for entry in entries if isinstance(entry, Column)],
        [entry for entry in entries if isinstance(entry, Other)],
        skipped,
        table_metadata(source.schema),
    )
    with open(folder.file(NAME), "xb") as file:
        file.write(manifest_text(manifest))


#: Makes the writer of a column, for a count of threads.
Make = Callable[[int], ColumnWriter]


def _plan(
    schema: pa.Schema,
    folder: NewFolder,
    options: Options,
    others: Others,
    skipped: list[Skipped],
    stays_open: bool,
) -> list[tuple[int, Make]]:
    """The columns that are written, by their index in the schema; the rest goes to ``skipped``."""
    fits = [logical_of(field) for field in schema]
    unfit = [field for field, logical in zip(schema, fits, strict=True) if logical is None]
    if unfit and others == "error":
        raise TypeMismatchError(
            f"column {unfit[0].name!r}: {why_unfit(unfit[0])} (others='keep' keeps it as Arrow IPC)"
        )
    if unfit and others == "drop":
        names = ", ".join(repr(field.name) for field in unfit)
        warnings.warn(f"columns that Pco cannot hold are left out: {names}", stacklevel=5)
    plan: list[tuple[int, Make]] = []
    files = _core.FileNames()
    for index, (field, logical) in enumerate(zip(schema, fits, strict=True)):
        if logical is not None:
            file = files.add(field.name, ".pco")
            make = partial(NumberWriter, folder, field, logical, file, options, stays_open)
            plan.append((index, make))
        elif others == "drop":
            skipped.append(Skipped(field.name, str(field.type), why_unfit(field)))
        else:
            file = files.add(field.name, ".arrow")
            other = partial(OtherColumnWriter, folder, field, file, index, stays_open)
            plan.append((index, other))
    return plan


def write_planned(
    source: Source, plan: Sequence[tuple[int, Make]], threads: int
) -> list[Column | Other]:
    """Writes columns of a source, and verifies them; the entries for a manifest."""
    workers, inner = shared_out(threads, len(plan))
    if source.table is not None:
        # Column by column, so that memory is needed for a few writers only.
        def work(item: tuple[int, Make]) -> Column | Other:
            writer = item[1](inner)
            try:
                for array in source.arrays(item[0]):
                    writer.write(array)
                return _finished(writer)
            except BaseException:
                writer.abort()
                raise

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(work, plan))
    writers: list[ColumnWriter] = []
    try:
        for _, make in plan:
            writers.append(make(inner))
        with ThreadPoolExecutor(workers) as pool:
            for batch in source.batches:
                arrays = [batch.column(index) for index, _ in plan]
                list(pool.map(_write, writers, arrays))
            return list(pool.map(_finished, writers))
    except BaseException:
        for writer in writers:
            writer.abort()
        raise


def shared_out(threads: int, columns: int) -> tuple[int, int]:
    """How many columns are worked on at the same time, and the threads of each."""
    count = os.cpu_count() or 1 if threads == ALL else threads
    workers = max(1, min(count, columns))
    return workers, max(1, count // workers)


def _write(writer: ColumnWriter, array: pa.Array) -> None:
    writer.write(array)


def _finished(writer: ColumnWriter) -> Column | Other:
    writer.finish()
    writer.verify()
    return writer.entry()
