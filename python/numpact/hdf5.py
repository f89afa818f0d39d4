# SPDX-License-Identifier: Apache-2.0
"""Pco as a filter of HDF5 files.

The import makes h5py read and write such datasets, in this process. Other programs, such as
h5dump and those that use netCDF, find the filter by the environment variable HDF5_PLUGIN_PATH,
which is to contain ``PLUGIN_PATH``. ``FILTER_ID`` is its number in files.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ._errors import InvalidArgumentError
from ._optional import require
from ._specs import DEFAULT_LEVEL, Delta, Mode, core_delta, core_level, core_mode

__all__ = ["FILTER_ID", "PLUGIN_PATH", "Pco", "register"]

#: The folder of the plug-in of HDF5 and netCDF, for HDF5_PLUGIN_PATH.
PLUGIN_PATH = str(Path(__file__).parent / "_hdf5")


class _FilterClass(ctypes.Structure):
    """The first members of H5Z_class2_t."""

    _fields_ = [("version", ctypes.c_int), ("id", ctypes.c_int)]


def _load() -> tuple[ctypes.CDLL, int]:
    """The plug-in, and the address of the description of its filter."""
    try:
        library = ctypes.CDLL(str(Path(PLUGIN_PATH, "libh5pco.so")))
    except OSError as error:
        raise ImportError(f"this build of numpact has no plug-in for HDF5: {error}") from error
    library.H5PLget_plugin_info.restype = ctypes.c_void_p
    return library, library.H5PLget_plugin_info()


# HDF5 keeps pointers into the library, which stays loaded with this module.
_LIBRARY, _ADDRESS = _load()

#: The number of the filter in HDF5 files.
FILTER_ID: int = _FilterClass.from_address(_ADDRESS).id

# As in integrations/hdf5/parameters.hpp.
_CLASSIC_MODE = 1 << 0
_DELTA_SHIFT, _ORDER_SHIFT = 2, 4
_DELTAS = {"auto": 0, "none": 1, "consecutive": 2, "lookback": 3}
_FAVOR_DECODE_SPEED = 1 << 7


def _encoding(mode: Mode, delta: Delta, favor_decode_speed: bool) -> int:
    """The second parameter of the filter."""
    mode_name = core_mode(mode)
    if mode_name not in ("auto", "classic"):
        raise InvalidArgumentError(f"mode must be 'auto' or 'classic' in HDF5, not {mode_name!r}")
    name, _, order = core_delta(delta).partition("=")
    if name not in _DELTAS:
        raise InvalidArgumentError(
            "delta must be 'auto', 'none', 'consecutive=1' to 7 or 'lookback' in HDF5, "
            f"not {name!r}"
        )
    encoding = _DELTAS[name] << _DELTA_SHIFT
    if name == "consecutive":
        encoding |= int(order) << _ORDER_SHIFT
    if mode_name == "classic":
        encoding |= _CLASSIC_MODE
    return encoding | (_FAVOR_DECODE_SPEED if favor_decode_speed else 0)


class Pco(Mapping[str, Any]):
    """The settings of a dataset that is to be compressed.

    ``file.create_dataset(name, data=x, **Pco(level=8))``, or ``compression=Pco(level=8)``. The
    dataset is one of integers, enumerations, booleans or floats of 1, 2, 4 or 8 bytes in either
    byte order. Since h5py calls every filter optional, HDF5 creates other datasets without it, and
    stores chunks that would become larger as they are.

    Args:
        level: 0 (fast) to 12 (small).
        mode: ``"auto"`` or ``"classic"``.
        delta: ``"auto"``, ``"none"``, ``"consecutive=1"`` to ``"consecutive=7"``, ``"lookback"``.
        favor_decode_speed: Of encodings that are about as small, take the one that decodes fast.

    Raises:
        ImportError: h5py is not installed.
        InvalidArgumentError: A setting that does not exist, or not for HDF5.
    """

    filter_id: int = FILTER_ID
    filter_options: tuple[int, ...]

    def __init__(
        self,
        level: int = DEFAULT_LEVEL,
        *,
        mode: Mode = "auto",
        delta: Delta = "auto",
        favor_decode_speed: bool = False,
    ) -> None:
        require("h5py", "hdf5")
        encoding = _encoding(mode, delta, favor_decode_speed)
        self.filter_options = (core_level(level), encoding)

    def __getitem__(self, key: str) -> Any:
        return {"compression": self.filter_id, "compression_opts": self.filter_options}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(("compression", "compression_opts"))

    def __len__(self) -> int:
        return 2

    def __hash__(self) -> int:
        return hash(self.filter_options)

    def __repr__(self) -> str:
        return f"Pco(compression={self.filter_id}, compression_opts={self.filter_options})"


def register() -> None:
    """Makes the filter known to h5py, as the import does.

    Raises:
        ImportError: h5py is not installed.
    """
    h5py = require("h5py", "hdf5")
    if hasattr(h5py.h5z, "register_filter"):
        h5py.h5z.register_filter(_ADDRESS)
    else:  # h5py 3.8 lacks it: HDF5 finds the filter in the folder when it needs it
        h5py.h5pl.prepend(PLUGIN_PATH.encode())
    # Members that h5py requires of `compression=`, by duck typing.
    h5py.filters.FilterRefBase.register(Pco)


if importlib.util.find_spec("h5py") is not None:
    register()
