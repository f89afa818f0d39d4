# SPDX-License-Identifier: Apache-2.0
"""The codec of numcodecs, called as numcodecs and zarr call it."""

from __future__ import annotations

import json
import pickle
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import numcodecs
import numpy as np
import pytest

import numpact
from numpact.zarr import PCodec

SETTINGS = {
    "level": 8,
    "mode_spec": "auto",
    "delta_spec": "auto",
    "paging_spec": "equal_pages_up_to",
    "delta_encoding_order": None,
    "equal_pages_up_to": 262144,
}
NUMBERS = np.arange(1000, dtype=np.int64) ** 2 % 977


def test_configuration_round_trip() -> None:
    assert PCodec().get_config() == {"id": "pcodec", **SETTINGS}
    assert list(PCodec().get_config()) == ["id", *SETTINGS]
    given = {**SETTINGS, "level": 3, "delta_encoding_order": 2}
    codec = PCodec.from_config(given)
    assert codec.get_config() == {"id": "pcodec", **given}
    assert codec == PCodec(3, delta_encoding_order=2) != PCodec(3)
    assert repr(codec) == (
        "PCodec(level=3, mode_spec='auto', delta_spec='auto', paging_spec='equal_pages_up_to', "
        "delta_encoding_order=2, equal_pages_up_to=262144)"
    )
    assert pickle.loads(pickle.dumps(codec)) == codec
    assert isinstance(codec, numcodecs.abc.Codec)


def test_numbers_of_numpy_become_json() -> None:
    config = PCodec(np.int64(5), equal_pages_up_to=np.uint16(100)).get_config()
    assert json.loads(json.dumps(config)) == {
        "id": "pcodec", **SETTINGS, "level": 5, "equal_pages_up_to": 100,
    }  # fmt: skip


@pytest.mark.parametrize(
    "settings",
    [
        {"level": 0},
        {"level": 12},
        {"mode_spec": "classic"},
        {"delta_spec": "none"},
        {"delta_spec": "no_op"},
        {"delta_spec": "try_lookback"},
        {"delta_spec": "try_consecutive", "delta_encoding_order": 7},
        {"delta_encoding_order": 0},
        {"equal_pages_up_to": 7},
        {"equal_pages_up_to": 1 << 40},
    ],
)
def test_accepted_settings(settings: dict[str, Any]) -> None:
    file = PCodec(**settings).encode(NUMBERS)
    np.testing.assert_array_equal(PCodec().decode(file), NUMBERS)


def test_settings_do_what_they_say() -> None:
    def chunks(**settings: Any) -> list[Any]:
        return list(numpact.inspect(PCodec(**settings).encode(NUMBERS)).chunks)

    assert [chunk.count for chunk in chunks(equal_pages_up_to=400)] == [334, 333, 333]
    halves = np.r_[np.arange(60_000), np.random.default_rng(0).integers(0, 1 << 60, 60_000)]
    assert len(numpact.inspect(PCodec().encode(halves)).chunks) > 1
    assert len(PCodec().encode(halves)) < 0.99 * len(PCodec(level=6).encode(halves))
    equal = numpact.inspect(PCodec(equal_pages_up_to=100_000).encode(halves)).chunks
    assert [chunk.count for chunk in equal] == [60_000, 60_000]
    for settings in ({"delta_spec": "none"}, {"delta_spec": "no_op"}, {"delta_encoding_order": 0}):
        assert "none" in str(chunks(mode_spec="classic", **settings)[0].delta).lower()
    for settings in ({"delta_spec": "try_consecutive"}, {"delta_spec": "auto"}):
        delta = str(chunks(mode_spec="classic", **settings, delta_encoding_order=3)[0].delta)
        assert "consecutive" in delta.lower()
        assert "3" in delta
    assert "lookback" in str(chunks(delta_spec="try_lookback")[0].delta).lower()
    assert "classic" in str(chunks(mode_spec="classic")[0].mode).lower()


@pytest.mark.parametrize("name", ["no_op", "none"])
def test_no_delta_is_stored_as_an_order(name: str) -> None:
    """numcodecs 0.16.6 does not know "no_op", 0.17 deprecates "none", zarrs knows one of them."""
    codec = PCodec(delta_spec=name, level=3)
    stored = {**SETTINGS, "level": 3, "delta_spec": "auto", "delta_encoding_order": 0}
    assert codec.get_config() == {"id": "pcodec", **stored}
    assert PCodec(**stored).encode(NUMBERS) == codec.encode(NUMBERS)
    if find_spec("zarr") is not None:
        configuration = numpact.zarr.PcoCodec(delta_spec=name).to_dict()["configuration"]
        assert configuration == {"delta_encoding_order": 0}
    if find_spec("pcodec") is not None:
        theirs = pytest.importorskip("numcodecs.pcodec").PCodec(**stored)
        np.testing.assert_array_equal(theirs.decode(codec.encode(NUMBERS)), NUMBERS)
        np.testing.assert_array_equal(codec.decode(theirs.encode(NUMBERS)), NUMBERS)


# The kinds of exception that numcodecs with pcodec 1.1.0 raises, where it raises any.
@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"level": 13}, RuntimeError),
        ({"level": -1}, ValueError),
        ({"level": None}, TypeError),
        ({"level": 3.0}, TypeError),
        ({"mode_spec": "try_float_mult"}, ValueError),
        ({"mode_spec": None}, ValueError),
        ({"delta_spec": "try_conv1"}, ValueError),
        ({"delta_spec": ["auto"]}, ValueError),
        ({"delta_spec": "try_consecutive"}, TypeError),
        ({"delta_spec": "try_lookback", "delta_encoding_order": 2}, ValueError),
        ({"delta_spec": "no_op", "delta_encoding_order": 0}, ValueError),
        ({"delta_encoding_order": 8}, RuntimeError),
        ({"delta_encoding_order": -1}, ValueError),
        ({"paging_spec": "exact"}, ValueError),
        ({"equal_pages_up_to": 0}, ValueError),
        ({"equal_pages_up_to": None}, TypeError),
    ],
)
def test_settings_are_refused_when_encoding_only(
    settings: dict[str, Any], kind: type[Exception]
) -> None:
    codec = PCodec(**settings)
    with pytest.raises(kind) as caught:
        codec.encode(NUMBERS)
    assert isinstance(caught.value, numpact.Error)
    np.testing.assert_array_equal(codec.decode(PCodec().encode(NUMBERS)), NUMBERS)


def test_unknown_setting() -> None:
    with pytest.raises(TypeError, match="nope"):
        PCodec.from_config({"nope": 1})


@pytest.mark.parametrize(
    "dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]
)
def test_types(dtype: str) -> None:
    numbers = NUMBERS.astype(dtype)
    file = PCodec().encode(numbers)
    got = PCodec().decode(file)
    assert got.dtype == numbers.dtype
    assert got.tobytes() == numbers.tobytes()
    # As others write it: the uniform type is not in the header.
    assert numpact._core.read_header(file)["uniform_type"] is None
    assert numpact._core.read_header(file)["n_hint"] == 1000


@pytest.mark.parametrize(("dtype", "stored"), [("M8[ns]", "i8"), ("m8[D]", "i8"), ("bool", "u1")])
def test_types_that_are_stored_as_integers(dtype: str, stored: str) -> None:
    values = NUMBERS.astype(dtype)
    file = PCodec().encode(values)
    assert PCodec().decode(file).dtype == stored
    np.testing.assert_array_equal(PCodec().decode(file).view(dtype), values)
    out = np.empty(1000, dtype)
    assert PCodec().decode(file, out=out) is out
    np.testing.assert_array_equal(out, values)


@pytest.mark.parametrize(
    "x", [np.zeros(3, complex), np.zeros(3, "S3"), np.zeros(3, object), np.zeros(3, "i4,i4"),
          np.zeros(3, ">f8"), np.zeros(3, ">M8[s]"), [1, 2, 3], None, "text"]
)  # fmt: skip
def test_what_is_not_encoded(x: Any) -> None:
    with pytest.raises(TypeError):
        PCodec().encode(x)


def test_any_buffer_is_encoded() -> None:
    numbers: Any = np.arange(3.0)
    for x in (memoryview(numbers), numbers[::1], np.arange(6.0)[::2] / 2):
        np.testing.assert_array_equal(PCodec().decode(PCodec().encode(x)), numbers)
    np.testing.assert_array_equal(PCodec().decode(PCodec().encode(b"abc")), [97, 98, 99])
    assert PCodec().decode(PCodec().encode(np.array(3.5))).tolist() == [3.5]


def test_any_buffer_is_decoded() -> None:
    file = PCodec().encode(NUMBERS)
    sources: list[Any] = [bytearray(file), memoryview(file), np.frombuffer(file, np.uint8)]
    for source in sources:
        np.testing.assert_array_equal(PCodec().decode(source), NUMBERS)
    for wrong in (5, None, "text"):
        with pytest.raises(TypeError):
            PCodec().decode(wrong)  # type: ignore[arg-type]


def test_fortran_order_is_that_of_memory() -> None:
    x = np.arange(12.0).reshape(3, 4)
    assert PCodec().encode(np.asfortranarray(x)) == PCodec().encode(x.T.copy())
    out = np.empty((3, 4), order="F")
    PCodec().decode(PCodec().encode(np.asfortranarray(x)), out=out)
    np.testing.assert_array_equal(out, x)


def test_out_must_fit() -> None:
    file = PCodec().encode(NUMBERS)
    with pytest.raises(numpact.OutputTooSmallError):
        PCodec().decode(file, out=np.empty(999, np.int64))
    with pytest.raises(numpact.InvalidArgumentError, match="1001"):
        PCodec().decode(file, out=np.empty(1001, np.int64))
    for wrong in (
        np.empty(1000),
        np.empty(1000, ">i8"),
        np.empty(2000, np.int64)[::2],
        b"x" * 8000,
    ):
        with pytest.raises(numpact.Error):
            PCodec().decode(file, out=wrong)


def test_nothing_at_all() -> None:
    assert PCodec().decode(PCodec().encode(np.empty(0, np.float32))).dtype == np.float32
    untyped = bytes.fromhex("70636f21030000040100")  # as pcodec 1.1.0 writes it
    assert PCodec().decode(untyped).size == 0
    out = np.empty(0, np.float64)
    assert PCodec().decode(untyped, out=out) is out


def test_damage_is_an_error() -> None:
    file = PCodec().encode(NUMBERS)
    for length in range(len(file)):
        with pytest.raises(numpact.CorruptError):
            PCodec().decode(file[:length])
        with pytest.raises(numpact.CorruptError):
            PCodec().decode(file[:length], out=np.empty(1000, np.int64))


def test_bombs_meet_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = PCodec().encode(np.zeros(1 << 23))
    assert len(bomb) < 1000
    tracemalloc.start()
    with pytest.raises(numpact.OutputTooSmallError):
        PCodec().decode(bomb, out=np.empty(1000))
    monkeypatch.setattr(PCodec, "max_chunk_bytes", 1 << 20)
    with pytest.raises(numpact.LimitExceededError):
        PCodec().decode(bomb)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_one_codec_in_many_threads() -> None:
    codec = PCodec()
    arrays = [np.arange(i, i + 5000) // 3 for i in range(40)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda x: codec.decode(codec.encode(x)), arrays))
    for got, expected in zip(results, arrays, strict=True):
        np.testing.assert_array_equal(got, expected)
