# SPDX-License-Identifier: Apache-2.0
"""Fetches the headers of DuckDB's C API from the source archive of its Python package.

python fetch_headers.py FOLDER [--index URL]: writes the headers of both C APIs. The index defaults
to pip's.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path

VERSION = "2.0.0"
SHA256 = "09de511ef0dc76a5213e8d3d87a8b89bb4d3e8a6fe73a9f60dc001269946b44f"
HEADERS = ("duckdb.h", "duckdb_extension.h", "duckdb_v2.h", "duckdb_extension_v2.h")
TIMEOUT_S = 120


def index_of_pip() -> str:
    """The index that pip uses."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = os.environ.get("PIP_INDEX_URL") or done.stdout.strip()
    return found or "https://pypi.org/simple"


def get(url: str, accept: str = "*/*") -> bytes:
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        content: bytes = answer.read()
    return content


def archive(index: str) -> bytes:
    """The source archive, whose checksum is compared."""
    page = f"{index.rstrip('/')}/duckdb/"
    listing = json.loads(get(page, "application/vnd.pypi.simple.v1+json"))
    archive_name = f"duckdb-{VERSION}.tar.gz"
    (url,) = [file["url"] for file in listing["files"] if file["filename"] == archive_name]
    content = get(urllib.parse.urljoin(page, url))
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{url}: has the checksum {found}, not {SHA256}")
    return content


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--index", default="")
    options = parser.parse_args()
    if all((options.folder / name).exists() for name in HEADERS):
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    content = archive(options.index or index_of_pip())
    with tarfile.open(fileobj=io.BytesIO(content)) as files:
        for name in HEADERS:
            member = f"duckdb-{VERSION}/external/duckdb/src/include/{name}"
            file = files.extractfile(member)
            assert file is not None, member
            (options.folder / name).write_bytes(file.read())


if __name__ == "__main__":
    main()
