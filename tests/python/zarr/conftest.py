# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

if sys.version_info < (3, 11):  # as zarr 3 has it
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def with_pcodec() -> Path:
    """Python with zarr, numcodecs and pcodec."""
    from zarr_environments import environment

    return environment("with-pcodec")


@pytest.fixture(scope="session")
def without_pcodec() -> Path:
    """Python with zarr and numcodecs, but no pcodec."""
    from zarr_environments import environment

    return environment("without-pcodec")


@pytest.fixture(scope="session")
def numpact_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Metadata by which numpact counts as installed in a folder of PYTHONPATH."""
    from zarr_environments import installation

    return installation(tmp_path_factory.mktemp("numpact-site"))
