# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs: gives the page "Try it" the WebAssembly module, if ./dev wasm has built one."""

import shutil
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "build/wasm/package"
FILES = ["*.js", "numpact.wasm", "numpact-scalar.wasm"]


def on_post_build(config):
    if not (PACKAGE / "numpact.wasm").exists():
        return  # the page says so
    target = Path(config.site_dir) / "assets/numpact"
    target.mkdir(parents=True, exist_ok=True)
    for pattern in FILES:
        for path in PACKAGE.glob(pattern):
            shutil.copy(path, target)
