# SPDX-License-Identifier: Apache-2.0
"""Run by Debian's Python: calls the plug-in's two functions as GDAL's programs in C do.

call_codec.py REQUESTS RESULTS: REQUESTS is a JSON list of calls, in hexadecimal where bytes are
meant; RESULTS becomes the list of what they returned.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

from osgeo import gdal

Function = ctypes.CFUNCTYPE(
    ctypes.c_bool,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_size_t),
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_void_p,
)


class Codec(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_int),
        ("id", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("metadata", ctypes.c_void_p),
        ("function", Function),
        ("user_data", ctypes.c_void_p),
    )


GUARD = b"\xa5" * 64


def library() -> ctypes.CDLL:
    """The GDAL of this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "/libgdal.so" in line:
            return ctypes.CDLL(line.split()[-1])
    raise RuntimeError("no libgdal in this process")


def call(libgdal: ctypes.CDLL, request: dict[str, Any]) -> dict[str, Any]:
    """`capacity`: of the caller's memory; -1: ask for the size; absent: let the codec allocate."""
    find = getattr(libgdal, f"CPLGet{request['what']}")
    find.restype, find.argtypes = ctypes.POINTER(Codec), [ctypes.c_char_p]
    codec = find(b"pcodec").contents
    given = bytes.fromhex(request["input"])
    options = [text.encode() for text in request.get("options", [])]
    texts = (ctypes.c_char_p * (len(options) + 1))(*options, None)
    capacity = request.get("capacity")
    size = ctypes.c_size_t(capacity if capacity is not None and capacity >= 0 else 77)
    memory = ctypes.create_string_buffer(GUARD + bytes(max(0, capacity or 0)) + GUARD)
    place = ctypes.c_void_p(ctypes.addressof(memory) + len(GUARD) if capacity is not None else None)
    gdal.ErrorReset()
    done = codec.function(
        ctypes.cast(ctypes.c_char_p(given), ctypes.c_void_p),
        len(given),
        None if capacity == -1 else ctypes.byref(place),
        ctypes.byref(size),
        texts,
        codec.user_data,
    )
    result: dict[str, Any] = {"done": done, "size": size.value, "error": gdal.GetLastErrorMsg()}
    if done and capacity != -1:
        result["output"] = ctypes.string_at(place.value, size.value).hex()
    if capacity is None:
        result["allocated"] = bool(place.value)
        libgdal.VSIFree.argtypes = [ctypes.c_void_p]
        libgdal.VSIFree(place)
    else:
        out_bytes = max(0, capacity)
        whole = memory.raw
        end = len(GUARD) + out_bytes
        result["guarded"] = whole.startswith(GUARD) and whole[end : end + len(GUARD)] == GUARD
    return result


def main() -> None:
    gdal.DontUseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    gdal.AllRegister()
    libgdal = library()
    requests = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([call(libgdal, request) for request in requests]))


main()
