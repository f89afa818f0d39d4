# SPDX-License-Identifier: Apache-2.0
"""Stored files: old releases of the reference, unusual files it reads, files it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
import pytest
import reference
from archives import unpacked
from cases import same_bits
from numpact_ctypes import DTYPES, TYPE_OF_BYTE

PCO = Path(__file__).resolve().parents[1] / "fixtures" / "pco"
MADE_FOLDER = unpacked("pco/made.zip") / "made"
CAPACITY = 1 << 16


def _classic() -> np.ndarray:
    return np.concatenate([np.arange(1000), np.arange(2000, 3000)]).astype(np.int32)


def _delta_float_mult() -> np.ndarray:
    numbers = np.arange(2000, dtype=np.float32)
    numbers[1337] += np.float32(1.001)
    return numbers


def _delta_int_mult() -> np.ndarray:
    numbers = np.arange(2000, dtype=np.int32) * 1000
    numbers[1337] -= 1
    return numbers


def _f16() -> np.ndarray:
    x, numbers = np.float32(0.1), np.empty(2000, np.float16)
    for i in range(2000):
        x = np.float32(np.fmod(x * np.float32(77.7) + np.float32(0.1), np.float32(2)))
        numbers[i] = np.float16(np.float32(-1) - x) if x < 1 else np.float16(x)
    return numbers


def _float_quant() -> np.ndarray:
    numbers = _f16().astype(np.float32)
    return np.where(np.abs(numbers) < np.float32(1.1), numbers.view(np.uint32) + 1,
                    numbers.view(np.uint32)).astype(np.uint32).view(np.float32)  # fmt: skip


def _lookback() -> np.ndarray:
    block = [1121827092, 729032807, 3968137854, 2875434067, 3775328080, 431649926, 1048116090,
             1906978350, 14752788, 1180462487]
    return np.tile(np.array(block, np.uint32), 100)


def _conv1() -> np.ndarray:
    f32 = np.float32
    x1 = x2 = f32(0)
    numbers = np.empty(2000, np.int32)
    for i in range(2000):
        x = f32(f32(f32(1.99) * x1) - x2) + f32((47 * i) % 77 - 38)
        numbers[i] = np.int32(x + f32(10000))
        x1, x2 = x, x1
    return numbers


def _one_to_five() -> np.ndarray:
    return np.arange(1, 6, dtype=np.uint32)


RELEASES: dict[str, Callable[[], np.ndarray]] = {
    "v0_0_0_classic": _classic,
    "v0_0_0_delta_float_mult": _delta_float_mult,
    "v0_1_0_delta_int_mult": _delta_int_mult,
    "v0_1_1_standalone_versioned": lambda: np.empty(0, np.float32),
    "v0_3_0_f16": _f16,
    "v0_3_0_float_quant": _float_quant,
    "v0_4_0_lookback_delta": _lookback,
    "v0_4_5_uniform_type": _one_to_five,
    "v0_4_8_minor_version": _one_to_five,
    "v1_0_0_conv1": _conv1,
    "v1_0_0_dict": lambda: np.tile(np.array([8924659283, 234897984367, 9827358920], np.uint64),
                                   1000),
    "v1_0_0_i8": lambda: np.r_[-128:-63, 64:128].astype(np.int8),
    "v1_0_0_u8": lambda: np.r_[0:65, 192:256].astype(np.uint8),
}  # fmt: skip


def check_file(file: bytes, numbers: np.ndarray) -> None:
    for capacity in (numbers.size, numbers.size + 1000):
        assert same_bits(numpact.decompress(file, numbers.dtype, capacity), numbers)
    assert numpact.count_numbers(file) == numbers.size
    assert numpact.inspect(file)["count"] == numbers.size


def test_every_file_is_known() -> None:
    assert {path.stem for path in PCO.glob("*.pco")} == set(RELEASES)


@pytest.mark.parametrize("name", RELEASES)
def test_release(name: str) -> None:
    file, numbers = (PCO / f"{name}.pco").read_bytes(), RELEASES[name]()
    check_file(file, numbers)
    if numbers.size:
        read = reference.decompress(file, numbers.dtype, numbers.size + 1000)
        assert read is not None and same_bits(read, numbers)


MADE = sorted(path.stem for path in (MADE_FOLDER).glob("*.pco"))


def test_made_files_are_there() -> None:
    assert len(MADE) == 46


@pytest.mark.parametrize("name", MADE)
def test_made(name: str) -> None:
    file = (MADE_FOLDER / f"{name}.pco").read_bytes()
    check_file(file, np.load(MADE_FOLDER / f"{name}.npy"))


REFUSED = sorted(path.stem for path in (MADE_FOLDER / "refused").glob("*.pco"))
KINDS = {
    "chunk_type_unknown": {"corrupt", "unsupported_version"},
    "chunk_types_mixed": {"corrupt", "type_mismatch"},
    "cut_in_metadata": {"truncated"},
    "cut_in_page": {"truncated"},
    "delta_4": {"corrupt", "unsupported_version"},
    "dict_longer_than_file": {"truncated", "corrupt"},
    "format_version_5": {"unsupported_version"},
    "header_only": {"truncated"},
    "mode_5": {"corrupt", "unsupported_version"},
    "no_terminator": {"truncated"},
    "standalone_version_4": {"unsupported_version"},
    "uniform_type_unknown": {"corrupt", "unsupported_version"},
}
# Faults that only decoding the numbers shows, not counting or inspecting.
SHOWN_BY_NUMBERS = {"dict_empty", "dict_index_past_end", "lookback_17_window_16"}


def type_in(file: bytes) -> str:
    try:
        return TYPE_OF_BYTE.get(numpact.read_header(file).number_type, "u32")
    except numpact.NumpactError:
        return "u32"


def test_refused_files_are_there() -> None:
    assert len(REFUSED) == 51
    assert set(KINDS) <= set(REFUSED)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    file = (MADE_FOLDER / "refused" / f"{name}.pco").read_bytes()
    dtype = DTYPES[type_in(file)]
    with pytest.raises(reference.Refused):
        reference.decompress(file, dtype, CAPACITY)
    with pytest.raises(numpact.NumpactError) as caught:
        numpact.decompress(file, dtype, CAPACITY)
    assert caught.value.kind in KINDS.get(name, {"corrupt"}), str(caught.value)
    assert caught.value.offset is None or caught.value.offset <= len(file)
    if name not in SHOWN_BY_NUMBERS:
        check_refused_unread(file)


def check_refused_unread(file: bytes) -> None:
    for walk in (numpact.count_numbers, numpact.inspect):
        with pytest.raises(numpact.NumpactError) as caught:
            walk(file)
        assert caught.value.kind != "output_too_small"
