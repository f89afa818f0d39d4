# SPDX-License-Identifier: Apache-2.0
"""Compresses Arrow columns and returns them, through the PyCapsule interface; needs no pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _arrow_frame, _core
from ._arrow_columns import (
    FORMATS,
    as_logical,
    is_column,
    joined_validity,
    joined_values,
    read_column,
)
from ._codec import compress, decompress
from ._convert import converted
from ._errors import InvalidArgumentError, LimitExceededError, TypeMismatchError
from ._number_types import as_dtype, dtype_of, type_name
from ._progress import ProgressLike
from ._sequences import array_of_sequence
from ._specs import DEFAULT_LEVEL, DEFAULT_PAGING, Delta, Mode, Paging, core_limit

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

    from ._types import Array


class ArrowArray:
    """Numbers with nulls and a logical type: the result of ``decompress_arrow``.

    ``pyarrow.array(a)``, ``polars.Series(a)`` and every other consumer of ``__arrow_c_array__``
    accepts it without a copy. Immutable; threads may share it.
    """

    def __init__(self, values: Array, validity: Array | None, format: str) -> None:
        # Exported arrays share the memory, and arrays of Arrow are immutable.
        values.flags.writeable = False
        if validity is not None:
            validity.flags.writeable = False
        self._values = values
        self._validity = validity
        self._format = format

    @property
    def format(self) -> str:
        """The type in the notation of Arrow's C data interface: "g" is float64."""
        return self._format

    @property
    def values(self) -> Array:
        """The stored numbers, (n,) of a number type, 0 at nulls; read-only."""
        return self._values

    @property
    def validity(self) -> Array | None:
        """(n,) of bool, True where there is a number; None if there are no nulls."""
        return self._validity

    @property
    def null_count(self) -> int:
        if self._validity is None:
            return 0
        return len(self) - int(self._validity.sum())

    def __len__(self) -> int:
        return int(self._values.size)

    def to_numpy(self, fill_value: Any = None) -> Array:
        """The numbers, (n,) in NumPy's type for their meaning: also bool, datetime64, timedelta64.

        Args:
            fill_value: The value to put in place of nulls.

        Raises:
            InvalidArgumentError: There are nulls and ``fill_value`` is None.
            TypeMismatchError: ``fill_value`` is not a value of the type of the numbers.
        """
        import numpy as np

        numbers = as_logical(self._values, self._format)
        if self._validity is None:
            return numbers
        if fill_value is None:
            raise InvalidArgumentError(
                f"{self.null_count} nulls: give a fill_value, or use validity"
            )
        fill = converted(array_of_sequence(fill_value), numbers.dtype)
        if fill.ndim != 0:
            raise InvalidArgumentError("fill_value is one value, not several")
        return np.where(self._validity, numbers, fill)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        numbers = self.to_numpy()
        requested = numbers.dtype if dtype is None else as_dtype(dtype)
        if copy is False and (requested != numbers.dtype or self._format == "tdD"):
            raise ValueError(f"copy=False cannot be had: the numbers are {self._values.dtype}")
        if requested.kind == "O":
            return numbers.astype(requested)
        exact = converted(numbers, requested.newbyteorder("="))
        return exact.astype(requested, copy=bool(copy) and exact is numbers)

    def __arrow_c_schema__(self) -> object:
        return _core.export_arrow_schema(self._format, self._validity is not None)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        import numpy as np

        values, validity = self._values, self._validity
        if self._format == "b":
            values = np.packbits(values, bitorder="little")
        bits = None if validity is None else np.packbits(validity, bitorder="little")
        array = _core.export_arrow_array(values, bits, len(self), self.null_count)
        return self.__arrow_c_schema__(), array

    def __repr__(self) -> str:
        return f"<numpact.ArrowArray of {len(self):,} ({self._format}), {self.null_count:,} nulls>"


def compress_arrow(
    column: Any,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    threads: int | None = None,
    *,
    progress: ProgressLike = None,
) -> bytes:
    """Compresses an Arrow column with its nulls and its logical type.

    The result is a Pco file of the non-null numbers, and the positions of the nulls, in a frame
    that is specific to numpact (docs/format/arrow-column.md). ``decompress_arrow`` reads it; other
    readers of Pco do not.

    Args:
        column: Any object with ``__arrow_c_array__`` or ``__arrow_c_stream__``: an array or chunked
            array of pyarrow, a series of polars or pandas, a table or query of one column. Numbers,
            booleans, dates, times, timestamps and durations.
        level, mode, delta, paging, threads, progress: As for ``compress``. There is no trailer: the
            frame has a checksum, and is always read as a whole.

    Returns:
        The frame.

    Raises:
        TypeMismatchError: The elements are not of these types, or the object is not a column.
        InvalidArgumentError: A table of several columns.

    >>> import numpact, pyarrow as pa
    >>> packed = numpact.compress_arrow(pa.array([1.5, None, 2.5]))
    >>> pa.array(numpact.decompress_arrow(packed)).to_pylist()
    [1.5, None, 2.5]
    """
    if not is_column(column):
        raise TypeMismatchError(f"{type(column).__name__} is not an Arrow column")
    try:
        format, blocks = read_column(column)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{error}, or numpact.write_table writes all") from None
    values = joined_values(blocks, format)
    validity = joined_validity(blocks)
    kept = values if validity is None else values[validity]
    numbers = compress(kept, level, mode, delta, paging, threads, progress=progress)
    return _arrow_frame.pack(format, values.size, validity, numbers)


def decompress_arrow(
    buf: Buffer, threads: int | None = None, max_output: int | None = None
) -> ArrowArray:
    """Decompresses a result of ``compress_arrow``; accepts plain Pco files, too.

    Args:
        buf: The bytes.
        threads: As for ``decompress``.
        max_output: Maximum size of the column in memory, in bytes; nulls count like numbers.

    Raises:
        CorruptError, TruncatedError, ChecksumError: The data is damaged.
        UnsupportedVersionError: A newer version of the frame or of the format.
        LimitExceededError: The column is larger than ``max_output``.
    """
    import numpy as np

    data = _arrow_frame.bytes_of(buf)
    if not _arrow_frame.is_frame(data):
        numbers = decompress(data, None, threads, max_output)
        return ArrowArray(numbers, None, FORMATS[type_name(numbers.dtype)])
    frame = _arrow_frame.unpack(data)
    size = dtype_of(_arrow_frame.number_type(frame.format)).itemsize
    limit = core_limit(max_output)
    if limit is not None and frame.length * size > limit:
        raise LimitExceededError(f"the column takes {frame.length * size} bytes, over max_output")
    if frame.length * size >= 1 << 63:
        raise _arrow_frame.too_long(frame)
    numbers = _arrow_frame.unpack_numbers(frame, threads)
    if frame.null_count == 0:
        return ArrowArray(numbers, None, frame.format)
    validity = _arrow_frame.unpack_validity(frame)
    try:
        values = np.zeros(frame.length, numbers.dtype)
    except MemoryError:
        raise _arrow_frame.too_long(frame) from None
    values[validity] = numbers
    return ArrowArray(values, validity, frame.format)
