# SPDX-License-Identifier: Apache-2.0
"""Writes and checks a folder of Zarr arrays with whatever is installed: zarr_cases.py --help."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numcodecs
import numpy as np
import zarr
from zarr.registry import get_codec_class

warnings.simplefilter("ignore")

SHAPE, CHUNKS, SHARDS = (37, 29), (10, 12), (20, 24)
# numcodecs reads them but does not write them.
SMALL_TYPES = ("uint8", "int8", "bool")
WIDE_TYPES = ("uint16", "uint32", "uint64", "int16", "int32", "int64", "float16", "float32",
              "float64", "datetime64[ns]", "datetime64[D]", "timedelta64[us]")  # fmt: skip
UPDATED = (slice(5, 15), slice(3, 20))
LABELS = ["ice", "sea", "land"]
# The type of an array and a filter of numcodecs; most filters make another type of it.
FILTERS: list[tuple[str, dict[str, Any]]] = [
    *((dtype, {"id": "bitround", "keepbits": bits})
      for dtype, bits in (("float16", 4), ("float32", 7), ("float64", 20), ("float64", 52))),
    ("float32", {"id": "quantize", "digits": 2, "dtype": "<f4"}),
    ("float32", {"id": "quantize", "digits": 2, "dtype": "<f4", "astype": "<f2"}),
    ("float64", {"id": "quantize", "digits": 3, "dtype": "<f8", "astype": "<f4"}),
    *(("float32", {"id": "fixedscaleoffset", "offset": -200, "scale": 100, "dtype": "<f4",
                   "astype": kind}) for kind in ("<f4", "<u2", "<i8")),
    ("float64", {"id": "fixedscaleoffset", "offset": 0, "scale": 10, "dtype": "<f8"}),
    ("int64", {"id": "delta", "dtype": "<i8"}),
    ("int64", {"id": "delta", "dtype": "<i8", "astype": "<i2"}),
    ("datetime64[s]", {"id": "delta", "dtype": "<i8", "astype": "<i4"}),
    ("float64", {"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"}),
    ("int64", {"id": "astype", "encode_dtype": "<i2", "decode_dtype": "<i8"}),
    ("complex128", {"id": "astype", "encode_dtype": "<f8", "decode_dtype": "<c16"}),
    ("bool", {"id": "packbits"}),
]  # fmt: skip
# Filters that zarr knows for Zarr v2 only.
OLD_FILTERS: list[tuple[str, dict[str, Any]]] = [
    ("<U4", {"id": "categorize", "labels": LABELS, "dtype": "<U4", "astype": "<u2"}),
]
ROUNDING = ("bitround", "quantize", "fixedscaleoffset", "astype")


@dataclass(frozen=True)
class Case:
    name: str
    dtype: str
    settings: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    shape: tuple[int, ...] = SHAPE
    chunks: tuple[int, ...] = CHUNKS
    written: Any = Ellipsis  # where there is something; the rest is the fill value
    fill: Any = None
    zarr_format: Literal[2, 3] = 3
    # The configuration of a filter by its name in numcodecs. Filters round each number by itself,
    # or not at all.
    filter: dict[str, Any] | None = None

    @property
    def is_small(self) -> bool:
        """Whether Pco stores numbers of 8 bits."""
        return self.dtype in SMALL_TYPES or bool(self.filter and self.filter["id"] == "packbits")

    def values(self) -> np.ndarray[Any, Any]:
        """The same on every machine: walks, repeats, and all that a type can hold.

        Behind filters the numbers are small, since some of them overflow in silence.
        """
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        count = int(np.prod(self.shape))
        dtype = np.dtype(self.dtype)
        if self.filter and dtype.kind != "b":
            small = np.cumsum(rng.normal(size=count))
            if dtype.kind == "U":
                small = np.array(LABELS)[small.astype(int) % len(LABELS)]
            return small.astype(dtype).reshape(self.shape)
        if dtype.kind == "b":
            return (rng.random(count) < 0.3).reshape(self.shape)
        if dtype.kind == "f":
            walk = np.cumsum(rng.normal(size=count)).astype(dtype)
            special = [np.nan, -np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).smallest_subnormal]
            walk[rng.integers(0, count, 6)[: min(count, 6)]] = special[: min(count, 6)]
            return walk.reshape(self.shape)
        bits = np.dtype(f"u{dtype.itemsize}")
        walk = np.cumsum(rng.integers(0, 5, count)).astype(bits)
        wild = rng.integers(0, count, count // 10)
        walk[wild] = rng.integers(0, 2 ** (8 * dtype.itemsize), wild.size, np.uint64).astype(bits)
        return walk.view(dtype).reshape(self.shape)

    def expected(self, *, is_updated: bool) -> np.ndarray[Any, Any]:
        out = np.full(self.shape, 0 if self.fill is None else self.fill, self.dtype)
        out[self.written] = self.values()[self.written]
        if is_updated and out.ndim == 2:
            out[UPDATED] = self.values()[::-1, ::-1][UPDATED]
        if self.filter and self.filter["id"] in ROUNDING:
            codec = numcodecs.get_codec(dict(self.filter))
            out = codec.decode(codec.encode(out)).reshape(out.shape)
        return out


def cases() -> Iterator[Case]:
    for dtype in WIDE_TYPES + SMALL_TYPES:
        plain = dtype.translate(str.maketrans("[", "-", "]"))
        yield Case(f"v2-{plain}", dtype, zarr_format=2)
        yield Case(f"v3-{plain}", dtype)
        yield Case(f"sharded-{plain}", dtype, options={"shards": SHARDS})
    yield Case("v2-fortran", "float32", options={"order": "F"}, zarr_format=2)
    delta = {"filters": [numcodecs.Delta(dtype="int32")]}
    yield Case("v2-filter", "int32", options=delta, zarr_format=2)
    settings = {"level": 4, "mode_spec": "classic", "equal_pages_up_to": 50,
                "delta_spec": "try_consecutive", "delta_encoding_order": 2}  # fmt: skip
    versions: tuple[Literal[2, 3], ...] = (2, 3)
    for version in versions:
        for name, dtype, some in (
            ("settings", "int64", settings),
            ("order", "int32", {"delta_encoding_order": 1}),
            ("lookback", "float64", {"delta_spec": "try_lookback"}),
        ):
            yield Case(f"v{version}-{name}", dtype, some, zarr_format=version)
        yield Case(f"v{version}-scalar", "float64", shape=(), chunks=(), zarr_format=version)
        corner = np.s_[:9, :9]
        yield Case(f"v{version}-sparse", "int64", written=corner, fill=-7, zarr_format=version)
    yield Case("v3-zstd", "float64", options={"compressors": "auto"})
    for number, (dtype, filter_) in enumerate(FILTERS + OLD_FILTERS):
        name = f"filter-{number}-{filter_['id']}"
        yield Case(f"v2-{name}", dtype, zarr_format=2, filter=filter_)
        if (dtype, filter_) not in OLD_FILTERS:
            yield Case(f"v3-{name}", dtype, filter=filter_)
            yield Case(f"sharded-{name}", dtype, filter=filter_, options={"shards": SHARDS})


def create(case: Case, folder: Path) -> None:
    codec: dict[str, Any]
    if case.zarr_format == 2:
        filters = [numcodecs.get_codec(dict(case.filter))] if case.filter else None
        codec = {"compressors": {"id": "pcodec", **case.settings}, "filters": filters}
    else:
        serializer = {"name": "numcodecs.pcodec", "configuration": case.settings}
        codec = {"serializer": serializer, "compressors": None}
        if case.filter:
            settings = {name: value for name, value in case.filter.items() if name != "id"}
            name = f"numcodecs.{case.filter['id']}"
            codec["filters"] = [{"name": name, "configuration": settings}]
    array = zarr.create_array(
        str(folder / case.name), shape=case.shape, chunks=case.chunks, dtype=case.dtype,
        fill_value=case.fill, zarr_format=case.zarr_format, **{**codec, **case.options},
    )  # fmt: skip
    array[case.written] = case.values()[case.written]


def check(case: Case, folder: Path, *, is_updated: bool) -> str | None:
    got = np.asarray(zarr.open_array(str(folder / case.name), mode="r")[...])
    expected_value = case.expected(is_updated=is_updated)
    if got.dtype != expected_value.dtype or got.shape != expected_value.shape:
        return (
            f"{case.name}: {got.dtype}{got.shape}, not {expected_value.dtype}{expected_value.shape}"
        )
    if np.ascontiguousarray(got).tobytes() != expected_value.tobytes():
        return f"{case.name}: the numbers differ"
    return None


def update(case: Case, folder: Path) -> None:
    """Overwrites a part that cuts through chunks, which are read and written again."""
    if len(case.shape) == 2:
        array = zarr.open_array(str(folder / case.name), mode="r+")
        array[UPDATED] = case.values()[::-1, ::-1][UPDATED]


def implementation() -> dict[str, Any]:
    v3 = get_codec_class("numcodecs.pcodec")
    return {
        "v2": type(numcodecs.get_codec({"id": "pcodec"})).__module__,
        "v3": f"{v3.__module__}.{v3.__qualname__}",
        "has_pcodec": importlib.util.find_spec("pcodec") is not None,
        "has_numpact": importlib.util.find_spec("numpact") is not None,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("steps", nargs="+", choices=["write", "check", "update", "check-updated"])
    parser.add_argument("--wide-only", action="store_true", help="write no types of 8 bits")
    parser.add_argument("--register", action="store_true", help="call numpact.zarr.register first")
    options = parser.parse_args()
    if options.register:
        from numpact.zarr import register

        register()
    failures: list[str] = []
    names: list[str] = []
    for case in cases():
        may_write = not (options.wide_only and case.is_small)
        for step in options.steps:
            if step == "write":
                if may_write:
                    create(case, options.folder)
            elif not (options.folder / case.name).exists():
                break
            elif step == "update":
                if may_write:
                    update(case, options.folder)
            else:
                is_updated = step == "check-updated" and may_write
                failure = check(case, options.folder, is_updated=is_updated)
                failures += [failure] if failure else []
        else:
            names += [case.name] if (options.folder / case.name).exists() else []
    json.dump({**implementation(), "failures": failures, "cases": names}, sys.stdout)


if __name__ == "__main__":
    main()
