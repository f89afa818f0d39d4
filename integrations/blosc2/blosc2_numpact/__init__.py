# SPDX-License-Identifier: Apache-2.0
"""Pco as a codec of Blosc2.

``register()`` once in each process makes Blosc2 read and write it; ``cparams(dtype)`` gives the
parameters for arrays of a type.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["CODEC_ID", "NAME", "cparams", "libpath", "print_libpath", "register", "type_code"]

#: The name of the codec in Blosc2. It finds the library and this module by it.
NAME = "numpact"
#: Stored in every chunk. Blosc2 leaves 160 to 255 to users: another codec of this id in the same
#: process is an error.
CODEC_ID = 217

# The types of Pco by kind and size, as numpact.h numbers them.
_TYPES = {
    "u1": 10, "u2": 7, "u4": 1, "u8": 2,
    "i1": 11, "i2": 8, "i4": 3, "i8": 4,
    "f2": 9, "f4": 5, "f8": 6,
    # Dates are integers, booleans bytes, complex numbers pairs of floats.
    "M8": 4, "m8": 4, "b1": 10, "c8": 5, "c16": 6,
}  # fmt: skip

_loaded: list[ctypes.CDLL] = []


def libpath() -> str:
    """The path of the plug-in."""
    name = "blosc2_numpact.dll" if sys.platform == "win32" else "libblosc2_numpact.so"
    folder = Path(__file__).resolve().parent
    built = folder / name
    return str(built if built.exists() or sys.platform != "darwin" else built.with_suffix(".dylib"))


def print_libpath() -> None:
    """Prints the path; Blosc2 asks for it in a process of its own."""
    print(libpath(), end="")


def register() -> None:
    """Registers the codec with Blosc2 in this process. May be called again."""
    import blosc2

    if _loaded:
        return
    # Blosc2 asks for the library by its bare name, which finds one that is loaded: no search path
    # is needed, and no Python process is started to ask for the path.
    library = ctypes.CDLL(libpath())
    blosc2.register_codec(NAME, CODEC_ID, None, None)
    _loaded.append(library)


def type_code(dtype: npt.DTypeLike) -> int:
    """``codec_meta`` for arrays of a type; 0, unsigned integers of its size, for types that Pco
    does not have, and for numbers of the other byte order."""
    import numpy as np

    kind = np.dtype(dtype)
    if not kind.isnative:
        return 0
    return _TYPES.get(f"{kind.kind}{kind.itemsize}", 0)


def cparams(dtype: npt.DTypeLike, clevel: int = 5, **options: Any) -> Any:
    """``blosc2.CParams`` for arrays of a type, after ``register()``: Pco alone, without filters,
    which would turn numbers into bytes, on whole blocks.

    Args:
        dtype: The type of the array.
        clevel: 1 to 9; 5 is level 8 of numpact, 9 is level 12. 0 stores.
        options: Further arguments of ``blosc2.CParams``, for example ``nthreads``.
    """
    import blosc2
    import numpy as np

    register()
    fixed: dict[str, Any] = {
        "codec": CODEC_ID,
        "codec_meta": type_code(dtype),
        "clevel": clevel,
        "typesize": np.dtype(dtype).itemsize,
        "filters": [blosc2.Filter.NOFILTER],
        "filters_meta": [0],
        "splitmode": blosc2.SplitMode.NEVER_SPLIT,
    }
    return blosc2.CParams(**(fixed | options))
