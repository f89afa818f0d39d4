# SPDX-License-Identifier: Apache-2.0
"""numpact.pcodec has the names and the parameters that pcodec has."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpact
import numpact.pcodec as ours
import pytest
from numpact.pcodec import standalone, wrapped

MODULES = ["", "standalone", "wrapped"]
CLASSES = ["ChunkConfig", "ModeSpec", "DeltaSpec", "PagingSpec", "Progress"]
WRAPPED = ["FileCompressor", "ChunkCompressor", "FileDecompressor", "ChunkDecompressor"]


def at(module: Any, name: str) -> Any:
    return getattr(module, name) if name else module


def public(thing: Any) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


@pytest.mark.parametrize("name", MODULES)
def test_modules(reference: Any, name: str) -> None:
    theirs, mine = at(reference, name), at(ours, name)
    assert isinstance(mine, ModuleType)
    assert set(mine.__all__) == set(theirs.__all__)
    for exported in mine.__all__:
        assert hasattr(mine, exported)


@pytest.mark.parametrize("name", ["simple_compress", "simple_decompress", "simple_decompress_into"])
def test_functions(reference: Any, name: str) -> None:
    mine, theirs = getattr(standalone, name), getattr(reference.standalone, name)
    assert parameters(mine) == parameters(theirs)
    assert mine.__doc__


@pytest.mark.parametrize("name", [*CLASSES, *("wrapped." + name for name in WRAPPED)])
def test_classes(reference: Any, name: str) -> None:
    module, _, last = name.rpartition(".")
    mine, theirs = getattr(at(ours, module), last), getattr(at(reference, module), last)
    assert public(mine) == public(theirs)
    assert mine.__doc__
    for member in public(theirs):
        a, b = inspect.getattr_static(mine, member), inspect.getattr_static(theirs, member)
        assert isinstance(a, staticmethod) == isinstance(b, staticmethod), member
        assert callable(getattr(mine, member)) == callable(getattr(theirs, member)), member
        if callable(getattr(mine, member)):
            assert parameters(getattr(mine, member)) == parameters(getattr(theirs, member)), member


def test_constructor(reference: Any) -> None:
    mine = inspect.signature(ours.ChunkConfig).parameters
    theirs = inspect.signature(reference.ChunkConfig).parameters
    assert list(mine) == list(theirs)
    for name in mine:
        assert mine[name].kind == theirs[name].kind
        assert (mine[name].default is inspect.Parameter.empty) == (
            theirs[name].default is inspect.Parameter.empty
        )


def test_version_is_that_of_the_interface(reference: Any) -> None:
    assert ours.__version__ == reference.__version__


def test_one_class_of_each_spec() -> None:
    assert ours.ModeSpec is numpact.ModeSpec
    assert ours.DeltaSpec is numpact.DeltaSpec
    assert ours.PagingSpec is numpact.PagingSpec
    assert wrapped is ours.wrapped
