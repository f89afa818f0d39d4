# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of engines: ./dev engines installs the library and runs them.

Plug-ins are built as others would build them, against the library installed in a prefix.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINES = os.environ.get("NUMPACT_ENGINES")

# Without the prefixes there is nothing to test: ./dev test leaves the folder out.
collect_ignore_glob = [] if ENGINES else ["*"]


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs a command; its failure shows what it printed."""
    words = [str(word) for word in command]
    settings: dict[str, object] = {"capture_output": True, "text": True, "timeout": 600} | options
    done = subprocess.run(words, **settings)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done


@contextmanager
def locked(name: str) -> Iterator[Path]:
    """A folder of build/engines that one worker at a time builds in."""
    assert ENGINES is not None
    folder = Path(ENGINES) / "plugins" / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@pytest.fixture(scope="session")
def prefix() -> Path:
    """Where libnumpact.so, its headers, numpact.pc and the CMake package are installed."""
    assert ENGINES is not None
    return Path(ENGINES) / "shared"


@pytest.fixture(scope="session")
def static_prefix() -> Path:
    """The same with libnumpact.a, and the command."""
    assert ENGINES is not None
    return Path(ENGINES) / "static"


@pytest.fixture(scope="session")
def build_integration(prefix: Path) -> Callable[..., Path]:
    """Builds integrations/NAME by CMake and returns the build folder.

    build_integration("hdf5", NUMPACT_HDF5_FILTER_ID=300): keywords are CMake's variables.
    """

    def build(name: str, **variables: object) -> Path:
        settings = [f"-D{key}={value}" for key, value in sorted(variables.items())]
        with locked("-".join([name, *(s[2:].replace("/", "_") for s in settings)])) as folder:
            settings += ["-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}"]
            source = ROOT / "integrations" / name
            run("cmake", "-G", "Ninja", "-S", source, "-B", folder, *settings)
            run("cmake", "--build", folder)
            return folder

    return build


@pytest.fixture(scope="session")
def duckdb_extensions(build_integration: Callable[..., Path], static_prefix: Path) -> Path:
    """The folder with both builds of integrations/duckdb, with a static library in them."""
    with locked("duckdb-headers") as headers:
        if not all((headers / f"duckdb_{name}.h").exists() for name in ("extension", "v2")):
            try:
                run(sys.executable, ROOT / "integrations/duckdb/fetch_headers.py", headers)
            except AssertionError as error:
                if urllib.error.URLError.__name__ not in str(error):
                    raise
                pytest.skip("the headers of DuckDB cannot be fetched: no package index")
    (package,) = static_prefix.glob("lib*/**/numpactConfig.cmake")
    built = build_integration("duckdb", NUMPACT_DUCKDB_INCLUDE=headers, numpact_DIR=package.parent)
    for extension in built.glob("**/*.duckdb_extension"):
        assert "libnumpact" not in run("ldd", extension).stdout
    return built
