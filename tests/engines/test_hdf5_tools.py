# SPDX-License-Identifier: Apache-2.0
"""Programs that read HDF5 and netCDF files with our filter: the table of docs/neighbours.md.

Each row with the plug-in and without it. A program that is not installed skips its rows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
h5netcdf = pytest.importorskip("h5netcdf")
import numpact.hdf5 as pco  # noqa: E402

SHAPE, CHUNKS = (3, 60, 50), (1, 32, 20)
UNDEFINED = "undefined filter encountered"
# "a" is stored before its coordinates "x" and "y", "z" behind them. "g" has deflate, "p" no filter.
FILTERS: dict[str, dict[str, Any]] = {
    "a": dict(pco.Pco()), "z": dict(pco.Pco()), "g": {"compression": "gzip"}, "p": {},
}  # fmt: skip


def numbers() -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(-3, 4, SHAPE).cumsum().reshape(SHAPE).astype("f4") / 4


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tools") / "in.nc"
    with h5netcdf.File(path, "w") as file:
        file.dimensions = dict(zip(("time", "y", "x"), SHAPE, strict=True))
        units = ("days since 2000-01-01", "degrees_north", "degrees_east")
        for name, unit in zip(file.dimensions, units, strict=True):
            length = file.dimensions[name].size
            made = file.create_variable(name, (name,), data=np.arange(float(length)))
            made.attrs["units"] = unit
        for name, settings in FILTERS.items():
            file.create_variable(
                name, ("time", "y", "x"), data=numbers(), chunks=CHUNKS, **settings
            )
    return path


def environment(tmp_path: Path, has_plugin: bool) -> dict[str, str]:
    # An empty folder: without the variable HDF5 would look into its own.
    return {**os.environ, "HDF5_PLUGIN_PATH": pco.PLUGIN_PATH if has_plugin else str(tmp_path)}


@dataclass(frozen=True)
class Row:
    """`command` with IN, OUT and PLUGIN replaced; what is expected."""

    command: str
    has_plugin: bool
    status: int = 0
    says: str = ""
    written: str = ""  # the variable that OUT holds
    filters: tuple[int, ...] = ()  # of `written`
    lost: str = ""  # a variable that OUT does not hold
    left: str = ""  # a pattern of files that a failed program leaves


OURS, DEFLATE, SHUFFLED = (pco.FILTER_ID,), (1,), (2, 1)
ROWS = [
    Row("h5dump -d /a IN", True, says="(0,0,0)"),
    Row("h5dump -d /a IN", False, status=1, says="unable to print data"),
    Row("h5repack IN OUT", True, written="a", filters=OURS),
    Row("h5repack IN OUT", False, written="a", filters=OURS),
    Row("h5repack -f GZIP=1 IN OUT", True, written="a", filters=DEFLATE),
    Row("h5repack -f GZIP=1 IN OUT", False, lost="a"),
    Row("h5repack -f p:UD=45248,0,1,8 IN OUT", True, written="p", filters=OURS),
    Row("h5repack -f p:UD=45248,0,1,8 IN OUT", False, written="p", filters=()),
    Row("h5diff IN IN /a /z", True),
    Row("h5diff IN IN /a /z", False, status=2),
    Row("ncdump -v a IN", True, says="a ="),
    Row("ncdump -v a IN", False, status=1, says=UNDEFINED),
    Row("nccopy IN OUT", True, written="a", filters=OURS),
    Row("nccopy IN OUT", False, status=1, says=UNDEFINED, left="out.nc"),
    Row("gdal_translate -of GTiff -b 1 NETCDF:IN:a OUT", True),
    Row("gdal_translate -of GTiff -b 1 NETCDF:IN:a OUT", False, status=1, says=UNDEFINED),
    # NCO writes the filter of a variable again if it comes behind its coordinates.
    Row("ncks -O IN OUT", True, status=1, says="HDF error", left="out.nc.*.tmp"),
    Row("ncks -O -v a IN OUT", True, status=1, says="HDF error", left="out.nc.*.tmp"),
    Row("ncks -O -v z IN OUT", True, written="z", filters=OURS),
    Row("ncks -O -C -v a IN OUT", True, written="a", filters=OURS),
    Row("ncks -O -4 -L 1 IN OUT", True, written="a", filters=SHUFFLED),
    Row("ncwa -O -C -v a -a time IN OUT", True),
    Row("ncks -O IN OUT", False, status=1, says=UNDEFINED, left="out.nc.*.tmp"),
    Row("ncks -O -v g IN OUT", False, written="g", filters=SHUFFLED),
    Row("ncks --cdl -m -v a IN", False, says="float a"),
    Row("cdo -s infon IN", True),
    Row("cdo -s copy IN OUT", True, written="a", filters=()),
    Row("cdo -s -f nc4 -z zip_1 copy IN OUT", True, written="a", filters=DEFLATE),
    Row("cdo -s copy IN OUT", False, status=1, says=UNDEFINED, left="out.nc"),
    Row("cdo -s selname,g IN OUT", False, written="g", filters=()),
]


def filters_of(path: Path, name: str) -> tuple[int, ...]:
    with h5py.File(path) as file:
        properties = file[name].id.get_create_plist()
        return tuple(properties.get_filter(i)[0] for i in range(properties.get_nfilters()))


def row_name(row: Row) -> str:
    return f"{row.command}, {'with' if row.has_plugin else 'without'}"


@pytest.mark.parametrize("row", ROWS, ids=row_name)
def test_programs(row: Row, source: Path, tmp_path: Path) -> None:
    program, *words = row.command.split()
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    out = tmp_path / "out.nc"
    names = {"IN": str(source), "OUT": str(out), "NETCDF:IN:a": f"NETCDF:{source}:a"}
    done = subprocess.run(
        [program, *(names.get(word, word) for word in words)],
        capture_output=True, text=True, timeout=120, check=False,
        env=environment(tmp_path, row.has_plugin),
    )  # fmt: skip
    text = done.stdout + done.stderr
    assert done.returncode == row.status, text[-2000:]
    assert row.says in text
    assert not row.left or list(tmp_path.glob(row.left))
    if row.lost:
        with h5py.File(out) as file:
            assert row.lost not in file
            assert "g" in file
    if row.written:
        assert filters_of(out, row.written) == row.filters
        with h5py.File(out) as file:
            found = np.ascontiguousarray(file[row.written][()])
        assert found.astype("<f4").tobytes() == numbers().tobytes()


# ---- R ----

SUM = f"{numbers().sum(dtype='f8'):.2f}"
NCDF4 = 'library(ncdf4); x <- ncvar_get(nc_open("IN"), "a")'
RHDF5 = 'suppressMessages(library(rhdf5)); x <- h5read("IN", "a")'
# rhdf5filters sets the variable when it is loaded: what it had before is gone.
SET_AFTER = RHDF5.replace("; x", f'; Sys.setenv(HDF5_PLUGIN_PATH="{pco.PLUGIN_PATH}"); x')


@pytest.mark.parametrize(
    ("package", "code", "has_plugin", "says"),
    [
        ("ncdf4", NCDF4, True, SUM),
        ("ncdf4", NCDF4, False, "nc4_get_vara_double returned error"),
        ("rhdf5", SET_AFTER, False, SUM),
        ("rhdf5", RHDF5, True, "'idx' argument is outside the range of filters"),
        ("rhdf5", RHDF5, False, "'idx' argument is outside the range of filters"),
    ],
)
def test_r(
    source: Path, tmp_path: Path, package: str, code: str, has_plugin: bool, says: str
) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    script = tmp_path / "read.R"
    script.write_text(code.replace('"IN"', f'"{source}"') + '; cat(sprintf("%.2f", sum(x)))')
    done = subprocess.run(
        ["Rscript", script], capture_output=True, text=True, timeout=120, check=False,
        env=environment(tmp_path, has_plugin),
    )  # fmt: skip
    if "there is no package" in done.stderr:
        pytest.skip(f"the package {package} of R is not installed")
    assert says in done.stdout + done.stderr
    assert (done.returncode == 0) == (says == SUM)


# ---- readers in Python that have no HDF5 ----


def test_pyfive(source: Path) -> None:
    pyfive = pytest.importorskip("pyfive")
    with pyfive.File(str(source)) as file:
        assert (np.asarray(file["g"][:]) == numbers()).all()
        with pytest.raises(NotImplementedError, match=f"id: {pco.FILTER_ID}"):
            file["a"][:]


def test_kerchunk_leaves_the_dataset_out(source: Path) -> None:
    hdf = pytest.importorskip("kerchunk.hdf")
    with pytest.warns(UserWarning, match=f"uses filter id {pco.FILTER_ID}"):
        references = hdf.SingleHdf5ToZarr(str(source)).translate()["refs"]
    names = {key.partition("/")[0] for key in references if "/" in key}
    assert names == {"time", "y", "x", "g", "p"}


def test_virtualizarr(source: Path) -> None:
    virtualizarr = pytest.importorskip("virtualizarr")
    pytest.importorskip("hdf5plugin")
    registry = pytest.importorskip("obspec_utils.registry")
    obstore = pytest.importorskip("obstore.store")
    stores = registry.ObjectStoreRegistry({"file://": obstore.LocalStore()})
    parser = virtualizarr.parsers.HDFParser()
    with pytest.raises(ValueError, match=f"Unknown filter: {pco.FILTER_ID}"):
        virtualizarr.open_virtual_dataset(f"file://{source}", registry=stores, parser=parser)
