# SPDX-License-Identifier: Apache-2.0
"""The functions of ``pcodec.standalone``, for whole files in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from .._types import Array

_ANY_TYPE = ChunkConfig(enable_8_bit=True)

__all__ = ["simple_compress", "simple_decompress", "simple_decompress_into"]


def simple_compress(src: Array, config: ChunkConfig) -> bytes:
    """Compresses an array into a standalone file.

    Args:
        src: Numbers: a contiguous array of one dimension and native byte order, of integers of 16
            to 64 bits, float16, float32 or float64, or of 8-bit integers if the config enables
            them.
        config: The options. Each page of its paging becomes a chunk of the file.

    Returns:
        The file. Its header does not name the number type, so an empty file has none.

    Raises:
        TypeMismatchError: Another kind of array or object.
        InvalidArgumentError: Options that are out of range or do not fit the numbers.

    Thread-safe. The GIL is released during the computation.
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
        src: The file. Bytes after its end are ignored.

    Returns:
        A new array of one dimension; None for an empty file that does not name its type.

    Raises:
        CorruptError, TruncatedError: Damage.
        UnsupportedVersionError: A newer format.
        TypeMismatchError: Not bytes.

    Thread-safe. Files of several chunks use as many threads as ``numpact.decompress``. The GIL is
    released during the computation.
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
        dst: The destination, which is filled from the start: a contiguous, writable array of one
            dimension and of the file's number type.

    Returns:
        The count of numbers written, and whether these are all numbers of the file.

    Raises:
        CorruptError, TruncatedError: Damage in what was needed to fill ``dst``.
        UnsupportedVersionError: A newer format.
        TypeMismatchError: Not bytes, another kind of array, or numbers of another type.
        InvalidArgumentError: A read-only array.

    Threads as for ``simple_decompress``. After an error the content of ``dst`` is unspecified.
    """
    check_bytes(src)
    name = check_destination(dst)
    try:
        return make_progress(*_core.decompress_front(src, dst, threads_for_file(len(src))))
    except Error as error:
        raise decoding_error(error, src, name) from None
