# SPDX-License-Identifier: Apache-2.0
"""The wrapped format of the C++ library from Python (wrapped_shim.cpp)."""

from __future__ import annotations

from ctypes import POINTER, byref, c_int32, c_uint32, c_uint64, c_void_p

import numpy as np
from numpact_ctypes import (
    BYTES,
    CONFIG,
    DECLARATIONS,
    DTYPES,
    ERROR,
    HANDLE_OUT,
    LIBRARY,
    SIZE_OUT,
    TYPE_BYTES,
    ByteView,
    Config,
    c_config,
    call,
    type_byte,
)

TYPE_OUT = POINTER(c_uint32)
DECLARATIONS |= {
    "wrapped_header": (c_int32, (*BYTES, SIZE_OUT, ERROR)),
    "chunk_encoder_new": (c_int32, (c_uint32, *BYTES, CONFIG, HANDLE_OUT, ERROR)),
    "chunk_encoder_free": (None, (c_void_p,)),
    "chunk_page_count": (c_uint64, (c_void_p,)),
    "chunk_page_n": (c_uint64, (c_void_p, c_uint64)),
    "chunk_meta_bound": (c_uint64, (c_void_p,)),
    "chunk_page_bound": (c_uint64, (c_void_p, c_uint64)),
    "chunk_write_meta": (c_int32, (c_void_p, *BYTES, SIZE_OUT, ERROR)),
    "chunk_write_page": (c_int32, (c_void_p, c_uint64, *BYTES, SIZE_OUT, ERROR)),
    "wrapped_read_header": (c_int32, (*BYTES, TYPE_OUT, TYPE_OUT, SIZE_OUT, ERROR)),
    "chunk_decoder_new": (
        c_int32,
        (*BYTES, c_uint32, c_uint32, c_uint32, HANDLE_OUT, SIZE_OUT, ERROR),
    ),
    "chunk_decoder_free": (None, (c_void_p,)),
    "chunk_decode_page": (
        c_int32,
        (c_void_p, c_void_p, *BYTES, c_uint64, c_uint32, *BYTES, SIZE_OUT, ERROR),
    ),
}


def wrapped_header() -> bytes:
    out, written = np.empty(16, np.uint8), c_uint64()
    call("wrapped_header", out.ctypes.data, out.size, byref(written))
    return out[: written.value].tobytes()


def read_wrapped_header(data: bytes) -> tuple[int, int, int]:
    """(major, minor, bytes read)"""
    view, major, minor, consumed = ByteView(data), c_uint32(), c_uint32(), c_uint64()
    call("wrapped_read_header", view.address, view.size, byref(major), byref(minor),
          byref(consumed))
    return major.value, minor.value, consumed.value


class ChunkEncoder:
    """A chunk of the wrapped format, being written."""

    def __init__(self, array: np.ndarray, config: Config = Config()):
        self._handle = c_void_p()
        call("chunk_encoder_new", type_byte(array), array.ctypes.data, array.size,
              byref(c_config(config)), byref(self._handle))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            LIBRARY.shim_chunk_encoder_free(self._handle)

    def page_sizes(self) -> list[int]:
        count = LIBRARY.shim_chunk_page_count(self._handle)
        return [LIBRARY.shim_chunk_page_n(self._handle, page) for page in range(count)]

    def meta(self) -> bytes:
        out = np.empty(LIBRARY.shim_chunk_meta_bound(self._handle), np.uint8)
        written = c_uint64()
        call("chunk_write_meta", self._handle, out.ctypes.data, out.size, byref(written))
        return out[: written.value].tobytes()

    def page(self, page: int) -> bytes:
        out = np.empty(LIBRARY.shim_chunk_page_bound(self._handle, page), np.uint8)
        written = c_uint64()
        call("chunk_write_page", self._handle, page, out.ctypes.data, out.size, byref(written))
        return out[: written.value].tobytes()


class ChunkDecoder:
    """A chunk of the wrapped format, being read."""

    def __init__(self, meta: bytes, type_name: str, major: int = 4, minor: int = 1):
        self._handle = c_void_p()
        self._type = type_name
        view, consumed = ByteView(meta), c_uint64()
        call("chunk_decoder_new", view.address, view.size, TYPE_BYTES[type_name], major, minor,
              byref(self._handle), byref(consumed))
        self.meta_size = consumed.value

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            LIBRARY.shim_chunk_decoder_free(self._handle)

    def page(self, data: bytes, page_n: int, capacity: int | None = None) -> tuple[np.ndarray, int]:
        """The page's first `capacity` numbers (all by default) and the bytes it took."""
        out = np.zeros(page_n if capacity is None else capacity, DTYPES[self._type])
        view, consumed = ByteView(data), c_uint64()
        call("chunk_decode_page", self._handle, None, view.address, view.size, page_n,
              TYPE_BYTES[self._type], out.ctypes.data, out.size, byref(consumed))
        return out, consumed.value
