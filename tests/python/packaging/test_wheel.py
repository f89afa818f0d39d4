# SPDX-License-Identifier: Apache-2.0
"""The contents of the wheel, and that it works with its dependencies alone."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from environments import ROOT, Environment


def test_contents(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entry_points = next(name for name in names if name.endswith("entry_points.txt"))
        assert "numpact = numpact._command:main" in archive.read(entry_points).decode()
    assert {"numpact/py.typed", "numpact/_core.pyi", "numpact/_core.abi3.so",
            "numpact/_cli.abi3.so"} <= names  # fmt: skip
    assert [name for name in names if name.startswith("numpact/_hdf5/")] == [
        "numpact/_hdf5/libh5pco.so"  # HDF5 loads whatever library lies there
    ]
    assert not [name for name in names if name.endswith((".cpp", ".hpp", ".txt", ".a"))
                and ".dist-info/" not in name]  # fmt: skip
    assert {name.split("licenses/")[1] for name in names if "/licenses/" in name} == {
        "LICENSE", "python/THIRD-PARTY-LICENSES.txt",
    }  # fmt: skip


def test_modules_export_their_entry_point_only(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        modules = [name for name in archive.namelist() if name.endswith(".abi3.so")]
        assert "numpact/_core.abi3.so" in modules
        for name in modules:
            done = subprocess.run(
                ["nm", "-D", "--defined-only", archive.extract(name, tmp_path)],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            exported = [line.split()[-1] for line in done.stdout.splitlines()]
            assert exported == [f"PyInit_{Path(name).name.split('.')[0]}"]


def test_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    version = (ROOT / "include/numpact/version.hpp").read_text()
    numbers = re.findall(r"define NUMPACT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", version)
    assert metadata["Version"] == ".".join(numbers)
    assert metadata["Requires-Python"] == ">=3.10"
    needed = [need for need in metadata.get_all("Requires-Dist") if "extra ==" not in need]
    assert sorted(re.split("[>=]", need)[0] for need in needed) == ["nanobind-backend", "numpy"]


def test_one_wheel_for_every_python(wheel: Path) -> None:
    assert "-cp310-abi3-" in wheel.name
    audit = subprocess.run(
        [Path(sys.executable).parent / "abi3audit", "--strict", "--report", wheel],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert audit.returncode == 0, audit.stdout + audit.stderr
    assert '"is_abi3_baseline_compatible": true' in audit.stdout


def test_numpy_is_not_loaded_before_an_array_is(fresh: Environment) -> None:
    fresh.run(
        "-c",
        "import sys, numpact\n"
        "assert 'numpy' not in sys.modules\n"
        "numpact.inspect\n"
        "assert 'numpy' not in sys.modules\n"
        "packed = numpact.compress([1, 2, 3])\n"
        "assert numpact.decompress(packed).tolist() == [1, 2, 3]\n"
        "assert 'numpy' in sys.modules\n",
    )


def test_everything_that_every_wheel_must_do(fresh: Environment) -> None:
    assert "fine" in fresh.run(ROOT / "tools/wheel_check.py").stdout


def readme_blocks() -> list[str]:
    text = (ROOT / "README.md").read_text()
    section = re.search(r"^## Python\n(.*?)^## ", text, re.M | re.S)
    return re.findall(r"^```python\n(.*?)^```", section[1], re.M | re.S) if section else []


def test_readme_example(fresh: Environment, tmp_path: Path) -> None:
    blocks = readme_blocks()
    if not blocks:
        pytest.skip("README.md has no Python example under '## Python'")
    program = tmp_path / "example.py"
    program.write_text("\n".join(blocks))
    fresh.run(program)


@pytest.mark.slow  # ./dev check runs both type checkers on the package
def test_types_are_found_by_checkers(fresh: Environment, tmp_path: Path) -> None:
    program = tmp_path / "typed.py"
    program.write_text(
        "import numpact\n"
        "packed: bytes = numpact.compress([1, 2, 3])\n"
        "wrong: int = numpact.compress([1, 2, 3])\n"
    )
    mypy = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--python-executable", fresh.python,
         "--cache-dir", tmp_path / "cache", program],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert mypy.stdout.count("error:") == 1, mypy.stdout
    assert "typed.py:3: error: Incompatible types in assignment" in mypy.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    subprocess.run(
        [sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", folder, ROOT],
        check=True, capture_output=True,
    )  # fmt: skip
    return next(folder.glob("numpact-*.tar.gz"))


def test_sdist_is_small_and_whole(sdist: Path) -> None:
    assert sdist.stat().st_size < 12 << 17  # it has 1.47 MB, of sources
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"LICENSE", "pyproject.toml", "CMakeLists.txt", "PKG-INFO"} <= names
    tracked = subprocess.run(
        ["git", "ls-files", "src", "include", "cli", "cmake", "python", "integrations/hdf5"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert {name for name in tracked if (ROOT / name).exists()} <= names
    folders = {name.split("/")[0] for name in names if "/" in name}
    assert folders == {"src", "include", "cli", "cmake", "python", "integrations"}


@pytest.mark.slow
def test_sdist_builds_without_the_system_packages(sdist: Path, tmp_path: Path) -> None:
    """All that is compiled in is fetched, as on a machine that has none of it."""
    environment = Environment(tmp_path / "venv")
    environment.install(
        sdist, "-C", "cmake.define.NUMPACT_FETCH_DEPENDENCIES=ALWAYS",
        "-C", "cmake.define.NUMPACT_BENCH_PEERS=OFF",
    )  # fmt: skip
    environment.run(ROOT / "tools/wheel_check.py")
    linked = subprocess.run(
        ["ldd", *environment.folder.glob("lib/python3*/site-packages/numpact/_cli*.so")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "libhwy" not in linked
    assert "libfmt" not in linked
