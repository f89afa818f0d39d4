# SPDX-License-Identifier: Apache-2.0
"""Two worker processes, spawned: they share nothing with this one but files and messages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from dask_support import make_table

import numpact
from numpact._threads import resolve
from numpact.dask import from_pco, from_pco_table, pco_index, to_pco

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def _prices(block: np.ndarray) -> np.ndarray:
    random = np.random.default_rng(int(block[0]))
    return np.round(random.normal(100, 5, block.size), 2)


def test_round_trip(client: Any, tmp_path: Path) -> None:
    x = da.arange(80_000, chunks=10_000).map_blocks(_prices, dtype=float)
    index = to_pco(x, tmp_path / "x", paging=2500)
    assert [len(file.chunks) for file in index] == [4] * 8
    expected = x.compute()
    for by in ("file", "chunk"):
        y = from_pco(tmp_path / "x", by=by, index=index)
        np.testing.assert_array_equal(y.compute(), expected)
        assert float((y**2).sum().compute()) == pytest.approx(float((expected**2).sum()))
    assert pco_index(tmp_path / "x").files == index.files


def test_both_processes_work_with_one_thread_each_task(client: Any) -> None:
    workers = list(client.scheduler_info()["workers"])
    pids = [client.submit(os.getpid, workers=[worker], pure=False) for worker in workers]
    assert len({*client.gather(pids), os.getpid()}) == 3
    counts = [client.submit(resolve, None, workers=[worker], pure=False) for worker in workers]
    assert client.gather(counts) == [1, 1]


def test_threads_of_a_cluster_in_this_process() -> None:
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        assert client.submit(resolve, None, pure=False).result() == 1
    assert resolve(None) == 0


def test_errors_come_back_as_they_are(client: Any, tmp_path: Path) -> None:
    to_pco(da.arange(10_000, chunks=5000), tmp_path / "x", paging=1000)
    x = from_pco(tmp_path / "x", by="chunk")
    path = tmp_path / "x/part-00001.pco"
    data = bytearray(path.read_bytes())
    offset = pco_index(path).files[0].chunks[2].offset
    data[offset] = 99
    path.write_bytes(bytes(data))
    with pytest.raises(numpact.CorruptError, match=r"part-00001\.pco") as info:
        x.sum().compute()
    assert info.value.offset == offset
    path.unlink()
    with pytest.raises(FileNotFoundError):
        # Another sum: the scheduler may still remember how the first one failed.
        (x + 1).sum().compute()


def test_tables(client: Any, tmp_path: Path) -> None:
    tables = [make_table(tmp_path / f"day={i}", 3000, i) for i in range(4)]
    frame = from_pco_table(f"{tmp_path}/day=*")
    means = frame.groupby("ok").price.mean().compute()
    price = np.concatenate([table["price"] for table in tables])
    ok = np.concatenate([table["ok"] for table in tables]) != 0
    assert means[True] == pytest.approx(price[ok].mean())
    assert means[False] == pytest.approx(price[~ok].mean())


def test_a_worker_that_dies_leaves_whole_files(tmp_path: Path) -> None:
    """The task runs again on the other worker, and writes the same file to the same name."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        x = da.arange(40_000, chunks=10_000).map_blocks(
            _die_once, str(tmp_path / "died"), dtype=int
        )
        future = client.compute(to_pco(x, tmp_path / "x", compute=False))
        assert len(future.result(timeout=600)) == 4
    assert (tmp_path / "died").exists()
    assert sorted(os.listdir(tmp_path / "x")) == [f"part-0000{i}.pco" for i in range(4)]
    np.testing.assert_array_equal(
        from_pco(tmp_path / "x").compute(scheduler="synchronous"), np.arange(40_000)
    )


def _die_once(block: np.ndarray, mark: str) -> np.ndarray:
    if block[0] == 20_000 and not os.path.exists(mark):
        Path(mark).touch()
        os._exit(1)
    return block


@pytest.mark.skipif(
    find_spec("numpact.zarr") is None and find_spec("pcodec") is None,
    reason="no codec for Zarr: numpact.zarr is absent, and so is pcodec",
)
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zarr_by_the_codecs_name(client: Any, tmp_path: Path, zarr_format: int) -> None:
    zarr = pytest.importorskip("zarr", minversion="3.1.3")
    numcodecs = pytest.importorskip("numcodecs")
    try:
        numcodecs.get_codec({"id": "pcodec"})
    except Exception as error:
        pytest.skip(f"numpact is not installed with its entry points: {error}")
    codec: dict[str, Any]
    if zarr_format == 2:
        codec = {"compressors": numcodecs.get_codec({"id": "pcodec"})}
    else:
        codec = {
            "compressors": None,
            "serializer": {"name": "numcodecs.pcodec", "configuration": {}},
        }
    x = da.arange(90_000, chunks=15_000).map_blocks(_prices, dtype=float).reshape(300, 300)
    x = x.rechunk((100, 150))
    array = zarr.create_array(
        str(tmp_path / "a.zarr"),
        shape=x.shape,
        chunks=(100, 150),
        dtype=x.dtype,
        zarr_format=zarr_format,
        **codec,
    )
    da.to_zarr(x, array)
    y = da.from_zarr(str(tmp_path / "a.zarr"))
    assert y.chunks == x.chunks
    np.testing.assert_array_equal(y.compute(), x.compute())
    parts = [file for file in (tmp_path / "a.zarr").rglob("*") if b"pco!" in _start(file)]
    assert len(parts) == 6


def _start(path: Path) -> bytes:
    return path.read_bytes()[:4] if path.is_file() else b""
