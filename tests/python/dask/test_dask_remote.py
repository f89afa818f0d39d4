# SPDX-License-Identifier: Apache-2.0
"""The real clients of S3 and HTTP, against servers in this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest

import numpact
from numpact.dask import from_pco, pco_index, to_pco

pytestmark = pytest.mark.slow

NUMBERS = np.round(np.random.default_rng(1).normal(100, 5, 100_000), 2)


@pytest.fixture(scope="module")
def options() -> Iterator[dict[str, Any]]:
    """Storage options of a simulated S3 with a bucket."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    s3fs = pytest.importorskip("s3fs")
    server.start()
    host, port = server.get_host_and_port()
    made = {"key": "a", "secret": "b", "endpoint_url": f"http://{host}:{port}"}
    s3fs.S3FileSystem(**made).mkdir("bucket")
    yield made
    server.stop()


def test_s3(options: dict[str, Any]) -> None:
    x = da.from_array(NUMBERS, chunks=25_000)
    folder = "s3://bucket/price"
    index = to_pco(x, folder, paging=5000, storage_options=options)
    assert [file.url for file in index] == [f"{folder}/part-0000{i}.pco" for i in range(4)]
    assert all(file.stamp.tag.startswith("ETag:") for file in index)
    index.save("s3://bucket/index.json", options)
    y = from_pco(folder, by="chunk", index="s3://bucket/index.json", storage_options=options)
    assert y.numblocks == (20,)
    np.testing.assert_array_equal(y.compute(), NUMBERS)
    for paths in (f"{folder}/*.pco", [file.url for file in index]):
        by_header = from_pco(paths, storage_options=options)
        np.testing.assert_array_equal(by_header.compute(), NUMBERS)
    assert pco_index(folder, storage_options=options) == index

    to_pco(x[:50_000] + 1, folder, overwrite=True, storage_options=options)
    assert from_pco(folder, storage_options=options).shape == (50_000,)
    with pytest.raises(numpact.CorruptError, match="index it anew"):
        from_pco(folder, index=index, storage_options=options)
    for absent in ("s3://bucket/none.pco", "s3://nobucket/a.pco", "s3://bucket/none/*.pco"):
        with pytest.raises(FileNotFoundError):
            from_pco(absent, storage_options=options)


def test_http(tmp_path: Path) -> None:
    web = pytest.importorskip("aiohttp.web")
    to_pco(da.from_array(NUMBERS, chunks=25_000), tmp_path, paging=5000)
    requests: list[tuple[str, str, str | None]] = []

    async def answer(request: Any) -> Any:
        requests.append((request.method, request.path, request.headers.get("Range")))
        return web.FileResponse(tmp_path / request.path.lstrip("/"))

    with _serving(web, answer) as base:
        urls = [f"{base}/part-0000{i}.pco" for i in range(4)]
        np.testing.assert_array_equal(from_pco(urls).compute(), NUMBERS)
        index = pco_index(urls)
        x = from_pco(urls, by="chunk", index=index)
        requests.clear()
        np.testing.assert_array_equal(x[30_000:31_000].compute(), NUMBERS[30_000:31_000])
        file = index.files[1]
        expected = f"bytes={file.chunks[1].offset}-{file.chunks[2].offset - 1}"
        assert requests == [("GET", "/part-00001.pco", expected)]
        with pytest.raises(FileNotFoundError):
            from_pco(f"{base}/none.pco")


class _serving:
    """An HTTP server in a thread, at the URL that it gives."""

    def __init__(self, web: Any, answer: Any) -> None:
        self._web, self._answer = web, answer
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = self._web.Application()
        app.router.add_route("*", "/{name}", self._answer)
        runner = self._web.AppRunner(app)
        await runner.setup()
        await self._web.TCPSite(runner, "127.0.0.1", 0).start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    def __enter__(self) -> str:
        self._thread.start()
        assert self._ready.wait(30)
        return f"http://127.0.0.1:{self._port}"

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)
