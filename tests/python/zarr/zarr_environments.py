# SPDX-License-Identifier: Apache-2.0
"""Virtual environments with and without the package pcodec, and numpact put into either.

The environments hold nothing of numpact and are kept in build/venvs from run to run; numpact comes
in through PYTHONPATH, as a folder that looks like an installation.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent

_BASE = ["numpy==2.4.6", "numcodecs==0.16.6", "zarr==3.1.6", "xarray==2026.9.0"]
REQUIREMENTS = {
    "without-pcodec": [*_BASE, "nanobind-backend>=1.0"],
    "with-pcodec": [*_BASE, "nanobind-backend>=1.0", "pcodec==1.1.0"],
}


def environment(name: str) -> Path:
    """The interpreter of an environment, which is made if there is none of these requirements."""
    requirements = REQUIREMENTS[name]
    text = "\n".join([sys.version, *requirements])
    folder = ROOT / "build/venvs" / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    python = folder / "bin/python"
    ready = folder / "ready"
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Test processes that run beside each other share it.
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            shutil.rmtree(folder, ignore_errors=True)
            if name == "with-pcodec":
                base = environment("without-pcodec").parents[1]
                shutil.copytree(
                    base,
                    folder,
                    symlinks=True,
                    copy_function=os.link,
                    ignore=shutil.ignore_patterns(ready.name),
                )
            else:
                _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
            pip = [sys.executable, "-m", "pip", "--python", str(python)]
            _run([*pip, "install", "-q", "--no-compile", *requirements])
            ready.touch()
    return python


def installation(folder: Path) -> Path:
    """A folder for PYTHONPATH with numpact and its entry points and nothing else.

    It is made from the wheel that NUMPACT_WHEEL names, or else from the package that these tests
    import and the entry points of pyproject.toml.
    """
    wheel = os.environ.get("NUMPACT_WHEEL")
    if wheel:
        options = ["-q", "--no-deps", "--target", str(folder)]
        _run([sys.executable, "-m", "pip", "install", *options, wheel])
        return folder
    spec = importlib.util.find_spec("numpact")
    assert spec is not None
    assert spec.origin is not None
    (folder / "numpact").symlink_to(Path(spec.origin).parent)
    metadata = folder / "numpact-0.0.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: numpact\nVersion: 0.0.0\n")
    tomllib = importlib.import_module("tomllib")  # from Python 3.11 on
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (metadata / "entry_points.txt").write_text(
        "\n".join(
            line
            for group, entries in project["entry-points"].items()
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
        )
    )
    return folder


def run_script(
    python: Path,
    arguments: Sequence[str | Path],
    numpact: Path | None = None,
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """The output of a program; AssertionError with its errors if it fails."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not re.match("PYTHON|NUMPACT_|ZARR_", name)
    }
    paths = {} if numpact is None else {"PYTHONPATH": str(numpact)}
    return _run(
        [str(python), *map(str, arguments)], env={**kept, **paths, **(variables or {})}, cwd=cwd
    )


def _run(command: list[str], env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout
