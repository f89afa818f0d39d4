# SPDX-License-Identifier: Apache-2.0
"""Compresses and decompresses whole files in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from . import _core
from ._arrays import check_boolean, numbers_of, output_of, writable
from ._convert import check_unit, converted
from ._device import decompress_to_device, device_number
from ._errors import InvalidArgumentError, TypeMismatchError, warn_of_end
from ._lossy import check_rounded_type, rounded, rounding_of
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
    checked_limit,
    core_compat,
    core_level,
    core_limit,
    core_options,
    core_policy,
    core_recipe,
    core_trailer,
    core_weight,
)
from ._threads import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Buffer

    from ._lossy import RoundingReport
    from ._recipe import Recipe
    from ._types import Array


# Files of fewer bytes are always decoded by one thread.
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
    decode_weight: float = 0,
    trailer: TrailerSpec = False,
    recipe: Recipe | str | None = None,
    max_bytes: int | None = None,
    max_error: float | None = None,
    keep_bits: int | None = None,
    decimals: int | None = None,
    fill: Any = None,
    report: Callable[[RoundingReport], object] | None = None,
    progress: ProgressLike = None,
) -> bytes:
    """Compresses numbers into a standalone Pco file.

    Without ``max_error``, ``keep_bits`` and ``decimals`` the file has exactly these numbers.

    Args:
        x: Numbers: a NumPy array, any object with a buffer or with NumPy's ``dtype`` (a column of
            pandas), with Arrow's ``__arrow_c_array__`` or ``__arrow_c_stream__`` (pyarrow, polars,
            duckdb), with ``__dlpack__`` (torch), or a sequence. Integers of 8 to 64 bits, float16,
            float32, float64; datetime64 and timedelta64 are stored as int64, bool as uint8. Arrays
            of several dimensions are read in C order; neither shape nor unit is stored. Strided,
            unaligned and big-endian arrays are copied first. Nulls and masked elements are an
            error; ``compress_arrow`` stores nulls. Must not change during the call.
        level: 0 (fast) to 12 (small).
        mode: How numbers are split into latents: ``"auto"``, ``"classic"``, ``"dict"``,
            ``"int-mult=BASE"``, ``"float-mult=BASE"``, ``"float-quant=K"``.
        delta: How latents are predicted from earlier ones: ``"auto"``, ``"none"``,
            ``"consecutive=ORDER"`` (0 to 7), ``"lookback"``, ``"conv1=ORDER"`` (1 to 32).
        paging: ``"auto"``: a chunk ends where the data changes, and after ``2**18`` numbers (levels
            0 to 5) or ``2**20`` numbers (other levels) at the latest. An integer: the maximum
            count of numbers in a chunk. A sequence: the counts of all chunks.
        threads: Number of threads; None: one per processor, but a single one in Zarr and Dask
            tasks. The result does not depend on it.
        compat: The oldest format version whose readers can read the file: ``"1"``, ``"2"``,
            ``"3"``, ``"4.0"`` or ``"4.1"``. Older versions have fewer encodings; files are larger.
        favor_decode_speed: Among encodings of nearly equal size, choose one that decodes fast: a
            ``decode_weight`` of at least 1.
        decode_weight: How many bits per number a nanosecond is worth that decoding it takes longer:
            0 (only the size counts) to 128 (chunks of one bin, without a delta).
        trailer: What to append to the file; other readers ignore it. True: offsets, counts, value
            ranges and checksums of the chunks, to find parts without a scan and to detect damage
            (56 bytes, and 40 for each chunk). A power of two from ``2**8`` to ``2**24``: also
            restart points at this interval, counted in numbers, to start reading inside a chunk
            (about 20 bytes each).
        recipe: What ``choose_recipe`` has chosen for many series of one kind, or its text. Nothing
            is chosen then, which is several times as fast for short series. ``mode`` and ``delta``
            must be ``"auto"``; chunks do not end where the data changes.
        max_bytes: A larger file is of no use: raises ``OutputTooSmallError`` as soon as estimates
            say so, usually long before the file would be made. A file that would just fit may be
            given up.
        max_error, keep_bits, decimals, fill: Round the numbers first, as ``round_numbers`` does.
        report: Called with the ``RoundingReport``, which has the largest error.
        progress: True for a tqdm bar, an existing bar, or a function that is called with a
            ``Progress`` after each chunk; if it returns False, the call raises ``CancelledError``.

    Returns:
        The file. Every reader of format version ``compat`` can read it.

    Raises:
        TypeMismatchError: ``x`` is not numeric, or has a type that Pco does not support.
        InvalidArgumentError: Options that contradict each other or the type of the numbers.
        OutputTooSmallError: The file takes more than ``max_bytes``, or is estimated to.

    Thread-safe. The GIL is released during the computation.

    >>> import numpact
    >>> numpact.decompress(numpact.compress([3, 1, 4]))
    array([3, 1, 4])
    """
    rounding = rounding_of(max_error, keep_bits, decimals, fill)
    if rounding is not None:
        check_rounded_type(x)
    elif report is not None:
        raise InvalidArgumentError("report is for max_error, keep_bits or decimals")
    numbers = numbers_of(x)
    if rounding is not None:
        numbers, done = rounded(numbers, rounding, core_level(level))
        if report is not None:
            report(done)
    with core_progress(progress, numbers.size) as callback:
        return _core.compress(
            numbers,
            **core_options(level, mode, delta, paging),
            uniform_type=True,
            threads=resolve(threads),
            progress=callback,
            compat=core_compat(compat),
            decode_weight=core_weight(decode_weight, favor_decode_speed),
            trailer=core_trailer(trailer),
            recipe=core_recipe(recipe),
            max_bytes=checked_limit("max_bytes", max_bytes),
        )


def decompress(
    buf: Buffer | Sequence[Buffer],
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
        buf: The file: bytes or any object with a contiguous buffer. For a GPU also a list or tuple
            of files, which are decoded in one call, so that short ones overlap.
        out: Array to decode into, or another writable buffer: C-contiguous, of the file's number
            type (or bool, datetime64, timedelta64 if that is uint8 or int64), with room for all
            numbers of the file. Must not overlap ``buf``.
        threads: Number of threads; None: one per processor, but a single one in Zarr and Dask
            tasks. Threads decode different chunks, and parts of a chunk that has restart points
            (``trailer``), so a file of one chunk without them uses one thread.
        max_output: Maximum size of the numbers, in bytes. Set it for untrusted input: a small file
            can contain very many numbers.
        dtype: The type of the result, in any byte order. Every number must be exactly
            representable: nothing is rounded, truncated or wrapped. Integers are read as counts of
            the unit of a datetime64 or timedelta64, because files do not store units. With ``out``
            it must match the memory of ``out``.
        trailer: ``"use"``: if the file has a valid trailer, chunks are compared with its checksums.
            ``"ignore"``: do not read it. ``"require"``: refuse a file that has none or a damaged
            one.
        progress: As for ``compress``.
        device: "cpu"; or "cuda", "cuda:1", ...: decode on an NVIDIA GPU and leave the numbers in
            its memory. ``out``, ``dtype`` and ``progress`` cannot be used then.
        framework: For a GPU: None returns a ``DeviceArray``; "torch" and "cupy" return their own
            arrays, which share the memory.

    Returns:
        A new array of shape (n,); with ``out`` a flat view of the part of it that was filled; for a
        list of files a list.

    Raises:
        CorruptError: The bytes violate the format; ``TruncatedError``: they end too early;
            ``ChecksumError``: they do not match the trailer; its ``chunk`` says where.
        UnsupportedVersionError: A newer format version.
        TypeMismatchError: ``out`` has another type; ``dtype`` cannot represent a number of the
            file (the message has its index); the file is empty and does not name its type, which
            is the case for older writers; or ``buf`` has no buffer.
        OutputTooSmallError: ``out`` is too small.
        LimitExceededError: The numbers take more than ``max_output`` bytes.
        UnavailableError: There is no such GPU, or numpact was built without CUDA.

    Warns:
        TrailingBytesWarning: Bytes follow the file that are not an intact trailer. Of files that
            were joined, only the first one is decoded.

    Thread-safe. The GIL is released during the computation.

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
    if isinstance(buf, (list, tuple)):
        raise TypeMismatchError("a list of files is for the memory of a GPU: device='cuda'")
    file = cast("Buffer", buf)
    requested = None if dtype is None else seen_as(dtype)
    if out is not None:
        array = output_of(out)
        if requested is not None and not is_view(writable(array).dtype, requested):
            raise TypeMismatchError(
                f"out of {array.dtype} does not hold {requested}: leave out one"
            )
        count = decompress_into(
            file, array, threads, max_output, trailer=trailer, progress=progress
        )
        return viewed(writable(array).reshape(-1)[:count], requested or array.dtype)
    policy = core_policy(trailer)
    if progress is None:
        limit = core_limit(max_output)
        workers = _threads_for(file, threads)
        numbers = _core.decompress(
            file, workers, max_output=limit, trailer=policy, on_end=warn_of_end
        )
    else:
        with core_progress(progress, _claimed(file)) as callback:
            limit = core_limit(max_output)
            numbers = _core.decompress(
                file,
                resolve(threads),
                max_output=limit,
                progress=callback,
                trailer=policy,
                on_end=warn_of_end,
            )
    return numbers if requested is None else viewed(numbers, requested)


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
        The count of numbers, which are at the start of ``out``. After an error the content of
        ``out`` is unspecified.
    """
    array = output_of(out)
    numbers = writable(array)
    policy, limit = core_policy(trailer), core_limit(max_output)
    if progress is None:
        workers = _threads_for(buf, threads)
        count = _core.decompress_into(
            buf, numbers, workers, max_output=limit, trailer=policy, on_end=warn_of_end
        )
    else:
        with core_progress(progress, _claimed(buf)) as callback:
            count = _core.decompress_into(
                buf,
                numbers,
                resolve(threads),
                max_output=limit,
                progress=callback,
                trailer=policy,
                on_end=warn_of_end,
            )
    if array.dtype.kind == "b":
        check_boolean(numbers.reshape(-1)[:count])
    return count


def _threads_for(buf: Buffer, threads: int | None) -> int:
    """As resolve(), which takes as long as decoding a hundred numbers, but 1 for small files."""
    if threads is None and type(buf) is bytes and len(buf) < _SMALL_FILE:
        return 1
    return resolve(threads)


def _claimed(buf: Buffer) -> int | None:
    """The count of numbers that the header claims; None if the writer did not know it."""
    return _core.read_header(buf)["n_hint"] or None


def seen_as(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """A caller's ``dtype`` for the result of decoding.

    Raises:
        TypeMismatchError: Not a type, or a time type without a unit.
    """
    requested = as_dtype(dtype)
    check_unit(requested)
    return requested


def viewed(numbers: Array, requested: np.dtype[Any]) -> Array:
    """Decoded numbers in the type and byte order that the caller asked for.

    Integers are read as counts of a datetime64 or timedelta64, since files do not store units; else
    the rule of ``converted`` applies. Returns a view if no conversion is necessary.

    Raises:
        TypeMismatchError: The type cannot represent a number, or is not numeric.
    """
    import numpy as np

    check_seen(numbers.dtype, requested)
    native = requested.newbyteorder("=")
    if is_view(numbers.dtype, native):
        if native.kind == "b":
            check_boolean(numbers)
        made = numbers.view(native)
    elif native.kind in "mM":
        made = converted(numbers, np.dtype(np.int64)).view(native)
    else:
        made = converted(numbers, native)
    seen: Array = made.astype(requested, copy=False)
    return seen


def check_seen(stored: np.dtype[Any], requested: np.dtype[Any]) -> None:
    """Raises TypeMismatchError if no value of the stored type is convertible to ``requested``."""
    is_float_time = requested.kind in "mM" and stored.kind == "f"
    if not is_stored(requested) or is_float_time:
        raise TypeMismatchError(f"the file holds {stored} numbers, not {requested}")


def is_view(stored: np.dtype[Any], requested: np.dtype[Any]) -> bool:
    """Whether stored numbers are viewed as another type without a copy."""
    if requested.kind in "mM":
        return requested.isnative and stored.kind == "i" and stored.itemsize == 8
    return stored == requested or (
        requested.kind == "b" and stored.kind == "u" and stored.itemsize == 1
    )
