# SPDX-License-Identifier: Apache-2.0
"""Arrays with the codec "imagecodecs_pcodec", as imagecodecs 2026.10.10 stores them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3")
numcodecs = pytest.importorskip("numcodecs")

import numpact  # noqa: E402
import numpact.zarr  # noqa: E402

SHAPE, CHUNKS = (60, 50), (32, 20)
NAME = "imagecodecs_pcodec"
TYPES = ["u1", "i2", "u4", "i8", "f2", "f4", "f8"]


@pytest.fixture(autouse=True)
def registered() -> None:
    numpact.zarr.register()


def numbers(dtype: str) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(0, 100, SHAPE).astype(dtype)


def write(folder: Path, array: np.ndarray[Any, Any], version: int) -> Path:
    """A store of "pcodec", renamed: the chunks are the same files."""
    path = folder / f"{array.dtype.name}-{version}"
    common = {"shape": SHAPE, "chunks": CHUNKS, "dtype": array.dtype, "zarr_format": version}
    if version == 2:
        made = zarr.create_array(path, compressors=numpact.zarr.PCodec(), filters=None, **common)
        made[:] = array
        file = path / ".zarray"
        found = json.loads(file.read_text())
        found["compressor"] = {"id": NAME, "shape": list(CHUNKS), "dtype": array.dtype.str,
                               "level": 5, "pagesize": None}  # fmt: skip
    else:
        made = zarr.create_array(
            path, serializer=numpact.zarr.PcoCodec(), compressors=None, **common
        )
        made[:] = array
        file = path / "zarr.json"
        found = json.loads(file.read_text())
        found["codecs"] = [{"name": NAME, "configuration": {"level": 5, "pagesize": 100}}]
    file.write_text(json.dumps(found))
    return path


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_are_read(tmp_path: Path, dtype: str, version: int) -> None:
    array = numbers(dtype)
    found = zarr.open_array(write(tmp_path, array, version), mode="r")
    assert np.array_equal(found[:], array)
    assert np.array_equal(found[40:, 7:9], array[40:, 7:9])


@pytest.mark.parametrize("version", [2, 3])
def test_writing_is_refused(tmp_path: Path, version: int) -> None:
    found = zarr.open_array(write(tmp_path, numbers("f8"), version), mode="r+")
    with pytest.raises(numpact.InvalidArgumentError, match=f"reads the codec '{NAME}' only"):
        found[:] = 1


def test_the_codec_has_the_settings_of_the_array(tmp_path: Path) -> None:
    (codec,) = zarr.open_array(write(tmp_path, numbers("f8"), 3)).metadata.codecs
    entry = {"name": NAME, "configuration": {"level": 5, "pagesize": 100}}
    assert codec.to_dict() == entry
    assert pickle.loads(pickle.dumps(codec)) == codec
    assert type(codec).from_dict({"name": NAME}) != numpact.zarr.PcoCodec()
    assert repr(codec) == "ImagecodecsSerializer(level=5, pagesize=100)"


def test_numcodecs_decodes() -> None:
    array = numbers("i4")
    config = {"id": NAME, "shape": list(SHAPE), "dtype": "<i4", "level": None, "pagesize": None}
    codec = numcodecs.get_codec(dict(config))
    file = numpact.compress(array)
    decoded = codec.decode(file)
    assert (decoded.dtype, decoded.shape) == (array.dtype, SHAPE)
    assert np.array_equal(decoded, array)
    out = np.empty_like(array)
    assert codec.decode(file, out) is out
    assert np.array_equal(out, array)
    with pytest.raises(numpact.CorruptError, match="2999 numbers"):
        codec.decode(numpact.compress(array.reshape(-1)[1:]))
    with pytest.raises(numpact.TypeMismatchError):
        codec.decode(numpact.compress(array.astype("u4")))


def test_the_limit_of_chunks_applies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpact.zarr.PCodec, "max_chunk_bytes", 1000)
    codec = numcodecs.get_codec({"id": NAME, "shape": SHAPE, "dtype": "<i4"})
    with pytest.raises(numpact.LimitExceededError):
        codec.decode(numpact.compress(numbers("i4")))
