# SPDX-License-Identifier: Apache-2.0
"""Against the package decompressed: names, signatures, files both ways."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import numpact
import numpact.decompressed as ours

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    return pytest.importorskip("decompressed", reason="the package decompressed is not installed")


def test_names(reference: ModuleType) -> None:
    assert set(reference.__all__) == set(ours.__all__)


def test_signatures(reference: ModuleType) -> None:
    """The same parameters, order and defaults; what is more is given by name only."""
    for name in reference.__all__:
        theirs = getattr(reference, name)
        if not inspect.isfunction(theirs):
            continue
        mine = inspect.signature(getattr(ours, name)).parameters.values()
        shared = [p for p in mine if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        expected = inspect.signature(theirs).parameters.values()
        assert [(p.name, p.default) for p in shared] == [(p.name, p.default) for p in expected], (
            name
        )


def random_vectors(seed: int) -> Array:
    random = np.random.default_rng(seed)
    shape = (int(random.integers(1, 400)), int(random.integers(1, 40)))
    scale = 10.0 ** random.integers(-6, 4)
    dtype = random.choice(["float32", "float64", "float16"])
    return (random.normal(size=shape) * scale).astype(dtype)


@pytest.mark.parametrize("seed", range(24))
def test_single_files_are_equal(reference: ModuleType, tmp_path: Path, seed: int) -> None:
    vectors = random_vectors(seed)
    random = np.random.default_rng(seed)
    compression = ["fp16", "int8", "lossless"][seed % 3]
    if compression == "lossless" and vectors.dtype == np.float64:
        # The reference rounds it; here that is refused.
        with pytest.raises(numpact.InvalidArgumentError, match="float64 would be rounded"):
            ours.pack_cvc(vectors, tmp_path / "refused.cvc", compression)
        vectors = vectors.astype(np.float32)
    chunk_size = int(random.integers(1, 300))
    count = -(-len(vectors) // chunk_size)
    metadata = [{"i": i, "ü": [1.5, None, "x/\n"]} for i in range(count)] if seed % 2 else None
    theirs, mine = tmp_path / "theirs.cvc", tmp_path / "mine.cvc"
    reference.pack_cvc(vectors, str(theirs), compression, chunk_size, metadata)
    ours.pack_cvc(vectors, mine, compression, chunk_size, metadata)
    assert mine.read_bytes() == theirs.read_bytes()
    loaded = ours.load_cvc(theirs)
    assert loaded.tobytes() == reference.load_cvc(str(mine)).tobytes()
    assert ours.get_cvc_info(theirs) == reference.get_cvc_info(str(theirs))
    assert ours.validate_cvc_integrity(theirs) == reference.validate_cvc_integrity(str(theirs))
    assert ours.validate_cvc(theirs) == reference.validate_cvc(str(theirs))


@pytest.mark.parametrize("seed", range(8))
def test_sections_are_equal(reference: ModuleType, tmp_path: Path, seed: int) -> None:
    vectors = random_vectors(seed).astype(np.float32)
    cuts = np.array_split(vectors, 3)
    sections = [(part, {"k": i, "name": f"s{i}"}) for i, part in enumerate(cuts) if len(part)]
    theirs, mine = tmp_path / "theirs.cvc", tmp_path / "mine.cvc"
    reference.pack_cvc_sections(sections, str(theirs), "fp16", 50)
    ours.pack_cvc_sections(sections, mine, "fp16", 50)
    assert mine.read_bytes() == theirs.read_bytes()
    found = ours.load_cvc_range(theirs, section_key="k", section_value=1)
    assert (found == reference.load_cvc_range(str(mine), section_key="k", section_value=1)).all()


@pytest.mark.parametrize("seed", range(8))
def test_columns_are_equal(reference: ModuleType, tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 300))
    data = {
        "vector": random.normal(size=(n, 5)).astype(np.float32),
        "half": random.normal(size=(n, 2)).astype(np.float16),
        "id": random.integers(0, 1 << 20, n).astype(np.int32),
        "score": random.random(n).astype(np.float32),
    }
    compressions = {"vector": "int8"} if seed % 2 else None
    theirs, mine = tmp_path / "theirs.cvc", tmp_path / "mine.cvc"
    reference.pack_cvc_columns(data, str(theirs), compressions, 1000)
    ours.pack_cvc_columns(data, mine, compressions, 1000)
    assert mine.read_bytes() == theirs.read_bytes()
    mine_loaded = ours.load_cvc_columns(theirs)
    for name, expected in reference.load_cvc_columns(str(mine)).items():
        # The reference turns integers into float32.
        assert (mine_loaded[name].astype(np.float32) == expected).all()
    assert ours.list_columns(theirs) == reference.list_columns(str(theirs))
    assert ours.get_cvc_info(theirs) == reference.get_cvc_info(str(theirs))


def test_paged_files_are_read(reference: ModuleType, tmp_path: Path) -> None:
    vectors = random_vectors(1).astype(np.float32)
    path = tmp_path / "paged.cvc"
    ours.pack_cvc(vectors, path, chunk_size=20, mmap_optimized=True)
    with reference.MMapCVCLoader(str(path)) as loader:
        assert (loader.load() == ours.load_cvc(path)).all()


def test_upgrades_are_equal(reference: ModuleType, tmp_path: Path) -> None:
    folder = Path(__file__).resolve().parents[4] / "shared" / "conformance" / "cvc"
    old = folder / "v01_fp16.cvc"
    if not old.is_file():
        pytest.skip(f"{old} is missing")
    reference.upgrade_cvc(str(old), str(tmp_path / "theirs.cvc"))
    ours.upgrade_cvc(old, tmp_path / "mine.cvc")
    assert (tmp_path / "mine.cvc").read_bytes() == (tmp_path / "theirs.cvc").read_bytes()
