# SPDX-License-Identifier: Apache-2.0
"""The classes of ``pcodec.wrapped``: chunks and pages to be embedded in other formats.

All objects are thread-safe. The GIL is released during computations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from .. import _core
from .._errors import Error, InvalidArgumentError, TypeMismatchError, UnsupportedVersionError
from .._number_types import TYPES
from .._spec_types import size_of
from ._checks import BytesLike, check_bytes, check_destination, check_numbers
from ._config import ChunkConfig, check_config, encoding_error
from ._errors import invalid, marked, not_an_instance, version_words
from ._progress import Progress, make_progress

if TYPE_CHECKING:
    from typing import SupportsIndex

    from .._types import Array


__all__ = ["ChunkCompressor", "ChunkDecompressor", "FileCompressor", "FileDecompressor"]

# Limits of the format: numbers in a batch, and in a chunk.
_BATCH_N = 256
_MAX_CHUNK_N = 1 << 24


@final
class FileCompressor:
    """Creates the header and the chunks of a file."""

    __slots__ = ()

    def write_header(self) -> bytes:
        """The header."""
        return _core.wrapped_header()

    def chunk_compressor(self, src: Array, config: ChunkConfig) -> ChunkCompressor:
        """Compresses a chunk of 1 to 2^24 numbers; does most of the work.

        Args:
            src: As for ``standalone.simple_compress``. May be changed after the call.
            config: The options. Its paging divides the chunk into pages.

        Raises:
            TypeMismatchError: Another kind of array or object.
            InvalidArgumentError: Options that are out of range or do not fit the numbers.
        """
        name = check_numbers(src)
        options = check_config(config)._options(name, src.size)
        if src.size == 0:
            raise invalid("cannot compress empty chunk")
        if src.size > _MAX_CHUNK_N:
            raise invalid(f"count may not exceed {_MAX_CHUNK_N} per chunk (was {src.size})")
        try:
            return _made_compressor(_core.ChunkEncoder(src, **options))
        except Error as error:
            raise encoding_error(error, options["mode"], name) from None


@final
class ChunkCompressor:
    """A chunk of numbers: its metadata and its pages."""

    __slots__ = ("_encoder",)

    _encoder: _core.ChunkEncoder

    def __init__(self) -> None:
        raise TypeMismatchError(
            "cannot create ChunkCompressor instances: FileCompressor.chunk_compressor makes these"
        )

    def write_meta(self) -> bytes:
        """The chunk's metadata."""
        return self._encoder.meta()

    def n_per_page(self) -> list[int]:
        """Numbers in each page."""
        return self._encoder.page_sizes()

    def write_page(self, page_idx: SupportsIndex) -> bytes:
        """A page of the chunk; InvalidArgumentError if the index is out of range."""
        index, count = size_of(page_idx), len(self._encoder.page_sizes())
        if index >= count:
            raise invalid(f"page idx exceeds num pages ({index} >= {count})")
        return self._encoder.page(index)


def _made_compressor(encoder: _core.ChunkEncoder) -> ChunkCompressor:
    compressor = object.__new__(ChunkCompressor)
    compressor._encoder = encoder
    return compressor


@final
class FileDecompressor:
    """Reads files of a FileCompressor."""

    __slots__ = ("_version",)

    _version: tuple[int, int]

    def __init__(self) -> None:
        raise TypeMismatchError(
            "cannot create FileDecompressor instances: FileDecompressor.new makes these"
        )

    @staticmethod
    def new(src: BytesLike) -> tuple[FileDecompressor, int]:
        """Creates a decompressor from bytes that start with a header.

        Returns:
            The decompressor, and the size of the header in bytes.

        Raises:
            TruncatedError: Too few bytes.
            UnsupportedVersionError: A newer format.
        """
        check_bytes(src)
        try:
            major, minor, size = _core.read_wrapped_header(src)
        except UnsupportedVersionError as error:
            raise marked(error, version_words()) from None
        except Error as error:
            raise marked(error) from None
        decompressor = object.__new__(FileDecompressor)
        decompressor._version = (major, minor)
        return decompressor, size

    def chunk_decompressor(self, src: BytesLike, dtype: str) -> tuple[ChunkDecompressor, int]:
        """Creates a decompressor from bytes that start with a chunk's metadata.

        Args:
            src: The bytes.
            dtype: The chunk's number type: a letter of u, i and f, and its bits, as in ``"f32"``.

        Returns:
            The decompressor, and the size of the metadata in bytes.

        Raises:
            CorruptError, TruncatedError: Damage.
            InvalidArgumentError: No number type of that name.
            TypeMismatchError: Not bytes, or a type that is not a string.
        """
        check_bytes(src)
        if not isinstance(dtype, str):
            raise not_an_instance("dtype", dtype, "str")
        name = dtype.lower()
        if name not in TYPES:
            raise InvalidArgumentError(f"unknown data type: {dtype}")
        try:
            decoder = _core.ChunkDecoder(src, name, self._version)
        except Error as error:
            raise marked(error) from None
        decompressor = object.__new__(ChunkDecompressor)
        decompressor._decoder = decoder
        decompressor._type = name
        return decompressor, decoder.meta_size


@final
class ChunkDecompressor:
    """Decodes the pages of a chunk."""

    __slots__ = ("_decoder", "_type")

    _decoder: _core.ChunkDecoder
    _type: str

    def __init__(self) -> None:
        raise TypeMismatchError(
            "cannot create ChunkDecompressor instances: "
            "FileDecompressor.chunk_decompressor makes these"
        )

    def read_page_into(
        self, src: BytesLike, page_n: SupportsIndex, dst: Array
    ) -> tuple[Progress, int]:
        """Decodes a page into an array.

        Args:
            src: Bytes that start with the page.
            page_n: Numbers in the page.
            dst: The destination: a contiguous, writable array of one dimension and of the chunk's
                type, with at least ``page_n`` numbers; or with a multiple of 256, for the first
                numbers of the page.

        Returns:
            The progress, and the count of bytes read: the size of the page if it was finished.

        Raises:
            CorruptError, TruncatedError: Damage.
            TypeMismatchError: Not bytes, another kind of array, or numbers of another type.
            InvalidArgumentError: An array of another length, or a read-only one.
        """
        check_bytes(src)
        n = size_of(page_n)
        if check_destination(dst) != self._type:
            raise TypeMismatchError(
                f"dst of {dst.dtype} does not match chunk's number type of {self._type}"
            )
        if dst.size < n and dst.size % _BATCH_N != 0:
            raise invalid(
                f"the length of dst must either be a multiple of {_BATCH_N} or be at least the "
                f"count of numbers remaining ({dst.size} < {n})"
            )
        if n == 0:
            return make_progress(0, True), 0
        try:
            count, size = self._decoder.decode_page(src, n, dst)
        except Error as error:
            raise marked(error) from None
        return make_progress(count, count == n), size
