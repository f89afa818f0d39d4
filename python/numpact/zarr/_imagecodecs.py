# SPDX-License-Identifier: Apache-2.0
"""The codec "imagecodecs_pcodec" of numcodecs, for reading.

The package imagecodecs stores the same Pco files as "pcodec" under this name. Its settings are
``level`` and ``pagesize``, for numcodecs also the chunk's ``shape`` and ``dtype``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numcodecs.abc import Codec

from .._errors import InvalidArgumentError, LimitExceededError
from ._numcodec import PCodec, decode_exactly, fill

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

NAME = "imagecodecs_pcodec"


def refuse_writing() -> NoReturn:
    raise InvalidArgumentError(
        f"numpact reads the codec {NAME!r} only: install imagecodecs, or write a new array with "
        "the codec of numpact.zarr"
    )


class ImagecodecsPcodec(Codec):  # type: ignore[misc]
    """Decodes chunks of Zarr v2 that imagecodecs wrote."""

    codec_id = NAME

    def __init__(
        self,
        *,
        shape: tuple[int, ...],
        dtype: str,
        level: int | None = None,
        pagesize: int | None = None,
    ) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype).str
        self.level = level
        self.pagesize = pagesize

    def encode(self, buf: Any) -> NoReturn:
        """Raises InvalidArgumentError."""
        refuse_writing()

    def decode(self, buf: Buffer, out: Any = None) -> npt.NDArray[Any]:  # pyright: ignore
        """The chunk, in ``out`` if that is given.

        Raises:
            CorruptError, TruncatedError, UnsupportedVersionError: Bytes that are not such a file,
                or a file of another count of numbers.
            TypeMismatchError: Numbers of another type.
            LimitExceededError: More than ``PCodec.max_chunk_bytes``.
        """
        if out is not None:
            fill(buf, out)
            return out  # type: ignore[no-any-return]
        array = new_chunk(self.shape, np.dtype(self.dtype))
        decode_exactly(buf, array)
        return array


def new_chunk(shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Memory for a chunk; LimitExceededError if it is more than ``PCodec.max_chunk_bytes``."""
    check_size(shape, dtype)
    return np.empty(shape, dtype)


def check_size(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raises LimitExceededError for chunks of more than ``PCodec.max_chunk_bytes``."""
    size = dtype.itemsize * math.prod(shape)
    limit = PCodec.max_chunk_bytes
    if limit is not None and size > limit:
        raise LimitExceededError(f"a chunk of {size} bytes is over max_chunk_bytes ({limit})")
