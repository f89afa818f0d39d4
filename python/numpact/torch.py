# SPDX-License-Identifier: Apache-2.0
"""Vectors of CVC files as datasets of PyTorch: see docs/cvc.md.

``VectorDataset`` is for ``torch.utils.data.DataLoader``; ``BlockSampler`` shuffles by blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Union

from ._errors import InvalidArgumentError
from ._integers import index_of
from ._optional import require
from .cvc import Reader

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy.typing as npt
    import torch
    from torch.utils.data import Dataset, Sampler

    from .cvc._sources import Source

    _Dataset: TypeAlias = Dataset[Any]
    _Sampler: TypeAlias = Sampler[int]
else:
    _data = require("torch.utils.data", "torch")
    _Dataset, _Sampler = _data.Dataset, _data.Sampler

__all__ = ["BlockSampler", "VectorDataset"]


class VectorDataset(_Dataset):  # type: ignore[misc]
    """Rows of a CVC file, a folder that grows or several files, as tensors.

    ``dataset[i]`` is a row, a tensor; of several columns a dictionary of tensors by their names.
    A ``DataLoader`` asks for a batch by one call, ``__getitems__``, which decodes its rows at once.
    Works with workers by fork, spawn and forkserver. A worker uses one thread.

    Args:
        source: As for ``cvc.Reader``. Workers by spawn need a path, a folder, a list or a pattern;
            an open file can be used without workers only.
        columns: Names or indices of columns; None: all.
        dtype: Of the tensors of float columns: a type of PyTorch or its name; None: as ``read``
            gives them.
        threads: Of a call in the main process; None: as for ``Reader.gather``.
        verify: Also check the checksums of chunks that are read partially.
        max_output, max_memory: As for ``cvc.Reader``.

    Raises:
        ImportError: PyTorch is not installed.
        The errors of ``cvc.Reader``.
    """

    def __init__(
        self,
        source: Source,
        columns: Sequence[Union[str, int]] | str | int | None = None,
        *,
        dtype: torch.dtype | str | None = None,
        threads: int | None = None,
        verify: bool = False,
        max_output: int | None = None,
        max_memory: int | None = None,
    ) -> None:
        self._reader = Reader(
            source,
            threads=threads,
            framework="torch",
            max_output=max_output,
            max_memory=max_memory,
        )
        info = self._reader.info
        if columns is None:
            chosen = list(range(len(info.columns)))
        else:
            given = [columns] if isinstance(columns, (str, int)) else list(columns)
            chosen = [info.find_column(column) for column in given]
        if not chosen:
            raise InvalidArgumentError("columns is empty")
        self._columns = [(index, info.columns[index].name) for index in chosen]
        self._is_single = columns is not None and isinstance(columns, (str, int))
        self._is_single = self._is_single or len(info.columns) == 1
        self._dtype = dtype
        self._verify = verify

    @property
    def reader(self) -> Reader:
        """The reader, for what a dataset does not have."""
        return self._reader

    def __len__(self) -> int:
        return len(self._reader)

    def __getitem__(self, index: int) -> Any:
        row = index_of(index, "an index")
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self)} rows")
        return self.__getitems__([row])[0]

    def __getitems__(self, indices: npt.ArrayLike) -> list[Any]:
        """The rows of a batch, decoded by one call for each column."""
        found = self.gather(indices)
        if self._is_single:
            return list(found)
        names = list(found)
        return [dict(zip(names, row, strict=True)) for row in zip(*found.values(), strict=True)]

    def gather(self, indices: npt.ArrayLike) -> Any:
        """The rows of a batch as one tensor, or a dictionary of tensors.

        With ``DataLoader(BatchSampler(...), batch_size=None)`` of a dataset by batches, or in a
        loop without one, this saves stacking the rows again.
        """
        tensors = {name: self._gathered(index, indices) for index, name in self._columns}
        return next(iter(tensors.values())) if self._is_single else tensors

    def _gathered(self, index: int, indices: npt.ArrayLike) -> torch.Tensor:
        is_float = self._reader.info.columns[index].dtype.startswith(("float", "bfloat"))
        dtype: Any = self._dtype if is_float else None
        found: Any = self._reader.gather(
            indices, column=index, dtype=dtype, verify=self._verify, threads=_threads()
        )
        return found


def _threads() -> int | None:
    """1 in a worker, of which there are as many as the program wants to use processors."""
    return None if _data_module().get_worker_info() is None else 1


def _data_module() -> Any:
    return require("torch.utils.data", "torch")


class BlockSampler(_Sampler):  # type: ignore[misc]
    """Shuffles blocks of neighbouring rows, and the rows within some blocks at a time.

    Rows of one chunk are then read close to each other, which stores, hard disks and chunks that
    are decoded as a whole (``pco``, ``lossless``) need; neighbours of the file still end up in
    different batches. Each iteration has another order, which the seed determines.

    Args:
        data: A dataset, or a count of rows.
        block_rows: Rows of a block.
        mixed_blocks: Blocks whose rows are shuffled together.
        seed: Of the orders; the n-th iteration has the n-th order of a seed.

    >>> from numpact.torch import BlockSampler
    >>> sorted(BlockSampler(10, 3, 2)) == list(range(10))
    True
    """

    def __init__(
        self,
        data: Union[VectorDataset, int],
        block_rows: int = 4096,
        mixed_blocks: int = 16,
        *,
        seed: int = 0,
    ) -> None:
        self._rows = data if isinstance(data, int) else len(data)
        self._block_rows = index_of(block_rows, "block_rows")
        self._mixed = index_of(mixed_blocks, "mixed_blocks")
        if self._block_rows < 1 or self._mixed < 1 or self._rows < 0:
            raise InvalidArgumentError("rows are counted from 0, block_rows and blocks from 1")
        self._seed = index_of(seed, "seed")
        self._epoch = 0

    def __len__(self) -> int:
        return self._rows

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iteration the one with this number, as other samplers of PyTorch do."""
        self._epoch = index_of(epoch, "epoch")

    def __iter__(self) -> Iterator[int]:
        import numpy as np

        random = np.random.default_rng([self._seed, self._epoch])
        self._epoch += 1
        blocks = random.permutation(-(-self._rows // self._block_rows))
        for at in range(0, len(blocks), self._mixed):
            rows = np.concatenate(
                [
                    np.arange(
                        block * self._block_rows, min((block + 1) * self._block_rows, self._rows)
                    )
                    for block in blocks[at : at + self._mixed].tolist()
                ]
            )
            yield from random.permutation(rows).tolist()
