# SPDX-License-Identifier: Apache-2.0
"""The code of documents is run: Python blocks in order, doctests, examples."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import numpact

ROOT = Path(__file__).resolve().parents[3]
# Behind `<!-- not run: reason -->` a block is only shown.
BLOCK = re.compile(r"(?<!-->\n)^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
# Run by tests of their own, where what they need is installed.
OWN_DOCUMENTS = {"zarr.md", "from-xarray.md"}
OWN_TESTS = {
    "dask_columns.py",
    "ray_pco.py",
    "ray_tables.py",
    "spark_pco.py",
    "spark_tables.py",
    "vector_indexes.py",
    "zarr_on_a_cluster.py",
}


def documents() -> list[Path]:
    every = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    every = [path for path in every if path.name not in OWN_DOCUMENTS]
    return sorted(path for path in every if BLOCK.search(path.read_text(encoding="utf-8")))


def modules() -> list[str]:
    found = pkgutil.walk_packages(numpact.__path__, "numpact.")
    return ["numpact", *(m.name for m in found if not m.name.endswith(("_core", "__main__")))]


def imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if name.count(".") == 0:
            raise
        pytest.skip(f"{name} needs {error.name}, which is not installed")


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "document"}
    for match in BLOCK.finditer(text):
        # Blank lines in front make line numbers of errors those of the document.
        line = text[: match.start(1)].count("\n")
        code = "\n" * line + match.group(1)
        exec(compile(code, str(path), "exec"), names)


@pytest.mark.parametrize("name", modules())
def test_doctests(name: str) -> None:
    result = doctest.testmod(imported(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_public_functions_have_doctests() -> None:
    for function in (numpact.compress, numpact.decompress, numpact.open, numpact.inspect):
        assert ">>>" in (function.__doc__ or "")


@pytest.mark.parametrize(
    "path", [p for p in EXAMPLES if p.name not in OWN_TESTS], ids=lambda path: path.name
)
def test_examples_run(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout
