# SPDX-License-Identifier: Apache-2.0
"""Reads parts of a file."""

from __future__ import annotations

import errno
import io
import mmap
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Union

from . import _core
from . import _views as views
from ._arrays import check_boolean, output_of, writable
from ._codec import check_seen, seen_as, viewed
from ._errors import InvalidArgumentError, TypeMismatchError, warn_of_end
from ._integers import index_of
from ._number_types import as_dtype, dtype_of
from ._progress import ProgressLike, core_progress
from ._specs import TrailerPolicy, core_limit, core_policy
from ._threads import resolve
from ._turns import Turns
from ._versions import watched

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer, Self

    from ._types import Array

    Source = Union[str, os.PathLike[str], Buffer, io.BufferedIOBase, io.RawIOBase]


@dataclass(frozen=True)
class Chunk:
    """The position of a chunk in its file, and the range of its numbers."""

    offset: int  #: of the chunk, in bytes
    page_offset: int  #: of its page, which follows the metadata, in bytes
    first: int  #: index of its first number
    count: int  #: numbers in the chunk


# Numbers that a slice with a step decodes at a time: 32 MiB at most.
_MAX_WINDOW = 1 << 22


def contents(source: Source) -> Buffer:
    """The bytes of a file: mapped if it is a path, else read.

    Raises:
        TypeMismatchError: Not a path, file or buffer.
        InvalidArgumentError: A file in text mode.
        CorruptError: A file of fsspec that was replaced while it was read.
    """
    if isinstance(source, (str, os.PathLike)):
        return _contents_of_path(source)
    try:
        # First, because objects that map files also have read().
        return memoryview(source)  # type: ignore[arg-type,unused-ignore]
    except TypeError:
        read = getattr(source, "read", None)
    if read is None:
        raise TypeMismatchError(
            "expected a path, a file, or an object with a contiguous buffer, not "
            f"{type(source).__name__}"
        )
    is_text = isinstance(source, io.TextIOBase)
    data = None
    if not is_text:
        with watched(source):
            data = read()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InvalidArgumentError("the file must be opened in binary mode")
    return data


def _contents_of_path(path: str | os.PathLike[str]) -> Buffer:
    if os.path.isdir(path):
        is_table = os.path.lexists(os.path.join(os.fsdecode(path), "manifest.json"))
        what = "is a folder of a table: use numpact.open_table" if is_table else "is a folder"
        raise IsADirectoryError(errno.EISDIR, what, os.fsdecode(path))
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        # Pipes, devices and empty files cannot be mapped.
        if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
            return file.read()
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # not supported by every file system
            return file.read()


def _as_tuple(chunk: Chunk) -> tuple[int, int, int, int]:
    if not isinstance(chunk, Chunk):
        raise TypeMismatchError(f"chunks are numpact.Chunk objects, not {type(chunk).__name__}")
    places = (chunk.offset, chunk.page_offset, chunk.first, chunk.count)
    fields = [index_of(place, "a chunk's place") for place in places]
    if not all(0 <= field < 1 << 64 for field in fields):
        raise InvalidArgumentError(f"no chunk can be at {chunk}")
    return fields[0], fields[1], fields[2], fields[3]


class File:
    """A standalone Pco file with random access; returned by ``numpact.open``.

    ``f[a:b]`` decodes only the chunks that contain these numbers. The positions of the chunks are
    determined once, on first use: from the file's trailer, or by scanning the file, which takes
    about half the time of decoding it. With restart points in the trailer, decoding starts inside a
    chunk. Chunks that are read completely are compared with their checksums in the trailer.

    ``shape``, ``dtype``, ``len()`` and slices are those of an array of one dimension. ``f[:]`` and
    ``numpy.asarray(f)`` decode everything. Iteration yields an array for each chunk.

    Thread-safe. Can be pickled if it was opened by path.
    """

    def __init__(
        self,
        source: Source,
        *,
        threads: int | None = None,
        max_output: int | None = None,
        progress: ProgressLike = None,
        chunks: list[Chunk] | None = None,
        trailer: TrailerPolicy = "use",
        dtype: npt.DTypeLike | None = None,
    ) -> None:
        self._requested = None if dtype is None else seen_as(dtype)
        self._path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
        self._threads = threads
        self._max_output = core_limit(max_output)
        self._progress = progress
        self._chunks = None if chunks is None else _listed(chunks)
        self._policy: TrailerPolicy = core_policy(trailer)
        if chunks is not None and trailer in ("require", "verify"):
            raise InvalidArgumentError(
                f"chunks= goes before the trailer, which trailer={trailer!r} asks for"
            )
        self._turns = Turns("the file", is_bound=False)
        self._reader: _core.Reader | None = None
        self._data: Buffer | None = contents(source)
        self._header = _core.read_header(self._data)
        if self._requested is not None:
            check_seen(self._stored_dtype, self._requested)

    # ---- contents ----

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers; uint8 for an empty file that does not name one."""
        return self._stored_dtype if self._requested is None else self._requested

    @property
    def _stored_dtype(self) -> np.dtype[Any]:
        return dtype_of(self._header["number_type"] or "u8")

    @property
    def format_version(self) -> tuple[int, int]:
        """The format version of the file, (major, minor)."""
        return self._header["format_version"]

    def __len__(self) -> int:
        return self._opened().count

    @property
    def size(self) -> int:
        """The count of numbers."""
        return len(self)

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    @property
    def ndim(self) -> int:
        return 1

    @property
    def nbytes(self) -> int:
        """Size of the numbers in memory, in bytes."""
        return len(self) * self.dtype.itemsize

    @property
    def chunks(self) -> list[Chunk]:
        """The chunks in order. ``numpact.open(..., chunks=)`` accepts them and skips the scan."""
        return [Chunk(*chunk) for chunk in self._opened().chunks()]

    # ---- reading ----

    def read(self, first: int, count: int, *, threads: int | None = None) -> Array:
        """Decodes ``count`` numbers from index ``first`` on into a new array, (count,).

        Raises:
            InvalidArgumentError: The range exceeds the file.
            CorruptError, ChecksumError: A chunk is damaged.
        """
        reader = self._opened()
        first, count = _checked_range(first, count, reader.count)
        numbers = reader.read(first, count, self._resolve(threads))
        return numbers if self._requested is None else viewed(numbers, self._requested)

    def read_into(self, first: int, out: Any, *, threads: int | None = None) -> None:
        """Fills an array with the numbers from index ``first`` on.

        Args:
            first: Index of the first number.
            out: A C-contiguous, writable array or buffer of the type that the file stores (or bool,
                datetime64, timedelta64 for uint8 and int64). Its size is the count of numbers.
            threads: As for ``open``; None: as given there.

        Raises:
            InvalidArgumentError: The range exceeds the file.
            CorruptError, ChecksumError: A chunk is damaged.
        """
        array = output_of(out)
        reader = self._opened()
        first, _ = _checked_range(first, array.size, reader.count)
        reader.read_into(first, writable(array), self._resolve(threads))
        if array.dtype == bool:
            check_boolean(writable(array))

    def __getitem__(self, key: Any) -> Any:
        """A number for an integer, an array for a slice."""
        if isinstance(key, tuple):
            key = [part for part in key if part is not Ellipsis]
            if len(key) > 1:
                raise IndexError("a file has one dimension")
            key = key[0] if key else slice(None)
        if key is Ellipsis:
            key = slice(None)
        if isinstance(key, slice):
            return self._slice(*key.indices(len(self)))
        try:
            # Not a bool, which is a mask in NumPy.
            index = index_of(key, "an index")
        except TypeMismatchError:
            raise IndexError("files take integers and slices") from None
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range for {n} numbers")
        return self.read(index % n, 1)[0]

    def _slice(self, start: int, stop: int, step: int) -> Array:
        import numpy as np

        count = len(range(start, stop, step))
        if count == 0:
            return self.read(0, 0)
        if step == 1:
            return self.read(start, count)
        # In windows, because the numbers between may take much more memory than the result.
        out = np.empty(count, self.dtype)
        per_window = max(1, _MAX_WINDOW // abs(step))
        for done in range(0, count, per_window):
            n = min(per_window, count - done)
            a = start + done * step
            b = a + (n - 1) * step
            numbers = self.read(min(a, b), abs(b - a) + 1)
            out[done : done + n] = numbers[::step]
        return out

    def __iter__(self) -> Iterator[Array]:
        """The numbers of each chunk."""
        for chunk in self.chunks:
            yield self.read(chunk.first, chunk.count)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("a file has to be decoded: copy=False cannot be had")
        numbers: Array = self[:]
        requested = numbers.dtype if dtype is None else as_dtype(dtype)
        if requested.kind == "O":
            return numbers.astype(requested)
        return viewed(numbers, seen_as(requested))

    # ---- life ----

    def _opened(self) -> _core.Reader:
        reader = self._reader
        if reader is not None:
            return reader
        with self._turns:
            if self._reader is None:
                if self._data is None:
                    raise ValueError("the file is closed")
                with core_progress(self._progress, self._header["n_hint"] or None) as callback:
                    self._reader = _core.Reader(
                        self._data,
                        threads=self._resolve(None),
                        max_output=self._max_output,
                        progress=callback,
                        chunks=None if self._chunks is None else list(map(_as_tuple, self._chunks)),
                        trailer=self._policy,
                        on_end=partial(warn_of_end, path=self._path),
                    )
            return self._reader

    def _resolve(self, threads: int | None) -> int:
        return resolve(self._threads if threads is None else threads)

    def close(self) -> None:
        """Releases the file; arrays that were read stay valid. May be called repeatedly."""
        with self._turns:
            self._reader = None
            self._data = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._path is None:
            raise TypeError("only files that were opened by path can be pickled")
        chunks = self._chunks
        # Not with a trailer: reading it is as fast, and it contains checksums.
        if chunks is None and self._reader is not None and not self._reader.has_trailer:
            chunks = self.chunks
        path = os.path.abspath(os.fsdecode(self._path))
        return _reopen, (
            path,
            self._threads,
            self._max_output,
            chunks,
            self._policy,
            self._requested,
        )

    def __repr__(self) -> str:
        name = repr(self._path) if self._path is not None else "bytes"
        if self._data is None:
            return f"<numpact.File {name}, closed>"
        known = f", {len(self):,} numbers" if self._reader is not None else ""
        return f"<numpact.File {name}: {self.dtype}{known}>"

    def _repr_html_(self) -> str:
        return views.as_html(self._view())

    def _view(self) -> views.View:
        """The known facts about the file; it is not scanned for this."""
        name = "bytes" if self._path is None else os.fsdecode(self._path)
        if self._data is None:
            return views.View(f"{name}, closed")
        major, minor = self.format_version
        facts = [("format", f"Pco {major}.{minor}"), ("type", str(self.dtype))]
        reader = self._reader
        if reader is None:
            hint = self._header["n_hint"]
            facts.append(("numbers", f"{hint:,} as the header says" if hint else "not known yet"))
            return views.View(name, facts)
        count = reader.count
        packed = memoryview(self._data).nbytes
        bits = f", {8 * packed / count:.2f} bits a number" if count else ""
        facts += [
            ("numbers", f"{count:,}, {count * self.dtype.itemsize:,} bytes"),
            ("file", f"{packed:,} bytes{bits}"),
            ("trailer", "index and checksums" if reader.has_trailer else "none"),
        ]
        chunks = reader.chunks()
        rows = [
            [str(index), str(first), f"{size:,}", str(offset)]
            for index, (offset, _, first, size) in enumerate(chunks[: views.MAX_SHOWN_ROWS])
        ]
        columns = [">chunk", ">first", ">numbers", ">offset"]
        return views.View(name, facts, [views.Table("", columns, rows, len(chunks))])


def _listed(chunks: object) -> list[Chunk]:
    try:
        return list(chunks)  # type: ignore[call-overload,no-any-return]
    except TypeError:
        raise TypeMismatchError(
            f"chunks is a list of numpact.Chunk objects, not {type(chunks).__name__}"
        ) from None


def _checked_range(first: int, count: int, size: int) -> tuple[int, int]:
    first, count = index_of(first, "first"), index_of(count, "count")
    if first < 0 or count < 0:
        raise InvalidArgumentError("first and count must not be negative")
    if first + count > size:
        raise InvalidArgumentError(f"{count} numbers from {first} on pass the end, {size}")
    return first, count


def _reopen(
    path: str,
    threads: int | None,
    max_output: int | None,
    chunks: list[Chunk] | None,
    trailer: TrailerPolicy = "use",
    dtype: np.dtype[Any] | None = None,
) -> File:
    return File(
        path, threads=threads, max_output=max_output, chunks=chunks, trailer=trailer, dtype=dtype
    )


def open_file(
    source: Source,
    *,
    threads: int | None = None,
    max_output: int | None = None,
    progress: ProgressLike = None,
    chunks: list[Chunk] | None = None,
    trailer: TrailerPolicy = "use",
    dtype: npt.DTypeLike | None = None,
) -> File:
    """Opens a standalone Pco file for random access.

    Args:
        source: A path: the file is mapped. It may be replaced or removed while it is open, but the
            process crashes if the file is overwritten or truncated. Or the bytes, in any contiguous
            buffer, for example an ``mmap``. Or a file opened in binary mode: it is read completely;
            if fsspec opened it, a concurrent replacement raises ``CorruptError``.
        threads: Number of threads that decode chunks; None: one per processor, but a single one in
            Zarr and Dask tasks.
        max_output: Maximum size of all numbers of the file, in bytes.
        progress: For the scan that finds the chunks, as for ``compress``. If the function uses the
            file itself, for example closes it, it gets an ``InvalidArgumentError``.
        chunks: The value of ``File.chunks`` for the same file: replaces the scan and the trailer.
        trailer: ``"use"``: a valid trailer replaces the scan, and chunks are compared with its
            checksums. ``"ignore"``: do not read it. ``"require"``: refuse a file that has none or a
            damaged one, on first use of its chunks. A trailer detects accidental damage only: a
            forged one can make a read return other numbers of the file. ``"verify"``: check the
            trailer by decoding the file once, on first use of its chunks, and raise CorruptError
            if it is forged or damaged; a file without a trailer is scanned.
        dtype: The type of the arrays that are returned, in any byte order; as for ``decompress``.

    Raises:
        FileNotFoundError and other OSErrors: The file cannot be opened.
        CorruptError: The header is damaged. Damaged chunks raise it on first use.
        TypeMismatchError: No number of the file is convertible to ``dtype``. Reading raises it for
            numbers that ``dtype`` cannot represent.

    >>> import numpact, numpy as np
    >>> f = numpact.open(numpact.compress(np.arange(1000)))
    >>> len(f), f.dtype, f[10:13]
    (1000, dtype('int64'), array([10, 11, 12]))
    """
    return File(
        source,
        threads=threads,
        max_output=max_output,
        progress=progress,
        chunks=chunks,
        trailer=trailer,
        dtype=dtype,
    )
