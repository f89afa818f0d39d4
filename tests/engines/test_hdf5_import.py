# SPDX-License-Identifier: Apache-2.0
"""What `import numpact.hdf5` does for the other packages of a process, in any order of imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
import numpact.hdf5 as pco  # noqa: E402

WRITE = """
import numpy as np, xarray as xr
data = xr.Dataset({"t": (("y", "x"), np.arange(1e4).reshape(100, 100))})
encoding = {"t": {"chunksizes": (50, 50), **numpact.hdf5.Pco(level=3)}}
data.to_netcdf(sys.argv[1], engine="h5netcdf", encoding=encoding)
assert xr.open_dataset(sys.argv[1], engine="netcdf4").t.equals(data.t)
"""
# Before the import of numpact.hdf5. netCDF4's HDF5 reads the variable when it is loaded.
ORDERS = {
    "numpact first": "",
    "h5py first": "import h5py",
    "netCDF4 first": "import netCDF4",
    "netCDF4 in use": "import netCDF4; netCDF4.Dataset(sys.argv[1] + '.0', 'w').close()",
    "imported twice": "import numpact.hdf5, importlib; importlib.reload(numpact.hdf5)",
}


def path_after(tmp_path: Path, code: str, before: str | None) -> list[str]:
    """HDF5_PLUGIN_PATH at the end of a program, as a child of it sees the variable."""
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    environment |= {} if before is None else {"HDF5_PLUGIN_PATH": before}
    end = "import subprocess; subprocess.run(['printenv', 'HDF5_PLUGIN_PATH'])"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"import sys\n{code}\n{end}", tmp_path / "x.nc"],
        capture_output=True, text=True, env=environment, timeout=600, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout.strip().split(os.pathsep)


@pytest.mark.parametrize("order", ORDERS)
def test_netcdf4_reads(tmp_path: Path, order: str) -> None:
    for package in ("netCDF4", "h5netcdf", "xarray"):
        pytest.importorskip(package)
    path_after(tmp_path, f"{ORDERS[order]}\nimport numpact.hdf5\n{WRITE}", None)


def test_the_path_keeps_what_is_there(tmp_path: Path) -> None:
    code = "import numpact.hdf5"
    assert path_after(tmp_path, code, "/a:/b") == [pco.PLUGIN_PATH, "/a", "/b"]
    again = f"/a:{pco.PLUGIN_PATH}:/b"
    assert path_after(tmp_path, code, again) == [pco.PLUGIN_PATH, "/a", "/b"]
    # HDF5's own folder, which the variable would take away.
    assert path_after(tmp_path, code, None)[:2] == [pco.PLUGIN_PATH, "/usr/local/hdf5/lib/plugin"]


# ---- what h5py says about a dataset ----


@pytest.mark.parametrize("settings", [{}, {"level": 0}, {"mode": "classic", "delta": "lookback"}])
def test_datasets_tell_their_filter(tmp_path: Path, settings: dict[str, Any]) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        chosen = pco.Pco(**settings)
        made = file.create_dataset("x", data=np.arange(100.0), chunks=(50,), **chosen)
        assert made.compression == pco.FILTER_ID
        assert made.compression_opts[:2] == chosen.filter_options
        # They are what create_dataset takes.
        options = {"compression": made.compression, "compression_opts": made.compression_opts}
        copy = file.create_dataset("y", data=made[:], chunks=(50,), **options)
        assert copy.compression == made.compression
        assert copy.compression_opts == made.compression_opts
        assert (copy[:] == made[:]).all()


def test_other_datasets_stay_as_they_are(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        gzip = {"compression": "gzip", "compression_opts": 7}
        for name, options in (("none", {}), ("gzip", gzip), ("lzf", {"compression": "lzf"}),
                              ("check", {"fletcher32": True})):  # fmt: skip
            made = file.create_dataset(name, data=np.arange(9), chunks=(3,), **options)
            assert made.compression == options.get("compression")
            assert made.compression_opts == options.get("compression_opts")
        other = pytest.importorskip("hdf5plugin")
        made = file.create_dataset("zstd", data=np.arange(9), chunks=(3,), **other.Zstd())
        assert made.compression in (None, "unknown")
        assert made.compression_opts is None


def test_xarray_writes_again_what_it_has_read(tmp_path: Path) -> None:
    pytest.importorskip("h5netcdf")
    xr = pytest.importorskip("xarray")
    data = xr.Dataset({"a": ("x", np.arange(100.0)), "b": ("x", np.arange(100) % 7),
                       "plain": ("x", np.arange(100))})  # fmt: skip
    encoding = {
        "a": {**pco.Pco(level=5), "chunksizes": (50,)},
        "b": {**pco.Pco(delta="none"), "chunksizes": (30,), "fletcher32": True},
    }
    data.to_netcdf(tmp_path / "a.nc", engine="h5netcdf", encoding=encoding)
    for source, target in (("a", "b"), ("b", "c")):
        with xr.open_dataset(tmp_path / f"{source}.nc", engine="h5netcdf") as read:
            read.load()
        assert read.identical(data)
        read.to_netcdf(tmp_path / f"{target}.nc", engine="h5netcdf")
    with h5py.File(tmp_path / "a.nc") as first, h5py.File(tmp_path / "c.nc") as last:
        for name in ("a", "b"):
            assert last[name].compression_opts == first[name].compression_opts
            assert last[name].chunks == first[name].chunks
        assert last["plain"].compression is None
