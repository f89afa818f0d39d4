# SPDX-License-Identifier: Apache-2.0
"""Decoding by NVIDIA GPUs: a part of the package that is there where it was built with CUDA."""

from collections.abc import Callable, Sequence
from typing import Any

from ._core import CvcSlice

def device_count() -> int: ...
def cvc_decode(
    slices: Sequence[tuple[CvcSlice, int, int, int]],
    out_ptr: int,
    out_dtype: str,
    out_stride: int,
    device: int,
    stream: int,
    threads: int = 8,
) -> None: ...
def pco_decompress(
    arrays: list[list[Any]],
    device: int,
    threads: int,
    max_output: int | None,
    trailer: str,
    on_end: Callable[[str, int, int | None], None] | None,
) -> list[tuple[Any, int, int, str]]: ...
