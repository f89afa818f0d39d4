# SPDX-License-Identifier: Apache-2.0
"""Datasets of vectors, where PyTorch is installed: tests/python/packaging/test_torch.py runs this
file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

import numpact
from numpact import cvc
from numpact.torch import BlockSampler, VectorDataset

ROWS = 3000


@pytest.fixture
def vectors() -> Any:
    return np.random.default_rng(6).normal(size=(ROWS, 40)).astype(np.float32)


@pytest.fixture
def path(vectors: Any, tmp_path: Path) -> Path:
    target = tmp_path / "v.cvc"
    cvc.pack_cvc(vectors, target, "int8", 700)
    return target


def test_rows_are_those_of_the_reader(path: Path) -> None:
    expected = torch.from_numpy(cvc.Reader(path).read())
    dataset = VectorDataset(path)
    assert len(dataset) == ROWS
    assert torch.equal(dataset[7], expected[7])
    assert torch.equal(dataset[-1], expected[-1])
    assert torch.equal(torch.stack(dataset.__getitems__([5, 2, 5])), expected[[5, 2, 5]])
    assert torch.equal(dataset.gather([-3, 0]), expected[[-3, 0]])
    halves = VectorDataset(path, dtype=torch.bfloat16)
    assert torch.equal(halves.gather([1, 2]), expected[[1, 2]].bfloat16())
    with pytest.raises(IndexError):
        dataset[ROWS]
    with pytest.raises(numpact.InvalidArgumentError, match="columns"):
        VectorDataset(path, [])


def test_columns(vectors: Any, tmp_path: Path) -> None:
    table = tmp_path / "t.cvc"
    cvc.pack_cvc_columns({"v": vectors, "id": np.arange(ROWS)}, table, {"v": "none"})
    dataset = VectorDataset(table, dtype="float16")
    row = dataset[10]
    assert list(row) == ["v", "id"]
    assert int(row["id"]) == 10
    assert row["v"].dtype == torch.float16
    assert row["id"].dtype == torch.int64
    batch = next(iter(DataLoader(dataset, batch_size=4)))
    assert batch["id"].tolist() == [0, 1, 2, 3]
    assert batch["v"].shape == (4, 40)
    assert int(VectorDataset(table, "id")[3]) == 3
    assert list(VectorDataset(table, ["id"])[3]) == ["id"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers(path: Path, method: str) -> None:
    expected = torch.from_numpy(cvc.Reader(path).read())
    dataset = VectorDataset(path)
    dataset[0]  # threads of the parent, if any, exist before the fork
    loader = DataLoader(
        dataset, batch_size=256, num_workers=2, multiprocessing_context=method,
        sampler=BlockSampler(dataset, 100, 4),
    )  # fmt: skip
    order = list(BlockSampler(dataset, 100, 4))
    found = torch.cat(list(loader))
    assert torch.equal(found, expected[order])


def test_collections_that_grow(vectors: Any, tmp_path: Path) -> None:
    folder = tmp_path / "grown"
    cvc.append(folder, vectors[:1000])
    cvc.append(folder, vectors[1000:])
    dataset = VectorDataset(folder)
    assert len(dataset) == ROWS
    loader = DataLoader(dataset, batch_size=500, num_workers=1, multiprocessing_context="spawn")
    assert torch.equal(torch.cat(list(loader)), torch.from_numpy(cvc.Reader(folder).read()))


def test_blocks_are_shuffled() -> None:
    sampler = BlockSampler(10_000, 100, 8, seed=3)
    first, second = list(sampler), list(sampler)
    assert len(sampler) == 10_000
    assert sorted(first) == sorted(second) == list(range(10_000))
    assert first != second
    sampler.set_epoch(0)
    assert list(sampler) == first
    assert list(BlockSampler(10_000, 100, 8, seed=4)) != first
    # Eight blocks at a time, whose rows are mixed.
    window = first[:800]
    assert len({row // 100 for row in window}) == 8
    assert len({row // 100 for row in window[:100]}) > 4
    assert list(BlockSampler(0)) == []
    for wrong in ((10, 0), (10, 1, 0), (-1,)):
        with pytest.raises(numpact.InvalidArgumentError):
            BlockSampler(*wrong)


def test_document_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page does a day's work, with the blocks that need PyTorch."""
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[3] / "docs" / "cvc-growing.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    assert any("VectorDataset" in block for block in blocks)
    names: dict[str, object] = {"__name__": "document"}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
