# SPDX-License-Identifier: Apache-2.0
"""Pco behind filters that change the type of the numbers, in this process.

zarr_cases.py exchanges arrays with filters with the package pcodec.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
import zarr.codecs.numcodecs as wrapped
from zarr.abc.codec import ArrayArrayCodec
from zarr.core.buffer import default_buffer_prototype
from zarr_cases import FILTERS, OLD_FILTERS, ROUNDING, Case

import numpact
from numpact.zarr import PcoCodec, PCodec, register

pytestmark = [
    pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning"),
    pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning"),
]

# Whether zarr keeps the order of arrays in Fortran order behind filters: 3.1.6 does not.
KEEPS_ORDER = tuple(map(int, zarr.__version__.split(".")[:2])) >= (3, 4)
# Codecs of numcodecs that make bytes of an array, and are accepted as filters in Zarr v2.
TO_BYTES = {
    "adler32", "base64", "blosc", "bz2", "crc32", "crc32c", "fletcher32", "gzip",
    "jenkins_lookup3", "lz4", "lzma", "shuffle", "zlib", "zstd",
}  # fmt: skip
# Codecs of objects; zarr uses only the first with text, and none with numbers.
OF_OBJECTS = {"vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "pickle"}


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    before = numcodecs.registry.codec_registry.get("pcodec")
    with zarr.config.set({"codecs": zarr.config.get("codecs")}):
        register()
        yield
    if before is None:
        del numcodecs.registry.codec_registry["pcodec"]
    else:
        numcodecs.register_codec(before, "pcodec")


def create(store: Any, x: Any, **options: Any) -> Any:
    settings = {"shape": x.shape, "chunks": x.shape, "dtype": x.dtype, "compressors": None,
                "serializer": PcoCodec()}  # fmt: skip
    return zarr.create_array(store, **{**settings, **options})


def put(store: Any, numbers: Any) -> None:
    file = PCodec().encode(numbers)
    store._store_dict["c/0"] = default_buffer_prototype().buffer.from_bytes(file)


def test_every_filter_is_tested() -> None:
    ids = {str(filter_["id"]) for _, filter_ in FILTERS}
    of_zarr = {
        kind.codec_name.removeprefix("numcodecs.")
        for kind in map(vars(wrapped).__getitem__, wrapped.__all__)
        if issubclass(kind, ArrayArrayCodec) and hasattr(kind, "codec_name")
    }
    assert ids == of_zarr
    old = ids | {str(filter_["id"]) for _, filter_ in OLD_FILTERS} | TO_BYTES | OF_OBJECTS
    assert set(numcodecs.registry.codec_registry) - {"pcodec", "zfpy", "imagecodecs_pcodec"} <= old


@pytest.mark.parametrize(
    ("serializer", "layout"),
    [
        (PcoCodec(level=3), {"chunks": (5, 7)}),
        (PcoCodec(), {"chunks": (5, 7), "shards": (10, 14)}),
        (wrapped.PCodec(), {"chunks": (5, 7), "shards": (10, 14)}),
    ],
    ids=["plain", "sharded", "sharded wrapper"],
)
@pytest.mark.parametrize(
    ("dtype", "filter_"), FILTERS, ids=lambda x: x if isinstance(x, str) else x["id"]
)
def test_round_trip(dtype: str, filter_: dict[str, Any], layout: Any, serializer: Any) -> None:
    """Written by the array that was created, and by one that was opened."""
    case = Case(f"{dtype}{filter_}", dtype, shape=(12, 20), filter=filter_)
    configuration = {name: value for name, value in filter_.items() if name != "id"}
    filters = [{"name": f"numcodecs.{filter_['id']}", "configuration": configuration}]
    store = zarr.storage.MemoryStore()
    array = create(store, case.values(), filters=filters, serializer=serializer, **layout)
    array[...] = case.values()
    expected = case.expected(is_updated=False)
    np.testing.assert_array_equal(array[...], expected)
    again: Any = zarr.open_array(store)
    np.testing.assert_array_equal(again[...], expected)
    if filter_["id"] != "packbits":
        again[3:9, 2:19] = case.values()[3:9, 2:19]  # cuts through chunks
        np.testing.assert_array_equal(again[...], expected)
    np.testing.assert_array_equal(again[4, 3:15:2], expected[4, 3:15:2])


@pytest.mark.parametrize(
    ("dtype", "filter_", "order"),
    [
        (dtype, filter_, order)
        for dtype, filter_ in FILTERS + OLD_FILTERS
        for order in "CF"
        # numcodecs 0.16.6 scrambles these, whichever codec is behind.
        if (filter_["id"], order) != ("bitround", "F")
    ],
    ids=lambda x: x if isinstance(x, str) else x["id"],
)
def test_round_trip_in_version_2(dtype: str, filter_: dict[str, Any], order: str) -> None:
    case = Case(f"{dtype}{filter_}", dtype, shape=(12, 20), filter=filter_)
    options: dict[str, Any] = {"zarr_format": 2, "serializer": "auto", "order": order}
    store = zarr.storage.MemoryStore()
    filters = [numcodecs.get_codec(dict(filter_))]
    x = case.values()
    array = create(store, x, chunks=(5, 7), filters=filters, compressors=PCodec(), **options)
    array[...] = x
    np.testing.assert_array_equal(array[...], case.expected(is_updated=False))
    assert type(array.metadata.compressor) is PCodec


@pytest.mark.parametrize("name", sorted(TO_BYTES))
def test_filters_that_make_bytes_in_version_2(name: str) -> None:
    x = np.arange(240, dtype="i4").reshape(12, 20)
    settings = {"elementsize": 4} if name == "shuffle" else {}
    filters = [numcodecs.get_codec({"id": name, **settings})]
    options: dict[str, Any] = {"zarr_format": 2, "serializer": "auto"}
    array = create({}, x, chunks=(5, 7), filters=filters, compressors=PCodec(), **options)
    array[...] = x
    np.testing.assert_array_equal(array[...], x)


def test_text_in_version_2() -> None:
    x = np.array(["ice", "", "Åland"], object)
    array = zarr.create_array(
        {}, shape=3, dtype=str, zarr_format=2, filters=[numcodecs.VLenUTF8()], compressors=PCodec()
    )
    array[...] = x
    assert list(array[...]) == list(x)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0])
@pytest.mark.parametrize("name", sorted(set(ROUNDING) - {"fixedscaleoffset"}))
def test_special_numbers(name: str, special: float) -> None:
    """As numcodecs itself treats them."""
    settings = {
        "bitround": {"keepbits": 7},
        "quantize": {"digits": 2, "dtype": "<f4"},
        "astype": {"encode_dtype": "<f2", "decode_dtype": "<f4"},
    }[name]
    codec = numcodecs.get_codec({"id": name, **settings})
    x = np.array([1.25, special, 300.123, special], "f4")
    array = create({}, x, filters=[{"name": f"numcodecs.{name}", "configuration": settings}])
    array[...] = x
    expected_value = codec.decode(codec.encode(x))
    assert np.asarray(array[...]).tobytes() == expected_value.tobytes()


@pytest.mark.parametrize("filters", [None, [zarr.codecs.TransposeCodec(order=(0,))]])
def test_another_type_without_its_filter_is_refused(filters: Any) -> None:
    """zarr would convert the numbers, and store them when a part of the chunk is written."""
    store = zarr.storage.MemoryStore()
    x = np.arange(50, dtype="f4")
    array = create(store, x, filters=filters)
    for wrong in ("f8", "u4", "i4", "i2"):
        put(store, x.astype(wrong))
        with pytest.raises(numpact.TypeMismatchError, match=f"{np.dtype(wrong)}.*float32"):
            array[...]
        with pytest.raises(numpact.TypeMismatchError, match=f"{np.dtype(wrong)}.*float32"):
            array[3:5] = 1
    put(store, x)
    array[3:5] = 1
    assert array[2:6].tolist() == [2, 1, 1, 5]


def test_the_size_is_checked_behind_a_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    store = zarr.storage.MemoryStore()
    x = np.arange(1000, dtype="f4")
    filters = [{"name": "numcodecs.bitround", "configuration": {"keepbits": 7}}]
    array = create(store, x, filters=filters, fill_value=-1)
    for wrong in (np.arange(999), np.arange(1001), np.zeros(1 << 22, "i4")):
        put(store, wrong)
        with pytest.raises(numpact.CorruptError):
            array[...]
    put(store, np.zeros(1000, "i8"))
    monkeypatch.setattr(PCodec, "max_chunk_bytes", 4000)
    with pytest.raises(numpact.LimitExceededError, match="8000"):
        array[...]


def test_memory_order_behind_filters() -> None:
    """zarr 3.1.6 scrambles chunks in Fortran order behind filters that flatten them, whichever
    codec is behind: docs/zarr.md warns of these, and ``encoding`` uses none of them. 3.4.2 does
    not."""
    x = np.asfortranarray(np.arange(12, dtype="f4").reshape(3, 4))
    scrambled = set()
    for filter_ in (
        wrapped.BitRound(keepbits=20), wrapped.Quantize(digits=1, dtype="f4"),
        wrapped.AsType(encode_dtype="f2", decode_dtype="f4"), wrapped.Delta(dtype="f4"),
        wrapped.FixedScaleOffset(offset=0, scale=1, dtype="f4"),
    ):  # fmt: skip
        for serializer in ("auto", PcoCodec()):
            array = create({}, x, filters=[filter_], serializer=serializer)
            array[...] = x
            if not np.array_equal(array[...], x):
                scrambled.add((filter_.codec_name, str(serializer)))
    known = {
        (name, serializer)
        for name in ("numcodecs.delta", "numcodecs.fixedscaleoffset")
        for serializer in ("auto", "PcoCodec()")
    }
    assert scrambled == (set() if KEEPS_ORDER else known)


@pytest.mark.parametrize("is_transposed_first", [True, False])
def test_transposed_chunks(is_transposed_first: bool) -> None:
    """The codec that transposes takes chunks of the type that only the filter restores."""
    x = np.arange(12, dtype="f4").reshape(3, 4)
    filters = [wrapped.BitRound(keepbits=20), zarr.codecs.TransposeCodec(order=(1, 0))]
    array = create({}, x, filters=filters[::-1] if is_transposed_first else filters)
    array[...] = x
    np.testing.assert_array_equal(array[...], x)
    array[1, 2] = 9
    assert array[1].tolist() == [4, 5, 9, 7]
