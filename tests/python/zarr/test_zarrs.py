# SPDX-License-Identifier: Apache-2.0
"""Arrays that numpact writes are read by zarrs, a reader in Rust (in `./dev world`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import numpact.zarr

zarr = pytest.importorskip("zarr")
pytest.importorskip("zarrs")

PIPELINE = "zarrs.ZarrsCodecPipeline"
MOMENT = np.datetime64("2024-02-29T12:00:00", "us")
ARRAYS = {
    "i16": np.arange(-500, 500, dtype=np.int16),
    "u16": np.arange(1000, dtype=np.uint16) ** 2,
    "i32": np.cumsum(np.arange(1000, dtype=np.int32)),
    "u64": np.uint64(2**63) + np.arange(1000, dtype=np.uint64),
    "f16": np.linspace(-3, 3, 1000).astype(np.float16),
    "f32": np.sin(np.arange(1000, dtype=np.float32)),
    "f64": np.where(np.arange(1000) % 7 == 0, np.nan, np.arange(1000) * 0.01),
}


@pytest.fixture
def by_zarrs() -> Iterator[None]:
    with zarr.config.set({"codec_pipeline.path": PIPELINE, "codec_pipeline.strict": True}):
        yield


def written(store: Path, numbers: np.ndarray, **options: object) -> Path:
    array = zarr.create_array(
        store,
        shape=numbers.shape,
        chunks=(300,),
        dtype=numbers.dtype,
        compressors=None,
        serializer=numpact.zarr.PcoCodec(**options),
    )
    array[:] = numbers
    return store


@pytest.mark.parametrize("name", ARRAYS)
def test_zarrs_reads_the_same_numbers(name: str, tmp_path: Path) -> None:
    numbers = ARRAYS[name]
    store = written(tmp_path / "a", numbers)
    with zarr.config.set({"codec_pipeline.path": PIPELINE, "codec_pipeline.strict": True}):
        found = zarr.open_array(store, mode="r")[:]
    assert found.dtype == numbers.dtype
    assert found.tobytes() == numbers.tobytes()


@pytest.mark.parametrize("delta_spec", ["no_op", "none", "auto"])
def test_both_words_for_no_delta_are_read(delta_spec: str, tmp_path: Path, by_zarrs: None) -> None:
    numbers = ARRAYS["i32"]
    store = written(tmp_path / "a", numbers, delta_spec=delta_spec)
    assert np.array_equal(zarr.open_array(store, mode="r")[:], numbers)


@pytest.mark.parametrize("dtype", ["u1", "i1"])
def test_zarrs_refuses_integers_of_8_bits(dtype: str, tmp_path: Path) -> None:
    """docs/neighbours.md says so. If this fails, zarrs has learned them: change the page."""
    store = written(tmp_path / "a", np.arange(100, dtype=dtype))
    with (
        zarr.config.set({"codec_pipeline.path": PIPELINE, "codec_pipeline.strict": True}),
        pytest.raises(Exception, match="Pcodec"),
    ):
        zarr.open_array(store, mode="r")[:]
