# SPDX-License-Identifier: Apache-2.0
"""The encodings for xarray: what is in them, and that datasets come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.codecs import Crc32cCodec

import numpact
from numpact.zarr import PcoCodec, PCodec, encoding

xr = pytest.importorskip("xarray")

pytestmark = [
    pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning"),
    pytest.mark.filterwarnings("ignore:Consolidated metadata"),
]

RNG = np.random.default_rng(7)
DAYS = np.arange("2024-01-01", "2024-01-13", dtype="datetime64[D]").astype("datetime64[ns]")
FIELD = (RNG.normal(size=(12, 5, 8)).cumsum(axis=0) + 280).astype("f4")


def dataset() -> Any:
    """One variable of each kind that xarray stores."""
    field = FIELD.copy()
    field[3, 2] = np.nan
    dims = ("time", "lat", "lon")
    return xr.Dataset(
        {
            "t": (dims, field),
            "fine": (dims, field.astype("f8") / 3),
            "half": (("time",), field[:, 0, 0].astype("f2")),
            "count": (("time",), np.arange(12, dtype="u2")),
            "mask": (("lat",), np.arange(5) % 2 == 0),
            "lag": (("time",), np.arange(12).astype("timedelta64[s]").astype("timedelta64[ns]")),
            "seen": (("time",), np.where(np.arange(12) % 5, DAYS, np.datetime64("NaT"))),
            "crs": ((), np.int64(4326)),
            "station": (("lat",), np.array(["a", "bb", "c", "d", "e"])),
            "note": (("lat",), np.array(["a", "bb", "c", "d", "e"], object)),
            "wave": (("lat",), np.arange(5) * 1j),
        },
        coords={"time": DAYS, "lat": np.linspace(-1, 1, 5), "lon": np.arange(8.0) / 8},
        attrs={"title": "all kinds"},
    )


NUMERIC = {"t", "fine", "half", "count", "mask", "lag", "seen", "crs", "time", "lat", "lon"}


def codecs_of(path: Path, name: str) -> Any:
    array: Any = zarr.open_array(path / name, mode="r")
    return [*array.filters, array.serializer, *array.compressors]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_dataset_comes_back(zarr_format: Any, tmp_path: Path) -> None:
    ds = dataset()
    given = encoding(ds, level=3, checksum=zarr_format == 3, zarr_format=zarr_format)
    assert set(given) == NUMERIC
    ds.to_zarr(tmp_path / "a.zarr", zarr_format=zarr_format, encoding=given)
    xr.testing.assert_identical(xr.open_zarr(tmp_path / "a.zarr").load(), ds)
    for name in NUMERIC:
        if zarr_format == 3:
            *_, serializer, checksum = codecs_of(tmp_path / "a.zarr", name)
            assert serializer.to_dict() == PcoCodec(level=3).to_dict()
            assert type(checksum) is Crc32cCodec
        else:
            array: Any = zarr.open_array(tmp_path / "a.zarr" / name)
            assert array.metadata.compressor.get_config() == PCodec(level=3).get_config()


def test_without_a_checksum() -> None:
    assert encoding(dataset(), checksum=False)["t"]["compressors"] is None


def test_what_the_encoding_of_a_variable_keeps(tmp_path: Path) -> None:
    """xarray drops what is not in the given encoding."""
    ds = dataset()[["t", "seen"]]
    packed = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -9999}
    ds["t"].encoding = {**packed, "chunks": (5, 5, 4), "zlib": True, "source": "x.nc",
                        "chunksizes": (1, 5, 8)}  # fmt: skip
    ds["seen"].encoding = {"units": "hours since 2000-01-01", "calendar": "standard",
                           "dtype": "i4", "_FillValue": -1}  # fmt: skip
    given = encoding(ds)
    assert {**packed, "chunks": (5, 5, 4)}.items() <= given["t"].items()
    ds.to_zarr(tmp_path / "a.zarr", encoding=given)
    again = xr.open_zarr(tmp_path / "a.zarr").load()
    np.testing.assert_allclose(again["t"], ds["t"], atol=0.0051)
    np.testing.assert_array_equal(np.isnan(again["t"]), np.isnan(ds["t"]))
    xr.testing.assert_equal(again["seen"], ds["seen"])
    stored: Any = zarr.open_group(tmp_path / "a.zarr")
    assert stored["t"].dtype == "i2"
    assert stored["t"].chunks == (5, 5, 4)
    assert stored["seen"].dtype == "i4"
    assert stored["seen"].attrs["units"] == "hours since 2000-01-01"


@pytest.mark.parametrize("source_format", [2, 3])
def test_switching_a_store(source_format: Any, tmp_path: Path) -> None:
    """Chunks, shards and fill values stay; the filters and compressors of the old store go."""
    ds = dataset()
    shards = {"shards": (8, 4, 8)} if source_format == 3 else {}
    old = {"t": {"chunks": (4, 2, 8), **shards}}
    ds.to_zarr(tmp_path / "old.zarr", zarr_format=source_format, encoding=old)
    ds = xr.open_zarr(tmp_path / "old.zarr", chunks=None)
    ds.to_zarr(tmp_path / "new.zarr", zarr_format=3, encoding=encoding(ds))
    xr.testing.assert_identical(xr.open_zarr(tmp_path / "new.zarr").load(), ds.load())
    array: Any = zarr.open_array(tmp_path / "new.zarr/t")
    assert array.chunks == (4, 2, 8)
    assert array.shards == shards.get("shards")
    assert type(array.compressors[0]) is Crc32cCodec
    # Copied by xarray alone, it keeps its codecs.
    kept = xr.open_zarr(tmp_path / "new.zarr", chunks=None).drop_vars("mask")
    kept.to_zarr(tmp_path / "third.zarr")
    assert codecs_of(tmp_path / "third.zarr", "t") == codecs_of(tmp_path / "new.zarr", "t")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_dask_and_appending(zarr_format: Any, tmp_path: Path) -> None:
    pytest.importorskip("dask.array")
    ds = dataset()[["t", "count"]].chunk({"time": 4})
    given = encoding(ds, checksum=zarr_format == 3, zarr_format=zarr_format, round=2)
    path = tmp_path / "a.zarr"
    ds.isel(time=slice(0, 8)).to_zarr(path, zarr_format=zarr_format, encoding=given)
    ds.isel(time=slice(8, None)).to_zarr(path, append_dim="time")
    again = xr.open_zarr(path)
    assert again["t"].encoding["chunks"] == (4, 5, 8)
    np.testing.assert_allclose(again["t"], ds["t"], atol=0.005)
    np.testing.assert_array_equal(again["count"], ds["count"])


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("decimals", [-1, 0, 1, 2, 3])
def test_decimals(decimals: int, zarr_format: Any, tmp_path: Path) -> None:
    """Half a unit of the last decimal at most, in whatever order the numbers are in memory."""
    ds = dataset()[["t", "fine", "count", "lag"]].transpose("lon", "lat", "time")
    given = encoding(ds, round=decimals, checksum=zarr_format == 3, zarr_format=zarr_format)
    assert {name for name in given if "filters" in given[name]} == {"t", "fine"}
    ds.to_zarr(tmp_path / "a.zarr", zarr_format=zarr_format, encoding=given)
    again = xr.open_zarr(tmp_path / "a.zarr").load()
    for name in ("t", "fine"):
        difference = np.abs(again[name] - ds[name]).max()
        assert 0 < difference <= 0.5 * 10.0**-decimals
        np.testing.assert_array_equal(np.isnan(again[name]), np.isnan(ds[name]))
    xr.testing.assert_identical(again.drop_vars(["t", "fine"]), ds.drop_vars(["t", "fine"]))


def test_rounding_by_name(tmp_path: Path) -> None:
    ds = dataset()
    given = encoding(ds, round={"t": "keepbits=7", "fine": None, "lat": 1, "half": "keepbits=3"})
    assert {name for name in given if "filters" in given[name]} == {"t", "lat", "half"}
    ds.to_zarr(tmp_path / "a.zarr", encoding=given)
    again = xr.open_zarr(tmp_path / "a.zarr").load()
    np.testing.assert_allclose(again["t"], ds["t"], rtol=2**-8)
    assert len(np.unique(again["t"])) < 40
    xr.testing.assert_identical(again["fine"].drop_vars("lat"), ds["fine"].drop_vars("lat"))
    kept = encoding(ds.drop_vars("half"), round="keepbits=10")
    assert kept["t"]["filters"] == [
        {"name": "numcodecs.bitround", "configuration": {"keepbits": 10}}
    ]


@pytest.mark.parametrize(
    ("key", "fill", "rounding", "is_kept"),
    [
        ("_FillValue", -9999.0, 2, True), ("missing_value", 1e20, 2, True),
        ("_FillValue", 9.96921e36, 2, False), ("missing_value", -999.99, 2, False),
        ("_FillValue", np.nan, 2, True), ("_FillValue", -9999.0, "keepbits=7", False),
        ("missing_value", 1e20, "keepbits=23", True),
    ],
)  # fmt: skip
def test_missing_numbers_stay_missing(
    key: str, fill: float, rounding: Any, is_kept: bool, tmp_path: Path
) -> None:
    ds = dataset()[["t"]]
    ds["t"].encoding = {key: np.float32(fill), "dtype": "f4"}
    given = encoding(ds, round=rounding)
    assert (given["t"].get(key) == np.float32(fill)) == (is_kept and not np.isnan(fill))
    ds.to_zarr(tmp_path / "a.zarr", encoding=given)
    again = xr.open_zarr(tmp_path / "a.zarr").load()
    np.testing.assert_array_equal(np.isnan(again["t"]), np.isnan(ds["t"]))
    np.testing.assert_allclose(again["t"], ds["t"], rtol=2**-8)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("rounding", [None, 2, "keepbits=12"])
def test_big_endian(rounding: Any, zarr_format: Any, tmp_path: Path) -> None:
    """As netCDF 3 has it."""
    ds = xr.Dataset({"t": (("x", "y"), FIELD[0].astype(">f4"))})
    given = encoding(ds, round=rounding, checksum=zarr_format == 3, zarr_format=zarr_format)
    ds.to_zarr(tmp_path / "a.zarr", zarr_format=zarr_format, encoding=given)
    np.testing.assert_allclose(xr.open_zarr(tmp_path / "a.zarr")["t"], FIELD[0], rtol=2**-13)


def test_calendars_of_models(tmp_path: Path) -> None:
    pytest.importorskip("cftime")
    time = xr.date_range("2000-02-28", periods=4, calendar="360_day", use_cftime=True)
    ds = xr.Dataset({"t": ("time", np.arange(4.0))}, coords={"time": time})
    given = encoding(ds)
    assert set(given) == {"t", "time"}
    ds.to_zarr(tmp_path / "a.zarr", encoding=given)
    xr.testing.assert_equal(xr.open_zarr(tmp_path / "a.zarr").load(), ds)


def test_booleans_of_all_versions(tmp_path: Path) -> None:
    """Until 2026.7 xarray stored them as int8 with an attribute."""
    numbers = np.arange(100) % 3 == 0
    for name, stored in (
        ("now", xr.Variable("x", numbers)),
        ("then", xr.Variable("x", numbers.astype("i1"), {"dtype": "bool"})),
    ):
        ds = xr.Dataset({"flag": stored})
        ds.to_zarr(tmp_path / name, encoding=encoding(ds))
        found = xr.open_zarr(tmp_path / name)["flag"].load()
        assert found.dtype == bool
        assert np.array_equal(found, numbers)


def test_data_arrays(tmp_path: Path) -> None:
    array = dataset()["t"]
    array.to_zarr(tmp_path / "a.zarr", encoding=encoding(array))
    xr.testing.assert_identical(xr.open_zarr(tmp_path / "a.zarr")["t"].load(), array)
    with pytest.raises(numpact.InvalidArgumentError, match="name"):
        encoding(array.rename(None))


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"level": 13}, numpact.Error, "13"),
        ({"level": "x"}, TypeError, "level"),
        ({"zarr_format": 2}, ValueError, "checksum=False"),
        ({"zarr_format": 1}, ValueError, "not 1"),
        ({"round": {"tt": 2}}, ValueError, "'tt'.*fine"),
        ({"round": {"t": 2.5}}, TypeError, "'t' has 2.5"),
        ({"round": {"t": True}}, TypeError, "'t' has True"),
        ({"round": {"t": 16}}, ValueError, "'t' has 16 decimals"),
        ({"round": {"t": "keepbits=24"}}, ValueError, "'t'.* 23 bits"),
        ({"round": {"t": "7 bits"}}, ValueError, "'7 bits' of 't'"),
        ({"round": {"count": 2}}, TypeError, "'count' is stored as uint16"),
        ({"round": {"time": 2}}, TypeError, "'time' is stored as int64"),
        ({"round": {"note": 2}}, TypeError, "'note' is stored as other things"),
        ({"round": {"fine": 2}}, ValueError, "'fine' is packed"),
        ({"round": 2}, TypeError, "'half' overflow in float16"),
    ],
)
def test_errors_name_the_variable(arguments: Any, kind: type[Exception], message: str) -> None:
    ds = dataset()
    ds["fine"].encoding = {"dtype": "i2", "scale_factor": 0.1}
    with pytest.raises(kind, match=message) as caught:
        encoding(ds, **arguments)
    assert isinstance(caught.value, numpact.Error)


def test_what_is_not_a_dataset() -> None:
    for wrong in (FIELD, None, {"t": FIELD}, xr.DataTree(dataset())):
        with pytest.raises(numpact.TypeMismatchError, match="not a dataset"):
            encoding(wrong)
    raw = dataset()[["t"]]
    raw["t"].attrs["_FillValue"] = np.float32(9.96921e36)
    with pytest.raises(numpact.InvalidArgumentError, match="_FillValue of 't'"):
        encoding(raw, round=2)
