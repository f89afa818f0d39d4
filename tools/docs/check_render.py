#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_render.py SITE: renders every page of a site in headless Chromium, wide and narrow.

Prints a line for each finding and exits with 1: a page that is wider than the window, an image that
does not load, a table of a CSV file that has no rows, a page without text.
"""
import contextlib
import json
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CHROMIUM = "chromium"
WIDTHS = [1280, 390]  # a laptop, a telephone
SECONDS = 900
HARNESS = """<!doctype html><meta charset="utf-8"><body><script>
const pages = PAGES, widths = WIDTHS, found = [];
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function look(view, page, width) {
  const complain = (text) => found.push(`${page} at ${width} pixels: ${text}`);
  const root = view.document.documentElement;
  const over = root.scrollWidth - root.clientWidth;
  if (over > 1) complain(`${over} pixels wider than the window`);
  if (!view.document.body.innerText.trim()) complain("no text");
  for (const image of view.document.images) {
    if (image.offsetParent && !image.naturalWidth) complain(`no image ${image.src}`);
  }
  for (const table of view.document.querySelectorAll("div.csv")) {
    if (!table.querySelector("tbody tr")) complain(`no rows of ${table.dataset.source}`);
  }
}

async function main() {
  const frame = document.createElement("iframe");
  frame.style.height = "900px";
  document.body.append(frame);
  for (const page of pages) {
    frame.style.width = `${widths[0]}px`;
    await new Promise((done) => { frame.onload = done; frame.src = "/" + page; });
    for (const width of widths) {
      frame.style.width = `${width}px`;
      await wait(50);
      look(frame.contentWindow, page, width);
    }
  }
}

main().catch((error) => found.push(String(error))).finally(() =>
  fetch("/found", {method: "POST", body: JSON.stringify(found)}));
</script>"""


class Handler(SimpleHTTPRequestHandler):
    """Files of the site, the harness, and what it found."""

    def do_GET(self):
        if self.path != "/harness.html":
            # A page that is left while it loads ends the connection.
            with contextlib.suppress(ConnectionError):
                super().do_GET()
            return
        body = self.server.harness.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        size = int(self.headers["Content-Length"])
        self.server.found = json.loads(self.rfile.read(size))
        self.send_response(204)
        self.end_headers()
        self.server.done.set()

    def log_message(self, *_):
        pass


def rendered(site):
    """The findings of all pages, or None where the browser did not finish."""
    pages = sorted(str(p.relative_to(site)) for p in site.rglob("*.html") if p.name != "404.html")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site)))
    server.harness = HARNESS.replace("PAGES", json.dumps(pages), 1).replace(
        "WIDTHS", json.dumps(WIDTHS), 1)
    server.found, server.done = None, threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000",
             f"--user-data-dir={profile}",
             f"http://127.0.0.1:{server.server_address[1]}/harness.html"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.done.wait(SECONDS)
        browser.terminate()
        browser.wait()
    server.shutdown()
    return server.found


def main():
    found = rendered(Path(sys.argv[1]).resolve())
    for finding in ["Chromium did not finish"] if found is None else found:
        print(finding)
    return 1 if found or found is None else 0


if __name__ == "__main__":
    sys.exit(main())
