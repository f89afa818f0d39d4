# SPDX-License-Identifier: Apache-2.0
"""Datasets of xarray that are rounded within a bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("xarray")
pytest.importorskip("zarr")
import xarray as xr

import numpact.zarr
from numpact import InvalidArgumentError, RoundingReport, TypeMismatchError


def dataset() -> Any:
    random = np.random.default_rng(5)
    t2m = (280 + random.normal(size=(40, 30)).cumsum(0)).astype(np.float32)
    t2m[3, 4] = np.nan
    ds = xr.Dataset(
        {
            "t2m": (("time", "x"), t2m, {"units": "K"}),
            "pr": (("time", "x"), random.lognormal(size=(40, 30)).astype(np.float32)),
            "n": (("time",), np.arange(40)),
        },
        coords={"x": np.arange(30) / 7},
    )
    ds.t2m.encoding.update(_FillValue=np.float32(1e20), chunks=(20, 30))
    return ds


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_bounds_hold_in_the_store_and_are_described(tmp_path: Path) -> None:
    ds = dataset()
    reports: dict[Any, RoundingReport] = {}
    made = numpact.zarr.rounded(
        ds, max_error={"t2m": 0.01}, keep_bits={"pr": 7}, report=reports.__setitem__
    )
    made.to_zarr(tmp_path / "s.zarr", encoding=numpact.zarr.encoding(made), consolidated=False)
    read = xr.open_zarr(tmp_path / "s.zarr", consolidated=False).load()
    error = np.abs(read.t2m.astype("f8") - ds.t2m.astype("f8")).max()
    assert float(error) == reports["t2m"].max_error <= 0.01
    assert (read.t2m.isnull() == ds.t2m.isnull()).all()
    assert (read.pr.values.view(np.uint32) & 0xFFFF == 0).all()
    assert read.t2m.attrs == {"units": "K", "quantization_maximum_absolute_error": 0.01}
    assert read.pr.attrs == {"quantization": "quantization_info", "quantization_nsb": 7}
    container = read["quantization_info"]
    assert container.shape == ()
    assert container.attrs["algorithm"] == "bitround"
    assert container.attrs["implementation"].startswith("numpact version ")
    assert (read.x == ds.x).all()
    assert ds.t2m.attrs == {"units": "K"}


def test_one_value_is_for_all_floats() -> None:
    made = numpact.zarr.rounded(dataset(), decimals=1)
    assert made.pr.attrs == {"least_significant_digit": 1}
    assert made.n.attrs == {}
    assert made.x.attrs == {}
    assert (made.x == dataset().x).all()
    plain = numpact.zarr.rounded(dataset(), decimals=1, attributes=False)
    assert plain.pr.attrs == {}
    assert plain.t2m.encoding == dataset().t2m.encoding


def test_the_stored_type_is_the_one_that_is_rounded() -> None:
    ds = dataset()
    ds["pr"] = ds.pr.astype(np.float64)
    ds.pr.encoding["dtype"] = "float32"
    made = numpact.zarr.rounded(ds, max_error={"pr": 1e-3})
    assert made.pr.dtype == np.float32
    assert np.abs(made.pr.values.astype("f8") - ds.pr.values.astype("f4")).max() <= 1e-3


def test_dask_stays_lazy() -> None:
    pytest.importorskip("dask")
    ds = dataset().chunk({"time": 10})
    made = numpact.zarr.rounded(ds, max_error=0.05)
    assert made.t2m.chunks == ds.t2m.chunks
    assert float(np.abs(made.t2m.astype("f8") - ds.t2m.astype("f8")).max()) <= 0.05


def test_refusals() -> None:
    ds = dataset()
    with pytest.raises(InvalidArgumentError, match="give one of"):
        numpact.zarr.rounded(ds)
    with pytest.raises(InvalidArgumentError, match="no variable 'zz'"):
        numpact.zarr.rounded(ds, decimals={"zz": 1})
    with pytest.raises(TypeMismatchError, match="not stored as floats"):
        numpact.zarr.rounded(ds, decimals={"n": 1})
    with pytest.raises(InvalidArgumentError, match="max_error and decimals"):
        numpact.zarr.rounded(ds, decimals={"pr": 1}, max_error={"pr": 1})
    with pytest.raises(InvalidArgumentError, match="must be 0 to 23"):
        numpact.zarr.rounded(ds, keep_bits={"pr": 24})
    ds.pr.encoding["scale_factor"] = 0.1
    with pytest.raises(InvalidArgumentError, match="packed"):
        numpact.zarr.rounded(ds, decimals={"pr": 1})
    assert "least_significant_digit" not in numpact.zarr.rounded(ds, decimals=1).pr.attrs
