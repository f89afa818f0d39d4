# SPDX-License-Identifier: Apache-2.0
"""The codec "numcodecs.pcodec" of Zarr v3."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict

from zarr.abc.codec import ArrayBytesCodec

from .. import _core
from .._arrays import stored
from .._errors import InvalidArgumentError, TypeMismatchError
from .._number_types import dtype_of, type_name
from . import _gpu
from ._buffers import undeclared
from ._imagecodecs import NAME as IMAGECODECS_NAME
from ._imagecodecs import new_chunk, refuse_writing
from ._numcodec import PCodec, decode_exactly
from ._settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self, Unpack
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, NDBuffer
    from zarr.core.common import JSON

NAME = "numcodecs.pcodec"

# Decoding fewer numbers takes less time than switching to another thread.
_SMALL_CHUNK = 1 << 14


class Configuration(TypedDict, total=False):
    """The arguments of ``PCodec``, with the same defaults."""

    level: int
    mode_spec: str
    delta_spec: str
    paging_spec: str
    delta_encoding_order: int | None
    equal_pages_up_to: int


class PcoCodec(ArrayBytesCodec):
    """Pco as a serializer of Zarr v3: ``zarr.create_array(..., serializer=PcoCodec(level=9))``.

    Stores the same metadata and chunks as ``zarr.codecs.numcodecs.PCodec``, also behind filters. In
    addition it accepts both byte orders, refuses chunks of another type than the array unless a
    filter restores the type, and does not decode more numbers than a chunk can contain.

    Args:
        configuration: Keyword arguments of ``PCodec``. Only the given ones are stored.

    Raises:
        TypeError: An unknown argument.
        InvalidArgumentError, TypeMismatchError: Invalid settings, when something is encoded.

    Immutable; threads may share it.
    """

    __module__ = "numpact.zarr"  # the name that ZARR_CODECS and pickles use
    is_fixed_size = False

    configuration: dict[str, Any]
    _settings: Settings

    def __init__(self, **configuration: Unpack[Configuration]) -> None:
        codec = PCodec(**configuration)
        whole = codec.settings.as_json()
        # The base class is a frozen dataclass.
        given = {name: whole[name] for name in whole if name in configuration}
        if whole["delta_spec"] != codec.delta_spec:  # as an order
            del given["delta_spec"]
            given["delta_encoding_order"] = whole["delta_encoding_order"]
        object.__setattr__(self, "configuration", given)
        object.__setattr__(self, "_settings", codec.settings)

    @classmethod
    def from_dict(cls, data: dict[str, JSON]) -> Self:
        """A codec from its entry in zarr.json."""
        if data.get("name") != NAME:
            raise InvalidArgumentError(f"the codec is named {data.get('name')!r}, not {NAME!r}")
        configuration: Any = data.get("configuration") or {}
        if not isinstance(configuration, dict):
            raise InvalidArgumentError(f"the configuration of {NAME} is not an object")
        return cls(**configuration)

    def to_dict(self) -> dict[str, JSON]:
        """Its entry in zarr.json."""
        return {"name": NAME, "configuration": dict(self.configuration)}

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        raise NotImplementedError("how small a chunk becomes depends on its numbers")

    def _encode_sync(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        # The type is that of the chunk and not of the array: filters may have changed it, and some
        # do so without a word in chunk_spec.
        numbers = stored(chunk_array.as_numpy_array().reshape(-1))
        file = _core.compress(
            numbers,
            **self._settings.core(numbers.size),
            uniform_type=numbers.size == 0,
            threads=1,
            progress=None,
        )
        buffer: Buffer = chunk_spec.prototype.buffer.from_bytes(file)
        return buffer

    def _decode_sync(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        file: Any = chunk_bytes.as_numpy_array()
        declared = chunk_spec.dtype.to_native_dtype().newbyteorder("=")
        base = chunk_spec.prototype.nd_buffer
        try:
            type_name(declared)
            array = new_chunk(chunk_spec.shape, declared)
            decode_exactly(file, array)
        except TypeMismatchError:
            name = _core.read_header(file)["number_type"]
            if name is None or dtype_of(name) == declared:
                raise
            array = new_chunk(chunk_spec.shape, dtype_of(name))
            decode_exactly(file, array)
            return undeclared(array, declared, base)
        buffer: NDBuffer = base.from_numpy_array(array)
        return buffer

    async def decode(
        self, chunks_and_specs: Iterable[tuple[Buffer | None, ArraySpec]]
    ) -> Iterable[NDBuffer | None]:
        """Decodes the chunks of a batch: on the GPU by one call if zarr wants them there."""
        chunks = list(chunks_and_specs)
        device = _gpu.device_of_chunks(chunks)
        if device is not None:
            found = await asyncio.to_thread(_gpu.decoded_on_device, chunks, device)
            if found is not None:
                return found
        return await super().decode(chunks)

    async def _encode_single(self, chunk_data: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        return await asyncio.to_thread(self._encode_sync, chunk_data, chunk_spec)

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        if math.prod(chunk_spec.shape) <= _SMALL_CHUNK:
            return self._decode_sync(chunk_data, chunk_spec)
        return await asyncio.to_thread(self._decode_sync, chunk_data, chunk_spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PcoCodec) or type(other) is not type(self):
            return NotImplemented
        return self.configuration == other.configuration

    def __hash__(self) -> int:
        return hash((type(self), *sorted(self.configuration.items())))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.configuration.items())
        return f"PcoCodec({given})"


class ImagecodecsSerializer(PcoCodec):
    """The codec "imagecodecs_pcodec" of Zarr v3, for reading: see ``ImagecodecsPcodec``."""

    def __init__(self, **configuration: Any) -> None:
        super().__init__()
        object.__setattr__(self, "configuration", configuration)

    @classmethod
    def from_dict(cls, data: dict[str, JSON]) -> Self:
        """A codec from its entry in zarr.json."""
        configuration: Any = data.get("configuration") or {}
        return cls(**configuration)

    def to_dict(self) -> dict[str, JSON]:
        """Its entry in zarr.json."""
        return {"name": IMAGECODECS_NAME, "configuration": dict(self.configuration)}

    def _encode_sync(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> NoReturn:
        refuse_writing()

    def __repr__(self) -> str:
        return super().__repr__().replace("PcoCodec", "ImagecodecsSerializer", 1)
