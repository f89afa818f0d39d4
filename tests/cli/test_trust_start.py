# SPDX-License-Identifier: Apache-2.0
"""The command runs nothing that lies in the working folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_program import FAILURE, PROGRAM
from programs import _HAS_WHEEL, WHEEL, Tool, tool  # noqa: F401

wheel = pytest.mark.skipif(not _HAS_WHEEL, reason="not installed")
PYTHON = WHEEL.parent / "python"
VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of data with a table; outside of it nothing."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet
    folder = tmp_path / "data"
    folder.mkdir()
    pa.parquet.write_table(pa.table({"a": [1, 2], "b": [3.5, 4.5]}), folder / "t.parquet")
    np.save(folder / "v.npy", np.ones((4, 3), np.float32))
    return folder


def trap(folder: Path, name: str, proof: Path) -> None:
    """A module that tells when it is run."""
    code = f"import os; open({str(proof)!r}, 'a').write({name!r} + ' ')"
    if name == "numpact":
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(code)
    else:
        (folder / f"{name}.py").write_text(code)


MODULES = ["pyarrow", "json", "numpy", "numpact", "site", "sitecustomize", "usercustomize",
           "warnings", "encodings", "struct", "runpy"]


def commands(folder: Path) -> list[list[str]]:
    return [["compress", "t.parquet", "-o", "t"], ["decompress", "t", "-o", "u.parquet"],
            ["decompress", "t", "-o", "u.arrow"], ["explain", "t.parquet"],
            ["bench", "t.parquet", "--rounds", "1"], ["cvc", "pack", "v.npy", "-o", "v.cvc"],
            ["cvc", "unpack", "v.cvc", "-o", "v.parquet"], ["cvc", "pack", "v.parquet"]]


def test_a15_modules_of_the_working_folder_are_not_run(tmp_path: Path, data: Path,
                                                       tool: Tool) -> None:  # noqa: F811
    proof = tmp_path / "proof"
    for name in MODULES:
        trap(data, name, proof)
    for words in commands(data):
        tool.run(*words, cwd=data)
    assert not proof.exists()


@wheel
@pytest.mark.parametrize("path", ["", ".", "sub", "sub:", ":sub", "./sub"])
def test_a15_relative_folders_of_modules_are_not_taken(tmp_path: Path, data: Path,
                                                       path: str) -> None:
    proof = tmp_path / "proof"
    (data / "sub").mkdir()
    for folder in (data, data / "sub"):
        trap(folder, "pyarrow", proof)
    Tool(str(WHEEL)).run("compress", "t.parquet", "-o", "t", cwd=data,
                         env={"PYTHONPATH": path})
    assert not proof.exists()


@wheel
def test_a15_named_folders_of_modules_are_taken(tmp_path: Path, data: Path) -> None:
    """Folders that PYTHONPATH names by full path, and the folder of the user's own packages."""
    proof = tmp_path / "proof"
    named = tmp_path / "named"
    named.mkdir()
    (named / "pyarrow.py").write_text(
        f"open({str(proof)!r}, 'w').write('named'); raise ImportError('ours')")
    ran = Tool(str(WHEEL)).run("compress", "t.parquet", "-o", "t", cwd=data, code=FAILURE,
                               env={"PYTHONPATH": f"{named}:"})
    assert "needs pyarrow" in ran.err and proof.read_text() == "named"


@wheel
def test_a15_module_folders(tmp_path: Path) -> None:
    code = ("import json, sys; from numpact._command import module_folders;"
            "print(json.dumps(module_folders()))")
    named, here = tmp_path / "named", tmp_path / "here"
    for folder in (named, here / "sub"):
        folder.mkdir(parents=True)
    env = {**os.environ, "PYTHONPATH": f"{named}:sub::{here}"}
    ran = subprocess.run([PYTHON, "-c", code], cwd=here, env=env, capture_output=True, check=True,
                         text=True)
    path = json.loads(ran.stdout)
    assert str(named) in path and all(os.path.isabs(entry) for entry in path)
    assert not any(Path(entry).is_relative_to(here) for entry in path)
    # The folder of the user's own packages, were it relative.
    (here / "base/lib" / VERSION / "site-packages").mkdir(parents=True)
    env["PYTHONUSERBASE"] = "base"
    ran = subprocess.run([PYTHON, "-c", code], cwd=here, env=env, capture_output=True, check=True,
                         text=True)
    assert not any(Path(entry).is_relative_to(here) for entry in json.loads(ran.stdout))


@wheel
def test_a15_editable_and_user_packages_are_found(tmp_path: Path, data: Path) -> None:
    """By path entries of .pth files, and by import hooks that such a file brings."""
    base = tmp_path / "base"
    user = base / "lib" / VERSION / "site-packages"
    user.mkdir(parents=True)
    (tmp_path / "src").mkdir()
    shutil.copytree(WHEEL.parent.parent / "lib" / VERSION / "site-packages/numpact",
                    tmp_path / "src/numpact")
    packages = WHEEL.parent.parent / "lib" / VERSION / "site-packages"
    (user / "editable.pth").write_text(f"{tmp_path / 'src'}\n{packages}\n")
    python = os.path.realpath(PYTHON)
    run = [python, "-c", "import sys; from numpact._command import main; sys.exit(main())"]
    ran = subprocess.run([*run, "compress", "t.parquet", "-o", "t", "-q"], cwd=data, check=False,
                         env={**os.environ, "PYTHONUSERBASE": str(base)}, capture_output=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
def test_a15_libraries_are_not_loaded_from_the_working_folder() -> None:
    """The loader takes an empty entry of a run path for it."""
    files = [Path(PROGRAM)]
    if _HAS_WHEEL:
        files += (WHEEL.parent.parent / "lib").glob("python*/site-packages/numpact/*.so")
    for file in files:
        dump = subprocess.run(["readelf", "-d", file], capture_output=True, check=True, text=True)
        for line in dump.stdout.splitlines():
            if "PATH)" not in line:
                continue
            entries = line.partition("[")[2].partition("]")[0].split(":")
            assert all(entry.startswith(("/", "$ORIGIN")) for entry in entries), (file, line)
