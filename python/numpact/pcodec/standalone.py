# SPDX-License-Identifier: Apache-2.0
"""Whole files in memory, with the functions of ``pcodec.standalone``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import Error, TypeMismatchError
from ._checks import (
    BytesLike,
    check_bytes,
    check_destination,
    check_numbers,
    threads_for_file,
    threads_for_numbers,
)
from ._config import ChunkConfig, check_config, check_page_sizes, encoding_error
from ._errors import decoding_error
from ._progress import Progress, make_progress

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

_ANY_TYPE = ChunkConfig(enable_8_bit=True)

__all__ = ["simple_compress", "simple_decompress", "simple_decompress_into"]


def simple_compress(src: Array, config: ChunkConfig) -> bytes:
    """Compresses an array into a standalone file.

    Args:
        src: Numbers: a contiguous array of one dimension and native byte order, of integers of 16
            to 64 bits, float16, float32 or float64, or of 8-bit integers if the config enables
            them.
        config: How. The chunks of the file are the pages of its paging.

    Returns:
        The file. It does not name its type in the header: an empty one has none.

    Raises:
        TypeMismatchError: Another kind of array or object.
        InvalidArgumentError: Options that are out of range or do not fit the numbers.

    The GIL is released while it works.
    """
    name = check_numbers(src)
    config = check_config(config)
    if src.size == 0:
        # pcodec looks at nothing but exact page sizes here.
        check_page_sizes(config.paging_spec._core_paging, 0)
        config = _ANY_TYPE
    options = config._options(name, src.size)
    threads = threads_for_numbers(src.nbytes)
    try:
        return _core.compress(src, **options, uniform_type=False, threads=threads, progress=None)
    except Error as error:
        raise encoding_error(error, options["mode"], name) from None


def simple_decompress(src: BytesLike) -> Array | None:
    """Decodes a standalone file.

    Args:
        src: The file. What follows its end is ignored.

    Returns:
        A new array of one dimension; None for an empty file that does not name its type.

    Raises:
        CorruptError, TruncatedError: Damage.
        UnsupportedVersionError: A newer format.
        TypeMismatchError: Not bytes.

    Files of several chunks are decoded by as many threads as ``numpact.decompress`` would use. The
    GIL is released while they work.
    """
    check_bytes(src)
    try:
        return _core.decompress(src, threads_for_file(len(src)))
    except Error as error:
        if isinstance(error, TypeMismatchError) and _core.read_header(src)["number_type"] is None:
            return None
        raise decoding_error(error, src, None) from None


def simple_decompress_into(src: BytesLike, dst: Array) -> Progress:
    """Decodes the front of a standalone file into an array.

    Args:
        src: The file.
        dst: Where its numbers go: as many as fit, from the front. A contiguous, writable array of
            one dimension and of the file's number type.

    Returns:
        How many were written, and whether these are all.

    Raises:
        CorruptError, TruncatedError: Damage in what was needed to fill ``dst``.
        UnsupportedVersionError: A newer format.
        TypeMismatchError: Not bytes, another kind of array, or numbers of another type.
        InvalidArgumentError: A read-only array.

    Threads as for ``simple_decompress``. What ``dst`` holds after an error is unspecified.
    """
    check_bytes(src)
    name = check_destination(dst)
    try:
        return make_progress(*_core.decompress_front(src, dst, threads_for_file(len(src))))
    except Error as error:
        raise decoding_error(error, src, name) from None
