# SPDX-License-Identifier: Apache-2.0
"""Requests that are refused, and decoding into the wrong memory."""

from __future__ import annotations

import numpact_ctypes as numpact
import numpy as np
import pytest
import wrapped_ctypes
from numpact_ctypes import DTYPES, Config

INTS = [name for name in DTYPES if name[0] != "f"]
FLOATS = [name for name in DTYPES if name[0] == "f"]
MANTISSA = {"f16": 10, "f32": 23, "f64": 52}


def refused_configs(type_name: str) -> list[Config]:
    bits = DTYPES[type_name].itemsize * 8
    configs = [
        Config(level=13),
        Config(delta="consecutive", delta_order=8),
        Config(page_sizes=(10, 0, 20)),
        Config(page_sizes=(10, 19)),
        Config(page_sizes=(10, 21)),
    ]
    if bits == 64:
        configs.append(Config(delta="conv1", delta_order=1))
    else:
        configs += [Config(delta="conv1", delta_order=order) for order in (0, 33)]
    if type_name in FLOATS:
        bases = [0.0, -0.0, float("inf"), float("nan")]
        bases += [1e5, 1e-9] if type_name == "f16" else [1e39, 1e-50] * (type_name == "f32")
        configs += [Config(mode="float_mult", mode_value=base) for base in bases]
        configs += [Config(mode="float_quant", mode_value=k) for k in (0, MANTISSA[type_name] + 1)]
        configs.append(Config(mode="int_mult", mode_value=10))
    else:
        bases = [0] if bits == 64 else [0, 2**bits]
        configs += [Config(mode="int_mult", mode_value=base) for base in bases]
        configs.append(Config(mode="float_mult", mode_value=0.5))
        configs.append(Config(mode="float_quant", mode_value=1))
    return configs


@pytest.mark.parametrize("type_name", DTYPES)
def test_invalid_argument(type_name: str) -> None:
    numbers = np.arange(30).astype(DTYPES[type_name])
    for config in refused_configs(type_name):
        for call in (numpact.compress, wrapped_ctypes.ChunkEncoder):
            with pytest.raises(numpact.NumpactError) as caught:
                call(numbers, config)
                pytest.fail(f"{call.__name__} takes {config}")
            assert caught.value.kind == "invalid_argument", config


@pytest.mark.parametrize("type_name", DTYPES)
def test_type_mismatch(type_name: str) -> None:
    file = numpact.compress(np.arange(100).astype(DTYPES[type_name]))
    for other in DTYPES:
        if other != type_name:
            with pytest.raises(numpact.NumpactError) as caught:
                numpact.decompress(file, DTYPES[other], 100)
            assert caught.value.kind == "type_mismatch", other


@pytest.mark.parametrize("type_name", DTYPES)
@pytest.mark.parametrize("page", [None, 30])
def test_output_too_small(type_name: str, page: int | None) -> None:
    numbers = np.arange(100).astype(DTYPES[type_name])
    file = numpact.compress(numbers, Config(max_page_n=page))
    for capacity in (0, 1, 50, 99):
        with pytest.raises(numpact.NumpactError) as caught:
            numpact.decompress(file, numbers.dtype, capacity)
        assert caught.value.kind == "output_too_small", capacity
