# SPDX-License-Identifier: Apache-2.0
"""Tables in folders of columns. What these functions do is in ``_folders``, which needs pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._specs import DEFAULT_LEVEL, TABLE_TRAILER, TrailerSpec
from ._table_arguments import Others, Path, Schema

if TYPE_CHECKING:
    import polars as pl

    from ._folders.choosing import Rows
    from ._folders.tables import Filter, OpenTable
    from ._folders.tabular import Table
    from ._lossy import RoundingReport
    from ._remote.locations import StorageOptions


def write_table(
    table: Any,
    path: Path,
    *,
    level: int = DEFAULT_LEVEL,
    threads: int | None = None,
    trailer: TrailerSpec = TABLE_TRAILER,
    others: Others = "keep",
    overwrite: bool = False,
    partition_by: Sequence[str] | None = None,
    rounding: Mapping[str, Mapping[str, Any]] | None = None,
    vectors: Mapping[str, str] | None = None,
    report: Callable[[str, RoundingReport], object] | None = None,
    lock_timeout: float | None = None,
) -> None:
    """Writes a table to a folder of columns, which ``open_table`` and the command read.

    Each column of numbers, booleans, dates and times becomes a Pco file; nulls, time zones and
    metadata are kept. Columns that Pco cannot hold (text, decimals, lists, dictionaries, ...)
    become Arrow IPC files with zstd next to them. The folder is written under a hidden name, read
    back and compared, synced to disk, and renamed in one step: there is never half a table.

    Args:
        table: A data frame of pandas or polars, a table, record batch or stream of pyarrow, a
            relation of DuckDB, any other object with ``__arrow_c_stream__``, or a mapping of names
            to columns. A stream is written batch by batch with memory for two chunks of each
            column; columns of dictionaries are kept in memory.
        path: The folder. Missing parents are made.
        level: As for ``compress``.
        threads: Columns that are compressed at the same time; None: one per processor. The files do
            not depend on it.
        trailer: As for ``compress``. Trailers have the range of each chunk, by which filters leave
            chunks out. The default also has restart points every 16,384 numbers, from which
            slices are decoded; True omits them.
        others: What to do with columns that Pco cannot hold. ``"keep"``: write them as Arrow IPC.
            ``"drop"``: leave them out, and warn. ``"error"``: raise TypeMismatchError.
        overwrite: Replace an existing folder, if it is a table and has no other files, or is empty.
        partition_by: Names of columns of whole numbers, dates or text: write a dataset, a folder of
            tables such as ``day=2024-01-01/zone=7``, with its index. Each table has the rows with
            these values, without these columns; nulls are ``__HIVE_DEFAULT_PARTITION__``.
            ``scan_table`` and ``numpact.dask.from_pco_table`` read the dataset and make columns of
            the names, by which text of digits becomes whole numbers. A stream is read into memory.
            The folder must not exist; it appears in one step.
        rounding: Columns of numbers to round, by their names: ``{"lat": {"max_error": 1e-6},
            "fare": {"decimals": 2, "fill": -1.0}}``, with the options of ``round_numbers``. The
            folder does not say that they were rounded.
        vectors: Lossy compressions of columns of fixed-size lists of float32 or float16, by their
            names: ``{"embedding": "int8_dim"}``, one of those of ``numpact.cvc``. Without one they
            are exact. The folder says which, and appends keep it.
        report: Called with the name of each rounded column and its ``RoundingReport``.
        lock_timeout: Seconds to wait for another writer of an existing table; None: no limit.

    Raises:
        FileExistsError: The path exists already, or with ``overwrite`` is not a table.
        TypeMismatchError: Not a table, or with ``others="error"`` a column of another type; or
            ``partition_by`` names a column of another type.
        InvalidArgumentError: An option is out of range, or a column with nulls is not nullable; or
            ``partition_by`` names no columns, all, or more than 16,384 combinations of values.
        LockTimeoutError: Another process is writing the table.
        CorruptError: What was written does not read back; nothing is left of it.
        ImportError: pyarrow is not installed.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "day")
    >>> numpact.write_table({"price": [1.5, 2.25, 2.0], "name": ["a", "b", "a"]}, path)
    >>> sorted(os.listdir(path))
    ['manifest.json', 'name.arrow', 'price.pco']
    """
    from ._folders.writing import write_table as work

    of = (level, threads, trailer, others, overwrite, rounding, vectors, report, lock_timeout)
    if partition_by is None:
        work(table, path, *of)
        return
    from ._folders.partitioning import write_partitioned

    write_partitioned(table, path, partition_by, lambda rows, folder: work(rows, folder, *of))


def append_table(
    table: Any,
    path: Path,
    *,
    level: int = DEFAULT_LEVEL,
    threads: int | None = None,
    trailer: TrailerSpec = TABLE_TRAILER,
    others: Others = "keep",
    schema: Schema = "same",
    rounding: Mapping[str, Mapping[str, Any]] | None = None,
    vectors: Mapping[str, str] | None = None,
    report: Callable[[str, RoundingReport], object] | None = None,
    lock_timeout: float | None = None,
) -> None:
    """Appends rows to a table in a folder: to all columns or, after an error, to none.

    The rows go to new files, which are read back and synced to disk; then the manifest, which lists
    the files, is replaced. Files of 65,536 rows and more stay as they are, and smaller ones at the
    end of a column are written anew with the new rows. Readers see the old table or the new one.
    Several processes and threads may append to a table at the same time: each waits for the others,
    and no rows are lost.

    Args:
        table: As for ``write_table``, with the columns of the folder in any order. Dictionaries are
            joined, with wider indices where these are too narrow. Columns of type null are nulls of
            the folder's type.
        path: A folder that ``write_table`` or ``numpact compress`` wrote.
        level, threads: As for ``write_table``.
        trailer: As for ``compress``, for the new files.
        others: ``"drop"``: columns that the folder left out are left out of the new rows, too.
        schema: ``"same"``: the rows have the names and types of the folder. ``"extend"``: columns
            may be new (null in the rows before) and absent (null in the new rows), and get the
            type that holds the values before and the new ones exactly: wider integers, floats and
            decimals, finer units of times, text instead of categories. A column whose type changes
            is written anew.
        rounding, report: As for ``write_table``, for the new rows alone.
        vectors: As for ``write_table``, for new columns; others have their compression.
        lock_timeout: Seconds to wait for other writers of the table; None: no limit.

    Raises:
        FileNotFoundError: The folder does not exist; ``write_table`` makes one.
        TypeMismatchError: Columns are missing, are not in the folder, or have other types, units or
            time zones; the message names them, and what ``schema="extend"`` would do. Or a time
            does not fit the finer unit. The table is not changed.
        InvalidArgumentError: Nulls for a column that is not nullable, or a folder without the nulls
            of its source.
        LockTimeoutError: Another process is writing the table.
        CorruptError: A file whose rows are written anew is damaged. The table is not changed.
        ImportError: pyarrow is not installed.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "day")
    >>> numpact.write_table({"price": [1.5, 2.25, 2.0], "name": ["a", "b", "a"]}, path)
    >>> numpact.append_table({"price": [3.0], "name": ["c"]}, path)
    >>> len(numpact.open_table(path))
    4
    """
    from ._folders.appending import append_table as work

    of = (level, threads, trailer, others, schema, rounding, vectors, report, lock_timeout)
    work(table, path, *of)


def compact_table(
    path: Path,
    *,
    level: int = DEFAULT_LEVEL,
    threads: int | None = None,
    trailer: TrailerSpec = TABLE_TRAILER,
    lock_timeout: float | None = None,
) -> None:
    """Joins the files of each column of a table to one: many appends leave many.

    The rows stay the same. As ``append_table``, it waits for other writers, and changes all or,
    after an error, nothing; columns with one file are left as they are. It needs memory for some
    chunks, not for a column, except for columns with dictionaries.

    Args:
        path: A folder that ``write_table`` or ``numpact compress`` wrote.
        level, threads, trailer: As for ``write_table``.
        lock_timeout: Seconds to wait for other writers of the table; None: no limit.

    Raises:
        FileNotFoundError: The folder does not exist.
        LockTimeoutError: Another process is writing the table.
        CorruptError: A file of the folder is damaged. The table is not changed.
        ImportError: pyarrow is not installed.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "day")
    >>> numpact.write_table({"price": range(70_000)}, path)
    >>> numpact.append_table({"price": range(70_000)}, path)
    >>> numpact.compact_table(path)
    >>> sorted(name.rpartition(".")[2] for name in os.listdir(path))
    ['json', 'pco']
    """
    from ._folders.appending import compact_table as work

    work(path, level, threads, trailer, lock_timeout)


def index_dataset(path: Path, *, storage_options: StorageOptions | None = None) -> int:
    """Indexes a dataset, a folder of tables with names like ``day=2024-01-01`` or ``part-00000``.

    The index is one file at the root, ``dataset.json``. It has the manifests of all tables and, of
    their files, sizes, checksums and ranges of numbers. With it ``scan_table`` and
    ``numpact.dask.from_pco_table`` open the dataset by two requests, leave out tables by the ranges
    of their columns, and compare files with the checksums. It is replaced in one step. Make it anew
    when a table is added, removed or changed: readers refuse an index that is not of the folders
    that are there.

    Args:
        path: The folder above the tables, or its URL in a file system of fsspec. In a store the
            manifest and the end of each file are fetched.
        storage_options: Options of the file system for fsspec.

    Returns:
        The count of tables.

    Raises:
        InvalidArgumentError: There are no such tables.
        CorruptError: A manifest is damaged.
        ImportError: pyarrow is not installed; or fsspec for a URL.

    >>> import numpact, os, tempfile
    >>> root = tempfile.mkdtemp()
    >>> for day in ("2024-01-01", "2024-01-02"):
    ...     numpact.write_table({"price": [1.5, 2.25]}, os.path.join(root, f"day={day}"))
    >>> numpact.index_dataset(root)
    2
    >>> sorted(os.listdir(root))
    ['dataset.json', 'day=2024-01-01', 'day=2024-01-02']
    """
    from ._folders.indexing import index_dataset as work

    return work(path, storage_options)


def open_table(
    path: Path,
    *,
    threads: int | None = None,
    storage_options: StorageOptions | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> OpenTable:
    """Opens the folder of a table; reads its manifest only.

    Args:
        path: A folder that ``write_table`` or ``numpact compress TABLE -o FOLDER`` wrote, or its
            URL in a file system of fsspec.
        threads: Columns and chunks that are decoded at the same time; None: one per processor, but
            a single one in Zarr and Dask tasks.
        storage_options: Options of the file system for fsspec.
        max_output: Maximum size of the values that a call returns, of all columns together, in
            bytes; for ``batches`` that of all batches. Nulls count like numbers, other columns as
            Arrow holds them. Set it for untrusted tables: a small file may hold large columns.
        max_memory: Maximum size of what a column takes in memory, in bytes: the values that a call
            or a batch returns, a batch of 65,536 rows of another column, the positions of nulls.
            None: if ``max_output`` is given, what is decoded takes no more than that, or 16 MiB.

    Raises:
        FileNotFoundError: There is no such folder, or a file of a column is missing.
        LimitExceededError: From calls of the table: more than ``max_output`` or ``max_memory``.
        CorruptError: The manifest is damaged, or a file is a link out of the folder.
        InputOutputError: The path is not a table: a file, or a folder without a manifest.
        UnsupportedVersionError: A newer version wrote the table.
        ImportError: pyarrow is not installed; or fsspec for a URL.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "day")
    >>> numpact.write_table({"price": [1.5, 2.25, 2.0], "name": ["a", "b", "a"]}, path)
    >>> table = numpact.open_table(path)
    >>> table.shape, table.column_names
    ((3, 2), ['price', 'name'])
    >>> table[1:]["name"].to_pylist()
    ['b', 'a']
    """
    from ._folders.tables import open_table as work

    return work(path, threads, storage_options, max_output, max_memory)


def read_table(
    path: Path,
    columns: Sequence[str] | None = None,
    rows: Rows | None = None,
    where: Filter | None = None,
    *,
    threads: int | None = None,
    storage_options: StorageOptions | None = None,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> Table:
    """Reads a table, or some of its columns and rows, into memory.

    Args:
        path: As for ``open_table``; or a dataset, whose tables are read one after the other, with
            the columns that its folders name. Filters of these leave tables out.
        columns: Names of the columns to read, in this order; None: all. An empty list reads none
            and keeps the count of rows.
        rows: A slice, or a tuple of the first row and the row after the last one; or, without
            ``where``, rows by their numbers in any order, or a mask: a list or an array. None: all.
            Only the chunks that contain them are decoded.
        where: A filter of these rows: text such as ``"price >= 100 and day = '2024-01-01'"``, or a
            list of (column, operator, value). Chunks whose range in the trailer excludes a match
            are not read; of the other columns, only the chunks that contain rows that match.
            Or an expression of polars or pyarrow, which judges the rows; of polars' the library
            leaves out rows before, as far as it understands them, of pyarrow's it reads all rows of
            the columns that occur in them.
        threads, storage_options, max_output, max_memory: As for ``open_table``.

    Raises:
        LimitExceededError: More than ``max_output`` or ``max_memory``.
        InvalidArgumentError: There is no such column or row, or the filter cannot be parsed.
        TypeMismatchError: The filter compares a column with a value of another kind.
        CorruptError: A file is damaged, or contradicts the manifest.
        The errors of ``open_table``.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "day")
    >>> numpact.write_table({"price": [1.5, 2.25, 2.0], "name": ["a", "b", "a"]}, path)
    >>> numpact.read_table(path, ["price"], where="name = 'a' and price > 1.75").to_numpy()
    {'price': array([2.])}
    """
    from ._folders.dataset_reading import read_table as work

    of = (threads, storage_options, max_output, max_memory)
    return work(path, columns, rows, where, *of)


def scan_table(
    path: Path,
    *,
    threads: int | None = None,
    storage_options: StorageOptions | None = None,
    ignore_index: bool = False,
    max_output: int | None = None,
    max_memory: int | None = None,
) -> pl.LazyFrame:
    """A lazy frame of polars over a table or a dataset; nothing is decoded before ``collect``.

    Only the columns that the query uses are read. Filters are pushed down: chunks whose range in
    the trailer excludes a match are not read, and of the other columns only the chunks that
    contain rows that match. The result is that of the same query over ``read_table``, also for NaN
    and nulls, which polars itself judges.

    Args:
        path: As for ``open_table``; or a folder of such folders with names like ``day=2024-01-01``
            or ``part-00000``, which have the same columns. Names like ``day=2024-01-01`` become
            columns: of whole numbers or dates if all are, else of text. Filters of these columns,
            and the ranges in the index of the dataset, leave tables out before they are opened.
        threads, storage_options: As for ``open_table``. A single table is opened by this call: a
            later ``append_table`` does not change the frame. Those of a dataset are opened when
            they are read.
        ignore_index: Read the manifests of the tables, not the index of the dataset.
        max_output, max_memory: As for ``open_table``, for each time that the query reads the table.

    Raises:
        The errors of ``open_table``.
        InvalidArgumentError: Names of columns repeat, which polars does not have; or the index of
            the dataset does not name a table.
        FileNotFoundError: The index names a table that is gone.
        TypeMismatchError: When it is read: a table of the dataset has columns of other types.
        ImportError: polars or pyarrow is not installed.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "day")
    >>> numpact.write_table({"price": [1.5, 2.25, 2.0], "name": ["a", "b", "a"]}, path)
    >>> import polars as pl
    >>> frame = numpact.scan_table(path).filter(pl.col("price") > 1.75)
    >>> frame.select("name").collect().to_series().to_list()
    ['b', 'a']
    """
    from ._folders.polars_scan import scan_table as work

    return work(path, threads, storage_options, ignore_index, max_output, max_memory)
