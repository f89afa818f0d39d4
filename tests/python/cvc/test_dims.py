# SPDX-License-Identifier: Apache-2.0
"""The first dimensions of rows alone, and texts that say what there is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import numpact
from numpact import cvc
from numpact._errors import InvalidArgumentError, TypeMismatchError

RNG = np.random.default_rng(4)
SPECS = ["fp16", "bfloat16", "int8", "int8_row", "int8_dim", "int4", "pco", "lossless"]


@pytest.mark.parametrize("compression", SPECS)
@pytest.mark.parametrize("dims", [1, 3, 16, 31])
def test_first_dimensions(tmp_path: Path, compression: str, dims: int) -> None:
    path = tmp_path / "v.cvc"
    cvc.pack_cvc(RNG.standard_normal((5000, 31)).astype("f4"), path, compression, 1700)
    reader = cvc.Reader(path)
    whole = reader.read()
    assert np.array_equal(reader.read(dims=dims), whole[:, :dims])
    assert np.array_equal(reader.read(1600, 300, dims=dims), whole[1600:1900, :dims])
    rows = [4999, 0, 1700, -2, 0]
    assert np.array_equal(reader.gather(rows, dims=dims), whole[rows, :dims])
    out = np.zeros((5000, 40), np.float32)[:, 5 : 5 + dims]
    assert reader.read(dims=dims, out=out) is out
    assert np.array_equal(out, whole[:, :dims])
    with open(path, "rb") as file:
        assert np.array_equal(cvc.Reader(file).gather(rows, dims=dims), whole[rows, :dims])


def test_dimensions_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    data = {"x": RNG.standard_normal((50, 8)).astype("f4"), "id": np.arange(50)}
    cvc.pack_cvc_columns(data, path, {"x": "none"})
    reader = cvc.Reader(path)
    assert reader.read(column="x", dims=1).shape == (50, 1)
    assert np.array_equal(reader.read(column="x", dims=5), data["x"][:, :5])
    assert np.array_equal(reader.read(column="id", dims=1), data["id"])
    for wrong in (0, -1, 9):
        with pytest.raises(InvalidArgumentError, match="dims is from 1 to 8"):
            reader.read(column="x", dims=wrong)
    with pytest.raises(InvalidArgumentError, match="out has shape"):
        reader.read(column="x", dims=3, out=np.zeros((50, 8), np.float32))
    with pytest.raises(numpact.LimitExceededError):
        cvc.Reader(path, max_output=50 * 4 * 4).read(column="x", dims=5)
    assert cvc.Reader(path, max_output=50 * 4 * 4).read(column="x", dims=4).shape == (50, 4)


def test_texts_list_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "v.cvc"
    cvc.pack_cvc(np.zeros((5, 2), "f4"), path)
    for work, words in [
        (lambda: cvc.Reader(path).read(dtype="bogus"), "'bogus': float32, float16 or bfloat16"),
        (lambda: cvc.Reader(path).read(dtype="int32"), "as float32, float16 and bfloat16"),
        (lambda: cvc.Writer(None, columns={"a": (4, "bogus")}), "bogus: float32, float16, int32"),
    ]:
        with pytest.raises(TypeMismatchError, match=words):
            work()
    with pytest.raises(InvalidArgumentError) as raised:
        numpact.compress(np.arange(9.0), mode="bogus")
    assert len(re.findall("classic", str(raised.value))) == 1
    assert "mode 'bogus'" in str(raised.value)
