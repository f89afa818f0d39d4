# SPDX-License-Identifier: Apache-2.0
"""Reads CVC files."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import InvalidArgumentError, LimitExceededError
from .._integers import index_of
from .._optional import require
from .._progress import ProgressLike, core_progress
from .._specs import checked_limit, core_limit
from .._threads import resolve
from .._views import as_html
from ._backends import Place, find_place, is_gpu
from ._collection import file_prefix, naming_file, open_core, path_of, shown
from ._indexing import by_key, iterated
from ._info import Info, make_info
from ._outputs import Output, as_tensor, check_framework, empty, output_for
from ._reports import CodeRun, CorruptionWarning, CorruptRows, Damage
from ._rows import code_type, first_and_count, rows_of
from ._sources import opened
from ._summary import line_of, view_of
from ._values import first_dims, item_bytes, shape_of, type_name, type_of_rows

# Rows that are gathered by one thread.
_FEW_ROWS = 1024

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from .._types import Array
    from ._collection import Files
    from ._device._arrays import DeviceArray
    from ._device._read import Source as DeviceSource
    from ._info import Column
    from ._sources import Ranges, Source


class Reader:
    """Reads rows of a CVC file of any version: a collection of vectors, in chunks.

    A folder that grows (``numpact.cvc.append``), a list of files and a pattern such as
    ``"parts/*.cvc"`` are read as one collection: rows, chunks and sections are counted through all
    files, and metadata is that of the first one. The files of a pattern are sorted by name. All
    must have the same columns. A reader of a folder keeps the rows that it was opened with.

    A path is mapped; the file must not be truncated meanwhile. Bytes are used in place. Of a file
    opened in binary mode only the necessary parts are read: by concurrent range requests if fsspec
    opened it, else with seek() and read(). A file without seek() is read completely.
    ``reader[a:b]`` reads rows.

    If fsspec opened the file, its version is compared after each call: if size, ETag or time have
    changed since the Reader was created, the call raises ``CorruptError`` and does not return a
    mixture of two versions.

    Immutable and thread-safe. Forked processes may share a Reader unless it reads an open file. Can
    be pickled if it was opened by path; of a folder the copy has the rows that are there when it is
    made.

    Args:
        source: A path, a file, or the bytes; a folder that grows; a list of paths; or a pattern.
        threads: Number of threads; None: one per processor, but a single one in Zarr and Dask
            tasks.
        max_output: Maximum size of the values that a call returns, of all columns together, in
            bytes; for ``verify`` that of all values of the file. None: no limit. Set it for
            untrusted input: a small file can contain very many values.
        max_memory: Maximum size of the tables of the header, and of those for decoding a chunk, in
            bytes. None: no limit.
        framework: "numpy", or "torch" to return tensors instead of arrays; on a GPU "torch" or
            "cupy". None: "numpy" on the CPU, "torch" on a GPU.
        device: The device of the results: "cpu", "cuda" or "cuda:N". For a GPU, stored bytes are
            copied to it and decoded there, with the same result bit by bit; pco, and single rows of
            lossless data, are decoded on the CPU and then copied. Results are ordered on the
            framework's current stream.
        backend: "auto", or the decoder for the GPU: "cuda" or "triton" (``get_backend_errors``).

    Raises:
        BackendError: The device or the backend is not available; the message says why.
        CorruptError, TruncatedError, UnsupportedVersionError: The header is damaged or not
            supported.
        LimitExceededError: More than ``max_output`` or ``max_memory``.
        InputOutputError: An open file cannot be read; ``__cause__`` is the reason. Also an OSError.
    """

    def __init__(
        self,
        source: Source,
        *,
        threads: int | None = None,
        framework: str | None = None,
        device: str = "cpu",
        backend: str = "auto",
        max_output: int | None = None,
        max_memory: int | None = None,
    ) -> None:
        self._max_output = core_limit(max_output)
        self._max_memory = checked_limit("max_memory", max_memory)
        self._place = find_place(device, framework, backend)
        self._backend = backend
        self._path = path_of(source)
        self._threads = threads
        self._ranges: Ranges | None = None
        self._files: Files = []
        several = open_core(source, self._max_memory)
        if several is not None:
            self._reader, self._files = several
            self._name = f"{len(self._files)} files"
        else:
            data, self._ranges = opened(source)
            self._name = self._ranges.name if self._ranges is not None else "bytes"
            with self._reading():
                self._reader = _core.CvcReader(data, self._ranges, self._max_memory)
        self._info = make_info(self._reader.info())

    @property
    def info(self) -> Info:
        """The content of the header."""
        return self._info

    def __len__(self) -> int:
        return self._info.rows

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, values) or (rows,) of the only column; (rows,) if there are several."""
        if len(self._info.columns) == 1:
            return shape_of(self._info.columns[0], self._info.is_columnar, len(self))
        return (len(self),)

    @property
    def dtype(self) -> Any:
        """The type of the values that reading gives, of NumPy or, for tensors, of PyTorch.

        It is float32, but integers that are stored unchanged keep their type. With several columns
        it is a structured type of NumPy with a field for each.
        """
        name = type_of_rows(self._info.columns, self._info.is_columnar)
        if self._place.framework == "torch" and isinstance(name, str):
            return getattr(require("torch", "torch"), name)
        import numpy as np

        return np.dtype(name)

    # ---- reading ----

    def read(
        self,
        first: int = 0,
        count: int | None = None,
        *,
        column: str | int | None = None,
        dims: int | None = None,
        dtype: npt.DTypeLike | str | None = None,
        out: Array | None = None,
        verify: bool = False,
        on_corruption: str = "raise",
        fill_value: float = 0.0,
        framework: str | None = None,
        device: str | None = None,
        threads: int | None = None,
        progress: ProgressLike = None,
        max_output: int | None = None,
    ) -> Array:
        """Reads a range of rows.

        Args:
            first: Index of the first row.
            count: Count of rows; None: all that follow.
            column: Name or index; needed if the file has several columns.
            dims: The count of values at the start of each row to read, for embeddings whose first
                dimensions can be used alone; None: all. ``pco`` decodes other values, too.
            dtype: float32, float16 or "bfloat16" (the type of ml_dtypes if it is installed, else
                the bits in uint16), or such a type of PyTorch to get a tensor. None: float32, but
                integers that are stored unchanged keep their type.
            out: Array to read into, of the shape and type of the result; rows need not be adjacent
                in memory. Or a tensor, which also determines ``dtype``. A tensor on a GPU or an
                array of CuPy also determines the device.
            verify: Also check the checksums of chunks that are read partially.
            on_corruption: For chunks whose checksum does not match: "raise" an error, "fill" their
                rows with ``fill_value``, or "drop" them. The last two issue a CorruptionWarning.
            fill_value: The value for "fill".
            framework: "numpy", "torch" or "cupy"; None: that of the reader.
            device: As for the reader; None: that of the reader.
            threads, progress: As for ``numpact.decompress``.
            max_output: As for the reader; None: that of the reader.

        Returns:
            A new array or tensor, or the filled part of ``out``, of shape (rows, values), or
            (rows,) for a scalar column.

        Raises:
            ChecksumError, CorruptError: A chunk is damaged.
            InvalidArgumentError, TypeMismatchError: Rows outside of the file, or an unsuitable
                ``out`` or ``dtype``.
            LimitExceededError: More than ``max_output``.
        """
        first, rows = first_and_count(first, count, len(self))
        arrays = self.read_ranges(
            [(first, rows)],
            [self._info.find_column(column)],
            dims=dims,
            dtype=dtype,
            outs=None if out is None else [out],
            verify=verify,
            on_corruption=on_corruption,
            fill_value=fill_value,
            framework=framework,
            device=device,
            threads=threads,
            progress=progress,
            max_output=max_output,
        )
        return arrays[0]

    def read_ranges(
        self,
        ranges: Sequence[tuple[int, int]],
        columns: Sequence[str | int] | None = None,
        *,
        dims: int | None = None,
        dtype: npt.DTypeLike | str | None = None,
        outs: Sequence[Array] | None = None,
        verify: bool = False,
        on_corruption: str = "raise",
        fill_value: float = 0.0,
        framework: str | None = None,
        device: str | None = None,
        threads: int | None = None,
        progress: ProgressLike = None,
        max_output: int | None = None,
    ) -> list[Array]:
        """Reads several ranges of rows, each (first, count), into one array for each column.

        Args:
            ranges: The ranges; their rows are concatenated in this order.
            columns: Names or indices; None: all.
            outs: Arrays to read into, one for each column.
            dims, dtype, verify, on_corruption, fill_value, framework, device: As for ``read``.
            threads, progress, max_output: As for ``read``.

        Returns:
            An array or tensor for each column, as ``read`` returns it.
        """
        indices = self._columns(columns)
        described = [first_dims(self._info.columns[index], dims) for index in indices]
        requested = [(index_of(a, "a first row"), index_of(b, "a count")) for a, b in ranges]
        if any(first < 0 or n < 0 or first + n > len(self) for first, n in requested):
            raise InvalidArgumentError(f"rows past the end of the file, which has {len(self)}")
        total = sum(n for _, n in requested)
        given = [None] * len(indices) if outs is None else list(outs)
        place = self._find_place(device, framework, given)
        pairs = list(zip(indices, given, strict=True))
        self._check_amount(
            total, [(c, dtype, out) for c, out in zip(described, given, strict=True)], max_output
        )
        results: list[Any]
        with self._reading(), core_progress(progress, total) as callback:
            if place.is_on_gpu:
                from ._device import _read

                arrays = [
                    self._device_array(index, total, dtype, out, place, dims)
                    for index, out in pairs
                ]
                source = self._device_source(place, threads)
                rows, corrupt = _read.read_ranges(
                    source,
                    requested,
                    arrays,
                    verify=verify,
                    on_corruption=on_corruption,
                    fill_value=fill_value,
                    progress=callback,
                )
                results = [array.result for array in arrays]
            else:
                outputs = [
                    self._output(index, total, dtype, out, place.framework, dims)
                    for index, out in pairs
                ]
                targets = [output.target for output in outputs]
                rows, corrupt = self._reader.read(
                    requested,
                    targets,
                    are_fresh=outs is None,
                    threads=self._resolve(threads),
                    verify=verify,
                    on_corruption=on_corruption,
                    fill=fill_value,
                    progress=callback,
                )
                results = [output.result for output in outputs]
        for bad in corrupt:
            what = CorruptRows(*bad)
            warnings.warn(f"chunk {what.chunk} is damaged: {what}", CorruptionWarning, 2)
        return [result if rows == total else result[:rows] for result in results]

    def read_chunk(self, chunk: int, **options: Any) -> Array:
        """Reads the rows of a chunk, given by its index; options as for ``read``."""
        found = self._info.chunks[index_of(chunk, "a chunk")]
        return self.read(found.first_row, found.rows, **options)

    def gather(
        self,
        rows: npt.ArrayLike,
        *,
        column: str | int | None = None,
        dims: int | None = None,
        dtype: npt.DTypeLike | str | None = None,
        out: Array | None = None,
        verify: bool = False,
        framework: str | None = None,
        device: str | None = None,
        threads: int | None = None,
        max_output: int | None = None,
    ) -> Array:
        """Reads single rows, in any order and with repetitions; decodes only these where possible.

        Args:
            rows: Row indices, (n,) of any integer type, on the CPU; negative ones count from the
                end. Or a mask, (rows of the file,) of bool, which selects the rows that are true.
            column, dims, dtype, out, verify, framework, device, threads, max_output: As for
                ``read``.

        Returns:
            As for ``read``, with a row for each index.
        """
        import numpy as np

        requested = rows_of(rows, len(self))
        index = self._info.find_column(column)
        numbers = np.ascontiguousarray(requested, np.uint64)
        place = self._find_place(device, framework, [out])
        described = first_dims(self._info.columns[index], dims)
        self._check_amount(requested.size, [(described, dtype, out)], max_output)
        if place.is_on_gpu:
            from ._device import _read

            array = self._device_array(index, requested.size, dtype, out, place, dims)
            with self._reading():
                _read.gather(self._device_source(place, threads), numbers, array, verify)
            return array.result  # type: ignore[no-any-return] # a tensor, perhaps
        output = self._output(index, requested.size, dtype, out, place.framework, dims)
        with self._reading():
            self._reader.gather(
                numbers,
                [output.target],
                are_fresh=output.is_fresh,
                threads=self._threads_to_gather(requested.size, index, threads),
                verify=verify,
            )
        return output.result  # type: ignore[no-any-return] # a tensor, perhaps

    def read_codes(
        self,
        first: int = 0,
        count: int | None = None,
        *,
        column: str | int | None = None,
        verify: bool = False,
        framework: str | None = None,
        threads: int | None = None,
        max_output: int | None = None,
    ) -> tuple[Array, list[CodeRun]]:
        """Reads the stored codes of rows, for programs that compute with them.

        Args:
            first, count, column, verify, framework, threads, max_output: As for ``read``.

        Returns:
            The codes and their parameters, both on the CPU. Codes are (rows, values) of uint8 for
            int8, int8_row and int8_dim, of float16 for fp16, of uint16 for bfloat16, of the
            column's type for none; for int4 (rows, bytes) of uint8, with two codes in a byte, the
            lower half first, and for rot1 to rot4 with the scale in front. With
            ``framework="torch"`` they are a tensor, for bfloat16 of that type. Parameters are a
            list with a ``CodeRun`` for the rows of each chunk.

        Raises:
            InvalidArgumentError: The rows have codes of different types, or none.
        """
        import numpy as np

        first, rows = first_and_count(first, count, len(self))
        index = self._info.find_column(column)
        described = self._info.columns[index]
        kind, row_bytes = code_type(self._info, index)
        shape = shape_of(described, self._info.is_columnar, rows)
        if row_bytes is not None:
            shape = (rows, row_bytes)
        limit = self._limit(max_output)
        if limit is not None and math.prod(shape) * np.dtype(kind).itemsize > limit:
            raise _past_limit()
        codes = empty(shape, kind)
        flat = codes.reshape(-1).view(np.uint8)
        with self._reading():
            runs = self._reader.read_codes(
                first,
                rows,
                column=index,
                out=flat,
                threads=self._resolve(threads),
                verify=verify,
            )
        own = "numpy" if self._place.is_on_gpu else self._place.framework
        requested = own if framework is None else check_framework(framework)
        result = as_tensor(codes, kind == "uint16") if requested == "torch" else codes
        return result, [
            CodeRun(rows, name, np.array(mins, np.float32), np.array(scales, np.float32))
            for rows, name, mins, scales in runs
        ]

    def __getitem__(self, key: Any) -> Any:
        """Rows: one for an integer, several for a slice, a list of indices, or a mask of bools.

        Negative indices count from the end. Of several columns the result is a dictionary of their
        values by name; ``reader["name"]`` are all rows of one column.
        """
        return by_key(self, key)

    def __iter__(self) -> Iterator[Any]:
        """The rows, as ``reader[i]`` gives them; read in blocks."""
        return iterated(self)

    def _fresh(self, rows: int, index: int) -> Any:
        """An uninitialized result of ``read`` for a column."""
        self._check_amount(rows, [(self._info.columns[index], None, None)], None)
        if self._place.is_on_gpu:
            return self._device_array(index, rows, None, None, self._place).result
        return self._output(index, rows, None, None, self._place.framework).result

    # ---- finding ----

    def find_sections(self, key: str, value: Any) -> list[tuple[int, int]]:
        """(first row, count) of each section whose metadata has this value for the key."""
        return self._reader.find_sections(key, json.dumps(value))

    def find_chunks(self, key: str, value: Any) -> list[int]:
        """Indices of the chunks whose metadata has this value for the key."""
        return self._reader.find_chunks(key, json.dumps(value))

    def verify(
        self,
        *,
        threads: int | None = None,
        progress: ProgressLike = None,
        max_output: int | None = None,
    ) -> list[Damage]:
        """Decodes all chunks and returns those that are damaged; arguments as for ``read``."""
        every = [(column, column.dtype, None) for column in self._info.columns]
        self._check_amount(len(self), every, max_output)
        with self._reading(), core_progress(progress, len(self)) as callback:
            bad = self._reader.verify(self._resolve(threads), callback)
        return [
            Damage(chunk, first, rows, file_prefix(self._files, self._info, chunk) + words)
            for chunk, first, rows, _, words in bad
        ]

    # ---- the rest ----

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Encloses a call that reads from the source; raises CorruptError if that was replaced."""
        ranges = self._ranges
        if ranges is None:
            with naming_file(self._files, lambda: self._info):
                yield
            return
        ranges.begin()
        try:
            yield
        except Exception:
            ranges.check()
            raise
        ranges.check()

    def _copy_to(self, writer: _core.CvcWriter) -> None:
        """Adds all rows to a collection."""
        with self._reading():
            writer.copy(self._reader)

    def _limit(self, max_output: int | None) -> int | None:
        return self._max_output if max_output is None else core_limit(max_output)

    def _check_amount(
        self, rows: int, columns: Sequence[tuple[Column, Any, Any]], max_output: int | None
    ) -> None:
        """Raises LimitExceededError if a result is too large; columns are (column, dtype, out)."""
        limit = self._limit(max_output)
        if limit is None:
            return
        total = 0
        for column, dtype, out in columns:
            total += rows * column.dimension * item_bytes(type_name(column, dtype, out))
        if total > limit:
            raise _past_limit()

    def _output(
        self, index: int, rows: int, dtype: Any, out: Any, framework: str, dims: int | None = None
    ) -> Output:
        column = first_dims(self._info.columns[index], dims)
        return output_for(index, column, self._info.is_columnar, rows, dtype, out, framework)

    def _find_place(self, device: object, framework: str | None, outs: Sequence[Any]) -> Place:
        """The device and framework of the results of a call."""
        if device is None and any(out is not None for out in outs):
            from ._device._arrays import device_of, framework_of

            device = next(filter(None, map(device_of, outs)), None)
            if device is not None and framework is None:
                framework = next(filter(None, map(framework_of, outs)))
        if device is None:
            device = self._place.device
            if framework is None:
                return self._place
        is_same_kind = is_gpu(device) == self._place.is_on_gpu
        if framework is None and is_same_kind:
            framework = self._place.framework
        return find_place(device, framework, self._backend if is_same_kind else "auto")

    def _device_array(
        self, index: int, rows: int, dtype: Any, out: Any, place: Place, dims: int | None = None
    ) -> DeviceArray:
        from ._device._arrays import make_array

        if dims is not None:
            raise InvalidArgumentError("dims is for the CPU: slice what is read to a GPU")
        column = self._info.columns[index]
        shape = shape_of(column, self._info.is_columnar, rows)
        return make_array(index, shape, type_name(column, dtype, out), place, out)

    def _device_source(self, place: Place, threads: int | None) -> DeviceSource:
        from ._device._read import Source as DeviceSource

        count = self._resolve(threads)
        return DeviceSource(self._reader, self._info, place, count, self._ranges is not None)

    def _columns(self, columns: Sequence[str | int] | None) -> list[int]:
        if columns is None:
            return list(range(len(self._info.columns)))
        return [self._info.find_column(name) for name in columns]

    def _threads_to_gather(self, rows: int, column: int, threads: int | None) -> int:
        """One for few rows: the library decodes them in one task, unless chunks are decoded whole
        or requested from a store at the same time. Finding the default takes as long as 50 rows."""
        is_default = threads is None and self._threads is None
        if is_default and rows <= _FEW_ROWS and self._ranges is None:
            compression = self._info.columns[column].compression
            if compression not in ("lossless", "pco"):
                return 1
        return self._resolve(threads)

    def _resolve(self, threads: int | None) -> int:
        return resolve(self._threads if threads is None else threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def __reduce__(self) -> tuple[Any, ...]:
        if self._path is None:
            raise TypeError("only files that were opened by path can be pickled")
        place = self._place
        options = (self._threads, place.framework, place.device, self._backend)
        return _reopen, (self._path, *options, self._max_output, self._max_memory)

    def __repr__(self) -> str:
        return line_of(self._info, shown(self._path, self._name, repr))

    def _repr_html_(self) -> str:
        return as_html(view_of(self._info, shown(self._path, self._name)))


def _reopen(
    path: str | list[str],
    threads: int | None,
    framework: str = "numpy",
    device: str = "cpu",
    backend: str = "auto",
    max_output: int | None = None,
    max_memory: int | None = None,
) -> Reader:
    options: dict[str, Any] = {"framework": framework, "device": device, "backend": backend}
    options |= {"max_output": max_output, "max_memory": max_memory}
    return Reader(path, threads=threads, **options)


def _past_limit() -> LimitExceededError:
    return LimitExceededError("limit exceeded: more bytes than the limit max_output")
