# SPDX-License-Identifier: Apache-2.0
"""The codec "pcodec" of numcodecs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from numcodecs.abc import Codec

from .. import _core
from .._arrays import stored, writable
from .._errors import CorruptError, InvalidArgumentError, OutputTooSmallError, TypeMismatchError
from .._number_types import type_name
from ._settings import DEFAULT_PAGE, Settings

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Buffer, Self

    from .._types import Array

# Where zarr wraps codecs of numcodecs for Zarr v3; the second is older.
_WRAPPERS = ("zarr.codecs.numcodecs", "numcodecs.zarr3")


def _environment_limit() -> int | None:
    text = os.environ.get("NUMPACT_ZARR_MAX_CHUNK_BYTES", "")
    return int(text) if text.isdecimal() else None


class PCodec(Codec):  # type: ignore[misc]
    """Pco as a codec of numcodecs, with the settings of ``numcodecs.pcodec.PCodec``.

    Settings are checked when something is encoded, so that data with unknown settings can be read.

    Args:
        level: 0 (fast) to 12 (small).
        mode_spec: ``"auto"`` or ``"classic"``.
        delta_spec: ``"auto"``, ``"no_op"`` (also ``"none"``), ``"try_consecutive"``,
            ``"try_lookback"``.
        paging_spec: ``"equal_pages_up_to"``.
        delta_encoding_order: 0 to 7 for ``"try_consecutive"``, which it selects with ``"auto"``.
        equal_pages_up_to: Maximum count of numbers in a chunk of the Pco file. More are divided
            into equal chunks; fewer are divided where the data changes.

    Thread-safe; can be pickled. Uses one thread, because Zarr processes several chunks at the same
    time; the GIL is released.
    """

    codec_id = "pcodec"

    #: Maximum size of a decoded chunk, in bytes (``LimitExceededError``); None: no limit. Applies
    #: to this process; the environment variable NUMPACT_ZARR_MAX_CHUNK_BYTES also to its children.
    max_chunk_bytes: ClassVar[int | None] = _environment_limit()

    level: int
    mode_spec: str
    delta_spec: str
    paging_spec: str
    delta_encoding_order: int | None
    equal_pages_up_to: int

    def __init__(
        self,
        level: int = 8,
        *,
        mode_spec: str = "auto",
        delta_spec: str = "auto",
        paging_spec: str = "equal_pages_up_to",
        delta_encoding_order: int | None = None,
        equal_pages_up_to: int = DEFAULT_PAGE,
    ) -> None:
        self.level = level
        self.mode_spec = mode_spec
        self.delta_spec = delta_spec
        self.paging_spec = paging_spec
        self.delta_encoding_order = delta_encoding_order
        self.equal_pages_up_to = equal_pages_up_to
        self._keeps_memory_order = True

    @property
    def settings(self) -> Settings:
        return Settings(
            self.level,
            self.mode_spec,
            self.delta_spec,
            self.paging_spec,
            self.delta_encoding_order,
            self.equal_pages_up_to,
        )

    def get_config(self) -> dict[str, Any]:
        """The id and all six settings, as Zarr v2 stores them."""
        return {"id": self.codec_id, **self.settings.as_json()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A codec from its settings, without the id; those that are left out are the defaults."""
        codec = cls(**config)
        codec._keeps_memory_order = not _is_for_zarr_v3()
        return codec

    # The base class says nothing of types, which pyright takes for None.
    def encode(self, buf: Buffer | Array) -> bytes:  # pyright: ignore
        """Compresses an array to a standalone Pco file.

        Args:
            buf: An array, or an object with a buffer. Integers of 8 to 64 bits, float16, float32,
                float64; datetime64 and timedelta64 are stored as int64, bool as uint8. Arrays in
                Fortran order keep the order that they have in memory, as Zarr v2 stores them; in
                the hands of Zarr v3 everything is stored in C order.

        Raises:
            TypeMismatchError: Other types; big-endian numbers, because Zarr v2 takes what is
                decoded for the bytes of its type.
            InvalidArgumentError: Settings that do not exist or contradict each other.
        """
        numbers = stored(self._flat(_array_of(buf)))
        options = self.settings.core(numbers.size)
        # Other implementations of this codec do not write the type into the header; it is needed
        # only where there is no chunk to contain it.
        return _core.compress(
            numbers, **options, uniform_type=numbers.size == 0, threads=1, progress=None
        )

    def decode(self, buf: Buffer, out: Any = None) -> Array:  # pyright: ignore
        """Decodes a standalone Pco file.

        Args:
            buf: The bytes.
            out: Array to decode into, of exactly the right size and of the file's type (or bool,
                datetime64, timedelta64 where that is uint8 or int64), in C or Fortran order.

        Returns:
            ``out``, or a new array of shape (n,) and the stored type: int64 for dates, uint8 for
            booleans, and uint8 for an empty file that does not name its type.

        Raises:
            CorruptError, TruncatedError, UnsupportedVersionError: Bytes that are not such a file.
            TypeMismatchError: ``out`` is of another type.
            OutputTooSmallError, InvalidArgumentError: ``out`` is too small or too large.
            LimitExceededError: More than ``max_chunk_bytes``, without ``out``.
        """
        if out is not None:
            fill(buf, out)
            return out  # type: ignore[no-any-return]
        try:
            return _core.decompress(buf, 1, self.max_chunk_bytes)
        except TypeMismatchError:
            if _core.read_header(buf)["number_type"] is not None:
                raise
            import numpy as np

            return np.empty(0, np.uint8)

    def _flat(self, array: Array) -> Array:
        if not self._keeps_memory_order:
            return array.reshape(-1)
        if not array.dtype.isnative and array.dtype.itemsize > 1:
            raise TypeMismatchError(
                f"{array.dtype} numbers of the other byte order cannot be stored with pcodec: "
                f"give the array the type {array.dtype.newbyteorder('=')}"
            )
        return array.reshape(-1, order="A")

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.settings.as_json().items())
        return f"PCodec({given})"


def _is_for_zarr_v3() -> bool:
    """Whether zarr's wrapper for codecs of numcodecs in Zarr v3 is on the stack.

    The wrapper passes arrays in Fortran order and reads them in C order; Zarr v2 reads them in the
    order of writing. The same call must store different bytes, and only the caller distinguishes
    the two. If the wrapper is not recognized, the result is that of numcodecs.
    """
    frame = sys._getframe(1)
    for _ in range(6):
        above = frame.f_back
        if above is None:
            return False
        frame = above
        if str(frame.f_globals.get("__name__", "")).startswith(_WRAPPERS):
            return True
    return False


def _array_of(buf: Buffer | Array) -> np.ndarray[Any, Any]:
    import numpy as np

    array = buf if isinstance(buf, np.ndarray) else np.asarray(memoryview(buf))
    type_name(array.dtype)
    return array


def fill(buf: Buffer, out: Any) -> None:
    """Decodes into an array; raises unless its size is that of the file."""
    import numpy as np

    array = out if isinstance(out, np.ndarray) else np.asarray(memoryview(out))
    if array.flags.f_contiguous:
        array = array.T
    target = writable(array)
    count = _core.decompress_into(buf, target, 1)
    if count != target.size:
        raise InvalidArgumentError(f"out takes {target.size} numbers, the file holds {count}")


def decode_exactly(buf: Any, target: Array) -> None:
    """Decodes into an array in C order; raises unless its size is that of the file."""
    try:
        count = _core.decompress_into(buf, writable(target), 1)
    except OutputTooSmallError as error:
        raise CorruptError(f"the chunk holds more than {target.size} numbers") from error
    if count != target.size:
        raise CorruptError(f"the chunk holds {count} numbers; {target.size} belong into it")
