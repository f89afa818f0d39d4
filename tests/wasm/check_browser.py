#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_browser.py PACKAGE FILES: files behind HTTP, opened by a page and a worker of Chromium.

FILES is what tests/wasm/make_files.py made. Node differs from browsers: their fetch is a method of
the global object, requests to another server need its leave, and responses are cached.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/docs"))
from browser import Browser  # noqa: E402

RANGE = re.compile(r"bytes=(\d*)-(\d*)$")
TYPES = {".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html"}
PAGE = b"<!doctype html><title>numpact</title>"
WORKER = b"""
onmessage = async ({data: {url, first, count}}) => {
  try {
    const {openUrl} = await import("/package/index.js");
    postMessage(Array.from(await (await openUrl(url)).read(first, count)));
  } catch (error) {
    postMessage(String(error));
  }
};
"""
# What a page of another server may ask for and see.
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Range",
    "Access-Control-Expose-Headers": "Content-Range, ETag",
}


class Server:
    """Files by their path; ranges of them; `bytes` counts what was sent of ranges."""

    def __init__(self, files: dict[str, bytes], headers: dict[str, str]) -> None:
        self.bytes = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def answer(self, status: int, content: bytes, **more: str) -> None:
                self.send_response(status)
                for name, value in {**headers, **more}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_OPTIONS(self) -> None:
                self.answer(204, b"")

            def do_GET(self) -> None:
                content = files.get(self.path)
                asked = RANGE.match(self.headers.get("Range", ""))
                if content is None:
                    self.answer(404, b"")
                elif not asked or "/whole/" in self.path:
                    kind = TYPES.get(Path(self.path).suffix, "application/octet-stream")
                    self.answer(200, content, Content_Type=kind)
                else:
                    first, last = asked.groups()
                    begin = int(first) if first else max(0, len(content) - int(last))
                    end = min(len(content), int(last) + 1) if first and last else len(content)
                    server.bytes += end - begin
                    place = f"bytes {begin}-{end - 1}/{len(content)}"
                    self.answer(206, content[begin:end], Content_Range=place, ETag='"1"')

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Visit:
    def __init__(self, browser: Browser, page: Server, other: Server, made: Path) -> None:
        self.browser, self.page, self.other = browser, page, other
        self.numbers = np.load(made / "encoded/trailer.npy")
        self.vectors = np.load(made / "cvc/rows.npy")

    def run(self, body: str, **values: Any) -> Any:
        """The value that the body of an async function returns; the text of what it throws."""
        return self.browser.evaluate(
            f"(async ({{{', '.join(values)}}}) => {{ const library = "
            f"await import('/package/index.js'); {body} }})({json.dumps(values)})"
            ".catch(error => `${error}`)"
        )

    def read(self, url: str, options: str = "{}") -> None:
        for first, count in [(0, 10), (5000, 1), (4000, 200), (49_990, 10), (0, 50_000)]:
            found = self.run(
                f"const remote = await library.openUrl(url, {options});"
                "return Array.from(await remote.read(first, count));",
                url=url, first=first, count=count,
            )  # fmt: skip
            assert found == self.numbers[first : first + count].tolist(), f"{url}: {found}"

    # ---- what pages do ----

    def reads_parts(self) -> None:
        for start in ("", "/", f"{self.page.url}/"):
            self.read(f"{start}files/trailer.pco")
        self.read("/files/trailer.pco", "{tailBytes: 24}")
        self.read("/files/trailer.pco", "{fetch: window.fetch}")
        self.read("/files/trailer.pco", "{fetch: (...request) => fetch(...request)}")

    def opens_with_its_own_codec(self) -> None:
        found = self.run(
            "const codec = await library.Numpact.load();"
            "const url = new URL('/files/trailer.pco', location);"
            "const remote = await library.RemoteFile.open(codec, url);"
            "const shown = [remote.type, remote.count, remote.chunks.length, remote.requests];"
            "return [...shown, Array.from(await remote.read(7, 3)), remote.requests];"
        )
        assert found == ["f64", 50_000, 13, 2, self.numbers[7:10].tolist(), 3], found

    def fetches_only_what_it_needs(self) -> None:
        before = self.page.bytes
        size = self.run(
            "const options = {tailBytes: 1000, fetch: (url, init) => fetch(url, {...init, cache:"
            "'no-store'})}; const remote = await library.openUrl('/files/trailer.pco', options);"
            "await remote.read(4096, 10); return remote.size;"
        )
        assert 0 < self.page.bytes - before < size / 5, (self.page.bytes - before, size)

    def reads_from_another_server(self) -> None:
        self.read(f"{self.other.url}/files/trailer.pco")
        forbidden = self.page.url.replace("127.0.0.1", "localhost")
        found = self.run("return String(await library.openUrl(url));",
                         url=f"{forbidden}/files/trailer.pco")  # fmt: skip
        assert found.startswith("NumpactError: io: "), found

    def reads_vectors(self) -> None:
        before = [server.bytes for server in (self.page, self.other)]
        for server in (self.page, self.other):
            found = self.run(
                "const options = {fetch: (url, init) => fetch(url, {...init, cache: 'no-store'})};"
                "const remote = await library.openCvcUrl(url, options);"
                "const rows = await remote.gather([39_999, 5], {dtype: 'float32'});"
                "return [remote.rows, remote.columns[0].dimension, Array.from(rows)];",
                url=f"{server.url}/files/rows.cvc",
            )  # fmt: skip
            assert found == [40_000, 32, self.vectors[[39_999, 5]].ravel().tolist()], found
        sent = [self.page.bytes - before[0], self.other.bytes - before[1]]
        assert sent[0] == sent[1] < 120_000, sent  # of 2.5 MB

    def reads_in_a_worker(self) -> None:
        found = self.run(
            "const worker = new Worker('/worker.js', {type: 'module'});"
            "return new Promise((done) => { worker.onmessage = ({data}) => done(data);"
            "worker.onerror = ({message}) => done(message);"
            "worker.postMessage({url: '/files/trailer.pco', first: 100, count: 5}); });"
        )
        assert found == self.numbers[100:105].tolist(), found

    def sees_errors(self) -> None:
        for path, text in [("files/none.pco", "has no trailer"), ("files/missing.pco", "404"),
                           ("files/whole/trailer.pco", "does not serve ranges")]:  # fmt: skip
            found = self.run("return String(await library.openUrl(url));", url=f"/{path}")
            assert found.startswith("NumpactError: ") and text in found, found
        found = self.run("return String(await library.openUrl('http://127.0.0.1:1/'));")
        assert found.startswith("NumpactError: io: "), found


STEPS = [Visit.reads_parts, Visit.opens_with_its_own_codec, Visit.fetches_only_what_it_needs,
         Visit.reads_from_another_server, Visit.reads_vectors, Visit.reads_in_a_worker,
         Visit.sees_errors]  # fmt: skip


def main() -> None:
    package, made = (Path(argument) for argument in sys.argv[1:3])
    trailer = (made / "encoded/trailer.pco").read_bytes()
    vectors = (made / "cvc/rows_fp16.cvc").read_bytes()
    shared = {"/files/trailer.pco": trailer, "/files/rows.cvc": vectors}
    files = {
        **shared, "/index.html": PAGE, "/worker.js": WORKER,
        "/files/whole/trailer.pco": trailer,
        "/files/none.pco": (made / "encoded/f8_8.pco").read_bytes(),
        **{f"/package/{path.name}": path.read_bytes() for path in package.iterdir()},
    }  # fmt: skip
    servers = [Server(files, {}), Server(shared, CORS)]
    browser = Browser()
    try:
        browser.go(f"{servers[0].url}/index.html")
        visit = Visit(browser, *servers, made)
        for step in STEPS:
            step(visit)
            print(f"ok {step.__name__}")
    finally:
        browser.close()
        for server in servers:
            server.close()


if __name__ == "__main__":
    main()
