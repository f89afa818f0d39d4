# SPDX-License-Identifier: Apache-2.0
"""Pco as a filter of HDF5 files.

The import makes h5py and netCDF4 read and write such datasets, in this process and in those that it
starts: it puts ``PLUGIN_PATH`` before what HDF5_PLUGIN_PATH contains. Other programs, such as
h5dump, find the filter by this environment variable. ``FILTER_ID`` is its number in files.

``dataset.compression`` of h5py is this number for datasets with the filter, not "unknown", and
``compression_opts`` has the settings: so h5netcdf and xarray can write again what they have read.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
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

_VARIABLE = "HDF5_PLUGIN_PATH"
_DEFAULT_FOLDER = "/usr/local/hdf5/lib/plugin"  # that of HDF5 itself without the variable
_SETTINGS = 3  # parameters that a program sets; the filter adds the type behind them

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

    for name, member in (("compression", _compression), ("compression_opts", _compression_opts)):
        known = getattr(h5py.Dataset, name)
        if not getattr(known.fget, "is_of_numpact", False):
            setattr(h5py.Dataset, name, _with_filter(known, member))


def _parameters(dataset: Any) -> tuple[int, ...] | None:
    """The settings that a dataset was created with; None if it has no such filter."""
    plan = dataset.id.get_create_plist()
    for index in range(plan.get_nfilters()):
        code, _, values, _ = plan.get_filter(index)
        if code == FILTER_ID:
            return tuple(int(value) for value in values[:_SETTINGS])
    return None


def _compression(known: Any, parameters: tuple[int, ...]) -> Any:
    return FILTER_ID if known in (None, "unknown") else known


def _compression_opts(known: Any, parameters: tuple[int, ...]) -> Any:
    return parameters if known is None else known


def _with_filter(known: property, member: Any) -> property:
    """A property of h5py's datasets that also knows this filter; of others it stays as it is."""
    get = known.fget
    assert get is not None

    def value(dataset: Any) -> Any:
        found = get(dataset)
        if found not in (None, "unknown"):
            return found
        parameters = _parameters(dataset)
        return found if parameters is None else member(found, parameters)

    value.is_of_numpact = True  # type: ignore[attr-defined]
    return property(value, doc=known.__doc__)


def _folders_before() -> list[str]:
    """The folders in which HDF5 looks for plug-ins, as far as they are known."""
    known = os.environ.get(_VARIABLE)
    if known is not None:
        return known.split(os.pathsep)
    # The variable takes the place of HDF5's own folder, and of that which netCDF4 would set.
    folders = [_DEFAULT_FOLDER]
    netcdf = importlib.util.find_spec("netCDF4")
    for package in (netcdf.submodule_search_locations or ()) if netcdf is not None else ():
        own = os.path.join(package, "plugins")
        folders += [own] if os.path.isdir(own) else []
    return folders


def _set_plugin_path() -> None:
    """Makes the HDF5 of other libraries find the filter, also of those that are loaded later."""
    folders = dict.fromkeys([PLUGIN_PATH, *_folders_before()])
    os.environ[_VARIABLE] = os.pathsep.join(folders)
    loaded = sys.modules.get("netCDF4._netCDF4")
    if loaded is None:
        return
    # Its HDF5 has read the variable. The function is one of HDF5's interface; a name that the
    # module's file does not define is searched for in the libraries that it needs.
    prepend = getattr(ctypes.CDLL(str(loaded.__file__)), "H5PLprepend", None)
    if prepend is not None:
        prepend.argtypes, prepend.restype = (ctypes.c_char_p,), ctypes.c_int
        prepend(PLUGIN_PATH.encode())


_set_plugin_path()
if importlib.util.find_spec("h5py") is not None:
    register()
