# SPDX-License-Identifier: Apache-2.0
"""Wheels are built from unpacked source distributions, away from the tree, and work."""

from __future__ import annotations

import os
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import ENGINES, ROOT, run

slow = pytest.mark.skipif("NUMPACT_FULL" not in os.environ, reason="slow: NUMPACT_FULL=1 runs it")

# argv[1]: the folder that the modules must come from.
USE_NUMPACT = """
import sys
import h5py, numpy, numpact, numpact.hdf5
assert numpact.__file__.startswith(sys.argv[1]), numpact.__file__
assert numpact.hdf5.PLUGIN_PATH.startswith(sys.argv[1])
numbers = numpy.arange(10000) % 977
assert (numpact.decompress(numpact.compress(numbers)) == numbers).all()
with h5py.File("file.h5", "w") as file:
    file.create_dataset("numbers", data=numbers, chunks=(5000,), **numpact.hdf5.Pco())
with h5py.File("file.h5") as file:
    assert (file["numbers"][:] == numbers).all()
    assert file["numbers"].id.get_storage_size() < numbers.nbytes // 4
"""
USE_BLOSC2 = """
import sys
import blosc2, blosc2_numpact, numpy
assert blosc2_numpact.__file__.startswith(sys.argv[1]), blosc2_numpact.__file__
blosc2_numpact.register()
numbers = numpy.arange(10000) % 977
array = blosc2.asarray(numbers, cparams=blosc2_numpact.cparams(numbers.dtype))
assert (array[:] == numbers).all() and array.schunk.cratio > 4
"""


def unpacked_sdist(project: Path, folder: Path) -> Path:
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", folder / "sdist", project)
    [archive] = (folder / "sdist").glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def installed_wheel(tree: Path, folder: Path, *settings: str, **environment: str) -> Path:
    """The folder of the modules. Nothing is fetched, and the wheel's needs are those of here."""
    words = [word for setting in settings for word in ("-C", setting)]
    run(
        sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
        "--disable-pip-version-check", tree, "-w", folder / "wheel", *words,
        env=os.environ | environment, timeout=3000,
    )  # fmt: skip
    [wheel] = (folder / "wheel").glob("*.whl")
    target = folder / "modules"
    run(
        sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--disable-pip-version-check",
        "--target", target, wheel,
    )  # fmt: skip
    return target


def use(modules: Path, script: str, folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(modules)}
    run(sys.executable, "-c", script, modules, env=environment, cwd=folder)


def test_numpact_over_the_library_of_this_build(tmp_path: Path) -> None:
    """The module, the command and the plug-in of HDF5 are compiled; the library has been."""
    pytest.importorskip("h5py")
    assert ENGINES is not None
    prebuilt = Path(ENGINES).parent / "release"
    tree = unpacked_sdist(ROOT, tmp_path)
    modules = installed_wheel(
        tree, tmp_path, f"cmake.define.NUMPACT_PREBUILT={prebuilt}",
        "cmake.build-type=Debug", "build.tool-args=-j1",
    )  # fmt: skip
    use(modules, USE_NUMPACT, tmp_path)


@slow
def test_numpact_and_its_library(tmp_path: Path) -> None:
    """Everything is compiled, as by `pip install numpact-VERSION.tar.gz`."""
    pytest.importorskip("h5py")
    modules = installed_wheel(unpacked_sdist(ROOT, tmp_path), tmp_path)
    use(modules, USE_NUMPACT, tmp_path)


def test_the_plug_in_of_blosc2(static_prefix: Path, tmp_path: Path) -> None:
    pytest.importorskip("blosc2")
    tree = unpacked_sdist(ROOT / "integrations/blosc2", tmp_path)
    modules = installed_wheel(tree, tmp_path, CMAKE_PREFIX_PATH=str(static_prefix))
    use(modules, USE_BLOSC2, tmp_path)
