# SPDX-License-Identifier: Apache-2.0
"""The dictionary that makes xarray store a dataset with Pco."""

from __future__ import annotations

import operator
import re
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

import numpy as np

from .._errors import InvalidArgumentError, TypeMismatchError
from .._number_types import is_stored
from .._shown import few
from ._numcodec import PCodec

if TYPE_CHECKING:
    import xarray as xr

# Decimals, or "keepbits=N".
Rounding: TypeAlias = Union[int, str]

# xarray replaces the whole encoding of a variable by the one that it is given, so these stay.
_OF_CONVENTIONS = (
    "dtype", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units",
    "calendar",
)  # fmt: skip
_OF_CHUNKS = {
    2: ("chunks", "write_empty_chunks"),
    3: ("chunks", "write_empty_chunks", "shards", "chunk_key_encoding", "fill_value"),
}

# More decimals than float64 has digits change nothing.
_MAX_DECIMALS = 15
_KEEPBITS = re.compile(r"keepbits=(\d+)")
_MANTISSA_BITS = {2: 10, 4: 23, 8: 52}


def encoding(
    ds: xr.Dataset | xr.DataArray,
    *,
    level: int = 8,
    checksum: bool = True,
    round: int | str | Mapping[Any, int | str | None] | None = None,
    zarr_format: Literal[2, 3] = 3,
) -> dict[Hashable, dict[str, Any]]:
    """The encodings with which ``ds.to_zarr(store, encoding=...)`` stores a dataset with Pco.

    There is an entry for each variable and coordinate that xarray stores as numbers of a type that
    Pco has: integers, floats, booleans, and dates and times, which xarray stores as integers.
    Others, such as text, have none and keep what zarr uses for them; an entry without codecs if
    theirs are of the other version of Zarr. Entries keep the type, scale, offset, fill value,
    units, calendar, chunks and shards that a variable has in its encoding; only filters and
    compressors are replaced. Nothing is read or computed.

    Args:
        ds: A dataset, or a DataArray that has a name.
        level: 0 (fast) to 12 (small).
        checksum: Store a CRC-32C behind each chunk, 4 bytes, so that damage is an error.
        round: Decimals to keep, or ``"keepbits=N"`` for N bits of the mantissa. One value is for
            all data variables stored as floats, and not for coordinates; a mapping names
            variables, and None in it rounds nothing. With N decimals a number changes by at most
            half a unit of the last one. Where rounding would change the fill value, NaN becomes
            the fill value.
        zarr_format: As ``to_zarr`` gets it. Zarr v2 has no place for a checksum, so
            ``checksum=False`` must be given.

    Returns:
        The encodings by the name of the variable. ``to_zarr`` accepts them for new variables only.

    Raises:
        InvalidArgumentError: A level, a rounding or a format that does not exist; a rounding for a
            variable that does not exist, is packed or has a fill value in its attributes.
        TypeMismatchError: ``ds`` is something else; a rounding for a variable that is not stored
            as floats, or of decimals for float16. The messages name the variable.
    """
    dataset = dataset_of(ds)
    codecs = _codecs(level, checksum, zarr_format)
    stored = {name: stored_dtype(variable) for name, variable in dataset.variables.items()}
    roundings = _roundings(dataset, stored, round)
    found: dict[Hashable, dict[str, Any]] = {}
    for name, variable in dataset.variables.items():
        dtype = stored[name]
        kept = (*_OF_CONVENTIONS, *_OF_CHUNKS[zarr_format])
        entry = {key: variable.encoding[key] for key in kept if key in variable.encoding}
        if dtype is None:
            if _has_codecs_of_other_format(variable, zarr_format):
                found[name] = entry
            continue
        if not dtype.isnative:
            # Filters and Zarr v2 take big-endian numbers for others.
            entry["dtype"] = dtype.newbyteorder("=")
        entry.update(codecs)
        if name in roundings:
            _keep_missing(entry, name, variable, dtype.newbyteorder("="), roundings[name])
            entry["filters"] = [_filter(roundings[name], zarr_format)]
        found[name] = entry
    return found


def dataset_of(ds: object) -> xr.Dataset:
    import xarray as xr

    if isinstance(ds, xr.DataArray):
        if ds.name is None:
            raise InvalidArgumentError("the DataArray has no name, by which xarray stores it")
        return ds.to_dataset(name=ds.name)
    if not isinstance(ds, xr.Dataset):
        raise TypeMismatchError(
            f"{type(ds).__name__} is not a dataset of xarray; in a DataTree each node has one"
        )
    return ds


def _codecs(level: int, checksum: bool, zarr_format: int) -> dict[str, Any]:
    codec = PCodec(level=level)
    codec.settings.core()  # raises for levels that do not exist
    if zarr_format == 2:
        if checksum:
            raise InvalidArgumentError(
                "Zarr v2 has no place for a checksum behind the codec: give checksum=False"
            )
        return {"compressors": codec}
    if zarr_format != 3:
        raise InvalidArgumentError(f"zarr_format must be 2 or 3, not {zarr_format!r}")
    from zarr.codecs import Crc32cCodec

    from ._serializer import PcoCodec

    compressors = [Crc32cCodec()] if checksum else None
    return {"serializer": PcoCodec(level=level), "compressors": compressors}


def stored_dtype(variable: xr.Variable) -> np.dtype[Any] | None:
    """The type of the numbers that xarray stores for a variable; None if it stores none for Pco."""
    declared = variable.encoding.get("dtype")
    try:
        dtype = np.dtype(variable.dtype if declared is None else declared)
    except TypeError:  # a type of pandas
        return None
    if dtype.kind == "O" and _is_cftime(variable):
        return np.dtype(np.int64)
    if dtype.kind in "mM":
        return np.dtype(np.int64)
    return dtype if dtype.kind in "biuf" and is_stored(dtype) else None


def _has_codecs_of_other_format(variable: xr.Variable, zarr_format: int) -> bool:
    is_version_3 = "serializer" in variable.encoding
    return "compressors" in variable.encoding and is_version_3 != (zarr_format == 3)


def _is_cftime(variable: xr.Variable) -> bool:
    if variable.size == 0 or variable.chunks is not None:  # reading nothing from a store
        return False
    first = variable[(0,) * variable.ndim].values.item()
    return type(first).__module__.partition(".")[0] == "cftime"


def _roundings(
    dataset: xr.Dataset,
    stored: Mapping[Hashable, np.dtype[Any] | None],
    round: Rounding | Mapping[Any, Rounding | None] | None,
) -> dict[Hashable, dict[str, Any]]:
    """The configuration of the filter of numcodecs for each variable that is rounded."""
    if round is None:
        return {}
    if not isinstance(round, Mapping):
        chosen = [
            name
            for name in dataset.data_vars
            if _is_float(stored[name]) and not is_packed(dataset.variables[name])
        ]
        return {name: _rounding(name, stored[name], round) for name in chosen}
    found: dict[Hashable, dict[str, Any]] = {}
    for name, value in round.items():
        if name not in dataset.variables:
            known = few([str(known) for known in dataset.variables])
            raise InvalidArgumentError(f"round: there is no variable {name!r}, but {known}")
        if value is None:
            continue
        if is_packed(dataset.variables[name]):
            raise InvalidArgumentError(
                f"round: {name!r} is packed, so its scale_factor says how it is rounded"
            )
        found[name] = _rounding(name, stored[name], value)
    return found


def _is_float(dtype: np.dtype[Any] | None) -> bool:
    return dtype is not None and dtype.kind == "f"


def is_packed(variable: xr.Variable) -> bool:
    return "scale_factor" in variable.encoding or "add_offset" in variable.encoding


def _rounding(name: Hashable, dtype: np.dtype[Any] | None, value: Rounding) -> dict[str, Any]:
    if dtype is None or not _is_float(dtype):
        kind = "other things than numbers" if dtype is None else str(dtype)
        raise TypeMismatchError(f"round: {name!r} is stored as {kind}, not as floats")
    bits = _MANTISSA_BITS[dtype.itemsize]
    if isinstance(value, str):
        match = _KEEPBITS.fullmatch(value)
        if not match or int(match[1]) > bits:
            raise InvalidArgumentError(
                f"round: {few(value)} of {name!r} is neither a number of decimals nor 'keepbits=N' "
                f"of 0 to {bits} bits"
            )
        return {"id": "bitround", "keepbits": int(match[1])}
    decimals = _decimals(name, value)
    if dtype.itemsize == 2:
        raise TypeMismatchError(
            f"round: decimals of {name!r} overflow in float16: give it 'keepbits=N'"
        )
    return {"id": "quantize", "digits": decimals, "dtype": dtype.newbyteorder("=").str}


def _decimals(name: Hashable, value: object) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        decimals = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeMismatchError(
            f"round: {name!r} has {few(value)}, not a whole number of decimals or 'keepbits=N'"
        ) from None
    if abs(decimals) > _MAX_DECIMALS:
        raise InvalidArgumentError(
            f"round: {name!r} has {decimals} decimals; {-_MAX_DECIMALS} to {_MAX_DECIMALS} are "
            "possible"
        )
    return decimals


def _filter(configuration: Mapping[str, Any], zarr_format: int) -> Any:
    if zarr_format == 2:
        import numcodecs

        return numcodecs.get_codec(dict(configuration))
    settings = {key: value for key, value in configuration.items() if key != "id"}
    return {"name": f"numcodecs.{configuration['id']}", "configuration": settings}


def _keep_missing(
    entry: dict[str, Any],
    name: Hashable,
    variable: xr.Variable,
    dtype: np.dtype[Any],
    configuration: Mapping[str, Any],
) -> None:
    """Makes NaN the fill value of a rounded variable whose fill value would be rounded too.

    xarray recognizes missing numbers by their exact value.
    """
    import numcodecs

    codec = numcodecs.get_codec(dict(configuration))
    keys = ("_FillValue", "missing_value")
    for key in keys:
        if variable.attrs.get(key) is not None:
            _check_fill(codec, name, key, variable.attrs[key], dtype)
    fills = [entry[key] for key in keys if entry.get(key) is not None]
    if any(not _survives(codec, fill, dtype) for fill in fills):
        entry.pop("missing_value", None)
        entry["_FillValue"] = dtype.type(np.nan)


def _check_fill(codec: Any, name: Hashable, key: str, fill: Any, dtype: np.dtype[Any]) -> None:
    if not _survives(codec, fill, dtype):
        raise InvalidArgumentError(
            f"round: the attribute {key} of {name!r}, {fill}, would be rounded: open the dataset "
            "with mask_and_scale=True, or replace the value"
        )


def _survives(codec: Any, fill: Any, dtype: np.dtype[Any]) -> bool:
    with np.errstate(over="ignore"):
        value = np.atleast_1d(np.asarray(fill, dtype))
        return bool(np.array_equal(codec.decode(codec.encode(value)), value, equal_nan=True))
