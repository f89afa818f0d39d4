# SPDX-License-Identifier: Apache-2.0
"""Whole files in memory: one call each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import check_truth, numbers_of, output_of, writable
from ._convert import check_unit, converted
from ._device import decompress_to_device, device_number
from ._errors import InvalidArgumentError, TypeMismatchError
from ._number_types import as_dtype, is_stored
from ._progress import ProgressLike, core_progress
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    TrailerPolicy,
    TrailerSpec,
    core_compat,
    core_flag,
    core_limit,
    core_options,
    core_policy,
    core_trailer,
)
from ._threads import resolve

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    Array = npt.NDArray[Any]


# Files of fewer bytes are decoded by one thread anyway.
_SMALL_FILE = 1 << 13


def compress(
    x: object,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    threads: int | None = None,
    *,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
    trailer: TrailerSpec = False,
    progress: ProgressLike = None,
) -> bytes:
    """Compresses numbers into a standalone Pco file.

    Args:
        x: Numbers: a NumPy array, any object with a buffer or with NumPy's ``dtype`` (a column of
            pandas), with Arrow's ``__arrow_c_array__`` or ``__arrow_c_stream__`` (pyarrow, polars,
            duckdb), with ``__dlpack__`` (torch), or a sequence. Integers of 8 to 64 bits, float16,
            float32, float64; datetime64 and timedelta64 are stored as int64, bool as uint8. Arrays
            of several dimensions are taken in C order, and neither shape nor unit is kept. Arrays
            that are strided, unaligned or big-endian are copied first. Nulls and masked elements
            are an error: see ``compress_arrow``. Must not change meanwhile.
        level: 0 (fast) to 12 (small).
        mode: How numbers are split: ``"auto"``, ``"classic"``, ``"dict"``, ``"int-mult=BASE"``,
            ``"float-mult=BASE"``, ``"float-quant=K"``.
        delta: How neighbours are used: ``"auto"``, ``"none"``, ``"consecutive=ORDER"`` (0 to 7),
            ``"lookback"``, ``"conv1=ORDER"`` (1 to 32).
        paging: ``"auto"``: chunks end where the numbers change, and after 2**18 (level 0 to 5),
            2**20 numbers at the latest. Else the most numbers in a chunk, or the
            sizes of all chunks.
        threads: How many work at the same time; None: as many as the machine runs at once, but one
            in Zarr and Dask tasks. The bytes are the same for any.
        compat: The oldest format version whose readers must read the file: ``"1"``, ``"2"``,
            ``"3"``, ``"4.0"`` or ``"4.1"``. Older ones hold less, so files are larger.
        favor_decode_speed: Among encodings of nearly the same size, take one that decodes fast.
        trailer: What to append to the file; other readers ignore it. True: offsets, counts, ranges
            and checksums of the chunks, so that parts are found at once and damage is detected
            (56 bytes, and 40 for each chunk). A power of two from 2**8 to 2**24: also
            restart points at this distance in numbers, to read from within a chunk (about 20 bytes
            each).
        progress: True for a tqdm bar, such a bar, or a function of a ``Progress`` that is called
            after each chunk; False from it stops with ``CancelledError``.

    Returns:
        The file. Any reader of Pco ``compat`` reads it.

    Raises:
        TypeMismatchError: Not numbers, or of a type that Pco lacks.
        InvalidArgumentError: Options that contradict each other or the numbers' type.

    The GIL is released while it works; several threads may compress at once.

    >>> import numpact
    >>> numpact.decompress(numpact.compress([3, 1, 4]))
    array([3, 1, 4])
    """
    numbers = numbers_of(x)
    with core_progress(progress, numbers.size) as callback:
        return _core.compress(
            numbers,
            **core_options(level, mode, delta, paging),
            uniform_type=True,
            threads=resolve(threads),
            progress=callback,
            compat=core_compat(compat),
            favor_decode_speed=core_flag("favor_decode_speed", favor_decode_speed),
            trailer=core_trailer(trailer),
        )


def decompress(
    buf: Buffer,
    out: Any = None,
    threads: int | None = None,
    max_output: int | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    trailer: TrailerPolicy = "use",
    progress: ProgressLike = None,
    device: object = "cpu",
    framework: str | None = None,
) -> Any:
    """Decodes a standalone Pco file of any version and writer.

    Args:
        buf: The file: bytes or any object with a contiguous buffer.
        out: Array to decode into, or another writable buffer: contiguous, of the file's number type
            (or bool, datetime64, timedelta64 where that is uint8 or int64), at least as large as
            the file, and apart from ``buf``.
        threads: How many work at the same time; None: as many as the machine runs at once, but one
            in Zarr and Dask tasks. They share chunks: a file of one gains nothing.
        max_output: The most bytes of numbers to accept. Bytes from strangers should have a limit:
            a small file can hold very many numbers.
        dtype: The type of the result, in any byte order, where it has the same numbers: nothing is
            rounded, cut or wrapped. Integers become datetime64 and timedelta64 as counts of the
            unit that is named, since files keep none. With ``out`` only what its memory is.
        trailer: ``"use"``: where the file has a sound one, what is read is held against its
            checksums. ``"ignore"`` takes no notice of it; with ``"require"`` a file that has none,
            or a damaged one, is refused.
        progress: As for ``compress``.
        device: "cpu"; or "cuda", "cuda:1" and so on: a GPU of NVIDIA decodes, and the numbers stay
            in its memory. Then ``out``, ``dtype`` and ``progress`` cannot be used.
        framework: With a GPU: None for a ``DeviceArray``; "torch" or "cupy" for theirs, which share
            the memory.

    Returns:
        A new array of one dimension; with ``out`` the part of it that was filled, flat.

    Raises:
        CorruptError: The bytes break a rule of the format; ``TruncatedError``: they end too early;
            ``ChecksumError``: they are not what the trailer was made of, its ``chunk`` says where.
        UnsupportedVersionError: A newer format.
        TypeMismatchError: ``out`` is of another type; ``dtype`` lacks a number of the file, which
            is named with its index; the file is empty and does not name its type, which older
            writers leave out; or ``buf`` has no bytes.
        OutputTooSmallError: ``out`` is too small.
        LimitExceededError: More than ``max_output``.
        UnavailableError: ``device`` is a GPU that is not there, or numpact was built without CUDA.

    >>> import numpact, numpy as np
    >>> days = np.arange("2024-02-27", "2024-03-02", dtype="datetime64[D]")
    >>> numpact.decompress(numpact.compress(days), dtype=days.dtype)[-1]
    np.datetime64('2024-03-01')
    """
    number = device_number(device)
    if number is not None:
        if not (out is None and dtype is None and progress is None):
            raise InvalidArgumentError("out, dtype and progress are for device='cpu'")
        return decompress_to_device(buf, number, framework, threads, max_output, trailer)
    if framework is not None:
        raise InvalidArgumentError("framework is for the memory of a GPU: device='cuda'")
    wanted = None if dtype is None else seen_as(dtype)
    if out is not None:
        array = output_of(out)
        if wanted is not None and not is_view(writable(array).dtype, wanted):
            raise TypeMismatchError(f"out of {array.dtype} does not hold {wanted}: leave out one")
        count = decompress_into(buf, array, threads, max_output, trailer=trailer, progress=progress)
        return viewed(writable(array).reshape(-1)[:count], wanted or array.dtype)
    policy = core_policy(trailer)
    if progress is None:
        limit = core_limit(max_output)
        workers = _threads_for(buf, threads)
        numbers = _core.decompress(buf, workers, max_output=limit, trailer=policy)
    else:
        with core_progress(progress, _claimed(buf)) as callback:
            limit = core_limit(max_output)
            numbers = _core.decompress(
                buf, resolve(threads), max_output=limit, progress=callback, trailer=policy
            )
    return numbers if wanted is None else viewed(numbers, wanted)


def decompress_into(
    buf: Buffer,
    out: Any,
    threads: int | None = None,
    max_output: int | None = None,
    *,
    trailer: TrailerPolicy = "use",
    progress: ProgressLike = None,
) -> int:
    """Decodes a standalone Pco file into an array; see ``decompress``.

    Returns:
        How many numbers were written, from the front of ``out``. What ``out`` holds after an error
        is unspecified.
    """
    array = output_of(out)
    numbers = writable(array)
    policy, limit = core_policy(trailer), core_limit(max_output)
    if progress is None:
        workers = _threads_for(buf, threads)
        count = _core.decompress_into(buf, numbers, workers, max_output=limit, trailer=policy)
    else:
        with core_progress(progress, _claimed(buf)) as callback:
            count = _core.decompress_into(
                buf,
                numbers,
                resolve(threads),
                max_output=limit,
                progress=callback,
                trailer=policy,
            )
    if array.dtype.kind == "b":
        check_truth(numbers.reshape(-1)[:count])
    return count


def _threads_for(buf: Buffer, threads: int | None) -> int:
    """As resolve(), which takes as long as a hundred numbers, where threads may gain something."""
    if threads is None and type(buf) is bytes and len(buf) < _SMALL_FILE:
        return 1
    return resolve(threads)


def _claimed(buf: Buffer) -> int | None:
    """What the writer says the count is; 0 where it did not know."""
    return _core.read_header(buf)["n_hint"] or None


def seen_as(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """A type that decoded numbers are to be given as.

    Raises:
        TypeMismatchError: Not a type, or a time without a unit.
    """
    wanted = as_dtype(dtype)
    check_unit(wanted)
    return wanted


def viewed(numbers: Array, wanted: np.dtype[Any]) -> Array:
    """Decoded numbers as the type that is asked for, in its byte order.

    Integers are counts of a datetime64 or timedelta64, since files keep no unit. Else the rule of
    ``converted`` holds. The memory is shared where it already is what is asked for.

    Raises:
        TypeMismatchError: A number that the type does not have, or a type without numbers.
    """
    import numpy as np

    check_seen(numbers.dtype, wanted)
    native = wanted.newbyteorder("=")
    if is_view(numbers.dtype, native):
        if native.kind == "b":
            check_truth(numbers)
        made = numbers.view(native)
    elif native.kind in "mM":
        made = converted(numbers, np.dtype(np.int64)).view(native)
    else:
        made = converted(numbers, native)
    seen: Array = made.astype(wanted, copy=False)
    return seen


def check_seen(stored: np.dtype[Any], wanted: np.dtype[Any]) -> None:
    """Raises where numbers as they are stored become no value of another type."""
    is_float_time = wanted.kind in "mM" and stored.kind == "f"
    if not is_stored(wanted) or is_float_time:
        raise TypeMismatchError(f"the file holds {stored} numbers, not {wanted}")


def is_view(stored: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether numbers as they are stored are those of another type without a copy."""
    if wanted.kind in "mM":
        return wanted.isnative and stored.kind == "i" and stored.itemsize == 8
    return stored == wanted or (wanted.kind == "b" and stored.kind == "u" and stored.itemsize == 1)
