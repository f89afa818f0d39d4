# SPDX-License-Identifier: Apache-2.0
"""The modules of the package import each other without circles, also inside of functions."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import numpact

PACKAGE = Path(numpact.__file__).parent


def module_name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(path: Path, name: str) -> set[str]:
    """Everything that the file may import, those for type checkers included; "a.b" may be a name in
    the module "a"."""
    folder = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) + 1 - node.level] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            found |= {".".join([*base, alias.name]) for alias in node.names}
    return found


def import_graph(package: Path) -> dict[str, set[str]]:
    """The modules that each module of a package imports.

    Importing "a.b.c" runs "a.b" first: there is an edge to it from every module outside of "a.b".
    The package itself is left out. It imports everything, but only when a name is asked for.
    """
    files = {module_name(path, package): path for path in package.rglob("*.py")}
    modules = {*files, *(module_name(path, package) for path in package.glob("*.pyi"))}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        targets: set[str] = set()
        for full in imported_names(path, name):
            target = full if full in modules else full.rpartition(".")[0]
            while target in modules:
                if not f"{name}.".startswith(f"{target}.") or target == full:
                    targets.add(target)
                target = target.rpartition(".")[0]
        graph[name] = targets - {name, package.name}
    del graph[package.name]
    return graph


def test_no_circles() -> None:
    graph = import_graph(PACKAGE)
    assert len(graph) > 50
    assert "numpact._core" in graph["numpact._codec"]
    assert "numpact._remote" in graph["numpact.dask._array"]
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("numpact._errors") < order.index("numpact._codec")


@pytest.mark.parametrize(
    "text",
    [
        "from .b import g",
        "from . import b",
        "def f():\n    from .b import g",
        "def f():\n    import p.b",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .b import g",
        "from .sub.c import h",
    ],
)
def test_circles_are_found(tmp_path: Path, text: str) -> None:
    package = tmp_path / "p"
    (package / "sub").mkdir(parents=True)
    files = {"__init__": "", "a": text, "b": "from .a import f", "sub/c": ""}
    files["sub/__init__"] = "from ..a import f"
    for name, content in files.items():
        (package / f"{name}.py").write_text(content)
    with pytest.raises(CycleError):
        TopologicalSorter(import_graph(package)).prepare()
