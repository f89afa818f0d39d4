# SPDX-License-Identifier: Apache-2.0
"""The C++ library from Python, for the benchmarks and the oracle tests only (see shim.cpp)."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int32, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
LIBRARY_NAME = "libnumpact_bench_shim.so"

TYPE_BYTES = {
    "u32": 1, "u64": 2, "i32": 3, "i64": 4, "f32": 5, "f64": 6,
    "u16": 7, "i16": 8, "f16": 9, "u8": 10, "i8": 11,
}  # fmt: skip
_KINDS = {"u": "uint", "i": "int", "f": "float"}
DTYPES = {name: np.dtype(_KINDS[name[0]] + name[1:]) for name in TYPE_BYTES}
TYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
TYPE_OF_BYTE = {byte: name for name, byte in TYPE_BYTES.items()}

ERROR_KINDS = {
    10: "invalid_argument", 11: "type_mismatch", 12: "output_too_small", 20: "corrupt",
    21: "truncated", 22: "unsupported_version", 23: "checksum", 30: "limit_exceeded",
    31: "out_of_memory", 40: "io", 50: "cancelled",
}  # fmt: skip

MODE_KINDS = ["auto", "classic", "int_mult", "float_mult", "float_quant", "dict"]
DELTA_KINDS = ["auto", "none", "consecutive", "lookback", "conv1"]


class NumpactError(Exception):
    """An error of the library; `kind` is one of the values of ERROR_KINDS."""

    def __init__(self, kind: str, message: str, offset: int | None, chunk: int | None):
        place = "" if offset is None else f" (byte {offset})"
        super().__init__(message + place)
        self.kind = kind
        self.offset = offset
        self.chunk = chunk


@dataclass(frozen=True)
class Config:
    """EncodeConfig. `mode_value` is the base or k, `delta_order` the order, where they apply."""

    level: int = 8
    mode: str = "auto"
    mode_value: float = 0
    delta: str = "auto"
    delta_order: int = 0
    max_page_n: int | None = None
    page_sizes: Sequence[int] | None = None
    uniform_type: bool = True


class _Config(ctypes.Structure):
    _fields_ = [
        ("level", c_uint32),
        ("mode_kind", c_uint32),
        ("int_base", c_uint64),
        ("float_base", c_double),
        ("quant_k", c_uint32),
        ("delta_kind", c_uint32),
        ("delta_order", c_uint32),
        ("uniform_type", c_uint32),
        ("max_page_n", c_uint64),
        ("page_sizes", POINTER(c_uint64)),
        ("page_count", c_uint64),
    ]


class _Error(ctypes.Structure):
    _fields_ = [("offset", c_uint64), ("chunk", c_uint64), ("message", c_char * 240)]


class Header(ctypes.Structure):
    """FileHeader; the types are bytes, 0 for none."""

    _fields_ = [
        ("standalone_version", c_uint32),
        ("format_major", c_uint32),
        ("format_minor", c_uint32),
        ("uniform_type", c_uint32),
        ("number_type", c_uint32),
        ("n_hint", c_uint64),
        ("size_bytes", c_uint64),
    ]


SIZE_OUT = POINTER(c_uint64)
HANDLE_OUT = POINTER(c_void_p)
CONFIG = POINTER(_Config)
ERROR = POINTER(_Error)
BYTES = (c_void_p, c_uint64)

# name: (result, arguments)
DECLARATIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "encode_context_new": (c_void_p, ()),
    "encode_context_free": (None, (c_void_p,)),
    "decode_context_new": (c_void_p, ()),
    "decode_context_free": (None, (c_void_p,)),
    "set_threads": (c_uint32, (c_uint32,)),
    "compress_bound": (c_int32, (c_uint32, c_uint64, CONFIG, SIZE_OUT, ERROR)),
    "compress": (c_int32, (c_void_p, c_uint32, *BYTES, CONFIG, *BYTES, SIZE_OUT, ERROR)),
    "estimate": (c_int32, (c_void_p, c_uint32, *BYTES, CONFIG, SIZE_OUT, ERROR)),
    "decompress": (c_int32, (c_void_p, *BYTES, c_uint32, *BYTES, SIZE_OUT, ERROR)),
    "count": (c_int32, (*BYTES, SIZE_OUT, ERROR)),
    "header": (c_int32, (*BYTES, POINTER(Header), ERROR)),
    "inspect": (c_int32, (*BYTES, HANDLE_OUT, ERROR)),
    "text_data": (c_char_p, (c_void_p,)),
    "text_free": (None, (c_void_p,)),
}


def library_path() -> Path:
    """Where the shim is: NUMPACT_SHIM, else the release build of this checkout."""
    named = os.environ.get("NUMPACT_SHIM")
    path = Path(named) if named else ROOT / "build" / "release" / "bench" / LIBRARY_NAME
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: build numpact_bench_shim (./dev build) or "
                                "name the library in NUMPACT_SHIM")
    return path


class _Library:
    """The functions of the shim. It is loaded when the first one is asked for, so that a program
    can set NUMPACT_TARGET before; an older build may lack some."""

    _loaded: ctypes.CDLL | None = None

    def __getattr__(self, name: str) -> Any:
        if self._loaded is None:
            self._loaded = ctypes.CDLL(str(library_path()))
        function = getattr(self._loaded, name)
        function.restype, function.argtypes = DECLARATIONS[name.removeprefix("shim_")]
        setattr(self, name, function)  # found without this method from now on
        return function


LIBRARY = _Library()
_NONE = 2**64 - 1


def _check(kind: int, error: _Error) -> None:
    if kind != 0:
        offset = None if error.offset == _NONE else error.offset
        chunk = None if error.chunk == _NONE else error.chunk
        message = error.message.decode(errors="replace")
        raise NumpactError(ERROR_KINDS.get(kind, f"kind {kind}"), message, offset, chunk)


def call(name: str, *arguments: Any) -> None:
    error = _Error()
    _check(getattr(LIBRARY, "shim_" + name)(*arguments, byref(error)), error)


def type_byte(array: np.ndarray) -> int:
    if not array.flags.c_contiguous or array.ndim != 1:
        raise ValueError("a one-dimensional contiguous array is needed")
    return TYPE_BYTES[TYPE_NAMES[array.dtype]]


def c_config(config: Config) -> _Config:
    out = _Config(
        level=config.level,
        mode_kind=MODE_KINDS.index(config.mode),
        delta_kind=DELTA_KINDS.index(config.delta),
        delta_order=config.delta_order,
        uniform_type=int(config.uniform_type),
        max_page_n=config.max_page_n or 0,
    )
    if config.mode == "int_mult":
        out.int_base = int(config.mode_value)
    elif config.mode == "float_mult":
        out.float_base = float(config.mode_value)
    elif config.mode == "float_quant":
        out.quant_k = int(config.mode_value)
    if config.page_sizes is not None:
        sizes = list(config.page_sizes)
        out.page_sizes = (c_uint64 * len(sizes))(*sizes)
        out.page_count = len(sizes)
    return out


class ByteView:
    """The address and size of bytes-like memory, which it keeps alive."""

    def __init__(self, data: bytes | np.ndarray):
        self.array = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        self.address = self.array.ctypes.data
        self.size = self.array.nbytes


def set_threads(threads: int) -> bool:
    """Sets the number of threads of decoding; False if the library has one only."""
    try:
        return bool(LIBRARY.shim_set_threads(threads)) or threads == 1
    except AttributeError:
        return threads == 1


def compress_bound(array: np.ndarray, config: Config = Config()) -> int:
    bound = c_uint64()
    call("compress_bound", type_byte(array), array.size, byref(c_config(config)), byref(bound))
    return bound.value


def compress(array: np.ndarray, config: Config = Config()) -> bytes:
    compressor = Compressor(array, config)
    return compressor.result(compressor.run())


def decompress(file: bytes, dtype: np.dtype, capacity: int) -> np.ndarray:
    """The numbers of a file that holds at most `capacity` of them."""
    out = np.empty(capacity, dtype)
    return out[: Decompressor(file, out).run()]


def count_numbers(file: bytes) -> int:
    view, count = ByteView(file), c_uint64()
    call("count", view.address, view.size, byref(count))
    return count.value


def read_header(file: bytes) -> Header:
    view, header = ByteView(file), Header()
    call("header", view.address, view.size, byref(header))
    return header


def inspect(file: bytes) -> dict[str, Any]:
    view, text = ByteView(file), c_void_p()
    call("inspect", view.address, view.size, byref(text))
    try:
        return json.loads(LIBRARY.shim_text_data(text))
    finally:
        LIBRARY.shim_text_free(text)


class Compressor:
    """One array to compress again and again, with warm scratch memory and output.

    The output has exactly compress_bound bytes, so writing past the bound would show.
    """

    def __init__(self, array: np.ndarray, config: Config = Config(), warm: bool = True):
        self._array = array
        self._config = c_config(config)
        self._out = np.empty(max(1, compress_bound(array, config)), np.uint8)
        self._written = c_uint64()
        self._error = _Error()
        self._context = LIBRARY.shim_encode_context_new() if warm else None
        self._arguments = (
            self._context, type_byte(array), array.ctypes.data, array.size, byref(self._config),
            self._out.ctypes.data, self._out.size, byref(self._written), byref(self._error),
        )  # fmt: skip

    def __del__(self) -> None:
        if getattr(self, "_context", None):
            LIBRARY.shim_encode_context_free(self._context)

    def run(self) -> int:
        kind = LIBRARY.shim_compress(*self._arguments)
        if kind != 0:
            _check(kind, self._error)
        return self._written.value

    def result(self, size: int) -> bytes:
        return self._out[:size].tobytes()


class Estimator:
    """One array whose compressed size is estimated again and again."""

    def __init__(self, array: np.ndarray, config: Config = Config()):
        self._array = array
        self._config = c_config(config)
        self._found = (c_uint64 * 2)()
        self._error = _Error()
        self._context = LIBRARY.shim_encode_context_new()
        self._arguments = (
            self._context, type_byte(array), array.ctypes.data, array.size, byref(self._config),
            self._found, byref(self._error),
        )  # fmt: skip

    def __del__(self) -> None:
        if getattr(self, "_context", None):
            LIBRARY.shim_encode_context_free(self._context)

    def run(self) -> tuple[int, int]:
        """The expected bytes, and their error."""
        kind = LIBRARY.shim_estimate(*self._arguments)
        if kind != 0:
            _check(kind, self._error)
        return self._found[0], self._found[1]


class Decompressor:
    """One file to decompress again and again into the same array."""

    def __init__(self, file: bytes, out: np.ndarray, warm: bool = True):
        self._view = ByteView(file)
        self._out = out
        self._count = c_uint64()
        self._error = _Error()
        self._context = LIBRARY.shim_decode_context_new() if warm else None
        self._arguments = (
            self._context, self._view.address, self._view.size, type_byte(out), out.ctypes.data,
            out.size, byref(self._count), byref(self._error),
        )  # fmt: skip

    def __del__(self) -> None:
        if getattr(self, "_context", None):
            LIBRARY.shim_decode_context_free(self._context)

    def run(self) -> int:
        kind = LIBRARY.shim_decompress(*self._arguments)
        if kind != 0:
            _check(kind, self._error)
        return self._count.value
