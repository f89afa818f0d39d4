# SPDX-License-Identifier: Apache-2.0
"""Switches a Zarr store of xarray to Pco, rounds it, and has the package pcodec read it.

./dev python examples/python/from_xarray.py
"""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import xarray as xr

import numpact.zarr

# What a colleague runs, in any environment with xarray, zarr and pcodec.
READ = """
import warnings, numcodecs, xarray
warnings.simplefilter("ignore")
codec = numcodecs.get_codec({"id": "pcodec"})
assert type(codec).__module__ == "numcodecs.pcodec", codec
print(f"read by the package pcodec: mean {float(xarray.open_zarr('new.zarr').t2m.mean()):.2f}")
"""


def make_old_store() -> None:
    """Hourly temperatures with gaps, in the codec that xarray takes by itself."""
    field = 288 + np.random.default_rng(0).normal(0, 0.2, (96, 40, 60)).cumsum(axis=0)
    field[5, 7, :3] = np.nan
    xr.Dataset({"t2m": (("time", "lat", "lon"), field.astype("f4"))}).to_zarr("old.zarr", mode="w")


def main() -> None:
    warnings.filterwarnings(
        "ignore", "Numcodecs codecs|Consolidated metadata"
    )  # docs/from-xarray.md
    make_old_store()

    ds = xr.open_zarr("old.zarr", chunks=None)
    ds.to_zarr("new.zarr", mode="w", encoding=numpact.zarr.encoding(ds, round={"t2m": 2}))

    new = xr.open_zarr("new.zarr", chunks=None)
    change = float(abs(new.t2m - ds.t2m).max())
    assert change <= 0.005
    assert new.t2m.isnull().equals(ds.t2m.isnull())
    print(f"rounded to two decimals: largest change {change:.4f}")

    print(subprocess.check_output([sys.executable, "-c", READ], text=True).strip())


if __name__ == "__main__":
    main()
