# SPDX-License-Identifier: Apache-2.0
"""The examples for several machines run, and check themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

import numpact

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"


def run(program: str, *arguments: str, python: str = sys.executable, path: str = "") -> str:
    """The output of an example; it imports the numpact of this process."""
    paths = [path] if path else [entry for entry in sys.path if entry]
    done = subprocess.run(
        [python, str(EXAMPLES / program), *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_dask_columns(tmp_path: Path) -> None:
    out = run("dask_columns.py", "--rows", "80_000", "--chunk", "5000", "--folder", str(tmp_path))
    assert "8 files, 16 chunks, 80,000 numbers" in out
    assert "of 80,000 rows: the same as before" in out
    assert (tmp_path / "price/part-00007.pco").exists()


@pytest.mark.slow  # test_dask_cluster.py has what it shows
@pytest.mark.skipif(
    find_spec("numpact.zarr") is None and find_spec("pcodec") is None,
    reason="no codec for Zarr: numpact.zarr is absent, and so is pcodec",
)
def test_zarr_on_a_cluster() -> None:
    numcodecs = pytest.importorskip("numcodecs")
    pytest.importorskip("zarr", minversion="3.1.3")
    try:
        numcodecs.get_codec({"id": "pcodec"})
    except Exception as error:
        pytest.skip(f"numpact is not installed with its entry points: {error}")
    out = run("zarr_on_a_cluster.py", "--days", "4", "--days-per-chunk", "1")
    assert "(96, 90, 180) temperatures in 4 chunks, 2 workers" in out
    assert "the same as before" in out


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds nothing but numpact, for environments of their own."""
    folder = tmp_path_factory.mktemp("numpact-alone")
    (folder / "numpact").symlink_to(Path(numpact.__file__).parent)
    return folder


def environment(folder: Path, *packages: str) -> str:
    """The Python of a new environment with packages. Skips where they cannot be installed."""
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    common = ["numpy", "pyarrow", "nanobind-backend>=1.0", "fsspec"]
    done = subprocess.run([*command, *common, *packages], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"{' '.join(packages)} cannot be installed: {done.stderr[-300:]}")
    return python


@pytest.mark.slow
def test_ray(tmp_path: Path, environments: Path) -> None:
    python = environment(tmp_path / "venv", "ray[data]>=2.40")
    out = run("ray_pco.py", python=python, path=str(environments))
    assert "400000 prices, mean 97.6168" in out
    out = run("ray_tables.py", python=python, path=str(environments))
    assert "2000 rows, sizes from 49000" in out
    assert "2000 rows written, the same sum: True" in out


@pytest.mark.slow
def test_spark(tmp_path: Path, environments: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java: apt-get install openjdk-17-jre-headless")
    python = environment(tmp_path / "venv", "pyspark>=4.0,<5", "pandas<3")
    out = run("spark_pco.py", python=python, path=str(environments))
    assert "price: double (nullable = false)" in out
    assert "|  400000|97.6168|" in out
    out = run("spark_tables.py", python=python, path=str(environments))
    assert "size: long (nullable = true)" in out
    assert "|    2000|    49000|" in out
    assert "2000 rows written" in out
