# SPDX-License-Identifier: Apache-2.0
"""Datasets of xarray whose variables are rounded within a bound, and say so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Union

import numpy as np

from .. import __version__
from .._errors import InvalidArgumentError, TypeMismatchError
from .._lossy import Rounding, RoundingReport, rounding_of
from .._lossy import rounded as rounded_numbers
from .._shown import few
from .._specs import DEFAULT_LEVEL, core_level
from ._encoding import dataset_of, is_packed, stored_dtype

if TYPE_CHECKING:
    import xarray as xr

    Array = np.ndarray[Any, np.dtype[Any]]

_T = TypeVar("_T", int, float)
# The variable that CF 1.12 (section 8.4) has for the algorithm.
_KINDS = ("max_error", "keep_bits", "decimals")
_CONTAINER = "quantization_info"


def rounded(
    ds: xr.Dataset | xr.DataArray,
    *,
    max_error: Union[float, Mapping[Any, float], None] = None,
    keep_bits: Union[int, Mapping[Any, int], None] = None,
    decimals: Union[int, Mapping[Any, int], None] = None,
    level: int = DEFAULT_LEVEL,
    attributes: bool = True,
    report: Callable[[Hashable, RoundingReport], object] | None = None,
) -> xr.Dataset:
    """The dataset with variables rounded by ``numpact.round_numbers``, for Zarr, netCDF and others.

    What is stored then are plain numbers: readers need no filter. Each of the three requests is a
    value for all data variables that are stored as floats, or a mapping of names to values; no
    variable has two. NaN, infinities and zeros keep their bits, and no number becomes the fill
    value of its variable. A variable whose encoding has another float type is converted to it
    first, so that the bound holds for what is stored. Dask arrays stay lazy, and each of their
    chunks gets the step that suits it.

    Args:
        ds: A dataset, or a DataArray that has a name.
        max_error: No number changes by more than this.
        keep_bits: Bits of the mantissa to keep.
        decimals: Digits behind the point to keep.
        level: At which the numbers will be compressed.
        attributes: Describe the rounding in attributes. ``keep_bits``: those of CF 1.12,
            ``quantization`` and ``quantization_nsb``, and the variable ``quantization_info``.
            ``decimals``: ``least_significant_digit``, as netCDF4 for Python writes it.
            ``max_error``, for which there is no convention:
            ``quantization_maximum_absolute_error``.
        report: Called with the name of each variable in memory and what was done.

    Raises:
        InvalidArgumentError: A value out of range; there is no such variable; it is packed, so that
            its scale says how it is rounded; it has two requests.
        TypeMismatchError: ``ds`` is something else; a variable is not stored as floats.
    """
    dataset = dataset_of(ds)
    chosen: dict[Hashable, Rounding] = {}
    requests = {"max_error": max_error, "keep_bits": keep_bits, "decimals": decimals}
    for kind, value in requests.items():
        for name, one in _of_variables(dataset, kind, value).items():
            if name in chosen:
                raise InvalidArgumentError(f"{name!r} is given {chosen[name].kind} and {kind}")
            chosen[name] = one
    if not chosen and all(value is None for value in requests.values()):
        raise InvalidArgumentError(f"give one of {', '.join(requests)}")
    made: xr.Dataset = dataset.copy()
    for name, rounding in chosen.items():
        made[name] = _rounded_variable(
            name, dataset.variables[name], rounding, core_level(level), report
        )
        if attributes:
            _describe(made, name, rounding)
    return made


def _of_variables(
    dataset: xr.Dataset, kind: str, value: Union[_T, Mapping[Any, _T], None]
) -> dict[Hashable, Rounding]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        named: Mapping[Any, Any] = value
    else:
        named = {
            name: value
            for name, variable in dataset.data_vars.items()
            if _is_float(variable.variable) and not is_packed(variable.variable)
        }
    found: dict[Hashable, Rounding] = {}
    for name, one in named.items():
        what = f"{kind}: "
        if name not in dataset.variables:
            known = few([str(known) for known in dataset.variables])
            raise InvalidArgumentError(f"{what}there is no variable {name!r}, but {known}")
        variable = dataset.variables[name]
        if is_packed(variable):
            raise InvalidArgumentError(
                f"{what}{name!r} is packed, so its scale_factor says how it is rounded"
            )
        if not _is_float(variable):
            raise TypeMismatchError(f"{what}{name!r} is not stored as floats")
        request: dict[str, Any] = {key: one if key == kind else None for key in _KINDS}
        rounding = rounding_of(request["max_error"], request["keep_bits"], request["decimals"])
        assert rounding is not None
        dtype = stored_dtype(variable)
        assert dtype is not None
        rounding.check(dtype, f"{name!r}: ")
        found[name] = rounding
    return found


def _is_float(variable: xr.Variable) -> bool:
    dtype = stored_dtype(variable)
    return dtype is not None and dtype.kind == "f" and variable.dtype.kind in "fiu"


def _rounded_variable(
    name: Hashable,
    variable: xr.Variable,
    rounding: Rounding,
    level: int,
    report: Callable[[Hashable, RoundingReport], object] | None,
) -> xr.Variable:
    dtype = stored_dtype(variable)
    assert dtype is not None
    native = dtype.newbyteorder("=")
    fills = (
        of.get(key)
        for of in (variable.attrs, variable.encoding)
        for key in ("_FillValue", "missing_value")
    )
    fill = next((fill for fill in fills if fill is not None), None)
    if fill is not None:
        fill = np.asarray(fill, native).reshape(-1)[0]
    work = partial(_rounded_block, rounding=rounding._replace(fill=fill), level=level, dtype=native)
    if variable.chunks is not None:
        lazy: xr.Variable = variable.copy(data=variable.data.map_blocks(work, dtype=native))
        return lazy
    reports: list[RoundingReport] = []
    numbers = work(np.asarray(variable.values), reports=reports)
    made: xr.Variable = variable.copy(data=numbers)
    if report is not None:
        report(name, reports[0])
    return made


def _rounded_block(
    block: Array,
    rounding: Rounding,
    level: int,
    dtype: np.dtype[Any],
    reports: list[RoundingReport] | None = None,
) -> Array:
    numbers = np.ascontiguousarray(block, dtype)
    made, report = rounded_numbers(numbers, rounding, level)
    if reports is not None:
        reports.append(report)
    return made.reshape(np.shape(block))


def _describe(dataset: xr.Dataset, name: Hashable, rounding: Rounding) -> None:
    attributes = dataset[name].attrs
    if rounding.kind == "max_error":
        attributes["quantization_maximum_absolute_error"] = rounding.value
        return
    if rounding.kind == "decimals":
        attributes["least_significant_digit"] = int(rounding.value)
        return
    attributes["quantization"] = _CONTAINER
    attributes["quantization_nsb"] = int(rounding.value)
    dataset[_CONTAINER] = (
        (),
        np.int32(0),
        {"algorithm": "bitround", "implementation": f"numpact version {__version__}"},
    )
