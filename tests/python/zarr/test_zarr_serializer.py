# SPDX-License-Identifier: Apache-2.0
"""Arrays of zarr whose chunks numpact encodes and decodes, in this process."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
import zarr.codecs.numcodecs
from zarr.core.buffer import default_buffer_prototype

import numpact
from numpact.zarr import PcoCodec, PCodec, register

pytestmark = pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning")

X = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    before = numcodecs.registry.codec_registry.get("pcodec")
    environment = dict(os.environ)
    with zarr.config.set({"codecs": zarr.config.get("codecs")}):
        register()
        yield
    os.environ.clear()
    os.environ.update(environment)
    if before is None:
        del numcodecs.registry.codec_registry["pcodec"]
    else:
        numcodecs.register_codec(before, "pcodec")


def create(store: Any, x: Any, serializer: Any, **options: Any) -> Any:
    x = np.asarray(x)
    settings = {"shape": x.shape, "chunks": x.shape, "dtype": x.dtype, "compressors": None}
    return zarr.create_array(store, **{**settings, "serializer": serializer, **options})


def round_trip(x: Any, serializer: Any, **options: Any) -> Any:
    store = zarr.storage.MemoryStore()
    create(store, x, serializer, **options)[...] = x
    return zarr.open_array(store, mode="r")[...]


def put(store: Any, file: bytes) -> None:
    store._store_dict["c/0"] = default_buffer_prototype().buffer.from_bytes(file)


@pytest.mark.parametrize("make", [PcoCodec, zarr.codecs.numcodecs.PCodec])
@pytest.mark.parametrize(
    "x",
    [X, np.asfortranarray(X), np.arange(12.0).reshape(4, 3).T, X[::-1],
     np.arange(24.0).reshape(3, 8)[:, ::2], X.astype(">f8"), X.astype("i8").astype(">M8[s]"),
     X > 5, X.astype("u1"), np.float32(2.5)],
)  # fmt: skip
def test_memory_order_and_byte_order_do_not_matter(make: Any, x: Any) -> None:
    """Through zarr's wrapper too: with pcodec behind it a transposed array comes back scrambled."""
    np.testing.assert_array_equal(round_trip(x, make(level=3)), x)
    if np.ndim(x) == 2:
        for options in ({"chunks": (2, 3)}, {"config": {"order": "F"}, "chunks": (2, 2)},
                        {"chunks": (3, 4), "shards": (3, 4)}):  # fmt: skip
            np.testing.assert_array_equal(round_trip(x, make(), **options), x)


@pytest.mark.parametrize("x", [X, np.asfortranarray(X), X.T, X[:, ::2]])
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_order_in_version_2(x: Any, order: str) -> None:
    options: dict[str, Any] = {"zarr_format": 2, "order": order, "filters": None}
    store = zarr.storage.MemoryStore()
    array = zarr.create_array(
        store, shape=x.shape, chunks=x.shape, dtype=x.dtype, compressors=PCodec(), **options
    )
    array[...] = x
    got: Any = zarr.open_array(store, mode="r")
    assert type(got.metadata.compressor) is PCodec
    np.testing.assert_array_equal(got[...], x)


def test_wrong_byte_order_in_version_2_is_refused() -> None:
    store = zarr.storage.MemoryStore()
    array = zarr.create_array(
        store, shape=(3,), dtype=">f8", compressors=PCodec(), zarr_format=2, filters=None
    )
    with pytest.raises(TypeError, match="byte order"):
        array[...] = [1, 2, 3]


def test_metadata() -> None:
    for configuration in ({}, {"level": 3}, {"delta_encoding_order": None, "level": 8}):
        codec = PcoCodec(**configuration)
        entry = codec.to_dict()
        assert entry == {"name": "numcodecs.pcodec", "configuration": configuration}
        assert PcoCodec.from_dict(entry) == codec
        assert hash(PcoCodec.from_dict(entry)) == hash(codec)
        assert pickle.loads(pickle.dumps(codec)) == codec
        assert entry == zarr.codecs.numcodecs.PCodec(**configuration).to_dict()
    assert PcoCodec.from_dict({"name": "numcodecs.pcodec"}) == PcoCodec()
    assert PcoCodec(level=3) != PcoCodec()
    assert repr(PcoCodec(level=3)) == "PcoCodec(level=3)"
    with pytest.raises(TypeError, match="nope"):
        PcoCodec(nope=1)  # type: ignore[call-arg]
    with pytest.raises(numpact.InvalidArgumentError):
        PcoCodec.from_dict({"name": "bytes"})


def test_arrays_reopen_with_the_serializer_and_keep_their_metadata() -> None:
    store = zarr.storage.MemoryStore()
    create(store, X, PcoCodec(level=2))[...] = X
    array: Any = zarr.open_array(store, mode="r+")
    assert array.metadata.codecs == (PcoCodec(level=2),)
    array.attrs["unit"] = "m"
    array = zarr.open_array(store)
    assert array.metadata.codecs[0].to_dict()["configuration"] == {"level": 2}
    assert pickle.loads(pickle.dumps(array)).metadata.codecs == (PcoCodec(level=2),)


def test_types_are_refused_when_writing() -> None:
    """Not at creation: zarr says nothing of the filters then, which may make numbers of them."""
    for dtype in ("c16", "U3"):
        array = create({}, np.zeros(3, dtype), PcoCodec(), fill_value=None)
        with pytest.raises(numpact.TypeMismatchError, match="cannot be compressed"):
            array[...] = np.ones(3).astype(dtype)


def test_settings_are_refused_when_writing() -> None:
    array = create({}, X, PcoCodec(level=99))
    with pytest.raises(numpact.InvalidArgumentError, match="level"):
        array[...] = X


def test_a_chunk_must_be_of_the_type_and_size_of_the_array() -> None:
    store = zarr.storage.MemoryStore()
    x = np.arange(5000, dtype="f4")
    array = create(store, x, PcoCodec())
    for wrong, kind in (
        (x.astype("f8"), numpact.TypeMismatchError),
        (x.view("u4"), numpact.TypeMismatchError),
        (x[:-1], numpact.CorruptError),
        (np.arange(5001, dtype="f4"), numpact.CorruptError),
        (np.zeros(1 << 23, "f4"), numpact.CorruptError),
    ):
        put(store, PCodec().encode(wrong))
        with pytest.raises(kind):
            array[...]
    put(store, PCodec().encode(x))
    np.testing.assert_array_equal(array[...], x)


def test_chunks_over_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    store = zarr.storage.MemoryStore()
    array = create(store, np.zeros(1000), PcoCodec(), fill_value=1)
    array[...] = np.arange(1000.0)
    monkeypatch.setattr(PCodec, "max_chunk_bytes", 7999)
    with pytest.raises(numpact.LimitExceededError, match="8000"):
        array[...]
    monkeypatch.setattr(PCodec, "max_chunk_bytes", 8000)
    assert array[999] == 999


def test_hostile_chunks() -> None:
    rng = np.random.default_rng(5)
    store = zarr.storage.MemoryStore()
    x = np.cumsum(rng.normal(size=500))
    array = create(store, x, PcoCodec())
    file = PCodec().encode(x)
    refused = 0
    for _ in range(400):
        damaged = bytearray(file)
        for place in rng.integers(0, len(file), rng.integers(1, 4)):
            damaged[place] = rng.integers(0, 256)
        put(
            store,
            bytes(damaged[: rng.integers(1, len(file) + 1)] if rng.random() < 0.3 else damaged),
        )
        try:
            assert array[...].shape == (500,)
        except numpact.Error:
            refused += 1
    assert refused > 50


def test_registering_keeps_the_other_codecs() -> None:
    before = dict(zarr.config.get("codecs"))
    register()
    assert zarr.config.get("codecs") == {**before, "numcodecs.pcodec": "numpact.zarr.PcoCodec"}
    assert len(before) > 20
    assert type(numcodecs.get_codec({"id": "pcodec"})) is PCodec


def test_registering_for_children_extends_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZARR_CODECS", "{'gzip': 'some.Class'}")
    register(children=True)
    assert os.environ["ZARR_CODECS"] == (
        '{"gzip": "some.Class", "numcodecs.pcodec": "numpact.zarr.PcoCodec"}'
    )
    monkeypatch.setenv("ZARR_CODECS", "gzip")
    with pytest.raises(numpact.InvalidArgumentError):
        register(children=True)


def test_selections_and_empty_chunks() -> None:
    store = zarr.storage.MemoryStore()
    array = create(store, np.zeros((100, 100), "i2"), PcoCodec(), chunks=(10, 10), fill_value=-1)
    array[...] = -1
    assert not [key for key in store._store_dict if key.startswith("c/")]
    array[15:25, 40] = 7
    assert sorted(key for key in store._store_dict if key.startswith("c/")) == ["c/1/4", "c/2/4"]
    assert array[10:30, 35:45].sum() == 10 * 7 - (200 - 10)
    assert array.oindex[[14, 15], [40]].tolist() == [[-1], [7]]
