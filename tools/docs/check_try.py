#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_try.py SITE FILES SCREENSHOTS: uses the page "Try it" of a site in Chromium.

FILES is what tests/wasm/make_files.py made. The server ends once the page is loaded: whatever the
page does then, it does without a network. Screenshots are kept for who wants to look.
"""

from __future__ import annotations

import base64
import struct
import sys
import tempfile
import threading
import time
import zlib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpact
import numpy as np
from browser import Browser

WIDTHS = [1280, 320]
LARGE_CSV_BYTES = 50_000_000
# The page's thread may be held up for this share of the time that a large table takes, on machines
# of any speed and load. Compressing one of its columns is a larger share.
MAX_PAUSE = 1 / 20
DONE = "document.getElementById('try').getAttribute('aria-busy') === 'false'"
CELLS = ("[...document.querySelectorAll('#try > .try-scroll tbody tr')]"
         ".map(r => [...r.cells].map(c => c.innerText))")  # fmt: skip
PROBLEM = "(p => p.hidden ? '' : p.innerText)(document.getElementById('try-problem'))"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


def colours(png: bytes) -> set[bytes]:
    """The colours of a PNG of 8 bits a channel, as Chromium writes it."""
    at, data = 8, b""
    width = channels = 0
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, channels = struct.unpack(">I", body[:4])[0], {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    raw = np.frombuffer(zlib.decompress(data), np.uint8).reshape(-1, 1 + width * channels)
    before = np.zeros(width * channels, np.uint8)
    found: set[bytes] = set()
    for line in raw:
        before = unfiltered(int(line[0]), line[1:].copy(), before, channels)
        found |= {bytes(pixel) for pixel in np.unique(before.reshape(-1, channels), axis=0)}
    return found


def unfiltered(kind: int, line: np.ndarray, above: np.ndarray, step: int) -> np.ndarray:
    if kind == 2:
        return line + above
    if kind == 1:
        return np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    for i in range(len(line) if kind else 0):
        left = int(line[i - step]) if i >= step else 0
        up = int(above[i])
        corner = int(above[i - step]) if i >= step else 0
        if kind == 3:
            guess = (left + up) // 2
        else:
            guess = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
        line[i] = (int(line[i]) + guess) & 255
    return line


class Visit:
    def __init__(self, browser: Browser, files: Path, work: Path, shots: Path) -> None:
        self.browser, self.files, self.work, self.shots = browser, files, work, shots

    def open(self, path: Path) -> list[list[str]]:
        """Opens a file; the cells of the table."""
        self.browser.evaluate("document.getElementById('try').setAttribute('aria-busy', 'soon')")
        self.browser.choose("#try-file", path)
        self.browser.wait(DONE)
        return self.browser.evaluate(CELLS)

    def made(self, name: str, content: bytes) -> Path:
        path = self.work / name
        path.write_bytes(content)
        return path

    def explain(self, index: int) -> None:
        self.browser.evaluate(f"document.querySelectorAll('#try tbody button')[{index}].click()")

    def downloaded(self) -> bytes:
        return base64.b64decode(self.browser.evaluate(
            "fetch(document.querySelector('#try-detail a[download]').href)"
            ".then(r => r.blob()).then(b => new Promise(done => { const f = new FileReader();"
            " f.onload = () => done(f.result.split(',')[1]); f.readAsDataURL(b); }))"
        ))  # fmt: skip

    # ---- what visitors do ----

    def compresses_arrays(self) -> None:
        made = np.load(self.files / "encoded/f8.npy")
        cells = self.open(self.files / "encoded/f8.npy")
        assert cells[0][1:4] == ["f64", "30,000", "240,000"], cells
        self.explain(0)
        file = self.downloaded()
        assert numpact.decompress(file).tobytes() == made.tobytes()
        assert file == numpact.compress(made, trailer=True)
        swapped = self.work / "swapped.npy"
        np.save(swapped, made.astype(">f8"))
        self.open(swapped)
        self.explain(0)
        assert numpact.decompress(self.downloaded()).tobytes() == made.tobytes()

    def compresses_tables(self) -> None:
        text = ('name,price,count,"with ""quotes"", and comma",odd\r\n'
                'a,1.5,10,-7,1e300\r\n"b, b",,9007199254740993,8,-0\r\nc,2.25,-3,9,nan\r\n')
        cells = self.open(self.made("table.csv", text.encode()))
        shown = [[row[0].split("\n")[0], row[1], row[2]] for row in cells]
        assert shown == [["name", "text", "-"], ["price", "f64", "2"], ["count", "i64", "3"],
                         ['with "quotes", and comma', "i64", "3"], ["odd", "f64", "3"]], shown
        expected = [np.array([1.5, 2.25]), np.array([10, 9007199254740993, -3]),
                    np.array([-7, 8, 9]), np.array([1e300, -0.0, np.nan])]
        for index, numbers in enumerate(expected):
            self.explain(index)
            found = numpact.decompress(self.downloaded())
            assert found.dtype == numbers.dtype and found.tobytes() == numbers.tobytes(), index
        cells = self.open(self.made("plain.tsv", b"1\t2.5\n3\t4\n"))
        assert [row[2] for row in cells] == ["2", "2"], cells

    def opens_files(self) -> None:
        cells = self.open(self.files / "v1_0_0_conv1.pco")
        assert cells[0][1:5] == ["i32", "2,000", "8,000", "1,668"], cells
        self.explain(0)
        expected = np.load(self.files / "v1_0_0_conv1.npy")
        saved = self.made("saved.npy", self.downloaded())
        assert np.load(saved).tobytes() == expected.tobytes()
        assert "conv1" in self.browser.evaluate("document.getElementById('try-detail').innerText")
        chunk = next(path for path in sorted((self.files / "zarr/f4.v3/c").rglob("*"))
                     if path.is_file())  # fmt: skip
        assert self.open(chunk)[0][1:3] == ["f32", str(32 * 16)]
        cells = self.open(self.files / "cvc/v10_int8.cvc")
        values = np.load(self.files / "cvc/v10_int8.npy")
        assert cells[0][2] == f"{values.size:,}"
        self.explain(0)
        saved = self.made("saved.npy", self.downloaded())
        assert np.load(saved).tobytes() == values.tobytes()

    def refuses_hostile_files(self) -> None:
        paths = sorted(self.files.glob("made/refused/*.pco"))
        paths += sorted(self.files.glob("cvc/bad/*.cvc"))
        npy = (self.files / "encoded/f8.npy").read_bytes()
        paths += [self.made(name, content) for name, content in [
            ("cut.npy", npy[:100]), ("cut_later.npy", npy[:-1]), ("empty.csv", b""),
            ("huge.npy", npy.replace(b"(30000,)", b"(9e9000)")),
            ("many.npy", npy.replace(b"(30000,), }", b"(99999999999999,), }  ")),
            ("quote.csv", b'a,b\n1,"2\n3,4\n'), ("more.csv", b"a,b\n1,2,3\n"),
            ("noise.bin", bytes(range(256))),
            ("html.csv", b"<b id=x>,<script>x=1</script>\n" * 2),
        ]]  # fmt: skip
        for path in paths:
            self.open(path)
            problem = self.browser.evaluate(PROBLEM)
            if path.name == "html.csv":  # text, and shown as text
                assert not problem
                assert self.browser.evaluate("document.querySelector('#try tbody b') === null")
                continue
            assert problem, f"{path} was not refused"
            assert "The page failed" not in problem, f"{path}: {problem}"
            assert "internal" not in problem, f"{path}: {problem}"
        assert self.open(self.files / "v1_0_0_conv1.pco")[0][2] == "2,000"
        assert not self.browser.evaluate(PROBLEM)

    def works_by_keyboard(self) -> None:
        self.open(self.files / "encoded/i4.npy")
        self.browser.evaluate("document.getElementById('try-file').focus()")
        for _ in range(10):
            self.browser.press("Tab")
            if self.browser.evaluate("document.activeElement.innerText") == "Explain":
                break
        else:
            raise AssertionError("the button is not reached")
        self.browser.press("Enter")
        assert self.browser.evaluate("document.activeElement.tagName") == "H2"
        for _ in range(20):
            self.browser.press("Tab")
            if self.browser.evaluate("document.activeElement.download"):
                return
        raise AssertionError("the link is not reached")

    def fits_windows(self) -> None:
        self.open(self.files / "encoded/f8.npy")
        self.explain(0)
        for width in WIDTHS:
            self.browser.resize(width, 900)
            self.browser.draw()
            over = self.browser.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over <= 1, f"{over} pixels wider than {width}"
            self.browser.evaluate("document.querySelector('#try svg').scrollIntoView()")
            self.browser.draw()
            shot = self.browser.screenshot()
            (self.shots / f"try_{width}.png").write_bytes(shot)
            box = self.browser.evaluate(
                "(b => [b.left, b.right, b.width, b.top + scrollY])"
                "(document.querySelector('#try svg').getBoundingClientRect())")
            assert box[0] >= 0 and box[1] <= width and box[2] > 200, box
            part = {"x": box[0], "y": box[3], "width": box[2], "height": 120, "scale": 0.5}
            found = colours(self.browser.screenshot(clip=part))
            vivid = [c for c in found if max(c[:3]) - min(c[:3]) > 80]
            assert len(vivid) >= 5, f"the picture has {len(vivid)} colours at {width}"
        self.browser.resize(WIDTHS[0], 900)

    def stays_responsive(self) -> None:
        random = np.random.default_rng(5)
        rows = 1_200_000
        columns = [np.arange(rows), random.integers(0, 10**9, rows), random.normal(size=rows),
                   np.round(np.cumsum(random.normal(size=rows)), 2)]  # fmt: skip
        path = self.work / "large.csv"
        numbers = zip(*(column.tolist() for column in columns), strict=True)
        lines = [f"{a},{b},{c!r},{d}" for a, b, c, d in numbers]
        path.write_text("\n".join(["row,integer,normal,walk", *lines]))
        assert path.stat().st_size >= LARGE_CSV_BYTES
        self.browser.evaluate(
            "window.pause = 0; window.last = performance.now();"
            "window.tick = setInterval(() => { const now = performance.now();"
            "window.pause = Math.max(window.pause, now - window.last); window.last = now; }, 10)")
        start = time.monotonic()
        cells = self.open(path)
        seconds = time.monotonic() - start
        pause = self.browser.evaluate("clearInterval(window.tick), window.pause")
        assert [row[1] for row in cells] == ["i64", "i64", "f64", "f64"], cells
        assert pause < MAX_PAUSE * 1000 * seconds, f"{pause:.0f} ms of {seconds:.1f} s"
        self.explain(3)
        found = numpact.decompress(self.downloaded())
        assert found.tobytes() == columns[3].tobytes()
        size = path.stat().st_size
        print(f"a table of {size:,} bytes: {seconds:.1f} s, longest pause {pause:.0f} ms")


STEPS = [Visit.compresses_arrays, Visit.compresses_tables, Visit.opens_files, Visit.fits_windows,
         Visit.works_by_keyboard, Visit.refuses_hostile_files, Visit.stays_responsive]  # fmt: skip


def main() -> None:
    site, files, shots = (Path(argument).resolve() for argument in sys.argv[1:4])
    shots.mkdir(parents=True, exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser()
    try:
        browser.resize(WIDTHS[0], 900)
        browser.go(f"http://127.0.0.1:{server.server_address[1]}/try.html")
        browser.wait("document.getElementById('try-status').innerText.startsWith('Ready')")
        server.shutdown()
        server.server_close()
        browser.events.clear()
        with tempfile.TemporaryDirectory() as work:
            visit = Visit(browser, files, Path(work), shots)
            for step in STEPS:
                start = time.monotonic()
                step(visit)
                print(f"ok {step.__name__} {time.monotonic() - start:.1f} s")
        asked = [p["request"]["url"] for name, p in browser.events
                 if name == "Network.requestWillBeSent"]  # fmt: skip
        # These two hold what they name, as the icons in the style sheet do.
        sent = [url for url in asked if not url.startswith(("blob:", "data:"))]
        assert not sent, f"requests were made: {sent}"
    finally:
        browser.close()


if __name__ == "__main__":
    main()
